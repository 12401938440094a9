"""Detect the character that separates the columns of a table if it is not the usual one."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator

from boostext.corpus.roles import Roles
from boostext.corpus.sources import Line, Source
from boostext.settings import DataSettings

SAID = re.compile(r'"?sep=(.)"?\s*')
"""Matches a first line that declares the separator, as Excel understands it."""
OTHERS = (";", "\t", ",", "|")
LOOKED = 20
"""Number of further lines that are examined for a separator if there is no header."""


def separator_of(
    lines: Iterator[Line], source: Source, settings: DataSettings, roles: Roles, usual: str
) -> tuple[str, Iterator[Line]]:
    """The separator, and the lines of the table.

    The settings take precedence, then a first line `sep=;`, which is never a row, then the usual
    separator, unless only another one gives a header with the columns that are needed.
    """
    first = next(lines, None)
    if first is None:
        return usual, iter(())
    asked = settings.delimiter.replace("\\t", "\t")
    said = SAID.fullmatch(first[1])
    if said and not asked:
        source.understand(f"columns are separated by {said[1]!r}, as its first line says")
    if said:
        return asked or said[1], lines
    if asked:
        return asked, itertools.chain([first], lines)
    if not settings.header:
        some = [first, *itertools.islice(lines, LOOKED)]
        lines = itertools.chain(some, lines)
        return _of_numbered(some, source, roles, usual), lines
    lines = itertools.chain([first], lines)
    if not _has_columns(first[1], usual, roles):
        found = [mark for mark in OTHERS if mark != usual and _has_columns(first[1], mark, roles)]
        if len(found) == 1:
            source.understand(
                f"columns are separated by {found[0]!r}, as its header shows; --delimiter sets "
                "another"
            )
            return found[0], lines
    return usual, lines


def _of_numbered(some: list[Line], source: Source, roles: Roles, usual: str) -> str:
    """The separator if columns are named by number.

    This is the usual one, unless every line is a single column with it and exactly one other
    separator gives all lines the same, sufficient number of columns.
    """
    seen = source.bad.seen
    labels = Roles.of(seen.settings, False).labels if seen else roles.labels
    names = (*roles.texts, *labels, *roles.attributes)
    wanted = max((int(name) for name in names if name.isdecimal()), default=1)
    texts = [text for _, text, _ in some if text.strip()]

    def fits(mark: str) -> bool:
        widths = {_width(text, mark) for text in texts}
        return len(widths) == 1 and min(widths) >= max(wanted, 2)

    found = [mark for mark in OTHERS if mark != usual and fits(mark)]
    if len(found) == 1 and all(_width(text, usual) == 1 for text in texts):
        source.understand(
            f"columns are separated by {found[0]!r}, as its first lines show; --delimiter sets "
            "another"
        )
        return found[0]
    return usual


def _width(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:
        return 0


def _has_columns(header: str, separator: str, roles: Roles) -> bool:
    """Whether a header has the columns of the texts and, if they are required, of the labels."""
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return False
    labels = not roles.labelled or bool(roles.label_fields(names))
    return len(names) > 1 and labels and set(roles.texts) <= set(names)
