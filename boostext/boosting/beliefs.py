"""What people know, as weights: boosting that fits the data and stays near a prior model.

With pi(l|x), what a person holds likely, the loss to lower is

    sum over (i, l) of  w_i L(Y f) + eta v_i [pi L(f) + (1 - pi) L(-f)]

For logistic loss the second part is the relative entropy RE(pi || sigma(f)), up to a constant. So
every pair (i, l) counts with both signs, and no document is copied. v_i is 1, also for a document
without labels, whose w_i is 0. Boosting starts from f_0, the scores whose probabilities are pi.
Source: Schapire, Rochery, Rahim & Gupta 2002.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Int8, Scores, Signs, Weights
from boostext.boosting.losses import Loss
from boostext.boosting.starts import Start


class Belief(NamedTuple):
    """chances (m, k): pi, each above 0 and below 1. weight: eta."""

    chances: Float64
    weight: float


class Pairs(NamedTuple):
    """The weights of pairs at score 0 by sign, total 1; and f_0. All are (m, k).

    unit: the total that the weights of all documents, w, had before the total was made 1.
    """

    negative: Weights
    positive: Weights
    scores: Scores
    unit: float


def pairs_of(belief: Belief, start: Start, signs: Signs, weights: Float64, link: float) -> Pairs:
    """W+ = w [Y = +1] + eta pi and W- = w [Y = -1] + eta (1 - pi), over their sum.

    start: shares of w for pairs of either sign. link: probability = sigma(link f).
    """
    k = signs.shape[1]
    labelled = float(weights.sum()) * k
    own = start.example[:, None] * np.where(signs > 0, start.positive, start.negative) * labelled
    positive = np.where(signs > 0, own, 0.0) + belief.weight * belief.chances
    negative = np.where(signs < 0, own, 0.0) + belief.weight * (1 - belief.chances)
    total = float(positive.sum() + negative.sum())
    return Pairs(
        negative / total, positive / total, prior_scores(belief.chances, link), labelled / total
    )


def prior_scores(chances: Float64, link: float) -> Scores:
    """f_0 = ln(pi / (1 - pi)) / link."""
    scores: Scores = (np.log(chances) - np.log1p(-chances)) / link
    return scores


def bound_at_start(pairs: Pairs, loss: Loss) -> float:
    """The loss at f_0, in the unit in which that of the documents' own labels is 1 at score 0.

    So the loss of the labels alone is at most this times the product of Z.
    """
    scores, base = np.tile(pairs.scores, (2, 1)), np.concatenate([pairs.negative, pairs.positive])
    nothing = np.random.default_rng(0)  # no loss that knowledge goes with draws
    value = loss.weigh(scores, both_signs(pairs.scores.shape), base, nothing).log_value
    return float(np.exp(value)) / (pairs.unit or 1.0)


def both_signs(shape: tuple[int, ...]) -> Int8:
    """(2m, k): sign - of every pair, then sign +."""
    return np.repeat(np.array([-1, 1], np.int8), shape[0])[:, None] * np.ones(shape[1], np.int8)
