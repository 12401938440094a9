"""Corpora to measure on: real ones where they lie at hand, else generated ones of like sizes."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, cycle, islice
from pathlib import Path
from typing import Any

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Shape:
    """Sizes of a real corpus: documents to learn from and to label, tokens of each, labels."""

    train: int
    test: int
    tokens: int
    vocabulary: int
    labels: int


SHAPES = {
    "20newsgroups": Shape(11_314, 7_532, 327, 130_000, 20),
    "debian-section-en": Shape(30_000, 3_000, 90, 70_000, 58),
    "clinc150": Shape(15_000, 4_500, 9, 6_000, 151),
    "trec6": Shape(5_452, 500, 10, 8_700, 6),
    "banking77": Shape(10_003, 3_080, 12, 2_800, 77),
}
SMOKE = Shape(400, 100, 60, 3_000, 5)


@dataclass(frozen=True)
class Corpus:
    """Files of one corpus: JSONL, and the same as fastText lines. real: not generated."""

    name: str
    train: Path
    test: Path
    train_lines: Path
    test_lines: Path
    real: bool


def corpus(name: str, folder: Path, smoke: bool) -> Corpus:
    """The corpus, unpacked into the folder."""
    place = folder / name
    made = Corpus(
        name,
        place / "train.jsonl",
        place / "test.jsonl",
        place / "train.ft.txt",
        place / "test.ft.txt",
        real=not smoke and _given(name).is_dir(),
    )
    if not place.exists():
        place.mkdir(parents=True)
        for part, path in (("train", made.train), ("test", made.test)):
            if made.real:
                _unpack(_given(name) / f"{part}.jsonl.gz", path)
            else:
                shape = SMOKE if smoke else SHAPES[name]
                generate(path, shape, getattr(shape, part), seed=f"{name} {part}")
        _as_lines(made.train, made.train_lines)
        _as_lines(made.test, made.test_lines)
    return made


def _given(name: str) -> Path:
    return Path(os.environ.get("BOOSTEXT_DATA") or BESIDE) / name


def _unpack(source: Path, path: Path) -> None:
    """Texts and labels only: attributes are conditions too, and peers know none."""
    kept = ("id", "text", "labels")
    with (
        gzip.open(source, "rt", encoding="utf-8", newline="\n") as lines,
        path.open("w", encoding="utf-8", newline="\n") as out,
    ):
        for record in map(json.loads, lines):
            chosen = {name: record[name] for name in kept if name in record}
            out.write(json.dumps(chosen, ensure_ascii=False) + "\n")


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)


def texts(path: Path) -> Iterator[str]:
    return (str(record["text"]) for record in records(path))


def repeated(sources: Iterable[Path], path: Path, count: int) -> int:
    """So many records of all sources, from the beginning again where they end, with new ids."""
    found = [record for source in sources for record in records(source)]
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for i, record in enumerate(islice(cycle(found), count)):
            out.write(json.dumps({**record, "id": str(i)}, ensure_ascii=False) + "\n")
    return count


def first_labels(path: Path) -> list[str]:
    """One label a document, for peers that know no more."""
    return [record["labels"][0] if record["labels"] else "none" for record in records(path)]


def _as_lines(source: Path, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for text, label in zip(texts(source), first_labels(source), strict=True):
            out.write(f"__label__{label.replace(' ', '-')} {' '.join(text.split())}\n")


def generate(path: Path, shape: Shape, documents: int, seed: str) -> None:
    """Texts of words by Zipf's law, a fifth of them peculiar to the document's label."""
    draw = random.Random(seed)
    words = [f"w{n}" for n in range(shape.vocabulary)]
    weights = list(accumulate(1 / (n + 3) for n in range(shape.vocabulary)))
    own = max(shape.vocabulary // (4 * shape.labels), 5)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for i in range(documents):
            label = draw.randrange(shape.labels)
            length = max(int(draw.gauss(shape.tokens, shape.tokens / 3)), 1)
            text = draw.choices(words, cum_weights=weights, k=length)
            for place in range(0, length, 5):
                text[place] = f"w{label * own + draw.randrange(own)}"
            record = {"id": str(i), "text": " ".join(text), "labels": [f"label{label}"]}
            out.write(json.dumps(record) + "\n")
