"""Conditions over documents: what extraction gives and boosting takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.features.conditions import Condition


class ConditionNames(Protocol):
    """Spells listed condition j; nothing is spelled before somebody reads it."""

    def __len__(self) -> int: ...
    def __getitem__(self, j: int) -> Condition: ...
    def aliases(self, j: int) -> tuple[Condition, ...]:
        """Further conditions that hold for the very same documents, in order."""


@runtime_checkable
class FindingNames(ConditionNames, Protocol):
    """Names that know the number of a condition without spelling all."""

    def number(self, condition: Condition) -> int | None: ...


@dataclass(frozen=True)
class NumericColumn:
    """One numeric attribute, or one word of a scored text.

    documents: those that have a value, ascending; known: the value of each, float64.
    count: m. is_word: that a document has a value is a question of its own.
    """

    name: str
    documents: Int32
    known: Float64
    count: int
    is_word: bool = False

    @staticmethod
    def of(name: str, values: Float64) -> NumericColumn:
        """From values (m,), NaN where unknown."""
        documents = np.flatnonzero(~np.isnan(values)).astype(np.int32)
        return NumericColumn(name, documents, values[documents], len(values))

    def among(self, documents: Int64) -> NumericColumn:
        """The column over some documents, ascending, renumbered from 0."""
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

    The order: term conditions and equality conditions first ("listed": known by their list of
    documents), in the order of `names`; then the thresholds of each numeric column, ascending.

    document_count: m. names: (n,) spells the listed conditions. yes: n lists, ascending, of the
    documents in block YES, all distinct (equal columns are merged). unknown_list: (n,) number of
    the list in `unknown` of documents for which the condition is unknown, -1 for none.
    token_count: tokens read, for messages.
    """

    document_count: int
    names: ConditionNames
    yes: Lists
    unknown_list: Int32
    unknown: Lists
    numeric: tuple[NumericColumn, ...] = ()
    token_count: int = 0
