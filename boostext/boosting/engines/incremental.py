"""The default engine: exact boosting at the cost of what a rule changes.

Weights are D(i, l) = e(i, l) g(sign, l): a rule's votes on the block with most documents, its
base, go into g, one number a label and sign, and only documents outside it change their e. Terms
hear of those through an inverted index (SF12-9 Algorithm 9.3, for rules that vote on both sides):
frequent terms keep sums of e by sign and label in whole numbers, so that no order of adding
matters and nothing drifts; all terms keep one whole number that bounds their gain, by which most
are passed over. What may be best is summed anew from its documents, so that rules and votes are
those of the plain engine.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Scores, Weights
from boostext.boosting.choice import Choice, Eligible, eligible, first_of_best
from boostext.boosting.engines import kernels, layout
from boostext.boosting.engines.interface import Problem
from boostext.boosting.votes import VOTES
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES

FORMS = {("real", False): 0, ("real", True): 1, ("discrete", False): 2, ("discrete", True): 3}
STEPS = 2.0**26
"""Whole numbers that a label's sum of e makes; leaves room for it to grow sixteenfold."""
LASTS = 2048
"""Rules after which e is computed anew from the scores: products round."""
CUT_SLOP = 4e-6
"""What a threshold's gain by running sums may be wrong by: a rest of 0 has a root of its own."""
SPLIT = 400_000
"""Work, in sums changed or terms looked at, from which threads pay."""


Changes = tuple[Int32, Int32, Int32, Int32]
"""Documents (c,); whole numbers by which their e changed, by sign - (c, kp), and along pos by
sign +; by which their bounds changed (c,)."""


