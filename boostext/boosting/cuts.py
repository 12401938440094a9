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
    LOWEST where the condition is that there is a value. count: all documents.
    """

    name: str
    order: Int32
    first: Int64
    thresholds: Float64
    count: int

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def unknown(self) -> Int32:
        """Documents without a value, ascending; not kept, as a word may be in few documents."""
        return np.delete(np.arange(self.count, dtype=np.int32), self.order)

    def steps(self) -> Lists:
        """For each threshold the documents at or above it, but below the next."""
        starts = np.append(self.first, len(self.order))
        return Lists(starts - starts[0], self.order[starts[0] :])

    def below(self) -> Cuts:
        """The same thresholds, descending, for conditions that hold below them and not above.

        A threshold below all values has no such condition.
        """
        kept = self.first > 0
        first = (len(self.order) - self.first[kept])[::-1].copy()
        return Cuts(
            self.name,
            self.order[::-1].copy(),
            first,
            self.thresholds[kept][::-1].copy(),
            self.count,
        )


def cuts(column: NumericColumn, known: bool = False, bins: int = 0) -> Cuts:
    """Thresholds between distinct values; t with a < t <= b even where the midpoint rounds to a.

    known: the first of them is LOWEST, below all values, if there are any; always so for a word.
    bins: values are in so many parts at most, of about as many documents each; 0 is no limit.
    """
    ranks = np.argsort(column.known, kind="stable")
    order, values = column.documents[ranks], column.known[ranks]
    first = _binned(np.flatnonzero(values[1:] > values[:-1]) + 1, len(values), bins)
    below, above = values[first - 1], values[first]
    middle = below / 2 + above / 2  # subtle: halves first, so that great values do not overflow
    thresholds = np.where((below < middle) & (middle <= above), middle, above)
    if (known or column.is_word) and len(order):
        first, thresholds = np.append(0, first), np.append(LOWEST, thresholds)
    return Cuts(column.name, order, first.astype(np.int64), thresholds, column.count)


def _binned(first: Int64, count: int, bins: int) -> Int64:
    """Of the places where values rise those nearest to the quantiles; of equally near the lower."""
    if not bins or len(first) < bins:
        return first
    quantiles = np.arange(1, bins) * count / bins
    above = np.minimum(np.searchsorted(first, quantiles), len(first) - 1)
    below = np.maximum(above - 1, 0)
    nearer = quantiles - first[below] <= first[above] - quantiles
    return np.asarray(first[np.unique(np.where(nearer, below, above))])
