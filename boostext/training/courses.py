"""Run one trial of settings: learn from a part of the data and measure on the rest.

The cost of a trial is counted, not timed, so that whatever is decided by it is the same on every
machine: `Course.work` is the number of seconds that its rounds would take on the machine on which
the constants below were fitted.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int64, Scores
from boostext.boosting.membership import ALWAYS
from boostext.boosting.rules import Round
from boostext.evaluation.folds import Folds, make_folds
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import Monitor
from boostext.evaluation.thresholds import common_threshold
from boostext.features.conditions import NO
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather
from boostext.settings import BoostingSettings
from boostext.training.crossval import Sums
from boostext.training.jobs import InThreads, Job, Jobs
from boostext.training.run import Prepared

Losses = NDArray[np.float16]
NO_LOSSES: Losses = np.zeros(0, np.float16)

MOST_ROUNDS = 200_000
"""Maximum number of rounds of a trial, whatever its shrinkage."""
A_RULE_EACH, ALL_AT_ONCE = "per label", "parallel"
"""The learner of one rule for each of k labels in a round, whose rounds are worth about sqrt(k)
rules of the default, and the learner of the votes of all terms at once, which needs one round.
"""
SOFT = 0.2
"""Width of the step from right to wrong, in medians of the absolute margin; see `losses_of`. Chosen
on random halves of the held-out documents of bbc-news, sms-spam and reuters-r8.
"""
LEAST_STEPS = 500
PATIENCE = 2.0
"""A trial of more than LEAST_STEPS ends when it is this many times as long as at its best mark."""
NEAR = 1.5
"""The best round is the one with the best mean of the marks up to so many times earlier or later.
With a few thousand held-out documents, single marks rise and fall by chance.
"""
A_RULE, OF_LABELS, OF_CONDITIONS = 1.7e-4, 2e-6, 1.2e-8
"""Seconds for each rule, and for each label and each condition that its search considers."""
OF_POSTINGS, OF_SCORES = 1.5e-8, 1.5e-8
"""Seconds for each term or number of a document whose weights changed, and for each score that is
measured.

