"""A document's scores drawn as sums for a terminal, and its text with the words marked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.text import Text

from boostext.reports.bars import bar, signed, style
from boostext.reports.explanations import ExplanationRow
from boostext.reports.layout import AGAINST, FOR, HEAD, QUIET, Page, cells, fit, shorten, stack
from boostext.reports.marks import Piece

MOST_TERM = 40


def explanation_list(
    rows: Sequence[ExplanationRow], page: Page, chances: Mapping[str, float] | None = None
) -> Text:
    """Each label as a sum: its findings with bars, what is absent, and the score below.

    chances: label -> its probability, where scores become probabilities.
    """
    if not rows:
        return Text("Nothing was said of this document.")
    full = max(abs(row.votes) for row in rows)
    widest = max(len("score"), *(cells(_name(row)) for row in rows))
    width = min(widest, MOST_TERM, page.width - 16)
    drawings = []
    for label in dict.fromkeys(row.label for row in rows):
        lines = [row for row in rows if row.label == label]
        score = math.fsum(row.votes for row in lines)
        chance = f", probability {chances[label]:.3f}" if chances and label in chances else ""
        name = shorten(label, page.width - len(chance), page)
        drawings.append(Text(name, style=HEAD).append(chance, "not bold"))
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


def marked_text(pieces: Sequence[Piece]) -> Text:
    """Marked words in color and brackets: [+word] speaks for, [-word] against."""
    drawing = Text()
    for piece in pieces:
        if piece.marked:
            sign = "+" if piece.votes > 0 else "-" if piece.votes < 0 else ""
            drawing.append(f"[{sign}{piece.text}]", FOR if piece.votes > 0 else AGAINST)
        else:
            drawing.append(piece.text)
    return drawing
