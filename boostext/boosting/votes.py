"""The votes of rules, and the gains by which their conditions are chosen, from block weights.

Every function takes the block weights W (..., b, 2, k) with the axes (block, sign, label), where
sign 0 is - and sign 1 is +; they sum to 1. The blocks are UNKNOWN, NO and YES of one condition, or
those into which a weak hypothesis splits the examples, such as the leaves of a tree. `speaks` is a
mask (b,): a block in which the rule abstains has the value 0 in it, gets votes of 0 and adds 0 to
the gain. Abstaining rules, unknown values and preconditions are all handled in this way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.gains import LEAST_WEIGHT, apart, confidence, outweighs
from boostext.features.conditions import NO


class Vote(NamedTuple):
    """votes: (b, k). alpha: the common size of the votes if they have one, else 1."""

    votes: Float64
    alpha: float


class Voting(NamedTuple):
    """The functions that define a kind of votes.

    gain: computes gains (...,) from W and speaks. The largest gain is the best, and a gain of 0
    means that the rule does not lower the loss.
    votes: computes a Vote from W (b, 2, k), speaks and the smoothing.
    pull: computes how the weights are updated where that does not follow from the votes. From the
    block weights (s, 3, 2, k) of the s rules of a round and their votes (s, 3, k) before alpha, it
    computes values (s, 3, 2, k) by sign, with which D is updated as D exp(-Y pull), and the factor
    of the bound. None if the weights are updated with the votes.
    alpha: computes alpha from the same arguments, where the bound does not depend on it.
    additive: whether the gain is a sum over blocks, so that each block can be split by itself.
    classes: whether W contains only the weights of the examples' own labels, with sign +.
    """

    gain: Callable[[Float64, Float64], Float64]
    votes: Callable[[Float64, Float64, float], Vote]
    pull: Callable[[Float64, Float64], tuple[Float64, float]] | None = None
    alpha: Callable[[Float64, Float64], float] | None = None
    additive: bool = False
    classes: bool = False


def real_gain(W: Float64, speaks: Float64) -> Float64:
    """Return 1 - Z of unsmoothed real votes: the sum of (sqrt W+ - sqrt W-)^2 over voting blocks.

    If the rule votes in all blocks, this is 1 - 2 sum_b sum_l sqrt(W+ W-).
    Source: SS99 Eq. 16; of rules that abstain: BT00.
    """
    gains = apart(W[..., 0, :], W[..., 1, :])  # (..., 3, k)
    return np.asarray(np.einsum("...bl,b->...", gains, speaks))


def real_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of 1/2 ln((W+ + e) / (W- + e)) in each voting block, e being the smoothing.

    Source: SS99 Eq. 15, s4.2.
    """
    return Vote(confidence(W[:, 0], W[:, 1], smoothing) * speaks[:, None], 1.0)


def discrete_gain(W: Float64, speaks: Float64) -> Float64:
    """Return 1 - Z of votes that all have the same size: (sqrt R - sqrt E)^2.

    R and E are the sums over voting blocks and labels of the larger and the smaller one of W+ and
    W-. If the rule votes in all blocks, R - E is r and Z = sqrt(1 - r^2), so that the largest r
    gives the largest gain.
    Source: SS99 Eqs. 13-14; of rules that abstain: SS99 s3.3, SF12 s9.2.4.
    """
    right, wrong = _right_wrong(W, speaks)
    return np.asarray(apart(wrong, right))


def discrete_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of alpha * sign(W+ - W-) in each voting block, with alpha = 1/2 ln(R / E).

    R and E are those of `discrete_gain`. If the rule abstains in some block or makes no errors,
    alpha is smoothed to 1/2 ln((R + e) / (E + e)). If it votes in all blocks,
    R / E = (1 + r) / (1 - r), which gives the alpha of the source. The sign is - if W+ and W- are
    equal.
    Source: SS99 Eqs. 13-14; of rules that abstain: SS99 s3.3, SF12 s9.2.4.
    """
    right, wrong = (float(x) for x in _right_wrong(W, speaks))
    silent = float(W[speaks == 0].sum()) > 0 or (len(speaks) == 3 and not speaks[NO])
    e = smoothing if silent or wrong <= LEAST_WEIGHT else 0.0
    alpha = float(confidence(wrong, right, e))
    return Vote(alpha * np.where(outweighs(W[:, 0], W[:, 1]), 1.0, -1.0) * speaks[:, None], alpha)


def _right_wrong(W: Float64, speaks: Float64) -> tuple[Float64, Float64]:
    neg, pos = W[..., 0, :], W[..., 1, :]
    right = np.maximum(pos, neg).sum(axis=-1) @ speaks
    return right, np.minimum(pos, neg).sum(axis=-1) @ speaks


def margin_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return the real votes h times alpha = ln((1 + mu)/(1 - mu)) / (2 h*).

    h* is the largest |h|, and mu = (sum W Y h) / h*.
    Source: NN07 Eqs. 6-8.
    """
    h = real_votes(W, speaks, smoothing).votes
    alpha = margin_alpha(W, h)
    return Vote(alpha * h, alpha)


