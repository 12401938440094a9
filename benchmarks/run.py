"""Measure boostext against its peers and its plain path, on this machine, in one run.

    python benchmarks/run.py                  every row, medians of 5 turns
    python benchmarks/run.py --only predict   one row; may be repeated
    python benchmarks/run.py --smoke          each kind of row on few generated texts: does it run?
    python benchmarks/run.py --json           figures as JSON lines

Each side of a comparison is a process of its own, and sides take turns. Peers are listed in
benchmarks/requirements.txt; one that is missing leaves its row empty. Corpora are looked for in
the folder BOOSTEXT_DATA; without them generated ones of like sizes are used.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from corpora import SHAPES
from figures import Figure, table
from measure import NotInstalledError
from rows import ROWS, SMOKE, Bench

from boostext.threads import usable_threads

PACKAGES = (
    "boostext",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "xgboost",
    "lightgbm",
    "fasttext-wheel",
)


def main() -> None:
    options = _options()
    unknown = sorted(set(options.only) - ROWS.keys())
    if unknown:
        sys.exit(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    with tempfile.TemporaryDirectory() as folder:
        bench = _bench(options, Path(folder))
        names = options.only or (SMOKE if options.smoke else list(ROWS))
        figures = list(_figures(names, bench))
        told = about(bench)
    if options.json:
        print("\n".join(json.dumps(row) for row in [told, *map(dataclasses.asdict, figures)]))
    else:
        print("\n".join(f"{name}: {value}" for name, value in told.items()) + "\n")
        print(table(figures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="one row")
    parser.add_argument("--smoke", action="store_true", help="small generated texts, one turn")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each comparison")
    parser.add_argument("--few", type=int, default=3, help="turns where one takes minutes")
    return parser.parse_args()


def _bench(options: argparse.Namespace, folder: Path) -> Bench:
    turns = (1, 1) if options.smoke else (options.repeats, options.few)
    return Bench(folder, *turns, threads=usable_threads(), smoke=options.smoke)


def _figures(names: Sequence[str], bench: Bench) -> Iterator[Figure]:
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            for figure in ROWS[name](bench):  # sizes of --smoke tell nothing of targets
                yield dataclasses.replace(figure, reached=None) if bench.smoke else figure
        except NotInstalledError as error:
            yield Figure(name, note=f"not measured: {error} is not installed")


def about(bench: Bench) -> dict[str, str]:
    """The machine, the versions, and what was read."""
    read = [bench.corpus(name) for name in SHAPES if (bench.folder / name).exists()]
    names = [f"{one.name} ({'real' if one.real else 'generated'})" for one in read]
    return {
        "machine": f"{_processor()}, {bench.threads} usable threads, {platform.platform()}",
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "corpora": ", ".join(names) or "none",
        "load": _load(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _load() -> str:
    """Processes that want to run, over the last minute and quarter of an hour."""
    try:
        one, _, fifteen = os.getloadavg()
    except OSError:
        return "unknown"
    return f"{one:.1f} processes at the end, {fifteen:.1f} over a quarter of an hour"


if __name__ == "__main__":
    main()
