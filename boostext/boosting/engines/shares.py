"""Ranges of terms for threads, of about equal work; results do not depend on them."""

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


class Shares:
    """The terms in ranges for threads. sizes: (n,) documents of each term."""

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self._ranges = [(0, len(sizes))]
        self._shares, self._ended = np.full(threads, 1 / threads), np.zeros(threads)
        self._round = 0

    def each(self, work_on: Callable[[int, int], Any]) -> list[Any]:
        """What `work_on` returns for each range, in order."""
        began = time.perf_counter()

        def timed(low: int, high: int) -> tuple[Any, float]:
            return work_on(low, high), time.perf_counter() - began

        found = self.at_once(timed, self._ranges)
        if len(found) == self.threads:  # not before ranges are dealt out
            self._ended += [ended for _, ended in found]
        return [made for made, _ in found]

    def wake(self) -> None:
        """Rouse the threads: soon there will be work."""
        if len(self._ranges) > 1:
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

    def cut(self, work: NDArray[Any], shares: Sequence[float] | Float64 = ()) -> list[Part]:
        """Ranges with these shares of the work, else equal ones for the threads. work: of each."""
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        ends = np.cumsum(shares if len(shares) else np.full(self.threads, 1 / self.threads))
        cuts = np.searchsorted(done - work / 2, last * ends[:-1])
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
        work = told + np.where(with_row, LOOKED, PASSED)
        self._ranges = self.cut(work, self._even())

    def _even(self) -> Float64:
        """Shares with which threads end together, by when they ended so far."""
        if self._ended.all():
            self._shares *= np.sqrt(self._ended.mean() / self._ended)
            self._shares /= self._shares.sum()
        self._ended[:] = 0
        return self._shares

    @cached_property
    def _workers(self) -> list[Worker]:
        return [Worker() for _ in range(self.threads - 1)]
