"""Long arrays of numbers that are moved to a temporary file if they do not fit in memory."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from boostext.arrays import Int32

IN_MEMORY = 1 << 27
"""Maximum size in bytes of an array, or of a spool, that stays in memory."""


def scratch(size: int) -> Int32:
    """Return an uninitialized int32 array; a long one is mapped to a temporary file."""
    if 4 * size <= IN_MEMORY:
        return np.empty(size, np.int32)
    return _mapped(_temporary(), size)


@dataclass
class Spool:
    """Arrays that are appended one after the other and then read as a single array."""

    size: int = 0
    _held: list[Int32] = field(default_factory=list)
    _held_size: int = 0
    _file: BinaryIO | None = None

    def append(self, numbers: Int32) -> None:
        """Append an array, which is not copied."""
        self._held.append(numbers)
        self.size += len(numbers)
        self._held_size += len(numbers)
        if 4 * self._held_size > IN_MEMORY:
            self._write()

    def finish(self) -> Int32:
        """Return all numbers as one array and empty the spool."""
        if self._file is None:
            numbers = np.concatenate([np.zeros(0, np.int32), *self._held])
        else:
            self._write()
            numbers = _mapped(self._file, self.size)
        self._held, self._file, self.size, self._held_size = [], None, 0, 0
        return numbers

    def _write(self) -> None:
        self._file = self._file or _temporary()
        for numbers in self._held:
            self._file.write(numbers.data)
        self._held, self._held_size = [], 0


def _temporary() -> BinaryIO:
    return tempfile.TemporaryFile(prefix="boostext-")


def _mapped(file: BinaryIO, size: int) -> Int32:
    """Map the file into memory as an array."""
    file.flush()
    # subtle: allocate the space before mapping; a full disk then raises an error instead of a crash
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, 4 * size)
    else:
        file.truncate(4 * size)
    return np.memmap(file, np.int32, "r+", shape=(size,)).view(np.ndarray)
