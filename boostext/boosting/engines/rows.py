"""Rows: whole-number sums of e by sign and label, for the terms that are often looked at."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Int32, aligned

RECENT, TIDY, MANY = 64, 128, 0.15
"""Rounds without use after which a row may be given up; rounds between looks at which these are;
the share of rows from which it is worth the while.
"""
MOST_BYTES = 2**31
"""Memory that rows may take; beyond it terms are summed when they may win."""


class Rows:
    """sums: (rows, 2, kp) uint32, see shapes.ROWS. slot: of each frequent term the number of its
    row, or -1. asked: how often it was summed without one. used: the round it was last looked at.
    """

    def __init__(self, frequent: int, kp: int) -> None:
        self.sums, self._taken = aligned((64, 2, kp)), 0
        self.slot = np.full(frequent, -1, np.int32)
        self.asked, self.used = np.zeros(frequent, np.int32), np.zeros(frequent, np.int32)

    @property
    def width(self) -> int:
        """Numbers of a sign: kp."""
        return int(self.sums.shape[2])

    def take(self, wanted: Int32, clock: int) -> bool:
        """Slots for these terms, if there is memory for them; their sums have to be filled in."""
        last = self._taken + len(wanted)
        if not len(wanted) or last * self.sums[0].nbytes > MOST_BYTES:
            return False
        if last > len(self.sums):
            larger = aligned((2 * last, *self.sums.shape[1:]))
            larger[: self._taken] = self.sums[: self._taken]
            self.sums = larger
        self.slot[wanted] = np.arange(self._taken, last, dtype=np.int32)
        self.used[wanted] = clock
        self._taken = last
        return True

    def tidy(self, clock: int) -> None:
        """From time to time: give up rows of no use, and put the others in the order of terms."""
        if clock % TIDY:
            return
        kept = self._useful(clock)
        if len(kept) < (1 - MANY) * self._taken:
            self.sums[: len(kept)] = self.sums[self.slot[kept]]
            self._clear()
            self.slot[kept] = np.arange(len(kept), dtype=np.int32)
            self._taken = len(kept)

    def give_up(self, clock: int) -> Int32:
        """All rows; returns the terms that will want one again."""
        useful = self._useful(clock)
        self._clear()
        return useful

    def _useful(self, clock: int) -> Int32:
        useful = np.flatnonzero((self.slot >= 0) & (self.used > clock - RECENT))
        return useful.astype(np.int32)

    def _clear(self) -> None:
        self.slot[:], self._taken, self.asked[:] = -1, 0, 0
