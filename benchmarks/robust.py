"""What force does to boostext: kills, mutated files, bombs, full disks; what was tried and failed.

    python benchmarks/robust.py --hours 1           as much as the time allows
    python benchmarks/robust.py --seconds 60
    python benchmarks/robust.py --trials 20         so many of each kind, as the tests do
    python benchmarks/robust.py --only kills --seed 7 --keep failures

A trial fails where anything but an error of boostext comes out of it, where a file is left half
written or is taken for what it is not, where it is silent for more than 10 seconds, or where
memory goes above four times the input and 200 MB. The same seed gives the same trials; what
failed is kept in the folder that --keep names. POSIX only.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from robust_trials import KINDS, Place, Trial

SLOW = 10.0
"""Seconds that a trial in this process may take."""
STUCK = 60


class StuckError(Exception):
    """A trial did not end."""


@dataclasses.dataclass
class Row:
    """What came of the trials of one kind."""

    kind: str
    tried: int = 0
    failed: int = 0
    seconds: float = 0.0
    said: Counter[str] = dataclasses.field(default_factory=Counter)

    def take(self, failure: str | None, seconds: float) -> None:
        self.tried += 1
        self.seconds += seconds
        if failure:
            self.failed += 1
            self.said[failure[:200]] += 1


def main() -> None:
    options = _options()
    rows = {kind: Row(kind) for kind in KINDS if not options.only or kind in options.only}
    seconds = options.seconds or options.hours * 3600
    signal.signal(signal.SIGALRM, _stuck)
    warnings.simplefilter("error", RuntimeWarning)  # nobody can do anything about one
    memory = Path("/dev/shm")  # where there is one, files cost nothing
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        place = Place(Path(folder), options.keep and Path(options.keep))
        if options.trials:
            for kind in rows:
                for number in range(options.trials):
                    _try(rows[kind], place, options.seed, number)
        else:
            _until(time.monotonic() + seconds, rows, place, options.seed)
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


def _until(end: float, rows: dict[str, Row], place: Place, seed: int) -> None:
    """Give each kind its share of the time: always the one that is furthest behind."""
    while time.monotonic() < end:
        row = min(rows.values(), key=lambda row: row.seconds / KINDS[row.kind].share)
        _try(row, place, seed, row.tried)


def _try(row: Row, place: Place, seed: int, number: int) -> None:
    kind: Trial = KINDS[row.kind]
    rng = random.Random(f"{row.kind} {seed} {number}")
    place.begin(f"{row.kind.replace(' ', '-')}-{seed}-{number}")
    began = time.monotonic()
    signal.alarm(STUCK)
    try:
        failure = kind.trial(rng, place)
    except StuckError:
        failure = f"did not end in {STUCK} s"
    except Exception as error:  # noqa: BLE001  # whatever comes out of it is what we look for
        where = traceback.extract_tb(error.__traceback__)[-1]
        shown = f"{Path(where.filename).name}:{where.lineno}"
        failure = f"{type(error).__name__} at {shown}: {error}"
    finally:
        signal.alarm(0)
    seconds = time.monotonic() - began
    if not failure and not kind.slow and seconds > SLOW:
        failure = f"took {seconds:.0f} s"
    row.take(failure, seconds)
    place.end(failure)


def _stuck(number: int, frame: object) -> None:
    raise StuckError


def _show(rows: list[Row], as_json: bool) -> None:
    if as_json:
        for row in rows:
            print(json.dumps(dataclasses.asdict(row)))
        return
    width = max(len(row.kind) for row in rows)
    print(f"{'kind':<{width}}  {'tried':>8}  {'failed':>6}  {'seconds':>8}")
    for row in rows:
        print(f"{row.kind:<{width}}  {row.tried:>8,}  {row.failed:>6,}  {row.seconds:>8.1f}")
        for message, count in row.said.most_common(5):
            print(f"    {count} x {message}")


if __name__ == "__main__":
    main()
