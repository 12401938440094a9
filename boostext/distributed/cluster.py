"""Connect to a Dask cluster: processes that are started on this machine, or a running cluster.

Dask schedules the work and transfers data between processes. All waiting for workers happens in
this module, so that the loss of a worker ends the run with a single error message.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from importlib import metadata
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

import boostext
from boostext.errors import BoostextError, SettingsError, WorkerError
from boostext.fields import count
from boostext.threads import usable_threads

if TYPE_CHECKING:
    from distributed import Client

Asked = Any
"""The cluster to use: a number of processes, the address of a scheduler, "auto" for the scheduler
in Dask's configuration (DASK_SCHEDULER_ADDRESS), or a Client.
"""

MOST_LOCAL = 1024
TIMEOUT = 30.0
"""Seconds to wait for a scheduler that does not answer, and for the first worker."""
CHECK_INTERVAL = 2.0
"""Interval in seconds at which a process that waits for a worker checks that it still exists."""
SET_BY_DASK = "distributed.nanny.pre-spawn-environ"
"""Key in Dask's configuration of the environment variables of workers."""
ONLY_TO_WATCH = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
}
"""Dask's configuration for processes on this machine: without the profiler, which nobody looks at,
and with fewer looks at the event loop and the system. By default they take a tenth of the time.
"""
OBJECTS = 50_000
"""Number of new objects after which these processes look for unused cycles, as in cli.program. With
Python's default of 700, the search takes a seventh of the time in which documents are labelled.
"""
PACKAGES = ("numpy", "numba", "scipy", "distributed")
"""Packages whose versions must be equal on all workers, for equal results and for communication."""


