"""Rows: whole-number sums of e by sign and label, for the terms that are often looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boostext.arrays import Int32, aligned
from boostext.boosting.engines.arrays import ListArrays, RowArrays, TermArrays
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights, padded

SHORT = 4
"""Documents from which a term may have a row; fewer are as soon summed."""
RECENT, TIDY, MANY = 64, 128, 0.15
"""Rounds without use after which a row may be given up; rounds between looks at which these are;
the share of rows from which it is worth the while.
"""
MOST_BYTES = 2**31
"""Memory that rows may take; beyond it terms are summed when they may win."""


class Rows:
    """arrays: the rows. What they say is only a bound (gains.most); whoever may win is summed anew
    in 64 bits from its documents.
    """

    def __init__(
        self, terms: TermArrays, lists: ListArrays, weights: Weights, threads: Threads,
        kernels: Mapping[str, Any],
    ) -> None:  # fmt: skip
        m, k = weights.arrays.neg.shape
        self._terms, self._lists, self._weights = terms, lists, weights
        self._threads, self._kernels = threads, kernels
        self._taken, self._tidied = 0, 0
        frequent, two = int((terms.sizes >= SHORT).sum()), (2, padded(k))
        counts = np.zeros(two, np.float32)
        counts[1, :k] = np.bincount(weights.labels.items, minlength=k)
        counts[0, :k] = m if weights.has_both_signs else m - counts[1, :k]
        self.arrays = RowArrays(
            aligned((64, *two)), np.full(frequent, -1, np.int32), np.zeros(frequent, np.int32),
            np.zeros(frequent, np.int32), np.zeros(two, np.float32), np.zeros(two, np.uint32),
            counts,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """Numbers of a sign: kp."""
        return int(self.arrays.sums.shape[2])

    def give(self, wanted: Int32, clock: int) -> None:
        """Rows for these terms, from now on kept up to date, if there is memory for them."""
        sums, last = self.arrays.sums, self._taken + len(wanted)
        if not len(wanted) or last * sums[0].nbytes > MOST_BYTES:
            return
        if last > len(sums):
            larger = aligned((2 * last, *sums.shape[1:]))
            larger[: self._taken] = sums[: self._taken]
            self.arrays = self.arrays._replace(sums=larger)
        self.arrays.slot[wanted] = np.arange(self._taken, last, dtype=np.int32)
        self.arrays.used[wanted] = clock
        self._taken = last
        sizes = self._terms.sizes[wanted]
        self._threads.each_part(
            lambda low, high: self._fill(wanted[low:high]), sizes,
            int(sizes.sum(dtype=np.int64)) * self.width // 8,
        )  # fmt: skip

    def _fill(self, wanted: Int32) -> None:
        weights = self._weights
        self._kernels["fill_rows"](
            wanted, self._lists, weights.labels, self._terms, weights.steps, self.arrays
        )

    def tidy(self, clock: int) -> None:
        """From time to time: give up rows of no use, and put the others in the order of terms."""
        if clock - self._tidied < TIDY:
            return
        self._tidied = clock
        useful = self._useful(clock)
        if len(useful) < (1 - MANY) * self._taken:
            sums, slot = self.arrays.sums, self.arrays.slot
            sums[: len(useful)] = sums[slot[useful]]
            self._clear()
            slot[useful] = np.arange(len(useful), dtype=np.int32)
            self._taken = len(useful)

    def renew(self, clock: int) -> None:
        """The rows that were of use lately, anew from the documents."""
        useful = self._useful(clock)
        self._clear()
        self.give(useful, clock)

    def _useful(self, clock: int) -> Int32:
        useful = np.flatnonzero((self.arrays.slot >= 0) & (self.arrays.used > clock - RECENT))
        return useful.astype(np.int32)

    def _clear(self) -> None:
        self.arrays.slot[:], self._taken, self.arrays.asked[:] = -1, 0, 0
