"""The interface between the boosting loop and an engine, and the problem that an engine solves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from boostext.arrays import Float64, Int8, Lists, Scores, Weights
from boostext.boosting.beliefs import Pairs
from boostext.boosting.choice import Candidates, Choice, Eligible
from boostext.boosting.losses import Start
from boostext.boosting.membership import Membership
from boostext.boosting.rules import Growth, Place, Placed


@dataclass(frozen=True)
class Problem:
    """A learning problem: m examples with k labels, and the kind of rules that may be learned.

    members: the conditions that rules may test, and the documents that meet each of them.
    label_sets: the labels of each example, which have the sign +. label_count: k.
    start: the weights of the first round. votes: a key of VOTES. speaks: (3,) float64, 1 for the
    blocks (UNKNOWN, NO, YES) in which rules vote and 0 for those in which they abstain.
    smoothing, shrinkage: parameters of the votes. loss: a key of LOSSES. threads: the number of
    threads that an engine may use. seed: the seed of losses that draw random numbers.
    pairs: the initial weights and scores of pairs that count with both signs, as they do with
    prior knowledge; None without it.
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
        """Return the signs (m, k): +1 for a label that the example has, -1 for one it has not."""
        signs = np.full((self.example_count, self.label_count), -1, np.int8)
        rows = np.repeat(np.arange(self.example_count), np.diff(self.label_sets.starts))
        signs[rows, self.label_sets.items] = 1
        return signs

    def positive_sets(self) -> Lists:
        """Return for each example the labels that it has some weight with, of the sign +.

        These are the labels of the example, or all labels if pairs count with both signs.
        """
        if self.pairs is None:
            return self.label_sets
        m, k = self.pairs.positive.shape
        return Lists(np.arange(m + 1) * k, np.tile(np.arange(k, dtype=np.int32), m))


class Engine(Protocol):
    """The state of a boosting run: its scores and weights.

    The loop asks an engine for conditions and weights, chooses the votes of a rule, and has the
    engine apply them.
    """

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        """Return the eligible condition with the largest gain x preference; None if there is none.

        preference: (n,) non-negative, one value for each condition. Every call must pass the same
        array, in which only the values of conditions applied since the last call may have changed.
        draw: the conditions that are eligible in this round.
        """

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        """Return the eligible conditions that may be the best one, possibly among others.

        An engine that has only some of the conditions returns them, so that the best of all can
        be chosen afterwards. The arguments are those of `best`.
        """

    def block_weights(self, place: Place) -> Float64:
        """Return the weights (3, 2, k) of a place by block, sign and label.

        They sum to 1 if the place has no precondition.
        """

    def gain(self, place: Place) -> float:
        """Return the gain of a rule at a place, with the kind of votes that the problem names."""

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        """Add the votes of the rules of a round to the scores, and update the weights.

        pulls: (3, 2, k) for each rule, the values that the weights are updated with where these
        differ from the votes; see votes.Voting. Returns Z, the factor that the loss was
        multiplied by.
        """

    def scores(self) -> Scores:
        """Return the scores (m, k), the sums of the votes applied so far."""

    def weights(self) -> Weights:
        """Return the weights (m, k) of the next round."""


@runtime_checkable
class Growing(Protocol):
    """An engine that can learn and apply a rule of a single condition by itself."""

    def grow(self, preference: Float64, ahead: Callable[[], Sequence[Eligible]]) -> Growth | None:
        """Learn the rule of the next round and update the weights; None if no rule lowers the loss.

        preference: as in `best`. ahead: returns the eligible conditions of this round and of the
        following rounds that may be learned in the same call.
        """
