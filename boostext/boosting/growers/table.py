"""The growers by name: what the rules of a round may be, and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from boostext.boosting.growers.alternating import alternating_tree
from boostext.boosting.growers.conjunctions import conjunction, decision_rule
from boostext.boosting.growers.several import committee, per_label, stump
from boostext.boosting.growers.state import GrowerState
from boostext.boosting.growers.trees import decision_tree
from boostext.boosting.rules import Growth


class Grower(NamedTuple):
    """grow: state, number of the round -> its rules, None where none helps.

    by_label: a condition is reused for each label apart. alone: a round is a rule of one condition.
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
}