Fitted to 150 trials on trec6, banking77 and bbc-news: within a quarter for nine in ten.
"""
OF_UPDATES = 3e-9
"""Seconds for each term of a document, label and update of the votes of all terms at once."""
MOST_BEFORE_LAST = 12_000
"""Number of rounds after which a last round updates the votes of all terms in any case."""
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
    """The number of rounds that correspond to `steps` rules without shrinkage.

    A round that learns the votes of all terms at once is complete. If it is the last of many, the
    others only lead to it, and there are as many as it takes.
    """
    if boosting.finish:
        return MOST_BEFORE_LAST
    if boosting.learner_name() == ALL_AT_ONCE:
        return 1
    each = boosting.learner_name() == A_RULE_EACH
    worth = math.sqrt(labels) if each else 1.0
    return max(1, round(steps / boosting.shrinkage / worth))


def _most(boosting: BoostingSettings) -> int:
    return MOST_BEFORE_LAST if boosting.finish else MOST_ROUNDS


class Course:
    """A run of boosting that can be continued.

    marks: of the measured rounds so far. done: number of rounds. ended: there is nothing left to
    learn, because no condition helps or the best round was long ago. work: counted seconds. losses:
    of the held-out documents at the best mark, see `losses_of`.
    """

    def __init__(self, part: Split, boosting: BoostingSettings, threads: int = 1) -> None:
        corpus, plan = part.prepared.corpus, part.prepared.plan
        self._part, self._boosting = part, replace(boosting, rounds=_most(boosting))
        self._booster = part.prepared.booster(part.training, part.learned, self._boosting, threads)
        self._rounds = self._booster.rounds()
        self._sparse = not boosting.speaking()[NO]
        start = part.prepared.start(part.held)
        self._sums = Sums.of(part.measured, self._booster.members, start)
        self._seen: set[int] = set()
        multilabel = part.prepared.multilabel
        self._monitor = Monitor.of(plan.stop.monitor, part.gold, multilabel, boosting)
        self.marks: list[Mark] = []
        self.done, self.ended, self.work = 0, False, 0.0
        self.losses = NO_LOSSES
        self._best: Mark | None = None  # with the mean value of the marks before it
        self._least = rounds_of(LEAST_STEPS, boosting, len(corpus.labels))

    def go_on(self, last: int) -> Iterator[Mark]:
        """Learn until round `last` or the end, and yield a mark for each measured round.

        Rounds that only lead to a last one of all terms yield marks without a value, which are not
        in `marks`.
        """
        while self.done < last and not self.ended:
            made = next(self._rounds, None)
            if made is None:
                self.ended = True
                return
            self._sums.add(made)
            self._seen |= {place.condition for _, place in made.placed} - {ALWAYS}
            self.work += self._work_of(made)
            self.done = made.number
            if self._is_measured(made, last):
                yield self._marked()
            elif is_marked(made.number):
                yield Mark(self.done, len(self._seen), math.nan)

    def _is_measured(self, made: Round, last: int) -> bool:
        """Whether to measure after a round. Rounds that only lead to a last one of all terms, which
        is far better, say nothing about it.
        """
        ends = made.number == last or made.is_last
        return ends or (is_marked(made.number) and not self._boosting.finish)

    def _marked(self) -> Mark:
        """Measure, and end the run if the best mark was too long ago."""
        scores = self.scores()
        mark = Mark(self.done, len(self._seen), *self.value_of(scores))
        self.marks.append(mark)
        self.work += OF_SCORES * scores.size
        recent = [m.value for m in self.marks if m.round * NEAR > self.done]
        value = sum(recent) / len(recent)
        best = self._best
        if not best or math.isnan(best.value) or self._monitor.is_better(value, best.value):
            self._best = best = replace(mark, value=value)
            self.losses = losses_of(scores, self._part.gold, self._monitor.name, mark.threshold)
        self.ended = self.done > max(PATIENCE * best.round, self._least)
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

    def _work_of(self, made: Round) -> float:
        """Counted seconds of a round: its searches, and the terms of the documents that changed."""
        training, labels = self._part.training, len(self._part.gold.labels)
        if self._boosting.learner_name() == ALL_AT_ONCE or made.is_last:
            return OF_UPDATES * len(training.yes.items) * labels * self._boosting.updates
        search = A_RULE + OF_LABELS * labels + OF_CONDITIONS * len(training.yes)
        every, changed = training.document_count, 0
        for _, place in made.placed:
            listed = self._sparse and 0 <= place.condition < len(training.yes)
            starts = training.yes.starts[place.condition : place.condition + 2] if listed else None
            changed += every if starts is None else int(starts[1] - starts[0])
        terms = len(training.yes.items) / max(every, 1) + len(self._booster.members.columns)
        return search * len(made.placed) + OF_POSTINGS * changed * terms


def losses_of(scores: Scores, gold: Gold, measure: str, threshold: float) -> Losses:
    """(m,): the loss of each document, by which trials are compared; empty for some measures.

    For `error`, between 0 for a label that is right by far and 1 for one that is wrong by far: a
    sigmoid of the margin in units of SOFT medians. In small data, trials differ by a few documents
    that are right or wrong by little, so that counts of errors differ mostly by chance. For
    `micro-f1`, 1 - F1 on average, and a document's part in it to the first order.
    """
    if measure == "error":
        right = np.where(gold.matrix, scores, -np.inf).max(axis=1)
        margin = right - np.where(gold.matrix, -np.inf, scores).max(axis=1)
        unit = SOFT * np.median(np.abs(margin))
        unit = unit if 0 < unit < np.inf else 1.0
        return np.asarray(1 / (1 + np.exp(np.clip(margin / unit, -50, 50))), np.float16)
    if measure != "micro-f1":
        return NO_LOSSES
    given = scores > threshold
    right, size = (given & gold.matrix).sum(axis=1), given.sum(axis=1) + gold.matrix.sum(axis=1)
    f1 = 2 * right.sum() / max(size.sum(), 1)
    part = (f1 * size - 2 * right) / max(size.mean(), 1e-300)
    return np.asarray(1 - f1 + part, np.float16)


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


def best_of(marks: Sequence[Mark], loss: Callable[[float], float]) -> Mark | None:
    """The mark near which the mean loss is lowest, the first one if equal, with the mean threshold
    of the marks near it (see NEAR); None if no value is known.
    """
    known = [mark for mark in marks if mark.value == mark.value]
    if not known:
        return None

    def near(mark: Mark, name: str) -> float:
        least, most = mark.round / NEAR, mark.round * NEAR
        return float(np.mean([getattr(m, name) for m in known if least < m.round < most]))

    best = min(known, key=lambda mark: (loss(near(mark, "value")), mark.round))
    return replace(best, threshold=near(best, "threshold"))


def marks_held_out(
    prepared: Prepared,
    enough: int,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> list[Mark]:
    """Marks up to the plan's rounds, averaged over folds.

    Folds are held out in turn until `enough` documents have been. on_round: called with the number
    of rounds done and of all rounds, over all folds. jobs: where the folds are learned, by default
    in threads. SettingsError if folds are impossible.
    """
    plan, sets = prepared.plan, prepared.corpus.label_sets
    folds = make_folds(sets, plan.stop.folds, plan.boosting.seed, prepared.groups)
    sizes = [len(folds.held(n)) for n in range(folds.count)]
    count = int(np.count_nonzero(np.cumsum([0, *sizes[:-1]]) < enough))
    done = [0] * count

    def on_mark(number: int, mark: Mark) -> bool:
        done[number] = mark.round
        on_round(sum(done), count * plan.boosting.rounds)
        return should_stop()

    each = [(folds, number) for number in range(count)]
    found = (jobs or InThreads(plan.threads)).run(marks_of, prepared, each, on_mark)
    return list(joined(found, sizes[:count]))


def marks_of(prepared: Prepared, folds: Folds, fold: int, threads: int) -> Job:
    """Learn one fold up to the plan's rounds, as a job that yields marks and returns them all."""
    boosting = prepared.plan.boosting
    course = Course(split(prepared, folds, fold), boosting, threads)
    for mark in course.go_on(boosting.rounds):
        if (yield mark):
            break
    return course.marks


