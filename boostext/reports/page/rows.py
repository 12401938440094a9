"""The rows of the page's tables: rules with bars, terms, labels with their strongest terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64
from boostext.evaluation.report import LabelRow, Report
from boostext.features.conditions import LOWEST, AtLeast, Occurs
from boostext.model.decoding import toward_labels
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
"""Labels that have a bar each, and up to which they have their name above it."""


@dataclass(frozen=True)
class RuleLines:
    """A rule: what it says by block, each as bars; blocks that say next to nothing are left out."""

    number: int
    condition: str
    kind: str
    z: float | None
    blocks: dict[str, BarRow]


@dataclass(frozen=True)
class BarSpace:
    """Where votes are drawn. labels: of the columns, empty where they are too many for bars.

    named: the labels stand above the columns, in `head` units of height. pair: there are two
    labels, and what is said for one is said against the other: one bar, from the middle to its
    label.
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
    """blocks: names of those that any rule speaks in: met, else, unknown."""

    rows: tuple[RuleLines, ...]
    space: BarSpace
    blocks: tuple[str, ...]
    total: int


def bar_space(labels: tuple[str, ...], full: float, mirrored: bool) -> BarSpace:
    """For votes up to `full` of so many labels. mirrored: see `BarSpace`."""
    if mirrored:
        return BarSpace(labels, PAIR // 2, PAIR, 16, full, False, True)
    drawn = len(labels) <= MOST_COLUMNS
    step = STEP + 2 if len(labels) <= NARROW else max(3, 400 // max(len(labels), 1))
    width = step * len(labels) if drawn else 0
    named = len(labels) <= NARROW
    return BarSpace(labels if drawn else (), step, width, 2 * BASE, full, named, False)


def is_mirrored(votes: Iterable[Float64]) -> bool:
    """Whether there are two labels, and all votes (2,) are equal but for sign and rounding."""
    return all(
        len(pair) == 2 and abs(float(pair.sum())) <= 1e-9 * (1 + abs(float(pair[0])))
        for pair in votes
    )


def rule_lines(rows: Sequence[RuleRow], total: int) -> RuleTable:
    """Bars of all rules on one scale: a full one is the greatest vote among them."""
    labels = rows[0].labels if rows else ()
    votes = [votes for row in rows for _, votes in _blocks(row)]
    full = max((float(np.abs(v).max()) for v in votes), default=0.0)
    space = bar_space(labels, full, len(labels) == 2 and is_mirrored(votes))
    lines = []
    for row in rows:
        drawn = {name: space.row(v, labels) for name, v in _blocks(row)}
        told = {name: bars for name, bars in drawn.items() if not bars.is_silent}
        lines.append(RuleLines(row.number, row.condition, row.kind, row.z, told))
    spoken = {name for line in lines for name in line.blocks}
    blocks = tuple(name for name in ("met", "else", "unknown") if name in spoken)
    return RuleTable(tuple(lines), space, blocks, total)


def _blocks(row: RuleRow) -> Iterator[tuple[str, Float64]]:
    yield from (("met", row.yes), ("else", row.no), ("unknown", row.unknown))


@dataclass(frozen=True)
class Example:
    """A document that has a term. right: it has the label that the term is compared by."""

    id: str
    labels: tuple[str, ...]
    right: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class TermLine:
    """A term to argue with. facts: None where there are no documents to count in.

    votes: what its presence adds to each label, as bars; alone: what most of its documents have,
    by label; steps: of a numeric column, what each value adds; pattern: what `--drop` takes so
    that no rule asks for it, "" where it is not of a text.
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
    """The first terms, with bars on one scale, and curves of the first numeric columns."""
    votes = differences(rows[:most], model)
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
    """A regular expression for the term alone, words joined by # and gaps as ?; "" for columns."""
    asked = row.levels[0].asked
    if not isinstance(asked, Occurs) or row.before:
        return ""
    return "#".join("[?]" if token is None else _pattern(token) for token in asked.term)


def _pattern(token: str) -> str:
    """What matches the token, with characters that do not show by their numbers."""
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}" for char in re.escape(token)
    )


def step_chart(row: TermRow, name: str) -> Chart | None:
    """What each value of a numeric column adds to the labels it matters most to, as steps."""
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
    return line_chart(name, row.term, "What each value adds to the score.",
                      (row.term, "votes"), lines, whole=False)  # fmt: skip


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
    each = max(2, min(10, terms // max(2 * len(chosen), 1)))
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
