"""Peak memory against bytes of text and postings.

    python benchmarks/memory.py                 the corpora of run.py
    python benchmarks/memory.py 50 200 800      generated texts of so many MB, 1-2-grams, min_df 5

Texts are streamed from the file. Peaks are above what the process had after its imports.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import corpora
from corpora import Shape
from measure import Run, child
from rows import CLINC, DEBIAN, NGRAMS, WORDS, Bench

HEADS = (
    "texts",
    "MB of text",
    "tokens",
    "terms",
    "postings",
    "of them distinct",
    "peak reading, MB",
    "bytes a posting",
    "peak learning, MB",
    "bytes a posting",
)
TOKENS = 200
"""Of a generated document; about 6 bytes each."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sizes = [int(size) for size in sys.argv[1:]]
        rows = _generated(sizes, Path(folder)) if sizes else _given(Path(folder))
        print("| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
        for row in rows:
            print("| " + " | ".join(row) + " |", flush=True)


def _given(folder: Path) -> Iterator[tuple[str, ...]]:
    bench = Bench(folder, 1, 1, threads=1)
    for terms in (WORDS, NGRAMS, DEBIAN, CLINC):
        corpus = bench.corpus(terms.corpus)
        name = terms.name if corpus.real else f"{terms.name} (generated)"
        yield _row(name, corpus.train, terms.ngrams, terms.min_df)


def _generated(sizes: list[int], folder: Path) -> Iterator[tuple[str, ...]]:
    for size in sizes:
        documents = size * 1_000_000 // (6 * TOKENS)
        shape = Shape(documents, 0, TOKENS, 200_000, 20)
        path = folder / f"{size}.jsonl"
        corpora.generate(path, shape, documents, seed="memory")
        yield _row(f"generated, {documents:,} documents, 1-2-grams, min_df 5", path, (1, 2), 5)
        path.unlink()


def _row(name: str, path: Path, ngrams: tuple[int, int], min_df: int) -> tuple[str, ...]:
    terms = {"path": str(path), "ngrams": ngrams, "min_df": min_df, "threads": 1}
    reading = child("text_to_matrix", **terms, streamed=True)
    learning = child("rounds", **terms, rounds=50, engine="incremental")
    facts, text = reading.facts, sum(len(t.encode("utf-8")) for t in corpora.texts(path))
    return (
        name,
        f"{text / 1e6:.1f}",
        f"{facts['tokens']:,}",
        f"{facts['terms']:,}",
        f"{facts['found']:,}",
        f"{facts['postings']:,}",
        *_peak(reading, facts["start"], facts["found"]),
        *_peak(learning, learning.facts["loaded"], facts["found"]),
    )


def _peak(run: Run, before: float, postings: int) -> tuple[str, str]:
    megabytes = run.peak - before
    return f"{megabytes:.0f}", f"{megabytes * (1 << 20) / max(postings, 1):.0f}"


if __name__ == "__main__":
    main()
