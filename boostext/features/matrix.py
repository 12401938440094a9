"""The matrix of conditions over documents, the result of extraction and the input of boosting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.features.conditions import Condition


class ConditionNames(Protocol):
    """The names of listed conditions by number, which are only created when they are read."""

    def __len__(self) -> int: ...
    def __getitem__(self, j: int) -> Condition: ...
    def aliases(self, j: int) -> tuple[Condition, ...]:
        """Return further conditions that hold for exactly the same documents, in order."""


@runtime_checkable
class FindingNames(ConditionNames, Protocol):
    """Names that find the number of a condition without creating all names."""

    def number(self, condition: Condition) -> int | None: ...


@dataclass(frozen=True)
class NumericColumn:
    """One numeric attribute, or one word of a scored text.

    documents: ascending, those that have a value. known: the value of each, float64. count: m.
    is_word: whether "has a value" is a condition of its own.
    """

    name: str
    documents: Int32
    known: Float64
    count: int
    is_word: bool = False

    @staticmethod
    def of(name: str, values: Float64) -> NumericColumn:
        """Create a column from values (m,), NaN where they are unknown."""
        documents = np.flatnonzero(~np.isnan(values)).astype(np.int32)
        return NumericColumn(name, documents, values[documents], len(values))

    def among(self, documents: Int64) -> NumericColumn:
        """Return the column restricted to ascending documents, which are renumbered from 0."""
        places = np.searchsorted(documents, self.documents)
        found = places < len(documents)
        found[found] = documents[places[found]] == self.documents[found]
        return replace(
            self, documents=places[found].astype(np.int32), known=self.known[found],
            count=len(documents),
        )  # fmt: skip


@dataclass(frozen=True)
class FeatureMatrix:
    """All conditions of a corpus, in the documented order that breaks ties.

    First come the conditions on terms and on categories, in the order of `names`. They are called
    "listed", because each has a list of its documents. Then come the thresholds of each numeric
    column, ascending.

    document_count: m. names: (n,), the listed conditions. yes: n ascending lists of the documents
    in block YES, all distinct because equal columns are merged. unknown_list: (n,), the number of
    the list in `unknown` with the documents for which the condition is unknown, -1 for none.
    token_count: the number of tokens read, for messages.
    """

    document_count: int
    names: ConditionNames
    yes: Lists
    unknown_list: Int32
    unknown: Lists
    numeric: tuple[NumericColumn, ...] = ()
    token_count: int = 0
