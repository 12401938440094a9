"""What force does to boostext: kills, mutated files, bombs, full disks; what was tried and failed.

    python benchmarks/robust.py --hours 1           as much as the time allows
    python benchmarks/robust.py --seconds 60
    python benchmarks/robust.py --trials 20         so many of each kind, as the tests do
    python benchmarks/robust.py --only kills --seed 7 --keep failures

A trial fails where anything but an error of boostext comes out of it, where a file is left half
written or is taken for what it is not, where it says nothing for more than 10 seconds, where a
message has more than 500 characters, or where memory goes above four times the input and 200 MB.
Seconds are processor time of the trial and its programs, so that other programs on the machine do
not make a trial fail. The same seed gives the same trials; what failed is kept in the folder that
--keep names. SIGINT and SIGTERM end the run, and the table is printed all the same. POSIX only.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from robust_trials import KINDS, STUCK, Place, Trial

SLOW = 10.0
"""Seconds of processor time that a trial in this process may take."""
WAITING = 600
"""Seconds after which a trial that takes no processor time has failed."""
STOPPING = (signal.SIGINT, signal.SIGTERM)


class StuckError(Exception):
    """A trial did not end."""


class StoppedError(BaseException):
    """The run is to end now. No trial catches it."""


@dataclasses.dataclass
class Row:
    """What came of the trials of one kind. elapsed: seconds on the clock that they took."""

    kind: str
    tried: int = 0
    failed: int = 0
    seconds: float = 0.0
    elapsed: float = 0.0
    said: Counter[str] = dataclasses.field(default_factory=Counter)

    def take(self, failure: str | None, seconds: float, elapsed: float) -> None:
        self.tried += 1
        self.seconds += seconds
        self.elapsed += elapsed
        if failure:
            self.failed += 1
            self.said[failure[:200]] += 1


def main() -> None:
    options = _options()
    rows = {kind: Row(kind) for kind in KINDS if not options.only or kind in options.only}
    seconds = options.seconds or options.hours * 3600
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _stuck)
    for number in STOPPING:
        signal.signal(number, _stopped)
    print(f"seed {options.seed}; Ctrl-C ends the run and prints the table", file=sys.stderr)
    warnings.simplefilter("error", RuntimeWarning)  # nobody can do anything about one
    memory = Path("/dev/shm")  # where there is one, files cost nothing
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        contextlib.suppress(StoppedError),
    ):
        place = Place(Path(folder), options.keep and Path(options.keep))
        if options.trials:
            for kind in rows:
                for number in range(options.trials):
                    _try(rows[kind], place, options.seed, number)
        else:
            _for_seconds(seconds, rows, place, options.seed)
    _show(list(rows.values()), options.json)
    sys.exit(any(row.failed for row in rows.values()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--trials", type=int, help="of each kind, whatever the time")
    parser.add_argument("--only", action="append", choices=list(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _for_seconds(seconds: float, rows: dict[str, Row], place: Place, seed: int) -> None:
    """Give each kind its share of the time, but first as many trials an hour as it must have."""
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < seconds:
        late = [row for row in rows.values() if row.tried < KINDS[row.kind].least * elapsed / 3600]
        row = min(late or rows.values(), key=lambda row: row.elapsed / KINDS[row.kind].share)
        _try(row, place, seed, row.tried)


def _try(row: Row, place: Place, seed: int, number: int) -> None:
    kind: Trial = KINDS[row.kind]
    rng = random.Random(f"{row.kind} {seed} {number}")
    place.begin(f"{row.kind.replace(' ', '-')}-{seed}-{number}")
    began, spent = time.monotonic(), _processor_seconds()
    signal.alarm(WAITING)
    signal.setitimer(signal.ITIMER_PROF, STUCK)
    try:
        failure = kind.trial(rng, place)
    except StuckError as error:
        failure = str(error)
    except Exception as error:  # noqa: BLE001  # whatever comes out of it is what we look for
        where = traceback.extract_tb(error.__traceback__)[-1]
        shown = f"{Path(where.filename).name}:{where.lineno}"
        failure = f"{type(error).__name__} at {shown}: {error}"
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = _processor_seconds() - spent
    if not failure and not kind.slow and seconds > SLOW:
        failure = f"took {seconds:.0f} s of processor time"
    row.take(failure, seconds, time.monotonic() - began)
    place.end(failure)


def _processor_seconds() -> float:
    """Of this process and of the programs that it has waited for."""
    return sum(os.times()[:4])


def _stuck(number: int, frame: object) -> None:
    alarm = number == signal.SIGALRM
    raise StuckError(
        f"did not end in {WAITING} s" if alarm else f"did not end in {STUCK} s of processor time"
    )


def _stopped(number: int, frame: object) -> None:
    for other in STOPPING:  # nothing may come between now and the table
        signal.signal(other, signal.SIG_IGN)
    raise StoppedError


def _show(rows: list[Row], as_json: bool) -> None:
    if as_json:
        for row in rows:
            print(json.dumps({**vars(row), "said": dict(row.said)}))
        return
    width = max(len(row.kind) for row in rows)
    print(f"{'kind':<{width}}  {'tried':>8}  {'failed':>6}  {'seconds':>8}")
    for row in rows:
        print(f"{row.kind:<{width}}  {row.tried:>8,}  {row.failed:>6,}  {row.seconds:>8.1f}")
        for message, count in row.said.most_common(5):
            print(f"    {count} x {message}")


if __name__ == "__main__":
    main()
