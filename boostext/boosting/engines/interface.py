"""What the loop asks of an engine, and the problem that it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from boostext.arrays import Float64, Int8, Lists, Scores, Weights
from boostext.boosting.beliefs import Pairs
from boostext.boosting.choice import Candidates, Choice, Eligible
from boostext.boosting.membership import Membership
from boostext.boosting.rules import Growth, Place, Placed
from boostext.boosting.starts import Start


@dataclass(frozen=True)
class Problem:
    """m examples with k labels, and what a rule may be.

    label_sets: the labels with sign +. speaks: (3,) float64 mask of blocks. votes: key of VOTES.
    smoothing, shrinkage: of the votes. loss: key of LOSSES. seed: of what a loss draws. pairs:
    where pairs count with both signs, as with prior knowledge: their first weights, and the scores
    that boosting starts from.
    """

    members: Membership
    label_sets: Lists
    label_count: int
    start: Start
    votes: str
    speaks: Float64
    smoothing: float = 0.0
    shrinkage: float = 1.0
    loss: str = "exponential"
    threads: int = 1
    seed: int = 0
    pairs: Pairs | None = None

    @property
    def example_count(self) -> int:
        return len(self.label_sets)

    def signs(self) -> Int8:
        """(m, k) int8, +1 for a label of the example, -1 for another."""
        signs = np.full((self.example_count, self.label_count), -1, np.int8)
        rows = np.repeat(np.arange(self.example_count), np.diff(self.label_sets.starts))
        signs[rows, self.label_sets.items] = 1
        return signs

    def positive_sets(self) -> Lists:
        """The labels with which each example has weight of sign +."""
        if self.pairs is None:
            return self.label_sets
        m, k = self.pairs.positive.shape
        return Lists(np.arange(m + 1) * k, np.tile(np.arange(k, dtype=np.int32), m))


class Engine(Protocol):
    """Holds the weights of a run; the loop asks, chooses votes, and applies them."""

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        """The condition of greatest gain x preference among the eligible; None if there is none.

        preference: (n,) non-negative, over all conditions; always the same array, in which only
        values of conditions applied since may have changed.
        """

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        """The eligible conditions that may be best, and perhaps others, as engines over some of the
        conditions tell them: arguments as of `best`.
        """

    def block_weights(self, place: Place) -> Float64:
        """(3, 2, k), total 1 where the place has no precondition."""

    def gain(self, place: Place) -> float:
        """What a rule there gains, by the votes of the problem."""

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        """Add the votes of a round's rules to the scores, and move the weights accordingly.

        pulls: (3, 2, k) of each rule, what the weights feel, where it is not the votes: see
        votes.Voting. Returns Z, the factor by which the loss fell.
        """

    def scores(self) -> Scores:
        """(m, k): the sum of the votes applied."""

    def weights(self) -> Weights:
        """(m, k): the weights of the next round."""


@runtime_checkable
class Growing(Protocol):
    """An engine that makes the rules of single conditions by itself."""

    def grow(self, preference: Float64, ahead: Callable[[], Sequence[Eligible]]) -> Growth | None:
        """The rule of the next round, which the weights have taken in; None if none helps.

        preference: as of `best`. ahead: the draws of this round and of those after it that may be
        learned along with it.
        """
