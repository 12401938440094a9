"""Rule table in the style of the call-routing tutorial: the votes of each rule drawn as bars.

The first line of a rule shows its votes if the term is present, and the second line, `else`, those
if it is absent. If there are more labels than fit into columns, or too many to read bars without
numbers, each line names the labels with the largest absolute votes instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from rich.text import Text

from boostext.arrays import Float64
from boostext.reports.escape import one_line
from boostext.reports.layout import (
    HEAD,
    QUIET,
    Page,
    bar,
    bar_style,
    cells,
    clusters,
    cut_inside,
    fit,
    flow,
    signed,
    stack,
)
from boostext.reports.rules import RuleRow

LEAST_TERM, MOST_TERM = 14, 30
LEAST_COLUMN, MOST_BAR = 3, 3
LEGIBLE = 6  # minimum width at which the beginning of a label is a better heading than its initials
NUMBERED = 10  # minimum width of a column that shows a bar and its number
MOST_LABEL = 20
FEW = 8  # maximum number of labels for which bars are readable without numbers

ELSE = "else"

DrawVotes = Callable[[Float64], Text]


def rule_table(rows: Sequence[RuleRow], page: Page) -> Text:
    """Draw rules of one model on up to three lines each.

    A full bar is the largest absolute vote among the rules.
    """
    if not rows:
        return Text("No rules.")
    labels = rows[0].labels
    full = max(float(np.abs(votes).max()) for row in rows for _, votes in _voting_blocks(row))
    left = _left_width(rows, len(labels), page)
    column = (page.width - left) // len(labels)
    key = [
        key_to_bars(
            full, page, any(name == ELSE for row in rows for name, _ in _voting_blocks(row))
        )
    ]
    if column < LEAST_COLUMN or (column < NUMBERED and len(labels) > FEW):
        return stack(key + _lines(rows, left, strongest(labels, full, left, page), page))
    if column < NUMBERED:
        names = heads(labels, column - 1)
        votes_of = _bars(full, column, page)
        key += _legend(labels, names, page)
    else:
        column = min(column, MOST_LABEL)
        names = list(labels)
        votes_of = _numbered(full, column, page)
    return stack([*key, _head(names, left, column, page), *_lines(rows, left, votes_of, page)])


def _voting_blocks(row: RuleRow) -> list[tuple[str, Float64]]:
    """Return the blocks to draw, with the names of their lines.

    If a rule on a number has votes only below its threshold, its condition is shown negated.
    """
    blocks = [(row.condition, row.yes), (ELSE, row.no), ("unknown", row.unknown)]
    if row.kind == "number" and row.no.any() and not row.yes.any():
        blocks[:2] = [(row.opposite, row.no)]
    return blocks[:1] + [(name, votes) for name, votes in blocks[1:] if votes.any()]


def _left_width(rows: Sequence[RuleRow], k: int, page: Page) -> int:
    """Return the width of the rule number and the term, limited by the space that the bars need."""
    wanted = max(cells(row.condition) for row in rows)
    spare = page.width - _number_width(rows) - LEAST_COLUMN * k - 2
    term = min(wanted, MOST_TERM, max(spare, LEAST_TERM))
    return _number_width(rows) + max(term, len("unknown")) + 2


def _number_width(rows: Sequence[RuleRow]) -> int:
    return max(len(str(row.number)) for row in rows) + 1


def _head(names: Sequence[str], left: int, column: int, page: Page) -> Text:
    row = "".join(fit(name, column - 1, page) + " " for name in names)
    return Text(" " * left + row, style=HEAD)


def _lines(rows: Sequence[RuleRow], left: int, votes_of: DrawVotes, page: Page) -> list[Text]:
    return [line for row in rows for line in _rule_lines(row, rows, left, votes_of, page)]


def _rule_lines(
    row: RuleRow, rows: Sequence[RuleRow], left: int, votes_of: DrawVotes, page: Page
) -> Iterator[Text]:
    number = _number_width(rows)
    for place, (name, votes) in enumerate(_voting_blocks(row)):
        line = Text(fit(str(row.number) if place == 0 else "", number - 1, page, right=True) + " ")
        named = fit(cut_inside(name, left - number - 2, page), left - number - 2, page)
        line.append(named + "  ", QUIET if place else "")
        yield line.append_text(votes_of(votes))


def _bars(full: float, column: int, page: Page) -> DrawVotes:
    def draw(votes: Float64) -> Text:
        line = Text()
        for vote in votes.tolist():
            cell = bar(vote, full, min(column - 1, MOST_BAR), page.glyphs)
            line.append(cell.ljust(column), bar_style(vote, full))
        return line

    return draw


def _numbered(full: float, column: int, page: Page) -> DrawVotes:
    def draw(votes: Float64) -> Text:
        line = Text()
        for vote in votes.tolist():
            cell = f"{bar(vote, full, 2, page.glyphs)} {signed(vote)}"
            line.append(cell.ljust(column), bar_style(vote, full))
        return line

    return draw


def strongest(labels: Sequence[str], full: float, left: int, page: Page) -> DrawVotes:
    """Return a function that draws the largest positive and negative votes on one line.

    Each label has a bar, a number and its name; as many labels are drawn as fit.
    """
    space = page.width - left
    wanted = max(cells(label) for label in labels) + 10
    width = min(wanted, max(space // 2, 24), space)

    def draw(votes: Float64) -> Text:
        line = Text()
        if np.abs(votes).max() < full / 16:
            return line.append(page.glyphs.little, QUIET)
        for j in _telling(votes, space // width, full / 16):
            item = f"{bar(votes[j], full, 2, page.glyphs)} {signed(votes[j])} "
            line.append(item, bar_style(votes[j], full))
            line.append(fit(labels[j], width - len(item) - 1, page) + " ")
        return line

    return draw


def _telling(votes: Float64, count: int, least: float) -> list[int]:
    """Return the indices of up to `count` labels with the largest absolute votes.

    Half of them are for positive and half for negative votes. If one half has fewer labels, the
    other one has more. Votes below `least` in absolute value are left out.
    """
    order = np.argsort(-votes, kind="stable").tolist()
    liked = [j for j in order if votes[j] >= least]
    others = [j for j in reversed(order) if votes[j] <= -least]
    for_count = max(min(len(liked), (count + 1) // 2), count - len(others))
    return liked[:for_count] + others[: count - for_count]


def key_to_bars(full: float, page: Page, otherwise: bool = False) -> Text:
    """Return the line that explains the bars."""
    samples = [(bar(sign * full, full, 2, page.glyphs), sign) for sign in (1, -1)]
    liked, disliked = (Text(sample, style=bar_style(sign * full, full)) for sample, sign in samples)
    parts = [Text("votes for ") + liked, Text("and against ") + disliked + Text(";")]
    parts.append(Text(f"a full bar is {full:.2f}"))
    if otherwise:
        parts[-1].append(";")
        parts.append(Text(f"{ELSE}: the term is absent"))
    return flow(parts, page, gap=" ")


def _legend(labels: Sequence[str], names: Sequence[str], page: Page) -> list[Text]:
    """Return the legend of the column headings that are not the label names themselves."""
    pairs = [
        Text(name, style=HEAD).append(f" {fit(label, min(cells(label), 30), page)}", "not bold")
        for name, label in zip(names, labels, strict=True)
        if name != label
    ]
    return [flow(pairs, page)] if pairs else []


# Column headings -----------------------------------------------------------------------------

_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def heads(labels: Sequence[str], width: int) -> list[str]:
    """Return distinct column headings of at most `width` cells, one per label.

    A label that does not fit is abbreviated to the initials of its words, or to its first letter
    and the next letter that makes the heading distinct: heads(["AreaCode", "Collect", "Color"], 2)
    returns ["AC", "Co", "Cl"]. If this fails for any label, the headings are numbers from 1.
    """
    taken: set[str] = set()
    chosen = []
    for label in labels:
        free = (
            head
            for head in _candidates(one_line(label), width)
            if cells(head) and head not in taken
        )
        head = next(free, None)
        if head is None:
            return [str(number) for number in range(1, len(labels) + 1)]
        taken.add(head)
        chosen.append(head)
    return chosen


def _candidates(label: str, width: int) -> Iterator[str]:
    """Yield possible headings of a label, the most readable first."""
    if cells(label) <= width:
        yield label
    if width >= LEGIBLE:
        yield _cut(label, width).rstrip()
    parts = [part for word in _PART.findall(label) for part in _HUMP.split(word)]
    initials = "".join(next(clusters(part)) for part in parts)
    if len(parts) > 1 and cells(initials) <= width:
        yield initials
    if len(parts) > 1:
        yield _cut(initials, width)
    letters = list(clusters("".join(parts)))
    for start in range(1, len(letters)):
        yield _cut("".join(letters[:1] + letters[start:]), width)


def _cut(text: str, width: int) -> str:
    kept = ""
    for cluster in clusters(text):
        if cells(kept + cluster) > width:
            break
        kept += cluster
    return kept
