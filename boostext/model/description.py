"""The description of a model as plain data, without the numbers of its rules.

Both written forms of a model, `.boostext` and JSON, use it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import boostext
from boostext.errors import ModelError, SettingsError
from boostext.features.conditions import Always, AtLeast, Condition, Equals, Occurs
from boostext.features.tokenizer import TOKENIZER_VERSION
from boostext.model.calibration import Curve, Isotonic, Sigmoid
from boostext.model.model import Model, Provenance
from boostext.model.plain import (
    Plain,
    dataclass_from,
    json_parts,
    number,
    numbers,
    objects,
    only,
    take,
    texts,
)
from boostext.model.prior_form import prior_from, prior_to_plain
from boostext.settings import BoostingSettings, DataSettings, TextSettings

FORMAT = "boostext model"
VERSION = 3
"""Version 3 adds a digest of the content. Versions 1 and 2 may also hold prior knowledge."""
DIGEST = "sha256"

_NAMES = (
    "format",
    "version",
    "writer",
    "labels",
    "multilabel",
    "thresholds",
    "tokenizer",
    "settings",
    "provenance",
    "conditions",
)
_LATER = ("code", "calibration", "round_sizes", "prior", DIGEST)
"""Optional names, which are written only if they have a value other than the default."""


def describe(model: Model, conditions: tuple[Condition, ...]) -> Plain:
    """Return the description of a model, with its names in a fixed order."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "writer": boostext.__version__,
        "labels": list(model.labels),
        "multilabel": model.multilabel,
        "thresholds": list(model.thresholds),
        "tokenizer": TOKENIZER_VERSION,
        "settings": {
            "data": model.data.to_dict(),
            "text": model.text.to_dict(),
            "boosting": model.boosting.to_dict(),
        },
        "provenance": _provenance(model.provenance),
        "conditions": [condition_to_plain(condition) for condition in conditions],
        **({"code": list(model.code)} if model.code else {}),
        **(
            {"calibration": list(map(curve_to_plain, model.calibration))}
            if model.calibration
            else {}
        ),
        **({"round_sizes": list(model.round_sizes)} if model.round_sizes else {}),
        **({"prior": prior_to_plain(model.prior)} if model.prior else {}),
    }


def _provenance(known: Provenance) -> Plain:
    """Return the provenance; `corrected` and `edited` are left out if they are 0 or false."""
    plain = dataclasses.asdict(known)
    return {k: v for k, v in plain.items() if v or k not in ("corrected", "edited")}


# Integrity: the digest of the content ----------------------------------------------------------


def with_digest(words: Plain, *arrays: bytes) -> Plain:
    """Return the description with the digest of the whole content of the file added."""
    return words | {DIGEST: _digest(words, arrays)}


def _digest(words: Plain, arrays: Sequence[bytes]) -> str:
    """Return the SHA-256 in hex; it does not depend on white space or the order of JSON names."""
    content = {name: value for name, value in words.items() if name != DIGEST}
    # subtle: escaped to ASCII, so that a surrogate pair and the character it encodes are the same
    found = hashlib.sha256()
    for text in json_parts(content, (",", ":"), sort_keys=True):
        found.update(text.encode("ascii"))
    for array in arrays:
        found.update(array)
    return found.hexdigest()


def as_written(model: Model, words: Plain, arrays: Sequence[bytes], accept: bool) -> Model:
    """Return the model of a file after checking that the file was not changed since it was written.

    accept: take a changed file as well, and mark the model as edited. Files in versions without a
    digest are always accepted. Raises ModelError.
    """
    dated = words["version"] < VERSION and DIGEST not in words
    if dated or words.get(DIGEST) == _digest(words, arrays):
        return model
    if not accept:
        raise ModelError(
            "was changed since boostext wrote it: its content is not what its sha256 says. Copy "
            "the original again; or, where the change is meant, take it by boostext convert "
            "OLD NEW --accept-edits"
        )
    return dataclasses.replace(model, provenance=dataclasses.replace(model.provenance, edited=True))


# Reading the description -----------------------------------------------------------------------


def check_format(record: Plain) -> None:
    """Raise ModelError if this is not a boostext model or its version is newer than VERSION."""
    if record.get("format") != FORMAT:
        raise ModelError(f'not a boostext model: its JSON does not say "format": "{FORMAT}"')
    version = take(record, "version", int)
    if version > VERSION:
        writer = take(record, "writer", str)
        raise ModelError(
            f"written by boostext {writer[:40]} in format {version}; this boostext "
            f"{boostext.__version__} reads formats up to {VERSION}. Upgrade boostext"
        )
    if version < 1:
        raise ModelError(f"damaged: its format version is {version}; the first is 1")
    tokenizer = take(record, "tokenizer", int)
    if tokenizer != TOKENIZER_VERSION:
        raise ModelError(
            f"made with tokenizer {tokenizer}; this boostext {boostext.__version__} has "
            f"tokenizer {TOKENIZER_VERSION}. Upgrade boostext"
        )


