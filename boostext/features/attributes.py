"""Conditions on attributes: numbers, categories and scored texts.

A column of numbers becomes a NumericColumn, in which strings that are not numbers are unknown. In
a column of categories (`corpus.column_types` decides which columns are), each value is a condition,
in order of first occurrence, and numbers stand for the categories that they spell. Missing values
(None, NaN) are unknown. Each word of a scored text is a column of numbers, which is unknown for
documents without the word.
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
    """Return the value as a category: 3.0 is "3", 0.5 is "0.5"; None if it is missing."""
    if value is None or isinstance(value, str):
        return value
    if math.isnan(value):
        return None
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def number(value: Attribute) -> float:
    """Return the value as a number; NaN if it is missing or a category."""
    return math.nan if value is None or isinstance(value, str) else float(value)


def numeric_column(name: str, values: Sequence[Attribute], kind: str) -> NumericColumn | None:
    """Return the column, or None if all its values are unknown. kind: the kind of its numbers."""
    numbers = np.array([number(as_number(value, kind)) for value in values], np.float64)
    return None if np.isnan(numbers).all() else NumericColumn.of(name, numbers)


class WordColumn:
    """A word of a scored text: the documents that contain it, in order, and its values."""

    def __init__(self) -> None:
        self._documents, self._values = array("i"), array("d")

    def add(self, document: int, value: float) -> None:
        self._documents.append(document)
        self._values.append(value)

    def finish(self, name: str, count: int) -> NumericColumn:
        """Return the column. count: the number of all documents."""
        return NumericColumn(
            name, np.array(self._documents), np.array(self._values), count, is_word=True
        )


def categories(
    values: Sequence[Attribute], declared: Sequence[str] = ()
) -> tuple[dict[str, list[int]], list[int]]:
    """Return the documents of each category, and the documents for which it is unknown.

    Declared categories come first, in the order declared, then the others by first occurrence.
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
