"""A weak rule, and one round of boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class Growth(NamedTuple):
    """The rules of a round, and its gain: 1 - Z, unsmoothed, for real votes."""

    rules: tuple[Placed, ...]
    gain: float

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
