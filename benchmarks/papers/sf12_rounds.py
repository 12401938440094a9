"""Rounds to reach an error with and without confidence: SF12 Table 9.1.

    python benchmarks/papers/sf12_rounds.py                  all corpora
    python benchmarks/papers/sf12_rounds.py r8-openings      one of them
    python benchmarks/papers/sf12_rounds.py --rounds 5000
    python benchmarks/papers/sf12_rounds.py r8 --graphs DIR  also error curves, as SVG

The first round whose test error is not above the one asked for: AdaBoost.MH with real votes, and
with votes of one size. Schapire & Freund 2012 (SF12) print it for the titles of 20 topics of AP
news. Figure 9.3 draws errors against rounds, whose number is on a logarithmic scale. The first
three rows are that table. Its corpus is not free; ours are other news, and the beginnings of their
texts in the place of titles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common import Corpus, Experiment, corpus, options, table
from graphs import Line, graph

from boostext.corpus.documents import Document

HEADS = ("corpus", "error %", "with confidence", "without", "ratio")
VOTES = ("real", "discrete")


@dataclass(frozen=True)
class News:
    """folder: below the data. words: so many of each text, from its beginning; 0 is all."""

    folder: str
    words: int
    errors: tuple[float, ...]


NEWS = {
    "r8-openings": News("reuters-r8", 10, (0.20, 0.15, 0.12, 0.10, 0.09, 0.08)),
    "r8": News("reuters-r8", 0, (0.15, 0.10, 0.08, 0.07, 0.06, 0.05)),
    "20newsgroups-openings": News("20newsgroups", 30, (0.70, 0.65, 0.60, 0.55, 0.50, 0.45)),
    "20newsgroups": News("20newsgroups", 0, (0.60, 0.50, 0.45, 0.40, 0.35, 0.30)),
}
PRINTED = (
    ("AP titles, Table 9.1", "40", "268", "16,938", "63"),
    ("AP titles, Table 9.1", "35", "598", "65,292", "109"),
    ("AP titles, Table 9.1", "30", "1,888", "> 80,000", "> 42"),
)


def main() -> None:
    given = options(__doc__, rounds=20_000, smoke=20, names=list(NEWS), graphs=True)
    rows = []
    for name in given.names:
        news = NEWS[name]
        documents = opened(corpus(news.folder, given.most), news.words)
        experiment = Experiment(documents)
        reached = [first_rounds(experiment, news.errors, given.rounds, votes) for votes in VOTES]
        if given.graphs:
            draw(Path(given.graphs), name, experiment, given.rounds)
        rows += [
            row(name, error, *numbers, given.rounds)
            for error, *numbers in zip(news.errors, *reached, strict=True)
        ]
    print(table(HEADS, [*PRINTED, *rows]))


def opened(given: Corpus, words: int) -> Corpus:
    """The beginnings of the texts."""
    if not words:
        return given

    def cut(documents: Sequence[Document]) -> list[Document]:
        texts = ({"text": " ".join(d.texts["text"].split()[:words])} for d in documents)
        return [replace(d, texts=text) for d, text in zip(documents, texts, strict=True)]

    return replace(given, train=cut(given.train), test=cut(given.test))


def first_rounds(
    experiment: Experiment, errors: Sequence[float], rounds: int, votes: str
) -> list[int | None]:
    """The first measured round with each error; None where it is not reached."""
    found: dict[float, int] = {}
    for point, _ in experiment.points(is_measured, rounds=rounds, algorithm="mh", votes=votes):
        for error in errors:
            if point.test <= error:
                found.setdefault(error, point.round)
        if len(found) == len(errors):
            break
    return [found.get(error) for error in errors]


def draw(folder: Path, name: str, experiment: Experiment, rounds: int) -> None:
    """Errors on both parts after each measured round, by the logarithm of its number."""
    lines = []
    for votes in VOTES:
        found = experiment.points(is_measured, rounds=rounds, algorithm="mh", votes=votes)
        points = [point for point, _ in found]
        across = [math.log10(point.round) for point in points]
        for part in ("train", "test"):
            errors = [getattr(point, part) for point in points]
            lines.append(Line(f"{votes}, {part}", list(zip(across, errors, strict=True))))
    folder.mkdir(parents=True, exist_ok=True)
    reach = (0.0, math.log10(max(rounds, 2)))
    drawing = graph(f"{name}, AdaBoost.MH", "log10 of the round", "error", lines, reach)
    (folder / f"{name}-errors.svg").write_text(drawing, encoding="utf-8")


def is_measured(number: int) -> bool:
    """Every round up to 100, then steps of about 1 %."""
    step = 10 ** max(len(str(number)) - 3, 0)
    return number <= 100 or number % step == 0


def row(name: str, error: float, real: int | None, discrete: int | None, most: int) -> list[str]:
    def told(number: int | None) -> str:
        return f"{number:,}" if number else f"> {most:,}"

    ratio = ""
    if real:
        ratio = f"{discrete / real:.1f}" if discrete else f"> {most / real:.0f}"
    return [name, f"{100 * error:.0f}", told(real), told(discrete), ratio]


if __name__ == "__main__":
    main()
