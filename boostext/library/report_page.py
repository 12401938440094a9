"""The content of report.html after training, and the files that belong to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from boostext.arrays import Scores
from boostext.corpus.corpus import Corpus
from boostext.features.conditions import Condition
from boostext.features.merge import gather
from boostext.model.model import Model
from boostext.model.predict import decisions, decoded, greatest
from boostext.reports.columns import Column, tsv_lines
from boostext.reports.coverage import Aliases, Evidence, evidence_of
from boostext.reports.page.confusion import confusion_of
from boostext.reports.page.content import Content, Curve, Judged, Limits
from boostext.training.audit import Audit
from boostext.training.crossval import CrossValidation
from boostext.training.history import CurveRow
from boostext.training.members import condition_numbers, membership_find
from boostext.training.run import Trained

SOURCES = {
    "cv": "ranked by a classifier that was trained without each document",
    "weights": "ranked by their weight after the last round of boosting",
    "cumulated": "ranked by their weight, averaged over all rounds of boosting",
}
"""Maps each value of --outliers to a description of how the documents are ranked."""


def training_evidence(trained: Trained) -> Evidence:
    find = membership_find(trained.members, condition_numbers(trained.rounds))
    prepared = trained.prepared
    return evidence_of(trained.model, prepared.corpus, find, prepared.start_of_all)


def training_aliases(trained: Trained) -> Aliases:
    """Return a function that finds conditions with exactly the same training documents."""
    numbers, features = condition_numbers(trained.rounds), trained.prepared.features

    def aliases(condition: Condition) -> Sequence[Condition]:
        number = numbers[condition]
        return features.names.aliases(number) if 0 <= number < len(features.yes) else ()

    return aliases


def training_judged(trained: Trained, evidence: Evidence, cross: CrossValidation | None) -> Judged:
    """Return the documents on which all figures of the page are measured.

    These are the validation data, the held-out documents of a cross-validation with the settings of
    the model, or otherwise the training documents, which the page says.
    """
    model, prepared = trained.model, trained.prepared
    scores, corpus = evidence.scores, prepared.corpus
    source, kind = "the training documents, from which the rules were learned", "training"
    speaks = bool(model.rules or prepared.known)
    if prepared.validation is not None and speaks:
        scores = decoded(prepared.validation.sums_of(model.rules), model)
        corpus = prepared.validation.corpus
        source, kind = "the validation documents", "validation"
    elif cross is not None and speaks:
        return _held_out(model, corpus, cross.scores(model.round_count))
    return Judged(source, kind, corpus, scores, decisions(scores, model))


def _held_out(model: Model, corpus: Corpus, scores: Scores) -> Judged:
    """Return the documents with the scores of models that were trained without them."""
    kept = np.flatnonzero(~np.isnan(scores).any(axis=1))
    source = "the training documents, each scored by rules that were learned without it"
    return Judged(
        source,
        "cross-validation",
        some_of(corpus, kept.tolist()),
        scores[kept],
        decisions(scores[kept], model),
    )


def audit_judged(corpus: Corpus, found: Audit, multilabel: bool) -> Judged:
    """Return the documents with the labels predicted by the classifier of the audit."""
    kept = np.flatnonzero(~np.isnan(found.scores).any(axis=1))
    scores = found.scores[kept]
    given = found.probabilities[kept] > 0.5 if multilabel else greatest(scores)
    source = "the training documents, each classified by a model that was trained without it"
    return Judged(source, "audit", some_of(corpus, kept.tolist()), scores, given)


def some_of(corpus: Corpus, kept: Sequence[int]) -> Corpus:
    """Return a corpus of these documents only."""
    if len(kept) == len(corpus):
        return corpus
    chosen = np.asarray(kept, np.int64)
    return replace(
        corpus,
        ids=[corpus.ids[i] for i in kept],
        origins=[corpus.origins[i] for i in kept],
        label_sets=gather(corpus.label_sets, chosen),
        weights=corpus.weights[chosen],
        attributes={},
        scored={},
        snippets=[corpus.snippets[i] for i in kept],
    )


def learning_curves(rows: Sequence[CurveRow], cross: CrossValidation | None) -> list[Curve]:
    """Return the curves of the measure on the training and on held-out documents."""
    lines = [
        Curve("training", tuple((row.round, row.train) for row in rows)),
        Curve("validation", tuple((row.round, row.valid) for row in rows)),
    ]
    if cross is not None:
        lines.append(Curve("held out", tuple((p.round, p.mean) for p in cross.curve)))
    return lines


def page_reports(content: Content) -> dict[str, Iterable[str]]:
    """Return the page, and the table of all confusions."""
    from boostext.reports.page.sections import report_page

    reports: dict[str, Iterable[str]] = {"report.html": [report_page(content)]}
    if content.judged is not None:
        reports["confusions.tsv"] = confusions_tsv(content.judged, content.model)
    return reports


class ConfusedDocument(NamedTuple):
    """A document with a label that was missed, and another one that was predicted."""

    missed: str
    given: str
    id: str
    origin: str


CONFUSION_COLUMNS: tuple[Column[ConfusedDocument], ...] = (
    Column("missed", lambda row: row.missed, "A label of the document that was missed."),
    Column("given", lambda row: row.given, "A label that was predicted instead."),
    Column("id", lambda row: row.id, "The id of the document."),
    Column("origin", lambda row: row.origin, "The file and line that it was read from."),
)
"""Columns of confusions.tsv."""


def confusions_tsv(judged: Judged, model: Model) -> Iterator[str]:
    """Yield the lines of confusions.tsv, one for each document and pair of labels."""
    whole = replace(Limits(), cells=1 << 40)
    pairs = confusion_of(judged, len(model.labels), whole, 1 << 40).pairs
    ids, origins = judged.corpus.ids, judged.corpus.origins
    rows = (
        ConfusedDocument(pair.missed, pair.given, ids[i], str(origins[i]))
        for pair in pairs
        for i in pair.behind
    )
    yield from tsv_lines(CONFUSION_COLUMNS, rows)
