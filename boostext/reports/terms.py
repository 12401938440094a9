"""Rules merged by term, and the strongest terms for and against each label.

The score of a document for a label is the sum of the votes of all rules, so the total effect of a
term is the sum of the votes of its rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.rules import Rule
from boostext.features.conditions import (
    NO,
    YES,
    Always,
    AtLeast,
    Condition,
    Equals,
    Literal,
    Occurs,
    spell,
    spell_literal,
    spell_rule,
)
from boostext.model.model import Model
from boostext.model.predict import toward_labels
from boostext.reports.columns import Column, as_json, tsv_lines
from boostext.reports.rules import KINDS, text_field_count


@dataclass(frozen=True, eq=False)
class Level:
    """All rules with the same condition: a minimum count of a term, or a threshold of a column.

    condition: the condition as text. rules: number of rules. no, yes: (k,), sums of the votes of
    the rules if the condition is false and if it is true. asked: the condition itself.
    """

    condition: str
    rules: int
    no: Float64
    yes: Float64
    asked: Condition


@dataclass(frozen=True, eq=False)
class TermRow:
    """One term, category or numeric column, with all rules that share the same precondition.

    rank: rank by influence, from 1. rules: number of rules. first_round: the first round that chose
    it. influence: the sum over levels and labels of |yes - no|. strongest_for, strongest_against:
    the labels with the largest and the smallest difference, or "" if no score is raised, or none
    is lowered. difference: (k,), what its presence (at the highest level) adds to the score of each
    label, compared with its absence. levels: its counts or thresholds, in ascending order. before:
    the precondition of the rules.
    """

    rank: int
    term: str
    kind: str
    rules: int
    first_round: int
    influence: float
    strongest_for: str
    strongest_against: str
    labels: tuple[str, ...]
    difference: Float64
    levels: tuple[Level, ...]
    before: tuple[Literal, ...] = ()


@dataclass(frozen=True)
class LabelTerm:
    """One term that is evidence for or against a label.

    rank: rank among these terms, from 1. votes: what the presence of the term adds to the score.
    """

    label: str
    rank: int
    term: str
    votes: float


def term_rows(model: Model, limit: int | None = None) -> list[TermRow]:
    """Return the `limit` most influential terms, or all of them; ties are in learning order.

    Rules that apply to every document have no term and are left out.
    """
    groups: dict[tuple[tuple[Literal, ...], Condition], list[tuple[int, Rule]]] = {}
    for number, rule in zip(model.rule_rounds, model.rules, strict=True):
        if rule.condition != Always() or rule.precondition:
            key = (rule.precondition, _term(rule.condition))
            groups.setdefault(key, []).append((number, rule))
    merged = [_merge(*key, members, model) for key, members in groups.items()]
    merged.sort(key=lambda row: -row.influence)
    return [replace(row, rank=rank) for rank, row in enumerate(merged[:limit], start=1)]


def label_terms(
    rows: Sequence[TermRow], labels: Sequence[str], top: int, against: bool = False
) -> list[LabelTerm]:
    """Return for each label the `top` terms whose presence raises its score most.

    If `against` is true, these are the terms that lower the score most.
    """
    if not rows:
        return []
    differences = np.stack([row.difference for row in rows])  # (terms, k)
    sign = -1 if against else 1
    found = []
    for number, label in enumerate(labels):
        column = differences[:, number] * sign
        best = np.argsort(-column, kind="stable")[:top]
        speaking = [j for j in best.tolist() if column[j] > 0]
        found += [
            LabelTerm(label, rank, rows[j].term, float(differences[j, number]))
            for rank, j in enumerate(speaking, start=1)
        ]
    return found


def _term(condition: Condition) -> Condition:
    """Return the condition without its count or threshold, to group rules by term or column."""
    match condition:
        case Occurs(field, term, _):
            return Occurs(field, term)
        case AtLeast(column, _):
            return AtLeast(column, 0.0)
        case Equals() | Always():
            return condition


def _level(condition: Condition) -> float:
    match condition:
        case Occurs(_, _, at_least):
            return at_least
        case AtLeast(_, threshold):
            return threshold
        case Equals() | Always():
            return 0.0


def _merge(
    before: tuple[Literal, ...],
    term: Condition,
    members: Sequence[tuple[int, Rule]],
    model: Model,
) -> TermRow:
    same: dict[Condition, list[Float64]] = {}
    for _, rule in members:
        same.setdefault(rule.condition, []).append(toward_labels(rule.votes, model))
    fields = text_field_count(model)
    levels = tuple(_merged_level(c, same[c], fields) for c in sorted(same, key=_level))
    steps = np.stack([level.yes - level.no for level in levels])  # (levels, k)
    difference = steps.sum(axis=0)
    labels = model.labels
    best, worst = int(difference.argmax()), int(difference.argmin())
    return TermRow(
        rank=0,
        term=_named(before, term, fields),
        kind=KINDS[type(term)],
        rules=len(members),
        first_round=members[0][0],
        influence=float(np.abs(steps).sum()),
        strongest_for=labels[best] if difference[best] > 0 else "",
        strongest_against=labels[worst] if difference[worst] < 0 else "",
        labels=labels,
        difference=difference,
        levels=levels,
        before=before,
    )


def _named(before: Sequence[Literal], term: Condition, fields: int) -> str:
    if not isinstance(term, AtLeast):
        return spell_rule(before, term, fields)
    return " & ".join([*(spell_literal(literal, fields) for literal in before), term.column])


def _merged_level(condition: Condition, rules: Sequence[Float64], fields: int) -> Level:
    votes = np.sum(rules, axis=0)  # (3, k)
    return Level(spell(condition, fields), len(rules), votes[NO], votes[YES], condition)


def _by_label(row: TermRow, values: Float64) -> dict[str, float]:
    return dict(zip(row.labels, values.tolist(), strict=True))


def _level_records(row: TermRow) -> list[dict[str, object]]:
    return [
        {
            "condition": level.condition,
            "rules": level.rules,
            "no": _by_label(row, level.no),
            "yes": _by_label(row, level.yes),
        }
        for level in row.levels
    ]


TERM_COLUMNS: tuple[Column[TermRow], ...] = (
    Column("rank", lambda row: row.rank, "Rank by influence, from 1."),
    Column("term", lambda row: row.term, "The term, category or numeric column."),
    Column("kind", lambda row: row.kind, "term, category or number."),
    Column("rules", lambda row: row.rules, "Number of rules that use it."),
    Column(
        "first_round", lambda row: row.first_round, "The first round that chose it.", narrow=False
    ),
    Column(
        "levels",
        lambda row: row,
        "The number of different counts or thresholds in its rules; in JSON, a list of them with "
        "their votes.",
        tsv=lambda row: str(len(row.levels)),
        json=_level_records,
        narrow=False,
    ),
    Column(
        "influence",
        lambda row: row.influence,
        "The total change in the scores of all labels that it makes, in absolute values.",
    ),
    Column(
        "strongest_for",
        lambda row: row.strongest_for,
        "The label whose score its presence raises most.",
    ),
    Column(
        "strongest_against",
        lambda row: row.strongest_against,
        "The label whose score its presence lowers most.",
    ),
    Column(
        "difference",
        lambda row: _by_label(row, row.difference),
        "How much its presence adds to the score of each label.",
        tsv=None,
        narrow=False,
    ),
)
"""Columns of the JSON output, and of terms.tsv before the differences by label."""


def term_json(row: TermRow) -> dict[str, object]:
    """Return the row as a JSON object, with differences by label and the votes of every level."""
    return as_json(TERM_COLUMNS, row)


def terms_tsv(rows: Sequence[TermRow], labels: Sequence[str]) -> Iterator[str]:
    """Yield the lines of terms.tsv, one per term, in the order of the rows.

    The columns are TERM_COLUMNS and difference:LABEL for each label.
    """
    yield from tsv_lines(
        [*TERM_COLUMNS, *map(_difference_column, range(len(labels)), labels)], rows
    )


def _difference_column(j: int, label: str) -> Column[TermRow]:
    return Column(
        f"difference:{label}",
        lambda row: float(row.difference[j]),
        f"How much its presence adds to the score of {label}.",
    )
