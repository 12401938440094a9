"""Scores and conditions of documents that are read, recorded for margins and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from boostext.arrays import Int32, Lists, Scores
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.evaluation.margins import MarginRow, margin_rows
from boostext.evaluation.measures import Monitor
from boostext.evaluation.weights import label_signs
from boostext.features.conditions import Condition
from boostext.library.data_outliers import DataOutliers
from boostext.library.report_page import SOURCES, audit_judged
from boostext.model.model import Model
from boostext.model.predict import Predictor, decisions, found_in
from boostext.reports.coverage import (
    Evidence,
    evidence_of,
    scores_by_round,
    term_facts,
)
from boostext.reports.page.content import Content, Curve, Judged, Listing, Read
from boostext.reports.terms import term_rows
from boostext.settings import StopSettings


class Gathered:
    """Documents with the scores of a model, without their texts.

    They take 4 bytes for each condition that a document meets.
    """

    def __init__(self, model: Model, threads: int = 1) -> None:
        self.model = model
        self._predictor = Predictor(model, threads)
        self._builder = CorpusBuilder()
        self._yes: list[Int32] = []
        self._unknown: list[Int32] = []
        self._prior: list[Scores] = []

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents unchanged, and record each of them."""
        for found in self._predictor.batches(documents):
            if found.prior is not None:
                self._prior.append(found.prior)
            for i, document in enumerate(found.documents):
                self._builder.add(document)
                self._yes.append(found.yes[i])
                self._unknown.append(found.unknown[i])
                yield document

    def number(self, condition: Condition) -> int:
        """Return the number of a condition of the model, for `has`."""
        return self._predictor.merged.conditions.index(condition)

    def has(self, number: int) -> bool:
        """Return whether the last document that was yielded meets the condition."""
        return bool((self._yes[-1] == number).any())

    @cached_property
    def evidence(self) -> Evidence:
        """The recorded documents with their scores; use it after the last document."""
        conditions = self._predictor.merged.conditions
        find = found_in(conditions, Lists.of(self._yes), Lists.of(self._unknown))
        corpus = self._builder.corpus(self.model.labels)
        start = np.concatenate(self._prior)[: len(corpus)] if self._prior else None
        return evidence_of(self.model, corpus, find, start)

    @property
    def is_training(self) -> bool:
        """Whether these documents are the training data of the model."""
        return self.evidence.corpus.digest == self.model.provenance.digest

    def margins(self) -> list[MarginRow]:
        """Return the distribution of margins, with its bounds if this is the training data."""
        evidence, model = self.evidence, self.model
        training = self.is_training and not model.boosting.class_weight
        signs = label_signs(model, evidence.corpus)
        return margin_rows(model, evidence.scores, signs, evidence.corpus.weights, training)


def data_content(
    gathered: Gathered, title: str, found: DataOutliers, margins: Sequence[MarginRow], read: Read
) -> Content:
    """Return the content of the page for a model and documents, its training data or others."""
    model, evidence = gathered.model, gathered.evidence
    kind = "training" if gathered.is_training else "the data given"
    what = "the training documents, from which the rules were learned"
    judged = Judged(
        what if gathered.is_training else "the documents given",
        kind,
        evidence.corpus,
        evidence.scores,
        decisions(evidence.scores, model),
    )
    audit, source = None, "weights"
    if found.audit is not None and found.audited is not None:
        audit, source = audit_judged(found.audited, found.audit, model.multilabel), "cv"
    facts = term_facts(evidence, term_rows(model))
    measure, line = curve_of(evidence, kind)
    return Content(
        model,
        title,
        evidence,
        facts,
        judged,
        Listing(found.rows, SOURCES[source], audit),
        margins,
        measure,
        [line],
        read,
    )


def curve_of(evidence: Evidence, name: str) -> tuple[str, Curve]:
    """Return the curve of the measure for early stopping on these documents, for some rounds."""
    model = evidence.model
    monitor = Monitor.of(StopSettings().monitor, evidence.gold, model.multilabel, model.boosting)
    points = ((t, monitor.value(scores)) for t, scores in scores_by_round(evidence))
    return monitor.name, Curve(name, tuple(points))
