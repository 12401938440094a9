"""Choose settings by trials on training data only: a race that ends when nothing can win any more.

Trials compete in brackets. All of them learn for a few steps on part of the data; those that
promise most for their cost learn for more steps, and the best of these are compared on further
folds. A step is one rule without shrinkage. With a shrinkage of 1/4, four rules are one step, so
that slow learners are not eliminated for being slow.

Whether a trial goes on depends on its expected gain: the mean of max(0, d), where d is how much
better it may be in the end than the best trial so far. The distribution of d is normal. Its mean is
the difference so far; its variance comes from the differences on single documents, which all
trials hold out alike, and from the steps that are still to be made. Costs are counted and never
timed (see `courses`), so that the choice depends only on the data, the settings and the budget.
Source: Jamieson & Talwalkar 2016, Algorithm 1, and Li et al. 2018 for the brackets; Mockus 1975 for
the expected gain.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from boostext import __version__
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.errors import BoostextError
from boostext.evaluation.measures import MEASURES, monitored
from boostext.presets import BRACKET, NUMBERS, STEPS, Choices, Search, grid
from boostext.training.choosing import Candidate, candidates, changed, chosen_by
from boostext.training.columns import declared_labels
from boostext.training.courses import (
    LEAST_STEPS,
    MOST_ROUNDS,
    NO_LOSSES,
    Losses,
    Mark,
    Run,
    best_of,
    joined,
    rounds_of,
    trial,
)
from boostext.training.examples import Groups, Unlabelled, is_multilabel
from boostext.training.jobs import InThreads, Jobs
from boostext.training.plan import Plan, command_line
from boostext.training.trial_log import Trial, TrialLog, pack
from boostext.training.tuning_parts import Parts

KEEP, KEEP_SLOW = 2, 3
"""At most one in this many trials advances to the next length; the other value is for slow trials.
"""
FORM = 3
"""The form of the trials in a log; those of another form are not continued."""
WORTH = 0.1
"""A trial that costs the whole budget must promise to lower the error by this share of it, and one
that costs a tenth of the budget by a tenth of this.
"""
LEAST_COST = 1e-3
"""Counted seconds of a trial that need not go on."""
ALONE = 0.5
"""Share of the budget up to which a trial that no other can beat is measured on further folds."""
DRIFT = 0.1
"""Standard deviation of how much two trials of no length may still draw apart, as a share of the
error. It falls with the square root of the steps.
"""
CLEARLY = 1.0
"""Standard errors by which a trial must lead the default settings, or else the default wins: most
other settings are a little worse than the default on data that it was made for.
"""
BEYOND = 1.5
"""Trials are learned up to this many times their best round so far, but to LEAST_STEPS at least,
and in further folds as long as the shortest trials.
"""
SHARES = (0.3, 0.6, 1.0)
"""Shares of the budget that are used at most by the end of the first, second and further heats."""


@dataclass(frozen=True)
class Outcome:
    """The result of a candidate.

    best: its best mark. marks: all marks. last: the round up to which it was to run. seconds: its
    counted work. folds: number of folds that were held out in turn. losses: see `Trial`.
    """

    candidate: Candidate
    best: Mark
    marks: tuple[Mark, ...]
    last: int
    seconds: float
    folds: int = 1
    losses: Losses = field(default_factory=lambda: NO_LOSSES, compare=False)

    def plan(self) -> Plan:
        """The candidate's plan with the rounds and the threshold of its best mark.

        A last round of all terms comes when little of the loss is left. More documents need more
        rounds until then, so that the number of rounds is only their maximum.
        """
        plan, best = self.candidate.plan, self.best
        rounds = self.last if plan.boosting.finish else best.round
        threshold = round(best.threshold, 4)
        boosting = replace(plan.boosting, rounds=rounds, threshold=threshold)
        return replace(plan, boosting=boosting)


@dataclass(frozen=True)
class Status:
    """The progress of tuning: a mark of the trial with these settings, which runs up to round
    `last`; the best outcome so far, None at first; and the counted seconds of all trials before.
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
    caller ended tuning. seconds: counted work.
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
                "settings": outcome.candidate.settings,
                self.measure: outcome.best.value,
                "rounds": outcome.best.round,
                "terms": outcome.best.terms,
                "seconds": round(outcome.seconds, 3),
                "parts": outcome.folds,
                "curve": [[mark.round, mark.terms, mark.value] for mark in outcome.marks],
            }
            for outcome in self.outcomes
        ]
        chosen = command_line(self.plan)
        return {
            "command": chosen,
            "measure": self.measure,
            "stopped": self.stopped,
            "trials": trials,
        }


