"""Write and read models as `.boostext` files. docs/model-format.md describes the format."""

from __future__ import annotations

import dataclasses
import io
import stat
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32
from boostext.atomic import Kind, replacing
from boostext.boosting.rules import Rule
from boostext.errors import ModelError
from boostext.features.conditions import YES, Condition, Literal
from boostext.model.container import START, open_members, read_member, write_members
from boostext.model.description import (
    as_written,
    check_format,
    conditions_from,
    describe,
    model_from,
    with_digest,
)
from boostext.model.model import History, Model, check_model
from boostext.model.npy import from_npy, to_npy
from boostext.model.plain import JSON_LIMIT, Plain, from_json, take, texts, to_json

BLOCKS = ("unknown", "no", "yes")
WORDS = "model.json"
NAME_AT = 30
"""Offset in a zip file of the name of its first member."""
ARRAYS = ("conditions.npy", "alphas.npy", "votes.npy", "gain.npy", "z.npy")


def _is_model(head: bytes) -> bool:
    """Whether these first bytes belong to a zip file whose first member is that of a model."""
    return head.startswith(START) and head[NAME_AT : NAME_AT + len(WORDS)] == WORDS.encode()


MODEL_FILE = Kind("a boostext model", _is_model)


def write_model(model: Model, path: str | Path, kind: Kind | None = None) -> None:
    """Write the model to one file, atomically; equal models give equal bytes.

    kind: the kind of file that may be replaced, such as MODEL_FILE; None allows any file.

    Raises BoostextError if the path cannot be written or the disk is full, and ModelError if the
    model is not consistent.
    """
    check_model(model)
    members = list(_members(model))
    with replacing(path, kind) as file:
        write_members(file, members)


def model_bytes(model: Model) -> bytes:
    """Return the bytes of the model's file. Raises ModelError if the model is not consistent."""
    check_model(model)
    file = io.BytesIO()
    write_members(file, list(_members(model)))
    return file.getvalue()


def read_model(path: str | Path, accept_edits: bool = False) -> Model:
    """Read the model in a file.

    accept_edits: accept a model that was changed by hand after it was written.

    Raises ModelError, whose message says whether the file is not a model, truncated, damaged, too
    new or changed by hand. Memory is bounded by the size of the file, whatever its content.
    """
    if not str(path):
        raise ModelError("the name of the model is empty; give the file of a model")
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise ModelError(f"{path}: not a regular file; expected a boostext model")
        with Path(path).open("rb") as file:
            return read_model_from(file, accept_edits)
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL character
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"{path}: the model cannot be opened: {reason}") from None
    except ModelError as error:
        if str(error).startswith(f"{path}: "):
            raise
        raise ModelError(f"{path}: {error}") from None


def _members(model: Model) -> Iterator[tuple[str, bytes]]:
    table = tuple(dict.fromkeys(c for rule in model.rules for c in _conditions(rule)))
    place = {condition: number for number, condition in enumerate(table)}
    votes = _stacked(model)
    # subtle: "yes" is always stored, so that a model in memory is never much larger than its file
    kept_blocks = [b for b in range(3) if b == YES or votes[:, b].any()]
    words = describe(model, table) | {
        "rules": len(model.rules),
        "blocks": [BLOCKS[b] for b in kept_blocks],
    }
    if any(rule.precondition for rule in model.rules):
        words["preconditions"] = [
            [[place[condition], BLOCKS[block]] for condition, block in rule.precondition]
            for rule in model.rules
        ]
    arrays = _arrays(model, place, votes[:, kept_blocks])
    content = to_json(with_digest(words, *arrays.values()))
    if len(content) > JSON_LIMIT:
        raise ModelError(
            f"its labels, terms and settings take {len(content)} bytes; a model has at most "
            f"{JSON_LIMIT}. Leave out very long terms"
        )
    yield WORDS, content
    yield from arrays.items()


def _arrays(model: Model, place: Mapping[Condition, int], votes: Float64) -> dict[str, bytes]:
    """Map the names of the members that are arrays to their content, in the order of the file."""
    found: tuple[NDArray[Any], ...] = (
        np.array([place[rule.condition] for rule in model.rules], np.int32),
        np.array([rule.alpha for rule in model.rules], np.float64),
        votes,
        np.array(model.history.gain, np.float64),
        np.array(model.history.z, np.float64),
    )
    return dict(zip(ARRAYS, map(to_npy, found), strict=True))


def _conditions(rule: Rule) -> Iterator[Condition]:
    yield from (condition for condition, _ in rule.precondition)
    yield rule.condition


def _stacked(model: Model) -> Float64:
    """Return the (T, 3, k) votes of all rules."""
    votes = np.zeros((len(model.rules), 3, model.width))
    for number, rule in enumerate(model.rules):
        votes[number] = rule.votes
    return votes