class IncrementalEngine:
    """Same rules, votes and scores as PlainEngine; memory: documents x labels, and 8 bytes x
    labels for each frequent term. Raises SettingsError where numba cannot be used.
    """

    def __init__(self, problem: Problem) -> None:
        self._kernels = _kernels()
        self.problem, self.members = problem, problem.members
        self.form = FORMS[problem.votes, problem.speaks[NO] == 0]
        m, k = problem.example_count, problem.label_count
        features = problem.members.features
        self._lists = (features.yes.starts, features.yes.items)
        self._unknown = (features.unknown.starts, features.unknown.items)
        self._labels = layout.labels(problem.label_sets, k).arrays()
        self._terms = layout.terms(features)
        self._near = np.zeros(0, np.int32)
        self._pending: Changes | None = None
        self._local, self._neg = np.zeros((m, k)), np.zeros((m, k))
        self._pos = np.zeros(len(problem.label_sets.items))
        self._S, self._low, self._sums = np.zeros((2, k)), np.zeros((2, k)), np.zeros((2, k))
        self._G, self._g, self._now = np.zeros(k), np.zeros((2, k)), np.zeros((2, k))
        self._allocate(m, -(-k // 8) * 8)
        self._renew()

    def _allocate(self, m: int, kp: int) -> None:
        n = len(self._terms.numbers)
        self._rows = np.zeros((self._terms.frequent, 2, kp), np.int32)
        self._scale = np.zeros((5, kp), np.float32)
        self._mass, self._whole = np.zeros(n, np.int32), np.zeros(m, np.int32)
        self._found, self._values = np.zeros(n, np.int32), np.zeros(n)

    # -------------------------------------------------------------- what the loop asks

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        self._flush()
        greatest = max(float(preference.max(initial=0.0)), 1e-300)
        search = _Search(self, preference, draw, greatest)
        search.exactly(self._near)
        search.terms()
        search.exactly(self._partly_unknown)
        search.cuts()
        self._near = search.near
        self._refresh(search)
        return search.choice()

    def block_weights(self, condition: int) -> Float64:
        W = np.zeros((3, 2, self.problem.label_count))
        yes = self.members.yes(condition)
        if condition >= self.members.listed:
            yes = np.sort(yes)
        self._kernels["block_sums"](yes, self.members.unknown(condition), self._labels, self._e, W)
        return W

    def apply(self, condition: int, votes: Float64) -> None:
        self._flush()
        base, others = self._blocks(condition)
        moved = [
            (documents, votes[block] - votes[base])
            for block, documents in others
            if len(documents) and (votes[block] != votes[base]).any()
        ]
        self._G += votes[base]
        self._pending = self._advance(moved)
        self._applied += 1
        self._spread += max((float(np.abs(shift).max()) for _, shift in moved), default=0.0)
        self._sums[:] = self._S + self._low
        self._total = self._kernels["scales"](self.form, self._sums, self._G, self._g, self._now)
        if self._worn():
            self._renew()

    def scores(self) -> Scores:
        return np.asarray(self._local + self._G)

    def weights(self) -> Weights:
        D = self._neg * self._g[0]
        items = self.problem.label_sets.items
        D[self._rows_of_pos, items] = self._pos * self._g[1, items]
        return np.asarray(D)

    # -------------------------------------------------------------- the weights

    def _blocks(self, condition: int) -> tuple[int, list[tuple[int, Int32]]]:
        """The base block, and the others with their documents; a silent NO is always the base."""
        yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        m = self.problem.example_count
        sizes = {NO: m - len(yes) - len(unknown), YES: len(yes), UNKNOWN: len(unknown)}
        base = NO if self.problem.speaks[NO] == 0 else max(sizes, key=lambda block: sizes[block])
        others = [(YES, yes), (UNKNOWN, unknown)]
        if base != NO:
            inside = np.ones(m, bool)
            inside[yes] = inside[unknown] = False
            others.append((NO, np.flatnonzero(inside).astype(np.int32)))
        return base, [(block, documents) for block, documents in others if block != base]

    def _advance(self, moved: list[tuple[Int32, Float64]]) -> Changes:
        """Move e and the scores of documents; the changes that terms have yet to hear of."""
        count = sum(len(documents) for documents, _ in moved)
        changes = (
            np.zeros(count, np.int32), np.zeros((count, self._rows.shape[2]), np.int32),
            self._by_pos, np.zeros(count, np.int32),
        )  # fmt: skip
        first = 0
        for documents, shift in moved:
            factor = np.exp(np.stack([shift, -shift]))
            self._kernels["advance"](
                documents, first, shift, factor, self._labels, self._local, self._neg, self._pos,
                self._S, self._low, self._grid, self._worth, self._whole, changes,
            )  # fmt: skip
            first += len(documents)
        self._weight += int(changes[3].sum(dtype=np.int64))
        return changes

    def _worn(self) -> bool:
        """Whether whole numbers have grown too coarse or too great, or e has rounded too often.

        Depends on the rules applied only: replaying them leaves the same bits as finding them.
        """
        grown = self._sums * self._grid >= 16 * STEPS
        if self._applied >= LASTS or self._spread > 300 or grown.any():
            return True
        roots = np.sqrt(self._sums[0] * self._sums[1])
        coarse = (self._sums * self._grid < STEPS / 1024).any(axis=0)
        return bool(np.abs(self._G).max() > 200 or roots[coarse].sum() > 0.02 * roots.sum())

    def _renew(self) -> None:
        """Everything anew from the scores: e = D, all scales 1."""
        self._local += self._G
        self._G[:] = 0
        self._applied, self._spread = 0, 0.0
        self._reweigh()
        self._kernels["sum_exactly"](self._labels, self._neg, self._pos, self._S, self._low)
        self._sums[:] = self._S + self._low
        self._grid = STEPS / np.maximum(self._sums, 1e-250)
        self._total = self._kernels["scales"](self.form, self._sums, self._G, self._g, self._now)
        self._recount_rows()
        self._recount_mass()

    def _reweigh(self) -> None:
        """e = D from the scores; the greatest exponent is taken out first, as in losses."""
        start, sets = self.problem.start, self.problem.label_sets
        exponent = self._local.copy()  # -Y f of the pairs with sign -
        exponent[self._rows_of_pos, sets.items] *= -1
        exponent[start.example <= 0] = -np.inf
        exponent -= exponent.max()
        np.exp(exponent, out=exponent)
        exponent *= start.example[:, None]
        self._pos[:] = exponent[self._rows_of_pos, sets.items] * start.positive
        self._neg[:] = exponent * start.negative
        self._neg[self._rows_of_pos, sets.items] = 0
        total = self._neg.sum() + self._pos.sum()
        self._neg /= total
        self._pos /= total

    @cached_property
    def _rows_of_pos(self) -> Int64:
        sets = self.problem.label_sets
        return np.repeat(np.arange(len(sets)), np.diff(sets.starts))

    @property
    def _e(self) -> tuple[Float64, Float64, Float64, Float64]:
        return self._neg, self._pos, self._sums, self._g

    # -------------------------------------------------------------- the terms

    def _flush(self) -> None:
        """Tell the terms of the last rule's changes."""
        changes, self._pending = self._pending, None
        if changes is None or not len(changes[0]):
            return
        if self._weight > 2**30:
            self._recount_mass()
            changes[3][:] = 0
        by_document = self._terms.by_document
        terms = (by_document.starts, by_document.items)
        sizes = by_document.starts[changes[0] + 1] - by_document.starts[changes[0]]
        work = int(sizes.sum()) * self._rows.shape[2] // 8
        self._each_range(
            lambda low, high: self._kernels["push"](
                low, high, changes, terms, self._labels, self._rows, self._mass
            ),
            work,
        )

    def _recount_rows(self) -> None:
        self._pending = None
        self._by_pos = np.rint(self._pos * self._grid[1, self._labels[1]]).astype(np.int32)
        by_neg = np.zeros((len(self._neg), self._rows.shape[2]), np.int32)
        by_neg[:, : self._neg.shape[1]] = np.rint(self._neg * self._grid[0])
        self._each_range(
            lambda low, high: self._kernels["recount_rows"](
                low, high, self._terms.numbers, self._lists, self._labels, by_neg, self._by_pos,
                self._rows,
            ),
            by_neg.size,
        )  # fmt: skip

    def _recount_mass(self) -> None:
        """Count what bounds gains anew, by what e counts now."""
        self._worth = self._now * STEPS
        self._worth_total, self._fit = self._total, 0.0
        self._weight = int(
            self._kernels["weigh"](self._worth, self._labels, self._neg, self._pos, self._whole)
        )
        self._each_range(
            lambda low, high: self._kernels["recount_mass"](
                low, high, self._terms.numbers, self._lists, self._whole, self._mass
            ),
            len(self._lists[1]),
        )

    def _refresh(self, search: _Search) -> None:
        """Count bounds anew where they have grown slack; only what is looked at depends on it."""
        fit = search.least_mass * self._worth_total / (self._total * max(search.best, 1e-12))
        self._fit = max(self._fit, fit)
        if fit < self._fit / 1.3:
            self._recount_mass()

    def _each_range(self, work_on: Callable[[int, int], Any], work: int) -> list[Any]:
        threads = self.problem.threads if work >= SPLIT else 1
        ranges = self._terms.ranges(threads) if threads > 1 else [(0, len(self._terms.numbers))]
        if threads == 1:
            return [work_on(*ranges[0])]
        return list(self._pool.map(lambda r: work_on(*r), ranges))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.problem.threads)

    @cached_property
    def _partly_unknown(self) -> Int32:
        """Listed conditions that some documents leave open."""
        return np.flatnonzero(self.members.features.unknown_list >= 0).astype(np.int32)


NEAR = 8
"""Conditions of the greatest bounds that the next search begins with."""


class _Search:
    """One search: candidates with exact values, and the best value so far."""

    def __init__(
        self, engine: IncrementalEngine, preference: Float64, draw: Eligible, greatest: float
    ) -> None:
        self.engine, self.preference, self.draw = engine, preference, draw
        self.greatest = greatest
        self.best = -1.0
        self.least_mass = 0.0
        self.candidates: list[tuple[Int32, Float64]] = []
        self.near = np.zeros(0, np.int32)
        self.base = engine._kernels["row_scales"](
            engine.form, engine._sums, engine._g, engine._total, engine._grid, engine._scale
        )

    def exactly(self, numbers: Int32) -> None:
        """Look at all of these listed conditions."""
        n = len(numbers)
        if n:
            rows = np.zeros((0, 2, 8), np.int32)
            everything = np.full(n, 2**31 - 1, np.int32)
            found = (np.zeros(n, np.int32), np.zeros(n))
            self._keep(0, self._scan(0, n, numbers, rows, everything, found), found)

    def terms(self) -> None:
        """Look at the terms whose bounds allow that they win."""
        engine = self.engine
        found = (engine._found, engine._values)
        parts = engine._each_range(
            lambda low, high: (
                low,
                self._scan(low, high, engine._terms.numbers, engine._rows, engine._mass, found),
            ),
            len(engine._mass),
        )
        for low, part in parts:
            self._keep(low, part, found)
        near = np.concatenate([part[1] for _, part in parts])
        values = np.concatenate([part[2] for _, part in parts])
        order = np.argsort(-values, kind="stable")[:NEAR]
        self.near = near[order][values[order] >= 0]
        self.least_mass = max(float(part[3][3]) for _, part in parts)

    def cuts(self) -> None:
        """Look at the thresholds of numeric columns."""
        engine = self.engine
        for column, offset in zip(engine.members.columns, engine.members.offsets, strict=False):
            gains = np.zeros(len(column))
            engine._kernels["cut_gains"](
                engine.form, column.order, column.first, column.unknown, engine._labels,
                engine._e, engine.problem.speaks, gains,
            )  # fmt: skip
            numbers = np.arange(offset, offset + len(column))
            values = gains * self.preference[numbers]
            values[~eligible(self.draw, numbers)] = -np.inf
            best = max(self.best, float(values.max(initial=-1.0)))
            close = numbers[values >= best - CUT_SLOP].astype(np.int32)
            exact = np.array([self._exact(int(j)) for j in close])
            self.candidates.append((close, exact))
            self.best = max(self.best, float(exact.max(initial=-1.0)))

    def choice(self) -> Choice | None:
        numbers = np.concatenate([c[0] for c in self.candidates] or [np.zeros(0, np.int32)])
        values = np.concatenate([c[1] for c in self.candidates] or [np.zeros(0)])
        if not len(numbers):
            return None
        order = np.argsort(numbers, kind="stable")
        best = first_of_best(values[order], self.preference[numbers[order]])
        winner = int(numbers[order][best])
        return Choice(winner, self._gain(winner))

    def _gain(self, condition: int) -> float:
        problem = self.engine.problem
        W = self.engine.block_weights(condition)
        return float(VOTES[problem.votes].gain(W, problem.speaks))

    def _exact(self, condition: int) -> float:
        return self._gain(condition) * float(self.preference[condition])

    def _scan(
        self, low: int, high: int, numbers: Int32, rows: Int32, mass: Int32, found: Any
    ) -> tuple[int, Int32, Float64, Float64]:
        engine = self.engine
        near, near_values, bound = np.zeros(NEAR, np.int32), np.zeros(NEAR), np.zeros(4)
        count = engine._kernels["scan"](
            engine.form, low, high, self.best, np.uint64(self.draw.key), self.draw.share,
            self.greatest, self.preference, numbers, rows, mass, engine._scale, self.base,
            engine._total, engine._now, engine._worth, engine._lists,
            engine.members.features.unknown_list, engine._unknown, engine._labels, engine._e,
            engine.problem.speaks, found[0], found[1], near, near_values, bound,
        )  # fmt: skip
        return count, near, near_values, bound

    def _keep(self, low: int, part: tuple[int, Int32, Float64, Float64], found: Any) -> None:
        numbers, values = (array[low : low + part[0]].copy() for array in found)
        self.candidates.append((numbers, values))
        self.best = max(self.best, float(values.max(initial=-1.0)))


def _kernels() -> dict[str, Any]:
    made = {f.__name__: compiled(f, s) for f, s in kernels.SIGNATURES.items()}
    if any(kernel is None for kernel in made.values()):
        raise SettingsError(
            f"the incremental engine needs numba: {notice()}; mend that, or use --engine plain"
        )
    return made
