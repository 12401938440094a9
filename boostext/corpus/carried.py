"""Write the fields of an input record next to the results for its document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from boostext.corpus.documents import Document

PREFIX = "input_"
"""Prefix of a field's name if a result has the same name."""


def carried(document: Document) -> Mapping[str, object]:
    """The fields of the document's record, or texts and attributes if the format has no fields."""
    if document.columns is not None:
        return document.columns
    return {**document.texts, **document.attributes, **document.scored}


def names_beside(fields: Iterable[str], results: Iterable[str]) -> dict[str, str]:
    """field -> its name in the output: unchanged, or with PREFIX if a result has that name."""
    found, theirs = {name: name for name in fields}, frozenset(results)
    taken = {*found, *theirs}
    for name in [name for name in found if name in theirs]:
        while found[name] in taken:
            found[name] = PREFIX + found[name]
        taken.add(found[name])
    return found


def cell(value: object) -> str:
    """A value as the cell of a table: strings unchanged, null as "", everything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