def read_model_from(file: BinaryIO, accept_edits: bool = False) -> Model:
    """Read the model in an open, seekable file. Raises ModelError, whose message has no path."""
    head = file.read(HEAD)
    if not head:
        raise ModelError("the file is empty; expected a boostext model")
    if not head.startswith(START):
        raise ModelError(recognize(head))
    members = open_members(file)
    if WORDS not in members:
        raise ModelError(f"a zip file without {WORDS}, not a boostext model")
    content = read_member(file, members[WORDS], JSON_LIMIT)
    words = _words(content)
    if set(members) != {WORDS, *ARRAYS}:
        raise ModelError(f"damaged: its members are not {WORDS}, {', '.join(ARRAYS)}")
    arrays = {name: read_member(file, members[name], members[name].file_size) for name in ARRAYS}
    try:
        model = _assembled(words, arrays)
    except ModelError as error:
        raise ModelError(f"damaged, or made by another boostext: {error}") from None
    return as_written(model, words, list(arrays.values()), accept_edits)


def _words(content: bytes) -> Plain:
    try:
        words = from_json(content)
    except ModelError as error:
        raise ModelError(f"damaged: in {WORDS} {error}") from None
    check_format(words)
    return words


def _assembled(words: Plain, arrays: dict[str, bytes]) -> Model:
    model = model_from(words, ("rules", "blocks", "preconditions"))
    table = conditions_from(words)
    count = take(words, "rules", int)
    numbers = from_npy(arrays["conditions.npy"], "conditions.npy", "<i4", (count,))
    alphas = from_npy(arrays["alphas.npy"], "alphas.npy", "<f8", (count,))
    votes = _votes(words, arrays["votes.npy"], count, model.width)
    if count and not (numbers.min() >= 0 and numbers.max() < len(table)):
        raise ModelError(f"conditions.npy points outside the {len(table)} conditions")
    history = (from_npy(arrays[name], name, "<f8", (None,)) for name in ("gain.npy", "z.npy"))
    model = dataclasses.replace(
        model,
        rules=_rules(table, numbers, alphas, votes, _preconditions(words, table, count)),
        history=History(*(tuple(values.tolist()) for values in history)),
    )
    check_model(model)
    return model


def _votes(words: Plain, content: bytes, count: int, label_count: int) -> Float64:
    """Return the (T, 3, k) votes; blocks that are not stored have votes of 0."""
    blocks = texts(words, "blocks")
    if list(blocks) != [name for name in BLOCKS if name in blocks] or "yes" not in blocks:
        raise ModelError(
            f"blocks is {', '.join(blocks)[:80]}; expected those of {BLOCKS} that speak"
        )
    stored = from_npy(content, "votes.npy", "<f8", (count, len(blocks), label_count))
    votes = np.zeros((count, 3, label_count))
    votes[:, [BLOCKS.index(name) for name in blocks]] = stored
    votes.flags.writeable = False
    return votes


def _rules(
    table: Sequence[Condition],
    numbers: Int32,
    alphas: Float64,
    votes: Float64,
    preconditions: Sequence[tuple[Literal, ...]],
) -> tuple[Rule, ...]:
    parts = zip(numbers.tolist(), votes, alphas.tolist(), preconditions, strict=True)
    return tuple(Rule(table[number], vote, alpha, before) for number, vote, alpha, before in parts)


def _preconditions(
    words: Plain, table: Sequence[Condition], count: int
) -> Sequence[tuple[Literal, ...]]:
    """Return the precondition of each rule, which is empty for all if the file has none."""
    if "preconditions" not in words:
        return [()] * count
    given = take(words, "preconditions", list)
    if len(given) != count or not all(isinstance(literals, list) for literals in given):
        raise ModelError(f"preconditions are not one list for each of {count} rules")
    return [tuple(_literal(plain, table) for plain in literals) for literals in given]


def _literal(plain: object, table: Sequence[Condition]) -> Literal:
    match plain:
        case [int(number), str(block)] if type(number) is int and block in BLOCKS:
            if 0 <= number < len(table):
                return Literal(table[number], BLOCKS.index(block))
    raise ModelError('a precondition is not made of pairs like [3, "yes"]')


# Files that are not models -------------------------------------------------------------------

HEAD = 4096

_PACKED = "packed by {}; unpack it first"
_MAGICS: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", _PACKED.format("gzip")),
    (b"BZh", _PACKED.format("bzip2")),
    (b"\xfd7zXZ\x00", _PACKED.format("xz")),
    (b"\x28\xb5\x2f\xfd", _PACKED.format("zstd")),
    (b"\xba\x16\x4f\x2f", "a fastText model, not a boostext model"),
    (b"\x93NUMPY", "a numpy array, not a boostext model"),
    (b"\x89HDF", "an HDF5 file, not a boostext model"),
)
_PICKLE = "a Python pickle, which boostext never opens: a pickle can run any program"
_JSON = (
    "JSON, not a boostext model; if it is a model written as JSON, turn it into one with "
    "boostext convert"
)
_TEXT = (
    "a text file, not a boostext model; training data goes after the model, and a .shyp is "
    "turned into a model with boostext convert"
)
_TEXT_BYTES = frozenset(string.printable.encode("ascii")) | frozenset(range(0x80, 0x100))


def recognize(head: bytes) -> str:
    """Return a message on the kind of the file and what to do. head: its first HEAD bytes."""
    for magic, sentence in _MAGICS:
        if head.startswith(magic):
            return sentence
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return _PICKLE
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _JSON
    if _TEXT_BYTES.issuperset(head):
        return _TEXT
    return "not a boostext model"
