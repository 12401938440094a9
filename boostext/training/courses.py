"""One trial of some settings: learned on a part of the data, measured on the rest as it goes on."""

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
"""No trial goes further, whatever its shrinkage."""
A_RULE_EACH = "per label"
"""The grower of one rule for each of k labels: a round of it is worth the square root of k of the
default one's rules, about.
"""
LEAST_STEPS = 250
PATIENCE = 2.5
"""A trial of more than LEAST_STEPS ends where it is so many times as long as at its best."""
DENSE = 16
"""Every round up to here is measured, then 8 from a power of two to the next."""


def is_marked(number: int) -> bool:
    """Whether a trial is measured after this round."""
    if number <= DENSE:
        return True
    return number % (1 << (number.bit_length() - 4)) == 0


@dataclass(frozen=True)
class Mark:
    """What a trial had come to after a round. value: of the measure; NaN where it is unknown.

    terms: distinct conditions so far, without the prior. threshold: for several labels, the one
    with this value.
    """

    round: int
    terms: int
    value: float
    threshold: float = 0.0


@dataclass(frozen=True, eq=False)
class Split:
    """The parts of a corpus that a fold learns from and holds out, over the same conditions."""

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
    """Rounds that make so many steps: rules that vote in full."""
    each = boosting.learner_name() == A_RULE_EACH
    worth = math.sqrt(labels) if each else 1.0
    return max(1, round(steps / boosting.shrinkage / worth))


class Course:
    """A run that can be taken further.

    marks: of the rounds so far that were measured. done: rounds. ended: no round is left to do, as
    no condition helps, or as the best one lies far behind.
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
        """Learn up to round `last`, or to the end, or to a mark where `stop` says so."""
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
        """Measure; see whether the best mark is too far behind to go on."""
        mark = self._mark()
        self.marks.append(mark)
        if self._best is None or self._monitor.is_better(mark.value, self._best.value):
            self._best = mark
        self.ended = self.done > max(PATIENCE * self._best.round, self._least)
        return mark

    def scores(self) -> Scores:
        """(held out, k): of what is held out, by the rules so far."""
        return self._booster.decode(self._sums.value())

    def value_of(self, scores: Scores) -> tuple[float, float]:
        """The measure of scores of what is held out; the threshold is the best if it is free."""
        if self._monitor.name == "micro-f1" and not self._boosting.threshold:
            threshold, value = common_threshold(scores, self._part.gold)
            return value, threshold
        return self._monitor.value(scores), self._boosting.threshold

    def _mark(self) -> Mark:
        return Mark(self.done, len(self._seen), *self.value_of(self.scores()))


def joined(courses: list[list[Mark]], sizes: list[int]) -> Iterator[Mark]:
    """The marks of all folds as one: means weighted by what they hold out; terms rounded.

    A fold that ended before the others keeps its last mark. Nothing, where a fold has no mark.
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
    """Marks up to the plan's rounds, as means of folds held out in turn until `enough` documents
    are. on_round: rounds done and to do, in all folds. SettingsError where there can be no folds.
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
