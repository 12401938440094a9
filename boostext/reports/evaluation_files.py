"""Results of evaluations as files: curve, out-of-fold, margins and reliability."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from boostext.arrays import Float64, Int32, Scores
from boostext.corpus.corpus import Corpus
from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Bin
from boostext.reports.columns import Column, as_json, tsv_lines


class Point(Protocol):
    """Statistics of a measure over the folds, after a given number of rounds."""

    @property
    def round(self) -> int: ...
    @property
    def mean(self) -> float: ...
    @property
    def spread(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class Measured(NamedTuple):
    """A measure and a point of its curve."""

    measure: str
    point: Point


class Held(NamedTuple):
    """The score of a document for a label, by models that were trained without the document."""

    id: str
    origin: str
    fold: int
    label: str
    given: bool
    score: float
    probability: float | None


POINT_COLUMNS: tuple[Column[Measured], ...] = (
    Column("round", lambda row: row.point.round, "The number of rounds."),
    Column("measure", lambda row: row.measure, "The name of the measure."),
    Column("mean", lambda row: row.point.mean, "Its mean over the folds."),
    Column("spread", lambda row: row.point.spread, "Its standard deviation over the folds."),
    Column("low", lambda row: row.point.low, "Its lowest value in a fold."),
    Column("high", lambda row: row.point.high, "Its highest value in a fold."),
)
"""Columns of curve.tsv."""

OUT_OF_FOLD_COLUMNS: tuple[Column[Held], ...] = (
    Column("id", lambda row: row.id, "The id of the document."),
    Column("origin", lambda row: row.origin, "The file and line that it was read from."),
    Column("fold", lambda row: row.fold, "The fold that contains it in the first split, from 1."),
    Column("label", lambda row: row.label, "A label."),
    Column(
        "given",
        lambda row: row.given,
        "Whether the document has this label in the data: 1 or 0; in JSON, true or false.",
        tsv=lambda given: str(int(given)),
    ),
    Column(
        "score",
        lambda row: row.score,
        "The score from models that were trained without the document.",
    ),
    Column(
        "probability",
        lambda row: row.probability,
        "The probability of the label; empty if scores cannot be converted to probabilities.",
    ),
)
"""Columns of out-of-fold.tsv."""


def curve_tsv(points: Sequence[Point], measure: str) -> Iterator[str]:
    """Yield the lines of curve.tsv, one per number of rounds."""
    yield from tsv_lines(POINT_COLUMNS, (Measured(measure, point) for point in points))


def out_of_fold_tsv(
    corpus: Corpus, folds: Int32, scores: Scores, probabilities: Float64
) -> Iterator[str]:
    """Yield the lines of out-of-fold.tsv, one per document and label, in the order of the data.

    folds: (m,), index of the fold of each document. scores, probabilities: (m, k). Documents that
    are never held out, whose scores are NaN, are left out.
    """
    yield from tsv_lines(OUT_OF_FOLD_COLUMNS, _out_of_fold(corpus, folds, scores, probabilities))


def out_of_fold_jsonl(
    corpus: Corpus, folds: Int32, scores: Scores, probabilities: Float64
) -> Iterator[str]:
    """Yield the rows of `out_of_fold_tsv` as JSON objects keyed by column name, one per line."""
    for row in _out_of_fold(corpus, folds, scores, probabilities):
        yield json.dumps(as_json(OUT_OF_FOLD_COLUMNS, row), ensure_ascii=False) + "\n"


def _out_of_fold(
    corpus: Corpus, folds: Int32, scores: Scores, probabilities: Float64
) -> Iterator[Held]:
    for i, given in _held(corpus, scores):
        for j, label in enumerate(corpus.labels):
            probability = float(probabilities[i, j])
            yield Held(
                corpus.ids[i],
                str(corpus.origins[i]),
                int(folds[i]) + 1,
                label,
                j in given,
                float(scores[i, j]),
                None if probability != probability else probability,
            )


def _held(corpus: Corpus, scores: Scores) -> Iterator[tuple[int, set[int]]]:
    for i in range(len(corpus)):
        if scores[i, 0] == scores[i, 0]:
            yield i, set(corpus.label_sets[i].tolist())


OUT_OF_FOLD = {"tsv": out_of_fold_tsv, "jsonl": out_of_fold_jsonl}
"""Maps each format to the function that yields its lines."""


# Margins and reliability ---------------------------------------------------------------------

MARGIN_COLUMNS: tuple[Column[MarginRow], ...] = (
    Column("theta", lambda row: row.theta, "The margin."),
    Column(
        "votes",
        lambda row: row.votes,
        "The fraction of (document, label) pairs with a margin of at most theta. The margin is the "
        "score divided by the sum of the largest absolute votes of the rules.",
    ),
    Column(
        "votes_bound",
        lambda row: row.votes_bound,
        "An upper bound on this fraction for the training data; empty if none is known.",
    ),
    Column(
        "tanh",
        lambda row: row.tanh,
        "The same fraction, if the margin is the hyperbolic tangent of half the score.",
    ),
    Column(
        "tanh_bound",
        lambda row: row.tanh_bound,
        "An upper bound on this fraction; empty if none is known.",
    ),
)
"""Columns of margins.tsv."""


def _known(value: float) -> float | None:
    return None if value != value else value


BIN_COLUMNS: tuple[Column[Bin], ...] = (
    Column("low", lambda row: row.low, "The lower limit of the bin."),
    Column("high", lambda row: row.high, "The upper limit of the bin."),
    Column(
        "count",
        lambda row: row.count,
        "Number of (document, label) pairs whose probability is in the bin.",
    ),
    Column(
        "probability",
        lambda row: _known(row.probability),
        "The mean of their probabilities; empty if there are none.",
    ),
    Column(
        "frequency",
        lambda row: _known(row.frequency),
        "The fraction of them whose label is given in the data; empty if there are none.",
    ),
)
"""Columns of reliability.tsv."""


def margins_tsv(rows: Sequence[MarginRow]) -> Iterator[str]:
    """Yield the lines of margins.tsv, one per value of theta."""
    yield from tsv_lines(MARGIN_COLUMNS, rows)


def reliability_tsv(bins: Sequence[Bin]) -> Iterator[str]:
    """Yield the lines of reliability.tsv, one per bin, including empty ones."""
    yield from tsv_lines(BIN_COLUMNS, bins)
