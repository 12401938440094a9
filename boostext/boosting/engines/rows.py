"""Sums of e by sign and label, in whole numbers, for the terms that searches often look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boostext.arrays import Int32, aligned
from boostext.boosting.engines.arrays import BoundArrays, ListArrays, RowArrays, TermArrays
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights, padded

SHORT = 4
"""The smallest number of documents of a term with a row; shorter terms are as quickly summed."""
RECENT, CHECK_AFTER, MANY_UNUSED = 64, 128, 0.15
"""When rows are removed.

RECENT: the number of searches without use after which a row may be removed. CHECK_AFTER: the number
of searches between two checks. MANY_UNUSED: the share of unused rows from which they are removed.
"""
MOST_BYTES = 2**31
"""The most bytes that rows may take. If there is no room for a row, its term is summed when it may
win.
"""


class Rows:
    """The rows of the terms that searches often look at. arrays: the rows, for the kernels.

    A row gives only an upper bound on a gain (gains.most). The exact gain of a term that may win is
    computed from its documents in float64. keeps_rows: whether terms get rows at all.
    """

    def __init__(
        self,
        terms: TermArrays,
        lists: ListArrays,
        weights: Weights,
        bounds: BoundArrays,
        threads: Threads,
        kernels: Mapping[str, Any],
        keeps_rows: bool = True,
    ) -> None:
        m, k = weights.arrays.neg.shape
        self._terms, self._lists, self._weights = terms, lists, weights
        self._threads, self._kernels = threads, kernels
        self._checked = 0
        frequent = int((terms.sizes >= SHORT).sum()) if keeps_rows else 0
        two = (2, padded(k))
        counts = np.zeros(two, np.float32)
        counts[1, :k] = np.bincount(weights.labels.items, minlength=k)
        counts[0, :k] = m - counts[1, :k] if keeps_rows and not weights.has_both_signs else m
        self.arrays = RowArrays(
            aligned((64, *two)),
            np.zeros(1, np.int64),
            np.full(frequent, -1, np.int32),
            np.zeros(frequent, np.int32),
            np.zeros(frequent, np.int32),
            np.zeros(two, np.float32),
            np.zeros(two, np.uint32),
            counts,
            bounds,
        )

    @property
    def width(self) -> int:
        """The number of sums for each sign, kp."""
        return int(self.arrays.sums.shape[2])

    def add(self, wanted: Int32, clock: int) -> None:
        """Create rows for these terms, if there is memory for them. clock: the number of searches
        so far.
        """
        sums, taken = self.arrays.sums, int(self.arrays.taken[0])
        last = taken + len(wanted)
        if not len(wanted) or last * sums[0].nbytes > MOST_BYTES:
            return
        if last > len(sums):
            larger = aligned((2 * last, *sums.shape[1:]))
            larger[:taken] = sums[:taken]
            self.arrays = self.arrays._replace(sums=larger)
        self.arrays.slot[wanted] = np.arange(taken, last, dtype=np.int32)
        self.arrays.used[wanted], self.arrays.taken[0] = clock, last
        sizes = self._terms.sizes[wanted]
        self._threads.each_part(
            lambda low, high: self._fill(wanted[low:high]),
            sizes,
            int(sizes.sum(dtype=np.int64)) * self.width // 8,
        )

    def _fill(self, wanted: Int32) -> None:
        weights = self._weights
        self._kernels["fill_rows"](
            wanted, self._lists, weights.labels, self._terms, weights.steps, self.arrays
        )

    def remove_unused(self, clock: int) -> None:
        """Remove unused rows and sort the others by term, unless this was done lately."""
        if clock - self._checked < CHECK_AFTER:
            return
        self._checked = clock
        useful = self._useful(clock)
        if len(useful) < (1 - MANY_UNUSED) * self.arrays.taken[0]:
            sums, slot = self.arrays.sums, self.arrays.slot
            sums[: len(useful)] = sums[slot[useful]]
            self._clear()
            slot[useful] = np.arange(len(useful), dtype=np.int32)
            self.arrays.taken[0] = len(useful)

    def renew(self, clock: int) -> None:
        """Compute the rows that were used lately from the documents, and remove the others."""
        useful = self._useful(clock)
        self._clear()
        self.add(useful, clock)

    def _useful(self, clock: int) -> Int32:
        useful = np.flatnonzero((self.arrays.slot >= 0) & (self.arrays.used > clock - RECENT))
        return useful.astype(np.int32)

    def _clear(self) -> None:
        self.arrays.slot[:], self.arrays.taken[0], self.arrays.misses[:] = -1, 0, 0
