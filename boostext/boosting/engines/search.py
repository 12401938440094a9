"""The search of the incremental engine for the condition with the largest gain.

Terms are searched by kernels_search, and thresholds and partly unknown conditions by their rows, or
one by one if rows would take too much memory. A *value* is gain x preference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Float64, Int32
from boostext.boosting.choice import (
    LEAST_GAIN,
    Candidates,
    Eligible,
    Preferred,
    eligible,
    first_of_best,
)
from boostext.boosting.engines import arrays, layout, thresholds
from boostext.boosting.engines.arrays import (
    Asked,
    EngineArrays,
    ListArrays,
    TermArrays,
    TurnArrays,
)
from boostext.boosting.engines.bounds import Bounds
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels_rounds import (
    BEGIN,
    CHOOSE,
    DONE,
    GAIN,
    MOVE,
    MOVED,
    NONE_HELPS,
    PAUSED,
    SUM_UP,
    UPDATE,
    VOTE,
    Z,
)
from boostext.boosting.engines.kernels_search import WRONG
from boostext.boosting.engines.rows import Rows
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights
from boostext.boosting.losses import LOSSES
from boostext.boosting.membership import NONE

SEVERAL = 3
"""The number of thresholds of a column that may win from which closer bounds are computed."""


class Parts(NamedTuple):
    """The parts of the engine that a search uses, each of which owns its arrays."""

    weights: Weights
    bounds: Bounds
    rows: Rows
    thresholds: thresholds.Thresholds | None
    threads: Threads


def parts_of(
    problem: Problem,
    terms: TermArrays,
    lists: ListArrays,
    kernels: Mapping[str, Any],
    keeps_rows: bool,
) -> Parts:
    form, threads = layout.form_of(problem), Threads(terms.sizes, problem.threads)
    labels = layout.labels(problem.positive_sets(), problem.label_count)
    weights = Weights(problem, LOSSES[problem.loss], labels, kernels)
    kept = None
    if thresholds.fits(problem.members, problem.label_count):
        kept = thresholds.Thresholds(problem, kernels, form)
        kept.renew(weights)
    bounds = Bounds(form, terms, lists, weights, threads, kernels)
    return Parts(
        weights,
        bounds,
        Rows(terms, lists, weights, bounds.arrays, threads, kernels, keeps_rows),
        kept,
        threads,
    )


class Search:
    """The search for rules in one problem, and the application of rules to its weights.

    parts: the weights, bounds and rows. found: what the kernels find. made: the rounds that were
    learned last. terms: the terms of the problem, if another search of the same documents has them.
    """

    def __init__(
        self, problem: Problem, terms: TermArrays | None = None, keeps_rows: bool = True
    ) -> None:
        self.members, self.kernels = problem.members, layout.Kernels()
        features = problem.members.features
        self.terms = terms or layout.terms(problem.members, self.kernels["transpose"])
        self.lists = layout.list_arrays(features.yes)
        self.parts = parts_of(problem, self.terms, self.lists, self.kernels, keeps_rows)
        self.kind = layout.kind_of(problem, self.weights)
        parts = len(self.parts.threads.ranges)
        self.found = layout.found_arrays(self.members, self.terms, problem.label_count, parts)
        self.made = layout.round_arrays(problem.label_count)
        weights = self.weights
        self._arrays = EngineArrays(
            self.kind,
            self.lists,
            weights.labels,
            self.terms,
            weights.arrays,
            weights.steps,
            weights.changes,
            self.made,
        )
        self._turns = self.parts.threads.turns()
        self._room = layout.move_room(problem.example_count, problem.label_count)
        self._preferred = Preferred()
        self._others: dict[int, float] = {}  # values of conditions that are not terms
        thresholds = len(self.members) > self.members.listed
        self._is_terms_alone = not thresholds and not len(self.members.partly_unknown)
        self._dealt = 0  # the number of searches by which terms were divided among threads

    @property
    def weights(self) -> Weights:
        return self.parts.weights

    def rounds(self, preference: Float64, draws: Sequence[Eligible]) -> int:
        """Learn the rules of the next rounds, one for each draw, and return their number.

        Their rules are in `made`. There are fewer rounds than draws if no condition lowers the loss
        any more, or if weights or bounds have to be computed again.
        """
        asked, n, stage = self._asked(preference, draws), 0, BEGIN
        self._deal()
        while n < len(draws):
            with self._sharing(asked):
                n, stage, why = self._learn(asked, preference, draws, n, stage)
            if why in (NONE_HELPS, MOVED):
                break
        return n

    def _learn(
        self, asked: Asked, preference: Float64, draws: Sequence[Eligible], n: int, stage: int
    ) -> tuple[int, int, int]:
        """Learn rounds from this stage of round n on, until they end or rows need more memory.

        Returns the round and the stage that come next, and why the compiled code returned.
        """
        rows, why = self.parts.rows.arrays, DONE
        while n < len(draws) and rows is self.parts.rows.arrays:
            condition = None
            if stage == BEGIN and not self._is_terms_alone:
                if not self._run_stages(n, asked, preference, draws[n]):
                    return n, stage, NONE_HELPS
                self._prepare()
                stage, condition = VOTE, int(self.made.conditions[n])
            stop = len(draws) if condition is None else n + 1
            n, why = self._run(asked, (stage, MOVE), (n, stop), condition)
            if why in (NONE_HELPS, MOVED):
                break
            stage = BEGIN
            if why == PAUSED:
                self._prepare()
                stage = VOTE
        return n, stage, why

    def find(self, preference: Float64, draw: Eligible) -> bool:
        """Find the rule of one round without applying it; return False if no condition lowers the
        loss.

        The rule is the first of `made`.
        """
        asked = self._asked(preference, [draw])
        self._deal()
        with self._sharing(asked):
            if self._is_terms_alone:
                found = self._run(asked, (BEGIN, CHOOSE), (0, 1))[1] != NONE_HELPS
            else:
                found = self._run_stages(0, asked, preference, draw)
        self._prepare()
        return found

    def move(self, condition: int, votes: Float64) -> float:
        """Apply the votes (3, k) of a rule to the weights, and return Z."""
        self.update()
        self.made.conditions[0], self.made.votes[0] = condition, votes
        self._run(layout.NOTHING, (MOVE, MOVE), (0, 1), condition)
        return float(self.made.results[0, Z])

    def update(self) -> None:
        """Update bounds and rows for the changes of the last rule, if a search has not done so."""
        parts = self.parts
        if not parts.weights.changes.count[0]:
            return
        if parts.thresholds is not None:
            parts.thresholds.update(parts.weights.changes, parts.weights.labels)
        with self._sharing(layout.NOTHING):
            self._run(layout.NOTHING, (UPDATE, UPDATE), (0, 1))
        parts.weights.changes.count[0] = 0

    def renew_if_inaccurate(self, moves: int) -> None:
        """Compute what has become inaccurate again. moves: the number of rules applied since the
        last call.
        """
        weights, bounds, rows, kept, _ = self.parts
        bounds.recount_if_large()
        if weights.must_renew(moves):
            weights.renew()
            if kept is not None:
                kept.renew(weights)
            rows.renew(self.clock)
            bounds.count()
        rows.remove_unused(self.clock)

    def load(self, neg: Float64, pos: Float64) -> None:
        """Replace all weights; see Weights.load. There must be no rows."""
        weights, bounds, _, kept, _ = self.parts
        weights.load(neg, pos)
        if kept is not None:
            kept.renew(weights)
        bounds.count()

    @property
    def clock(self) -> int:
        return int(self.found.counts[arrays.CLOCK])

    # -------------------------------------------------------------- rounds

    def _asked(self, preference: Float64, draws: Sequence[Eligible]) -> Asked:
        self.made.keys[: len(draws)] = [draw.key for draw in draws]
        looked_up, greatest = self._preferred.of(preference, int(self.found.counts[arrays.LAST]))
        return Asked(draws[0].share, greatest, looked_up)

    def _run(
        self,
        asked: Asked,
        stages: tuple[int, int],
        rounds: tuple[int, int],
        condition: int | None = None,
    ) -> tuple[int, int]:
        """Run stages of rounds in compiled code. condition: that of the rule, if it was found in
        Python.
        """
        return self._play(0, stages, rounds, asked, self._turns, condition)

    @contextmanager
    def _sharing(self, asked: Asked) -> Iterator[None]:
        """Let other threads take part in the searches until the block ends.

        The arrays of the rows must not be replaced before a search in this block.
        """

        def assist(thread: int, turns: TurnArrays) -> None:
            self._play(thread, (BEGIN, MOVE), (0, 0), asked, turns)

        with self.parts.threads.sharing(assist) as self._turns:
            yield

    def _play(
        self,
        thread: int,
        stages: tuple[int, int],
        rounds: tuple[int, int],
        asked: Asked,
        turns: TurnArrays,
        condition: int | None = None,
    ) -> tuple[int, int]:
        yes, unknown = NONE, NONE
        if condition is not None:
            yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        n, why = self.kernels["play"](
            thread,
            *stages,
            *rounds,
            turns,
            yes,
            unknown,
            asked,
            self._arrays,
            self.parts.rows.arrays,
            self.found,
            self._room,
        )
        return int(n), int(why)

    def _prepare(self) -> None:
        """Create rows and bounds that the compiled code asked for, before the rule of a round
        votes.
        """
        rows, found = self.parts.rows, self.found
        rows.add(found.wanted[: found.counts[arrays.WANTED]].copy(), self.clock)
        self.parts.bounds.recount_if_loose(found.figures)

    def _deal(self) -> None:
        """Divide the terms among the threads by the work of the last rounds."""
        threads, counts = self.parts.threads, self.found.counts
        rounds = self.clock - self._dealt
        if threads.threads > 1 and rounds:
            self._dealt += rounds
            changed = float(counts[arrays.CHANGED]) / max(
                len(self.parts.weights.changes.documents), 1
            )
            slot = self.parts.rows.arrays.slot
            threads.deal(
                self.clock, rounds, slot, changed / rounds, float(counts[arrays.WORK]) / rounds
            )
            counts[arrays.CHANGED] = counts[arrays.WORK] = 0

    def _run_stages(self, n: int, asked: Asked, preference: Float64, draw: Eligible) -> bool:
        """Run the search of round n, with conditions other than terms; return whether a rule lowers
        the loss.
        """
        one = (n, n + 1)
        self._others.clear()
        self._run(asked, (BEGIN, BEGIN), one)
        numbers, bounds = self._likely(asked.preference, draw)
        if self.parts.thresholds is not None and len(numbers):
            self._sum(numbers[[np.argmax(bounds)]], preference)
        self._run(asked, (UPDATE, SUM_UP), one)
        self._sum_likely(numbers, bounds, preference)
        return self._choose(n, preference)

    # -------------------------------------------------------------- conditions other than terms

    def _likely(self, looked_up: Float64, draw: Eligible) -> tuple[Int32, Float64]:
        """Return the conditions that may win according to their rows, and bounds on their values.

        Without rows, these are all conditions, and the bounds are infinite.
        """
        weights, figures, kept = self.parts.weights, self.found.figures, self.parts.thresholds
        if kept is None:
            cuts = np.arange(self.members.listed, len(self.members), dtype=np.int32)
            numbers = np.concatenate([self.members.partly_unknown, cuts])
            bounds = np.full(len(numbers), np.inf)
        else:
            kept.update(weights.changes, weights.labels)
            least = figures[arrays.BEST] - figures[arrays.SLOP]
            counts = self.parts.rows.arrays.counts
            numbers, bounds = kept.may_reach(least, looked_up, weights, counts)
        drawn = eligible(draw, numbers)
        return numbers[drawn], bounds[drawn]

    def _sum_likely(self, numbers: Int32, bounds: Float64, preference: Float64) -> None:
        """Compute the exact values of all conditions that may win, given bounds on their values."""
        figures = self.found.figures
        may_win = bounds >= figures[arrays.BEST] - figures[arrays.SLOP]
        numbers, bounds = self._with_closer(numbers[may_win], bounds[may_win], preference)
        for place in np.argsort(-bounds, kind="stable").tolist():
            if bounds[place] < figures[arrays.BEST] - figures[arrays.SLOP]:
                break
            self._sum(numbers[place : place + 1], preference)

    def _with_closer(
        self, numbers: Int32, bounds: Float64, preference: Float64
    ) -> tuple[Int32, Float64]:
        """Return the conditions, sorted, with closer bounds for thresholds if a column has several.

        Reading a column once costs less than summing the documents of a few of its thresholds.
        """
        members, weights = self.members, self.parts.weights
        order, k = np.argsort(numbers), len(weights.arrays.common)
        numbers, bounds = numbers[order], bounds[order]
        starts = np.searchsorted(numbers, members.offsets)
        least = SEVERAL if self.parts.thresholds is not None else 1
        for c in np.flatnonzero(np.diff(starts) >= least).tolist():
            column, inside = members.columns[c], slice(starts[c], starts[c + 1])
            closer = np.zeros(len(column))
            self.kernels["cut_bounds"](
                self.kind,
                column.order,
                column.first,
                column.unknown,
                weights.labels,
                weights.arrays,
                closer,
                self.found.table,
                np.zeros((3, 2, k)),
                np.zeros((2, k)),
            )
            found = numbers[inside]
            bounds[inside] = closer[found - members.offsets[c]] * preference[found]
        return numbers, bounds

    def _sum(self, numbers: Int32, preference: Float64) -> None:
        """Compute the exact values of some conditions."""
        figures = self.found.figures
        for j in numbers.tolist():
            if j in self._others:
                continue
            W, gain = self.exact(j)
            like = float(preference[j])
            value = self._others[j] = gain * like
            if value > figures[arrays.BEST]:
                figures[arrays.BEST], figures[arrays.SLOP] = value, WRONG * like
                self.found.counts[arrays.WINNER], self.found.winner[:] = j, W

    def exact(self, condition: int) -> tuple[Float64, float]:
        """Return the block weights and the gain of a condition, summed over its documents."""
        return self.weights.exact(self.members, condition, self.kind)

    # -------------------------------------------------------------- the choice of a rule

    def _choose(self, n: int, preference: Float64) -> bool:
        """Choose the best condition for round n, the first at ties; return whether it lowers the
        loss.
        """
        found, made = self.found, self.made
        numbers, values = self.looked_at()
        if not len(numbers):
            return False
        liked = preference[numbers]
        best = first_of_best(values, liked)
        found.winner[:], gain = self.exact(int(numbers[best]))
        made.conditions[n], made.results[n, GAIN] = numbers[best], gain
        return gain > LEAST_GAIN and bool(liked[best] > 0)

    def looked_at(self) -> Candidates:
        """Return the conditions that the last search summed, among which are all that may be the
        best.
        """
        found, count = self.found, int(self.found.counts[arrays.LOOKED])
        numbers = np.append(found.looked[:count], np.fromiter(self._others, np.int32))
        values = np.append(found.values[:count], np.fromiter(self._others.values(), np.float64))
        order = np.argsort(numbers)
        return Candidates(numbers[order], values[order])

    def vote(self, condition: int) -> Float64 | None:
        """Return the votes (3, k) of a rule on this condition; None if it does not lower the loss.

        They are the first in `made`.
        """
        made = self.made
        self.found.winner[:], gain = self.exact(condition)
        made.conditions[0], made.results[0, GAIN] = condition, gain
        if gain <= LEAST_GAIN:
            return None
        self._run(layout.NOTHING, (VOTE, VOTE), (0, 1))
        return np.array(made.votes[0])
