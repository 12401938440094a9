"""The search of the incremental engine: which condition gains most.

Terms are searched by kernels_search; thresholds and partly unknown conditions by their rows, where
these are kept, and else one by one. A value is gain x preference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Float64, Int32
from boostext.boosting.choice import (
    LEAST_GAIN,
    NOTHING,
    Asked,
    Candidates,
    Eligible,
    Preferred,
    eligible,
    first_of_best,
)
from boostext.boosting.engines import layout, thresholds
from boostext.boosting.engines.arrays import (
    BEST,
    CLOCK,
    FOUND,
    LAST,
    LEAST_BOUND,
    LOOKED,
    SLOP,
    WANTED,
    WINNER,
    FoundArrays,
    ListArrays,
    TermArrays,
)
from boostext.boosting.engines.bounds import Bounds
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels import Kernels
from boostext.boosting.engines.kernels_rounds import (
    BEGIN,
    CHOOSE,
    GAIN,
    MOVE,
    MOVED,
    NONE_HELPS,
    PAUSED,
    SCAN,
    SUM_UP,
    TELL,
    VOTE,
    Z,
)
from boostext.boosting.engines.kernels_search import WRONG
from boostext.boosting.engines.rows import Rows
from boostext.boosting.engines.threads import Threads, pays
from boostext.boosting.engines.weights import Weights
from boostext.boosting.losses import LOSSES
from boostext.boosting.membership import NONE

CUT_SLOP = 4e-6
"""What a threshold's gain by running sums may be wrong by: a rest of 0 has a root of its own."""


NO_LIKELY = np.zeros(0, np.int32), np.zeros(0)


class Parts(NamedTuple):
    """What a search works with."""

    weights: Weights
    bounds: Bounds
    rows: Rows
    thresholds: thresholds.Thresholds | None
    threads: Threads


def parts_of(
    problem: Problem, terms: TermArrays, lists: ListArrays, kernels: Mapping[str, Any]
) -> Parts:
    form, threads = layout.form_of(problem), Threads(terms.sizes, problem.threads)
    labels = layout.labels(problem.positive_sets(), problem.label_count)
    weights = Weights(problem, LOSSES[problem.loss], labels, kernels)
    kept = None
    if thresholds.fits(problem.members, problem.label_count):
        kept = thresholds.Thresholds(problem, kernels, form)
        kept.renew(weights)
    return Parts(
        weights,
        Bounds(form, terms, lists, weights, threads, kernels),
        Rows(terms, lists, weights, threads, kernels),
        kept,
        threads,
    )


