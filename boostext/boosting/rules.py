"""A weak rule, and one round of boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64
from boostext.features.conditions import Condition, Literal


@dataclass(frozen=True, eq=False)
class Rule:
    """A condition with one vote per block and label, under a precondition.

    votes: (3, k) float64, rows UNKNOWN, NO, YES; alpha and shrinkage are folded in. A silent block
    votes 0. alpha: the common factor of discrete votes, 1 for real ones.
    precondition: the rule is silent where not all of these hold.
    """

    condition: Condition
    votes: Float64
    alpha: float = 1.0
    precondition: tuple[Literal, ...] = ()


class Place(NamedTuple):
    """Where a rule stands, by numbers of conditions: precondition as (condition, block) pairs."""

    precondition: tuple[tuple[int, int], ...]
    condition: int


class Placed(NamedTuple):
    """A rule while it is learned: its place, its votes (3, k), and the size alpha of these."""

    place: Place
    votes: Float64
    alpha: float = 1.0


SILENT = -1

BlockNumbers = tuple[int, int, int]
"""What the rows UNKNOWN, NO, YES of a rule are of a weak hypothesis: the number of its block, or
SILENT.
"""


class Growth(NamedTuple):
    """The rules of a round, and its gain: 1 - Z, unsmoothed, for real votes.

    blocks: of each rule, where all of them together are one weak hypothesis, such as a tree, whose
    blocks have one vote each; () where every rule stands for itself. z: the factor by which the
    loss fell, where the engine has taken the rules in as they are; None before.
    """

    rules: tuple[Placed, ...]
    gain: float
    blocks: tuple[BlockNumbers, ...] = ()
    z: float | None = None

    def votes(self) -> Float64:
        """(b, k): the vote of each block."""
        count = max(map(max, self.blocks)) + 1
        found = np.zeros((count, self.rules[0].votes.shape[1]))
        for rule, numbers in zip(self.rules, self.blocks, strict=True):
            for row, number in enumerate(numbers):
                if number != SILENT:
                    found[number] = rule.votes[row]
        return found

    def with_votes(self, votes: Float64, alpha: float) -> Growth:
        """With other votes (b, k) of the blocks."""
        padded = np.concatenate([votes, np.zeros((1, votes.shape[1]))])  # SILENT is the last row
        rules = (
            Placed(rule.place, padded[list(numbers)], alpha)
            for rule, numbers in zip(self.rules, self.blocks, strict=True)
        )
        return self._replace(rules=tuple(rules))

    def scaled(self, factor: float) -> Growth:
        """With all votes times a factor."""
        rules = (Placed(p, votes * factor, alpha * factor) for p, votes, alpha in self.rules)
        return self._replace(rules=tuple(rules))


@dataclass(frozen=True, eq=False)
class Round:
    """What one round did.

    number: t, from 1. gain: the criterion of the choice, unsmoothed (1 - Z for real votes).
    z: the actual normalizer; bound: the product of all z so far. condition: the number of the
    rule's condition. more: further rules of this round, as those of a tree. places: of all its
    rules, where they are more than one or have preconditions.
    """

    number: int
    rule: Rule
    gain: float
    z: float
    bound: float
    condition: int = -1
    more: tuple[Rule, ...] = ()
    places: tuple[Place, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (self.rule, *self.more)

    @property
    def placed(self) -> tuple[tuple[Rule, Place], ...]:
        """Every rule with its place."""
        places = self.places or (Place((), self.condition),)
        return tuple(zip(self.rules, places, strict=True))
