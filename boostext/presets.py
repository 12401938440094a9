"""Default settings that depend on the data, presets, and the settings that tuning tries.

Without a preset, `by_facts` chooses settings from facts about the data. A preset is a set of
settings for one purpose; it may also define a search, whose trials are trained on a part of the
training data and evaluated on the rest. Settings given by the user take precedence over all of
these and are not searched.
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
BOTH: Choices = {**PAIRS, "letters": 5}
GAPS: Choices = {**WORDS, "ngrams": (1, 3), "expert": "sparse", "punctuation": True}
LETTERS: Choices = {**WORDS, "analyzer": "char", "ngrams": (1, 5)}

# Rules ---------------------------------------------------------------------------------------

SPREAD: Choices = {
    "abstain": True,
    "prior_rule": True,
    "rarity": 1.0,
    "reuse": 0.5,
    "shrinkage": 0.5,
}
SHARPER: Choices = {**SPREAD, "smoothing": "0.2/m"}
PER_LABEL: Choices = {**SPREAD, "algorithm": "mp"}
STEADY: Choices = {**PER_LABEL, "rarity": 0.5, "smoothing": "10/m"}
COMMON: Choices = {**SHARPER, "rarity": 0.5}
RAREST: Choices = {**SPREAD, "rarity": 1.5}
SLOWER: Choices = {"shrinkage": 0.25}
RARER: Choices = {**RAREST, **SLOWER}
LEVEL: Choices = {**SPREAD, "rarity": 0.0}
FINISH: Choices = {"finish": 0.3}


@dataclass(frozen=True)
class Search:
    """The settings to try, in order, and for how long.

    trials: settings by name. several: the trials for documents with several labels, or none if they
    are the same. around: changes of the settings that the data suggests, each of which is a trial
    before these. steps: the numbers of steps after which at most half of the trials continue, where
    ties keep their order; the last number is the maximum. A step is one rule with full votes,
    so with shrinkage 0.25 it takes four rules.
    """

    trials: tuple[Choices, ...]
    steps: tuple[int, ...]
    several: tuple[Choices, ...] = ()
    around: tuple[Choices, ...] = ()

    def trials_for(self, multilabel: bool, suggested: Choices | None = None) -> tuple[Choices, ...]:
        """All trials. suggested: the settings that the data suggests, the first trial if given."""
        others = self.several if multilabel and self.several else self.trials
        first = () if suggested is None else (suggested,)
        return (*first, *({**(suggested or {}), **change} for change in self.around), *others)


@dataclass(frozen=True)
class Preset:
    """A preset. help: its purpose. settings: fixed. search: None if no setting is searched."""

    help: str
    settings: Choices = field(default_factory=dict)
    search: Search | None = None


EVEN: Choices = {"shrinkage": 0.5, "reuse": 1.0}
BOTH_SIDES: Choices = {"abstain": False}
READABLE = Preset(
    "a model of at most 300 terms (or --terms) for people to read",
    {"terms": 300, "min_df": 2, "rarity": 0.0},
    Search(
        ({}, {"shrinkage": 0.5}, PAIRS),
        (300, 1500),
        around=(
            EVEN,
            {**EVEN, **BOTH_SIDES},
            {**EVEN, "ngrams": (1, 1), "punctuation": False},
            {**BOTH_SIDES, "smoothing": "1/m"},
            {"shrinkage": 0.5},
        ),
    ),
)
STEPS = (300, 1200, 3000, 6000)
ACCURATE = Preset(
    "as few errors as possible, with thousands of rules",
    {"min_df": 2},
    Search(
        (
            {**WORDS, **SPREAD},
            {**WORDS, **SHARPER},
            {**WORDS, **RARER},
            {**PAIRS, **SPREAD},
            {**PAIRS, **SHARPER},
            {**PAIRS, **RARER},
            {**COUNTED, **SPREAD},
            {**COUNTED, **SHARPER, **SLOWER},
            {**COUNTED_PAIRS, **SPREAD},
            {**LETTERS, **SPREAD},
            {**LETTERS, **LEVEL},
            {**GAPS, **COMMON},
            {**BOTH, **SHARPER, **SLOWER, **FINISH},
            {**PAIRS, **SHARPER, **SLOWER, **FINISH},
            {**COUNTED_PAIRS, **RARER, **FINISH, "updates": 40},
        ),
        STEPS,
        (
            {**WORDS, **PER_LABEL},
            {**PAIRS, **PER_LABEL},
            {**LETTERS, **PER_LABEL},
            {**WORDS, **STEADY},
            {**COUNTED, **STEADY},
            {**WORDS, **SHARPER},
            {**PAIRS, **SHARPER},
        ),
    ),
)
PAPER = Preset("BoosTexter's learner: single words, 1,000 rules that vote on both sides")

PRESETS: Mapping[str, Preset] = {"paper": PAPER, "readable": READABLE, "accurate": ACCURATE}

# Without options -----------------------------------------------------------------------------

OF_RULES = frozenset(
    [
        "algorithm",
        "abstain",
        "prior_rule",
        "rarity",
        "reuse",
        "shrinkage",
        "smoothing",
        "rounds",
        "finish",
    ]
)
"""Settings of how rules are learned."""
OPEN = OF_RULES | {
    "analyzer",
    "ngrams",
    "letters",
    "punctuation",
    "counts",
    "min_df",
    "threshold",
    "bins",
    "updates",
}
"""Settings that are chosen from the data unless the user gives them."""
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
        "updates",
    ]
)
"""If the user changes one of these or names an algorithm, they want that learner as published, so
no setting is chosen from the data.
"""


def open_settings(
    preset: str | None, given: Collection[str], changed: Collection[str]
) -> frozenset[str]:
    """Return the settings that may be chosen from the data.

    preset: its name if the user gave one, or None. given: settings that the user gave. changed:
    those of them that differ from the default.
    The search of a preset starts from the settings that would be chosen without it.
    """
    chosen, named = set(given), PRESETS.get(preset or "")
    if "algorithm" in chosen or OWN_LEARNER & set(changed) or (named and not named.search):
        return frozenset()
    decided = {"threshold"} if "tune_thresholds" in changed else set()
    return OPEN - chosen - decided - (set(named.settings) if named else set())


@dataclass(frozen=True)
class Facts:
    """Facts about training data, or a part of it, that are cheap to compute.

    documents, labels: their numbers. several: whether documents may have several labels.
    characters: the mean length of a text. unspaced: the proportion of letters in scripts that do
    not separate words with spaces. complete: whether these are facts about all of the data, and not
    only about the beginning of data that are larger. knowledge: whether there is prior knowledge.
    unlabelled: the number of documents without labels that are used with it. words: whether other
    settings need words as terms. stumps: whether other settings need rules that are learned one by
    one.
    """

    documents: int
    labels: int
    several: bool
    characters: float
    unspaced: float
    complete: bool = True
    knowledge: bool = False
    unlabelled: int = 0
    words: bool = False
    stumps: bool = False

    @property
    def few(self) -> bool:
        """Whether labels have few documents."""
        return self.documents < FEW_EACH * self.labels

    @property
    def size(self) -> float:
        """The number of characters of all texts."""
        return self.documents * self.characters

    def work(self, letters: bool) -> float:
        """Characters times labels. If terms consist of letters, each letter begins several."""
        return self.size * self.labels * (LETTERS_EACH if letters else 1)


NUMBERS: Choices = {"bins": 255}
"""Settings for data with attributes, which limit the number of thresholds per column."""


def by_facts(facts: Facts) -> Choices:
    """Return the settings for such data; docs/accuracy.md gives the reasons."""
    return {**_terms(facts), **_rules(facts)}


MANY = 1000
"""Number of documents below which terms that occur in a single document are also used, and pairs of
words only if letters are terms as well, or labels have enough documents.
"""
LONG = 500
"""Length of texts in characters from which the number of occurrences of a word is useful."""
MEDIUM = 300
"""The same length for words and pairs of words, if a last round updates the votes of all terms."""
LETTERS_EACH = 5
"""Maximum number of letters of a term in scripts without spaces; each letter begins as many."""
FEWEST = 30
"""Number of documents below which letters are not chosen: by chance, they tell labels apart."""
FEW_EACH = 120
"""Documents per label below which words are too rare to distinguish labels, and pairs of words even
more so.
"""

LEAST_RULES_EACH = 50
"""Rules of shrinkage 0.5 for each label if labels have few documents."""
RULES_EACH, LETTER_RULES_EACH = 100, 300
"""Rules of shrinkage 0.5 per label that short texts may have beyond the usual maximum. With many
labels, each of them is the subject of few rules. The second value is for terms of letters, which
say less than words.
"""
MOST_RULES, MOST_LONG_RULES, MOST_LETTER_RULES = 8000, 12_000, 16_000
"""The maximum number of these rules for any number of labels: for words, for words of long texts
unless there is too much data for small steps, and for letters of short texts.
"""
MANY_LABELS = 100
"""Number of labels, if documents have several, from which each label needs rules of its own."""
SEVERAL_LABELS = 20
"""Number of labels from which a last round on texts without spaces has more updates."""
MOST_WORK, MOST_LETTER_WORK = 1_000_000_000, 150_000_000
"""Number of characters times labels up to which steps are half as large and rules twice as many.
Training takes about twice the time with them, which is too long for more data. Where letters are
terms, characters count five times, and the second value is that up to which labels have more rules.
"""
MOST_BOTH_WORK, MOST_BOTH_SIZE = 500_000_000, 5_000_000
"""The same number, and that of characters alone, up to which n-grams of letters are terms besides
words.
"""
MOST_FINISH_WORK, MOST_FINISH_SIZE = 2_000_000_000, 1_000_000
"""The same number up to which a last round updates the votes of all terms, and the number of
characters if n-grams of letters are among them, which takes 400 bytes for each character.
"""
MOST_SMALL_WORK, BOTH_RULES = 50_000_000, 4000
"""The same number, above which words and letters have at most so many rules of shrinkage 0.25. A
rule on letters concerns more documents than one on words, so that fewer are needed.
"""


def _both(facts: Facts) -> bool:
    """Whether words and n-grams of letters are the terms."""
    words = facts.words or facts.several or facts.knowledge or facts.characters >= LONG
    small = facts.work(letters=True) <= MOST_BOTH_WORK and facts.size <= MOST_BOTH_SIZE
    return (
        facts.complete
        and small
        and not words
        and facts.unspaced <= 0.5
        and facts.documents >= FEWEST
    )


def _finish(facts: Facts) -> Choices:
    """The settings of a last round that updates the votes of all terms; none if there is none."""
    spaced, long = facts.unspaced <= 0.5, facts.characters >= LONG
    letters = _both(facts) or not spaced
    able = facts.complete and not facts.stumps
    if facts.several:  # in short texts, few terms speak for each label without knowledge
        able = able and spaced and (long or facts.knowledge) and facts.labels < MANY_LABELS
    work = facts.work(letters)
    if not able or work > MOST_FINISH_WORK or (letters and facts.size > MOST_FINISH_SIZE):
        return {}
    if not spaced:
        return {**FINISH, "updates": 20 if facts.labels >= SEVERAL_LABELS else 10}
    if long and work <= MOST_BOTH_WORK:
        return {**FINISH, "updates": 80}
    return {**FINISH, "updates": 10 if letters and work > MOST_LETTER_WORK else 20}


def _terms(facts: Facts) -> Choices:
    least = {"min_df": 2 if facts.documents + facts.unlabelled >= MANY else 1}
    if facts.unspaced > 0.5:
        return {"analyzer": "char", "ngrams": (1, LETTERS_EACH), **least}
    if _both(facts):
        return {**BOTH, **least}
    if facts.characters >= LONG:
        return {**COUNTED, **least}
    if facts.documents >= MANY and not facts.knowledge and _finish(facts):
        return {**(COUNTED_PAIRS if facts.characters >= MEDIUM else PAIRS), **least}
    return {**(WORDS if facts.few else PAIRS), **least}


def _rules(facts: Facts) -> Choices:
    found: Choices = {"threshold": 0.0} if facts.several else {}
    found = {**found, **_finish(facts)}
    if facts.several and facts.labels >= MANY_LABELS and not facts.knowledge:
        return {**PER_LABEL, "shrinkage": 1.0, "rounds": 16, **found}
    letters, long = facts.unspaced > 0.5, facts.characters >= LONG
    both = _both(facts)
    rules = SHARPER if facts.few or long or both else COMMON
    if letters:
        rules = SHARPER if "finish" in found else COMMON
    elif long and not facts.several:
        rules = {**RAREST, **({"smoothing": SHARPER["smoothing"]} if facts.few else {})}
    if both and not (facts.few and facts.work(letters=True) <= MOST_LETTER_WORK):
        most = MOST_RULES if facts.work(letters=True) <= MOST_SMALL_WORK else BOTH_RULES
        return {**rules, **SLOWER, "rounds": min(max(facts.documents, 1000), most), **found}
    slow = facts.complete and not facts.several and facts.work(letters or both) <= MOST_WORK
    if long:
        most = MOST_LONG_RULES if slow else MOST_RULES
    elif letters and slow and facts.work(letters) <= MOST_LETTER_WORK:
        most = min(max(LETTER_RULES_EACH * facts.labels, 4000), MOST_LETTER_RULES)
    else:
        most = min(max(RULES_EACH * facts.labels, 4000), MOST_RULES)
    rounds = min(max(facts.documents, _least_rules(facts)), 2000 if facts.several else most)
    if slow:
        return {**rules, **SLOWER, "rounds": 2 * rounds, **found}
    return {**rules, "rounds": rounds, **found}


def _least_rules(facts: Facts) -> int:
    """The number of rules of shrinkage 0.5 that even little data has."""
    if facts.several or not facts.few:
        return 1000
    if facts.characters >= LONG:
        return 2000
    return min(max(LEAST_RULES_EACH * facts.labels, 1000), 4000)


# Tuning --------------------------------------------------------------------------------------

AXES: Mapping[str, Sequence[Choices]] = {
    "terms": (PAIRS, COUNTED_PAIRS, WORDS, COUNTED, LETTERS, BOTH, GAPS, TRIPLES),
    "votes": (
        {"abstain": True, "prior_rule": True},
        {"abstain": False, "prior_rule": False},
    ),
    "rarity": tuple({"rarity": value} for value in (1.0, 1.5, 0.5, 0.0, 2.0)),
    "reuse": tuple({"reuse": value} for value in (0.5, 0.3, 0.7, 1.0)),
    "shrinkage": tuple({"shrinkage": value} for value in (0.5, 0.25, 1.0)),
    "smoothing": tuple({"smoothing": value} for value in ("1/m", "0.2/m", "10/m", "bt00")),
}
"""The grid of `boostext tune`; the values that are most likely to be best come first."""

BRACKET = 12
"""Number of trials of the grid that compete with each other."""


def grid(seed: int, multilabel: bool) -> Iterator[Choices]:
    """Yield the whole grid: first the trials of `accurate`, then all others in random order.

    multilabel: also try one rule per label.
    """
    if ACCURATE.search:
        yield from ACCURATE.search.trials_for(multilabel)
    kinds: Sequence[Choices] = ({}, {"algorithm": "mp"}) if multilabel else ({},)
    points = list(product(kinds, *AXES.values()))
    Random(seed).shuffle(points)
    for point in points:
        yield {name: value for choice in point for name, value in choice.items()}
