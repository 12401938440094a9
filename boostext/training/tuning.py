"""Choosing settings on the training data alone: successive halving over trials of growing length.

Trials compete in brackets: all are learned for a few steps on part of the data, the better third
for more, and so on. A step is a rule that votes in full; where votes are shrunk by 1/4, four rules
make one, so that slow learners are not weeded out for being slow. What a trial comes to depends on
nothing but the data and its settings; a budget decides only how many there are.
Source: Jamieson & Talwalkar 2016, Algorithm 1; Li et al. 2018 for the brackets.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from boostext import __version__
from boostext.arrays import Lists
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation.folds import Folds, make_folds
from boostext.evaluation.measures import MEASURES, monitored
from boostext.presets import BRACKET, STEPS, Search, grid
from boostext.settings import TextSettings
from boostext.training.candidates import Candidate, candidates
from boostext.training.columns import declared_labels
from boostext.training.courses import (
    MOST_ROUNDS,
    Course,
    Mark,
    Split,
    joined,
    rounds_of,
    split,
)
from boostext.training.examples import is_multilabel
from boostext.training.groups import Groups
from boostext.training.plan import Plan
from boostext.training.run import prepare
from boostext.training.trial_log import Trial, TrialLog

FOLDS = 5
HELD_OUT = 2000
"""Folds are learned without until so many documents have been held out, or all have."""
LONG = 3_000_000
"""Characters of all texts, above which letters and gaps are not tried: they make too many terms."""
OFTEN = 10
"""Documents of the same text, above which it is no accident: such texts are met again."""
KEEP = 3
"""One in so many trials goes on to the next length."""


@dataclass(frozen=True)
class Outcome:
    """What a candidate came to. best: its best mark; marks: all; last: rounds it was to run."""

    candidate: Candidate
    best: Mark
    marks: tuple[Mark, ...]
    last: int
    seconds: float

    def plan(self) -> Plan:
        """With the rounds and the threshold of the best mark."""
        plan, best = self.candidate.plan, self.best
        threshold = round(best.threshold, 4)
        boosting = replace(plan.boosting, rounds=best.round, threshold=threshold)
        return replace(plan, boosting=boosting)


@dataclass(frozen=True)
class Status:
    """A mark of the trial with these settings, which is to run to round `last`; the best outcome
    so far, None at first; seconds since the beginning.
    """

    settings: str
    mark: Mark
    last: int
    best: Outcome | None
    seconds: float


@dataclass(frozen=True)
class Tuned:
    """outcomes: the longest trial of every candidate, the best first. stopped: by the budget, or
    as it was asked to.
    """

    outcomes: tuple[Outcome, ...]
    measure: str
    stopped: bool
    seconds: float

    @property
    def plan(self) -> Plan:
        """The best one's, with rounds and threshold."""
        return self.outcomes[0].plan()


@dataclass(frozen=True)
class Hooks:
    """tell: after every mark of a trial. should_stop: ends tuning with what it has by then."""

    tell: Callable[[Status], None] = lambda status: None
    should_stop: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic


def tune(
    documents: Sequence[Document],
    plan: Plan,
    search: Search | None = None,
    given: Collection[str] = (),
    budget: float | None = None,
    trials: Path | None = None,
    hooks: Hooks | None = None,
) -> Tuned:
    """Try settings on parts of the documents, and rank them.

    search: its trials are one bracket; None is the whole grid, bracket after bracket while the
    budget (seconds) lasts, or one bracket without a budget. given: settings that are not tried;
    where `rounds` is among them, no trial has more.
    trials: a file for what was tried; trials that it holds count as made, and so does their time.
    Raises BoostextError and its children where no candidate can be tried.
    """
    most = (plan.boosting.rounds if "rounds" in given else 0) or MOST_ROUNDS
    run = _Tuning(documents, plan, most, budget, trials, hooks or Hooks())
    if search:
        choices = search.trials_for(run.multilabel)
    else:
        choices = tuple(grid(plan.boosting.seed, run.multilabel))
    size, steps = (len(choices), search.steps) if search else (BRACKET, STEPS)
    found = (c for c in candidates(plan, choices, given) if run.fits(c.plan))
    while bracket := list(islice(found, size)):
        run.bracket(bracket, steps)
        if run.over() or budget is None:
            break
    return run.tuned()


