"""Choose the number of rounds on validation data, with scores updated after each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from boostext.arrays import Int32, Int64, Scores
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

    It takes 24 bytes for each term: terms are found by hashes, and then their words are compared.
    """

    def __init__(self, terms: Terms, counts: tuple[int, ...]) -> None:
        self._terms, self._counts = terms, counts
        spelled = (hash(terms.spell(t)) for t in range(len(terms)))
        hashes = np.fromiter(spelled, np.int64, len(terms))
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]
        self._lists = np.argsort(terms.listed)

    def documents(self, condition: Occurs) -> Int32:
        wanted = hash(condition.term)
        place = int(np.searchsorted(self._hashes, wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            t = int(self._order[place])
            if self._terms.spell(t) == condition.term:
                return self._list(t * len(self._counts) + self._counts.index(condition.at_least))
            place += 1
        return NONE

    def _list(self, number: int) -> Int32:
        terms = self._terms
        while _contains(terms.equal, number):
            number -= 1
        at = int(np.searchsorted(terms.listed, number, sorter=self._lists))
        which = self._lists[at : at + 1]
        return terms.conditions[int(which[0])] if number in terms.listed[which] else NONE


def _contains(ascending: Int64, number: int) -> bool:
    at = int(np.searchsorted(ascending, number))
    return at < len(ascending) and int(ascending[at]) == number


class ValidationSet:
    """Labelled documents that are not used for learning, and the conditions that they meet.

    corpus: its labels are those of the model, in the same order, followed by unknown ones. gold:
    the same labels in the form that measures use. known: returns the scores (m, k) of prior
    knowledge, after the documents have been read.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        settings: TextSettings,
        fields: Iterable[str],
        labels: tuple[str, ...],
        unknown_categories: bool = True,
        threads: int = 1,
        known: Callable[[], Scores] | None = None,
    ) -> None:
        builder = CorpusBuilder()
        text_fields = settings.term_fields(fields)
        counters = {name: TermCounter(settings.of_field(name), threads) for name in text_fields}
        for document in builder.watch(documents):
            for name, counter in counters.items():
                counter.add(document.texts.get(text_fields[name], ""))
        self.corpus = builder.corpus(labels)
        self.gold = Gold(self.corpus.labels, len(labels), self.corpus.label_sets)
        self._finders = {
            name: TermFinder(counter.finish(1), settings.counts)
            for name, counter in counters.items()
        }
        self._unknown_categories = unknown_categories
        self._known, self._scale = known() if known else None, 1.0

    def __len__(self) -> int:
        return len(self.corpus)

    def scaled(self, scale: float) -> ValidationSet:
        """The same documents, with the scores of prior knowledge multiplied by a factor."""
        other = copy(self)
        other._scale = scale
        return other

    def tally(self) -> Tally[Condition]:
        """The sums of votes before any rule: the scores of prior knowledge, or 0."""
        start = None if self._known is None else self._scale * self._known
        return Tally[Condition](self._blocks, len(self.corpus), start)

    def sums_of(self, rules: Iterable[Rule]) -> Scores:
        """(m, k): the sums of the votes of these rules."""
        tally = self.tally()
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
