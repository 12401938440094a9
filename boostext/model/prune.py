"""A smaller model from a model: its first rounds, or one rule for each term."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.rules import Rule
from boostext.errors import BoostextError
from boostext.features.conditions import Always, Condition
from boostext.model.model import History, Model


def cut(model: Model, rounds: int) -> Model:
    """The first rounds: the very model that training with so many rounds gives.

    Tuned thresholds and calibration are left out: they were fitted to other scores. The threshold
    among its settings stays.
    """
    kept = sum(model.round_sizes[:rounds]) if model.round_sizes else rounds
    history = History(model.history.gain[:rounds], model.history.z[:rounds])
    return replace(
        with_own_thresholds(model), rules=model.rules[:kept], history=history,
        round_sizes=model.round_sizes[:rounds],
    )  # fmt: skip


def with_own_thresholds(model: Model) -> Model:
    """Without what was fitted to its scores afterwards."""
    threshold = model.boosting.threshold
    asked = model.multilabel and threshold != 0
    return replace(
        model, thresholds=(threshold,) * len(model.labels) if asked else (), calibration=()
    )


def influential(model: Model, count: int) -> tuple[Condition, ...]:
    """The `count` conditions whose rules lowered the bound most, and that of the prior, if any.

    By the sum of -ln Z over their rounds; of equals those that were chosen first. Raises
    BoostextError where rules have preconditions or there is no history: terms do not stand alone.
    """
    if any(rule.precondition for rule in model.rules):
        raise BoostextError(
            "its rules have preconditions, so that no term stands alone; use --rules instead"
        )
    if len(model.history.z) != len(model.rules):
        raise BoostextError("it does not say what each rule was worth; use --rules instead")
    worth: dict[Condition, float] = {}
    for rule, z in zip(model.rules, model.history.z, strict=True):
        worth[rule.condition] = worth.get(rule.condition, 0.0) - float(np.log(max(z, 1e-300)))
    prior = [condition for condition in worth if isinstance(condition, Always)]
    terms = [condition for condition in worth if not isinstance(condition, Always)]
    return (*prior, *sorted(terms, key=lambda condition: -worth[condition])[:count])


@dataclass
class _Sum:
    votes: Float64
    gain: float = 0.0
    z: float = 1.0


def merged(model: Model) -> Model:
    """One rule for each condition, in the order of first choice: the same scores from fewer rules.

    Its votes, and its gain, are the sums of those of its rules, its Z their product.
    """
    sums: dict[Condition, _Sum] = {}
    rows = zip(model.rules, model.history.gain, model.history.z, strict=True)
    for rule, gain, z in rows:
        found = sums.setdefault(rule.condition, _Sum(np.zeros_like(rule.votes)))
        found.votes = found.votes + rule.votes
        found.gain += gain
        found.z *= z
    history = History(tuple(s.gain for s in sums.values()), tuple(s.z for s in sums.values()))
    rules = tuple(Rule(condition, found.votes) for condition, found in sums.items())
    return replace(model, rules=rules, history=history)
