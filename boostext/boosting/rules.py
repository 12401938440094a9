"""Weak rules, in the forms that models and the learning loop use, and rounds of boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64
from boostext.features.conditions import Condition, Literal


@dataclass(frozen=True, eq=False)
class Rule:
    """A condition with a vote for each block and label, and a precondition.

    votes: (3, k) float64, with the rows UNKNOWN, NO and YES. They include the factors alpha and
    shrinkage, and are 0 in a block in which the rule abstains.
    alpha: the common factor of discrete votes, or 1 for real votes.
    precondition: conditions that must all hold; the rule abstains where one of them does not.
    """

    condition: Condition
    votes: Float64
    alpha: float = 1.0
    precondition: tuple[Literal, ...] = ()


class Place(NamedTuple):
    """The precondition and the condition of a rule, by the numbers of the conditions.

    precondition: pairs (condition, block), each of which must hold. condition: that of the rule.
    """

    precondition: tuple[tuple[int, int], ...]
    condition: int


class Placed(NamedTuple):
    """A rule while it is learned: its place, its votes (3, k), and their common factor alpha."""

    place: Place
    votes: Float64
    alpha: float = 1.0


SILENT = -1

BlockNumbers = tuple[int, int, int]
"""The blocks of a weak hypothesis that the rows UNKNOWN, NO and YES of a rule belong to.

Each is the number of a block, or SILENT for a row in which the rule abstains.
"""


class Growth(NamedTuple):
    """The rules of a round and their gain.

    gain: the criterion of the choice, which is 1 - Z without smoothing for real votes.
    blocks: the block numbers of each rule, if all rules together form one weak hypothesis, such as
    a tree, with one vote for each block and label; () if the rules are independent.
    z: the factor that the loss was multiplied by, if the engine has applied the rules already;
    None if it has not.
    """

    rules: tuple[Placed, ...]
    gain: float
    blocks: tuple[BlockNumbers, ...] = ()
    z: float | None = None

    def votes(self) -> Float64:
        """Return the votes (b, k) of the blocks."""
        count = max(map(max, self.blocks)) + 1
        found = np.zeros((count, self.rules[0].votes.shape[1]))
        for rule, numbers in zip(self.rules, self.blocks, strict=True):
            for row, number in enumerate(numbers):
                if number != SILENT:
                    found[number] = rule.votes[row]
        return found

    def with_votes(self, votes: Float64, alpha: float) -> Growth:
        """Return a growth with these votes (b, k) of the blocks, and with this alpha."""
        padded = np.concatenate([votes, np.zeros((1, votes.shape[1]))])  # row SILENT is the last
        rules = (
            Placed(rule.place, padded[list(numbers)], alpha)
            for rule, numbers in zip(self.rules, self.blocks, strict=True)
        )
        return self._replace(rules=tuple(rules))

    def scaled(self, factor: float) -> Growth:
        """Return a growth with all votes, and alpha, multiplied by a factor."""
        rules = (Placed(p, votes * factor, alpha * factor) for p, votes, alpha in self.rules)
        return self._replace(rules=tuple(rules))


@dataclass(frozen=True, eq=False)
class Round:
    """The record of one round.

    number: the number t of the round, from 1. rule: its first rule.
    gain: the criterion of the choice, without smoothing (1 - Z for real votes).
    z: the actual normalizer Z. bound: the product of the Z of all rounds so far, times the bound
    before the first round if that is not 1. condition: the number of the condition of `rule`.
    more: the other rules of this round, such as those of a tree.
    places: the places of all its rules if there are several or if they have preconditions, else ().
    is_last: whether it updated the votes of all terms, after which no round follows.
    """

    number: int
    rule: Rule
    gain: float
    z: float
    bound: float
    condition: int = -1
    more: tuple[Rule, ...] = ()
    places: tuple[Place, ...] = ()
    is_last: bool = False

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (self.rule, *self.more)

    @property
    def placed(self) -> tuple[tuple[Rule, Place], ...]:
        """All rules of the round with their places."""
        places = self.places or (Place((), self.condition),)
        return tuple(zip(self.rules, places, strict=True))
