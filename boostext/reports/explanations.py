"""Why a document has its scores: what was found in it, and what each finding says.

Scores add up: the votes of the rows of one label sum to its score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

from boostext.features.conditions import NO, UNKNOWN, YES, spell_rule
from boostext.model.predict import Contribution, loudest
from boostext.reports.bars import bar, signed, style
from boostext.reports.layout import HEAD, QUIET, Page, cells, fit, shorten, stack

MOST_TERM = 40


@dataclass(frozen=True)
class ExplanationRow:
    """One line of a label's sum. kind: found, other (further ones found), absent, unknown.

    condition: as spelled; "" where several are added up. conditions: how many. rounds: their rules.
    """

    label: str
    kind: str
    condition: str
    conditions: int
    rounds: int
    votes: float


def explanation_rows(
    contributions: Sequence[Contribution],
    labels: Sequence[str],
    chosen: Iterable[int],
    count: int = 5,
    fields: int = 1,
    absent: int = 0,
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
        named = [_named(labels[number], "found", row, number, fields) for row in loud]
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


def explanation_list(rows: Sequence[ExplanationRow], page: Page) -> Text:
    """Each label as a sum: its findings with bars, what is absent, and the score below."""
    if not rows:
        return Text("Nothing was said of this document.")
    full = max(abs(row.votes) for row in rows)
    width = min(max(cells(_name(row)) for row in rows), MOST_TERM, page.width - 16)
    drawings = []
    for label in dict.fromkeys(row.label for row in rows):
        lines = [row for row in rows if row.label == label]
        score = math.fsum(row.votes for row in lines)
        drawings.append(Text(shorten(label, page.width, page), style=HEAD))
        drawings += [_line(_name(row), row.votes, full, width, page) for row in lines]
        drawings.append(Text("  ").append(fit("score", width, page) + f"    {signed(score)}", HEAD))
    return stack(drawings)


def _name(row: ExplanationRow) -> str:
    kinds = {
        "other": f"{row.conditions} more found",
        "absent": f"{row.conditions} not found",
        "unknown": f"{row.conditions} unknown",
    }
    if row.condition and row.kind == "absent":
        return f"not found: {row.condition}"
    return row.condition or kinds[row.kind]


def _line(name: str, votes: float, full: float, width: int, page: Page) -> Text:
    line = Text(f"  {fit(name, width, page)}  ")
    line.append(bar(votes, full, 2, page.glyphs), style(votes, full))
    return line.append(f"{signed(votes):>6}", style(votes, full) if votes else QUIET)
