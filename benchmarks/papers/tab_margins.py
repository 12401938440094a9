"""Test error that goes on falling after the training error is 0: Schapire's tutorial (TAB).

    python benchmarks/papers/tab_margins.py                         1,500 letters, 100 rounds
    python benchmarks/papers/tab_margins.py --documents 16000 --rounds 1000 --graphs DIR

The tutorial boosts C4.5 on the letters of UCI; here are boosted decision trees by the
Kearns-Mansour criterion, of eight levels by default, which are smaller. A margin is the share of
votes for the right label, less that of the wrong label with most: it goes on growing when no letter
is wrong any more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import SMOKE, Experiment, corpus, parsed, percent, table
from graphs import Line, graph

from boostext.arrays import Float64
from boostext.boosting.rounds import Booster
from boostext.evaluation.margins import leads

PRINTED = (
    ("C4.5, printed", "5", "0.0", "8.4", "7.7", "0.14"),
    ("C4.5, printed", "100", "0.0", "3.3", "0.0", "0.52"),
    ("C4.5, printed", "1,000", "0.0", "3.1", "0.0", "0.55"),
)
HEADS = ("trees", "rounds", "train error %", "test error %", "margins up to 0.5 %", "least margin")
SHOWN = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
METHODS = {"m1": "plurality votes", "mh": "real votes"}


def main() -> None:
    parser = parsed(__doc__, rounds=100)
    parser.add_argument("--documents", type=int, default=1500, help="to learn from; 1500")
    parser.add_argument("--depth", type=int, default=8, help="levels of a tree; 8")
    parser.add_argument("--graphs", metavar="DIR", help="folder for graphs, made if need be")
    given = parser.parse_args()
    most, rounds = (SMOKE, min(given.rounds, 5)) if given.smoke else (given.documents, given.rounds)
    experiment = Experiment(corpus("uci-letter", most), smoothing="ss99")
    rows, lines = list(PRINTED), []
    for algorithm, votes in METHODS.items():
        measured = {n for n in SHOWN if n < rounds} | {rounds}
        settings = {"algorithm": algorithm, "learner": "tree", "tree_depth": given.depth}
        for point, booster in experiment.points(measured.__contains__, rounds=rounds, **settings):
            found = margins_of(experiment, booster)
            low = f"{100 * float((found <= 0.5).mean()):.1f}"
            rows.append(
                (
                    f"{algorithm}, {votes}",
                    str(point.round),
                    percent(point.train),
                    percent(point.test),
                    low,
                    f"{found.min():.2f}",
                )
            )
            if algorithm == "m1" and point.round in (5, 100, 1000):
                lines.append(distribution(f"{point.round} rounds", found))
    print(table(HEADS, rows))
    if given.graphs:
        draw(Path(given.graphs), lines)


def margins_of(experiment: Experiment, booster: Booster) -> Float64:
    """Of the documents learned from: shares of all votes, or of twice the greatest score."""
    sets, k = experiment.prepared.corpus.label_sets, len(experiment.prepared.corpus.labels)
    signs = np.where(np.arange(k) == sets.items[:, None], 1, -1).astype(np.int8)
    scores = booster.scores()
    total = scores.sum(axis=1, keepdims=True) if scores.min() >= 0 else 2 * np.abs(scores).max()
    return np.asarray(leads(scores / np.maximum(total, 1e-300), signs)[:, 0])


def distribution(name: str, values: Float64) -> Line:
    thetas = np.linspace(-1, 1, 201)
    shares = np.searchsorted(np.sort(values), thetas + 1e-12, side="right") / len(values)
    return Line(name, list(zip(thetas.tolist(), shares.tolist(), strict=True)))


def draw(folder: Path, lines: list[Line]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    drawing = graph("Boosted trees on letters", "margin", "share at or below", lines, (-1, 1))
    (folder / "letter-margins.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
