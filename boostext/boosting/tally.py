"""The votes of rules on documents, added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.boosting.reach import Asked, Find, Reach
from boostext.features.conditions import NO, UNKNOWN, YES


class Tally(Generic[Asked]):
    """Sums of votes on documents 0..m-1, rule by rule; only documents outside block NO are touched.

    find: the documents of a condition, by whatever it knows conditions by. start: (m, k), what
    documents have before any vote, as from prior knowledge.
    """

    def __init__(self, find: Find[Asked], m: int, start: Scores | None = None) -> None:
        self._find, self._m, self._start = find, m, start
        self._reach = Reach[Asked](find, m)
        # as wide as a vote, which the first one tells: labels, or columns of a code
        self._base: Float64 | None = None if start is None else np.zeros(start.shape[1])
        self._apart: Scores = np.zeros((m, 0)) if start is None else start.copy()

    def again(self) -> Tally[Asked]:
        """The same documents and start, without any vote."""
        return Tally(self._find, self._m, self._start)

    def add(
        self, votes: Float64, condition: Asked, precondition: Sequence[tuple[Asked, int]] = ()
    ) -> None:
        """Let a rule vote. votes: (3, k), of the blocks UNKNOWN, NO, YES of its condition."""
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
        """(m, k): the sums so far."""
        return self._apart if self._base is None else self._base + self._apart
