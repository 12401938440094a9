"""Which character separates the columns of a table, where it is not the one that is usual."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator

from boostext.corpus.roles import Roles
from boostext.corpus.sources import Line, Source
from boostext.settings import DataSettings

SAID = re.compile(r'"?sep=(.)"?\s*')
"""The first line that tells Excel the separator."""
OTHERS = (";", "\t", ",", "|")
LOOKED = 20
"""Further lines without a header that are looked at for their separator."""


def separator_of(
    lines: Iterator[Line], source: Source, settings: DataSettings, roles: Roles, usual: str
) -> tuple[str, Iterator[Line]]:
    """The separator, and the lines of the table.

    What the settings say wins; then a first line `sep=;`, which is no row in any case; then the
    usual one, unless only another makes a header that has the columns which are looked for.
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
                f"columns are separated by {found[0]!r}, as its header shows; --delimiter says else"
            )
            return found[0], lines
    return usual, lines


def _of_numbered(some: list[Line], source: Source, roles: Roles, usual: str) -> str:
    """The separator of columns that are known by number: the usual one, unless only another gives
    every line as many columns as the numbers need, and the usual one none.
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
            f"columns are separated by {found[0]!r}, as its first lines show; --delimiter says else"
        )
        return found[0]
    return usual


def _width(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:
        return 0


def _has_columns(header: str, separator: str, roles: Roles) -> bool:
    """Whether a header has the columns of the texts and of the labels, where these are needed."""
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return False
    labels = not roles.labelled or bool(roles.label_fields(names))
    return len(names) > 1 and labels and set(roles.texts) <= set(names)
