"""Decision trees as weak rules: every leaf votes. Source: SS99 s4.1, Kearns & Mansour 1996."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import LEAST_GAIN
from boostext.boosting.growers.state import ONLY, GrowerState, helps, masked
from boostext.boosting.reach import Numbers, Reach
from boostext.boosting.rules import Growth, Place, Placed

OWN_DEPTH = 3


def decision_tree(state: GrowerState, number: int) -> Growth | None:
    """A tree of `tree_depth` levels, each leaf split by the condition that lowers Z most.

    Z = 2 sum over leaves and labels of sqrt(W+ W-). A leaf that no condition helps stays whole.
    A rule a split: its votes are those of its blocks that are leaves.
    """
    flat, open_to = state.flat(), state.open_to(number)
    root = state.best(flat, state.everything(), open_to)
    if root is None or not helps(root[1]):
        return None
    growing = _Growing(state, flat, open_to, state.settings.tree_depth or OWN_DEPTH)
    rules = tuple(growing.split((), root[0]))
    return Growth(rules, growing.gain)


class _Growing:
    """One tree while it grows. gain: of its leaves so far."""

    def __init__(
        self, state: GrowerState, flat: Float64, open_to: NDArray[np.bool_], depth: int
    ) -> None:
        self.state, self.flat, self.open_to, self.depth = state, flat, open_to, depth
        self.reach: Reach[int] = state.reach
        self.gain = 0.0

    def split(self, literals: tuple[tuple[int, int], ...], condition: int) -> Iterator[Placed]:
        """The rule of a split, and those of the splits below it."""
        state = self.state
        blocks = self.reach.blocks(literals, condition)
        below: list[tuple[tuple[tuple[int, int], ...], int]] = []
        leaves = state.speaks.copy()
        for block in np.flatnonzero(state.speaks).tolist():
            gain = float(state.voting.gain(state.plain.sums(blocks), ONLY[block]))
            if len(literals) + 1 < self.depth:
                found = self._better(blocks[block], gain)
                if found is not None:
                    below.append(((*literals, (condition, block)), found))
                    leaves[block] = 0.0
                    continue
            self.gain += gain
        if leaves.any():
            yield state.placed(Place(literals, condition), masked(blocks, leaves), leaves)
        for deeper, found in below:
            yield from self.split(deeper, found)

    def _better(self, documents: Numbers, gain: float) -> int | None:
        """The condition that splits a leaf of this gain best, if it is worth it."""
        found = self.state.best(self.flat, documents, self.open_to) if len(documents) else None
        return found[0] if found is not None and found[1] > gain + LEAST_GAIN else None
