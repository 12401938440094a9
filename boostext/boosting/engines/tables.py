"""The block weights of all conditions among some of the documents, and their gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Int64, Lists
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
        for ranked in self._ranked:
            above, known = ranked.above(flat, inside)
            unknown = total - known  # exact, because weights are rounded
            for start in range(0, len(ranked.place), self.step):
                part = slice(start, start + self.step)
                lists, yes = unknown[ranked.column[part]], above[part]
                yield ranked.offset + start, _stacked(lists, yes, total)

    @cached_property
    def _ranked(self) -> list[_Ranked]:
        """The numeric columns, several of few documents together."""
        found: list[_Ranked] = []
        begin = size = 0
        columns, offsets = self.members.columns, self.members.offsets.tolist()
        for end, column in enumerate(columns, 1):
            size += len(column.order)
            if size >= self.step or end == len(columns):
                found.append(_ranked(offsets[begin], columns[begin:end]))
                begin, size = end, 0
        return found


class _Ranked(NamedTuple):
    """Some numeric columns, whose sums are computed at once.

    offset: the first condition. documents: those with a value, from the largest value down, of one
    column after another. starts: where each column starts among them. column, place: for each
    threshold its column, and the end of the documents at or above it.
    """

    offset: int
    documents: Int32
    starts: Int64
    column: Int64
    place: Int64

    def above(self, flat: Float64, inside: NDArray[np.bool_]) -> tuple[Float64, Float64]:
        """Return the weights (c, 2k) at or above each threshold, and those of each column.

        subtle: a sum over all columns would be too large to be exact. Therefore it returns to 0
        after each column, as a row before the next one has the negative weight of all of it.
        """
        held = inside[self.documents]
        before = np.concatenate([[0], np.cumsum(held)])
        first = before[self.starts] + np.arange(len(self.starts))
        rows = flat[np.insert(self.documents[held], before[self.starts], 0)]
        rows[first] = 0
        known = np.add.reduceat(rows, first)
        rows[first[1:]] = -known[:-1]
        np.cumsum(rows, axis=0, out=rows)
        return rows[before[self.place] + self.column], known


def _ranked(offset: int, columns: Sequence[Cuts]) -> _Ranked:
    sizes = [len(column.order) for column in columns]
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    return _Ranked(
        offset,
        np.concatenate([column.order[::-1] for column in columns]),
        starts,
        np.repeat(np.arange(len(columns)), [len(column) for column in columns]),
        np.concatenate(
            [
                start + size - column.first
                for start, size, column in zip(starts, sizes, columns, strict=True)
            ]
        ),
    )


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
