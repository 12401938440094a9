"""A model as one JSON document for people and other programs, without loss in either direction."""

from __future__ import annotations

import dataclasses

import numpy as np

from boostext.boosting.rules import Rule
from boostext.errors import ModelError
from boostext.features.conditions import Literal
from boostext.model.description import (
    as_written,
    check_format,
    condition_from,
    condition_to_plain,
    describe,
    model_from,
    with_digest,
)
from boostext.model.file import BLOCKS
from boostext.model.model import History, Model, check_model
from boostext.model.plain import (
    Plain,
    from_json,
    number,
    numbers,
    objects,
    only,
    take,
    to_json,
)

JSON_FORM_LIMIT = 256 * 1024 * 1024
"""Maximum size in bytes of a model as JSON, enough for about ten million votes."""


def model_to_json(model: Model) -> bytes:
    """Return the model as UTF-8 JSON; `model_from_json` restores every float exactly."""
    return to_json(with_digest(model_to_plain(model))) + b"\n"


def model_to_plain(model: Model) -> Plain:
    """Return the model as plain data, without the digest of its content."""
    check_model(model)
    words = describe(model, ())
    del words["conditions"]
    history = {"gain": list(model.history.gain), "z": list(model.history.z)}
    rules = [_rule_to_plain(rule) for rule in model.rules]
    return words | {"history": history, "rules": rules}


def model_from_json(content: bytes, accept_edits: bool = False) -> Model:
    """Read a model from the JSON of `model_to_json`. Raises ModelError.

    accept_edits: accept a model that was changed by hand after it was written.
    """
    words = from_json(content, JSON_FORM_LIMIT)
    return as_written(model_from_plain(words), words, (), accept_edits)


def model_from_plain(words: Plain) -> Model:
    """The inverse of `model_to_plain`."""
    check_format(words)
    model = model_from(words, ("history", "rules"))
    history = take(words, "history", dict)
    only(history, ("gain", "z"), "history")
    model = dataclasses.replace(
        model,
        rules=tuple(_rule_from(rule, model.width) for rule in objects(words, "rules")),
        history=History(numbers(history, "gain"), numbers(history, "z")),
    )
    check_model(model)
    return model


def _rule_to_plain(rule: Rule) -> Plain:
    """Return a rule as plain data; blocks whose votes are all 0 are left out, except "yes"."""
    rows = zip(BLOCKS, rule.votes, strict=True)
    votes = {name: row.tolist() for name, row in rows if name == "yes" or row.any()}
    record = {"condition": condition_to_plain(rule.condition), "alpha": rule.alpha, "votes": votes}
    before = [
        {"condition": condition_to_plain(condition), "block": BLOCKS[block]}
        for condition, block in rule.precondition
    ]
    return record | ({"precondition": before} if before else {})


def _rule_from(record: Plain, label_count: int) -> Rule:
    only(record, ("condition", "alpha", "votes", "precondition"), "a rule")
    given = take(record, "votes", dict)
    only(given, BLOCKS, "votes")
    # subtle: "yes" is required, so that the votes in memory are never much larger than the text
    rows = [numbers(given, name) if name in given or name == "yes" else None for name in BLOCKS]
    if any(row is not None and len(row) != label_count for row in rows):
        raise ModelError(f"a rule has not one vote per label; expected {label_count}")
    votes = np.array([row or (0.0,) * label_count for row in rows], np.float64)
    condition = condition_from(take(record, "condition", dict))
    before = objects(record, "precondition") if "precondition" in record else ()
    return Rule(condition, votes, number(record, "alpha"), tuple(map(_literal_from, before)))


def _literal_from(record: Plain) -> Literal:
    only(record, ("condition", "block"), "a precondition")
    block = take(record, "block", str)
    if block not in BLOCKS:
        raise ModelError(f"a precondition has block {block[:40]!r}; expected {', '.join(BLOCKS)}")
    return Literal(condition_from(take(record, "condition", dict)), BLOCKS.index(block))
