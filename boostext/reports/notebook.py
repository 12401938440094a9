"""What notebooks show of rows and explanations: escaped by the same rules as report.html."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boostext.reports.columns import Column, Row, cell
from boostext.reports.marks import Piece
from boostext.reports.page.render import environment
from boostext.reports.page.worked import LabelSum

SHOWN = 30
"""Rows of a table that a notebook shows."""


def table_html(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> str:
    """The first SHOWN rows as a table of the columns for narrow views."""
    wanted = [column for column in columns if column.narrow]
    return environment().get_template("notebook_table.html").render(
        columns=wanted, more=max(len(rows) - SHOWN, 0),
        rows=[[told(column.get(row)) for column in wanted] for row in rows[:SHOWN]],
    )  # fmt: skip


def told(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(told, value))
    return value if isinstance(value, str) else cell(value)


def explanation_html(
    title: str, labels: Sequence[str], pieces: Sequence[Piece], sums: Sequence[LabelSum]
) -> str:
    """The text with its words marked, and the sum of each label that is told of."""
    return environment().get_template("notebook_explanation.html").render(
        title=title, labels=labels, pieces=pieces, sums=sums
    )  # fmt: skip
