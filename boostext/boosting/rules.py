"""A weak rule, and one round of boosting."""

from __future__ import annotations

from dataclasses import dataclass

from boostext.arrays import Float64
from boostext.features.conditions import Condition


@dataclass(frozen=True, eq=False)
class Rule:
    """A condition with one vote per block and label.

    votes: (3, k) float64, rows UNKNOWN, NO, YES; alpha and shrinkage are folded in. A silent block
    votes 0. alpha: the common factor of discrete votes, 1 for real ones.
    """

    condition: Condition
    votes: Float64
    alpha: float = 1.0


@dataclass(frozen=True, eq=False)
class Round:
    """What one round did.

    number: t, from 1. gain: the criterion of the choice, unsmoothed (1 - Z for real votes).
    z: the actual normalizer; bound: the product of all z so far. condition: the number of the
    rule's condition.
    """

    number: int
    rule: Rule
    gain: float
    z: float
    bound: float
    condition: int = -1
