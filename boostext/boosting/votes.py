"""Block weights to votes: what a rule says, and how good the choice of its condition is.

Every function takes W, block weights (..., b, 2, k) with axes (block, sign, label); sign 0 is -, 1
is +; total 1. The blocks are UNKNOWN, NO, YES of one condition, or those into which any weak
hypothesis splits the examples, such as the leaves of a tree. `speaks` is a (b,) mask; a silent
block votes 0 and adds 0 to the gain: abstaining rules, unknown values and preconditions are one and
the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.gains import LEAST_WEIGHT, apart, confidence, outweighs
from boostext.features.conditions import NO


class Vote(NamedTuple):
    """votes: (b, k); alpha: their common size where they have one, else 1."""

    votes: Float64
    alpha: float


class Voting(NamedTuple):
    """gain: W, speaks -> (...,), greatest is best; 0 is a rule that does not help.
    votes: W (b, 2, k), speaks, smoothing -> Vote.
    additive: the gain is a sum over blocks, so that each can be split by itself.
    classes: W is at sign + of the examples' own labels alone.
    pull: block weights (s, 3, 2, k) of the s rules of a round, their votes (s, 3, k) before alpha
    -> (s, 3, 2, k) what the weights feel of them, by sign, D ~ exp(-Y pull), and the factor of the
    bound; None where weights feel the votes as they are.
    """

    gain: Callable[[Float64, Float64], Float64]
    votes: Callable[[Float64, Float64, float], Vote]
    pull: Callable[[Float64, Float64], tuple[Float64, float]] | None = None
    additive: bool = False
    classes: bool = False


def real_gain(W: Float64, speaks: Float64) -> Float64:
    """1 - Z of unsmoothed real votes: sum over speaking blocks of (sqrt W+ - sqrt W-)^2.

    With all blocks speaking it is 1 - 2 sum_b sum_l sqrt(W+ W-).
    Source: SS99 Eq. 16; of rules that abstain: BT00.
    """
    gains = apart(W[..., 0, :], W[..., 1, :])  # (..., 3, k)
    return np.asarray(np.einsum("...bl,b->...", gains, speaks))


def real_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """c = 1/2 ln((W+ + e) / (W- + e)) in each speaking block. Source: SS99 Eq. 15, s4.2."""
    return Vote(confidence(W[:, 0], W[:, 1], smoothing) * speaks[:, None], 1.0)


def discrete_gain(W: Float64, speaks: Float64) -> Float64:
    """1 - Z of votes of one size: (sqrt R - sqrt E)^2, R and E the sums of max and min of W+, W-.

    With all blocks speaking R - E is r, and the greatest r is the greatest gain, as
    Z = sqrt(1 - r^2). Source: SS99 Eqs. 13-14; of rules that abstain: SS99 s3.3, SF12 s9.2.4.
    """
    right, wrong = _right_wrong(W, speaks)
    return np.asarray(apart(wrong, right))


def discrete_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """alpha * sign(W+ - W-) in each speaking block; alpha = 1/2 ln(R / E).

    Smoothed, 1/2 ln((R + e) / (E + e)), where some block is silent or nothing is wrong. With all
    speaking R / E = (1 + r) / (1 - r), which is SS99's own alpha. Equal W+ and W- vote -.
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
    """Real votes h, then one alpha: ln((1 + mu)/(1 - mu)) / (2 h*), mu = (sum W Y h) / h*.

    h* is the greatest |h|. Source: NN07 Eqs. 6-8.
    """
    h = real_votes(W, speaks, smoothing).votes
    mu, greatest = _mean_margin(W, h)
    alpha = float(np.log1p(mu) - np.log1p(-mu)) / (2 * greatest)
    return Vote(alpha * h, alpha)


def margin_pull(tables: Float64, votes: Float64) -> tuple[Float64, float]:
    """Weights change by 1 - mu Y h / h*, not at all where the rule is perfect or wholly wrong.

    The bound falls by sqrt(1 - mu^2). Source: NN07 Eqs. 6-8.
    """
    mu, greatest = _mean_margin(tables, votes)
    signs = np.array([-1.0, 1.0])[:, None]  # (2, 1)
    moved = np.log1p(-mu * signs * votes[:, :, None, :] / greatest)  # (s, 3, 2, k)
    perfect = 1 - abs(mu) <= LEAST_WEIGHT
    return (np.zeros_like(moved) if perfect else -signs * moved), float(np.sqrt(1 - mu * mu))


