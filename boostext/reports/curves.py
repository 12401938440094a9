"""Drawing of a measure against the number of rounds, with what the folds differ by."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from boostext.reports.crossval import Point
from boostext.reports.layout import HEAD, Page, fit, stack

LINES = 12
SIDE = 26


def curve_drawing(points: Sequence[Point], measure: str, page: Page) -> Text:
    """A line for each of some dozen numbers of rounds: mean, spread, and the mean as a bar."""
    if not points:
        return Text("No rounds.")
    shown = _spaced(points)
    greatest = max(point.high for point in shown) or 1.0
    room = max(page.width - SIDE, 0)
    scale = room / greatest
    bar = "=" if page.glyphs.arrow.isascii() else "\u2500"
    head = Text(f"{'rounds':>7}  {fit(measure, 9, page)}{'+-':>6}", style=HEAD)
    lines = [
        Text(f"{p.round:>7}  {p.mean:<9.4f}{p.spread:>6.4f}  {bar * round(scale * p.mean)}")
        for p in shown
    ]
    return stack([head, *lines])


def _spaced(points: Sequence[Point]) -> list[Point]:
    """At most LINES of them, denser where rounds are few; the last always."""
    if len(points) <= LINES:
        return list(points)
    last = points[-1].round
    wanted = [last ** (step / (LINES - 1)) for step in range(LINES)]
    chosen = {min(range(len(points)), key=lambda j: abs(points[j].round - w)) for w in wanted}
    return [points[j] for j in sorted(chosen | {len(points) - 1})]
