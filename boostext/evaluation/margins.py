"""Compute margins: how far scores are on the right side of 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Float64, Scores, Signs
from boostext.knowledge.probabilities import LEAST
from boostext.model.model import Model

THETAS = tuple(step / 20 for step in range(-20, 21))


def vote_total(model: Model) -> float:
    """The greatest possible score: the sum of the greatest |vote| of every rule.

    For discrete votes it is the sum of |alpha|. 0 for a model without rules. Prior knowledge counts
    as one more rule.
    """
    known = 0.0
    if model.prior is not None and model.prior.speaks:
        link = ALGORITHMS[model.boosting.algorithm].link
        known = model.prior.scale * float(np.log((1 - LEAST) / LEAST)) / link
    return known + float(sum(np.abs(rule.votes).max() for rule in model.rules))


def margins(scores: Scores, signs: Signs, total: float) -> Float64:
    """(m, k): Y f / total, in -1..1; 0 if the total is 0. total: `vote_total`.

    Source: SF12 chapter 5, where all votes of a rule have the size |alpha|.
    """
    return np.asarray(signs * scores / (total or 1.0))


def tanh_margins(scores: Scores, signs: Signs) -> Float64:
    """(m, k): tanh(Y f / 2), in -1..1. Source: NN07 Eq. 9."""
    return np.tanh(signs * scores / 2)


def leads(scores: Scores, signs: Signs) -> Float64:
    """(m, 1): lowest score of a given label minus highest of another; 0 if either is missing.

    Source: SF12 chapter 10, multiclass margins.
    """
    given = np.min(scores, axis=1, where=signs > 0, initial=np.inf)
    other = np.max(scores, axis=1, where=signs < 0, initial=-np.inf)
    return np.where(np.isfinite(given) & np.isfinite(other), given - other, 0.0)[:, None]


def _greatest_lead(model: Model, total: float) -> float:
    """The greatest possible value of `leads`, by the kind of scores of the model."""
    if not model.code:
        return total
    return float(model.width) if model.boosting.decoding == "hamming" else 2 * total


@dataclass(frozen=True)
class MarginRow:
    """The shares of (example, label) pairs with a margin of at most theta, and their bounds.

    votes: for `margins`; tanh: for `tanh_margins`. Scores that are shares of votes or come from an
    output code have no sign; the shares are then those of examples, for `leads`. Bounds hold on the
    training data, and are None if the algorithm has none.
    """

    theta: float
    votes: float
    votes_bound: float | None
    tanh: float
    tanh_bound: float | None


def margin_rows(
    model: Model, scores: Scores, signs: Signs, weights: Float64, training: bool
) -> list[MarginRow]:
    """The distribution of both margins at theta = -1, -0.95, ... 1.

    weights: (m,), the weights of the examples in training; shares are weighted by them. training:
    whether these are the documents from which the model was learned, so that the bounds hold.
    """
    known = model.prior is not None and model.prior.speaks
    bounded = training and not known and bounds_margins(model)
    total = vote_total(model)
    if ALGORITHMS[model.boosting.algorithm].signed:
        pairs = (margins(scores, signs, total), tanh_margins(scores, signs))
    else:
        lead = leads(scores, signs)
        pairs = (lead / (_greatest_lead(model, total) or 1.0), np.tanh(lead / 2))
    weights = weights / max(float(weights.sum()), 1e-300) / max(pairs[0].shape[1], 1)
    by_votes, by_tanh = (_shares(values, weights) for values in pairs)
    rows = []
    for theta, votes, tanh in zip(THETAS, by_votes, by_tanh, strict=True):
        bounds = (
            margin_bound(model, theta * total) if bounded else None,
            _tanh_bound(model, theta) if bounded else None,
        )
        rows.append(MarginRow(theta, votes, bounds[0], tanh, bounds[1]))
    return rows


def _shares(values: Float64, weights: Float64) -> list[float]:
    """The share of weight at or below each theta, with a tolerance for rounding of sums."""
    order = np.argsort(values, axis=None)
    ranked = values.ravel()[order]
    sums = np.concatenate([[0.0], np.cumsum(np.repeat(weights, values.shape[1])[order])])
    places = np.searchsorted(ranked, np.array(THETAS) + 1e-12, side="right")
    return [min(float(sums[place]), 1.0) for place in places]


def bounds_margins(model: Model) -> bool:
    """Whether the product of Z bounds the loss with the same weight for all labels."""
    row = ALGORITHMS[model.boosting.algorithm]
    whole = len(model.history.z) >= model.round_count > 0
    return (
        row.bounds == "Hamming loss"
        and model.boosting.start == "uniform"
        and whole
        and not model.code
    )


def _tanh_bound(model: Model, theta: float) -> float:
    """`margin_bound` for a tanh margin, which is always above -1."""
    if abs(theta) == 1:
        return max(theta, 0.0)
    return margin_bound(model, 2 * float(np.arctanh(theta)))


def margin_bound(model: Model, score: float) -> float:
    """The greatest share of pairs with Y f <= score, from the product of Z.

    Exponential loss: exp(score) times the product, as [Y f <= s] <= exp(s - Y f). Logistic: the
    product over log2(1 + exp(-score)). With the tanh margin, score = ln((1 + theta)/(1 - theta)).
    Source: SS99 Theorem 3, with the score in place of 0; of the tanh margin NN07 Theorem 1.
    """
    product = float(np.log(np.maximum(model.history.z, 1e-300)).sum())
    if ALGORITHMS[model.boosting.algorithm].loss == "logistic":
        loss = float(np.logaddexp(0, -score)) / float(np.log(2))
        return float(min(np.exp(product) / max(loss, 1e-300), 1.0))
    return float(np.exp(min(score + product, 0.0)))
