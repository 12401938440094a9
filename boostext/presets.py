"""Settings without options, presets, and what tuning tries.

Without a preset, settings follow from facts of the data by `by_facts`. A preset is settings that
stand for one wish; it may also name a search, whose trials are learned on part of the training data
and measured on the rest. What a person says wins over all of these, and is not searched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
    "a model of at most 300 terms (or --terms) for people to read",
    {"terms": 300, "min_df": 2},
    Search(
        ({}, {"abstain": True, "prior_rule": True}, {"shrinkage": 0.5}, {"rarity": 0.5}, PAIRS),
        (300, 1500),
    ),
)
ACCURATE = Preset(
    "as few errors as possible, with thousands of rules",
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
PAPER = Preset("BoosTexter's learner: single words, 1,000 rules that vote on both sides")

PRESETS: Mapping[str, Preset] = {"paper": PAPER, "readable": READABLE, "accurate": ACCURATE}

# Without options -----------------------------------------------------------------------------

OPEN = frozenset(
    [
        "ngrams",
        "punctuation",
        "counts",
        "min_df",
        "algorithm",
        "abstain",
        "prior_rule",
        "rarity",
        "reuse",
        "shrinkage",
        "smoothing",
        "rounds",
        "threshold",
        "bins",
    ]
)
"""Settings that follow from the data unless a person says them."""
OWN_LEARNER = frozenset(
    [
        "learner",
        "index",
        "resample",
        "votes",
        "alpha",
        "coloring",
        "coding",
        "code_length",
        "code",
        "decoding",
        "max_literals",
        "grow_fraction",
        "default_rule",
        "rules_for",
        "tree_depth",
        "rules_per_round",
        "knowledge",
    ]
)
"""Who changes one of these, or names an algorithm, wants that learner as its paper has it: then
nothing follows from the data.
"""


def open_settings(
    preset: str | None, given: Collection[str], changed: Collection[str]
) -> frozenset[str]:
    """What the data may decide. preset: named by a person, or None. given: settings that a person
    said; changed: those of them that are not the default.

    The search of a preset begins with what the data would decide without it.
    """
    said, named = set(given), PRESETS.get(preset or "")
    if "algorithm" in said or OWN_LEARNER & set(changed) or (named and not named.search):
        return frozenset()
    decided = {"threshold"} if "tune_thresholds" in changed else set()
    return OPEN - said - decided - (set(named.settings) if named else set())


@dataclass(frozen=True)
class Facts:
    """What is cheaply known of training data, or of as much of it as was looked at.

    documents, labels: how many. several: whether a document may have several labels. characters:
    mean length of a text. unspaced: share of the letters that are of scripts without spaces.
    """

    documents: int
    labels: int
    several: bool
    characters: float
    unspaced: float


NUMBERS: Choices = {"bins": 255}
"""What goes with attributes: no more thresholds for a number than tell documents apart."""


def by_facts(facts: Facts) -> Choices:
    """The settings that go with such data; docs/accuracy.md tells why."""
    return {**_terms(facts), **_rules(facts)}


MANY = 1000
"""Documents, below which terms of a single one are learned from, too."""
LONG = 500
"""Characters of a text from which on it matters how often a word occurs in it."""
FEW_EACH = 120
"""Documents for each label, below which pairs of words are too rare to tell labels apart."""


MANY_LABELS = 100
"""Labels of documents that have several, from which on each label needs rules of its own."""


def _terms(facts: Facts) -> Choices:
    least = {"min_df": 2 if facts.documents >= MANY else 1}
    if facts.unspaced > 0.5:
        return {"ngrams": (1, 5), **least}
    if facts.characters >= LONG:
        return {**COUNTED, **least}
    few = facts.documents < FEW_EACH * facts.labels
    return {**(WORDS if few else PAIRS), **least}


def _rules(facts: Facts) -> Choices:
    found: Choices = {"threshold": 0.0} if facts.several else {}
    if facts.several and facts.labels >= MANY_LABELS:
        return {**PER_LABEL, "shrinkage": 1.0, "rounds": 16, **found}
    most = 8000 if facts.characters >= LONG else 4000
    rounds = min(max(facts.documents, 1000), 2000 if facts.several else most)
    if facts.unspaced > 0.5:
        return {**LEVEL, "rounds": rounds, **found}
    pairs = "ngrams" in _terms(facts)
    return {**(COMMON if pairs else SHARPER), "rounds": rounds, **found}


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
