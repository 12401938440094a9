"""Types that are shared between packages: aliases of arrays, and lists of numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

Signs = Int8
"""(m, k) in -1, 0, +1; pairs of a document and a label with 0 are ignored."""
Weights = Float64
"""(m, k), non-negative, sum 1."""
Scores = Float64
"""(m, k), the sum of votes f(x, l)."""


def concatenated(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    """Return all numbers in one array, which is that of a single part, not a copy."""
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, kind), *parts])


def aligned(shape: tuple[int, ...]) -> NDArray[np.uint32]:
    """Return uint32 zeros aligned to a cache line, so that vector loads do not cross two lines."""
    size = 4 * math.prod(shape)
    room = np.zeros(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(np.uint32).reshape(shape)


def give_back(count: int) -> None:
    """Return freed memory to the system, if there were arrays of so many numbers that it matters.

    The allocator of glibc keeps what lies before memory that is in use.
    """
    if count >= MUCH and sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(ctypes.c_size_t(0))


MUCH = 1 << 19
"""Number of terms from which on memory is given back."""
LINE = 64
"""Size of a cache line in bytes."""


class Places:
    """The places of names in a sequence, in 12 bytes for each name, where a dict takes 70.

    The hashes of the names are kept in order; a name is compared with those of the same hash.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._hashes = np.fromiter(map(hash, names), np.int64, len(names))
        self._order = np.argsort(self._hashes, kind="stable").astype(np.int32)
        self._hashes.sort()

    @property
    def distinct(self) -> bool:
        """Whether no name is there twice."""
        if (self._hashes[1:] != self._hashes[:-1]).all():
            return True
        return len(set(self._names)) == len(self._names)

    def of(self, names: Iterable[str]) -> Int32:
        """Return the first place of each name, or -1 for one that is not there."""
        remaining, found = iter(names), [np.zeros(0, np.int32)]
        while part := list(islice(remaining, PART)):
            starts = np.searchsorted(self._hashes, np.fromiter(map(hash, part), np.int64))
            firsts = map(self._first, part, starts.tolist())
            found.append(np.fromiter(firsts, np.int32, len(part)))
        return np.concatenate(found)

    def _first(self, name: str, start: int) -> int:
        """Return the place of a name whose hash, if it is there, begins at `start` in order."""
        asked = hash(name)
        for at in range(start, len(self._hashes)):
            if self._hashes[at] != asked:
                break
            if self._names[self._order[at]] == name:
                return int(self._order[at])
        return -1


PART = 10_000
"""Number of names that are looked up at a time."""


@dataclass(frozen=True)
class Lists:
    """n lists of numbers in one array: list j is items[starts[j]:starts[j + 1]].

    starts: (n + 1,) int64, from 0. items: (nnz,) int32.
    """

    starts: Int64
    items: Int32

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.starts.nbytes + self.items.nbytes

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, j: int) -> Int32:
        return self.items[self.starts[j] : self.starts[j + 1]]

    @staticmethod
    def of(lists: Iterable[Iterable[int]]) -> Lists:
        """Create lists from sequences, such as Lists.of([[0, 2], [], [1]])."""
        rows = [np.fromiter(row, np.int32) for row in lists]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        return Lists(starts, np.concatenate(rows) if rows else np.zeros(0, np.int32))
