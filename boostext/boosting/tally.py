"""Sums of the votes of rules on documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.boosting.reach import Asked, Find, Reach
from boostext.features.conditions import NO, UNKNOWN, YES


class Tally(Generic[Asked]):
    """Sums of votes on documents 0..m-1, to which rules are added one by one.

    Adding a rule without a precondition changes only the sums of the documents outside block NO.
    find: returns the documents of a condition, which may be of any type that `find` accepts.
    start: (m, k), the sums before any vote, such as those from prior knowledge; by default 0.
    """

    def __init__(self, find: Find[Asked], m: int, start: Scores | None = None) -> None:
        self._find, self._m, self._start = find, m, start
        self._reach = Reach[Asked](find, m)
        # the number of columns, of labels or of a code, is that of the first vote
        self._base: Float64 | None = None if start is None else np.zeros(start.shape[1])
        self._apart: Scores = np.zeros((m, 0)) if start is None else start.copy()

    def again(self) -> Tally[Asked]:
        """Return a tally of the same documents with the same start, but without any votes."""
        return Tally(self._find, self._m, self._start)

    def add(
        self, votes: Float64, condition: Asked, precondition: Sequence[tuple[Asked, int]] = ()
    ) -> None:
        """Add the votes of a rule: (3, k), for the blocks UNKNOWN, NO and YES of its condition."""
        if self._base is None:
            self._base = np.zeros(votes.shape[1])
            self._apart = np.zeros((self._m, votes.shape[1]))
        if precondition:
            found = self._reach.blocks(precondition, condition)
            for block, documents in enumerate(found):
                self._apart[documents] += votes[block]
            return
        yes, unknown = self._find(condition)
        self._base += votes[NO]
        self._apart[yes] += votes[YES] - votes[NO]
        self._apart[unknown] += votes[UNKNOWN] - votes[NO]

    def value(self) -> Scores:
        """Return the sums (m, k) of the votes so far."""
        return self._apart if self._base is None else self._base + self._apart
