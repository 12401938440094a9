"""Rows of the tables on the HTML page: rules, terms, and labels with their strongest terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64
from boostext.evaluation.report import LabelRow, Report
from boostext.features.conditions import LOWEST, AtLeast, Occurs
from boostext.model.model import Model
from boostext.reports.coverage import TermFacts, precision_of
from boostext.reports.marks import Piece
from boostext.reports.page.charts import (
    BASE,
    PAIR,
    STEP,
    BarRow,
    Chart,
    bar_row,
    line_chart,
    pair_row,
)
from boostext.reports.page.content import Curve
from boostext.reports.rules import RuleRow
from boostext.reports.terms import TermRow

MOST_COLUMNS, NARROW = 100, 24
"""Maximum number of labels drawn as bars, and of those with their names above the bars."""


@dataclass(frozen=True)
class RuleLines:
    """A rule with the votes of each block drawn as bars.

    blocks: bars by name of the block; blocks with negligible votes are left out.
    """

    number: int
    condition: str
    kind: str
    z: float | None
    blocks: dict[str, BarRow]


@dataclass(frozen=True)
class BarSpace:
    """The layout in which votes are drawn as bars.

    labels: labels of the bars, empty if there are too many labels to draw. step: distance between
    bars. width, height: size of a row, in drawing units. full: the absolute vote that fills a bar.
    named: whether label names are shown above the bars, in a header `head` units high. pair:
    whether there are two labels with opposite votes, which are drawn as a single bar from the
    middle towards the label that the vote favours.
    """

    labels: tuple[str, ...]
    step: int
    width: int
    height: int
    full: float
    named: bool
    pair: bool

    @property
    def head(self) -> int:
        return min(110, 24 + 7 * max(map(len, self.labels), default=0))

    def row(self, votes: Float64, names: Sequence[str]) -> BarRow:
        if self.pair:
            return pair_row(votes, self.full, names, self.width)
        return bar_row(votes, self.full if self.labels else 0.0, names, self.step)


@dataclass(frozen=True)
class RuleTable:
    """A table of rules.

    blocks: the blocks, of "met", "else" and "unknown", in which any of the rules has votes. total:
    number of rules in the model, of which `rows` may show only some.
    """

    rows: tuple[RuleLines, ...]
    space: BarSpace
    blocks: tuple[str, ...]
    total: int


def bar_space(labels: tuple[str, ...], full: float, mirrored: bool) -> BarSpace:
    """Return the layout for votes of these labels up to an absolute value of `full`.

    mirrored: whether there are two labels with opposite votes; see `pair` in `BarSpace`.
    """
    if mirrored:
        return BarSpace(labels, PAIR // 2, PAIR, 16, full, False, True)
    drawn = len(labels) <= MOST_COLUMNS
    step = STEP + 2 if len(labels) <= NARROW else max(3, 400 // max(len(labels), 1))
    width = step * len(labels) if drawn else 0
    named = len(labels) <= NARROW
    return BarSpace(labels if drawn else (), step, width, 2 * BASE, full, named, False)


def is_mirrored(votes: Iterable[Float64]) -> bool:
    """Return whether all votes are for two labels, shape (2,), and opposite up to rounding."""
    return all(
        len(pair) == 2 and abs(float(pair.sum())) <= 1e-9 * (1 + abs(float(pair[0])))
        for pair in votes
    )


def rule_lines(rows: Sequence[RuleRow], total: int) -> RuleTable:
    """Return the table of rules, with all bars scaled to the largest absolute vote."""
    labels = rows[0].labels if rows else ()
    votes = [votes for row in rows for _, votes in _blocks(row)]
    full = max((float(np.abs(v).max()) for v in votes), default=0.0)
    space = bar_space(labels, full, len(labels) == 2 and is_mirrored(votes))
    lines = []
    for row in rows:
        drawn = {name: space.row(v, labels) for name, v in _blocks(row)}
        visible = {name: bars for name, bars in drawn.items() if not bars.is_silent}
        lines.append(RuleLines(row.number, row.condition, row.kind, row.z, visible))
    filled = {name for line in lines for name in line.blocks}
    blocks = tuple(name for name in ("met", "else", "unknown") if name in filled)
    return RuleTable(tuple(lines), space, blocks, total)


def _blocks(row: RuleRow) -> Iterator[tuple[str, Float64]]:
    yield from (("met", row.yes), ("else", row.no), ("unknown", row.unknown))


@dataclass(frozen=True)
class Example:
    """A document that contains a term.

    right: whether the document has the label that the term is compared by. pieces: the text, split
    into marked and unmarked parts.
    """

    id: str
    labels: tuple[str, ...]
    right: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class TermLine:
    """A term for review.

    facts: counts over the documents, or None without documents. votes: what the presence of the
    term adds to the score of each label, as bars. pattern: the argument of `--drop` that excludes
    the term from training, or "" if it is not a term of a text field. alone: the most frequent
    labels of the documents with the term, and their shares. steps: for a numeric column, a chart of
    what each value adds to the scores. examples: documents that contain the term.
    """

    row: TermRow
    facts: TermFacts | None
    votes: BarRow
    pattern: str = ""
    alone: tuple[tuple[str, float], ...] = ()
    steps: Chart | None = None
    examples: tuple[Example, ...] = ()

    @property
    def precision(self) -> float:
        return 0.0 if self.facts is None else precision_of(self.row, self.facts)


def term_lines(
    rows: Sequence[TermRow], facts: Sequence[TermFacts], model: Model, most: int, curves: int
) -> tuple[list[TermLine], BarSpace]:
    """Return the first `most` terms with bars on one scale, and the layout of the bars.

    curves: the maximum number of numeric columns that get a step chart.
    """
    votes = differences(rows[:most], model.labels)
    full = float(np.abs(votes).max()) if votes.size else 0.0
    mirrored = len(model.labels) == 2 and is_mirrored(list(votes))
    space = bar_space(model.labels, full, mirrored)
    lines = []
    for n, row in enumerate(rows[:most]):
        fact = facts[n] if facts else None
        steps = None
        if row.kind == "number" and curves > 0:
            steps, curves = step_chart(row, f"steps-{n}"), curves - 1
        bars = space.row(votes[n], model.labels)
        lines.append(TermLine(row, fact, bars, drop_pattern(row), _alone(row, fact), steps))
    return lines, space


def _alone(row: TermRow, fact: TermFacts | None, most: int = 3) -> tuple[tuple[str, float], ...]:
    if fact is None:
        return ()
    order = np.argsort(-fact.precisions, kind="stable")[:most].tolist()
    return tuple((row.labels[j], float(fact.precisions[j])) for j in order if fact.precisions[j])


def drop_pattern(row: TermRow) -> str:
    """Return a regular expression that matches only this term.

    Words are joined by "#", and gaps are written as "?". The result is "" for columns and for terms
    under a precondition.
    """
    asked = row.levels[0].asked
    if not isinstance(asked, Occurs) or row.before:
        return ""
    return "#".join("[?]" if token is None else _pattern(token) for token in asked.term)


def _pattern(token: str) -> str:
    """Return a regular expression that matches the token, with unprintable characters escaped."""
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}" for char in re.escape(token)
    )


def step_chart(row: TermRow, name: str) -> Chart | None:
    """Return a step chart of what each value of a numeric column adds to the scores.

    The labels whose scores vary most are drawn: one of two labels, or two of several. The result is
    None if the column has fewer than two thresholds or its lowest threshold is `LOWEST`.
    """
    levels = [level for level in row.levels if isinstance(level.asked, AtLeast)]
    edges = [level.asked.threshold for level in levels if isinstance(level.asked, AtLeast)]
    if not edges or edges[0] == LOWEST or len(edges) < 2:
        return None
    below = np.sum([level.no for level in levels], axis=0)
    values = np.vstack([below, below + np.cumsum([lv.yes - lv.no for lv in levels], axis=0)])
    room = (edges[-1] - edges[0]) * 0.08
    ends = [edges[0] - room, *edges, edges[-1] + room]
    order = np.argsort(-np.ptp(values, axis=0), kind="stable").tolist()[
        : 1 if len(below) == 2 else 2
    ]
    lines = []
    for j in order:
        points = [
            (x, float(values[n, j])) for n in range(len(values)) for x in (ends[n], ends[n + 1])
        ]
        lines.append(Curve(row.labels[j], tuple(points)))
    return line_chart(
        name,
        row.term,
        "What each value adds to the score.",
        (row.term, "votes"),
        lines,
        whole=False,
    )


@dataclass(frozen=True)
class Speaking:
    """A term that is evidence for or against a label.

    share: absolute votes relative to the largest of all terms, from 0 to 1. documents, precision:
    number of documents with the term, and the fraction of them that have this label; None if
    unknown.
    """

    term: str
    votes: float
    share: float
    documents: int | None
    precision: float | None


@dataclass(frozen=True)
class LabelSection:
    """The section of the page about one label.

    anchor: the HTML id of the section. facts: evaluation results for the label, or None without an
    evaluation. likes, dislikes: the strongest terms for and against the label. missed, taken: the
    labels that are most often predicted in place of this one, and those that this one most often
    replaces, each with the number of documents.
    """

    anchor: str
    label: str
    facts: LabelRow | None
    likes: tuple[Speaking, ...]
    dislikes: tuple[Speaking, ...]
    missed: tuple[tuple[str, int], ...]
    taken: tuple[tuple[str, int], ...]


def differences(rows: Sequence[TermRow], labels: Sequence[str]) -> Float64:
    """Return what the presence of each term adds to the score of each label, shape (terms, k)."""
    if not rows:
        return np.zeros((0, len(labels)))
    return np.stack([row.difference for row in rows])


def label_sections(
    model: Model,
    rows: Sequence[TermRow],
    facts: Sequence[TermFacts],
    report: Report | None,
    most: int,
    terms: int,
) -> list[LabelSection]:
    """Return sections for the `most` labels with the most documents, in label order.

    terms: approximate limit on the number of terms over all sections; each section shows between 2
    and 10 terms for, and as many against, its label.
    """
    known = {row.label: row for row in report.labels} if report else {}
    order = sorted(
        range(len(model.labels)),
        key=lambda j: -(known[model.labels[j]].support if known else 0),
    )
    chosen = sorted(order[:most])
    each = max(2, min(10, terms // max(2 * len(chosen), 1)))
    votes = differences(rows, model.labels)
    full = float(np.abs(votes).max()) if votes.size else 1.0
    return [
        _section(j, model, (rows, facts, votes / (full or 1.0), full), known, report, each)
        for j in chosen
    ]


def _section(
    j: int,
    model: Model,
    columns: tuple[Sequence[TermRow], Sequence[TermFacts], Float64, float],
    known: dict[str, LabelRow],
    report: Report | None,
    each: int,
) -> LabelSection:
    rows, facts, shares, full = columns
    label, column = model.labels[j], shares[:, j]

    def speaking(sign: int) -> Iterator[Speaking]:
        for t in np.argsort(-sign * column, kind="stable")[:each].tolist():
            if sign * column[t] > 0:
                fact = facts[t] if facts else None
                yield Speaking(
                    rows[t].term,
                    float(column[t] * full),
                    abs(float(column[t])),
                    fact.documents if fact else None,
                    float(fact.precisions[j]) if fact and fact.documents else None,
                )

    pairs = report.confusions if report else ()
    missed = tuple((p.given, p.examples) for p in pairs if p.missed == label)[:5]
    taken = tuple((p.missed, p.examples) for p in pairs if p.given == label)[:5]
    return LabelSection(
        f"label-{j}",
        label,
        known.get(label),
        tuple(speaking(1)),
        tuple(speaking(-1)),
        missed,
        taken,
    )
