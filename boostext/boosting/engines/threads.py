"""Threads that work on ranges of terms with about equal work. Results do not depend on them."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32
from boostext.boosting.engines.arrays import GIVE_WAY, LEAST_WORK, OVER, SHARES, TurnArrays
from boostext.instructions import COLUMNS

SKIPPED, WITHOUT_ROW, WITH_ROW, SEARCHED = 0.4, 1.0, 6.0, 20.0
"""The costs of a term in a round, in nanoseconds; only their ratios matter.

SKIPPED: a term that is skipped by its bound. WITHOUT_ROW, WITH_ROW: each changed document of a
term. SEARCHED: a term with a row.
"""
LIFE = 64
"""The largest number of rounds for which ranges are kept."""
SPLIT = 30_000
"""The amount of work, in sums to update or terms to check, from which threads are used. With less,
sharing it takes as long as it saves.
"""
TRIALS, NEWEST = 16, 0.3
"""How often what is believed to be slower, to share searches or not, is tried again, in calls of
`deal`; and how much the newest time counts in the average that decides.
"""
USUAL = 64
"""The number of rounds over which the work and the share of changed documents are averaged."""

Part = tuple[int, int]


class Worker:
    """A thread that waits for work. It begins sooner than a thread of a thread pool."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        weakref.finalize(self, self._work.put, None)
        threading.Thread(target=_serve, args=(self._work,), daemon=True).start()

    def begin(self, work: Callable[[], object]) -> None:
        self._work.put(work)


def _serve(queue: SimpleQueue[Callable[[], object] | None]) -> None:
    while work := queue.get():
        with suppress(Exception):  # the thread that learns meets the same error
            work()
        del work


def pays(work: float) -> bool:
    """Return whether the work is enough for several threads."""
    return work >= SPLIT


class Threads:
    """The threads of a search, and the ranges of terms they work on.

    sizes: (n,), the number of documents of each term. ranges: the parts of the terms, in order.
    """

    def __init__(self, sizes: Int32, threads: int) -> None:
        self._sizes, self.threads = sizes, threads
        self._fractions = SHARES * threads if threads > 1 else (1.0,)
        self.ranges = self.cut(sizes, self._fractions)
        self._next_cut, self._changed, self._usual = 0, 0.0, 0.0
        self._paces, self._spent, self._deals = [0.0, 0.0], 0.0, 0
        self._shares, self._assisted = False, False

    def each_range(self, work_on: Callable[[int, int], Any], work: int) -> list[Any]:
        """Call `work_on` for each range of terms, or once for all terms if there is little work.

        Returns the results in the order of the ranges.
        """
        return self.at_once(work_on, self.ranges if pays(work) else [(0, len(self._sizes))])

    def each_part(
        self, work_on: Callable[[int, int], Any], sizes: NDArray[Any], work: int
    ) -> list[Any]:
        """Call `work_on` for parts of other items, which are divided evenly by their sizes."""
        parts = self.cut(sizes, (1.0,) * self.threads) if pays(work) else [(0, len(sizes))]
        return self.at_once(work_on, parts)

    @contextmanager
    def sharing(self, assist: Callable[[int, TurnArrays], object]) -> Iterator[TurnArrays]:
        """Let other threads take part in searches until the block ends, if `deal` found it useful.

        assist: called in each of these threads, with the number of the thread; it must return soon
        after turns.state says OVER.
        """
        turns, began = self.turns(), time.perf_counter()
        try:
            if self._shares:
                self._assisted = True
                for thread, worker in enumerate(self._workers, 1):
                    worker.begin(partial(assist, thread, turns))
            yield turns
        finally:
            turns.state[OVER, 0], self._assisted = 1, False
            self._spent += time.perf_counter() - began

    def turns(self) -> TurnArrays:
        """Return new arrays for threads that share searches."""
        ranges = np.array([0, *(high for _, high in self.ranges)], np.int64)
        taken = np.zeros((len(self.ranges), COLUMNS), np.int64)
        state = np.zeros((7, COLUMNS), np.int64)
        state[LEAST_WORK, 0], state[GIVE_WAY, 0] = SPLIT, _give_way()
        return TurnArrays(ranges, taken, state)

    def at_once(self, work_on: Callable[[int, int], Any], parts: Sequence[Part]) -> list[Any]:
        """Call `work_on` for each part in parallel; each thread takes the next part when it is
        free.

        Returns the results in order. An exception is raised after all threads have finished.
        """
        if self._assisted:  # the other threads have work
            return [work_on(low, high) for low, high in parts]
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

    def cut(self, work: NDArray[Any], shares: Sequence[float]) -> list[Part]:
        """Divide items into consecutive ranges whose work has these proportions."""
        done = np.cumsum(work)
        last = done[-1] if len(done) else 0
        ends = np.cumsum(shares)
        cuts = np.searchsorted(done - work / 2, last * ends[:-1] / ends[-1])
        return list(pairwise([0, *(int(c) for c in cuts), len(done)]))

    def deal(self, clock: int, rounds: int, slot: Int32, changed: float, work: float) -> None:
        """Decide whether threads share the next searches, and divide the terms into new ranges if
        the current ones are old.

        clock, rounds: the number of searches so far, and since the last call. slot: the rows of the
        first terms, -1 for none. changed, work: the share of the documents that a rule changed, and
        the work of a search, on average since the last call.
        """
        weight = min(rounds / min(clock, USUAL), 1.0)
        self._changed += (changed - self._changed) * weight
        self._usual += (work - self._usual) * weight
        self._decide(work * rounds)
        if self.threads == 1 or clock < self._next_cut:
            return
        self._next_cut = clock + min(max(clock, 1), LIFE)
        with_row = np.zeros(len(self._sizes), np.bool_)
        with_row[: len(slot)] = slot >= 0
        updated = self._changed * self._sizes * np.where(with_row, WITH_ROW, WITHOUT_ROW)
        costs = updated + np.where(with_row, SEARCHED, SKIPPED)
        self.ranges = self.cut(costs, self._fractions)

    def _decide(self, work: float) -> None:
        """Decide by the times so far whether threads share the next searches.

        Cores that other programs use make it slower. work: that of the searches since the last
        decision.
        """
        if work and self._spent:
            pace, now = self._paces[self._shares], self._spent / work
            # the first time may include compiling, so that a shorter one replaces it at once
            self._paces[self._shares] = min(pace + (now - pace) * NEWEST, now) if pace else now
        self._spent, self._deals = 0.0, self._deals + 1
        alone, together = self._paces
        is_faster = not alone or together <= alone
        is_trial = self._deals % TRIALS == 0
        self._shares = self.threads > 1 and pays(self._usual) and is_faster != is_trial

    @cached_property
    def _workers(self) -> list[Worker]:
        return [Worker() for _ in range(self.threads - 1)]


@cache
def _give_way() -> int:
    """Return the address of the system's function that lets other threads run, or 0 if unknown."""
    try:
        if sys.platform == "win32":
            function = ctypes.WinDLL("kernel32").SwitchToThread
        else:
            function = ctypes.CDLL(None).sched_yield
    except (OSError, AttributeError):
        return 0
    return ctypes.cast(function, ctypes.c_void_p).value or 0
