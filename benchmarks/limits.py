"""The least bytes that a round must move, against what this machine's memory can, and our rounds.

    python benchmarks/limits.py

Exact boosting whose rule changes c documents with p postings must at least read and write their
weights and scores (c x labels doubles each), read which terms they have (4 bytes a posting), and
move one number a posting for each term's bound (8 bytes), then read the bounds of all columns
(4 bytes each). What recomputes all, as the plain engine does, must read all postings (4 bytes) and
all weights (8 bytes a document and label) and write sums (16 bytes a column and label).
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from ours import changes
from rows import CLINC, DEBIAN, NGRAMS, WORDS, Bench

ROUNDS = 2000
HEADS = (
    "terms",
    "documents changed a round",
    "postings of them",
    "must move, MB",
    "at best, ms",
    "ours, ms",
    "ours / best",
    "plain must move, MB",
    "at best, ms",
)


def main() -> None:
    speeds = {size: bandwidth(size) for size in (1 << 18, 1 << 22, 1 << 28)}
    for size, speed in speeds.items():
        print(f"copying {size / (1 << 20):,.2g} MB, bytes read and written: {speed / 1e9:.1f} GB/s")
    slowest = min(speeds.values())
    print("\n| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), 1, 1, threads=1)
        for terms in (WORDS, NGRAMS, DEBIAN, CLINC):
            found = changes(**terms.arguments(bench), rounds=ROUNDS)
            print("| " + " | ".join(_row(terms.name, found, slowest)) + " |", flush=True)


def _row(name: str, found: dict[str, Any], speed: float) -> tuple[str, ...]:
    changed, postings, k = found["changed"], found["touched"], found["labels"]
    least = changed * k * 32 + postings * 12 + found["columns"] * 4
    whole = found["postings"] * 4 + found["documents"] * k * 8 + found["columns"] * k * 16
    best, ours = 1000 * least / speed, 1000 * found["each"]
    return (
        name,
        f"{changed:,.0f}",
        f"{postings:,.0f}",
        f"{least / 1e6:.2f}",
        f"{best:.2f}",
        f"{ours:.2f}",
        f"{ours / best:.0f}",
        f"{whole / 1e6:.1f}",
        f"{1000 * whole / speed:.1f}",
    )


def bandwidth(size: int) -> float:
    """Bytes a second, read and written, in the best of some copies in one thread."""
    source, target = np.ones(size // 8), np.zeros(size // 8)
    copies = max((1 << 28) // size, 1)
    best = 0.0
    for _ in range(7):
        began = time.perf_counter()
        for _ in range(copies):
            np.copyto(target, source)
        best = max(best, 2 * size * copies / (time.perf_counter() - began))
    return best


if __name__ == "__main__":
    main()
