"""Choose the number of rounds on validation data, with scores updated after each rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from boostext.arrays import Int32, Scores
from boostext.boosting.reach import Tally
from boostext.boosting.rules import Rule
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Attribute, Document
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import Monitor
from boostext.features.attributes import category, number
from boostext.features.conditions import (
    Always,
    AtLeast,
    Condition,
    Equals,
    Occurs,
)
from boostext.features.extract import TermCounter
from boostext.features.terms import Terms
from boostext.settings import TextSettings

EVERY_ROUND_UP_TO = 100
THEN_EVERY = 10
NONE = np.zeros(0, np.int32)


def is_measured(number: int) -> bool:
    """Whether to measure after this round: after each of the first 100, then every 10th."""
    return number <= EVERY_ROUND_UP_TO or number % THEN_EVERY == 0


class TermFinder:
    """Finds the documents that contain a term at least a number of times, by its words.

    It takes 16 bytes for each term: terms are found by hashes, and then their words are compared.
    """

    def __init__(self, terms: Terms, counts: tuple[int, ...]) -> None:
        self._terms, self._counts = terms, counts
        spelled = (hash(terms.spell(t)) for t in range(len(terms)))
        hashes = np.fromiter(spelled, np.int64, len(terms))
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def documents(self, condition: Occurs) -> Int32:
        wanted = hash(condition.term)
        place = int(np.searchsorted(self._hashes, wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            t = int(self._order[place])
            if self._terms.spell(t) == condition.term:
                which = self._counts.index(condition.at_least)
                return self._terms.conditions[t * len(self._counts) + which]
            place += 1
        return NONE


class ValidationSet:
    """Labelled documents that are not used for learning, and their scores by the rules so far.

    corpus: its labels are those of the model, in the same order, followed by unknown ones. gold:
    the same labels in the form that measures use.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        settings: TextSettings,
        fields: Iterable[str],
        labels: tuple[str, ...],
        unknown_categories: bool = True,
        threads: int = 1,
    ) -> None:
        builder = CorpusBuilder()
        counters = {name: TermCounter(settings.of_field(name), threads) for name in fields}
        for document in builder.watch(documents):
            for name, counter in counters.items():
                counter.add(document.texts.get(name, ""))
        self.corpus = builder.corpus(labels)
        self.gold = Gold(self.corpus.labels, len(labels), self.corpus.label_sets)
        self._finders = {
            name: TermFinder(counter.finish(1), settings.counts)
            for name, counter in counters.items()
        }
        self._unknown_categories = unknown_categories
        self.begin(None)

    def __len__(self) -> int:
        return len(self.corpus)

    def begin(self, scores: Scores | None) -> None:
        """Reset the sums of votes to scores (m, k), such as those of prior knowledge, or to 0."""
        self._known = scores
        self._tally = Tally[Condition](self._blocks, len(self.corpus), scores)

    def weigh(self, factor: float) -> None:
        """Reset the sums of votes to the scores of `begin` times a factor."""
        start = None if self._known is None else factor * self._known
        self._tally = Tally[Condition](self._blocks, len(self.corpus), start)

    def add(self, rule: Rule) -> None:
        """Add the votes of a rule."""
        self._tally.add(rule.votes, rule.condition, rule.precondition)

    def sums(self) -> Scores:
        """(m, k): the sums of the votes so far."""
        return self._tally.value()

    def sums_of(self, rules: Iterable[Rule]) -> Scores:
        """(m, k): the sums of the votes of only these rules."""
        tally = self._tally.again()
        for rule in rules:
            tally.add(rule.votes, rule.condition, rule.precondition)
        return tally.value()

    def _blocks(self, condition: Condition) -> tuple[Int32, Int32]:
        """The documents in block YES, and those in block UNKNOWN."""
        match condition:
            case Occurs(name):
                return self._finders[name].documents(condition), NONE
            case Equals(column, value):
                found = [category(v) for v in self._values(column)]
                missing = [v is None and self._unknown_categories for v in found]
                return _where([v == value for v in found]), _where(missing)
            case AtLeast(column, threshold):
                numbers = np.array([number(v) for v in self._values(column)], np.float64)
                return _where(numbers >= threshold), _where(np.isnan(numbers))
            case Always():
                return np.arange(len(self.corpus), dtype=np.int32), NONE

    def _values(self, column: str) -> list[Attribute]:
        if column in self.corpus.attributes:
            return self.corpus.attributes[column]
        values: list[Attribute] = [None] * len(self.corpus)
        if column in self.corpus.scored:
            for document, value in zip(*self.corpus.scored[column], strict=True):
                values[document] = float(value)
        return values


def _where(mask: Iterable[bool]) -> Int32:
    return np.flatnonzero(np.asarray(mask, np.bool_)).astype(np.int32)


@dataclass
class BestRound:
    """The round with the best value so far; the first of them if values are equal.

    number: 0 if no value is known. curve: (round, value) of every measured round.
    """

    monitor: Monitor
    value: float = float("nan")
    number: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)

    def take(self, number: int, scores: Scores) -> float:
        """Measure after a round, and return the value."""
        value = self.monitor.value(scores)
        self.curve.append((number, value))
        known = value == value
        if known and (self.number == 0 or self.monitor.is_better(value, self.value)):
            self.number, self.value = number, value
        return value
