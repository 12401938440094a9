"""The losses that boosting minimises, as functions from scores to weights.

A loss starts from base weights (m, k). From scores (m, k) it computes the weights D (m, k) of the
next round, which sum to 1, and the logarithm of its value. The value is 1 when all scores are 0,
is an upper bound on the error that the algorithm minimises, and is multiplied by Z in each round.
The largest exponent is subtracted from all exponents, so that the results stay finite on
separable data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from boostext.algorithms import Algorithm
from boostext.arrays import Float64, Lists, Scores, Signs, Weights
from boostext.errors import SettingsError


class Weighing(NamedTuple):
    """The weights that a loss computes from scores.

    weights: (m, k), summing to 1. log_value: the logarithm of the value of the loss, or 0 for a
    loss that has no value. log_total: the logarithm of the sum of the weights before they were
    normalised.
    """

    weights: Weights
    log_value: float
    log_total: float = 0.0


class Loss(NamedTuple):
    """The two functions that define a loss.

    base: computes the base weights (m, k) from the start and the signs. weigh: computes a Weighing
    from the scores, the signs, the base weights and a random generator.
    """

    base: Callable[[Start, Signs], Weights]
    weigh: Callable[[Scores, Signs, Weights, np.random.Generator], Weighing]


# Base weights --------------------------------------------------------------------------------


def every_pair(start: Start, signs: Signs) -> Weights:
    """Return D1 of AdaBoost.MH: 1/(mk) for each pair, or balanced weights (see `balanced`).

    Source: SS99 Figure 2, s7.2.
    """
    return start.example[:, None] * np.where(signs > 0, start.positive, start.negative)


def crucial_pairs(start: Start, signs: Signs) -> Weights:
    """Return v1(i, l) = (m |Y| |not Y|)^(-1/2), or 0 for examples with no label or with all labels.

    Source: SS99 Figure 5.
    """
    right = (signs > 0).sum(axis=1)
    wrong = (signs < 0).sum(axis=1)
    mattering = np.where((right > 0) & (wrong > 0), start.example, 0)
    share = mattering / max(float(mattering.sum()), 1e-300)
    v = np.sqrt(share / np.maximum(right * wrong, 1))
    return np.repeat(v[:, None], signs.shape[1], axis=1)


def wrong_labels(start: Start, signs: Signs) -> Weights:
    """Return 1/(m(k-1)) for each pair of an example and a label that it does not have.

    Source: S97 Figure 3.
    """
    return np.where(signs < 0, start.example[:, None] / max(signs.shape[1] - 1, 1), 0)


def right_label(start: Start, signs: Signs) -> Weights:
    """Return 1/m for each pair of an example and its label, and 0 for other pairs.

    Source: TAB, AdaBoost.M1.
    """
    return np.where(signs > 0, start.example[:, None], 0)


# Weights and values --------------------------------------------------------------------------


def _normalized(exponent: Float64, base: Weights) -> Weighing:
    """Return weights proportional to base exp(exponent), and the logarithm of their sum.

    All weights are 0 if those of `base` are, as those of wrong labels if there is only one label.
    """
    greatest = float(np.max(exponent, where=base > 0, initial=-np.inf))
    D: Weights = base * np.exp(np.minimum(exponent - greatest, 0))
    total = float(D.sum())
    if not total:
        return Weighing(D, -np.inf, -np.inf)
    D /= total
    value = greatest + float(np.log(total))
    return Weighing(D, value, value)


def exponential(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return weights D proportional to base exp(-Y f), where Y are the signs and f the scores.

    Source: SS99 Figure 2, with the updates of all rounds multiplied together; Theorem 3.
    """
    return _normalized(-signs * scores, base)


def logistic_weight(margin: Any) -> Any:
    """Return 1 / (1 + exp(margin)) without overflow. Source: CSS02 s4."""
    return np.exp(-np.logaddexp(0.0, margin))


def logistic_value(margin: Any) -> Any:
    """Return ln(1 + exp(-margin)) without overflow. Source: CSS02 s4."""
    return np.logaddexp(0.0, -margin)


