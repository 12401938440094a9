"""Threads that work on ranges of terms with about equal work. Results do not depend on them."""

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

SKIPPED, WITHOUT_ROW, WITH_ROW, SEARCHED = 0.4, 1.0, 6.0, 20.0
"""The costs of a term in a round, in nanoseconds; only their ratios matter.

SKIPPED: a term that is skipped by its bound. WITHOUT_ROW, WITH_ROW: each changed document of a
term. SEARCHED: a term with a row.
"""
LIFE = 64
"""The largest number of rounds for which ranges are kept."""
SPLIT = 130_000
"""The amount of work, in sums to update or terms to check, from which threads are used. With less,
waking them takes as long as they save.
"""
USUAL = 64
"""The number of rounds over which the work and the share of changed documents are averaged."""

Part = tuple[int, int]


class Worker:
    """A thread that waits for work. It begins sooner than a thread of a thread pool."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        threading.Thread(target=_serve, args=(self._work,), daemon=True).start()
        weakref.finalize(self, self._work.put, None)

    def begin(self, work: Callable[[], object]) -> None:
        self._work.put(work)


def _serve(queue: SimpleQueue[Callable[[], object] | None]) -> None:
    while work := queue.get():
        work()
        del work


def pays(work: float) -> bool:
    """Return whether the work is enough for several threads."""
    return work >= SPLIT


class Threads:
    """The threads of a search, and the ranges of terms they work on.

    sizes: (n,), the number of documents of each term. ranges: one range of terms for each thread.
    """

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self.ranges = [(0, len(sizes))]
        self._parts, self._ended = np.full(threads, 1 / threads), np.zeros(threads)
        self._next_cut, self._changed, self._usual = 0, 0.0, 0.0

    def each_range(self, work_on: Callable[[int, int], Any], work: int) -> list[Any]:
        """Call `work_on` for each range of terms, or once for all terms if there is little work.

        Returns the results in the order of the ranges.
        """
        return self.each(work_on) if pays(work) else [work_on(0, len(self._sizes))]

    def each_part(
        self, work_on: Callable[[int, int], Any], sizes: NDArray[Any], work: int
    ) -> list[Any]:
        """Call `work_on` for parts of other items, which are divided evenly by their sizes."""
        parts = self.cut(sizes) if pays(work) else [(0, len(sizes))]
        return self.at_once(work_on, parts)

    @property
    def several(self) -> bool:
        """Whether there are several ranges, and usually enough work for several threads."""
        return len(self.ranges) > 1 and pays(self._usual)

    def each(self, work_on: Callable[[int, int], Any]) -> list[Any]:
        """Call `work_on` for each range in parallel, and return the results in order."""
        began = time.perf_counter()

        def timed(low: int, high: int) -> tuple[Any, float]:
            return work_on(low, high), time.perf_counter() - began

        found = self.at_once(timed, self.ranges)
        if len(found) == self.threads:  # only if there is one range for each thread
            self._ended += [ended for _, ended in found]
        return [made for made, _ in found]

    def wake(self) -> None:
        """Wake the threads shortly before there is work for them."""
        if self.several:
            for worker in self._workers:
                worker.begin(time.perf_counter)  # any work that takes no time

    def at_once(self, work_on: Callable[[int, int], Any], parts: Sequence[Part]) -> list[Any]:
        """Call `work_on` for each part in parallel; each thread takes the next part when it is
        free.

        Returns the results in order. An exception is raised after all threads have finished.
        """
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
        """Wait until no thread is working."""
        done: SimpleQueue[None] = SimpleQueue()
        for worker in self._workers:
            worker.begin(partial(done.put, None))
        for _ in self._workers:
            done.get()

    def cut(self, work: NDArray[Any], fractions: Sequence[float] | Float64 = ()) -> list[Part]:
        """Divide items into consecutive ranges whose work has these proportions; equal ones by
        default.
        """
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        ends = np.cumsum(fractions if len(fractions) else np.full(self.threads, 1 / self.threads))
        cuts = np.searchsorted(done - work / 2, last * ends[:-1])
        return list(pairwise([0, *(int(c) for c in cuts), len(done)]))

    def deal(self, clock: int, slot: Int32, changed: float, work: int) -> None:
        """Divide the terms into new ranges, if the current ones are old.

        slot: the rows of the first terms, -1 for none. changed: the share of the documents that the
        last rule changed. work: that of the next search.
        """
        self._changed += (changed - self._changed) / min(clock, USUAL)
        self._usual += (work - self._usual) / min(clock, USUAL)
        if self.threads == 1 or clock < self._next_cut:
            return
        self._next_cut = clock + min(max(clock, 1), LIFE)
        with_row = np.zeros(len(self._sizes), np.bool_)
        with_row[: len(slot)] = slot >= 0
        updated = self._changed * self._sizes * np.where(with_row, WITH_ROW, WITHOUT_ROW)
        costs = updated + np.where(with_row, SEARCHED, SKIPPED)
        self.ranges = self.cut(costs, self._even())

    def _even(self) -> Float64:
        """Return proportions with which all threads would have finished together so far."""
        if self._ended.all():
            self._parts *= np.sqrt(self._ended.mean() / self._ended)
            self._parts /= self._parts.sum()
        self._ended[:] = 0
        return self._parts

    @cached_property
    def _workers(self) -> list[Worker]:
        return [Worker() for _ in range(self.threads - 1)]
