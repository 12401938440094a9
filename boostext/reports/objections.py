"""Evidence for likely label errors: the terms of a document for and against its labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from boostext.arrays import Float64
from boostext.features.conditions import (
    NO,
    YES,
    Always,
    AtLeast,
    Condition,
    Known,
    Literal,
    Occurs,
    spell,
    spell_rule,
)
from boostext.model.merged import merge_votes
from boostext.model.model import Model
from boostext.model.predict import Contribution, toward_labels
from boostext.reports.outliers import Objection, OutlierRow
from boostext.reports.rules import text_field_count

MOST = 3


def with_objections(
    rows: Sequence[OutlierRow],
    model: Model,
    contributions: Iterable[Sequence[Contribution]],
    most: int = MOST,
) -> list[OutlierRow]:
    """Return the rows with the strongest terms against and for the given labels, `most` of each.

    model: the model returned by `tapered`. contributions: for each row, the contributions of this
    model to the scores of the document.
    """
    merged = merge_votes(model)
    entries = zip(merged.preconditions, merged.conditions, strict=True)
    absent = dict(zip(entries, toward_labels(merged.votes[:, NO], model), strict=True))
    fields = text_field_count(model)
    found = []
    for row, of_document in zip(rows, contributions, strict=True):
        against = _evidence(dispute(row, model.labels), of_document, absent, fields)
        objections = [objection for objection in against if objection.votes > 0][:most]
        supports = [
            Objection(objection.term, -objection.votes)
            for objection in against[::-1]
            if objection.votes < 0
        ]
        found.append(replace(row, objections=tuple(objections), supports=tuple(supports[:most])))
    return found


def _evidence(
    sides: Float64,
    contributions: Sequence[Contribution],
    absent: dict[tuple[tuple[Literal, ...], Condition], Float64],
    fields: int,
) -> list[Objection]:
    """Return the evidence of each term, in descending order of votes.

    Votes are positive for the suggested and negative for the given labels; sides is the result of
    `dispute`. The votes of a term are what its presence adds, compared with its absence.
    """
    sums: dict[str, float] = {}
    for row in contributions:
        if name := _fact(row, fields):
            votes = row.votes
            if isinstance(row.condition, Occurs) and not row.precondition:
                votes = votes - absent[row.precondition, row.condition]
            sums[name] = sums.get(name, 0.0) + float(votes @ sides)
    found = [Objection(name, votes) for name, votes in sums.items() if votes]
    return sorted(found, key=lambda objection: -objection.votes)


def dispute(row: OutlierRow, labels: Sequence[str]) -> Float64:
    """Return the direction of the suggested change for each label, shape (k,).

    The value is 1 for labels to add, -1 for labels to remove, and 0 otherwise. If the suggested
    labels are the given ones, the change is from all given labels to the rival.
    """
    given, suggested = set(row.given), set(row.suggested)
    if given == suggested:
        suggested = {row.rival}
    signs = [(label in suggested) - (label in given) for label in labels]
    return np.array(signs, dtype=np.float64)


def _fact(row: Contribution, fields: int) -> str:
    """Describe what the contribution shows to be true of the document.

    Terms are described without their counts. The result is "" if the contribution is about
    something absent, or applies to every document.
    """
    condition, block = row.condition, row.block
    if isinstance(condition, Known):
        return spell(condition)
    if row.precondition:
        objection = [*row.precondition, Literal(condition, block)]
        tells = any(literal.block == YES for literal in objection if literal.condition != Always())
        return spell_rule(objection, Always(), fields) if tells else ""
    if isinstance(condition, Always):
        return ""
    if block == YES:
        if isinstance(condition, Occurs):
            condition = Occurs(condition.field, condition.term)
        return spell(condition, fields)
    if block == NO and isinstance(condition, AtLeast):
        return f"{condition.column} < {condition.threshold:.12g}"
    return ""
