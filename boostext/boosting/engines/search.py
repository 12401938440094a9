"""The search of the incremental engine: which condition gains most.

Terms are searched by kernels_search; thresholds and partly unknown conditions by their rows, where
these are kept, and else one by one. A value is gain x preference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Float64, Int32
from boostext.boosting.choice import Choice, Eligible, eligible, first_of_best
from boostext.boosting.engines import thresholds
from boostext.boosting.engines.arrays import (
    BEST,
    FOUND,
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
from boostext.boosting.engines.kernels_search import WRONG
from boostext.boosting.engines.rows import Rows
from boostext.boosting.engines.threads import Threads, pays
from boostext.boosting.engines.weights import Weights

NEAR = 32
"""Terms of the greatest bounds that are kept for the next search."""
CUT_SLOP = 4e-6
"""What a threshold's gain by running sums may be wrong by: a rest of 0 has a root of its own."""


class Parts(NamedTuple):
    """What a search works with."""

    weights: Weights
    bounds: Bounds
    rows: Rows
    thresholds: thresholds.Thresholds | None
    threads: Threads


class Search:
    """found: what the kernels find. clock: searches so far."""

    def __init__(
        self, problem: Problem, form: int, terms: TermArrays, lists: ListArrays, parts: Parts,
        kernels: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.problem, self.members, self.form = problem, problem.members, form
        self.terms, self.lists, self.parts, self.kernels = terms, lists, parts, kernels
        self.clock = 0
        n, listed, k = len(terms.numbers), problem.members.listed, problem.label_count
        two = (2, parts.rows.width)
        self.found = FoundArrays(
            np.zeros(n, np.int32), np.zeros(n), np.zeros(listed, np.int32), np.zeros(listed),
            np.zeros(listed, np.int32), np.zeros(n, np.int32), np.zeros(NEAR, np.int32),
            np.full(NEAR, -1.0), np.zeros((3, 2, k)), np.zeros((3, 2, k)),
            np.zeros(two, np.uint32), np.zeros(two), np.zeros(4, np.int64), np.zeros(4),
        )  # fmt: skip
        self._last = -1  # condition of the last rule
        self._preference: tuple[Float64, float, Float64] | None = None
        self._winner: tuple[int, Float64] | None = None
        self._others: dict[int, float] = {}  # values of what is no term

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        """The condition of greatest value, or the first of equals; None if nothing is eligible."""
        self.clock += 1
        parts, changed = self.parts, int(self.parts.weights.changes.count[0])
        share = changed / max(self.problem.example_count, 1)
        parts.threads.deal(self.clock, parts.rows.arrays.slot, share)
        looked_up, greatest = self._looked_up(preference)
        self._others.clear()
        self._winner = None
        self._terms((np.uint64(draw.key), draw.share, greatest), looked_up, preference, draw)
        if parts.thresholds is None:
            self._sum(self.members.partly_unknown, preference, draw)
            self._cuts(preference, draw, greatest)
        parts.weights.changes.count[0] = 0
        found = self.found
        parts.rows.give(found.wanted[: found.counts[WANTED]].copy(), self.clock)
        parts.bounds.refresh(float(found.figures[LEAST_BOUND]), float(found.figures[BEST]))
        parts.rows.tidy(self.clock)
        return self._choice(preference)

    def block_weights(self, condition: int) -> Float64:
        """(3, 2, k), of the best that was found without summing it again."""
        if self._winner is not None and self._winner[0] == condition:
            return self._winner[1].copy()
        return self._exact(condition)[0]

    def forget(self, condition: int) -> None:
        """Take in that a rule asks for the condition: its weights have moved."""
        self._last, self._winner = condition, None

    # -------------------------------------------------------------- terms

    def _terms(
        self, drawn: tuple[Any, ...], looked_up: Float64, preference: Float64, draw: Eligible
    ) -> None:
        """Look at the terms whose bounds allow that they win, after they heard of changes."""
        parts, found = self.parts, self.found
        weights, rows, kept = parts.weights, parts.rows, parts.thresholds
        work = self._work()
        if pays(work):
            parts.threads.wake()
        common = looked_up, self.lists, weights.labels, self.terms, weights.arrays
        self.kernels["begin"](
            self.form, self._last, *drawn, *common, weights.steps.per_weight, weights.changes,
            parts.bounds.arrays, rows.arrays, found,
        )  # fmt: skip
        if found.counts[FOUND]:
            self._descend(looked_up)
        likely = self._likely(kept, looked_up, draw) if kept is not None else None
        if likely is not None and len(likely[0]):
            self._sum(likely[0][:1], preference, draw)
        self._scan((*drawn, self.clock, *common), work)
        self._descend(looked_up)
        if likely is not None:
            for j, bound in zip(*likely, strict=True):
                if bound < found.figures[BEST] - found.figures[SLOP]:
                    break
                self._sum(np.array([j]), preference, draw)

    def _descend(self, looked_up: Float64) -> None:
        weights = self.parts.weights
        self.kernels["descend"](
            self.form, self.clock, looked_up, self.lists, weights.labels, weights.arrays,
            self.problem.speaks, self.found,
        )  # fmt: skip

    def _work(self) -> int:
        """About how many sums hear of the changes, and terms that are passed."""
        changes, starts = self.parts.weights.changes, self.terms.starts
        some = changes.documents[: changes.count[0]]
        sums = int((starts[some + 1] - starts[some]).sum()) * self.parts.rows.width // 8
        return sums + len(self.terms.numbers)

    def _scan(self, drawn: tuple[Any, ...], work: int) -> None:
        """Each range of terms hears of the changes, and is looked at."""
        parts, found, kernels = self.parts, self.found, self.kernels
        weights, bounds, rows = parts.weights, parts.bounds.arrays, parts.rows.arrays

        def update_and_scan(low: int, high: int, own: FoundArrays) -> FoundArrays:
            kernels["update"](low, high, weights.labels, self.terms, weights.changes, bounds, rows)
            kernels["scan"](self.form, low, high, *drawn, bounds, rows, own)
            return own

        if not (parts.threads.several and pays(work)):
            update_and_scan(0, len(self.terms.numbers), found)
            return
        made = parts.threads.each(lambda low, high: update_and_scan(low, high, self._own()))
        self._gather(made)

    def _own(self) -> FoundArrays:
        """What a thread finds, in its range of the long arrays."""
        found = self.found
        return found._replace(
            near=np.zeros(NEAR, np.int32), near_bounds=np.zeros(NEAR),
            sums=np.zeros_like(found.sums), counts=np.zeros(4, np.int64),
            figures=found.figures.copy(),
        )  # fmt: skip

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
        order = np.argsort(-bounds, kind="stable")[:NEAR]
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
                self.form, column.order, column.first, column.unknown, weights.labels,
                weights.arrays, self.problem.speaks, gains, self.found.table, room,
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
            W, gain = self._exact(j)
            like = float(preference[j])
            value = self._others[j] = gain * like
            if value > figures[BEST]:
                figures[BEST], figures[SLOP] = value, WRONG * like
                self.found.counts[WINNER], self.found.winner[:] = j, W

    def _exact(self, condition: int) -> tuple[Float64, float]:
        """Block weights and gain, from the condition's documents."""
        W, weights = np.zeros((3, 2, self.problem.label_count)), self.parts.weights
        yes = self.members.yes(condition)
        if condition >= self.members.listed:
            yes = self._ascending(yes)
        gain = self.kernels["exact"](
            self.form, yes, self.members.unknown(condition), weights.labels, weights.arrays,
            self.problem.speaks, W,
        )  # fmt: skip
        return W, float(gain)

    def _ascending(self, documents: Int32) -> Int32:
        if 8 * len(documents) < self.problem.example_count:
            return np.sort(documents)
        inside = np.zeros(self.problem.example_count, np.bool_)
        inside[documents] = True
        return np.flatnonzero(inside).astype(np.int32)

    # -------------------------------------------------------------- the choice

    def _choice(self, preference: Float64) -> Choice | None:
        found, count = self.found, int(self.found.counts[LOOKED])
        numbers = np.append(found.looked[:count], np.fromiter(self._others, np.int32))
        values = np.append(found.values[:count], np.fromiter(self._others.values(), np.float64))
        if not len(numbers):
            return None
        order = np.argsort(numbers)
        numbers, values = numbers[order], values[order]
        liked = preference[numbers]
        best = first_of_best(values, liked)
        if numbers[best] == found.counts[WINNER]:
            self._winner = int(numbers[best]), found.winner
        return Choice(int(numbers[best]), float(values[best] / max(liked[best], 1e-300)))

    def _looked_up(self, preference: Float64) -> tuple[Float64, float]:
        """What kernels look up, (1,) where all are the same to spare the look-up; the greatest.

        Relies on what Engine.best says of the array.
        """
        last = self._preference
        if last is None or last[0] is not preference:
            greatest = max(float(preference.max(initial=0.0)), 1e-300)
            alike = bool((preference == greatest).all())
            last = preference, greatest, np.array([greatest]) if alike else preference
        elif len(last[2]) == 1 and self._last >= 0 and preference[self._last] != last[1]:
            last = preference, last[1], preference
        self._preference = last
        return last[2], last[1]
