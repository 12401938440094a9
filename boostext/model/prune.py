"""Reduce a model: keep its first rounds, or merge its rules into one for each term."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.rounds import ALL_ROUNDS, ALL_TERMS
from boostext.boosting.rules import Rule
from boostext.errors import BoostextError
from boostext.features.conditions import Always, Condition
from boostext.model.model import History, Model


def cut(model: Model, rounds: int) -> Model:
    """Return the model after its first rounds, identical to one trained with that many rounds.

    If the last round of the model updated the votes of all terms, it is among those left out, and
    the model is that of a longer training which was broken off.
    Tuned thresholds and the calibration are removed, because they were fitted to other scores. The
    threshold in the settings is kept.
    """
    kept = sum(model.round_sizes[:rounds]) if model.round_sizes else rounds
    history = History(model.history.gain[:rounds], model.history.z[:rounds])
    provenance = model.provenance
    if provenance.stopped == ALL_TERMS and rounds < model.round_count:
        provenance = replace(provenance, stopped=ALL_ROUNDS)
    return replace(
        with_own_thresholds(model),
        provenance=provenance,
        rules=model.rules[:kept],
        history=history,
        round_sizes=model.round_sizes[:rounds],
    )


def with_own_thresholds(model: Model) -> Model:
    """Remove thresholds and calibration that were fitted to the model's scores after training."""
    threshold = model.boosting.threshold
    asked = model.multilabel and threshold != 0
    return replace(
        model, thresholds=(threshold,) * len(model.labels) if asked else (), calibration=()
    )


def check_terms_stand_alone(model: Model) -> None:
    """Raise BoostextError if rules have preconditions, or if the model has no history."""
    if any(rule.precondition for rule in model.rules):
        raise BoostextError(
            "its rules have preconditions, so that no term stands alone; use --rules instead"
        )
    if len(model.history.z) == model.round_count < len(model.rules):
        raise BoostextError(
            "the rules of a round were learned together, so that nothing tells what each of them "
            "was worth; train a smaller model with train --terms"
        )
    if len(model.history.z) != len(model.rules):
        raise BoostextError("it does not say what each rule was worth; use --rules instead")


def influential(model: Model, count: int) -> tuple[Condition, ...]:
    """Return the `count` conditions that reduced the bound most, and `Always` if it is used.

    Conditions are compared by the sum of -ln Z over their rounds; ties go to the one chosen first.
    Raises BoostextError if rules have preconditions, because the effect of single terms is not
    defined then, or if the model has no history.
    """
    check_terms_stand_alone(model)
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
    """Return a model with one rule for each condition, in order of first choice.

    Its scores are those of the given model. The votes and gain of each rule are the sums over the
    rules that it replaces, and its Z is their product. Raises BoostextError if rules have
    preconditions, or if the model has no history.
    """
    check_terms_stand_alone(model)
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