class Search:
    """parts: what owns the arrays that are searched, each its own. found: what the kernels find.
    made: the last rounds. terms: as another search of the same documents has them.
    """

    def __init__(self, problem: Problem, terms: TermArrays | None = None) -> None:
        self.members, self.kernels = problem.members, Kernels()
        features = problem.members.features
        self.terms = terms or layout.terms(problem.members, self.kernels["transpose"])
        self.lists = layout.list_arrays(features.yes)
        self.parts = parts_of(problem, self.terms, self.lists, self.kernels)
        self.kind = layout.kind_of(problem, self.weights)
        self.found = layout.found_arrays(self.members, self.terms, problem.label_count)
        self.made = layout.round_arrays(problem.label_count)
        self._room = layout.move_room(problem.example_count)
        self._preferred = Preferred()
        self._others: dict[int, float] = {}  # values of what is no term
        thresholds = len(self.members) > self.members.listed
        self._is_terms_alone = not thresholds and not len(self.members.partly_unknown)

    @property
    def weights(self) -> Weights:
        return self.parts.weights

    def rounds(self, preference: Float64, draws: Sequence[Eligible]) -> int:
        """Learn the rules of the next rounds, one for each draw: `made`; how many they are.

        Fewer where no condition helps any more, and where weights or bounds want to be made anew.
        """
        asked = self._asked(preference, draws)
        n, stage = 0, BEGIN
        while n < len(draws):
            if stage == BEGIN and self._is_apart():
                if not self._apart(n, asked, preference, draws[n]):
                    break
                self._rest()
                n, why = self._run(asked, (VOTE, MOVE), (n, n + 1), int(self.made.conditions[n]))
            else:
                stop = len(draws) if self.parts.threads.threads == 1 else n + 1
                n, why = self._run(asked, (stage, MOVE), (n, stop))
            if why in (NONE_HELPS, MOVED):
                break
            stage = BEGIN
            if why == PAUSED:
                self._rest()
                stage = VOTE
        return n

    def find(self, preference: Float64, draw: Eligible) -> bool:
        """Look for the rule of one round, which does not vote yet: the first of `made`; whether
        there is one that helps.
        """
        asked = self._asked(preference, [draw])
        if self._is_apart():
            found = self._apart(0, asked, preference, draw)
        else:
            found = self._run(asked, (BEGIN, CHOOSE), (0, 1))[1] != NONE_HELPS
        self._rest()
        return found

    def move(self, condition: int, votes: Float64) -> float:
        """Add the votes (3, k) of a rule to the weights; Z."""
        self.update()
        self.made.conditions[0], self.made.votes[0] = condition, votes
        self._run(NOTHING, (MOVE, MOVE), (0, 1), condition)
        return float(self.made.told[0, Z])

    def update(self) -> None:
        """Terms hear of the last rule's changes, if no search told them."""
        parts = self.parts
        if not parts.weights.changes.count[0]:
            return
        if parts.thresholds is not None:
            parts.thresholds.update(parts.weights.changes, parts.weights.labels)
        parts.threads.each_range(
            lambda low, high: self._run(NOTHING, (TELL, TELL), (0, 1), terms=(low, high)),
            self._work(),
        )
        parts.weights.changes.count[0] = 0

    def settle(self, moves: int) -> None:
        """After so many rules: what has worn is made anew."""
        weights, bounds, rows, kept, _ = self.parts
        bounds.settle()
        if weights.is_worn(moves):
            weights.renew()
            if kept is not None:
                kept.renew(weights)
            rows.renew(self.clock)
            bounds.count()
        rows.tidy(self.clock)

    @property
    def clock(self) -> int:
        return int(self.found.counts[CLOCK])

    # -------------------------------------------------------------- rounds

    def _asked(self, preference: Float64, draws: Sequence[Eligible]) -> Asked:
        self.made.keys[: len(draws)] = [draw.key for draw in draws]
        looked_up, greatest = self._preferred.of(preference, int(self.found.counts[LAST]))
        return Asked(draws[0].share, greatest, looked_up)

    def _run(
        self, asked: Asked, stages: tuple[int, int], rounds: tuple[int, int],
        condition: int | None = None, terms: tuple[int, int] | None = None,
        found: FoundArrays | None = None,
    ) -> tuple[int, int]:  # fmt: skip
        """The kernel. condition: of the rule that votes, where Python found it."""
        parts, yes, unknown = self.parts, NONE, NONE
        if condition is not None:
            yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        weights = parts.weights
        n, why = self.kernels["play"](
            *stages, *rounds, *(terms or (0, len(self.terms.numbers))), asked.share,
            asked.greatest, weights.farthest, asked.preference, yes, unknown, self.kind,
            self.lists, weights.labels, self.terms, weights.arrays, weights.steps,
            weights.changes, parts.bounds.arrays, parts.rows.arrays, found or self.found,
            self._room, self.made,
        )  # fmt: skip
        return int(n), int(why)

    def _rest(self) -> None:
        """What a round wants that is not done in compiled code, before its rule votes."""
        rows, found = self.parts.rows, self.found
        rows.give(found.wanted[: found.counts[WANTED]].copy(), self.clock)
        self.parts.bounds.refresh(found.figures)

    def _is_apart(self) -> bool:
        """Whether a round goes by its stages: there is more than terms, or threads share them."""
        threads, changes = self.parts.threads, self.parts.weights.changes
        more = not self._is_terms_alone
        if threads.threads == 1:
            return more
        share = int(changes.count[0]) / max(len(changes.documents), 1)
        threads.deal(self.clock + 1, self.parts.rows.arrays.slot, share)
        return more or (threads.several and pays(self._work()))

    def _apart(self, n: int, asked: Asked, preference: Float64, draw: Eligible) -> bool:
        """The search of round n by its stages; whether there is a rule that helps."""
        found, kept, work = self.found, self.parts.thresholds, self._work()
        one, shared = (n, n + 1), self.parts.threads.several and pays(work)
        if shared:
            self.parts.threads.wake()
        self._others.clear()
        self._run(asked, (BEGIN, BEGIN), one)
        likely = self._likely(kept, asked.preference, draw) if kept is not None else NO_LIKELY
        self._sum(likely[0][:1], preference, draw)
        if shared:
            made = self.parts.threads.each(lambda low, high: self._scan(asked, one, low, high))
            self._gather(made)
        else:
            self._run(asked, (TELL, SCAN), one)
        if self._is_terms_alone:
            return self._run(asked, (SUM_UP, CHOOSE), one)[1] != NONE_HELPS
        self._run(asked, (SUM_UP, SUM_UP), one)
        for j, bound in zip(*likely, strict=True):
            if bound < found.figures[BEST] - found.figures[SLOP]:
                break
            self._sum(np.array([j]), preference, draw)
        if kept is None:
            self._sum(self.members.partly_unknown, preference, draw)
            self._cuts(preference, draw, asked.greatest)
        return self._choose(n, preference)

    def _scan(self, asked: Asked, one: tuple[int, int], low: int, high: int) -> FoundArrays:
        """A range of terms hears of the changes, and is looked at; what was found in it."""
        found = self.found
        own = found._replace(
            near=np.zeros(layout.NEAR, np.int32), near_bounds=np.zeros(layout.NEAR),
            sums=np.zeros_like(found.sums), counts=found.counts.copy(),
            figures=found.figures.copy(),
        )  # fmt: skip
        self._run(asked, (TELL, SCAN), one, terms=(low, high), found=own)
        return own

    def _work(self) -> int:
        """About how many sums hear of the changes, and terms that are passed."""
        if self.parts.threads.threads == 1:
            return 0
        changes, starts = self.parts.weights.changes, self.terms.starts
        some = changes.documents[: changes.count[0]]
        sums = int((starts[some + 1] - starts[some]).sum()) * self.parts.rows.width // 8
        return sums + len(self.terms.numbers)

    def _gather(self, made: list[FoundArrays]) -> None:
        """Put together what ranges found."""
        found = self.found
        starts = [low for low, _ in self.parts.threads.ranges]
        totals = {FOUND: 0, WANTED: 0}
        for low, own in zip(starts, made, strict=True):
            for which, arrays in (
                (FOUND, (found.numbers, found.bounds)),
                (WANTED, (found.wanted,)),
            ):
                first, count = totals[which], int(own.counts[which])
                for array in arrays:
                    array[first : first + count] = array[low : low + count].copy()
                totals[which] += count
        for which, count in totals.items():
            found.counts[which] = count
        near, bounds = (
            np.concatenate([getattr(own, of) for own in made]) for of in ("near", "near_bounds")
        )
        order = np.argsort(-bounds, kind="stable")[: layout.NEAR]
        found.near[:], found.near_bounds[:] = near[order], bounds[order]
        found.figures[LEAST_BOUND] = max(own.figures[LEAST_BOUND] for own in made)

    # -------------------------------------------------------------- other conditions

    def _likely(
        self, kept: thresholds.Thresholds, looked_up: Float64, draw: Eligible
    ) -> tuple[Int32, Float64]:
        """Conditions that may win by their rows, and bounds on their values, falling."""
        weights, figures = self.parts.weights, self.found.figures
        kept.update(weights.changes, weights.labels)
        numbers, bounds = kept.may_reach(
            figures[BEST] - figures[SLOP], looked_up, weights, self.parts.rows.arrays.counts
        )
        drawn = eligible(draw, numbers)
        numbers, bounds = numbers[drawn], bounds[drawn]
        order = np.argsort(-bounds, kind="stable")
        return numbers[order], bounds[order]

    def _cuts(self, preference: Float64, draw: Eligible, greatest: float) -> None:
        """Look at the thresholds of numeric columns, of which no sums are kept."""
        weights, figures = self.parts.weights, self.found.figures
        room = np.zeros_like(self.found.table)
        for column, offset in zip(self.members.columns, self.members.offsets, strict=False):
            gains = np.zeros(len(column))
            self.kernels["cut_gains"](
                self.kind.form, column.order, column.first, column.unknown, weights.labels,
                weights.arrays, self.kind.speaks, gains, self.found.table, room,
            )  # fmt: skip
            numbers = np.arange(offset, offset + len(column))
            values = np.where(eligible(draw, numbers), gains * preference[numbers], -1)
            best = max(figures[BEST], float(values.max(initial=0.0)))
            self._sum(numbers[values >= best - CUT_SLOP * greatest], preference, draw)

    def _sum(self, numbers: Any, preference: Float64, draw: Eligible) -> None:
        """Take those of these conditions that are eligible as candidates."""
        figures = self.found.figures
        for j in numbers[eligible(draw, numbers)].tolist():
            if j in self._others:
                continue
            W, gain = self.exact(j)
            like = float(preference[j])
            value = self._others[j] = gain * like
            if value > figures[BEST]:
                figures[BEST], figures[SLOP] = value, WRONG * like
                self.found.counts[WINNER], self.found.winner[:] = j, W

    def exact(self, condition: int) -> tuple[Float64, float]:
        """Block weights and gain, from the condition's documents."""
        return self.weights.exact(self.members, condition, self.kind)

    # -------------------------------------------------------------- the choice

    def _choose(self, n: int, preference: Float64) -> bool:
        """Take the condition of greatest value, or the first of equals, as the rule of round n."""
        found, made = self.found, self.made
        numbers, values = self.looked_at()
        if not len(numbers):
            return False
        liked = preference[numbers]
        best = first_of_best(values, liked)
        found.winner[:], gain = self.exact(int(numbers[best]))
        made.conditions[n], made.told[n, GAIN] = numbers[best], gain
        return gain > LEAST_GAIN and bool(liked[best] > 0)

    def looked_at(self) -> Candidates:
        """What the last search summed: all conditions that may be best are among them."""
        found, count = self.found, int(self.found.counts[LOOKED])
        numbers = np.append(found.looked[:count], np.fromiter(self._others, np.int32))
        values = np.append(found.values[:count], np.fromiter(self._others.values(), np.float64))
        order = np.argsort(numbers)
        return Candidates(numbers[order], values[order])

    def vote(self, condition: int) -> Float64 | None:
        """The votes (3, k) of a rule of this condition, as the first of `made`; None if it does not
        help.
        """
        made = self.made
        self.found.winner[:], gain = self.exact(condition)
        made.conditions[0], made.told[0, GAIN] = condition, gain
        if gain <= LEAST_GAIN:
            return None
        self._run(NOTHING, (VOTE, VOTE), (0, 1))
        return np.array(made.votes[0])
