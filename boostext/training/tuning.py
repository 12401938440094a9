"""Choose settings by successive halving with trials of increasing length, on training data only.

Trials compete in brackets: all of them learn for a few steps on part of the data, the better half
for more steps, and so on. A step is one rule without shrinkage. With a shrinkage of 1/4, four rules
are one step, so that slow learners are not eliminated for being slow. The result of a trial depends
only on the data and its settings; a budget determines only the number of trials. The longest trials
hold out more folds than the others, if this takes little time, because they decide the choice.
Source: Jamieson & Talwalkar 2016, Algorithm 1; Li et al. 2018 for the brackets.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from boostext import __version__
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.errors import BoostextError
from boostext.evaluation.measures import MEASURES, monitored
from boostext.presets import BRACKET, STEPS, Search, grid
from boostext.training.choosing import Candidate, candidates, chosen_by
from boostext.training.columns import declared_labels
from boostext.training.courses import MOST_ROUNDS, Mark, Run, joined, rounds_of, trial
from boostext.training.examples import is_multilabel
from boostext.training.jobs import InThreads, Jobs
from boostext.training.plan import Plan, command_line
from boostext.training.split import Groups
from boostext.training.trial_log import Trial, TrialLog
from boostext.training.tuning_parts import Parts
from boostext.training.unlabelled import Unlabelled

KEEP, KEEP_SLOW = 2, 3
"""One in this many trials advances to the next length; the other value is for slow trials."""


@dataclass(frozen=True)
class Outcome:
    """The result of a candidate.

    best: its best mark. marks: all marks. last: the round up to which it was to run. folds: number
    of folds that were held out in turn.
    """

    candidate: Candidate
    best: Mark
    marks: tuple[Mark, ...]
    last: int
    seconds: float
    folds: int = 1

    def plan(self) -> Plan:
        """The candidate's plan with the rounds and the threshold of its best mark."""
        plan, best = self.candidate.plan, self.best
        threshold = round(best.threshold, 4)
        boosting = replace(plan.boosting, rounds=best.round, threshold=threshold)
        return replace(plan, boosting=boosting)


@dataclass(frozen=True)
class Status:
    """The progress of tuning: a mark of the trial with these settings, which runs up to round
    `last`; the best outcome so far, None at first; and the seconds since the beginning.
    """

    settings: str
    mark: Mark
    last: int
    best: Outcome | None
    seconds: float


@dataclass(frozen=True)
class Tuned:
    """The result of tuning.

    outcomes: the longest trial of every candidate, best first. stopped: whether the budget or the
    caller ended tuning.
    """

    outcomes: tuple[Outcome, ...]
    measure: str
    stopped: bool
    seconds: float

    @property
    def plan(self) -> Plan:
        """The plan of the best candidate, with rounds and threshold."""
        return self.outcomes[0].plan()

    def to_dict(self) -> dict[str, Any]:
        """All trials with their curves, as values that JSON can represent."""
        trials = [
            {
                "settings": outcome.candidate.settings, self.measure: outcome.best.value,
                "rounds": outcome.best.round, "terms": outcome.best.terms,
                "seconds": round(outcome.seconds, 3),
                "curve": [[mark.round, mark.terms, mark.value] for mark in outcome.marks],
            }
            for outcome in self.outcomes
        ]  # fmt: skip
        chosen = command_line(self.plan)
        return {
            "command": chosen, "measure": self.measure, "stopped": self.stopped, "trials": trials
        }  # fmt: skip


@dataclass(frozen=True)
class Heat:
    """Trials of one length, which continue those of the shorter length.

    trials: their minimum number. steps: their length. folds: number of folds that are held out in
    turn.
    """

    trials: int
    steps: int
    folds: int


@dataclass(frozen=True)
class Hooks:
    """Callbacks of tuning.

    intend: called before each bracket with its planned trials. tell: called after every mark of a
    trial. should_stop: if it returns true, tuning ends with the results so far.
    """

    intend: Callable[[Sequence[Heat]], None] = lambda heats: None
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
    jobs: Jobs | None = None,
) -> Tuned:
    """Try settings on parts of the documents, and rank them.

    If the plan leaves settings open, those that would be chosen from the data are tried first.
    search: its trials are one bracket; None is the whole grid, with one bracket after another
    until the budget (seconds) is used, or one bracket without a budget. given: settings that are
    not changed; if `rounds` is one of them, it is the maximum for all trials. trials: a file that
    logs the trials; those already in it are not repeated, and their time counts. jobs: where the
    trials run, by default in threads. Raises BoostextError and its subclasses if no candidate can
    be tried.
    """
    most = (plan.boosting.rounds if "rounds" in given else 0) or MOST_ROUNDS
    first = chosen_by(documents, plan)
    plan = replace(plan, open=frozenset())
    run = _Tuning(documents, plan, most, budget, trials, hooks or Hooks(), jobs)
    if search:
        choices = (*first, *search.trials_for(run.multilabel))
    else:
        choices = (*first, *grid(plan.boosting.seed, run.multilabel))
    size, steps = (len(choices), search.steps) if search else (BRACKET, STEPS)
    found = (c for c in candidates(plan, choices, given) if run.parts.suit(c.plan))
    while bracket := list(islice(found, size)):
        run.bracket(bracket, steps)
        if run.over() or budget is None:
            break
    return run.tuned()


