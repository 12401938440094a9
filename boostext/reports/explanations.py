"""Why a document has its scores: what was found in it, and what each finding says.

Scores add up: the votes of the rows of one label sum to its score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from boostext.corpus.documents import Document
from boostext.features.conditions import NO, UNKNOWN, YES, Occurs, spell_rule
from boostext.features.lookup import ConditionLookup
from boostext.model.predict import Contribution, loudest
from boostext.reports.columns import Column, as_json, tsv_lines
from boostext.reports.escape import tsv_names

Place = tuple[str, int, int]
Places = Callable[[Contribution], tuple[Place, ...]]
"""Where what a contribution speaks of was found."""


@dataclass(frozen=True)
class ExplanationRow:
    """One line of a label's sum. kind: found, other (further ones found), absent, unknown.

    condition: as spelled; "" where several are added up. conditions: how many. rounds: their rules.
    spans: where in the text as given it was found: field, start and end in characters.
    """

    label: str
    kind: str
    condition: str
    conditions: int
    rounds: int
    votes: float
    spans: tuple[Place, ...] = ()


def explanation_rows(
    contributions: Sequence[Contribution],
    labels: Sequence[str],
    chosen: Iterable[int],
    count: int = 5,
    fields: int = 1,
    absent: int = 0,
    places: Places = lambda contribution: (),
) -> list[ExplanationRow]:
    """For each chosen label number: the `count` loudest findings and the `absent` loudest of what
    is not found, the loudest first; then the rest by kind.

    contributions: all of one document. fields: how many text fields the model has. The votes of a
    label's rows add up to its score.
    """
    kinds = {"other": YES, "absent": NO, "unknown": UNKNOWN}
    spoken = {
        kind: [row for row in contributions if row.block == block] for kind, block in kinds.items()
    }
    rows = []
    for number in chosen:
        loud = loudest(spoken["other"], number, count)
        missing = loudest(spoken["absent"], number, absent)
        named = [
            replace(_named(labels[number], "found", row, number, fields), spans=places(row))
            for row in loud
        ]
        named += [_named(labels[number], "absent", row, number, fields) for row in missing]
        rows += sorted(named, key=lambda row: -abs(row.votes))
        told = set(map(id, (*loud, *missing)))
        rest = {kind: [r for r in some if id(r) not in told] for kind, some in spoken.items()}
        rows += [_sum(labels[number], kind, group, number) for kind, group in rest.items() if group]
    return rows


def _named(label: str, kind: str, row: Contribution, number: int, fields: int) -> ExplanationRow:
    spelled = spell_rule(row.precondition, row.condition, fields)
    return ExplanationRow(label, kind, spelled, 1, len(row.rounds), float(row.votes[number]))


def _sum(label: str, kind: str, rows: Sequence[Contribution], number: int) -> ExplanationRow:
    speaking = [row for row in rows if row.votes[number]]
    votes = math.fsum(float(row.votes[number]) for row in speaking)
    rounds = sum(len(row.rounds) for row in speaking)
    return ExplanationRow(label, kind, "", len(speaking), rounds, votes)


def places_in(document: Document, lookup: ConditionLookup) -> Places:
    """By the model's own tokens; of a rule under a precondition, also what that asks for."""

    def places(row: Contribution) -> tuple[Place, ...]:
        met = [row.condition, *(c for c, block in row.precondition if block == YES)]
        return tuple(
            (condition.field, start, end)
            for condition in met
            if isinstance(condition, Occurs)
            for start, end in lookup.find(document, condition)
        )

    return places


def _places_told(spans: tuple[Place, ...]) -> str:
    return tsv_names(f"{field}:{start}-{end}" for field, start, end in spans)


EXPLANATION_COLUMNS: tuple[Column[ExplanationRow], ...] = (
    Column("label", lambda row: row.label, "The label whose score is told."),
    Column("kind", lambda row: row.kind, "found, other (further ones that were found), absent, or "
           "unknown."),
    Column("condition", lambda row: row.condition, "What was asked; empty where several are added "
           "up."),
    Column("conditions", lambda row: row.conditions, "How many conditions are added up.",
           narrow=False),
    Column("rounds", lambda row: row.rounds, "How many rules ask for them.", narrow=False),
    # all digits: the votes of a label shall add up to its score
    Column("votes", lambda row: row.votes, "What they add to the score of the label.", tsv=repr),
    Column("spans", lambda row: row.spans, "Where in the text it was found: field, start and end, "
           "in characters.", tsv=_places_told, narrow=False),
)  # fmt: skip
"""The columns of explanation.tsv"""


def explanation_json(rows: Sequence[ExplanationRow], score: float) -> dict[str, object]:
    """The sum of one label: its score, and parts whose votes add up to it."""
    parts = (as_json(EXPLANATION_COLUMNS, row) for row in rows)
    told = [{k: v for k, v in part.items() if k != "label"} for part in parts]
    return {"score": score, "sum": told}


def explanation_tsv(rows: Iterable[ExplanationRow]) -> Iterator[str]:
    """Lines of explanation.tsv; spans as FIELD:START-END, joined by `|`."""
    yield from tsv_lines(EXPLANATION_COLUMNS, rows)
