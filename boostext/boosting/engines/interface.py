"""What the loop asks of an engine, and the problem that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from boostext.arrays import Float64, Int8, Lists, Scores, Weights
from boostext.boosting.choice import Choice, Eligible
from boostext.boosting.membership import Membership
from boostext.boosting.starts import Start


@dataclass(frozen=True)
class Problem:
    """m examples with k labels, and what a rule may be.

    label_sets: the labels with sign +. speaks: (3,) float64 mask of blocks. votes: key of VOTES.
    loss: key of LOSSES.
    """

    members: Membership
    label_sets: Lists
    label_count: int
    start: Start
    votes: str
    speaks: Float64
    loss: str = "exponential"
    threads: int = 1

    @property
    def example_count(self) -> int:
        return len(self.label_sets)

    def signs(self) -> Int8:
        """(m, k) int8, +1 for a label of the example, -1 for another."""
        import numpy as np

        signs = np.full((self.example_count, self.label_count), -1, np.int8)
        rows = np.repeat(np.arange(self.example_count), np.diff(self.label_sets.starts))
        signs[rows, self.label_sets.items] = 1
        return signs


class Engine(Protocol):
    """Holds the weights of a run; the loop asks, chooses votes, and applies them."""

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        """The condition of greatest gain x preference among the eligible; None if there is none.

        preference: (n,) non-negative, over all conditions.
        """

    def block_weights(self, condition: int) -> Float64:
        """(3, 2, k), total 1."""

    def apply(self, condition: int, votes: Float64) -> None:
        """Add votes (3, k) to the scores, and move the weights accordingly."""

    def scores(self) -> Scores:
        """(m, k): the sum of the votes applied."""

    def weights(self) -> Weights:
        """(m, k): the weights of the next round."""
