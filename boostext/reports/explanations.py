"""Explanations of the scores of a document by the votes of the conditions that apply to it.

The votes of the rows of one label add up to its score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boostext.corpus.documents import Document
from boostext.features.conditions import NO, UNKNOWN, YES, Occurs, spell_rule
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.model.predict import Contribution, strongest
from boostext.reports.columns import Column, as_json, tsv_lines
from boostext.reports.escape import tsv_names

Place = tuple[str, int, int]
Places = Callable[[Contribution], tuple[Place, ...]]
"""Function that returns the spans of text that match the terms of a contribution."""


@dataclass(frozen=True)
class ExplanationRow:
    """One part of the score of a label.

    kind: "found", "other" (conditions that hold but are not listed one by one), "absent" or
    "unknown". condition: the condition as text, or "" for a sum over several. conditions, rounds:
    number of conditions, and number of their rules. votes: what they add to the score. spans:
    matches in the original text, as field, start and end in characters.
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
    """Return the rows that explain the scores of the chosen labels.

    For each label, the `count` conditions that hold and the `absent` conditions that do not hold
    with the largest absolute votes come first, in descending order. The rest is summed by kind, so
    the votes of the rows of a label add up to its score.

    contributions: all contributions of one document. chosen: indices of labels. fields: number of
    text fields of the model. places: see `places_in`.
    """
    kinds = {"other": YES, "absent": NO, "unknown": UNKNOWN}
    by_kind = {
        kind: [row for row in contributions if row.block == block] for kind, block in kinds.items()
    }
    rows = []
    for number in chosen:
        found = strongest(by_kind["other"], number, count)
        missing = strongest(by_kind["absent"], number, absent)
        named = [
            replace(_named(labels[number], "found", row, number, fields), spans=places(row))
            for row in found
        ]
        named += [_named(labels[number], "absent", row, number, fields) for row in missing]
        rows += sorted(named, key=lambda row: -abs(row.votes))
        named_rows = set(map(id, (*found, *missing)))
        rest = {
            kind: [r for r in some if id(r) not in named_rows] for kind, some in by_kind.items()
        }
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
    """Return a function that finds the terms of a contribution in a document.

    The text is tokenized as by the model. Terms that the precondition requires are found as well.
    """

    def places(row: Contribution) -> tuple[Place, ...]:
        met = [row.condition, *(c for c, block in row.precondition if block == YES)]
        return tuple(
            (lookup.text_field(condition), start, end)
            for condition in met
            if isinstance(condition, Occurs)
            for start, end in lookup.find(document, condition)
        )

    return places


def _places_text(spans: tuple[Place, ...]) -> str:
    return tsv_names(f"{field}:{start}-{end}" for field, start, end in spans)


EXPLANATION_COLUMNS: tuple[Column[ExplanationRow], ...] = (
    Column("label", lambda row: row.label, "The label whose score is explained."),
    Column(
        "kind",
        lambda row: row.kind,
        "found, other (the rest of those that hold), absent or unknown.",
    ),
    Column(
        "condition",
        lambda row: row.condition,
        "The condition; empty if the row is the sum over several conditions.",
    ),
    Column(
        "conditions", lambda row: row.conditions, "Number of conditions in the sum.", narrow=False
    ),
    Column(
        "rounds", lambda row: row.rounds, "Number of rules with these conditions.", narrow=False
    ),
    # votes are not rounded, so that those of a label add up to its score
    Column(
        "votes", lambda row: row.votes, "How much they add to the score of the label.", tsv=repr
    ),
    Column(
        "spans",
        lambda row: row.spans,
        "Where the text matches: field, start and end, in characters.",
        tsv=_places_text,
        narrow=False,
    ),
)
"""Columns of explanation.tsv."""


def explanation_json(rows: Sequence[ExplanationRow], score: float) -> dict[str, object]:
    """Return the score of one label, and the parts that add up to it, as a JSON object."""
    parts = (as_json(EXPLANATION_COLUMNS, row) for row in rows)
    record = [{k: v for k, v in part.items() if k != "label"} for part in parts]
    return {"score": score, "sum": record}


def explanation_tsv(rows: Iterable[ExplanationRow]) -> Iterator[str]:
    """Yield the lines of explanation.tsv; spans are FIELD:START-END, joined by `|`."""
    yield from tsv_lines(EXPLANATION_COLUMNS, rows)


# Explanations of predictions, for JSON -------------------------------------------------------


class Votes:
    """The votes on the labels of one document, as values for JSON."""

    def __init__(self, model: Model, document: Document, rows: Sequence[Contribution]) -> None:
        """rows: all contributions to the scores of the document."""
        self._model, self._document, self._rows = model, document, rows
        self._places = places_in(document, ConditionLookup((), model.text, model.data.text))

    def explain(self, number: int, score: float, count: int) -> dict[str, Any]:
        """Return the explanation of the score of the label with index `number`.

        The keys of the result are: rules, the `count` conditions that hold with the largest
        absolute votes; rest, the score without them; absent, the `count` conditions that do not
        hold with the largest absolute votes; sum, the sums of the votes of all conditions that
        hold, do not hold, and are unknown, which add up to the score.
        """
        kinds = {"found": YES, "absent": NO, "unknown": UNKNOWN}
        rows = {
            name: [row for row in self._rows if row.block == block] for name, block in kinds.items()
        }
        loud, missing = (strongest(rows[name], number, count) for name in ("found", "absent"))
        return {
            "rules": [self._found(row, number) for row in loud],
            "rest": score - math.fsum(float(row.votes[number]) for row in loud),
            "absent": [self._rule(row, number) for row in missing],
            "sum": {
                name: math.fsum(float(row.votes[number]) for row in some)
                for name, some in rows.items()
            },
        }

    def _rule(self, row: Contribution, number: int) -> dict[str, Any]:
        fields = len(self._model.data.text)
        return {
            "condition": spell_rule(row.precondition, row.condition, fields),
            "votes": float(row.votes[number]),
            "rounds": list(row.rounds),
        }

    def _found(self, row: Contribution, number: int) -> dict[str, Any]:
        """Return the condition with the words that match it, and their field, start and end."""
        record = self._rule(row, number)
        if isinstance(row.condition, Occurs):
            spans = self._places(row)
            texts = self._document.texts
            record["found"] = [texts.get(field, "")[start:end] for field, start, end in spans]
            record["spans"] = [list(span) for span in spans]
        return record
