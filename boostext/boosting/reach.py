"""The documents that meet the precondition of a rule, and sums of the votes of rules on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Scores
from boostext.features.conditions import NO, UNKNOWN, YES

Asked = TypeVar("Asked", bound=Hashable)
Numbers = NDArray[np.integer]
Find = Callable[[Asked], tuple[Numbers, Numbers]]
"""A function that returns the documents of a condition in block YES, and those in block UNKNOWN."""
Blocks = tuple[Numbers, Numbers, Numbers]
"""The documents in the blocks UNKNOWN, NO and YES; a document may be in none of them."""

KEPT = 1 << 26
"""The maximum number of cells in the masks that are kept.

Many preconditions begin with the same literals, so that the mask of one is computed from the mask
of a shorter one.
"""


class Reach(Generic[Asked]):
    """The documents among 0..m-1 that meet preconditions.

    find: returns the documents of a condition, which may be of any type that `find` accepts.
    """

    def __init__(self, find: Find[Asked], m: int) -> None:
        self._find, self._m = find, m
        # subtle: preconditions form a tree and are identified by the number of their last literal;
        # if each were a tuple, the memory for a branch would grow with the square of its depth
        self._numbers: dict[tuple[int, Asked, int], int] = {}
        self._masks: dict[int, NDArray[np.bool_]] = {}

    def holds(self, literals: Sequence[tuple[Asked, int]]) -> NDArray[np.bool_]:
        """Return a mask (m,) of the documents for which all literals hold; do not modify it."""
        number, path = 0, []
        for condition, block in literals:
            step = (number, condition, block)
            number = self._numbers.setdefault(step, len(self._numbers) + 1)
            path.append(number)
        known = next((i for i in range(len(path), 0, -1) if path[i - 1] in self._masks), 0)
        mask = self._masks[path[known - 1]] if known else np.ones(self._m, np.bool_)
        for number, (condition, block) in zip(path[known:], literals[known:], strict=True):
            mask = self._narrowed(mask, condition, block)
            if len(self._masks) * self._m > KEPT:
                self._masks.clear()
            self._masks[number] = mask
        return mask

    def blocks(self, literals: Sequence[tuple[Asked, int]], condition: Asked) -> Blocks:
        """Return the documents of each block of a condition that meet a precondition."""
        inside = self.holds(literals)
        yes, unknown = self._find(condition)
        rest = inside.copy()
        rest[yes] = rest[unknown] = False
        no = np.flatnonzero(rest).astype(np.int32)
        return unknown[inside[unknown]], no, yes[inside[yes]]

    def _narrowed(
        self, before: NDArray[np.bool_], condition: Asked, block: int
    ) -> NDArray[np.bool_]:
        yes, unknown = self._find(condition)
        if block == NO:
            mask = before.copy()
            mask[yes] = mask[unknown] = False
            return mask
        mask = np.zeros(self._m, np.bool_)
        documents = {YES: yes, UNKNOWN: unknown}[block]
        mask[documents] = before[documents]
        return mask


class Tally(Generic[Asked]):
    """Sums of votes on documents 0..m-1, to which rules are added one by one.

    Adding a rule without a precondition changes only the sums of the documents outside block NO.
    find: returns the documents of a condition, which may be of any type that `find` accepts.
    start: (m, k), the sums before any vote, such as those from prior knowledge; by default 0.
    """

    def __init__(self, find: Find[Asked], m: int, start: Scores | None = None) -> None:
        self._find, self._m = find, m
        self._reach = Reach[Asked](find, m)
        # the number of columns, of labels or of a code, is that of the first vote
        self._base: Float64 | None = None if start is None else np.zeros(start.shape[1])
        self._apart: Scores = np.zeros((m, 0)) if start is None else start.copy()

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
