"""Ranges of terms for threads, of about equal work; results do not depend on them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from queue import SimpleQueue
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
ROUSE = (None, (0, 0))


class Worker:
    """A thread that waits for parts of the work of a round: a pool takes longer to pass these on
    than some take.
    """

    def __init__(self) -> None:
        self._asked: SimpleQueue[Any] = SimpleQueue()
        self._made: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        threading.Thread(target=_serve, args=(self._asked, self._made), daemon=True).start()
        weakref.finalize(self, self._asked.put, None)

    def begin(self, work_on: Callable[[int, int], Any], part: Part) -> None:
        self._asked.put((work_on, part))

    def rouse(self) -> None:
        self._asked.put(ROUSE)

    def end(self) -> tuple[Any, BaseException | None]:
        """What came of it, and what it raised."""
        return self._made.get()


def _serve(asked: SimpleQueue[Any], made: SimpleQueue[Any]) -> None:
    while task := asked.get():
        if task is ROUSE:
            continue
        try:
            made.put((task[0](*task[1]), None))
        except BaseException as error:  # noqa: BLE001  raised again by at_once
            made.put((None, error))
        del task


class Shares:
    """The terms in ranges, one for each thread. sizes: (n,) documents of each term."""

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self._ranges = [(0, len(sizes))]
        self._round = 0

    def each(self, work_on: Callable[[int, int], Any]) -> list[Any]:
        """What `work_on` returns for each range, in order."""
        return self.at_once(work_on, self._ranges)

    def wake(self) -> None:
        """Rouse the threads: soon there will be work."""
        if self.threads > 1 and len(self._ranges) > 1:
            for worker in self._workers:
                worker.rouse()

    def at_once(self, work_on: Callable[[int, int], Any], parts: Sequence[Part]) -> list[Any]:
        """What `work_on` returns for each part, in order, each in a thread."""
        for worker, part in zip(self._workers, parts[1:], strict=False):
            worker.begin(work_on, part)
        try:
            first = work_on(*parts[0])
        finally:
            made = [w.end() for w, _ in zip(self._workers, parts[1:], strict=False)]
        for _, error in made:
            if error is not None:
                raise error
        return [first, *(result for result, _ in made)]

    def cut(self, work: NDArray[Any]) -> list[Part]:
        """Ranges of about equal work, one for each thread. work: (n,) of each item."""
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        cuts = np.searchsorted(done - work / 2, np.linspace(0, last, self.threads + 1)[1:-1])
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
    def _workers(self) -> list[Worker]:
        return [Worker() for _ in range(self.threads - 1)]
