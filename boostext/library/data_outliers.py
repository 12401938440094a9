"""Likely label errors in documents that are read once; only a few texts are kept."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Places, Signs
from boostext.corpus.corpus import Corpus, CorpusBuilder
from boostext.corpus.documents import Document
from boostext.library.judging import audited
from boostext.library.reporting import EXPLAINED, audit_listing
from boostext.model.model import Model
from boostext.model.predict import Predictor
from boostext.reports.objections import with_objections
from boostext.reports.outliers import (
    OutlierRow,
    Weighed,
    tapered,
)
from boostext.settings import RunSettings
from boostext.training.audit import Audit
from boostext.training.plan import Plan
from boostext.training.run import prepare

QUANTILES = {"least": 0.0, "5 %": 0.05, "25 %": 0.25, "half": 0.5, "75 %": 0.75}
KEPT = 2
"""Number of documents that are kept for each that is explained, because sums are rounded."""


@dataclass(frozen=True, eq=False)
class DataOutliers:
    """The likely label errors of some documents.

    rows: one for every document, in order. margins: quantiles of the margins. digest: digest of the
    data. audit: the result of the cross-validation, if that is the method, and audited: what it was
    made on, whose labels are those of the data, not those of the model.
    """

    rows: Sequence[OutlierRow]
    margins: dict[str, float]
    digest: str
    audit: Audit | None = None
    audited: Corpus | None = None

    @property
    def source(self) -> str:
        """The method, a value of --source."""
        return "weights" if self.audit is None else "cv"


def data_outliers(
    model: Model, documents: Iterable[Document], threads: int, explained: int = EXPLAINED
) -> DataOutliers:
    """Return the listing by weight for labelled documents, which are read once.

    explained: number of rows that come with the terms that are evidence.
    """
    faded, builder = tapered(model), CorpusBuilder()
    predictor, heaviest = Predictor(faded, threads), _Heaviest(KEPT * explained)
    places, weighed = Places(model.labels), Weighed(faded)
    for found in predictor.batches(builder.watch(documents)):
        scores = np.ascontiguousarray(found.scores)
        weights = np.array([document.weight for document in found.documents])
        logs = weighed.add(scores, _signs(found.documents, places, scores.shape), weights)
        for document, weight in zip(found.documents, logs.tolist(), strict=True):
            heaviest.take(document, weight)
    corpus = builder.corpus(model.labels)
    rows = weighed.rows(corpus, len(corpus))
    documents_by_place = heaviest.documents()
    first = [row for row in rows[:explained] if row.example in documents_by_place]
    contributions = (predictor.contributions(documents_by_place[row.example]) for row in first)
    by_rank = {row.rank: row for row in with_objections(first, faded, contributions)}
    rows = [by_rank.get(row.rank, row) for row in rows]
    return DataOutliers(rows, _quantiles([row.margin for row in rows]), corpus.digest)


def audited_data(
    model: Model,
    documents: Iterable[Document],
    threads: int,
    on_fold: Callable[[int, int], None] = lambda done, total: None,
    explained: int = EXPLAINED,
) -> DataOutliers:
    """Return the listing by cross-validation, with the text settings of the model."""
    plan = Plan(model.data, model.text, model.boosting, run=RunSettings(threads=threads))
    prepared = prepare(documents, plan, prior=model.prior)
    _, found = audited("cv", prepared, on_fold)
    assert found is not None, "cv was asked for"
    rows = audit_listing(prepared, found, explained)
    margins, corpus = _quantiles([row.margin for row in rows]), prepared.corpus
    return DataOutliers(rows, margins, corpus.digest, found, corpus)


def _quantiles(margins: Sequence[float]) -> dict[str, float]:
    if not margins:
        return {}
    return {name: float(np.quantile(margins, share)) for name, share in QUANTILES.items()}


def _signs(documents: Sequence[Document], places: Places, shape: tuple[int, ...]) -> Signs:
    """(n, k) in -1, +1: the labels that the documents have."""
    signs = np.full(shape, -1, np.int8)
    for row, document in zip(signs, documents, strict=True):
        given = places.of(document.labels)
        row[given[given >= 0]] = 1
    return signs


class _Heaviest:
    """The documents with the largest weights among those read so far."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[tuple[float, int, Document]] = []
        self._seen = 0

    def take(self, document: Document, weight: float) -> None:
        entry = (weight, -self._seen, document)  # of two with equal weights, the first one is kept
        self._seen += 1
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def documents(self) -> dict[int, Document]:
        """Return the documents by their indices in the data."""
        return {-place: document for _, place, document in self._heap}