class Run(NamedTuple):
    """What is known of a course. See Course for the fields."""

    marks: list[Mark]
    done: int
    ended: bool
    work: float
    losses: Losses

    @staticmethod
    def of(course: Course) -> Run:
        return Run(course.marks, course.done, course.ended, course.work, course.losses)


class Trials:
    """The courses of several settings on the same features and folds.

    Courses stay in the process that began them. Another process repeats one from its beginning.
    """

    def __init__(self, prepared: Prepared, folds: Folds) -> None:
        self.prepared, self.folds = prepared, folds
        self._splits: dict[int, Split] = {}
        self._courses: dict[tuple[str, int], Course] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Trials, (self.prepared, self.folds)

    def keep(self, names: Collection[str]) -> None:
        """Release the courses with other names."""
        self._courses = {key: course for key, course in self._courses.items() if key[0] in names}

    def course(self, name: str, fold: int, boosting: BoostingSettings, threads: int) -> Course:
        """The course of some settings on a fold. name: that of the settings."""
        with self._lock:
            if fold not in self._splits:
                self._splits[fold] = split(self.prepared, self.folds, fold)
        if (name, fold) not in self._courses:
            self._courses[name, fold] = Course(self._splits[fold], boosting, threads)
        return self._courses[name, fold]


def trial(
    trials: Trials,
    name: str,
    fold: int,
    boosting: BoostingSettings,
    lasts: Sequence[int],
    allowance: float,
    threads: int,
) -> Job:
    """Run a course up to each of some rounds in turn, as a job that yields marks.

    lasts: the rounds at which the trials of these settings ended, which are measured, and the round
    at which this one is to end. allowance: the counted seconds after which it ends in any case.
    """
    course = trials.course(name, fold, boosting, threads)
    for last in lasts:
        for mark in course.go_on(last):
            if (yield mark) or (course.marks and course.work > allowance):
                return Run.of(course)
    return Run.of(course)
