"""Threads that share ranges of terms, of about equal work; results do not depend on them."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32

PASSED, HEARD, TOLD, LOOKED = 0.4, 1.0, 6.0, 20.0
"""About what a term costs in a round that is passed over; each of its changed documents, without a
row and with one; a row that is looked at: in nanoseconds, but only their ratios count."""
LIFE = 64
"""Rounds that ranges are kept at most."""
SPLIT = 50_000
"""Work, in sums changed or terms looked at, from which threads pay."""
USUAL = 64
"""Rounds over which the share of documents that change is a mean."""

Part = tuple[int, int]


class Worker:
    """A thread that waits for work: a pool takes longer to pass it on than some of it takes."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=_serve, args=(self._asked,), daemon=True).start()
        weakref.finalize(self, self._asked.put, None)

    def begin(self, work: Callable[[], None]) -> None:
        self._asked.put(work)


def _serve(asked: SimpleQueue[Callable[[], None] | None]) -> None:
    while work := asked.get():
        work()
        del work


def _nothing() -> None:
    """What a thread is roused by."""


def pays(work: int) -> bool:
    """Whether threads do."""
    return work >= SPLIT


class Threads:
    """sizes: (n,) documents of each term. ranges: of terms, one a thread."""

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self.ranges = [(0, len(sizes))]
        self._parts, self._ended = np.full(threads, 1 / threads), np.zeros(threads)
        self._next_cut, self._changed = 0, 0.0

    def each_range(self, work_on: Callable[[int, int], Any], work: int) -> list[Any]:
        """What `work_on` returns for each range of terms, in order; of all at once if too little
        is to be done.
        """
        return self.each(work_on) if pays(work) else [work_on(0, len(self._sizes))]

    def each_part(
        self, work_on: Callable[[int, int], Any], sizes: NDArray[Any], work: int
    ) -> list[Any]:
        """The same for parts of something else, by the size of each."""
        parts = self.cut(sizes) if pays(work) else [(0, len(sizes))]
        return self.at_once(work_on, parts)

    @property
    def several(self) -> bool:
        """Whether there are several ranges."""
        return len(self.ranges) > 1

    def each(self, work_on: Callable[[int, int], Any]) -> list[Any]:
        """What `work_on` returns for each range, in order."""
        began = time.perf_counter()

        def timed(low: int, high: int) -> tuple[Any, float]:
            return work_on(low, high), time.perf_counter() - began

        found = self.at_once(timed, self.ranges)
        if len(found) == self.threads:  # not before ranges are dealt out
            self._ended += [ended for _, ended in found]
        return [made for made, _ in found]

    def wake(self) -> None:
        """Rouse the threads: soon there will be work."""
        if self.several:
            for worker in self._workers:
                worker.begin(_nothing)

    def at_once(self, work_on: Callable[[int, int], Any], parts: Sequence[Part]) -> list[Any]:
        """What `work_on` returns for each part, in order; each thread takes the next as it can."""
        made: dict[int, Any] = {}
        others: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
        ahead, own = iter(range(len(parts))), 0

        def some() -> None:
            for i in ahead:
                try:
                    others.put((i, work_on(*parts[i]), None))
                except BaseException as error:  # noqa: BLE001  raised again below
                    others.put((i, None, error))

        try:
            for worker in self._workers[: len(parts) - 1]:
                worker.begin(some)
            for i in ahead:
                own += 1
                made[i] = work_on(*parts[i])
        except BaseException:
            for _ in ahead:
                pass
            self._await()
            raise
        for _ in range(len(parts) - own):
            i, made[i], error = others.get()
            if error is not None:
                self._await()
                raise error
        return [made[i] for i in range(len(parts))]

    def _await(self) -> None:
        """Until no thread is at work."""
        done: SimpleQueue[None] = SimpleQueue()
        for worker in self._workers:
            worker.begin(partial(done.put, None))
        for _ in self._workers:
            done.get()

    def cut(self, work: NDArray[Any], fractions: Sequence[float] | Float64 = ()) -> list[Part]:
        """Ranges with these fractions of the work (of each item), else equal ones for threads."""
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        ends = np.cumsum(fractions if len(fractions) else np.full(self.threads, 1 / self.threads))
        cuts = np.searchsorted(done - work / 2, last * ends[:-1])
        return list(pairwise([0, *(int(c) for c in cuts), len(done)]))

    def deal(self, clock: int, slot: Int32, changed: float) -> None:
        """Cut the terms anew, if it is time. slot: rows of the first terms, or -1. changed: the
        share of documents that the last rule changed.
        """
        self._changed += (changed - self._changed) / min(clock, USUAL)
        if self.threads == 1 or clock < self._next_cut:
            return
        self._next_cut = clock + min(max(clock, 1), LIFE)
        with_row = np.zeros(len(self._sizes), np.bool_)
        with_row[: len(slot)] = slot >= 0
        told = self._changed * self._sizes * np.where(with_row, TOLD, HEARD)
        work = told + np.where(with_row, LOOKED, PASSED)
        self.ranges = self.cut(work, self._even())

    def _even(self) -> Float64:
        """Fractions with which threads end together, by when they ended so far."""
        if self._ended.all():
            self._parts *= np.sqrt(self._ended.mean() / self._ended)
            self._parts /= self._parts.sum()
        self._ended[:] = 0
        return self._parts

    @cached_property
    def _workers(self) -> list[Worker]:
        return [Worker() for _ in range(self.threads - 1)]
