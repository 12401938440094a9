"""Types that are shared between packages: aliases of arrays, and lists of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
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


LINE = 64
"""Size of a cache line in bytes."""


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