def margin_alpha(W: Float64, h: Float64) -> float:
    """Return alpha for the votes h before alpha. W: (..., 3, 2, k); h: (..., 3, k).

    Source: NN07 Eqs. 6-8.
    """
    mu, greatest = _mean_margin(W, h)
    return float(np.log1p(mu) - np.log1p(-mu)) / (2 * greatest)


def margin_pull(tables: Float64, votes: Float64) -> tuple[Float64, float]:
    """Return the pull that multiplies weights by 1 - mu Y h / h*, and the factor sqrt(1 - mu^2).

    The pull is 0 if the rule is right, or wrong, on all examples. See `Voting` for the shapes.
    Source: NN07 Eqs. 6-8.
    """
    mu, greatest = _mean_margin(tables, votes)
    signs = np.array([-1.0, 1.0])[:, None]  # (2, 1)
    moved = np.log1p(-mu * signs * votes[:, :, None, :] / greatest)  # (s, 3, 2, k)
    perfect = 1 - abs(mu) <= LEAST_WEIGHT
    return (np.zeros_like(moved) if perfect else -signs * moved), float(np.sqrt(1 - mu * mu))


def _mean_margin(W: Float64, h: Float64) -> tuple[float, float]:
    """Return mu, clipped to less than 1 in size, and h*. W: (..., 3, 2, k); h: (..., 3, k)."""
    greatest = max(float(np.abs(h).max()), LEAST_WEIGHT)
    mu = float(((W[..., 1, :] - W[..., 0, :]) * h).sum()) / greatest
    return float(np.clip(mu, -1 + LEAST_WEIGHT, 1 - LEAST_WEIGHT)), greatest


def plurality_gain(W: Float64, speaks: Float64) -> Float64:
    """Return (sqrt R - sqrt E)^2, or its negative if R < E.

    R is the weight of the most heavily weighted label of each voting block, summed over the blocks,
    and E the weight of the other labels. W holds the weight of each example at its label, sign +.
    Source: TAB, AdaBoost.M1.
    """
    pos = W[..., 1, :]
    right = pos.max(axis=-1) @ speaks
    wrong = np.maximum(pos.sum(axis=-1) @ speaks - right, 0)
    return np.asarray(np.sign(right - wrong) * apart(wrong, right))


def plurality_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of alpha = 1/2 ln((1 - err)/err) for the heaviest label of each voting block.

    The votes for other labels are 0. err is the weight of the examples that the rule misclassifies,
    as a fraction of those that it votes on. If several labels are equally heavy, the first gets the
    vote.
    Source: TAB, AdaBoost.M1.
    """
    votes = _heaviest(W, speaks)
    right = float((W[:, 1] * votes).sum())
    wrong = max(float(W[:, 1].sum(axis=1) @ speaks) - right, 0.0)
    e = smoothing if wrong <= LEAST_WEIGHT else 0.0
    alpha = float(confidence(wrong, right, e))
    return Vote(alpha * votes, alpha)


def majority_gain(W: Float64, speaks: Float64) -> Float64:
    """Return R, the weight of the heaviest label of each voting block, summed over the blocks.

    It is the criterion for rules whose votes are 1, however often they are right.
    Source: S97 s3, bagging and arc-x4.
    """
    return np.asarray(W[..., 1, :].max(axis=-1) @ speaks)


def majority_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of 1 for the heaviest label of each voting block.

    Source: S97 s3, bagging and arc-x4.
    """
    return Vote(_heaviest(W, speaks), 1.0)


def _heaviest(W: Float64, speaks: Float64) -> Float64:
    """Return (b, k) with a 1 at the heaviest label of each voting block, the first among equals."""
    votes = np.zeros((len(W), W.shape[2]))
    votes[np.arange(len(W)), W[:, 1].argmax(axis=1)] = speaks
    return votes


