"""The rows of the page's tables: rules with bars, terms, labels with their strongest terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64
from boostext.evaluation.report import LabelRow, Report
from boostext.model.decoding import toward_labels
from boostext.model.model import Model
from boostext.reports.coverage import TermFacts
from boostext.reports.marks import Piece
from boostext.reports.page.charts import BASE, STEP, BarRow, bar_row
from boostext.reports.rules import RuleRow
from boostext.reports.terms import TermRow

MOST_COLUMNS, NARROW = 100, 24
"""Labels that have a bar each, and up to which they have their name above it."""


@dataclass(frozen=True)
class RuleLines:
    """A rule: its bars where the condition is met, where it is not, and where it is unknown."""

    number: int
    condition: str
    kind: str
    z: float | None
    lines: tuple[tuple[str, BarRow], ...]


@dataclass(frozen=True)
class RuleTable:
    """labels: of the columns, empty where they are too many for bars."""

    rows: tuple[RuleLines, ...]
    labels: tuple[str, ...]
    step: int
    width: int
    height: int
    full: float
    named: bool
    total: int


def rule_lines(rows: Sequence[RuleRow], total: int) -> RuleTable:
    """Bars of all rules on one scale: a full one is the greatest vote among them."""
    labels = rows[0].labels if rows else ()
    full = max((float(np.abs(v).max()) for row in rows for _, v in _blocks(row)), default=0.0)
    drawn = len(labels) <= MOST_COLUMNS
    step = STEP + 4 if len(labels) <= NARROW else max(4, 480 // max(len(labels), 1))
    lines = tuple(
        RuleLines(
            row.number, row.condition, row.kind, row.z,
            tuple((name, bar_row(votes, full if drawn else 0.0, labels, step))
                  for name, votes in _blocks(row)),
        )
        for row in rows
    )  # fmt: skip
    width = step * len(labels) if drawn else 0
    return RuleTable(
        lines, labels if drawn else (), step, width, 2 * BASE, full,
        len(labels) <= NARROW, total,
    )  # fmt: skip


def _blocks(row: RuleRow) -> Iterator[tuple[str, Float64]]:
    yield "met", row.yes
    if row.no.any():
        yield "else", row.no
    if row.unknown.any():
        yield "unknown", row.unknown


@dataclass(frozen=True)
class Example:
    """A document that has a term. right: it has the label that the term is compared by."""

    id: str
    labels: tuple[str, ...]
    right: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class TermLine:
    """facts: None where there are no documents to count in."""

    row: TermRow
    facts: TermFacts | None
    examples: tuple[Example, ...] = ()

    @property
    def precision(self) -> float:
        """Of the term alone: the share of its documents that have the label it speaks for."""
        if self.facts is None:
            return 0.0
        names = self.row.labels
        if self.row.strongest_for not in names or len(names) != len(self.facts.precisions):
            return self.facts.precision
        return float(self.facts.precisions[names.index(self.row.strongest_for)])


@dataclass(frozen=True)
class Speaking:
    """A term that speaks for or against a label. share: of the greatest such vote, 0 to 1.

    documents, precision: of the term alone, for this label; None where nothing is known.
    """

    term: str
    votes: float
    share: float
    documents: int | None
    precision: float | None


@dataclass(frozen=True)
class LabelSection:
    """anchor: of the section. facts: how it is decided, where documents were judged."""

    anchor: str
    label: str
    facts: LabelRow | None
    likes: tuple[Speaking, ...]
    dislikes: tuple[Speaking, ...]
    missed: tuple[tuple[str, int], ...]
    taken: tuple[tuple[str, int], ...]


def differences(rows: Sequence[TermRow], model: Model) -> Float64:
    """(terms, k): what the presence of each adds to the score of each label."""
    if not rows:
        return np.zeros((0, len(model.labels)))
    return toward_labels(np.stack([row.difference for row in rows]), model)


def label_sections(
    model: Model, rows: Sequence[TermRow], facts: Sequence[TermFacts], report: Report | None,
    most: int, terms: int,
) -> list[LabelSection]:  # fmt: skip
    """The `most` labels with most documents, in label order; at most `terms` terms in all."""
    known = {row.label: row for row in report.labels} if report else {}
    order = sorted(
        range(len(model.labels)),
        key=lambda j: -(known[model.labels[j]].support if known else 0),
    )
    chosen = sorted(order[:most])
    each = max(2, min(12, terms // max(2 * len(chosen), 1)))
    votes = differences(rows, model)
    full = float(np.abs(votes).max()) if votes.size else 1.0
    return [
        _section(j, model, (rows, facts, votes / (full or 1.0), full), known, report, each)
        for j in chosen
    ]


def _section(
    j: int,
    model: Model,
    told: tuple[Sequence[TermRow], Sequence[TermFacts], Float64, float],
    known: dict[str, LabelRow],
    report: Report | None,
    each: int,
) -> LabelSection:
    rows, facts, shares, full = told
    label, column = model.labels[j], shares[:, j]

    def speaking(sign: int) -> Iterator[Speaking]:
        for t in np.argsort(-sign * column, kind="stable")[:each].tolist():
            if sign * column[t] > 0:
                fact = facts[t] if facts else None
                yield Speaking(
                    rows[t].term, float(column[t] * full), abs(float(column[t])),
                    fact.documents if fact else None,
                    float(fact.precisions[j]) if fact and fact.documents else None,
                )  # fmt: skip

    pairs = report.confusions if report else ()
    missed = tuple((p.given, p.examples) for p in pairs if p.missed == label)[:5]
    taken = tuple((p.missed, p.examples) for p in pairs if p.given == label)[:5]
    return LabelSection(
        f"label-{j}", label, known.get(label), tuple(speaking(1)), tuple(speaking(-1)),
        missed, taken,
    )  # fmt: skip
