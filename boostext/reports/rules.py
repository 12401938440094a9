"""Weak rules, and the rounds of boosting that learned them, as rows of reports."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.rules import Round, Rule
from boostext.features.conditions import (
    NO,
    UNKNOWN,
    YES,
    Always,
    AtLeast,
    Condition,
    Equals,
    Literal,
    Occurs,
    spell_literal,
    spell_rule,
)
from boostext.model.model import Model
from boostext.model.predict import toward_labels
from boostext.reports.columns import Column, as_json, tsv_lines

KINDS: dict[type[Condition], str] = {
    Occurs: "term",
    Equals: "category",
    AtLeast: "number",
    Always: "prior",
}


@dataclass(frozen=True, eq=False)
class RuleRow:
    """One weak rule.

    number: the round, from 1. condition: the precondition and the condition as text. opposite: the
    negated condition as text. kind: "term", "category", "number", "conjunction", or "prior" for a
    rule that votes on every document. at_least: minimum count of a term, otherwise 1.
    gain: the gain by which the rule was chosen. z: the normalizer of the round. bound: the product
    of z up to this round. All three are None if the model does not record them.
    labels: k names. unknown, no, yes: (k,), the votes of the three blocks; 0 in blocks without
    votes. If the model uses an output code, a vote is how far the rule moves the scores towards the
    code word of each label.
    """

    number: int
    condition: str
    opposite: str
    kind: str
    at_least: int
    gain: float | None
    z: float | None
    bound: float | None
    labels: tuple[str, ...]
    unknown: Float64
    no: Float64
    yes: Float64


def rule_rows(model: Model, limit: int | None = None) -> list[RuleRow]:
    """Return rows for the first `limit` rules, or for all of them."""
    gains, zs = model.history.gain, model.history.z
    bounds = np.cumprod(np.asarray(zs, dtype=np.float64)).tolist()
    measured = dict(enumerate(zip_longest(gains, zs, bounds), start=1))
    missing = (None, None, None)
    fields = text_field_count(model)
    numbered = zip(model.rule_rounds, model.rules[:limit], strict=False)
    return [
        _row(number, rule, measured.get(number, missing), model, fields)
        for number, rule in numbered
    ]


def text_field_count(model: Model) -> int:
    """Return the number of text fields; with more than one, conditions include the field name."""
    return len(model.data.text)


def _row(
    number: int,
    rule: Rule,
    measured: tuple[float | None, float | None, float | None],
    model: Model,
    fields: int,
) -> RuleRow:
    condition, votes = rule.condition, toward_labels(rule.votes, model)
    return RuleRow(
        number,
        spell_rule(rule.precondition, condition, fields),
        spell_literal(Literal(condition, NO), fields),
        "conjunction"
        if isinstance(condition, Always) and rule.precondition
        else (KINDS[type(condition)]),
        condition.at_least if isinstance(condition, Occurs) else 1,
        *measured,
        model.labels,
        *(votes[block] for block in (UNKNOWN, NO, YES)),
    )


def _votes_by_block(row: RuleRow) -> dict[str, dict[str, float]]:
    """Return the votes by block and label, without blocks that have no votes."""
    blocks = {"unknown": row.unknown, "no": row.no, "yes": row.yes}
    return {
        block: dict(zip(row.labels, votes.tolist(), strict=True))
        for block, votes in blocks.items()
        if votes.any()
    }


RULE_COLUMNS: tuple[Column[RuleRow], ...] = (
    Column("number", lambda row: row.number, "The round that learned the rule, from 1."),
    Column("condition", lambda row: row.condition, "The condition that the rule tests."),
    Column(
        "kind",
        lambda row: row.kind,
        "term, category, number, conjunction, or prior for a rule that votes on every document.",
    ),
    Column(
        "at_least",
        lambda row: row.at_least,
        "The minimum number of occurrences of a term; otherwise 1.",
        narrow=False,
    ),
    Column(
        "gain",
        lambda row: row.gain,
        "How much the rule was expected to reduce the loss.",
        narrow=False,
    ),
    Column(
        "z", lambda row: row.z, "The normalizer of the round: the factor by which the loss fell."
    ),
    Column(
        "bound",
        lambda row: row.bound,
        "The product of z so far, an upper bound on the training loss.",
    ),
    Column(
        "votes",
        _votes_by_block,
        "The votes by block (yes, no, unknown) and label.",
        tsv=None,
        narrow=False,
    ),
    Column(
        "votes_for",
        lambda row: _strongest(row, 1),
        "The label whose score the rule raises most if its condition holds.",
        tsv=None,
        json=None,
    ),
    Column(
        "votes_against",
        lambda row: _strongest(row, -1),
        "The label whose score the rule lowers most if its condition holds.",
        tsv=None,
        json=None,
    ),
)
"""Columns of rules.tsv before the votes, and columns of the other views."""


def _strongest(row: RuleRow, sign: int) -> str:
    """Return the label with the largest vote of that sign in block YES, and the vote, as text.

    The result is "" if there is no such vote.
    """
    votes = sign * row.yes
    best = int(votes.argmax())
    return f"{row.labels[best]} {row.yes[best]:+.2f}" if votes[best] > 0 else ""


def rule_json(row: RuleRow) -> dict[str, object]:
    """Return the row as a JSON object; its votes leave out blocks that have no votes."""
    return as_json(RULE_COLUMNS, row)


def rules_tsv(rows: Sequence[RuleRow], labels: Sequence[str]) -> Iterator[str]:
    """Yield the lines of rules.tsv, one per rule, with one column per block and label.

    The columns are RULE_COLUMNS, no:LABEL and yes:LABEL for each label, and unknown:LABEL if any
    rule has votes for unknown values.
    """
    blocks = ["no", "yes"]
    if any(row.unknown.any() for row in rows):
        blocks.append("unknown")
    votes = [_vote_column(block, j, label) for block in blocks for j, label in enumerate(labels)]
    yield from tsv_lines([*RULE_COLUMNS, *votes], rows)


def _vote_column(block: str, j: int, label: str) -> Column[RuleRow]:
    return Column(
        f"{block}:{label}", lambda row: float(getattr(row, block)[j]), f"The vote on {label}."
    )


# Rounds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TraceRow:
    """One round of boosting.

    number: the round, from 1. condition: the condition of its first rule as text. gain: the gain by
    which the rule was chosen. z: the normalizer of the round. bound: the product of z up to this
    round. terms: number of distinct conditions in the rules so far. train, valid: measures by name;
    empty if nothing was measured in this round.
    """

    number: int
    condition: str
    gain: float
    z: float
    bound: float
    terms: int = 0
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)


def trace_row(
    made: Round,
    fields: int = 1,
    train: Mapping[str, float] | None = None,
    valid: Mapping[str, float] | None = None,
    terms: int = 0,
) -> TraceRow:
    """Return the row for a round; see `TraceRow`. fields: number of text fields."""
    condition = spell_rule(made.rule.precondition, made.rule.condition, fields)
    condition += f"; and {len(made.more)} more" if made.more else ""
    measured = (dict(train or {}), dict(valid or {}))
    return TraceRow(made.number, condition, made.gain, made.z, made.bound, terms, *measured)


def trace_json(row: TraceRow) -> dict[str, object]:
    """Return the row as a JSON object, in which null stands for values that are not finite.

    The keys train and valid are left out if they are empty.
    """
    measured = {
        name: {measure: _finite(value) for measure, value in values.items()}
        for name, values in (("train", row.train), ("valid", row.valid))
        if values
    }
    return {
        "number": row.number,
        "condition": row.condition,
        "gain": _finite(row.gain),
        "z": _finite(row.z),
        "bound": _finite(row.bound),
        "terms": row.terms,
        **measured,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def trace_jsonl(rows: Iterable[TraceRow]) -> Iterator[str]:
    """Yield the lines of trace.jsonl, one JSON object per round, in the order of the rows."""
    for row in rows:
        yield json.dumps(trace_json(row), ensure_ascii=False, allow_nan=False) + "\n"
