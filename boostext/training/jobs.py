"""Run independent jobs, such as the folds of a cross-validation, in threads or elsewhere.

A job is a generator. It yields its progress now and then, is sent whether to stop there, and
returns its result. Results are gathered in the order of the jobs, so that they do not depend on
where and when the jobs ran.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

Job = Generator[Any, bool | None, Any]
Work = Callable[..., Job]
"""Begins a job. It takes the data that all jobs share, the arguments of the job, and its number of
threads, and must be a function of a module, so that it can be called in other processes.
"""
Tell = Callable[[int, Any], bool]
"""Is called with the number of a job and its progress. If it returns true, all jobs stop."""


class Jobs(Protocol):
    """A place where jobs run. slots: the number of jobs that run at the same time."""

    slots: int

    def run(
        self, work: Work, shared: Any, each: Sequence[tuple[Any, ...]], tell: Tell
    ) -> list[Any]:
        """Run a job for each tuple of arguments, and return their results in order.

        shared: an object that all jobs read. An error of a job ends the others and is raised.
        """


class InThreads:
    """Jobs in threads of this process. slots: the number of threads, which the jobs share."""

    def __init__(self, threads: int) -> None:
        self.slots = threads

    def run(
        self, work: Work, shared: Any, each: Sequence[tuple[Any, ...]], tell: Tell
    ) -> list[Any]:
        side_by_side = max(1, min(len(each), self.slots))
        threads, lock = max(1, self.slots // side_by_side), threading.Lock()
        left = threading.Event()

        def done(number: int) -> Any:
            job, stop = work(shared, *each[number], threads), None
            while True:
                try:
                    progress = job.send(stop)
                except StopIteration as end:
                    return end.value
                with lock:
                    stop = tell(number, progress) or left.is_set()

        with ThreadPoolExecutor(side_by_side) as pool:
            try:
                return list(pool.map(done, range(len(each))))
            except BaseException:
                left.set()
                raise
