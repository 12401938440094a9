"""Worked example: how the votes of present and absent conditions add up for one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boostext.corpus.documents import Document
from boostext.features.conditions import YES
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.model.predict import Contribution, Predictor, decisions
from boostext.reports.coverage import Evidence
from boostext.reports.explanations import ExplanationRow, explanation_rows, places_in
from boostext.reports.marks import Mark, Piece, marked_pieces

FOUND, ABSENT = 6, 3
LEGIBLE, LONGEST, ROOM, MOST_MARKS = 60, 20_000, 600, 50
NAMES = {"other": "more found", "absent": "not found", "unknown": "unknown"}


@dataclass(frozen=True)
class SumLine:
    name: str
    votes: float


@dataclass(frozen=True)
class LabelSum:
    label: str
    score: float
    lines: tuple[SumLine, ...]
    probability: float | None = None


@dataclass(frozen=True)
class Worked:
    id: str
    pieces: tuple[Piece, ...]
    sums: tuple[LabelSum, ...]


def worked_document(evidence: Evidence) -> int | None:
    """Return the index of a typical document for the worked example, or None if there is none.

    It is the correctly predicted document with the median confidence, among those whose text is
    long enough to read.
    """
    scores, gold = evidence.scores, evidence.gold
    if not len(scores) or not evidence.model.rules:
        return None
    right = (decisions(scores, evidence.model) == gold.matrix).all(axis=1) & gold.matrix.any(axis=1)
    sizes = np.array([len(text) for text in evidence.corpus.snippets])
    usable = np.flatnonzero(right & (sizes >= min(LEGIBLE, int(sizes.max(initial=0)))))
    if not len(usable):
        return None
    sure = np.where(gold.matrix, scores, -scores)[usable].min(axis=1)
    return int(usable[np.argsort(sure, kind="stable")[len(usable) // 2]])


def worked_example(model: Model, document: Document) -> Worked:
    """Return the explanations of the two labels with the highest scores, and the marked text."""
    predictor = Predictor(model)
    scores, contributions = predictor.score(document), predictor.contributions(document)
    best = np.argsort(-scores, kind="stable").tolist()[:2]
    sums = tuple(label_sum(model, contributions, float(scores[j]), j, FOUND, ABSENT) for j in best)
    return Worked(document.id, tuple(marked(model, document, contributions, best[0])), sums)


def label_sum(
    model: Model,
    contributions: Sequence[Contribution],
    score: float,
    j: int,
    found: int,
    absent: int,
) -> LabelSum:
    """Return the parts of the score of the label with index `j`.

    found, absent: how many conditions that hold, and that do not hold, are listed one by one. The
    rest is summed by kind.
    """
    fields = len(model.data.text)
    rows = explanation_rows(contributions, model.labels, [j], found, fields, absent)
    lines = tuple(SumLine(line_name(row), row.votes) for row in rows if row.votes)
    return LabelSum(model.labels[j], score, lines)


def line_name(row: ExplanationRow) -> str:
    """Return the name of a row: its condition, or the number of conditions that it sums."""
    if row.condition:
        return row.condition if row.kind == "found" else f"{NAMES[row.kind]}: {row.condition}"
    return f"{row.conditions:,} {'more ' if row.kind == 'absent' else ''}{NAMES[row.kind]}"


def marked(
    model: Model,
    document: Document,
    contributions: Sequence[Contribution],
    j: int,
    room: int = ROOM,
) -> list[Piece]:
    """Return the longest text of the document, with the terms that vote on label `j` marked.

    room: approximate number of characters; longer texts are reduced to the surroundings of the
    marks with the largest absolute votes.
    """
    field = max(model.data.text, key=lambda name: len(document.texts.get(name, "")))
    return marked_field(model, document, contributions, j, field, room)


def marked_field(
    model: Model,
    document: Document,
    contributions: Sequence[Contribution],
    j: int,
    field: str,
    room: int,
) -> list[Piece]:
    """Return the text of one field with marks; see `marked`."""
    text = document.texts.get(field, "")[:LONGEST]
    places = places_in(
        Document(document.id, {field: text}), ConditionLookup((), model.text, model.data.text)
    )
    marks = [
        Mark(start, end, float(row.votes[j]))
        for row in contributions
        if row.block == YES and row.votes[j]
        for name, start, end in places(row)[:MOST_MARKS]
        if name == field
    ]
    return marked_pieces(text, marks, room)