def model_from(record: Plain, more: tuple[str, ...]) -> Model:
    """Return the model without its rules. more: additional names of the written form."""
    only(record, (*_NAMES, *_LATER, *more), "the model")
    data, text, boosting = _settings(take(record, "settings", dict))
    return Model(
        labels=texts(record, "labels"),
        multilabel=take(record, "multilabel", bool),
        rules=(),
        data=data,
        text=text,
        boosting=boosting,
        provenance=dataclass_from(Provenance, take(record, "provenance", dict), "provenance"),
        thresholds=numbers(record, "thresholds"),
        code=texts(record, "code") if "code" in record else (),
        calibration=_curves(record) if "calibration" in record else (),
        round_sizes=_sizes(record) if "round_sizes" in record else (),
        prior=prior_from(take(record, "prior", dict)) if "prior" in record else None,
    )


def _sizes(record: Plain) -> tuple[int, ...]:
    sizes = take(record, "round_sizes", list)
    if not all(type(size) is int for size in sizes):
        raise ModelError("round_sizes is not a list of whole numbers")
    return tuple(sizes)


def _settings(record: Plain) -> tuple[DataSettings, TextSettings, BoostingSettings]:
    only(record, ("data", "text", "boosting"), "settings")
    try:
        return (
            DataSettings.from_dict(take(record, "data", dict)),
            TextSettings.from_dict(take(record, "text", dict)),
            BoostingSettings.from_dict(take(record, "boosting", dict)),
        )
    except SettingsError as error:
        raise ModelError(f"its settings are not those of this boostext: {error}") from None
    except (RecursionError, OverflowError):  # raised when a token pattern is compiled
        raise ModelError("its settings hold a token pattern that cannot be used") from None


# Calibration ---------------------------------------------------------------------------------


def curve_to_plain(curve: Curve) -> Plain:
    """Return the curve as written in a model, where probabilities are called chances."""
    if isinstance(curve, Sigmoid):
        return {"kind": "sigmoid", **dataclasses.asdict(curve)}
    chances = list(curve.probabilities)
    scores = list(curve.scores)
    return {"kind": "isotonic", "scores": scores, "chances": chances, "power": curve.power}


def _curves(record: Plain) -> tuple[Curve, ...]:
    return tuple(map(curve_from, objects(record, "calibration")))


def curve_from(record: Plain) -> Curve:
    """The inverse of `curve_to_plain`."""
    kind = take(record, "kind", str)
    if kind == "sigmoid":
        only(record, ("kind", "slope", "intercept", "power"), "a sigmoid curve")
        return Sigmoid(*(number(record, name) for name in ("slope", "intercept", "power")))
    if kind == "isotonic":
        only(record, ("kind", "scores", "chances", "power"), "an isotonic curve")
        scores, probabilities = numbers(record, "scores"), numbers(record, "chances")
        return Isotonic(scores, probabilities, number(record, "power"))
    raise ModelError(f"a calibration curve is of kind {kind[:40]!r}; expected sigmoid, isotonic")


# Conditions ----------------------------------------------------------------------------------


def condition_to_plain(condition: Condition) -> Plain:
    """Return {"kind": "occurs", ...} with the fields of the condition; a gap in a term is null."""
    kind = next(name for name, (cls, _) in CONDITIONS.items() if isinstance(condition, cls))
    record = {f.name: getattr(condition, f.name) for f in dataclasses.fields(condition)}
    return {"kind": kind, **{k: list(v) if isinstance(v, tuple) else v for k, v in record.items()}}


def conditions_from(record: Plain) -> tuple[Condition, ...]:
    """Read the table of conditions."""
    return tuple(condition_from(plain) for plain in objects(record, "conditions"))


def condition_from(record: Plain) -> Condition:
    """The inverse of `condition_to_plain`."""
    kind = take(record, "kind", str)
    if kind not in CONDITIONS:
        raise ModelError(f"a condition is of kind {kind[:40]!r}; expected {', '.join(CONDITIONS)}")
    only(record, _CONDITION_NAMES[kind], "a condition")
    return CONDITIONS[kind][1](record)


def _occurs(record: Plain) -> Occurs:
    term = take(record, "term", list)
    sound = all(token is None or (type(token) is str and token) for token in term)
    if not (term and sound and term[0] and term[-1]):
        raise ModelError("a term is not a list of texts, with null for gaps between them")
    at_least = take(record, "at_least", int)
    if not 1 <= at_least < 2**31:
        raise ModelError(f"a term is to occur at least {at_least} times; expected 1 or more")
    return Occurs(take(record, "field", str), tuple(term), at_least)


def _equals(record: Plain) -> Equals:
    return Equals(take(record, "column", str), take(record, "value", str))


def _at_least(record: Plain) -> AtLeast:
    return AtLeast(take(record, "column", str), number(record, "threshold"))


def _always(record: Plain) -> Always:
    return Always()


CONDITIONS: Mapping[str, tuple[type[Any], Callable[[Plain], Condition]]] = {
    "occurs": (Occurs, _occurs),
    "equals": (Equals, _equals),
    "at_least": (AtLeast, _at_least),
    "always": (Always, _always),
}
"""For each kind, the class of the condition and the function that reads its remaining names."""
_CONDITION_NAMES = {
    kind: ("kind", *(f.name for f in dataclasses.fields(cls)))
    for kind, (cls, _) in CONDITIONS.items()
}