def logistic(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return weights D proportional to base / (1 + exp(Y f)).

    The value of the loss is the mean of log2(1 + exp(-Y f)), weighted by base.
    Source: CSS02 s4.
    """
    margins = signs * scores
    D: Weights = base * logistic_weight(margins)
    value = float((base * logistic_value(margins)).sum()) / float(np.log(2) * base.sum())
    total = float(D.sum())
    return Weighing(D / total, float(np.log(max(value, 1e-300))), float(np.log(total)))


def ranking(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return d(i, l) = 1/2 v(i, l) (the sum of v(i, l') over the labels l' of the other sign).

    v is proportional to v1 exp(-1/2 Y f). The value of the loss is the sum of v v' over the
    crucial pairs (one right and one wrong label of an example), a bound on the ranking loss.
    Source: SS99 s9, Figure 5.
    """
    if not base.any():  # no example has both a right and a wrong label, so no pair is to be ranked
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
    """Return the score of the label of each example, of shape (m, 1)."""
    own: Float64 = np.where(signs > 0, scores, 0).sum(axis=1, keepdims=True)
    return own


def against_label(
    scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator
) -> Weighing:
    """Return weights D proportional to base exp(f(i, l) - f(i, y)), y being the label of example i.

    Only pairs with a wrong label l have base weights other than 0.
    Source: S97 Figure 3, with the updates of all rounds multiplied together.
    """
    return _normalized(scores - _of_label(scores, signs), base)


def example(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return weights D proportional to base exp(-sum of alpha (2 [h = y] - 1)).

    The sum is over the rules so far; a rule votes alpha for one label h, and y is the right label.

    Source: TAB, AdaBoost.M1.
    """
    votes_against = scores.sum(axis=1, keepdims=True) - 2 * _of_label(scores, signs)
    return _normalized(np.broadcast_to(votes_against, base.shape), base)


def arc_x4(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return weights D proportional to base (1 + e^4).

    e is the number of rules so far that misclassify the example; each rule votes 1 for one label.

    Source: Breiman 1998, arc-x4; S97 s3.
    """
    errors = scores.sum(axis=1, keepdims=True) - _of_label(scores, signs)
    D: Weights = base * (1 + errors**4)
    return Weighing(D / D.sum(), 0.0)


def resampled(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return the weights of m examples drawn anew, with replacement, in each round (bagging).

    Source: Breiman 1996; S97 s3.
    """
    drawn = rng.multinomial(len(base), base.sum(axis=1) / base.sum()) / len(base)
    return Weighing(np.where(base > 0, drawn[:, None], 0), 0.0)


def constant(scores: Scores, signs: Signs, base: Weights, rng: np.random.Generator) -> Weighing:
    """Return the base weights in every round, without reweighting (ECOC). Source: S97 s3."""
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


def one_error_factor(row: Algorithm, start: str, k: int) -> float | None:
    """Return the factor by which the product of Z bounds the one-error on the training data.

    Returns None if no factor is known. If a wrong label has the largest score, then
    f(i, l0) >= f(i, l1) for that label l0 and a right label l1. With equal weights of 1/(mk), the
    loss of these two pairs together is at least 2/(mk), as exp(x) + exp(-x) >= 2; with balanced
    weights, it is at least 1/(m sqrt(k - 1)). For the ranking loss, at least one of at most k - 1
    crucial pairs is in the wrong order.
    Source: SS99 s7 and s9, after Theorems 3 and 6; S97 Theorem 1.
    """
    if row.coded or not row.bounds:
        return None
    if row.bounds == "ranking loss":
        return float(max(k - 1, 1))
    if LOSSES[row.loss].base is not every_pair:
        return 1.0
    if start == "balanced":
        return float(max(k - 1, 1)) ** 0.5 if LOSSES[row.loss].weigh is exponential else None
    return k / 2


# The first weights ---------------------------------------------------------------------------


class Start(NamedTuple):
    """The weights D1 of the first round: a weight for each example times a factor for each sign.

    D1(i, l) = example(i) * factor(sign of (i, l)), and the sum over all pairs is 1. Weights given
    in the data are included in those of the examples, so a document of weight 2 counts as two
    documents.

    example: (m,), summing to 1. negative, positive: the factors of pairs with the signs - and +.
    """

    example: Float64
    negative: float
    positive: float


def uniform(weights: Float64, label_sets: Lists, k: int) -> Start:
    """Return the start that gives every pair the weight 1/(mk). Source: SS99 Figure 2."""
    return Start(_shares(weights), 1 / k, 1 / k)


def balanced(weights: Float64, label_sets: Lists, k: int) -> Start:
    """Return the start that gives right labels half of the weight, and wrong labels the other half.

    The right label of an example has the weight 1/(2m), and each wrong label 1/(2m(k-1)). Raises
    SettingsError if an example does not have exactly one label, or if there is only one label.
    Source: SS99 s7.2.
    """
    if k < 2 or (np.diff(label_sets.starts) != 1)[weights > 0].any():
        raise SettingsError(
            "a balanced start needs exactly one label per document and two labels or more; "
            "use --start uniform"
        )
    return Start(_shares(weights), 1 / (2 * (k - 1)), 0.5)


def _shares(weights: Float64) -> Float64:
    """Return the weights divided by their sum, or zeros if all of them are 0.

    All weights are 0 when only prior knowledge, and no label, says anything about the documents.
    """
    shares: Float64 = weights / (float(weights.sum()) or 1.0)
    return shares


STARTS: dict[str, Callable[[Float64, Lists, int], Start]] = {
    "uniform": uniform,
    "balanced": balanced,
}
