"""Ranges of terms for threads, of about equal work; results do not depend on them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from boostext.arrays import Int32

PASSED, HEARD, TOLD, LOOKED = 0.7, 1.0, 5.0, 45.0
"""About what a term costs in a round that is passed over; each of its changed documents, without a
row and with one; a row that is looked at: in nanoseconds, but only their ratios count."""
LIFE = 64
"""Rounds that ranges are kept at most."""


class Shares:
    """The terms in ranges, one for each thread. sizes: (n,) documents of each."""

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self._ranges = [(0, len(sizes))]
        self._round = 0

    def each(self, work_on: Callable[[int, int], Any], threads: int) -> list[Any]:
        """What `work_on` returns for each range, in order; in one thread for all of them."""
        if threads == 1 or len(self._ranges) == 1:
            return [work_on(0, len(self._sizes))]
        others = [self._pool.submit(work_on, *part) for part in self._ranges[1:]]
        try:
            first = work_on(*self._ranges[0])
        finally:
            rest = [other.result() for other in others]
        return [first, *rest]

    def deal(self, clock: int, slot: Int32, changed: float) -> None:
        """Cut anew, if it is time. slot: rows of the first terms, or -1. changed: the share of
        documents that rules change.
        """
        if self.threads == 1 or clock < self._round:
            return
        self._round = clock + min(max(clock, 1), LIFE)
        with_row = np.zeros(len(self._sizes), np.bool_)
        with_row[: len(slot)] = slot >= 0
        told = changed * self._sizes * np.where(with_row, TOLD, HEARD)
        work = np.cumsum(told + np.where(with_row, LOOKED, PASSED))
        last = work[-1] if len(work) else 0.0
        cuts = np.searchsorted(work, np.linspace(0, last, self.threads + 1)[1:-1])
        self._ranges = list(pairwise([0, *(int(c) for c in cuts), len(self._sizes)]))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1)
