"""What a process tells of a piece of its own work."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any


class Watch:
    """Marks in time; `laps` are (seconds, processor seconds) between them."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = []

    def mark(self) -> None:
        self._marks.append((time.perf_counter(), time.process_time()))

    def laps(self) -> list[tuple[float, float]]:
        return [(b - a, q - p) for (a, p), (b, q) in pairwise(self._marks)]


@contextmanager
def watched() -> Iterator[dict[str, Any]]:
    """Seconds, processor seconds and peak memory (MB) of the block; also `start`, MB before it."""
    told: dict[str, Any] = {"start": resident()}
    began, used = time.perf_counter(), time.process_time()
    yield told
    told["seconds"] = time.perf_counter() - began
    told["cpu"] = time.process_time() - used
    told["peak"] = peak()


def peak() -> float:
    """Most memory this process has had, in MB."""
    # subtle: VmHWM, since ru_maxrss also knows what the parent had when it started this process
    found = _status("VmHWM")
    if found is not None:
        return found
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def resident() -> float:
    """Memory of this process now, in MB; its peak where that cannot be told."""
    found = _status("VmRSS")
    return peak() if found is None else found


def _status(name: str) -> float | None:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), None)
