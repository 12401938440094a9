"""Instructions of the processor that Python has no words for, as functions for kernels.

`translation` replaces each call by the instruction. `read`, `write` and `add` work on numbers that
several threads use at the same time, in the first column of an int64 table. Each call is a single
step. All threads see these steps, and what was written before them, in the same order.
"""

from __future__ import annotations

from typing import Any

Table = Any
Number = Any

COLUMNS = 16
"""The number of columns of a table of such numbers.

A row takes 128 bytes, so that threads that use different numbers need different lines of the cache.
"""


def read(numbers: Table, row: int) -> Number:
    """Return a number."""
    return numbers[row, 0]


def write(numbers: Table, row: int, value: int) -> None:
    """Replace a number."""
    numbers[row, 0] = value


def add(numbers: Table, row: int, by: int) -> Number:
    """Add to a number, and return what it was before."""
    before = numbers[row, 0]
    numbers[row, 0] = before + by
    return before


def call(address: int) -> None:
    """Call the C function without arguments that is at this address, or none if it is 0."""


def fetch(table: Table, row: int, column: int) -> None:
    """Begin to read an item of a table into the cache, without waiting for it."""