class _Tuning:
    """The state of one search. splits: for each way to make terms, the parts of every fold that is
    held out; courses: of the candidates that may go on.
    """

    def __init__(
        self, documents: Sequence[Document], plan: Plan, most: int, budget: float | None,
        trials: Path | None, hooks: Hooks,
    ) -> None:  # fmt: skip
        self.plan = replace(plan, stop=replace(plan.stop, valid_fraction=0.0, patience=0))
        self.documents, self.most, self.budget, self.hooks = documents, most, budget, hooks
        builder, groups = CorpusBuilder(), Groups(plan.stop.group)
        deque(builder.watch(groups.taken(documents)), 0)
        corpus = builder.corpus(declared_labels(plan))
        self.multilabel = is_multilabel(corpus, plan.boosting)
        self.measure = monitored(plan.stop.monitor, self.multilabel)
        self.folds = _folds(corpus.label_sets, plan.boosting.seed, groups, documents)
        self.log = TrialLog.open(trials, _work(corpus.digest, plan)) if trials else TrialLog()
        texts = (text for document in documents for text in document.texts.values())
        self.long = sum(map(len, texts)) > LONG
        self.splits: dict[TextSettings, list[Split]] = {}
        self.courses: dict[str, list[Course]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.refusal: BoostextError | None = None
        self._limit = float("inf")
        self._before, self._start = self.log.seconds, hooks.clock()

    @property
    def seconds(self) -> float:
        """Spent so far, also in a run that was broken off."""
        return self._before + self.hooks.clock() - self._start

    def fits(self, plan: Plan) -> bool:
        """Whether to try it on such data: no letters and gaps where texts are long, unless that is
        asked for.
        """
        return not (self.long and _is_wide(plan.text)) or _is_wide(self.plan.text)

    def over(self) -> bool:
        spent = self.budget is not None and self.seconds >= self.budget
        return spent or self.hooks.should_stop()

    def bracket(self, found: Sequence[Candidate], steps: Sequence[int]) -> None:
        """Let the candidates compete; each length may spend its share of what is left."""
        begin = self.seconds
        for number, step in enumerate(steps, 1):
            if self.budget is not None:
                self._limit = begin + (self.budget - begin) * number / len(steps)
            keep = -(-len(found) // KEEP)
            self._rung(found, step, keep)
            found = self._better(found, keep)
            if self.over():
                break
        self.courses.clear()

    def _rung(self, found: Sequence[Candidate], step: int, keep: int) -> None:
        """Learn each for `step` steps, those with the same terms together."""
        texts = list(dict.fromkeys(c.plan.text for c in found))
        side_by_side = max(1, self.plan.threads // len(self._held_folds))
        for text in texts:
            group = [c for c in found if c.plan.text == text]
            for first in range(0, len(group), side_by_side):
                if self.outcomes and self._late():
                    return
                self._try(group[first : first + side_by_side], step)
            self._forget(self._better(found, keep))

    def _late(self) -> bool:
        return self.seconds >= self._limit or self.hooks.should_stop()

    def _try(self, found: Sequence[Candidate], step: int) -> None:
        """One trial of each, side by side; those in the log need no run."""
        lasts = {c.settings: min(rounds_of(step, c.plan.boosting), self.most) for c in found}
        known = {c.settings: self.log.get(c.settings, lasts[c.settings]) for c in found}
        new = [c for c in found if known[c.settings] is None]
        begin = self.hooks.clock()
        if new and not self._read(new[0].plan):
            return
        self._learn(new, lasts)
        seconds = (self.hooks.clock() - begin) / max(len(new), 1)
        for candidate in found:
            trial = known[candidate.settings]
            if trial is None:
                trial = self._trial(candidate, lasts[candidate.settings], seconds)
                self.log.add(trial)
            self._take(candidate, trial)

    def _read(self, plan: Plan) -> bool:
        """Have the features of the plan's terms ready; False where it finds none."""
        if plan.text in self.splits:
            return True
        try:
            prepared = prepare(self.documents, replace(plan, stop=self.plan.stop))
        except BoostextError as error:
            self.refusal = error
            return False
        self.splits[plan.text] = [split(prepared, self.folds, n) for n in self._held_folds]
        return True

    @cached_property
    def _held_folds(self) -> list[int]:
        """The folds to learn without; the first ones, until enough has been held out."""
        sizes = [len(self.folds.held(fold)) for fold in range(FOLDS)]
        before = np.cumsum([0, *sizes])
        return [fold for fold in range(FOLDS) if before[fold] < HELD_OUT]

    def _learn(self, found: Sequence[Candidate], lasts: Mapping[str, int]) -> None:
        jobs = [(c, n) for c in found for n in range(len(self._held_folds))]
        threads = max(1, self.plan.threads // max(len(jobs), 1))

        def work(job: tuple[Candidate, int]) -> Course:
            candidate, fold = job
            courses = self.courses.get(candidate.settings)
            part, last = self.splits[candidate.plan.text][fold], lasts[candidate.settings]
            course = courses[fold] if courses else Course(part, candidate.plan.boosting, threads)
            course.go_on(last, lambda mark: self._told(candidate, mark, last))
            return course

        with ThreadPoolExecutor(max(1, min(self.plan.threads, len(jobs)))) as pool:
            made = list(pool.map(work, jobs))
        for (candidate, fold), course in zip(jobs, made, strict=True):
            self.courses.setdefault(candidate.settings, [])[fold:] = [course]

    def _told(self, candidate: Candidate, mark: Mark, last: int) -> bool:
        """Tell of a mark; whether to end there."""
        best = next(iter(self._ranked()), None)
        self.hooks.tell(Status(candidate.settings, mark, last, best, self.seconds))
        return self._late()

    def _trial(self, candidate: Candidate, last: int, seconds: float) -> Trial:
        courses = self.courses[candidate.settings]
        sizes = [len(part.held) for part in self.splits[candidate.plan.text]]
        whole = all(course.ended or course.done >= last for course in courses)
        common = min((c.done for c in courses if not c.ended), default=last)
        found = ([mark for mark in course.marks if mark.round <= common] for course in courses)
        marks = tuple(joined(list(found), sizes))
        return Trial(candidate.settings, last, marks, seconds, whole)

    def _take(self, candidate: Candidate, trial: Trial) -> None:
        known = [mark for mark in trial.marks if mark.value == mark.value]
        if known:
            best = min(known, key=lambda mark: (self._cost(mark.value), mark.round))
            self.outcomes[candidate.settings] = Outcome(
                candidate, best, trial.marks, trial.last, trial.seconds
            )

    def _cost(self, value: float) -> float:
        return -value if MEASURES[self.measure].greater else value

    def _ranked(self) -> list[Outcome]:
        """The best value first; of equals the fewest terms."""
        found = list(self.outcomes.values())
        return sorted(found, key=lambda o: (self._cost(o.best.value), o.best.terms))

    def _better(self, found: Sequence[Candidate], keep: int) -> list[Candidate]:
        mine = {c.settings for c in found}
        return [o.candidate for o in self._ranked() if o.candidate.settings in mine][:keep]

    def _forget(self, kept: Sequence[Candidate]) -> None:
        """Let go of what no candidate of the next length needs."""
        names, texts = {c.settings for c in kept}, {c.plan.text for c in kept}
        self.courses = {k: v for k, v in self.courses.items() if k in names}
        self.splits = {k: v for k, v in self.splits.items() if k in texts}

    def tuned(self) -> Tuned:
        ranked = tuple(self._ranked())
        if not ranked:
            raise self.refusal or BoostextError(
                "no trial came to a rule before the end; give tuning more time"
            )
        return Tuned(ranked, self.measure, self.over(), self.seconds)


def _folds(sets: Lists, seed: int, groups: Groups, documents: Sequence[Document]) -> Folds:
    """Documents of one group are held out together, or those of the same text if that can be."""
    if groups.name:
        return make_folds(sets, FOLDS, seed, groups.values())
    with contextlib.suppress(SettingsError):
        return make_folds(sets, FOLDS, seed, same_texts(documents))
    return make_folds(sets, FOLDS, seed)


def same_texts(documents: Sequence[Document]) -> list[str | None]:
    """(m,): what documents of the same text share, so that they are held out together.

    Case, blanks and marks do not count. None for texts that are there but once, or so often that
    they will be met again.
    """
    keys = ["".join(filter(str.isalnum, "".join(d.texts.values()).casefold())) for d in documents]
    times = Counter(keys)
    return [key if 1 < times[key] <= OFTEN else None for key in keys]


def _is_wide(text: TextSettings) -> bool:
    """Whether there are many times as many terms as words."""
    return text.analyzer == "char" or text.expert == "sparse"


def _work(digest: str, plan: Plan) -> dict[str, Any]:
    """What trials depend on beside their settings."""
    return {
        "version": __version__, "data": digest, "seed": plan.boosting.seed,
        "monitor": plan.stop.monitor, "group": plan.stop.group, "fields": list(plan.data.text),
    }  # fmt: skip
