"""Work in processes of its own, run by turns, with time, processor time and peak memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("child.py")
MISSING = 69
"""Exit code of a child whose peer is not installed."""


UNUSUAL = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PYTHONDEVMODE",
    "PYTHONPROFILEIMPORTTIME",
)
"""Settings of some shells that make every program slower."""


class NotInstalledError(Exception):
    """A peer that the work needs cannot be imported; the text is its name."""


@dataclass(frozen=True)
class Run:
    """One run. seconds: of the clock; cpu: of all threads; peak: MB; facts: what else it told."""

    seconds: float
    cpu: float
    peak: float
    facts: dict[str, Any] = field(default_factory=dict)


def program(command: Sequence[str], env: Mapping[str, str] | None = None) -> Run:
    """A whole process, from its start to its end."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=_environment(env))
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        told, said = out.read().decode("utf-8"), err.read().decode("utf-8", "replace")
    if process.returncode == MISSING:
        raise NotInstalledError(said.strip().splitlines()[-1])
    if process.returncode:
        code = process.returncode  # negative: the signal that ended it
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{said}")
    peak = used.ru_maxrss / 1024
    return Run(seconds, used.ru_utime + used.ru_stime, peak, {"stdout": told, "stderr": said})


def child(work: str, env: Mapping[str, str] | None = None, **arguments: Any) -> Run:
    """A piece of work of `ours` or `peers`, by what it tells of itself: imports do not count."""
    command = [sys.executable, str(CHILD), work, json.dumps(arguments)]
    told = json.loads(program(command, env).facts["stdout"].splitlines()[-1])
    return Run(told.pop("seconds"), told.pop("cpu"), told.pop("peak"), told)


def _environment(env: Mapping[str, str] | None) -> dict[str, str]:
    """As users have it: byte code is kept and output is buffered, whatever this shell says."""
    own = {name: value for name, value in os.environ.items() if name not in UNUSUAL}
    quiet = {"PYTHONWARNINGS": "ignore", "PYTHONIOENCODING": "utf-8"}
    return {**own, **quiet, **(env or {})}


Work = Callable[[], Run]


def by_turns(sides: Sequence[Work], repeats: int) -> list[list[Run]]:
    """The runs of each side: A B A B ..., so that a busy minute hits all alike."""
    turns = [[side() for side in sides] for _ in range(repeats)]
    return [list(runs) for runs in zip(*turns, strict=True)]


def median(runs: Sequence[Run], value: Callable[[Run], float]) -> float:
    return statistics.median(map(value, runs))
