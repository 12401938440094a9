"""Long arrays of numbers that go to a temporary file when they would fill the memory."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from boostext.arrays import Int32

IN_MEMORY = 1 << 27
"""Bytes of an array, or of a spool, that stay in memory."""


def scratch(size: int) -> Int32:
    """An uninitialized int32 array; a long one lies in a file of the temporary folder."""
    if 4 * size <= IN_MEMORY:
        return np.empty(size, np.int32)
    return _mapped(_temporary(), size)


@dataclass
class Spool:
    """Numbers appended one array after the other, then read as one."""

    size: int = 0
    _held: list[Int32] = field(default_factory=list)
    _held_size: int = 0
    _file: BinaryIO | None = None

    def append(self, numbers: Int32) -> None:
        """The array is kept, not copied."""
        self._held.append(numbers)
        self.size += len(numbers)
        self._held_size += len(numbers)
        if 4 * self._held_size > IN_MEMORY:
            self._write()

    def finish(self) -> Int32:
        """All numbers; the spool is empty afterwards."""
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
    """The file as an array."""
    file.flush()
    # subtle: take the room before mapping it; a full disk is then an error and not a crash
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, 4 * size)
    else:
        file.truncate(4 * size)
    return np.memmap(file, np.int32, "r+", shape=(size,)).view(np.ndarray)
