"""Weak learners, which find the rules of a round: stumps, trees, conjunctions and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from boostext.boosting.growers.alternating import alternating_tree
from boostext.boosting.growers.conjunctions import conjunction, decision_rule
from boostext.boosting.growers.parallel import parallel
from boostext.boosting.growers.several import committee, per_label, stump
from boostext.boosting.growers.state import GrowerState
from boostext.boosting.growers.trees import decision_tree
from boostext.boosting.rules import Growth


class Grower(NamedTuple):
    """A weak learner.

    grow: learns the rules of a round from the state of the growers and the number of the round;
    returns None if no rule lowers the loss.
    by_label: whether the reuse of a condition is counted separately for each label.
    alone: whether every round has a single rule of one condition.
    """

    grow: Callable[[GrowerState, int], Growth | None]
    by_label: bool = False
    alone: bool = False


GROWERS = {
    "stump": Grower(stump, alone=True),
    "rules": Grower(decision_rule),
    "tree": Grower(decision_tree),
    "adtree": Grower(alternating_tree),
    "conjunction": Grower(conjunction),
    "per label": Grower(per_label, by_label=True),
    "committee": Grower(committee),
    "parallel": Grower(parallel),
}
