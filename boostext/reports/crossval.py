"""What a cross-validation found, as rows: the curve over rounds, and the scores out of fold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Protocol

from boostext.arrays import Float64, Int32, Scores
from boostext.corpus.corpus import Corpus
from boostext.reports.escape import tsv_field, tsv_number


class Point(Protocol):
    """The measure after so many rounds, over the folds."""

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


def curve_tsv(points: Sequence[Point], measure: str) -> Iterator[str]:
    """Lines of curve.tsv: mean, standard deviation, least and greatest value over the folds."""
    yield "round\tmeasure\tmean\tspread\tlow\thigh\n"
    for p in points:
        numbers = "\t".join(map(tsv_number, (p.mean, p.spread, p.low, p.high)))
        yield f"{p.round}\t{tsv_field(measure)}\t{numbers}\n"


def out_of_fold_tsv(
    corpus: Corpus, folds: Int32, scores: Scores, chances: Float64
) -> Iterator[str]:
    """A line for each document and label, in the order of the data; documents that are never held
    out are left out. given: 1 where the data gives the label. fold: of the first split, from 1.
    """
    yield "id\torigin\tfold\tlabel\tgiven\tscore\tprobability\n"
    for i, given in _held(corpus, scores):
        head = f"{tsv_field(corpus.ids[i])}\t{tsv_field(str(corpus.origins[i]))}\t{folds[i] + 1}"
        for j, label in enumerate(corpus.labels):
            chance = chances[i, j]
            numbers = f"{scores[i, j]:.9g}\t{'' if chance != chance else f'{chance:.9g}'}"
            yield f"{head}\t{tsv_field(label)}\t{int(j in given)}\t{numbers}\n"


def out_of_fold_jsonl(
    corpus: Corpus, folds: Int32, scores: Scores, chances: Float64
) -> Iterator[str]:
    """The same as objects of those names."""
    for i, given in _held(corpus, scores):
        for j, label in enumerate(corpus.labels):
            chance = float(chances[i, j])
            row = {
                "id": corpus.ids[i], "origin": str(corpus.origins[i]), "fold": int(folds[i]) + 1,
                "label": label, "given": j in given, "score": float(scores[i, j]),
                "probability": None if chance != chance else chance,
            }  # fmt: skip
            yield json.dumps(row, ensure_ascii=False) + "\n"


def _held(corpus: Corpus, scores: Scores) -> Iterator[tuple[int, set[int]]]:
    for i in range(len(corpus)):
        if scores[i, 0] == scores[i, 0]:
            yield i, set(corpus.label_sets[i].tolist())


OUT_OF_FOLD = {"tsv": out_of_fold_tsv, "jsonl": out_of_fold_jsonl}
"""format -> its lines"""
