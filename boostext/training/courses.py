"""Run one trial of settings: learn from a part of the data and measure on the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from boostext.arrays import Int64, Scores
from boostext.boosting.membership import ALWAYS
from boostext.evaluation.common_threshold import common_threshold
from boostext.evaluation.folds import Folds, make_folds
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import Monitor
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather
from boostext.settings import BoostingSettings
from boostext.training.crossval import Sums
from boostext.training.run import Prepared

MOST_ROUNDS = 200_000
"""Maximum number of rounds of a trial, whatever its shrinkage."""
A_RULE_EACH = "per label"
"""The growth that learns one rule for each of k labels in a round. Such a round is worth about
sqrt(k) rules of the default.
"""
LEAST_STEPS = 250
PATIENCE = 2.5
"""A trial of more than LEAST_STEPS ends when it is this many times as long as at its best mark."""
DENSE = 16
"""Every round up to this one is measured, and then 8 between successive powers of two."""


def is_marked(number: int) -> bool:
    """Whether a trial is measured after this round."""
    if number <= DENSE:
        return True
    return number % (1 << (number.bit_length() - 4)) == 0


@dataclass(frozen=True)
class Mark:
    """The state of a trial after a round.

    value: of the measure; NaN if unknown. terms: number of distinct conditions so far, without the
    prior. threshold: for several labels, the threshold that gives this value.
    """

    round: int
    terms: int
    value: float
    threshold: float = 0.0


@dataclass(frozen=True, eq=False)
class Split:
    """The training part and the held-out part of a fold, with the same conditions."""

    prepared: Prepared
    learned: Int64
    held: Int64
    training: FeatureMatrix
    measured: FeatureMatrix

    @cached_property
    def gold(self) -> Gold:
        corpus = self.prepared.corpus
        return Gold(corpus.labels, len(corpus.labels), gather(corpus.label_sets, self.held))


def split(prepared: Prepared, folds: Folds, fold: int) -> Split:
    learned, held = folds.learned(fold), folds.held(fold)
    return Split(prepared, learned, held, *prepared.parts(learned, held))


def rounds_of(steps: float, boosting: BoostingSettings, labels: int) -> int:
    """The number of rounds that correspond to `steps` rules without shrinkage."""
    each = boosting.learner_name() == A_RULE_EACH
    worth = math.sqrt(labels) if each else 1.0
    return max(1, round(steps / boosting.shrinkage / worth))


class Course:
    """A run of boosting that can be continued.

    marks: of the measured rounds so far. done: number of rounds. ended: there is nothing left to
    learn, because no condition helps or the best round was long ago.
    """

    def __init__(self, part: Split, boosting: BoostingSettings, threads: int = 1) -> None:
        corpus, plan = part.prepared.corpus, part.prepared.plan
        self._part, self._boosting = part, replace(boosting, rounds=MOST_ROUNDS)
        self._booster = part.prepared.booster(part.training, part.learned, self._boosting, threads)
        self._rounds = self._booster.rounds()
        start = part.prepared.start(part.held)
        self._sums = Sums(part.measured, self._booster.members, start)
        self._seen: set[int] = set()
        multilabel = part.prepared.multilabel
        self._monitor = Monitor.of(plan.stop.monitor, part.gold, multilabel, boosting)
        self.marks: list[Mark] = []
        self.done, self.ended = 0, False
        self._best: Mark | None = None
        self._least = rounds_of(LEAST_STEPS, boosting, len(corpus.labels))

    def go_on(self, last: int, stop: Callable[[Mark], bool] = lambda mark: False) -> None:
        """Learn until round `last`, the end, or a mark for which `stop` returns true."""
        while self.done < last and not self.ended:
            made = next(self._rounds, None)
            if made is None:
                self.ended = True
                return
            self._sums.add(made)
            self._seen |= {place.condition for _, place in made.placed} - {ALWAYS}
            self.done = made.number
            if (is_marked(made.number) or made.number == last) and stop(self._marked()):
                return

    def _marked(self) -> Mark:
        """Measure, and end the run if the best mark was too long ago."""
        mark = self._mark()
        self.marks.append(mark)
        if self._best is None or self._monitor.is_better(mark.value, self._best.value):
            self._best = mark
        self.ended = self.done > max(PATIENCE * self._best.round, self._least)
        return mark

    def scores(self) -> Scores:
        """(held out, k): scores of the held-out documents by the rules so far."""
        return self._booster.decode(self._sums.value())

    def value_of(self, scores: Scores) -> tuple[float, float]:
        """The measure on the held-out documents, and the threshold (the best, unless fixed)."""
        if self._monitor.name == "micro-f1" and not self._boosting.threshold:
            threshold, value = common_threshold(scores, self._part.gold)
            return value, threshold
        return self._monitor.value(scores), self._boosting.threshold

    def _mark(self) -> Mark:
        return Mark(self.done, len(self._seen), *self.value_of(self.scores()))


def joined(courses: list[list[Mark]], sizes: list[int]) -> Iterator[Mark]:
    """Average the marks of all folds, weighted by the size of their held-out parts.

    Numbers of terms are rounded. A fold that ended before the others keeps its last mark. There are
    no marks if a fold has none.
    """
    share = np.array(sizes) / sum(sizes)
    marks = [{mark.round: mark for mark in found} for found in courses]
    last = [found[0] for found in courses if found]
    if len(last) < len(courses):
        return
    for number in sorted({n for found in marks for n in found}):
        last = [found.get(number, before) for found, before in zip(marks, last, strict=True)]
        terms, value, threshold = (
            float(share @ [getattr(mark, name) for mark in last])
            for name in ("terms", "value", "threshold")
        )
        yield Mark(number, round(terms), value, threshold)


def marks_held_out(
    prepared: Prepared,
    enough: int,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[Mark]:
    """Marks up to the plan's rounds, averaged over folds.

    Folds are held out in turn until `enough` documents have been. on_round: called with the number
    of rounds done and of all rounds, over all folds. SettingsError if folds are impossible.
    """
    plan, sets = prepared.plan, prepared.corpus.label_sets
    folds = make_folds(sets, plan.stop.folds, plan.boosting.seed, prepared.groups)
    sizes = [len(folds.held(n)) for n in range(folds.count)]
    count = int(np.count_nonzero(np.cumsum([0, *sizes[:-1]]) < enough))
    workers = min(count, plan.threads)
    done = [0] * count

    def learned(number: int) -> list[Mark]:
        course = Course(split(prepared, folds, number), plan.boosting, plan.threads // workers)

        def told(mark: Mark) -> bool:
            done[number] = mark.round
            on_round(sum(done), count * plan.boosting.rounds)
            return should_stop()

        course.go_on(plan.boosting.rounds, told)
        return course.marks

    with ThreadPoolExecutor(workers) as pool:
        return list(joined(list(pool.map(learned, range(count))), sizes[:count]))
