"""Choosing the number of rounds on validation data, with scores kept up to date rule by rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from boostext.arrays import Int32, Scores
from boostext.boosting.rules import Rule
from boostext.boosting.tally import Tally
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
from boostext.features.counter import TermCounter
from boostext.features.terms import Terms
from boostext.settings import TextSettings

EVERY_ROUND_UP_TO = 100
THEN_EVERY = 10
NONE = np.zeros(0, np.int32)


def is_measured(number: int) -> bool:
    """Whether the measure is taken after this round: each of the first 100, then every 10th."""
    return number <= EVERY_ROUND_UP_TO or number % THEN_EVERY == 0


class TermFinder:
    """The documents with a term at least so often: Terms asked by their words, not by number.

    16 bytes a term: hashes stand for the words, which are compared once they are found.
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
    """Labelled documents that are not learned from, and their scores under the rules so far.

    corpus: its labels begin with the model's, in that order; those the model lacks follow.
    gold: the same labels as the measures take them.
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
        self._tally = Tally[Condition](self._blocks, len(self.corpus))

    def __len__(self) -> int:
        return len(self.corpus)

    def begin(self, scores: Scores | None) -> None:
        """Forget all votes; the sums begin with scores (m, k), as those of prior knowledge."""
        self._tally = Tally[Condition](self._blocks, len(self.corpus), scores)

    def add(self, rule: Rule) -> None:
        """Let the rule vote."""
        self._tally.add(rule.votes, rule.condition, rule.precondition)

    def sums(self) -> Scores:
        """(m, k): the votes so far, added up."""
        return self._tally.value()

    def sums_of(self, rules: Iterable[Rule]) -> Scores:
        """(m, k): the votes of these rules alone, added up."""
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
    """The round of the best value so far; of equals the first, so that fewer rounds win.

    number: 0 where no value was known. curve: (round, value) of every measured round.
    """

    monitor: Monitor
    value: float = float("nan")
    number: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)

    def take(self, number: int, scores: Scores) -> float:
        """Measure after a round; the value."""
        value = self.monitor.value(scores)
        self.curve.append((number, value))
        known = value == value
        if known and (self.number == 0 or self.monitor.is_better(value, self.value)):
            self.number, self.value = number, value
        return value
