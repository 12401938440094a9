"""Text drawings of listings: terms, likely label errors, and explanations of scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from boostext.reports.coverage import TermFacts, precision_of
from boostext.reports.explanations import ExplanationRow
from boostext.reports.layout import (
    AGAINST,
    FOR,
    HEAD,
    QUIET,
    Page,
    bar,
    bar_style,
    cells,
    fit,
    flow,
    shorten,
    signed,
    stack,
    wrap,
)
from boostext.reports.marks import Piece
from boostext.reports.outliers import OutlierRow
from boostext.reports.terms import LabelTerm, TermRow

MOST_TERM, MOST_LABEL = 30, 24
MOST_CONDITION = 40
NAMED = 64  # minimum page width at which term listings have columns for labels


def term_list(rows: Sequence[TermRow], page: Page) -> Text:
    """Draw one term per line, with its rules, its influence, and the strongest labels."""
    if not rows:
        return Text("No terms.")
    named = page.width >= NAMED
    room = page.width - 26 - (24 if named else 0)
    term = max(min(max(cells(row.term) for row in rows), MOST_TERM, room), len("term"))
    label = min(MOST_LABEL, (page.width - term - 26) // 2) if named else 0
    head = Text(f"rank  {fit('term', term, page)}  rules  influence  ", style=HEAD)
    lines = [head.append(fit("for", label, page) + fit("against", label, page))]
    for row in rows:
        line = Text(f"{row.rank:>4}  {fit(row.term, term, page)}  {row.rules:>5}  ")
        line.append(f"{row.influence:>9.2f}  ")
        line.append(fit(shorten(row.strongest_for, label - 2, page), label, page), FOR)
        lines.append(line.append(shorten(row.strongest_against, label, page), AGAINST))
    return stack(lines)


def counted_term_list(rows: Sequence[TermRow], facts: Sequence[TermFacts], page: Page) -> Text:
    """Draw one term per line, with its number of documents and its precision for its label."""
    if not rows:
        return Text("No terms.")
    room = page.width - 45 - (MOST_LABEL if page.width >= NAMED else 0)
    term = max(min(max(cells(row.term) for row in rows), MOST_TERM, room), len("term"))
    label = min(MOST_LABEL, max(page.width - term - 45, 0))
    head = f"rank  {fit('term', term, page)}  rules  influence  documents  precision  "
    lines = [Text(head + shorten("for", label, page), style=HEAD)]
    for row, fact in zip(rows, facts, strict=True):
        line = Text(f"{row.rank:>4}  {fit(row.term, term, page)}  {row.rules:>5}  ")
        line.append(
            f"{row.influence:>9.2f}  {fact.documents:>9}  {precision_of(row, fact):>9.3f}  "
        )
        lines.append(line.append(shorten(row.strongest_for, label, page), FOR))
    return stack(lines)


def label_term_list(
    speaking_for: Sequence[LabelTerm], speaking_against: Sequence[LabelTerm], page: Page
) -> Text:
    """Draw the terms for each label, followed by the terms against it."""
    sides = (("for", FOR, speaking_for), ("against", AGAINST, speaking_against))
    labels = list(dict.fromkeys(row.label for _, _, rows in sides for row in rows))
    if not labels:
        return Text("No terms.")
    drawings = []
    for label in labels:
        drawings.append(Text(shorten(label, page.width, page), style=HEAD))
        for name, color, rows in sides:
            items = [_voted(row.term, row.votes, page, color) for row in rows if row.label == label]
            if items:
                drawings.append(_hanging(f"  {name:<8}", flow(items, page, 10), color))
    return stack(drawings)


def _voted(term: str, votes: float, page: Page, color: str) -> Text:
    most = min(MOST_TERM, page.width - 20)
    return Text(f"{shorten(term, most, page)} ").append(signed(votes), color)


def _hanging(name: str, drawing: Text, color: str) -> Text:
    """Put a name into the indent of the first line of a drawing."""
    return Text(name, style=color).append_text(drawing[len(name) :])


HOW_FOUND = {
    "cv": "Likely label errors by cross-validation (cv)",
    "weights": "Likely label errors by boosting weight (weights)",
}
"""Maps the method by which the outliers were found to the title of the listing."""


def outlier_list(
    rows: Sequence[OutlierRow], page: Page, total: int | None = None, source: str = "weights"
) -> Text:
    """Draw two lines per document: the given and suggested labels with the evidence, then the text.

    total: number of documents in the data. source: how the outliers were found, a key of
    HOW_FOUND. Both are used only for the title.
    """
    if not rows:
        return Text("No documents.")
    flagged = sum(row.kind != "agrees" for row in rows)
    of_total = "" if total is None else f" of {total:,}"
    top = wrap(f"{HOW_FOUND[source]}: {len(rows)}{of_total}, of which {flagged} flagged", page)
    head = Text("rank  score  given -> suggested".replace("->", page.glyphs.arrow), style=HEAD)
    lines = [line for row in rows for line in _outlier_lines(row, page)]
    return stack([top, *_disputes(rows, page), head, *lines])


def _outlier_lines(row: OutlierRow, page: Page) -> Iterator[Text]:
    first = Text(f"{row.rank:>4}   {row.score:.2f}  ")
    first.append_text(_change(row, page.width - 13, page))
    yield first.append_text(_objecting(row, page.width - first.cell_len, page))
    second = Text(" " * 13 + f"{shorten(row.id, page.width // 4, page)}  ", style=QUIET)
    room = page.width - second.cell_len - 2
    yield second.append(f'"{shorten(row.snippet, room, page)}"', "not dim")


def _objecting(row: OutlierRow, space: int, page: Page) -> Text:
    """Return as many terms against the given labels as fit into `space` cells.

    Terms with less than a tenth of the votes of the first one are left out.
    """
    line = Text()
    for objection in row.objections:
        if objection.votes < row.objections[0].votes / 10:
            break
        item = f"  {shorten(objection.term, MOST_TERM, page)} {signed(objection.votes)}"
        if line.cell_len + cells(item) > space:
            break
        line.append(item, QUIET)
    return line


def _change(row: OutlierRow, space: int, page: Page) -> Text:
    """Return the given and suggested labels in `space` cells.

    Each side may use the space that the other does not need.
    """
    arrow = f" {page.glyphs.arrow} "
    given, suggested = _names(row.given), _names(row.suggested)
    if row.kind == "agrees":
        other = f" (or {suggested}?)" if suggested != given else ""
        return Text(shorten(given + other, space, page))
    room = space - len(arrow)
    half = room // 2
    left = shorten(given, max(half, room - cells(suggested)), page)
    right = shorten(suggested, room - cells(left), page)
    return Text(left, style=AGAINST).append(arrow, "default").append(right, FOR)


def _names(labels: Sequence[str]) -> str:
    return " + ".join(labels) or "(none)"


def _disputes(rows: Sequence[OutlierRow], page: Page, most: int = 6) -> list[Text]:
    """Return a summary of the most common suggested changes.

    Many changes of the same kind may point to a systematic problem in the labelling guidelines.
    """
    changes = Counter(
        f"{_names(row.given)} {page.glyphs.arrow} {_names(row.suggested)}"
        for row in rows
        if row.kind != "agrees"
    )
    items = [
        Text(f"{count} x {shorten(change, 40, page)}", style=QUIET)
        for change, count in changes.most_common(most)
        if count > 1
    ]
    return [flow(items, page, gap=", ")] if items else []


# Explanations --------------------------------------------------------------------------------


def explanation_list(
    rows: Sequence[ExplanationRow], page: Page, probabilities: Mapping[str, float] | None = None
) -> Text:
    """Draw the score of each label as the sum of its rows, one line per row, with the total below.

    probabilities: maps labels to their probabilities, if the model has probabilities.
    """
    if not rows:
        return Text("No condition of the model has a vote on this document.")
    full = max(abs(row.votes) for row in rows)
    widest = max(len("score"), *(cells(_row_name(row)) for row in rows))
    width = min(widest, MOST_CONDITION, page.width - 16)
    drawings = []
    for label in dict.fromkeys(row.label for row in rows):
        lines = [row for row in rows if row.label == label]
        score = math.fsum(row.votes for row in lines)
        probability = (
            f", probability {probabilities[label]:.3f}"
            if probabilities and label in probabilities
            else ""
        )
        name = shorten(label, page.width - len(probability), page)
        drawings.append(Text(name, style=HEAD).append(probability, "not bold"))
        drawings += [_row_line(_row_name(row), row.votes, full, width, page) for row in lines]
        drawings.append(Text("  ").append(fit("score", width, page) + f"    {signed(score)}", HEAD))
    return stack(drawings)


def _row_name(row: ExplanationRow) -> str:
    kinds = {
        "other": f"{row.conditions} more found",
        "absent": f"{row.conditions} not found",
        "unknown": f"{row.conditions} unknown",
    }
    if row.condition and row.kind == "absent":
        return f"not found: {row.condition}"
    return row.condition or kinds[row.kind]


def _row_line(name: str, votes: float, full: float, width: int, page: Page) -> Text:
    line = Text(f"  {fit(name, width, page)}  ")
    line.append(bar(votes, full, 2, page.glyphs), bar_style(votes, full))
    return line.append(f"{signed(votes):>6}", bar_style(votes, full) if votes else QUIET)


def marked_text(pieces: Sequence[Piece]) -> Text:
    """Draw a text with its marked words in color and in brackets.

    Words with positive votes are shown as [+word], and those with negative votes as [-word].
    """
    drawing = Text()
    for piece in pieces:
        if piece.marked:
            sign = "+" if piece.votes > 0 else "-" if piece.votes < 0 else ""
            drawing.append(f"[{sign}{piece.text}]", FOR if piece.votes > 0 else AGAINST)
        else:
            drawing.append(piece.text)
    return drawing
