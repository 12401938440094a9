"""Drawings of distributions: margins, and how far probabilities are from what happens."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Bin
from boostext.reports.layout import HEAD, QUIET, Page, stack


def margin_drawing(rows: Sequence[MarginRow], page: Page) -> Text:
    """Every second theta: shares of pairs at or below it by both definitions, bounds, a bar."""
    head = Text("margin   votes  bound   tanh  bound", style=HEAD)
    room = max(page.width - 38, 0)
    lines = [
        Text(
            f"{row.theta:>6.2f}{row.votes:>8.4f}{_bound(row.votes_bound)}{row.tanh:>7.4f}"
            f"{_bound(row.tanh_bound)}  {_bar(row.votes, room, page)}"
        )
        for row in rows[::2]
    ]
    note = Text(
        "share of (document, label) pairs, or of documents, with this margin or less", style=QUIET
    )
    return stack([head, *lines, note])


def reliability_drawing(bins: Sequence[Bin], page: Page) -> Text:
    """A line for each bin that has anything: how many, their mean probability, what came true."""
    filled = [row for row in bins if row.count]
    if not filled:
        return Text("No probabilities.")
    head = Text("probability       count   mean  came true", style=HEAD)
    room = max(page.width - 44, 0)
    lines = [
        Text(
            f"{row.low:>5.3g} - {row.high:<5.3g}{row.count:>10,}{row.probability:>7.3f}"
            f"{row.frequency:>11.3f}  {_bar(row.frequency, room, page)}"
        )
        for row in filled
    ]
    return stack([head, *lines])


def _bound(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>7.4f}"


def _bar(share: float, room: int, page: Page) -> str:
    return ("=" if page.glyphs.arrow.isascii() else "\u2500") * round(room * share)
