"""Every weak rule in the order learned, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.rules import Rule
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
from boostext.model.decoding import toward_labels
from boostext.model.model import Model
from boostext.reports.columns import Column, as_json, tsv_lines

KINDS: dict[type[Condition], str] = {
    Occurs: "term", Equals: "category", AtLeast: "number", Always: "prior",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class RuleRow:
    """One weak rule.

    number: the round, from 1. condition: as spelled, after its precondition; opposite: where it
    does not hold. kind: term, category, number, conjunction, or prior for votes by label alone.
    at_least: of a term, else 1.
    gain, z: of the choice and the normalizer; bound: product of z so far; None where the model
    does not know them.
    labels: k names; unknown, no, yes: (k,) votes of the three blocks, a silent block votes 0.
    Where labels are coded the votes are of how far the rule moves toward each label's row.
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
    """The first `limit` rules, or all of them."""
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
    """How many text fields the model reads; with more than one, conditions name theirs."""
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
    """block -> label -> vote; silent blocks are left out."""
    blocks = {"unknown": row.unknown, "no": row.no, "yes": row.yes}
    return {
        block: dict(zip(row.labels, votes.tolist(), strict=True))
        for block, votes in blocks.items()
        if votes.any()
    }


RULE_COLUMNS: tuple[Column[RuleRow], ...] = (
    Column("number", lambda row: row.number, "The round that learned the rule, from 1."),
    Column("condition", lambda row: row.condition, "What the rule asks of a document."),
    Column("kind", lambda row: row.kind, "term, category, number, conjunction, or prior for votes "
           "by label alone."),
    Column("at_least", lambda row: row.at_least, "How often a term must occur; otherwise 1.",
           narrow=False),
    Column("gain", lambda row: row.gain, "By how much the rule was expected to lower the loss.",
           narrow=False),
    Column("z", lambda row: row.z, "The normalizer of the round: by this factor the loss fell."),
    Column("bound", lambda row: row.bound, "The product of z so far, which bounds the training "
           "loss."),
    Column("votes", _votes_by_block, "The votes by block (yes, no, unknown) and label.", tsv=None,
           narrow=False),
    Column("votes_for", lambda row: _strongest(row, 1), "The label whose score the rule raises "
           "most where its condition holds.", tsv=None, json=None),
    Column("votes_against", lambda row: _strongest(row, -1), "The label whose score the rule "
           "lowers most where its condition holds.", tsv=None, json=None),
)  # fmt: skip
"""The columns of rules.tsv that come before the votes, and those of the other views"""


def _strongest(row: RuleRow, sign: int) -> str:
    """The label of greatest vote of that sign in block YES, with the vote; "" where none is."""
    votes = sign * row.yes
    best = int(votes.argmax())
    return f"{row.labels[best]} {row.yes[best]:+.2f}" if votes[best] > 0 else ""


def rule_json(row: RuleRow) -> dict[str, object]:
    """As JSON: votes by block and label name; silent blocks are left out."""
    return as_json(RULE_COLUMNS, row)


def rules_tsv(rows: Sequence[RuleRow], labels: Sequence[str]) -> Iterator[str]:
    """Lines of rules.tsv: one rule a line, one column per block and label.

    Columns: RULE_COLUMNS, no:LABEL..., yes:LABEL..., and unknown:LABEL... where any rule votes on
    what is unknown.
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
