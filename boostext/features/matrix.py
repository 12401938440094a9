"""Conditions over documents: what extraction gives and boosting takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from boostext.arrays import Float64, Int32, Lists
from boostext.features.conditions import Condition


class ConditionNames(Protocol):
    """Spells listed condition j; nothing is spelled before somebody reads it."""

    def __len__(self) -> int: ...
    def __getitem__(self, j: int) -> Condition: ...
    def aliases(self, j: int) -> tuple[Condition, ...]:
        """Further conditions that hold for the very same documents, in order."""


@dataclass(frozen=True)
class NumericColumn:
    """One numeric attribute: values (m,) float64, NaN where unknown."""

    name: str
    values: Float64


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