def hedged_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of +alpha or -alpha for the color of each block, alpha = 1/2 ln((1 - eps)/eps).

    W (b, 2, 1) holds the weights of the pairs whose labels differ in color. U is the weight of
    those in voting blocks, and E the weight of those among them whose wrong label has the predicted
    color. eps = (1 - U)/2 + E is the pseudoloss, in which the other pairs, of weight 1 - U, count
    half.
    Source: S97 Figure 3, Eq. 3.
    """
    signs = color_votes(W, speaks, smoothing).votes
    wrong = float(np.minimum(W[:, 1], W[:, 0]).sum(axis=-1) @ speaks)
    told = float(W.sum(axis=(1, 2)) @ speaks)
    eps = max((1 - told) / 2 + wrong, 0.0)
    e = smoothing if eps <= LEAST_WEIGHT else 0.0
    alpha = float(confidence(eps, 1 - eps, e))
    return Vote(alpha * signs, alpha)


def color_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Return votes of 1 for the heavier color of each voting block, as a sign.

    Source: S97 s3, ECOC.
    """
    return Vote(np.where(outweighs(W[:, 0], W[:, 1]), 1.0, -1.0) * speaks[:, None], 1.0)


def normalizer(W: Float64, votes: Float64) -> float:
    """Return Z, the sum of W exp(-Y h) over blocks, signs and labels, for the votes h (b, k).

    Source: SS99 Figure 2.
    """
    return float((W[:, 1] * np.exp(-votes) + W[:, 0] * np.exp(votes)).sum())


def class_normalizer(W: Float64, votes: Float64) -> float:
    """Return Z for votes (b, k) that are alpha for one label of each block and 0 for the others.

    It is the sum of W exp(-alpha) over the examples whose own label gets the vote, and of
    W exp(alpha) over those for which another label gets it.
    Source: TAB, AdaBoost.M1.
    """
    size = votes.max(axis=1, keepdims=True)
    return float((W[:, 1] * np.exp(np.where(votes > 0, -votes, size))).sum())


VOTES = {
    "real": Voting(real_gain, real_votes, additive=True),
    "discrete": Voting(discrete_gain, discrete_votes),
    "margin": Voting(real_gain, margin_votes, margin_pull, margin_alpha, additive=True),
    "plurality": Voting(plurality_gain, plurality_votes, classes=True),
    "majority": Voting(majority_gain, majority_votes, classes=True),
    "hedged": Voting(discrete_gain, hedged_votes),
    "color": Voting(discrete_gain, color_votes),
}


# Impurity ------------------------------------------------------------------------------------

Gain = Callable[[Float64, Float64], Float64]
"""A function from block weights (..., b, 2, k) and the mask `speaks` (b,) to gains (...,)."""


def gini(w: Float64) -> Float64:
    """Return total x (1 - sum of squared shares) x c/(c - 1). Source: Breiman et al. 1984."""
    total, c = w.sum(axis=-1), max(w.shape[-1], 2)
    squares = (w * w).sum(axis=-1) / np.maximum(total, 1e-300)
    return np.asarray(np.maximum(total - squares, 0) * (c / (c - 1)))


def entropy(w: Float64) -> Float64:
    """Return total x (- the sum of shares ln shares) / ln c. Source: Quinlan 1993."""
    total, c = w.sum(axis=-1, keepdims=True), max(w.shape[-1], 2)
    share = w / np.maximum(total, 1e-300)
    parts = w * np.log(np.where(share > 0, share, 1))
    return np.asarray(np.maximum(-parts.sum(axis=-1), 0) / np.log(c))


def kearns_mansour(w: Float64) -> Float64:
    """Return 2 sqrt(w+ w-) for two classes, which is the Z of real votes.

    For c classes, it is the sum of sqrt(w (total - w)), divided by sqrt(c - 1).
    Source: Kearns & Mansour 1996; SS99 s4.1.
    """
    total, c = w.sum(axis=-1, keepdims=True), max(w.shape[-1], 2)
    mixed = np.sqrt(w * np.maximum(total - w, 0)).sum(axis=-1)
    return np.asarray(mixed / np.sqrt(c - 1))


INDEXES: dict[str, Callable[[Float64], Float64]] = {
    "gini": gini,
    "entropy": entropy,
    "kearns-mansour": kearns_mansour,
}
"""Impurity measures, by which trees and rules may be grown instead of by the Z of an algorithm.

Every function takes the weights of classes (..., c) and returns impurities (...,): 0 for a block of
a single class, and the total weight of the block if all classes have the same weight.
"""


def gain_by(index: str, classes: bool) -> Gain:
    """Return a function that computes gains, the weight less the impurity of all voting blocks.

    The classes are the two signs of each label. If `classes` is set, they are the labels, and all
    block weights have the sign +.
    """
    mixed = INDEXES[index]

    def gain(W: Float64, speaks: Float64) -> Float64:
        w = W[..., 1, :] if classes else np.moveaxis(W, -2, -1)  # (..., b, c) or (..., b, k, 2)
        pure = w.sum(axis=-1) - mixed(w)
        return np.asarray((pure if classes else pure.sum(axis=-1)) @ speaks)

    return gain
