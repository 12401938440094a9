"""One search of the incremental engine: bounds first, then exact gains of the few that may win."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boostext.arrays import Float64, Int32
from boostext.boosting.choice import Choice, Eligible, eligible, first_of_best
from boostext.boosting.engines.kernels_search import SLOP
from boostext.boosting.membership import NONE

if TYPE_CHECKING:
    from boostext.boosting.engines.incremental import IncrementalEngine
    from boostext.boosting.engines.kept import KeptSums

NEAR, FIRST = 32, 4
"""Terms of the greatest bounds that are kept for the next search; how many of them begin it."""
AT_ONCE = 64
"""Conditions that are summed before they are compared."""
CUT_SLOP = 4e-6
"""What a threshold's gain by running sums may be wrong by: a rest of 0 has a root of its own."""


class Part(NamedTuple):
    """What a range of terms gave: conditions that may be best with bounds on their values, terms
    that want a row, the greatest bounds met, the least mass that was looked at.
    """

    numbers: Int32
    bounds: Float64
    wanted: Int32
    near: tuple[Int32, Float64]
    least_mass: float


class Search:
    """Candidates with exact values (gain x preference), and the best value so far.

    After `terms`: near, conditions to begin the next search with; wanted, terms that want a row;
    least_mass, the least that a term had to have.
    """

    def __init__(self, engine: IncrementalEngine, preference: Float64, draw: Eligible) -> None:
        self.engine, self.preference, self.draw = engine, preference, draw
        self.looked_up, self.greatest = engine.preferred(preference)
        self.best, self.slop, self.least_mass = -1.0, 0.0, 0.0
        self.near = self.wanted = NONE
        self.winner: tuple[int, Float64] | None = None
        self._values: dict[int, float] = {}
        self._kept = NONE, np.zeros(0)
        self._work = 0
        self._base = engine.kernels["row_scales"](
            engine.form,
            engine.sums,
            engine.g,
            engine.total,
            engine.grid,
            engine.scale,
            engine.all,
        )

    def begin(self, near: Int32) -> None:
        """Reach a good value by the last search's runners-up, or by terms of great mass."""
        engine = self.engine
        mass, numbers = engine.mass, engine.terms.numbers
        self._work = engine.work(engine.pending) + len(mass)
        if engine.pays(self._work):
            engine.shares.wake()
        near = near[eligible(self.draw, numbers[near])][:FIRST]
        self._reach(near)
        if self.best >= 0 or not len(mass):
            return
        if not len(near):
            drawn = np.where(eligible(self.draw, numbers), mass, -1)
            heaviest = np.argpartition(drawn, -min(FIRST, len(drawn)))[-FIRST:]
            near = heaviest[drawn[heaviest] >= 0].astype(np.int32)
        self.look(numbers[near[:1] if engine.kept else near])

    def _reach(self, near: Int32) -> None:
        """What these terms gain at least, by rows that have yet to hear of changes."""
        engine = self.engine
        likes = self.preference[engine.terms.numbers[near]]
        self.best = engine.kernels["reached"](
            engine.form, near, likes, engine.pending, engine.terms.numbers, engine.lists,
            engine.labels, engine.rows.slot, engine.rows.sums, self._base, engine.total,
            engine.sums, engine.g, engine.grid, np.zeros((2, engine.rows.width), np.uint32),
        )  # fmt: skip
        self.slop = SLOP * self.greatest if self.best >= 0 else 0.0

    def look(self, numbers: Int32) -> None:
        """Take those of these conditions that are eligible as candidates."""
        wanted = [
            j for j in numbers[eligible(self.draw, numbers)].tolist() if j not in self._values
        ]
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            for j, (W, gain) in zip(some, self.engine.exacts(some), strict=True):
                self._take(j, W, gain)

    def terms(self) -> None:
        """Look at the terms whose bounds allow that they win, after they heard of changes."""
        engine = self.engine
        changes, engine.pending = engine.pending, engine.nothing
        if engine.kept:
            engine.tell_kept(changes)
            self._bound_kept(engine.kept)

        def tell_and_scan(low: int, high: int) -> Part:
            engine.tell(low, high, changes)
            return self._scan(low, high)

        parts = engine.each_range(tell_and_scan, self._work)
        numbers, bounds = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        self._descend(numbers, bounds)
        self.near = self._nearest([part.near for part in parts])
        self.wanted = np.concatenate([part.wanted for part in parts])
        self.least_mass = max(part.least_mass for part in parts)

    def kept(self) -> None:
        """Look at conditions with kept sums whose bounds allow that they win; after `terms`."""
        self._descend(*self._kept)

    def _bound_kept(self, kept: KeptSums) -> None:
        """Bound conditions with kept sums, and look at the likeliest of them."""
        engine = self.engine
        numbers, bounds = kept.may_reach(
            self.best - self.slop, self.looked_up, engine.units, engine.counts,
            engine.g / engine.grid,
        )  # fmt: skip
        drawn = eligible(self.draw, numbers)
        self._kept = numbers[drawn].copy(), bounds[drawn].copy()
        if len(self._kept[0]):
            self._look(int(self._kept[0][np.argmax(self._kept[1])]))

    def cuts(self) -> None:
        """Look at the thresholds of numeric columns, of which no sums are kept."""
        engine = self.engine
        for column, offset in zip(engine.members.columns, engine.members.offsets, strict=False):
            gains = np.zeros(len(column))
            engine.kernels["cut_gains"](
                engine.form, column.order, column.first, column.unknown, engine.labels, engine.e,
                engine.problem.speaks, gains,
            )  # fmt: skip
            numbers = np.arange(offset, offset + len(column))
            values = np.where(eligible(self.draw, numbers), gains * self.preference[numbers], -1)
            best = max(self.best, float(values.max(initial=0.0)))
            self.look(numbers[values >= best - CUT_SLOP * self.greatest])

    def choice(self) -> Choice | None:
        """The best, or the first of equals; None if nothing was eligible."""
        if not self._values:
            return None
        numbers = np.array(sorted(self._values))
        values = np.array([self._values[j] for j in numbers.tolist()])
        liked = self.preference[numbers]
        best = first_of_best(values, liked)
        return Choice(int(numbers[best]), float(values[best] / max(liked[best], 1e-300)))

    def _descend(self, numbers: Int32, bounds: Float64) -> None:
        """Look at conditions by falling bounds, as long as these reach the best."""
        order = np.argsort(-bounds, kind="stable")
        for j, bound in zip(numbers[order].tolist(), bounds[order].tolist(), strict=True):
            if bound < self.best - self.slop:
                break
            self._look(j)

    def _look(self, condition: int) -> None:
        if condition not in self._values:
            self._take(condition, *self.engine.exact(condition))

    def _take(self, condition: int, W: Float64, gain: float) -> None:
        like = float(self.preference[condition])
        value = gain * like
        self._values[condition] = value
        if value > self.best:
            self.best, self.slop = value, SLOP * like
            self.winner = condition, W

    def _scan(self, low: int, high: int) -> Part:
        engine = self.engine
        near, bound = (np.zeros(NEAR, np.int32), np.zeros(NEAR)), np.zeros(5)
        state = (
            engine.terms.numbers, engine.terms.sizes, engine.rows.slot, engine.mass,
            engine.rows.asked, engine.rows.used,
        )  # fmt: skip
        measure = engine.all, engine.counts, engine.scale, engine.now, engine.worth
        sums = np.zeros((2, engine.rows.width))
        count = engine.kernels["scan"](
            engine.form, low, high, self.best, self.slop, np.uint64(self.draw.key),
            self.draw.share, self.greatest, self._base, engine.total, engine.clock,
            self.looked_up, state, engine.rows.sums, measure, engine.lists, engine.labels, engine.e,
            sums, engine.found, near, bound,
        )  # fmt: skip
        numbers, bounds, wanted = engine.found
        found, last = slice(low, low + count), low + int(bound[4])
        return Part(
            numbers[found].copy(), bounds[found].copy(), wanted[low:last].copy(), near,
            float(bound[3]),
        )  # fmt: skip

    def _nearest(self, near: list[tuple[Int32, Float64]]) -> Int32:
        numbers, bounds = (np.concatenate([part[i] for part in near]) for i in (0, 1))
        order = np.argsort(-bounds, kind="stable")[:NEAR]
        return np.asarray(numbers[order][bounds[order] >= 0])
