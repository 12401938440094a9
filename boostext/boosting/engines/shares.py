"""Ranges of terms for threads, of about equal work; results do not depend on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32

PASSED, HEARD, TOLD, LOOKED = 0.7, 1.0, 5.0, 45.0
"""About what a term costs in a round that is passed over; each of its changed documents, without a
row and with one; a row that is looked at: in nanoseconds, but only their ratios count."""
LIFE = 64
"""Rounds that ranges are kept at most."""


Part = tuple[int, int]


class Shares:
    """The terms in ranges, one for each thread. sizes: (n,) documents of each term."""

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self._ranges = [(0, len(sizes))]
        self._round = 0

    def each(self, work_on: Callable[[int, int], Any]) -> list[Any]:
        """What `work_on` returns for each range, in order."""
        return self.at_once(work_on, self._ranges)

    def at_once(self, work_on: Callable[[int, int], Any], parts: Sequence[Part]) -> list[Any]:
        """What `work_on` returns for each part, in order, each in a thread."""
        others = [self._pool.submit(work_on, *part) for part in parts[1:]]
        try:
            first = work_on(*parts[0])
        finally:
            rest = [other.result() for other in others]
        return [first, *rest]

    def cut(self, work: NDArray[Any]) -> list[Part]:
        """Ranges of about equal work, one for each thread. work: (n,) of each item."""
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        cuts = np.searchsorted(done, np.linspace(0, last, self.threads + 1)[1:-1])
        return list(pairwise([0, *(int(c) for c in cuts), len(done)]))

    def deal(self, clock: int, slot: Int32, changed: float) -> None:
        """Cut the terms anew, if it is time. slot: rows of the first terms, or -1. changed: the
        share of documents that rules change.
        """
        if self.threads == 1 or clock < self._round:
            return
        self._round = clock + min(max(clock, 1), LIFE)
        with_row = np.zeros(len(self._sizes), np.bool_)
        with_row[: len(slot)] = slot >= 0
        told = changed * self._sizes * np.where(with_row, TOLD, HEARD)
        self._ranges = self.cut(told + np.where(with_row, LOOKED, PASSED))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads - 1)
