"""Decision trees as weak hypotheses, in which every leaf has votes of its own.

Source: SS99 s4.1, Kearns & Mansour 1996.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostext.boosting.choice import LEAST_GAIN
from boostext.boosting.growers.state import ONLY, GrowerState, helps
from boostext.boosting.reach import Numbers
from boostext.boosting.rules import SILENT, BlockNumbers, Growth, Place

OWN_DEPTH = 3


def decision_tree(state: GrowerState, number: int) -> Growth | None:
    """Learn a tree of at most `tree_depth` levels; None if no tree lowers the loss.

    Each leaf is split by the condition with the largest gain, and is not split if no condition
    has a gain. For real votes, Z = 2 sum over leaves and labels of sqrt(W+ W-), which is the
    criterion of Kearns and Mansour; it is also used to learn trees whose votes all have one size.
    The tree is returned as one rule for each split that has leaves, with the votes of these leaves.
    """
    open_to = state.open_to(number)
    root = state.best(state.everything(), open_to, state.leaf_criterion)
    if root is None or not helps(root[1]):
        return None
    growing = _Growing(state, open_to, state.settings.tree_depth or OWN_DEPTH)
    growing.split((), root[0])
    return state.hypothesis(growing.places, growing.blocks)


class _Growing:
    """A tree while it is grown.

    places, blocks: those of the rules so far. leaves: the number of leaves in these rules.
    """

    def __init__(self, state: GrowerState, open_to: NDArray[np.bool_], depth: int) -> None:
        self.state, self.open_to, self.depth = state, open_to, depth
        self.places: list[Place] = []
        self.blocks: list[BlockNumbers] = []
        self.leaves = 0

    def split(self, literals: tuple[tuple[int, int], ...], condition: int) -> None:
        """Add the rule of a split, and then those of the splits below it."""
        blocks = self.state.reach.blocks(literals, condition)
        gains = [self.state.leaf_criterion(self.state.sums(blocks), only) for only in ONLY]
        below: list[tuple[tuple[tuple[int, int], ...], int]] = []
        numbers = [SILENT, SILENT, SILENT]
        for block in np.flatnonzero(self.state.speaks).tolist():
            if len(literals) + 1 < self.depth:
                found = self._better(blocks[block], float(gains[block]))
                if found is not None:
                    below.append(((*literals, (condition, block)), found))
                    continue
            numbers[block] = self.leaves
            self.leaves += 1
        if max(numbers) != SILENT:
            self.places.append(Place(literals, condition))
            self.blocks.append((numbers[0], numbers[1], numbers[2]))
        for deeper, found in below:
            self.split(deeper, found)

    def _better(self, documents: Numbers, gain: float) -> int | None:
        """Return the condition with the largest gain on the documents of a leaf.

        Returns None if that gain is no larger than `gain`, that of the leaf without a split.
        """
        state = self.state
        if not len(documents):
            return None
        found = state.best(documents, self.open_to, state.leaf_criterion)
        return found[0] if found is not None and found[1] > gain + LEAST_GAIN else None