def _mean_margin(W: Float64, h: Float64) -> tuple[float, float]:
    """mu, kept away from -1 and 1, and h*. W: (..., 3, 2, k); h: (..., 3, k)."""
    greatest = max(float(np.abs(h).max()), LEAST_WEIGHT)
    mu = float(((W[..., 1, :] - W[..., 0, :]) * h).sum()) / greatest
    return float(np.clip(mu, -1 + LEAST_WEIGHT, 1 - LEAST_WEIGHT)), greatest


def plurality_gain(W: Float64, speaks: Float64) -> Float64:
    """(sqrt R - sqrt E)^2, R the weight of each block's heaviest label; negative if R < E.

    W holds each example's weight at its label, sign +. Source: TAB, AdaBoost.M1.
    """
    pos = W[..., 1, :]
    right = pos.max(axis=-1) @ speaks
    wrong = np.maximum(pos.sum(axis=-1) @ speaks - right, 0)
    return np.asarray(np.sign(right - wrong) * apart(wrong, right))


def plurality_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Each speaking block gives alpha = 1/2 ln((1 - err)/err) to its heaviest label, 0 to others.

    err: the share of what the rule speaks of that it gets wrong. Ties go by label order.
    Source: TAB, AdaBoost.M1.
    """
    votes = _heaviest(W, speaks)
    right = float((W[:, 1] * votes).sum())
    wrong = max(float(W[:, 1].sum(axis=1) @ speaks) - right, 0.0)
    e = smoothing if wrong <= LEAST_WEIGHT else 0.0
    alpha = float(confidence(wrong, right, e))
    return Vote(alpha * votes, alpha)


def majority_gain(W: Float64, speaks: Float64) -> Float64:
    """R, the weight of each block's heaviest label: for rules that vote 1, right or not.

    Source: S97 s3, bagging and arc-x4.
    """
    return np.asarray(W[..., 1, :].max(axis=-1) @ speaks)


def majority_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Each speaking block votes 1 for its heaviest label. Source: S97 s3, bagging and arc-x4."""
    return Vote(_heaviest(W, speaks), 1.0)


def _heaviest(W: Float64, speaks: Float64) -> Float64:
    """(b, k): 1 at the heaviest label of each speaking block, of equals the first."""
    votes = np.zeros((len(W), W.shape[2]))
    votes[np.arange(len(W)), W[:, 1].argmax(axis=1)] = speaks
    return votes


def hedged_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """alpha * sign for the color of each block; alpha = 1/2 ln((1 - eps)/eps).

    W (b, 2, 1): weights of pairs whose labels differ in color. U: those in blocks that speak, E:
    those whose wrong label has the color that is voted; the rest, 1 - U, is a draw.
    eps = (1 - U)/2 + E is the pseudoloss. Source: S97 Figure 3, Eq. 3.
    """
    signs = color_votes(W, speaks, smoothing).votes
    wrong = float(np.minimum(W[:, 1], W[:, 0]).sum(axis=-1) @ speaks)
    told = float(W.sum(axis=(1, 2)) @ speaks)
    eps = max((1 - told) / 2 + wrong, 0.0)
    e = smoothing if eps <= LEAST_WEIGHT else 0.0
    alpha = float(confidence(eps, 1 - eps, e))
    return Vote(alpha * signs, alpha)


def color_votes(W: Float64, speaks: Float64, smoothing: float) -> Vote:
    """Each speaking block votes 1 for its heavier color. Source: S97 s3, ECOC."""
    return Vote(np.where(outweighs(W[:, 0], W[:, 1]), 1.0, -1.0) * speaks[:, None], 1.0)


def normalizer(W: Float64, votes: Float64) -> float:
    """The actual Z = sum of W exp(-Y h) over blocks, signs and labels. Source: SS99 Figure 2."""
    return float((W[:, 1] * np.exp(-votes) + W[:, 0] * np.exp(votes)).sum())


def class_normalizer(W: Float64, votes: Float64) -> float:
    """Z where a block gives all of its vote to one label: sum of W exp(-alpha), or exp(alpha) where
    that is not the example's own. Source: TAB, AdaBoost.M1.
    """
    size = votes.max(axis=1, keepdims=True)
    return float((W[:, 1] * np.exp(np.where(votes > 0, -votes, size))).sum())


VOTES = {
    "real": Voting(real_gain, real_votes, additive=True),
    "discrete": Voting(discrete_gain, discrete_votes),
    "margin": Voting(real_gain, margin_votes, margin_pull, additive=True),
    "plurality": Voting(plurality_gain, plurality_votes, classes=True),
    "majority": Voting(majority_gain, majority_votes, classes=True),
    "hedged": Voting(discrete_gain, hedged_votes),
    "color": Voting(discrete_gain, color_votes),
}
