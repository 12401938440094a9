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
    lines = itertools.chain([first], lines)
    if asked or not settings.header:
        return asked or usual, lines
    if not _has_columns(first[1], usual, roles):
        found = [mark for mark in OTHERS if mark != usual and _has_columns(first[1], mark, roles)]
        if len(found) == 1:
            source.understand(
                f"columns are separated by {found[0]!r}, as its header shows; --delimiter says else"
            )
            return found[0], lines
    return usual, lines


def _has_columns(header: str, separator: str, roles: Roles) -> bool:
    """Whether a header has the columns of the texts and of the labels, where these are needed."""
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return False
    labels = not roles.labelled or bool(roles.label_fields(names))
    return len(names) > 1 and labels and set(roles.texts) <= set(names)
