"""Margins."""

import dataclasses

import numpy as np
import pytest

from boostext.evaluation.margins import margin_rows, margins, tanh_margins, vote_total
from boostext.training.plan import Plan
from boostext.training.run import train
from boostext.training.summary import model_scores
from tests.model.golden import CORPORA, golden_model
from tests.model.models import mixed_model
from tests.training_data import documents

SIGNS = np.array([[1, -1], [-1, 0]], np.int8)
SCORES = np.array([[2.0, -1.0], [0.5, 3.0]])


def test_margins_are_signed_scores_over_the_sum_of_vote_sizes():
    assert margins(SCORES, SIGNS, 4.0).tolist() == [[0.5, 0.25], [-0.125, 0.0]]


def test_margins_by_tanh_have_its_closed_form():
    # NN07 Eq. 9: (exp(Y f) - 1) / (exp(Y f) + 1)
    e = np.exp(SIGNS * SCORES)
    np.testing.assert_allclose(tanh_margins(SCORES, SIGNS), (e - 1) / (e + 1), rtol=1e-15)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_total_of_discrete_votes_is_the_sum_of_alphas(golden_dir, corpus):
    model, _, scores = golden_model(golden_dir, corpus, "mh-discrete")
    assert vote_total(model) == pytest.approx(sum(abs(rule.alpha) for rule in model.rules))
    sizes = np.abs(margins(scores, np.ones(scores.shape, np.int8), vote_total(model)))
    assert sizes.max() <= 1 + 1e-9  # golden scores have 12 decimals


def test_a_model_without_rules_has_margins_of_0():
    model = dataclasses.replace(mixed_model(), rules=())
    assert margins(np.zeros((1, 5)), np.ones((1, 5), np.int8), vote_total(model)).tolist() == [
        [0.0] * 5
    ]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"abstain": True},
        {"votes": "discrete"},
        {"algorithm": "logistic"},
        {"algorithm": "adaboost-r"},
        {"shrinkage": 0.3},
        {"algorithm": "adtree"},
        {"algorithm": "mp"},
        {"algorithm": "mh-kr"},
        {"algorithm": "slipper"},
        {"algorithm": "decrules-r"},
    ],
)
def test_no_share_of_training_margins_is_above_its_bound(values):
    plan = Plan.of(rounds=40, threads=1, **values)
    trained = train(documents(seed=2), plan)
    rows = margins_of(trained)
    assert all(row.votes <= row.votes_bound + 1e-9 for row in rows)
    assert all(row.tanh <= row.tanh_bound + 1e-9 for row in rows)
    assert any(0 < row.tanh_bound < 1 for row in rows)


@pytest.mark.parametrize(
    ("values", "greatest"),
    [
        ({"algorithm": "oc"}, "votes"),
        ({"algorithm": "bagging"}, "votes"),
        ({"algorithm": "mo", "decoding": "hamming"}, "columns"),
        ({"algorithm": "mo"}, "twice"),
    ],
)
def test_scores_without_a_sign_have_margins_over_the_best_other_label(values, greatest):
    trained = train(documents(seed=2), Plan.of(rounds=20, threads=1, **values))
    model, scores = trained.model, model_scores(trained)
    own = np.array([labels[0] for labels in trained.prepared.corpus.label_sets])
    rest = scores.copy()
    rest[np.arange(len(own)), own] = -np.inf
    lead = scores[np.arange(len(own)), own] - rest.max(axis=1)
    total = {"votes": vote_total(model), "columns": model.width, "twice": 2 * vote_total(model)}
    assert np.abs(lead).max() <= total[greatest] * (1 + 1e-12)
    for row in margins_of(trained):
        assert row.votes == pytest.approx(np.mean(lead / total[greatest] <= row.theta + 1e-12))
        assert row.tanh == pytest.approx(np.mean(np.tanh(lead / 2) <= row.theta + 1e-12))


def margins_of(trained, **changes):
    model = dataclasses.replace(trained.model, **changes)
    corpus = trained.prepared.corpus
    signs = np.full((len(corpus), 3), -1, np.int8)
    signs[np.arange(len(corpus)), corpus.label_sets.items] = 1
    return margin_rows(model, model_scores(trained), signs, trained.prepared.weights, True)


def test_at_0_the_bound_is_that_of_hamming_loss():
    trained = train(documents(), Plan.of(rounds=20, threads=1))
    (zero,) = [row for row in margins_of(trained) if row.theta == 0]
    assert zero.votes_bound == pytest.approx(np.prod(trained.model.history.z))
    assert zero.tanh_bound == pytest.approx(zero.votes_bound)
    assert zero.votes == zero.tanh  # both have the sign of Y f


def test_shares_are_of_weight_and_rise_to_1():
    model = mixed_model()
    scores, signs = np.array([[1.0] * 5, [-1.0] * 5]), np.ones((2, 5), np.int8)
    rows = margin_rows(model, scores, signs, np.array([1.0, 3.0]), training=False)
    assert [row.tanh for row in rows] == sorted(row.tanh for row in rows)
    assert next(row.tanh for row in rows if row.theta == 0) == pytest.approx(3 / 4)
    assert rows[-1].tanh == pytest.approx(1)
    assert rows[0].votes_bound is None


def test_a_balanced_start_has_no_bound_here():
    trained = train(documents(), Plan.of(rounds=5, threads=1, start="balanced"))
    assert all(row.tanh_bound is None for row in margins_of(trained))
