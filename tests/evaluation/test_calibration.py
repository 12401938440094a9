"""Chances fitted to scores: the formulas by brute force, rare labels, and sums of 1."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from boostext.evaluation.calibration import fit, isotonic, sigmoid, targets
from boostext.model.calibration import Isotonic, Sigmoid, calibrated


def data(m=400, seed=0, slope=1.5, intercept=-0.5):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2, m)
    true = rng.random(m) < 1 / (1 + np.exp(-(slope * scores + intercept)))
    return scores, true


def test_targets_are_drawn_to_the_prior():
    # Platt 1999 s2.2: (N+ + 1)/(N+ + 2) and 1/(N- + 2)
    assert targets(np.array([True, True, False])) == pytest.approx([3 / 4, 3 / 4, 1 / 3])


def test_the_sigmoid_has_the_least_log_loss_against_the_targets():
    scores, true = data()
    wanted = targets(true)

    def loss(ab):
        odds = ab[0] * scores + ab[1]
        return (np.logaddexp(0, odds) - wanted * odds).sum()

    found = sigmoid(scores, true)
    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    assert [found.slope, found.intercept] == pytest.approx(best.x, rel=1e-4)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_scores_of_any_size_are_fitted(scale):
    scores, true = data()
    found = sigmoid(scores * scale, true)
    assert found.slope * scale == pytest.approx(sigmoid(scores, true).slope, rel=1e-3)


def test_separable_scores_give_finite_curves_that_are_not_sure():
    scores = np.array([-1.0] * 20 + [1.0] * 20)
    probabilities = sigmoid(scores, scores > 0)(np.array([-1.0, 1.0]))
    assert probabilities == pytest.approx([1 / 22, 21 / 22], rel=1e-3)  # the targets themselves


def test_scores_that_mislead_give_the_share_of_the_label():
    scores, true = data()
    found = sigmoid(-scores, true)
    assert found.slope == 0
    assert found(np.array([5.0]))[0] == pytest.approx((true.sum() + 1) / 402)


def test_isotonic_steps_are_the_greatest_of_the_least_means():
    # min-max formula of isotonic regression: g(i) = max over a <= i of min over b >= i of the mean
    scores, true = data(60, seed=3)
    order = np.argsort(scores)
    wanted = targets(true)[order]
    slow = [
        max(min(wanted[a : b + 1].mean() for b in range(i, 60)) for a in range(i + 1))
        for i in range(60)
    ]
    assert isotonic(scores, true)(scores[order]) == pytest.approx(slow)


def test_equal_scores_have_one_chance():
    scores = np.array([0.0, 0.0, 1.0, 1.0])
    true = np.array([True, False, True, True])
    found = isotonic(scores, true)
    assert found.scores == (0.0, 1.0)
    assert found.probabilities == pytest.approx(((4 / 5 + 1 / 3) / 2, 4 / 5))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_rare_labels_follow_the_curve_of_all_from_their_share(method):
    scores, true = data(200)
    rare = np.zeros(200, bool)
    rare[:3] = True
    both = np.stack([scores, scores - 3], axis=1)
    fitted = fit(both, np.stack([true, rare], axis=1), method)
    assert fitted.rare == (1,)
    assert fitted.curves[1](both[:, 1]).mean() == pytest.approx(4 / 202)  # (n + 1)/(m + 2)
    assert isinstance(fitted.curves[1], Sigmoid)


def test_a_label_that_is_nowhere_has_a_small_chance_and_not_none():
    scores, true = data(200)
    fitted = fit(
        np.stack([scores, scores], axis=1), np.stack([true, true & False], axis=1), "sigmoid"
    )
    assert fitted.curves[1](scores).mean() == pytest.approx(1 / 202)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    st.floats(0, 1e3),
    st.floats(-1e3, 1e3),
)
def test_chances_are_between_0_and_1_and_of_one_label_sum_to_1(row, slope, intercept):
    curves = (Sigmoid(slope, intercept), Isotonic((-1.0, 2.0), (0.0, 0.5)), Sigmoid(1.0, 0.0))
    for multilabel in (False, True):
        found = calibrated(np.array([row]), curves, multilabel)
        assert ((found >= 0) & (found <= 1)).all()
        if not multilabel:
            assert found.sum() == pytest.approx(1)


def test_the_power_has_the_least_log_loss_of_the_given_labels():
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, (500, 4))
    odds = np.exp(2 * scores)
    labels = [rng.choice(4, p=row / row.sum()) for row in odds]
    true = np.arange(4) == np.array(labels)[:, None]
    fitted = fit(scores, true, "sigmoid", multilabel=False)

    def loss(power):
        curves = [dataclasses.replace(curve, power=power) for curve in fitted.curves]
        return -np.log(calibrated(scores, curves, False)[true]).mean()

    power = fitted.curves[0].power
    assert loss(power) <= min(loss(power * 0.98), loss(power * 1.02), loss(1.0))
    assert power > 1  # label by label the chances say too little
