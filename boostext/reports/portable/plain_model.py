"""The parts of a model needed for prediction, as plain data that can be stored as JSON.

These are the merged votes, the conditions and the text settings. Predictors add the votes in the
same order as `boostext.model.merged`.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boostext.arrays import Float64
from boostext.errors import SettingsError
from boostext.features.conditions import Always, AtLeast, Condition, Equals, Occurs
from boostext.features.lookup import parts
from boostext.features.tokenizer import Tokenizer
from boostext.features.unicode_classes import RANGES
from boostext.knowledge.knowledge import When
from boostext.knowledge.probabilities import LEAST, evidence, label_shares, least_probability
from boostext.knowledge.terms import Firing, of_any_length
from boostext.model.calibration import Curve, Sigmoid
from boostext.model.merged import Guarded, Merged, merge_rules
from boostext.model.model import Model
from boostext.model.predict import link_of
from boostext.model.prior import Prior, columns_of
from boostext.settings import TextSettings

Plain = dict[str, Any]


@dataclass(frozen=True)
class Packed:
    """A model packed into text.

    data: gzip-compressed JSON, encoded in base64. kept, total: number of conditions included, and
    of those in the model.
    """

    data: str
    kept: int
    total: int


def packed(model: Model, most_bytes: int, unicode_classes: bool) -> Packed:
    """Pack a model into at most `most_bytes` characters.

    If the model is larger, only the conditions with the largest votes are kept, at least one.
    unicode_classes: whether to include the table of character classes, for predictors that are not
    written in Python.
    """
    merged = merge_rules(model)
    total = kept = len(merged.conditions)
    while True:
        plain = plain_model(model, kept / max(total, 1), merged)
        if unicode_classes:
            plain["classes"] = {name: " ".join(text.split()) for name, text in RANGES.items()}
        data = _pack(plain)
        if len(data) <= most_bytes or kept <= 1:
            return Packed(data, kept, total)
        kept = max(1, min(int(kept * most_bytes / len(data) * 0.95), kept - 1))


def _pack(plain: Plain) -> str:
    text = json.dumps(plain, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("ascii"), 6, mtime=0)).decode("ascii")


def strongest(merged: Merged, count: int) -> Merged:
    """Return merged rules with only the `count` conditions that have the largest absolute votes.

    The other conditions are treated as absent from every document. A rule with a precondition is
    kept if all its conditions are; the condition that holds for every document is always kept.
    """
    if count >= len(merged.conditions):
        return merged
    weight = np.abs(merged.yes_delta).sum(axis=1)
    for rule in merged.guarded:
        weight[rule.place] += float(np.abs(rule.votes).sum())
        for place, _ in rule.literals:
            weight[place] += float(np.abs(rule.votes).sum())
    weight[[isinstance(condition, Always) for condition in merged.conditions]] = np.inf
    chosen = np.sort(np.argsort(-weight, kind="stable")[:count])
    number = {int(old): new for new, old in enumerate(chosen)}
    guarded = tuple(
        Guarded(
            tuple((number[p], block) for p, block in rule.literals), number[rule.place], rule.votes
        )
        for rule in merged.guarded
        if {rule.place, *(place for place, _ in rule.literals)} <= number.keys()
    )
    unknown = None if merged.unknown_delta is None else merged.unknown_delta[chosen]
    conditions = tuple(merged.conditions[c] for c in chosen)
    return Merged(conditions, merged.base, merged.yes_delta[chosen], unknown, guarded)


def plain_model(model: Model, share: float, merged: Merged | None = None) -> Plain:
    """Return the data of a model under the names that the predictors read; see `standalone.py`.

    share: the share of the conditions to keep, those with the largest votes. merged: the merged
    rules of the model, if they are known.
    """
    merged = merged or merge_rules(model)
    merged = strongest(merged, max(1, round(share * len(merged.conditions))))
    link = link_of(model)
    return {
        "labels": list(model.labels),
        "multilabel": model.multilabel,
        "thresholds": list(model.thresholds),
        "link": link,
        "curves": [_curve(curve) for curve in model.calibration],
        "code": list(model.code),
        "decoding": model.boosting.decoding,
        "unknown_categories": model.boosting.unknown_categories,
        "fields": _fields(model.text, model.data.text),
        "conditions": _conditions(merged.conditions, model.text),
        "base": merged.base.tolist(),
        "yes": _rows(merged.yes_delta),
        "unknown": None if merged.unknown_delta is None else _rows(merged.unknown_delta),
        "guarded": [
            [[list(literal) for literal in rule.literals], rule.place, rule.votes.tolist()]
            for rule in merged.guarded
        ],
        "prior": _plain_prior(model, model.prior, share) if model.prior else None,
    }


def _plain_prior(model: Model, prior: Prior, share: float) -> Plain | None:
    """Return what prior knowledge needs to compute f_0, or None if it only restricts terms.

    conditions: those of the terms of all rules. rules: for each rule, the terms of `when` and of
    `unless` (any, all and none of them), each as the places of its conditions. evidence: (r, k).
    start: (k,), the probabilities before any rule, unless `old`, an older model, provides them; its
    labels have the places `columns`, or -1. scale: the factor by which f_0 is multiplied.
    """
    if not prior.speaks:
        return None
    rules, labels = prior.knowledge.rules, model.labels
    firing = Firing(rules, model.text, model.data.text)
    settings = of_any_length(model.text)
    number = {condition: place for place, condition in enumerate(firing.lookup.conditions)}

    def places(when: When | None) -> list[list[list[int]]]:
        found = firing.conditions
        return [[[number[c] for c in found[term]] for term in terms] for terms in when or ()]

    shares = label_shares(prior.knowledge, labels)
    found_by = {
        "fields": _fields(settings, model.data.text),
        "unknown_categories": False,
        "conditions": _conditions(firing.lookup.conditions, settings),
    }
    return {
        "found_by": found_by,
        "rules": [[places(rule.when), places(rule.unless)] for rule in rules],
        "evidence": evidence(rules, labels, shares, model.multilabel).tolist(),
        "start": shares.tolist(),
        "least": [LEAST, least_probability(len(labels))],
        "old": None if prior.old is None else plain_model(prior.old, share),
        "columns": columns_of(labels, prior.old.labels if prior.old else ()),
        "scale": prior.scale,
    }


def _rows(delta: Float64) -> list[list[float]]:
    """Convert votes to lists in which whole numbers are integers, to shorten the JSON text."""
    return [[int(v) if v.is_integer() else v for v in row] for row in delta.tolist()]


def _fields(text: TextSettings, text_fields: Iterable[str]) -> list[Plain]:
    found = text.term_fields(text_fields)
    return [_field(name, field, text.of_field(name)) for name, field in found.items()]


def _field(name: str, text_field: str, settings: TextSettings) -> Plain:
    return {
        "name": name,
        "text": text_field,
        "analyzer": settings.analyzer,
        "ngrams": list(settings.ngrams),
        "expert": settings.expert,
        "lowercase": settings.lowercase,
        "punctuation": settings.punctuation,
        "token_pattern": settings.token_pattern,
        "stop_words": sorted(Tokenizer(settings).stop_words),
    }


def _conditions(conditions: Sequence[Condition], text: TextSettings) -> list[list[Any]]:
    fields = dict.fromkeys(c.field for c in conditions if isinstance(c, Occurs))
    own = {name: text.of_field(name) for name in fields}
    return [_condition(condition, own) for condition in conditions]


def _condition(condition: Condition, own: Mapping[str, TextSettings]) -> list[Any]:
    """Return the condition as a list. own: the settings of each field of terms."""
    match condition:
        case Occurs(field, term, at_least):
            tokens = parts(term, own[field])
            return ["term", field, list(tokens), at_least]
        case Equals(column, value):
            return ["category", column, value]
        case AtLeast(column, threshold):
            return ["number", column, threshold]
        case Always():
            return ["always"]


def _curve(curve: Curve) -> Plain:
    if isinstance(curve, Sigmoid):
        return {"slope": curve.slope, "intercept": curve.intercept, "power": curve.power}
    return {
        "scores": list(curve.scores),
        "probabilities": list(curve.probabilities),
        "power": curve.power,
    }


def check_for_javascript(model: Model) -> None:
    """Raise SettingsError if a token pattern prevents tokenization in JavaScript."""
    for name in model.data.text:
        if pattern := model.text.of_field(name).token_pattern:
            raise SettingsError(
                f"tokens of {name!r} are what the pattern {pattern!r} matches, in Python's "
                "notation, which JavaScript does not read; export it --to python"
            )