class Cluster:
    """A cluster of workers.

    client: a client of boostext's own, which connects to workers directly. addresses: those of the
    workers, in order. threads: the number of threads of each worker.
    """

    def __init__(self, client: Client, few: int = 1) -> None:
        """Wait for the workers. Raises WorkerError if fewer than `few` have come in PATIENCE."""
        self.client = client
        known, until = workers_of(client), time.monotonic() + TIMEOUT
        while len(known) < few and time.monotonic() < until:
            time.sleep(0.1)
            known = workers_of(client)
        self.addresses = tuple(sorted(known))
        self.threads = [int(known[address]["nthreads"]) for address in self.addresses]
        self.memory = [int(known[address]["memory_limit"]) for address in self.addresses]
        if len(self) < few:
            raise WorkerError(
                f"{count(len(self), 'worker')} of {few} came to the scheduler "
                f"{client.scheduler.address} within {TIMEOUT:.0f} seconds; start one with: "
                f"dask worker {client.scheduler.address}"
            )

    def __len__(self) -> int:
        return len(self.addresses)

    def __str__(self) -> str:
        return f"{count(len(self), 'worker')}, {count(sum(self.threads), 'thread')} in all"

    def actors(self, make: Callable[..., Any], each: Sequence[tuple[Any, ...]]) -> Actors:
        """Create one object on each worker, which stays there and is called by messages.

        each: the arguments for each worker; futures among them are replaced by their results.
        """
        made = [
            self.client.submit(
                make,
                *arguments,
                actor=True,
                workers=[address],
                allow_other_workers=False,
                pure=False,
            )
            for address, arguments in zip(self.addresses, each, strict=True)
        ]
        self.results(made)
        return Actors(self, made)

    def submit(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return a future for a call of the function on some worker; arguments may be futures."""
        return self.client.submit(function, *arguments, pure=False, **options)

    def spread(self, value: Any) -> Any:
        """Return a future for a value that is copied to every worker."""
        return self.client.scatter(value, broadcast=True, hash=False, direct=True)

    def placed(self, values: Sequence[Any]) -> list[Any]:
        """Return futures for values, each of which is stored on one worker."""
        return [
            self.client.scatter(value, workers=[address], hash=False, direct=True)
            for address, value in zip(self.addresses, values, strict=True)
        ]

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """Return the results of tasks. Raises WorkerError if a worker is lost."""
        return list(self.awaited(_all_of(futures)))

    def awaited(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the event loop of the client, and return its result.

        It is begun only once, because a worker would prepare a large result anew for each request.
        Raises WorkerError if a worker is lost.
        """
        running = asyncio.run_coroutine_threadsafe(work, self.client.loop.asyncio_loop)
        try:
            while not wait([running], timeout=CHECK_INTERVAL).done:
                self.check()
            return running.result()
        except BoostextError:
            raise
        except MemoryError:
            raise WorkerError(
                "a worker has not enough memory; take more workers, a greater --min-df, or "
                "fewer n-grams (--dry-run estimates what is needed)"
            ) from None
        except Exception as error:
            self.check()
            if _is_loss(error):
                raise WorkerError(f"a worker was lost ({error})") from None
            raise
        finally:
            running.cancel()

    def check(self) -> None:
        """Raise WorkerError if a worker is lost."""
        try:
            there = workers_of(self.client)
        except OSError:
            raise WorkerError("the scheduler of the cluster is gone") from None
        gone = [address for address in self.addresses if address not in there]
        if gone:
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            raise WorkerError(f"the worker {gone[0]}{more} was lost")


def workers_of(client: Client) -> Mapping[str, Any]:
    """Return what the scheduler currently knows about the workers, by address."""
    known: Mapping[str, Any] = client.sync(client.scheduler.identity)["workers"]
    return known


class Actors:
    """Objects on workers, one on each, which exist as long as this object."""

    def __init__(self, cluster: Cluster, futures: Sequence[Any]) -> None:
        self._cluster, self._futures = cluster, futures

    def __len__(self) -> int:
        return len(self._futures)

    def call(self, method: str, each: Mapping[int, tuple[Any, ...]]) -> list[Any]:
        """Call a method on some workers and return the results. each: worker -> arguments."""
        return self.gather([self.ask(worker, method, *asked) for worker, asked in each.items()])

    def gather(self, calls: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Run coroutines that call `ask`, and return their results. An error ends all of them."""
        return list(self._cluster.awaited(_together(calls)))

    async def ask(self, worker: int, method: str, *arguments: Any) -> Any:
        """Call a method on a worker and return its result."""
        # subtle: Dask's own actor proxies never return if a message cannot be deserialized
        from distributed.protocol import to_serialize

        address = self._cluster.addresses[worker]
        try:
            reply = await self._cluster.client.rpc(address).actor_execute(
                function=method,
                actor=self._futures[worker].key,
                args=[to_serialize(argument) for argument in arguments],
                kwargs={},
            )
        except OSError:
            raise WorkerError(f"the worker {address} was lost") from None
        if reply["status"] != "OK":
            raise reply["exception"]
        return reply["result"]


async def _all_of(futures: Sequence[Any]) -> list[Any]:
    # one by one, as Dask's gather leaves tasks with exceptions behind if it is cancelled
    return [await future for future in futures]


async def _together(calls: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _is_loss(error: Exception) -> bool:
    from distributed.scheduler import KilledWorker

    return isinstance(error, OSError | KilledWorker) or "was lost" in str(error)


@contextmanager
def connected(asked: Asked, threads: int = 0) -> Iterator[Cluster]:
    """Connect to a cluster; processes on this machine end with the block.

    threads: the number of threads of each of these processes; by default they share those of the
    machine.
    """
    _check_installed()
    with ExitStack() as stack:
        client, least = _client(asked, threads, stack)
        client.loop.asyncio_loop.set_exception_handler(_log_fault)
        cluster = Cluster(client, max(least, 1))
        _check_versions(client)
        yield cluster


def _log_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an exception that nobody awaited, unless Dask uses it to end its own tasks."""
    from distributed.client import AllExit

    if not isinstance(context.get("exception"), AllExit):
        loop.default_exception_handler(context)


def checked(asked: str) -> str:
    """Return a valid value of `--workers`. Raises SettingsError if it is not valid."""
    number = asked.isascii() and asked.isdigit() and len(asked) < 10
    if asked == "auto" or "://" in asked or (number and 1 <= int(asked) <= MOST_LOCAL):
        return asked
    raise SettingsError(
        f"workers is {asked!r}; expected a number of processes from 1 to {MOST_LOCAL}, the address "
        "of a Dask scheduler such as tcp://host:8786, or auto for that of DASK_SCHEDULER_ADDRESS"
    )


def _check_installed() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise SettingsError(
            "workers need Dask, which is not installed; install it with: pip install "
            "'boostext[dask]'"
        ) from None


def _client(asked: Asked, threads: int, stack: ExitStack) -> tuple[Client, int]:
    """Return the client, and the minimum number of workers that it must have."""
    from distributed import Client

    own = {"set_as_default": False, "direct_to_workers": True}
    if isinstance(asked, Client):
        scheduler, security = asked.scheduler, asked.security
        assert scheduler is not None, "a Client that is given has begun"
        own["security"] = security
        return stack.enter_context(Client(scheduler.address, timeout=TIMEOUT, **own)), 0
    asked = checked(str(asked))
    if asked.isdigit():
        cluster = stack.enter_context(_local_cluster(int(asked), threads))
        client = stack.enter_context(Client(cluster, **own))
        client.run(gc.set_threshold, OBJECTS)
        return client, int(asked)
    address = _configured() if asked == "auto" else asked
    try:
        return stack.enter_context(Client(address, timeout=TIMEOUT, **own)), 0
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).strip().splitlines()[0] if str(error) else type(error).__name__
        raise WorkerError(f"no Dask scheduler answers at {address}: {reason}") from None


def _configured() -> str:
    import dask

    address = dask.config.get("scheduler-address", None)
    if not address:
        raise SettingsError(
            "--workers auto is the cluster of DASK_SCHEDULER_ADDRESS, which is not set; give the "
            "address, or a number of processes"
        )
    return str(address)


@contextmanager
def _local_cluster(number: int, threads: int) -> Iterator[Any]:
    """Start processes on this machine, which share its threads.

    They inherit that SIGINT is blocked, so that only this process handles Ctrl-C.
    """
    import dask
    from distributed import LocalCluster

    blocked = {signal.SIGINT} if hasattr(signal, "pthread_sigmask") else set()
    try:
        resource_tracker.ensure_running()  # starting it unblocks SIGINT, so it must come first
        _check_threads(HERE + EACH * number)
    except (RuntimeError, OSError) as error:
        raise _not_started(number, error) from None
    if blocked:
        unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    environ = {name: os.environ.get(name) for name in dask.config.get(SET_BY_DASK)}
    each = threads or max(1, usable_threads() // number)
    try:
        with dask.config.set(ONLY_TO_WATCH):
            cluster = LocalCluster(
                n_workers=number,
                threads_per_worker=each,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                protocol="tcp",
            )
    except (RuntimeError, OSError) as error:
        raise _not_started(number, error) from None
    finally:
        if blocked:
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        for name, value in environ.items():  # Dask also sets the workers' variables in this process
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    try:
        yield cluster
    finally:
        cluster.close()


HERE, EACH = 8, 6
"""Number of threads that Dask needs in this process, and for each worker."""


def _check_threads(count: int) -> None:
    """Raise RuntimeError if the system does not give as many threads.

    Dask would find out later, and its processes would print tracebacks.
    """
    end, started = threading.Event(), list[threading.Thread]()
    try:
        for _ in range(count):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    finally:
        end.set()
        for thread in started:
            thread.join()


def _not_started(number: int, error: Exception) -> WorkerError:
    reason = getattr(error, "strerror", None) or str(error).rstrip(".")
    return WorkerError(
        f"the processes of {number} workers could not be started: {reason}; ask for fewer with "
        "--workers, work without it, or let the system allow more processes (ulimit -u); a Python "
        'script that asks for workers begins its work under: if __name__ == "__main__":'
    )


def versions() -> dict[str, str]:
    """Return the versions that must be equal in all processes."""
    found = {
        "boostext": boostext.__version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
    }
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "none"
    return found


def _check_versions(client: Client) -> None:
    """Raise an error if versions differ, because models would then not be reproducible."""
    own = versions()
    try:
        others = client.run(versions)
    except ImportError as error:
        raise WorkerError(
            f"a worker cannot import boostext ({error}); install the same version there"
        ) from None
    for address, found in sorted(others.items()):
        unlike = [
            f"{name} {found[name]} (here {own[name]})" for name in own if found[name] != own[name]
        ]
        if unlike:
            raise WorkerError(
                f"the worker {address} has other versions: {', '.join(unlike)}; install the same "
                "on all machines"
            )
