"""How time and memory grow with documents, distinct words, labels and rounds: log-log slopes.

    python benchmarks/growth.py             every axis
    python benchmarks/growth.py labels      one of documents, words, labels, rounds

Texts are generated: one size doubles, the others stay. A slope of 1 is growth in proportion.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import corpora
from corpora import Shape
from measure import Run, child

BASE = Shape(train=8000, test=0, tokens=100, vocabulary=20_000, labels=20)
ROUNDS = 500
TURNS = 3


@dataclass(frozen=True)
class Point:
    """Medians at one size. extracting: s; each, plain: ms a round; peak: MB above the imports."""

    size: int
    extracting: float
    learning: float
    each: float
    plain: float
    peak: float


AXES: dict[str, tuple[Sequence[int], Callable[[int], tuple[Shape, int]]]] = {
    "documents": (
        (2000, 4000, 8000, 16_000, 32_000),
        lambda size: (replace(BASE, train=size), ROUNDS),
    ),
    "words": (
        (5000, 10_000, 20_000, 40_000, 80_000),
        lambda size: (replace(BASE, vocabulary=size), ROUNDS),
    ),
    "labels": ((5, 10, 20, 40, 80, 160), lambda size: (replace(BASE, labels=size), ROUNDS)),
    "rounds": ((250, 500, 1000, 2000, 4000), lambda size: (BASE, size)),
}
"""what doubles -> its sizes, and the texts and rounds of each"""


def main() -> None:
    axes = sys.argv[1:] or list(AXES)
    if set(axes) - AXES.keys():
        sys.exit(f"axes are {', '.join(AXES)}")
    with tempfile.TemporaryDirectory() as folder:
        for axis in axes:
            print("\n".join([*_table(axis, list(_points(axis, Path(folder)))), ""]), flush=True)


def _points(axis: str, folder: Path) -> Iterator[Point]:
    sizes, made = AXES[axis]
    for size in sizes:
        shape, rounds = made(size)
        path = folder / f"{axis}{size}.jsonl"
        corpora.generate(path, shape, shape.train, seed=axis)
        yield _point(size, path, rounds)
        path.unlink()


def _point(size: int, path: Path, rounds: int) -> Point:
    terms = {"path": str(path), "ngrams": (1, 1), "min_df": 1, "threads": 1}
    turns = [
        (
            child("text_to_matrix", **terms, streamed=True),
            child("rounds", **terms, rounds=rounds, engine="incremental"),
            child("rounds", **terms, rounds=6, engine="plain"),
        )
        for _ in range(TURNS)
    ]
    extracting, fast, plain = zip(*turns, strict=True)
    return Point(
        size,
        _median(extracting, lambda run: run.cpu),
        _median(fast, lambda run: run.cpu),
        _median(fast, lambda run: 1000 * run.cpu / run.facts["made"]),
        _median(plain, lambda run: 1000 * run.facts["each_cpu"]),
        _median(fast, lambda run: run.peak - run.facts["loaded"]),
    )


def _median(runs: Sequence[Run], value: Callable[[Run], float]) -> float:
    return statistics.median(map(value, runs))


COLUMNS = {
    "text to matrix, s": "extracting",
    "learning, s": "learning",
    "ms a round": "each",
    "plain engine, ms a round": "plain",
    "peak above imports, MB": "peak",
}


def _table(axis: str, points: Sequence[Point]) -> Iterator[str]:
    """Markdown, with the slopes below; processor time."""
    yield f"| {axis} | " + " | ".join(COLUMNS) + " |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for point in points:
        cells = (f"{getattr(point, name):.3g}" for name in COLUMNS.values())
        yield f"| {point.size:,} | " + " | ".join(cells) + " |"
    slopes = (f"{slope(points, name):.2f}" for name in COLUMNS.values())
    yield "| **slope** | " + " | ".join(slopes) + " |"


def slope(points: Sequence[Point], name: str) -> float:
    """Of the straight line through (log size, log value), by least squares."""
    sizes = [math.log(point.size) for point in points]
    values = [math.log(max(getattr(point, name), 1e-9)) for point in points]
    return statistics.linear_regression(sizes, values).slope


if __name__ == "__main__":
    main()
