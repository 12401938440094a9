"""The thresholds of numeric columns, and the documents above and below each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.features.conditions import LOWEST
from boostext.features.matrix import NumericColumn


@dataclass(frozen=True)
class Cuts:
    """The threshold conditions of one column, in ascending order.

    name: the name of the column. order: the documents with a value, sorted by value.
    first: (c,), for each threshold the position in `order` of the first document at or above it.
    thresholds: (c,) float64, midway between distinct values, or LOWEST for the condition that the
    document has a value. count: the number of all documents.
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
        """The documents without a value, in ascending order.

        They are computed on each access, since a word may have values in few documents only.
        """
        if len(self.order) == self.count:
            return np.zeros(0, np.int32)
        return np.delete(np.arange(self.count, dtype=np.int32), self.order)

    def steps(self) -> Lists:
        """Return for each threshold the documents at or above it but below the next one."""
        starts = np.append(self.first, len(self.order))
        return Lists(starts - starts[0], self.order[starts[0] :])

    def below(self) -> Cuts:
        """Return conditions that hold below the thresholds, in descending order of these.

        A threshold below all values is left out, as no document is below it.
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
    """Return the thresholds between the distinct values of a column.

    A threshold t between neighbouring values a and b has a < t <= b, even if their midpoint is
    rounded to a.
    known: whether to add the threshold LOWEST, below all values; words always have it.
    bins: the maximum number of parts that thresholds divide the values into, with about the same
    number of documents in each; 0 for no limit.
    """
    ranks = np.argsort(column.known, kind="stable")
    order, values = column.documents[ranks], column.known[ranks]
    first = _binned(np.flatnonzero(values[1:] > values[:-1]) + 1, len(values), bins)
    below, above = values[first - 1], values[first]
    middle = below / 2 + above / 2  # subtle: halved before the sum, to avoid overflow
    thresholds = np.where((below < middle) & (middle <= above), middle, above)
    if (known or column.is_word) and len(order):
        first, thresholds = np.append(0, first), np.append(LOWEST, thresholds)
    return Cuts(column.name, order, first.astype(np.int64), thresholds, column.count)


def _binned(first: Int64, count: int, bins: int) -> Int64:
    """Return the positions among `first` that are nearest to the quantiles, the lower of equals."""
    if not bins or len(first) < bins:
        return first
    quantiles = np.arange(1, bins) * count / bins
    above = np.minimum(np.searchsorted(first, quantiles), len(first) - 1)
    below = np.maximum(above - 1, 0)
    nearer = quantiles - first[below] <= first[above] - quantiles
    return np.asarray(first[np.unique(np.where(nearer, below, above))])
