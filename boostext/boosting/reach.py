"""Which documents a rule with a precondition speaks of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostext.features.conditions import NO, UNKNOWN, YES

Asked = TypeVar("Asked", bound=Hashable)
Numbers = NDArray[np.integer]
Find = Callable[[Asked], tuple[Numbers, Numbers]]
"""A condition's documents in block YES, and those in block UNKNOWN."""
Blocks = tuple[Numbers, Numbers, Numbers]
"""Documents in blocks UNKNOWN, NO, YES; a document may be in none."""

KEPT = 1 << 26
"""Cells of masks held; preconditions begin alike, so that each is found from a shorter one."""


class Reach(Generic[Asked]):
    """Documents 0..m-1 under preconditions; conditions by whatever `find` knows them by."""

    def __init__(self, find: Find[Asked], m: int) -> None:
        self._find, self._m = find, m
        # subtle: preconditions as a tree, each known by the number of its last literal: as tuples
        # of their own, those of one deep branch would take memory by the square of its depth
        self._numbers: dict[tuple[int, Asked, int], int] = {}
        self._masks: dict[int, NDArray[np.bool_]] = {}

    def holds(self, literals: Sequence[tuple[Asked, int]]) -> NDArray[np.bool_]:
        """(m,): where each of these conditions is in its block; not to be changed."""
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
        """The documents of each block of a condition, under a precondition."""
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