@dataclass(frozen=True)
class Heat:
    """Trials of one length, which continue those of the shorter length.

    steps: their length. folds: number of folds that are held out in turn. least: if only folds have
    been added to the heat before, the length that trials have at least; otherwise 0.
    """

    steps: int
    folds: int
    least: int = 0

    @property
    def further(self) -> bool:
        return self.least > 0


@dataclass(frozen=True)
class Intent:
    """A bracket before it begins: the number of its trials, its heats, and an estimate of its cost
    in seconds of CPU time, at most its budget.
    """

    trials: int
    heats: tuple[Heat, ...]
    seconds: float


@dataclass(frozen=True)
class Hooks:
    """Callbacks of tuning.

    intend: called before each bracket. tell: called after every mark of a trial. should_stop: if it
    returns true, tuning ends with the results so far.
    """

    intend: Callable[[Intent], None] = lambda intent: None
    tell: Callable[[Status], None] = lambda status: None
    should_stop: Callable[[], bool] = lambda: False


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
    until the budget is used, or one bracket without a budget. budget: in seconds of CPU time, which
    are counted and not timed; by default it depends on the size of the data. given: settings that
    are not changed; if `rounds` is one of them, it is the maximum for all trials. trials: a file
    that logs the trials; those already in it are not repeated. jobs: where the trials run, by
    default in threads. Raises BoostextError and its subclasses if no candidate can be tried.
    """
    most = (plan.boosting.rounds if "rounds" in given else 0) or MOST_ROUNDS
    first = chosen_by(documents, plan)
    plan = changed(replace(plan, open=frozenset()), _of_columns(first))
    run = _Tuning(documents, plan, most, budget, trials, hooks or Hooks(), jobs)
    multilabel = run.parts.multilabel
    if search:
        choices = search.trials_for(multilabel, next(iter(first), None))
    else:
        choices = (*first, *grid(plan.boosting.seed, multilabel))
    size, steps = (len(choices), search.steps) if search else (BRACKET, STEPS)
    letters = any(each.get("analyzer") == "char" or each.get("letters") for each in first)
    without_effect = () if run.parts.has_texts else tuple(f.name for f in plan.text.fields())
    plans = candidates(plan, choices, (*given, *without_effect))
    found = (c for c in plans if letters or run.parts.suit(c.plan))
    while bracket := list(islice(found, size)):
        run.default = run.default or (bracket[0].settings if first else "")
        run.bracket(bracket, steps)
        if run.over() or budget is None or run.perfect():
            break
    return run.tuned()


def _of_columns(first: Sequence[Choices]) -> Choices:
    """Return the settings of numeric columns that the data suggests. They belong to every trial,
    because they save time, and lower the error of none.
    """
    return {name: value for each in first for name, value in each.items() if name in NUMBERS}


def expected_gain(ahead: float, spread: float) -> float:
    """The mean of max(0, x), where x is normal with mean -ahead and standard deviation spread."""
    if not spread:
        return max(0.0, -ahead)
    z = ahead / spread
    normal = NormalDist()
    return spread * normal.pdf(z) - ahead * normal.cdf(-z)


class _Tuning:
    """The state of a search.

    courses: one for each fold of the candidates that may advance. lasts: the rounds at which the
    trials of a course ended. spent: counted seconds of all trials and features. champion: the
    settings that won the brackets so far. default: the settings that would be chosen from the data,
    or none.
    """

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
        self.most, self.hooks = most, hooks
        documents = list(Unlabelled(plan.boosting.task).left_out(documents))
        builder, groups = CorpusBuilder(), Groups(plan.stop.group)
        deque(builder.watch(groups.taken(documents)), 0)
        corpus = builder.corpus(declared_labels(plan))
        multilabel = is_multilabel(corpus, plan.boosting)
        self.measure = monitored(plan.stop.monitor, multilabel)
        self.parts = Parts(documents, corpus, self.plan, groups, multilabel)
        self.budget = self.parts.budget if budget is None else budget
        work = _work(corpus.digest, plan)
        self.log = TrialLog.open(trials, work, len(documents)) if trials else TrialLog()
        self.jobs = jobs or InThreads(plan.threads)
        self.courses: dict[str, list[Run]] = {}
        self.lasts: dict[tuple[str, int], list[int]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.refusal: BoostextError | None = None
        self.spent = 0.0
        self.champion = self.default = ""

    def over(self) -> bool:
        return self.spent >= self.budget or self.hooks.should_stop()

    def perfect(self) -> bool:
        """Whether the best candidate so far makes no error, so that no other can be better."""
        return self.champion in self.outcomes and not self._error(self.outcomes[self.champion])

    def bracket(self, found: Sequence[Candidate], steps: Sequence[int]) -> None:
        """Let candidates compete, heat by heat. The best of earlier brackets joins the long heats,
        whose results for it are known.
        """
        heats = list(self._heats(steps))
        begin, left = self.spent, self.budget - self.spent
        lengths = [(heat.steps, heat.folds) for heat in heats if not heat.further]
        cost = self.parts.estimate([c.plan for c in found], lengths)
        self.hooks.intend(Intent(len(found), tuple(heats), min(cost, left)))
        for number, heat in enumerate(heats):
            limit = begin + left * SHARES[min(number, len(SHARES) - 1)]
            if heat.steps == steps[-1] and not heat.further and self.champion in self.outcomes:
                best = self.outcomes[self.champion].candidate
                found = [*found, *([] if best in found else [best])]
            going = found
            if number:
                going = self._promising(found, heat, heats[number - 1], steps[-1], limit)
            if not going or self.over():
                break
            found = going
            self._heat(found, heat, limit)
        names = {c.settings for c in found}
        if (ranked := self._ranked(found)) and (not self.champion or self.champion in names):
            self.champion = ranked[0].candidate.settings
        self.courses.clear()
        self.lasts.clear()
        self.parts.keep({c.plan.text for c in found}, ())

    def _heats(self, steps: Sequence[int]) -> Iterator[Heat]:
        few, many = self.parts.folds(at_last=False), self.parts.folds(at_last=True)
        for step in steps:
            yield Heat(min(step, self.most), few)
        for folds in range(few + 1, many + 1):
            yield Heat(min(steps[-1], self.most), folds, least=steps[0])

    # Which trials go on -----------------------------------------------------------------------

    def _promising(
        self, found: Sequence[Candidate], heat: Heat, before: Heat, longest: int, limit: float
    ) -> list[Candidate]:
        """The candidates of the next heat: the best, and those that may still be better at a cost
        that is worth it; none if nothing can win any more.

        While trials become longer, half of them go on at most, and the best of every algorithm
        does, because one rule for each label in a round is worse at first but may be best later.
        """
        ranked = self._ranked(found if heat.further else self._half(found, len(found)))
        if not ranked:
            return []
        best = ranked[0]
        firsts = set() if heat.further else {*self._firsts(ranked), self.default}
        to_come = 1 - math.sqrt(min(1.0, before.steps / min(longest, self.most)))
        costs = {o.candidate.settings: self._cost_of(o, heat) for o in ranked}
        gains = {o.candidate.settings: self._gain(o, best, to_come) for o in ranked}
        others = sorted(
            ranked[1:], key=lambda o: -gains[o.candidate.settings] / costs[o.candidate.settings]
        )
        kept, left = [best], limit - self.spent - costs[best.candidate.settings]
        for other in others:
            name = other.candidate.settings
            worth = gains[name] * self.budget >= WORTH * self._error(best) * costs[name]
            if (worth or name in firsts) and costs[name] <= left:
                kept.append(other)
                left -= costs[name]
        if len(kept) == 1 and heat.further and self.parts.enough(before.folds):
            cost = costs[best.candidate.settings]
            return [best.candidate] if self.spent + cost <= ALONE * self.budget else []
        names = {o.candidate.settings for o in kept}
        return [c for c in found if c.settings in names]

    def _half(self, found: Sequence[Candidate], of: int) -> list[Candidate]:
        """The best candidates, at most half of so many, and the best of every algorithm."""
        ranked, most = self._ranked(found), -(-of // (KEEP_SLOW if self.parts.slow else KEEP))
        firsts = {*self._firsts(ranked), self.default}
        return [
            o.candidate for n, o in enumerate(ranked) if n < most or o.candidate.settings in firsts
        ]

    def _firsts(self, ranked: Sequence[Outcome]) -> set[str]:
        by_algorithm = {o.candidate.plan.boosting.algorithm: o for o in reversed(ranked)}
        return {o.candidate.settings for o in by_algorithm.values()}

    def _gain(self, other: Outcome, best: Outcome, to_come: float) -> float:
        """The expected gain of a candidate over the best one; infinite if it cannot be told."""
        ahead, error = self._behind(other, best)
        if error is None:
            return math.inf
        return expected_gain(ahead, math.hypot(error, DRIFT * to_come * self._error(best)))

    def _behind(self, other: Outcome, best: Outcome) -> tuple[float, float | None]:
        """By how much a candidate is worse than another one, and the standard error of this, None
        if unknown. Any other candidate is worse than the default until it leads clearly.
        """
        count = min(len(other.losses), len(best.losses))
        if not count:
            return self._place(other)[0] - self._place(best)[0], None
        each = (other.losses[:count] - best.losses[:count]).astype(float)
        error = each.std() / math.sqrt(count)
        is_default = [o.candidate.settings == self.default for o in (best, other)]
        return each.mean() + CLEARLY * error * (is_default[0] - is_default[1]), error

    def _error(self, outcome: Outcome) -> float:
        value = outcome.best.value
        return 1 - value if MEASURES[self.measure].greater else value

    def _cost_of(self, outcome: Outcome, heat: Heat) -> float:
        """Counted seconds for the next heat, if rounds go on to cost what they did so far."""
        if outcome.candidate.plan.boosting.finish:  # it is complete
            more = heat.folds / outcome.folds - 1
            return max(more * outcome.seconds, LEAST_COST)
        done, last = outcome.marks[-1].round * outcome.folds, self._last(outcome.candidate, heat)
        known = (last, heat.folds) == (outcome.last, outcome.folds)
        # subtle: a single round may be the whole cost of a trial
        rounds = 0 if known else max(last * heat.folds - done, 1)
        return max(rounds * outcome.seconds / max(done, 1), LEAST_COST)

    def _last(self, candidate: Candidate, heat: Heat) -> int:
        """The last round of a heat. Little is learned long after the best round: a trial that has
        gone far beyond it becomes no longer, and in further folds it ends there.
        """
        boosting, labels = candidate.plan.boosting, self.parts.labels
        last = min(rounds_of(heat.steps, boosting, labels), self.most)
        before = self.outcomes.get(candidate.settings)
        if not before:
            return last
        beyond = math.ceil(BEYOND * before.best.round)
        if heat.further:
            return min(last, max(beyond, rounds_of(heat.least, boosting, labels)))
        done = before.marks[-1].round
        passed = done > max(beyond, rounds_of(LEAST_STEPS, boosting, labels))
        return before.last if passed else last

    def _loss(self, value: float) -> float:
        return -value if MEASURES[self.measure].greater else value

    def _ranked(self, found: Sequence[Candidate] | None = None) -> list[Outcome]:
        """Outcomes, best first, by the losses of documents, and by the number of terms if equal.

        The default comes first unless another one leads clearly and makes no more errors, because
        losses of rules that vote in other ways differ a little. Of all candidates, the champion
        comes first, and then those with the most held-out folds, as others may be due to chance.
        """
        if found is None:
            return sorted(
                self.outcomes.values(),
                key=lambda o: (o.candidate.settings != self.champion, -o.folds, *self._place(o)),
            )
        names = {c.settings for c in found}
        known = (o for o in self.outcomes.values() if o.candidate.settings in names)
        ranked = sorted(known, key=self._place)
        for default in (o for o in ranked[1:] if o.candidate.settings == self.default):
            if self._behind(default, ranked[0])[0] <= 0 or self._errs_less(default, ranked[0]):
                return [default, *(o for o in ranked if o is not default)]
        return ranked

    def _errs_less(self, one: Outcome, other: Outcome) -> bool:
        """Whether the measure of one outcome is better on the same folds."""
        values = (self._loss(one.best.value), self._loss(other.best.value))
        return one.folds == other.folds and values[0] < values[1]

    def _place(self, outcome: Outcome) -> tuple[float, int]:
        losses, best = outcome.losses, outcome.best
        loss = float(losses.mean(dtype=float)) if len(losses) else self._loss(best.value)
        return loss, best.terms

    # The trials -------------------------------------------------------------------------------

    def _heat(self, found: Sequence[Candidate], heat: Heat, limit: float) -> None:
        """Run the candidates in every fold, grouped by equal terms.

        A trial may use twice its share of what the trials before it left of the budget.
        """
        side_by_side = max(1, self.jobs.slots // heat.folds)
        lasts = {c.settings: self._last(c, heat) for c in found}
        waiting = list(found)
        while waiting:
            group = [c for c in waiting if c.plan.text == waiting[0].plan.text]
            self.spent += self.parts.cost_of(group[0].plan.text)
            left = limit - self.spent
            if self.outcomes and (left <= 0 or self.hooks.should_stop()):
                return
            allowance = 2 * max(left, 0.0) / len(waiting) / heat.folds
            for first in range(0, len(group), side_by_side):
                self._try(group[first : first + side_by_side], lasts, heat.folds, allowance)
            waiting = [c for c in waiting if c not in group]
            self._forget(
                [*self._half([c for c in found if c not in waiting], len(found)), *waiting]
            )

    def _read(self, plan: Plan) -> bool:
        """Prepare the features of the plan's terms; False if there are none."""
        try:
            self.parts.of(plan)
        except BoostextError as error:
            self.refusal = error
            return False
        return True

    def _try(
        self, found: Sequence[Candidate], lasts: Mapping[str, int], folds: int, allowance: float
    ) -> None:
        """Run one trial of each candidate in parallel, except those that are in the log."""
        known = {c.settings: self.log.get(c.settings, lasts[c.settings], folds) for c in found}
        for candidate in found:
            for fold in range(folds):
                of_fold = self.lasts.setdefault((candidate.settings, fold), [])
                of_fold.append(lasts[candidate.settings])
        new = [c for c in found if known[c.settings] is None]
        if new and not self._read(new[0].plan):
            return
        self._learn(new, lasts, folds, allowance)
        for candidate in found:
            trial = known[candidate.settings]
            if trial is None:
                trial = self._trial(candidate, lasts[candidate.settings], folds)
                self.log.add(trial)
            self._take(candidate, trial)

    def _learn(
        self, found: Sequence[Candidate], lasts: Mapping[str, int], folds: int, allowance: float
    ) -> None:
        """Begin or continue the courses of each candidate up to its last round."""
        if not found:
            return
        of = [(candidate, fold) for candidate in found for fold in range(folds)]

        def on_mark(number: int, mark: Mark) -> bool:
            candidate = of[number][0]
            return self._told(candidate, mark, lasts[candidate.settings])

        each = [
            (
                c.settings,
                fold,
                c.plan.boosting,
                tuple(self.lasts[c.settings, fold]),
                self._worked(c) + allowance,
            )
            for c, fold in of
        ]
        made = self.jobs.run(trial, self.parts.of(found[0].plan), each, on_mark)
        for candidate in found:
            mine = [run for (c, _), run in zip(of, made, strict=True) if c is candidate]
            self.courses[candidate.settings] = mine

    def _worked(self, candidate: Candidate) -> float:
        """The mean of the counted seconds of the candidate in each fold so far."""
        before = self.outcomes.get(candidate.settings)
        return before.seconds / before.folds if before else 0.0

    def _told(self, candidate: Candidate, mark: Mark, last: int) -> bool:
        """Report a mark, and return whether to end the trial there."""
        best = next(iter(self._ranked()), None)
        self.hooks.tell(Status(candidate.settings, mark, last, best, self.spent))
        return self.hooks.should_stop()

    def _trial(self, candidate: Candidate, last: int, folds: int) -> Trial:
        courses = self.courses[candidate.settings]
        whole = all(course.ended or course.done >= last for course in courses)
        common = min((c.done for c in courses if not c.ended), default=last)
        found = [
            [mark for mark in course.marks if mark.round <= min(common, last)] for course in courses
        ]
        marks = tuple(joined(found, self.parts.sizes[:folds]))
        work = sum(course.work for course in courses)
        losses = np.concatenate([course.losses for course in courses])
        return Trial(candidate.settings, last, marks, work, whole, folds, pack(losses))

    def _take(self, candidate: Candidate, trial: Trial) -> None:
        """Use the trial, unless a budget ended it before the best round of a shorter one."""
        best = best_of(trial.marks, self._loss)
        before = self.outcomes.get(candidate.settings)
        self.spent += max(0.0, trial.seconds - (before.seconds if before else 0.0))
        if not best or (before and trial.marks[-1].round < before.best.round):
            return
        self.outcomes[candidate.settings] = Outcome(
            candidate, best, trial.marks, trial.last, trial.seconds, trial.folds, trial.losses
        )

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
                if self.over()
                else "no trial learned a rule, because no condition helps; boostext check lists "
                "texts with the same terms and different labels"
            )
        return Tuned(ranked, self.measure, self.over(), self.spent)


def _work(digest: str, plan: Plan) -> dict[str, Any]:
    """What trials depend on in addition to their settings."""
    return {
        "version": __version__,
        "form": FORM,
        "data": digest,
        "seed": plan.boosting.seed,
        "monitor": plan.stop.monitor,
        "group": plan.stop.group,
        "fields": list(plan.data.text),
    }
