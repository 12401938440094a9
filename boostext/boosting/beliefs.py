"""Prior knowledge in boosting, which then fits the data and stays close to a prior model.

With pi(l|x), the probability of a label according to the prior knowledge, the loss is

    sum over (i, l) of  w_i L(Y f) + eta v_i [pi L(f) + (1 - pi) L(-f)]

For logistic loss, the second part is the relative entropy RE(pi || sigma(f)), up to a constant.
Every pair (i, l) therefore counts with both signs, and no document is copied. v_i is 1 for all
documents, including those without labels, for which w_i is 0. Boosting starts from f_0, the scores
whose probabilities are pi.
Source: Schapire, Rochery, Rahim & Gupta 2002.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Int8, Scores, Signs, Weights
from boostext.boosting.losses import Loss, Start


class Belief(NamedTuple):
    """Prior knowledge about documents.

    probabilities: (m, k), pi, each above 0 and below 1. weight: (m, 1), eta v_i, or one number for
    all documents. starts: whether boosting starts from f_0; otherwise it starts from 0
    and learns pi from the terms of the documents. scale: factor by which f_0 is multiplied.
    """

    probabilities: Float64
    weight: float | Float64
    starts: bool = True
    scale: float = 1.0


class Pairs(NamedTuple):
    """The initial weights and scores of pairs that count with both signs; all arrays are (m, k).

    negative, positive: the weights of the pairs with either sign if all scores were 0; together
    they sum to 1. scores: f_0. unit: the fraction of this sum that comes from the documents' own
    labels, w.
    """

    negative: Weights
    positive: Weights
    scores: Scores
    unit: float


def pairs_of(belief: Belief, start: Start, signs: Signs, weights: Float64, link: float) -> Pairs:
    """Return W+ = w [Y = +1] + eta pi and W- = w [Y = -1] + eta (1 - pi), divided by their sum.

    start: distributes w over the pairs. signs: Y (m, k). weights: (m,), those of the documents.
    link: the factor for which sigma(link f) is the probability of a score f.
    """
    k = signs.shape[1]
    labelled = float(weights.sum()) * k
    own = start.example[:, None] * np.where(signs > 0, start.positive, start.negative) * labelled
    positive = np.where(signs > 0, own, 0.0) + belief.weight * belief.probabilities
    negative = np.where(signs < 0, own, 0.0) + belief.weight * (1 - belief.probabilities)
    total = float(positive.sum() + negative.sum())
    scale = belief.scale if belief.starts else 0.0
    scores = scale * prior_scores(belief.probabilities, link)
    return Pairs(negative / total, positive / total, scores, labelled / total)


def prior_scores(probabilities: Float64, link: float) -> Scores:
    """Return the scores f_0 = ln(pi / (1 - pi)) / link."""
    scores: Scores = (np.log(probabilities) - np.log1p(-probabilities)) / link
    return scores


def bound_at_start(pairs: Pairs, loss: Loss) -> float:
    """Return the loss at f_0 as a multiple of the loss of the documents' own labels at score 0.

    The loss of the documents' own labels is then at most this value times the product of Z.
    """
    scores, base = np.tile(pairs.scores, (2, 1)), np.concatenate([pairs.negative, pairs.positive])
    nothing = np.random.default_rng(0)  # not used: losses that support prior knowledge do not draw
    value = loss.weigh(scores, both_signs(pairs.scores.shape), base, nothing).log_value
    return float(np.exp(value)) / (pairs.unit or 1.0)


def both_signs(shape: tuple[int, ...]) -> Int8:
    """Return signs (2m, k): those of all pairs with sign -, and then those with sign +."""
    return np.repeat(np.array([-1, 1], np.int8), shape[0])[:, None] * np.ones(shape[1], np.int8)
