"""Scores to weights: the losses that boosting lowers.

A loss starts from base weights (m, k), and turns scores (m, k) into the weights D (m, k) of the
next round, sum 1, and the logarithm of its value. The value is 1 for scores of 0, bounds the error
that the algorithm is about, and falls by the factor Z in each round. Exponents are shifted by the
greatest, so that separable data stay finite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from boostext.arrays import Float64, Scores, Signs, Weights
from boostext.boosting.starts import Start


class Weighing(NamedTuple):
    """weights: (m, k), sum 1. log_value: of the loss; 0 for those that have none.

    log_total: of the sum of the weights before they were made to sum to 1.
    """

    weights: Weights
    log_value: float
    log_total: float = 0.0


class Loss(NamedTuple):
    """base: start, signs -> (m, k). weigh: scores, signs, base, generator -> Weighing."""

    base: Callable[[Start, Signs], Weights]
    weigh: Callable[[Scores, Signs, Weights, np.random.Generator], Weighing]


# Base weights --------------------------------------------------------------------------------


def every_pair(start: Start, signs: Signs) -> Weights:
    """D1 of AdaBoost.MH: 1/(mk), or balanced (see starts.py). Source: SS99 Figure 2, s7.2."""
    return start.example[:, None] * np.where(signs > 0, start.positive, start.negative)


def crucial_pairs(start: Start, signs: Signs) -> Weights:
    """v1(i, l) = (m |Y| |not Y|)^(-1/2); 0 for examples with no label, or all.

    Source: SS99 Figure 5.
    """
    right = (signs > 0).sum(axis=1)
    wrong = (signs < 0).sum(axis=1)
    mattering = np.where((right > 0) & (wrong > 0), start.example, 0)
    share = mattering / max(float(mattering.sum()), 1e-300)
    v = np.sqrt(share / np.maximum(right * wrong, 1))
    return np.repeat(v[:, None], signs.shape[1], axis=1)


def wrong_labels(start: Start, signs: Signs) -> Weights:
    """1/(m(k-1)) for every example and label that it has not. Source: S97 Figure 3."""
    return np.where(signs < 0, start.example[:, None] / max(signs.shape[1] - 1, 1), 0)


def right_label(start: Start, signs: Signs) -> Weights:
    """1/m for every example, on its label. Source: TAB, AdaBoost.M1."""
    return np.where(signs > 0, start.example[:, None], 0)


# Weights and values --------------------------------------------------------------------------


def _normalized(exponent: Float64, base: Weights) -> Weighing:
    """D ~ base exp(exponent), and the logarithm of its sum."""
    greatest = float(np.max(exponent, where=base > 0, initial=-np.inf))
    D: Weights = base * np.exp(np.minimum(exponent - greatest, 0))
    total = float(D.sum())
    D /= total
    value = greatest + float(np.log(total))
    return Weighing(D, value, value)


def exponential(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """D ~ base exp(-Y f). Source: SS99 Figure 2, the update unrolled; Theorem 3."""
    return _normalized(-signs * scores, base)


def logistic_weight(margin: Any) -> Any:
    """1 / (1 + exp(margin)). Source: CSS02 s4."""
    return np.exp(-np.logaddexp(0.0, margin))


def logistic_value(margin: Any) -> Any:
    """ln(1 + exp(-margin)). Source: CSS02 s4."""
    return np.logaddexp(0.0, -margin)


def logistic(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """D ~ base / (1 + exp(Y f)); value: mean of log2(1 + exp(-Y f)). Source: CSS02 s4."""
    margins = signs * scores
    D: Weights = base * logistic_weight(margins)
    value = float((base * logistic_value(margins)).sum()) / float(np.log(2) * base.sum())
    total = float(D.sum())
    return Weighing(D / total, float(np.log(max(value, 1e-300))), float(np.log(total)))


def ranking(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """d(i, l) = 1/2 v(i, l) (sum of v over labels of the other sign), v ~ v1 exp(-1/2 Y f).

    value: sum over crucial pairs of v v', which bounds the ranking loss. Source: SS99 s9, Figure 5.
    """
    if not base.any():  # no example has both a right and a wrong label: nothing to rank
        return Weighing(base, 0.0)
    exponent = -0.5 * signs * scores
    right, wrong = signs > 0, signs < 0
    top = [np.max(exponent, axis=1, where=side, initial=-np.inf) for side in (right, wrong)]
    pair = np.where((base[:, 0] > 0), top[0] + top[1], -np.inf)  # (m,)
    greatest = float(pair.max())
    shift = np.where(right, top[0][:, None], top[1][:, None])
    v = np.where(base > 0, base * np.exp(exponent - np.where(base > 0, shift, 0)), 0)
    a, b = (v * right).sum(axis=1), (v * wrong).sum(axis=1)  # (m,) each
    scale = np.exp(pair - greatest)  # (m,)
    d: Weights = 0.5 * v * np.where(right, b[:, None], a[:, None]) * scale[:, None]
    total = float(d.sum())
    d /= total
    value = greatest + float(np.log(total))
    return Weighing(d, value, value)


def _of_label(scores: Scores, signs: Signs) -> Float64:
    """(m, 1): the score of each example's own label."""
    own: Float64 = np.where(signs > 0, scores, 0).sum(axis=1, keepdims=True)
    return own


def against_label(
    scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator
) -> Weighing:
    """D ~ base exp(f(i, l) - f(i, y)) on the wrong labels. Source: S97 Figure 3, unrolled."""
    return _normalized(scores - _of_label(scores, signs), base)


def example(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """D ~ base exp(-sum of alpha (2 [h = y] - 1)): a rule gives alpha to one label.

    Source: TAB, AdaBoost.M1.
    """
    votes_against = scores.sum(axis=1, keepdims=True) - 2 * _of_label(scores, signs)
    return _normalized(np.broadcast_to(votes_against, base.shape), base)


def arc_x4(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """D ~ base (1 + e^4), e the number of rules so far that erred on the example; rules vote 1.

    Source: Breiman 1998, arc-x4; S97 s3.
    """
    errors = scores.sum(axis=1, keepdims=True) - _of_label(scores, signs)
    D: Weights = base * (1 + errors**4)
    return Weighing(D / D.sum(), 0.0)


def resampled(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """m draws with replacement each round (bagging). Source: Breiman 1996; S97 s3."""
    drawn = rng.multinomial(len(base), base.sum(axis=1) / base.sum()) / len(base)
    return Weighing(np.where(base > 0, drawn[:, None], 0), 0.0)


def constant(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """The base weights, always: no reweighting (ECOC). Source: S97 s3."""
    return Weighing(base / base.sum(), 0.0)


LOSSES = {
    "exponential": Loss(every_pair, exponential),
    "logistic": Loss(every_pair, logistic),
    "ranking": Loss(crucial_pairs, ranking),
    "wrong labels": Loss(wrong_labels, against_label),
    "example": Loss(right_label, example),
    "arc-x4": Loss(right_label, arc_x4),
    "resampled": Loss(right_label, resampled),
    "constant": Loss(right_label, constant),
}
