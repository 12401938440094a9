"""Margins."""

import dataclasses

import numpy as np
import pytest

from boostext.evaluation.margins import margins, tanh_margins, vote_total
from tests.model.golden import CORPORA, golden_model
from tests.model.models import mixed_model

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
