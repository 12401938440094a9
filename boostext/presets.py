"""Presets and what tuning tries: tables of settings by name, and no more than that.

A preset is settings that stand for one wish; where they depend on the data it also names a search,
whose trials are learned on part of the training data and measured on the rest. What a person says
wins over both, and is not searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

Choices = Mapping[str, Any]
"""Settings by the names of their fields."""

# Terms ---------------------------------------------------------------------------------------

WORDS: Choices = {"min_df": 2}
COUNTED: Choices = {**WORDS, "counts": (1, 2, 3, 5, 8)}
PAIRS: Choices = {**WORDS, "ngrams": (1, 2), "punctuation": True}
COUNTED_PAIRS: Choices = {**PAIRS, "counts": (1, 2, 3, 5, 8)}
TRIPLES: Choices = {**WORDS, "ngrams": (1, 3)}
GAPS: Choices = {**WORDS, "ngrams": (1, 3), "expert": "sparse", "punctuation": True}
LETTERS: Choices = {**WORDS, "analyzer": "char", "ngrams": (1, 5)}

# Rules ---------------------------------------------------------------------------------------

SPREAD: Choices = {
    "abstain": True, "prior_rule": True, "rarity": 1.0, "reuse": 0.5, "shrinkage": 0.5,
}  # fmt: skip
SHARPER: Choices = {**SPREAD, "smoothing": "0.2/m"}
PER_LABEL: Choices = {**SPREAD, "algorithm": "mp"}
STEADY: Choices = {**PER_LABEL, "rarity": 0.5, "smoothing": "10/m"}
RARER: Choices = {**SPREAD, "rarity": 1.5, "shrinkage": 0.25}
COMMON: Choices = {**SHARPER, "rarity": 0.5}
LEVEL: Choices = {**SPREAD, "rarity": 0.0}


@dataclass(frozen=True)
class Search:
    """What to try, in order, and for how long.

    trials: settings by name; several: those where documents may have several labels, or none: then
    the same. steps: steps after which the better third goes on (those of equal
    values in order), the last being the most; a step is a rule that votes in full, so that with
    shrinkage 0.25 four rules make one.
    """

    trials: tuple[Choices, ...]
    steps: tuple[int, ...]
    several: tuple[Choices, ...] = ()

    def trials_for(self, multilabel: bool) -> tuple[Choices, ...]:
        return self.several if multilabel and self.several else self.trials


@dataclass(frozen=True)
class Preset:
    """help: what it is for. settings: fixed. search: None where nothing depends on the data."""

    help: str
    settings: Choices = field(default_factory=dict)
    search: Search | None = None


READABLE = Preset(
    "few terms: 300, unless --terms says otherwise",
    {"terms": 300, "min_df": 2},
    Search(
        ({}, {"abstain": True, "prior_rule": True}, {"shrinkage": 0.5}, {"rarity": 0.5}, PAIRS),
        (300, 1500),
    ),
)
ACCURATE = Preset(
    "as accurate as it gets, with thousands of rules",
    {"min_df": 2},
    Search(
        (
            {**WORDS, **SPREAD}, {**WORDS, **SHARPER}, {**WORDS, **RARER},
            {**PAIRS, **SPREAD}, {**PAIRS, **SHARPER}, {**PAIRS, **RARER},
            {**COUNTED, **SPREAD}, {**COUNTED, **RARER}, {**COUNTED_PAIRS, **SPREAD},
            {**LETTERS, **SPREAD}, {**LETTERS, **LEVEL}, {**GAPS, **COMMON},
        ),
        (300, 1200, 6000),
        (
            {**WORDS, **PER_LABEL}, {**PAIRS, **PER_LABEL}, {**LETTERS, **PER_LABEL},
            {**WORDS, **STEADY}, {**COUNTED, **STEADY},
            {**WORDS, **SHARPER}, {**PAIRS, **SHARPER},
        ),
    ),
)  # fmt: skip
FAST = Preset(
    "a good model in seconds, by settings that do not depend on the data",
    {**WORDS, **SPREAD, "rounds": 2000},
)

PRESETS: Mapping[str, Preset] = {"readable": READABLE, "accurate": ACCURATE, "fast": FAST}

# Tuning --------------------------------------------------------------------------------------

AXES: Mapping[str, Sequence[Choices]] = {
    "terms": (PAIRS, COUNTED_PAIRS, WORDS, COUNTED, LETTERS, GAPS, TRIPLES),
    "votes": (
        {"abstain": True, "prior_rule": True}, {"abstain": False, "prior_rule": False},
    ),
    "rarity": tuple({"rarity": value} for value in (1.0, 1.5, 0.5, 0.0, 2.0)),
    "reuse": tuple({"reuse": value} for value in (0.5, 0.3, 0.7, 1.0)),
    "shrinkage": tuple({"shrinkage": value} for value in (0.5, 0.25, 1.0)),
    "smoothing": tuple({"smoothing": value} for value in ("1/m", "0.2/m", "10/m", "bt00")),
}  # fmt: skip
"""The grid of `boostext tune`; its first values are the likeliest."""

BRACKET = 12
"""Trials of the grid that compete with each other."""
STEPS = (300, 1200, 6000)


def grid(seed: int, multilabel: bool) -> Iterator[Choices]:
    """The whole grid, the likeliest first: those of `accurate`, then all others in random order.

    multilabel: with one rule a label, too.
    """
    if ACCURATE.search:
        yield from ACCURATE.search.trials_for(multilabel)
    kinds: Sequence[Choices] = ({}, {"algorithm": "mp"}) if multilabel else ({},)
    points = list(product(kinds, *AXES.values()))
    Random(seed).shuffle(points)
    for point in points:
        yield {name: value for choice in point for name, value in choice.items()}
