"""Short heads for columns of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from boostext.reports.escape import one_line
from boostext.reports.layout import cells, clusters

_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")

LEGIBLE = 6  # cells from which the beginning of a label says more than its initials


def heads(labels: Sequence[str], width: int) -> list[str]:
    """A head of at most `width` cells for each label, no two alike; by number where letters fail.

    heads(["AreaCode", "Collect", "Color"], 2) is ["AC", "Co", "Cl"]: initials of several words,
    else the first letter and the next ones that are free.
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
