"""Numbers, categories and scored texts beside the texts, as conditions.

A column of numbers becomes a NumericColumn; strings that are no numbers are unknown in it. In a
column of categories (`corpus.column_types` says which it is) each value is a condition, in order
of first occurrence; its numbers count as the categories they spell. Missing values (None, NaN) are
unknown. Each word of a scored text is a column of numbers, unknown where a document lacks the word.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

import numpy as np

from boostext.corpus.column_types import as_number
from boostext.corpus.documents import Attribute
from boostext.features.matrix import NumericColumn


def category(value: Attribute) -> str | None:
    """The value as a category: 3.0 is "3", 0.5 is "0.5"; None if it is missing."""
    if value is None or isinstance(value, str):
        return value
    if math.isnan(value):
        return None
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def number(value: Attribute) -> float:
    """The value as a number; NaN where it is missing or a category."""
    return math.nan if value is None or isinstance(value, str) else float(value)


def numeric_column(name: str, values: Sequence[Attribute], kind: str) -> NumericColumn | None:
    """None where nothing is known. kind: of the column's numbers."""
    numbers = np.array([number(as_number(value, kind)) for value in values], np.float64)
    return None if np.isnan(numbers).all() else NumericColumn.of(name, numbers)


class WordColumn:
    """A word of a scored text: the documents that have it, as they come, and its values."""

    def __init__(self) -> None:
        self._documents, self._values = array("i"), array("d")

    def add(self, document: int, value: float) -> None:
        self._documents.append(document)
        self._values.append(value)

    def finish(self, name: str, count: int) -> NumericColumn:
        """count: all documents."""
        return NumericColumn(
            name, np.array(self._documents), np.array(self._values), count, is_word=True
        )


def categories(
    values: Sequence[Attribute], declared: Sequence[str] = ()
) -> tuple[dict[str, list[int]], list[int]]:
    """Category -> documents, and the documents where it is unknown.

    Those declared in that order, then the others by first occurrence.
    """
    found: dict[str, list[int]] = {name: [] for name in declared}
    unknown: list[int] = []
    for document, value in enumerate(values):
        name = category(value)
        if name is None:
            unknown.append(document)
        else:
            found.setdefault(name, []).append(document)
    return {name: documents for name, documents in found.items() if documents}, unknown
