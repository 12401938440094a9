"""A checkpoint that was altered and given a right digest is refused, or changes nothing."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from boostext.algorithms import ALGORITHMS
from boostext.errors import BoostextError
from boostext.features.conditions import YES, Always, Literal, Occurs
from boostext.model.file import model_bytes
from boostext.training.plan import Plan
from boostext.training.run import learn, prepare
from tests.training_data import documents

DOCUMENTS = documents(40)


def plan_of(algorithm, rounds):
    shared = {"smoothing": "0.05", "tree_depth": 2} if "tree" in algorithm else {"smoothing": 0.05}
    return Plan.of(algorithm=algorithm, rounds=rounds, threads=1, engine="plain", **shared)


@cache
def trained(algorithm):
    """What six rounds prepare, the model of four, and the bytes of six without a break."""
    prepared = prepare(DOCUMENTS, plan_of(algorithm, 6))
    first = learn(prepare(DOCUMENTS, plan_of(algorithm, 4))).model
    return prepared, first, model_bytes(learn(prepared).model)


def with_rule(model, **values):
    """With other parts of the second rule."""
    rules = list(model.rules)
    rules[1] = dataclasses.replace(rules[1], **values)
    return dataclasses.replace(model, rules=tuple(rules))


def scaled_votes(model):
    return with_rule(model, votes=model.rules[1].votes * 1.01)


def scaled_votes_and_alpha(model):
    rule = model.rules[1]
    return with_rule(model, votes=rule.votes * 1.01, alpha=rule.alpha * 1.01)


def vast_votes(model):
    return with_rule(model, votes=np.full_like(model.rules[1].votes, 1e300))


def other_condition(model):
    return with_rule(model, condition=model.rules[0].condition)


def unknown_condition(model):
    return with_rule(model, condition=Occurs("text", ("nowhere",)))


def condition_that_always_holds(model):
    return with_rule(model, condition=Always())


def further_precondition(model):
    before = (*model.rules[1].precondition, Literal(model.rules[-1].condition, YES))
    return with_rule(model, precondition=before)


def deep_precondition(model):
    before = tuple(Literal(rule.condition, YES) for rule in model.rules for _ in range(50))
    return with_rule(model, precondition=before)


def exchanged_rules(model):
    return dataclasses.replace(model, rules=model.rules[::-1])


def exchanged_labels(model):
    return dataclasses.replace(model, labels=model.labels[::-1])


def one_round(model):
    return dataclasses.replace(model, round_sizes=(len(model.rules),))


def without_history(model):
    return dataclasses.replace(model, history=dataclasses.replace(model.history, z=()))


def edited(model):
    known = dataclasses.replace(model.provenance, edited=True)
    return dataclasses.replace(model, provenance=known)


ALTERED = (
    scaled_votes,
    scaled_votes_and_alpha,
    vast_votes,
    other_condition,
    unknown_condition,
    condition_that_always_holds,
    further_precondition,
    deep_precondition,
    exchanged_rules,
    exchanged_labels,
    one_round,
    without_history,
    edited,
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_going_on_gives_the_bytes_of_a_run_without_a_break(algorithm):
    prepared, first, whole = trained(algorithm)
    assert model_bytes(learn(prepared, old=first).model) == whole


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_altered_checkpoint_is_refused_or_changes_nothing(algorithm):
    prepared, first, whole = trained(algorithm)
    said = {alter.__name__: outcome(prepared, alter(first)) for alter in ALTERED}
    refused = [message for message in said.values() if message != whole]
    assert len(refused) >= len(ALTERED) // 2
    assert not [name for name, m in said.items() if m in refused and b"cannot resume" not in m]


def outcome(prepared, model):
    """The bytes of the model that training goes on to, or why it does not."""
    try:
        return model_bytes(learn(prepared, old=model).model)
    except BoostextError as error:
        return str(error).encode()