class _Tuning:
    """The state of a search. courses: one for each fold of the candidates that may advance."""

    def __init__(
        self,
        documents: Sequence[Document],
        plan: Plan,
        most: int,
        budget: float | None,
        trials: Path | None,
        hooks: Hooks,
        jobs: Jobs | None,
    ) -> None:
        self.plan = replace(plan, stop=replace(plan.stop, valid_fraction=0.0, patience=0))
        self.most, self.budget, self.hooks = most, budget, hooks
        documents = list(Unlabelled(plan.boosting.task).left_out(documents))
        builder, groups = CorpusBuilder(), Groups(plan.stop.group)
        deque(builder.watch(groups.taken(documents)), 0)
        corpus = builder.corpus(declared_labels(plan))
        self.multilabel = is_multilabel(corpus, plan.boosting)
        self.measure = monitored(plan.stop.monitor, self.multilabel)
        self.labels = len(corpus.labels)
        self.parts = Parts(documents, corpus, self.plan, groups)
        self.log = TrialLog.open(trials, _work(corpus.digest, plan)) if trials else TrialLog()
        self.jobs = jobs or InThreads(plan.threads)
        self.courses: dict[str, list[Run]] = {}
        self._lasts: dict[tuple[str, int], list[int]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.refusal: BoostextError | None = None
        self._limit = float("inf")
        self._before, self._start = self.log.seconds, hooks.clock()

    @property
    def seconds(self) -> float:
        """Seconds spent so far, including those of an interrupted run."""
        return self._before + self.hooks.clock() - self._start

    def over(self) -> bool:
        spent = self.budget is not None and self.seconds >= self.budget
        return spent or self.hooks.should_stop()

    def bracket(self, found: Sequence[Candidate], steps: Sequence[int]) -> None:
        """Let candidates compete. Each length may use its share of the remaining time."""
        self.hooks.intend(list(self._heats(len(found), steps)))
        begin = self.seconds
        for number, step in enumerate(steps, 1):
            if self.budget is not None:
                self._limit = begin + (self.budget - begin) * number / len(steps)
            keep = self._kept(len(found))
            self._rung(found, step, keep, self.parts.folds(at_last=number == len(steps)))
            found = self._better(found, keep)
            if self.over():
                break
        self.courses.clear()
        self._lasts.clear()
        self.parts.keep({c.plan.text for c in found}, ())

    def _kept(self, trials: int) -> int:
        return -(-trials // (KEEP_SLOW if self.parts.slow else KEEP))

    def _heats(self, trials: int, steps: Sequence[int]) -> Iterator[Heat]:
        for number, step in enumerate(steps, 1):
            yield Heat(trials, min(step, self.most), self.parts.folds(at_last=number == len(steps)))
            trials = self._kept(trials)

    def _rung(self, found: Sequence[Candidate], step: int, keep: int, folds: int) -> None:
        """Run each candidate for `step` steps in every fold, grouped by equal terms."""
        texts = list(dict.fromkeys(c.plan.text for c in found))
        side_by_side = max(1, self.jobs.slots // folds)
        done: list[Candidate] = []
        for text in texts:
            group = [c for c in found if c.plan.text == text]
            for first in range(0, len(group), side_by_side):
                if self.outcomes and self._late():
                    return
                self._try(group[first : first + side_by_side], step, folds)
            done += group
            self._forget([*self._better(done, keep), *(c for c in found if c not in done)])

    def _late(self) -> bool:
        return self.seconds >= self._limit or self.hooks.should_stop()

    def _try(self, found: Sequence[Candidate], step: int, folds: int) -> None:
        """Run one trial of each candidate in parallel, except those that are in the log."""
        lasts = {c.settings: self._last(c, step) for c in found}
        known = {c.settings: self.log.get(c.settings, lasts[c.settings], folds) for c in found}
        new = [c for c in found if known[c.settings] is None]
        begin = self.hooks.clock()
        if new and not self._read(new[0].plan):
            return
        self._learn(new, lasts, folds)
        seconds = (self.hooks.clock() - begin) / max(len(new), 1)
        for candidate in found:
            trial = known[candidate.settings]
            if trial is None:
                trial = self._trial(candidate, lasts[candidate.settings], folds, seconds)
                self.log.add(trial)
            self._take(candidate, trial)

    def _last(self, candidate: Candidate, step: int) -> int:
        return min(rounds_of(step, candidate.plan.boosting, self.labels), self.most)

    def _read(self, plan: Plan) -> bool:
        """Prepare the features of the plan's terms; False if there are none."""
        try:
            self.parts.of(plan)
        except BoostextError as error:
            self.refusal = error
            return False
        return True

    def _learn(self, found: Sequence[Candidate], lasts: Mapping[str, int], folds: int) -> None:
        """Begin or continue the courses of each candidate up to its last round."""
        if not found:
            return
        of = [(candidate, fold) for candidate in found for fold in range(folds)]
        for candidate, fold in of:
            self._lasts.setdefault((candidate.settings, fold), []).append(lasts[candidate.settings])

        def told(number: int, mark: Mark) -> bool:
            candidate = of[number][0]
            return self._told(candidate, mark, lasts[candidate.settings])

        each = [
            (c.settings, fold, c.plan.boosting, tuple(self._lasts[c.settings, fold]))
            for c, fold in of
        ]
        made = self.jobs.run(trial, self.parts.of(found[0].plan), each, told)
        for candidate in found:
            mine = [run for (c, _), run in zip(of, made, strict=True) if c is candidate]
            self.courses[candidate.settings] = mine

    def _told(self, candidate: Candidate, mark: Mark, last: int) -> bool:
        """Report a mark, and return whether to end the trial there."""
        best = next(iter(self._ranked()), None)
        self.hooks.tell(Status(candidate.settings, mark, last, best, self.seconds))
        return self._late()

    def _trial(self, candidate: Candidate, last: int, folds: int, seconds: float) -> Trial:
        courses = self.courses[candidate.settings]
        whole = all(course.ended or course.done >= last for course in courses)
        common = min((c.done for c in courses if not c.ended), default=last)
        found = ([mark for mark in course.marks if mark.round <= common] for course in courses)
        marks = tuple(joined(list(found), self.parts.sizes[:folds]))
        return Trial(candidate.settings, last, marks, seconds, whole, folds)

    def _take(self, candidate: Candidate, trial: Trial) -> None:
        """Use the trial, unless a budget ended it before the best round of a shorter one."""
        known = [mark for mark in trial.marks if mark.value == mark.value]
        before = self.outcomes.get(candidate.settings)
        if not known or (before and known[-1].round < before.best.round):
            return
        best = min(known, key=lambda mark: (self._cost(mark.value), mark.round))
        self.outcomes[candidate.settings] = Outcome(
            candidate, best, trial.marks, trial.last, trial.seconds, trial.folds
        )

    def _cost(self, value: float) -> float:
        return -value if MEASURES[self.measure].greater else value

    def _ranked(self) -> list[Outcome]:
        """Outcomes, best first. Those with the most held-out folds come first, as others may be due
        to chance; then by value, and by the number of terms if values are equal.
        """
        found = list(self.outcomes.values())
        return sorted(found, key=lambda o: (-o.folds, self._cost(o.best.value), o.best.terms))

    def _better(self, found: Sequence[Candidate], keep: int) -> list[Candidate]:
        """The `keep` best, and the best of every algorithm.

        Learning one rule for each label in a round is worse at first, but may be best in the end.
        """
        mine = {c.settings for c in found}
        ranked = [o.candidate for o in self._ranked() if o.candidate.settings in mine]
        firsts = {c.plan.boosting.algorithm: c for c in reversed(ranked)}
        return [
            c for n, c in enumerate(ranked) if n < keep or c is firsts[c.plan.boosting.algorithm]
        ]

    def _forget(self, kept: Sequence[Candidate]) -> None:
        """Release what no candidate of the next length needs."""
        names = {c.settings for c in kept}
        self.courses = {k: v for k, v in self.courses.items() if k in names}
        self.parts.keep({c.plan.text for c in kept}, names)

    def tuned(self) -> Tuned:
        ranked = tuple(self._ranked())
        if not ranked:
            raise self.refusal or BoostextError(
                "no trial learned a rule before tuning ended; give tuning more time"
            )
        return Tuned(ranked, self.measure, self.over(), self.seconds)


def _work(digest: str, plan: Plan) -> dict[str, Any]:
    """What trials depend on in addition to their settings."""
    return {
        "version": __version__, "data": digest, "seed": plan.boosting.seed,
        "monitor": plan.stop.monitor, "group": plan.stop.group, "fields": list(plan.data.text),
    }  # fmt: skip
