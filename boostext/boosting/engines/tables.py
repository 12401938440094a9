"""The block weights of all conditions among some of the documents, and their gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Lists
from boostext.boosting.cuts import Cuts
from boostext.boosting.membership import Membership
from boostext.boosting.reach import Numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PIECE = 1 << 15
"""The number of block weights that are held at a time.

They are so few that they fit into the cache of a processor, and that the memory of temporary arrays
is reused rather than returned to the system and requested again.
"""

Gain = Callable[[Float64], Float64]
"""A function from block weights (c, 3, 2, k) to gains (c,)."""


class Tables:
    """The block weights of all conditions, computed from the terms of each document.

    A search takes time proportional to the terms of its documents. starts: the first condition of
    each piece. The argument `flat` of the methods has the weights (m, 2k), as returned by
    PlainEngine.flat.
    """

    def __init__(self, members: Membership, label_count: int) -> None:
        self.members, self.k = members, label_count
        self.step = max(1, PIECE // (6 * label_count))
        self.starts = tuple(range(0, members.listed, self.step))

    @cached_property
    def _pieces(self) -> list[csr_array]:
        features, last = self.members.features, self.members.listed
        return [
            _by_document(features.yes, start, min(start + self.step, last), features.document_count)
            for start in self.starts
        ]

    @cached_property
    def _unknown(self) -> csr_array:
        features = self.members.features
        return _by_document(features.unknown, 0, len(features.unknown), features.document_count)

    def tables(self, flat: Float64, documents: Numbers) -> Iterator[tuple[int, Float64]]:
        """Yield all conditions in pieces, as the first condition and the block weights (c, 3, 2,
        k).

        Documents that are not in `documents` are in no block.
        """
        inside, whole = flat, len(documents) == len(flat)
        if not whole:
            inside = flat[documents]
        total = inside.sum(axis=0)
        unknown = self.unknown(flat, documents)
        for start, piece in zip(self.starts, self._pieces, strict=True):
            yes = (piece if whole else piece[documents]).T @ inside
            yield start, self.with_rest(start, yes, unknown, total)
        yield from self.cut_tables(flat, documents, total)

    def listed(self, flat: Float64, documents: Numbers, piece: int) -> Float64:
        """Return the weights (c, 2k) of block YES for one piece of the listed conditions."""
        inside = flat[documents]
        return np.asarray(self._pieces[piece][documents].T @ inside)

    def unknown(self, flat: Float64, documents: Numbers) -> Float64:
        """Return the weights (u, 2k) of the u lists of unknown documents."""
        if not len(self.members.features.unknown):
            return np.zeros((0, flat.shape[1]))
        return np.asarray(self._unknown[documents].T @ flat[documents])

    def with_rest(self, start: int, yes: Float64, unknown: Float64, total: Float64) -> Float64:
        """Return block weights (c, 3, 2, k) from those of block YES; the remaining weight is in
        block NO.
        """
        lists = self.members.features.unknown_list[start : start + len(yes)]
        absent = np.zeros_like(yes)
        absent[lists >= 0] = unknown[lists[lists >= 0]]
        return _stacked(absent, yes, total)

    def of(self, flat: Float64, conditions: Int32) -> Float64:
        """Return the block weights (c, 3, 2, k) of a few conditions among all documents."""
        sums = [
            [flat[documents(j)].sum(axis=0) for j in conditions.tolist()]
            for documents in (self.members.unknown, self.members.yes)
        ]
        unknown, yes = np.array(sums).reshape(2, len(conditions), flat.shape[1])
        return _stacked(unknown, yes, flat.sum(axis=0))

    def cut_tables(
        self, flat: Float64, documents: Numbers, total: Float64
    ) -> Iterator[tuple[int, Float64]]:
        """Yield the thresholds of numeric columns in pieces, as `tables` does."""
        inside = np.zeros(len(flat), np.bool_)
        inside[documents] = True
        for column, offset in zip(self.members.columns, self.members.offsets, strict=False):
            above, first = _above(column, flat, inside)
            unknown = total - above[0]  # exact, because weights are rounded
            for start in range(0, len(column), self.step):
                yes = above[first[start : start + self.step]]
                yield int(offset) + start, _stacked(np.broadcast_to(unknown, yes.shape), yes, total)


def _above(
    column: Cuts, flat: Float64, inside: NDArray[np.bool_]
) -> tuple[Float64, NDArray[np.int64]]:
    """Return sums of weights from the largest value down, and the position of each threshold."""
    held = inside[column.order]
    ordered = flat[column.order[held]]
    above = np.zeros((len(ordered) + 1, flat.shape[1]))
    above[:-1] = np.cumsum(ordered[::-1], axis=0)[::-1]
    below = np.concatenate([[0], np.cumsum(held)])
    return above, below[column.first]


def _stacked(unknown: Float64, yes: Float64, total: Float64) -> Float64:
    no = np.maximum(total - yes - unknown, 0)
    return np.stack([unknown, no, yes], axis=1).reshape(len(yes), 3, 2, -1)


def _by_document(lists: Lists, start: int, stop: int, m: int) -> csr_array:
    """Return a matrix (m, stop - start) that has a 1 for each document in each list."""
    from scipy.sparse import csr_array  # takes long to import, and few algorithms need it

    starts = lists.starts[start : stop + 1]
    items = lists.items[starts[0] : starts[-1]] if stop > start else lists.items[:0]
    shape = (stop - start, m)
    starts = starts - starts[0] if stop > start else np.zeros(1, np.int64)
    return csr_array((np.ones(len(items)), items, starts), shape=shape).T.tocsr()


def gains_of(
    tables: Iterator[tuple[int, Float64]], count: int, gains: Sequence[Gain]
) -> list[Float64]:
    """Return the gains (n,) of all conditions, one array for each way to compute gains."""
    found = [np.full(count, -np.inf) for _ in gains]
    for start, table in tables:
        for values, gain in zip(found, gains, strict=True):
            values[start : start + len(table)] = gain(table)
    return found
