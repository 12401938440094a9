"""What a model says of documents, one result for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boostext.arrays import Float64, Scores
from boostext.corpus.carried import carried, names_beside
from boostext.corpus.documents import Document
from boostext.model.model import Model
from boostext.model.predict import (
    BATCH,
    Contribution,
    Predictor,
    chances,
    decisions,
    given_numbers,
    has_chances,
    ranked_labels,
)
from boostext.reports.spoken import Spoken


@dataclass(frozen=True)
class Wanted:
    """top: scores of so many labels, None where nothing was said. explain: rules per label.

    threshold, chance: give labels with a score, or a probability, above it. title: of a page.
    columns: whether the fields of the input stand before the result; table: the name of each in
    the header, where the result is a table.
    """

    top: int | None
    all_scores: bool
    proba: bool
    explain: int | None
    title: str = ""
    columns: bool = False
    threshold: float | None = None
    chance: float | None = None
    table: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """A document with its scores (k,), and what was asked for besides.

    Label numbers: best, all by score; given; shown, those whose scores are told.
    """

    document: Document
    best: Sequence[int]
    given: Sequence[int]
    shown: Sequence[int]
    scores: Scores
    probabilities: Float64 | None
    explanation: tuple[Contribution, ...] | None


def results_of(
    predictor: Predictor, documents: Iterable[Document], wanted: Wanted, batch: int = BATCH
) -> Iterator[Result]:
    """A result for each document, in order, as they are read."""
    model = predictor.model
    for found in predictor.batches(documents, batch):
        best = ranked_labels(found.scores, model).tolist()
        given = given_numbers(decisions(found.scores, model, wanted.threshold, wanted.chance))
        told_too = wanted.proba or (wanted.explain and has_chances(model))
        likely = chances(found.scores, model) if told_too else None
        for i, document in enumerate(found.documents):
            told = {*best[i][: wanted.top or 1], *given[i]}
            yield Result(
                document, best[i], given[i], [number for number in best[i] if number in told],
                found.scores[i], None if likely is None else likely[i],
                predictor.contributions(document) if wanted.explain else None,
            )  # fmt: skip


def record_of(result: Result, wanted: Wanted, model: Model) -> dict[str, Any]:
    """One result as JSON can hold it."""
    record: dict[str, Any] = {
        "id": result.document.id,
        "labels": [model.labels[number] for number in result.given],
        "scores": _by_label(result.scores, result.shown, model),
    }
    if result.probabilities is not None:
        record["probabilities"] = _by_label(result.probabilities, result.shown, model)
    if result.explanation is not None:
        spoken = Spoken(model, result.document, result.explanation)
        record["explanation"] = {
            model.labels[n]: spoken.of(n, float(result.scores[n]), wanted.explain or 0)
            for n in result.shown
        }
    if wanted.columns:
        given = carried(result.document)
        names = names_beside(given, record)
        record = {names[name]: value for name, value in given.items()} | record
    return record


def _by_label(values: Float64, shown: Sequence[int], model: Model) -> dict[str, float]:
    return {model.labels[number]: float(values[number]) for number in shown}
