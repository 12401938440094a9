"""Run independent jobs, such as folds and trials, on the workers of a cluster.

Each worker gets a copy of the data that all jobs share, and runs one job at a time with all of its
threads. A free worker takes the next job. Progress is asked for several times a second, and jobs
learn then whether to stop.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from boostext.distributed.cluster import Cluster
from boostext.training.jobs import Job, Tell, Work

REPORT_INTERVAL = 0.25
"""Seconds for which a job runs until it reports its progress."""


class Report(NamedTuple):
    """What a worker says of its job. progress: None if nothing is new. ended: result is valid."""

    progress: Any
    ended: bool
    result: Any


class JobActor:
    """An actor that runs jobs one after the other. shared: the data of all jobs."""

    def __init__(self, shared: Any, threads: int) -> None:
        self._shared, self._threads = shared, threads
        self._job: Job | None = None

    def advance(self, work: Work, begin: tuple[Any, ...] | None, stop: bool) -> Report:
        """Begin a job with these arguments, or go on with the one that has begun, for a while."""
        if begin is not None:
            self._job = work(self._shared, *begin, self._threads)
        job, until, progress = self._job, time.monotonic() + REPORT_INTERVAL, None
        assert job is not None, "the first call begins a job"
        try:
            progress = job.send(True if stop and begin is None else None)
            while not stop and time.monotonic() < until:
                progress = job.send(None)
        except StopIteration as end:
            self._job = None
            return Report(progress, True, end.value)
        return Report(progress, False, None)


class OnWorkers:
    """Jobs on the workers of a cluster; see training.jobs.Jobs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self.slots = cluster, len(cluster)
        self._copies: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def run(
        self, work: Work, shared: Any, each: Sequence[tuple[Any, ...]], tell: Tell
    ) -> list[Any]:
        if shared not in self._copies:
            self._copies[shared] = self._cluster.spread(shared)
        copies = [(self._copies[shared], threads) for threads in self._cluster.threads]
        actors = self._cluster.actors(JobActor, copies)
        results: list[Any] = [None] * len(each)
        todo, stop = iter(range(len(each))), False

        async def worked(worker: int) -> None:
            nonlocal stop
            for number in todo:
                begin: tuple[Any, ...] | None = each[number]
                ended = False
                while not ended:
                    answer = await actors.ask(worker, "advance", work, begin, stop)
                    begin, ended, results[number] = None, answer.ended, answer.result
                    if answer.progress is not None:
                        stop = tell(number, answer.progress) or stop

        actors.gather([worked(worker) for worker in range(len(actors))])
        return results
