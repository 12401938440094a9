"""The thresholds of numeric columns: where they lie, and which documents are on which side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.features.conditions import LOWEST
from boostext.features.matrix import NumericColumn


@dataclass(frozen=True)
class Cuts:
    """The threshold conditions of one column, ascending.

    order: documents with a value, ascending by it. first: (c,) position in `order` of the first
    document at or above each threshold. thresholds: (c,) float64, midway between distinct values;
    LOWEST where the condition is that there is a value. unknown: documents without one, ascending.
    """

    name: str
    order: Int32
    first: Int64
    thresholds: Float64
    unknown: Int32

    def __len__(self) -> int:
        return len(self.thresholds)

    def steps(self) -> Lists:
        """For each threshold the documents at or above it, but below the next."""
        starts = np.append(self.first, len(self.order))
        return Lists(starts - starts[0], self.order[starts[0] :])


def cuts(column: NumericColumn, known: bool = False) -> Cuts:
    """Thresholds between distinct values; t with a < t <= b even where the midpoint rounds to a.

    known: the first of them is LOWEST, below all values, if there are any.
    """
    valued = np.flatnonzero(~np.isnan(column.values))
    order = valued[np.argsort(column.values[valued], kind="stable")].astype(np.int32)
    values = column.values[order]
    first = np.flatnonzero(values[1:] > values[:-1]) + 1
    below, above = values[first - 1], values[first]
    middle = below / 2 + above / 2  # subtle: halves first, so that great values do not overflow
    thresholds = np.where((below < middle) & (middle <= above), middle, above)
    if known and len(order):
        first, thresholds = np.append(0, first), np.append(LOWEST, thresholds)
    unknown = np.flatnonzero(np.isnan(column.values)).astype(np.int32)
    return Cuts(column.name, order, first.astype(np.int64), thresholds, unknown)
