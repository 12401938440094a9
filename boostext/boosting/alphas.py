"""The size of discrete votes, where it is not the one that comes with them.

Source: SS99 s3 and s9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Scores, Signs, Weights
from boostext.boosting.gains import LEAST_WEIGHT

GREATEST = 20.0
"""An alpha is sought up to this: e^20 is beyond what a loss can still tell."""

Slope = Callable[[float], float]
"""alpha -> sum of W Y h, where W are the weights after votes alpha h: D for 0, not made to sum to 1
again.
"""
Mask = NDArray[np.bool_]


class Smoothing(NamedTuple):
    """e holds back each vote alpha v by a loss e (exp(alpha v) + exp(-alpha v)) of its own.

    votes: the v of real votes, held back one by one, as each has its own e. None for votes of one
    size: alpha is held back where documents are silent or nothing is wrong, as by discrete_votes.
    """

    e: float
    votes: Float64 | None = None


def exact(D: Weights, signs: Signs, h: Scores, slope: Slope, smoothing: Smoothing) -> float:
    """1/2 ln(W+/W-) over crucial pairs (l0 wrong, l1 right), split by the sign of h(l1) - h(l0).

    D: ranking weights d(i, l); h: (m, k) of -1, +1. The pairs of an example are counted by the
    signs of h on its right and wrong labels, not one by one. Source: SS99 Eqs. 22-23.
    """
    right, wrong, up = signs > 0, signs < 0, h > 0
    pairs = np.maximum(D.sum(axis=1), 1e-300)  # (m,) weight of the example's pairs

    def weight(of_right: Mask, of_wrong: Mask) -> float:
        return float(
            (4 * (D * (right & of_right)).sum(1) * (D * (wrong & of_wrong)).sum(1) / pairs).sum()
        )

    agree, disagree = weight(up, ~up), weight(~up, up)
    if disagree <= LEAST_WEIGHT:
        agree, disagree = agree + smoothing.e, disagree + smoothing.e
    return 0.5 * float(np.log(max(agree, LEAST_WEIGHT) / max(disagree, LEAST_WEIGHT)))


def numeric(D: Weights, signs: Signs, h: Scores, slope: Slope, smoothing: Smoothing) -> float:
    """The alpha of least loss: the root of its slope, by bracketing and Brent's method.

    The slope falls, as the loss is convex. Source: SS99 s3, Appendix A.
    """
    votes = smoothing.votes
    if votes is None:
        silent = bool((D[h == 0] > 0).any())
        alpha = GREATEST if silent else _root(slope)
        if alpha < GREATEST:
            return alpha
        votes = np.ones(1)

    def smoothed(alpha: float) -> float:
        return slope(alpha) - 2 * smoothing.e * float((votes * np.sinh(alpha * votes)).sum())

    return _root(smoothed)


def _root(slope: Slope) -> float:
    """Where a falling slope is 0: within 0 and GREATEST."""
    from scipy.optimize import brentq

    if slope(0.0) <= 0:
        return 0.0
    high = 0.5
    while slope(high) > 0:
        if high >= GREATEST:
            return GREATEST
        high = min(2 * high, GREATEST)
    return float(brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-14))


def conservative(D: Weights, signs: Signs, h: Scores, slope: Slope, smoothing: Smoothing) -> float:
    """1/2 ln((W+ + W0/2) / (W- + W0/2)), W0 the weight where h is silent.

    Source: Freund & Schapire 1997, as in SS99 s3.3.
    """
    right, wrong, silent = (
        float(D[where].sum()) for where in (signs * h > 0, signs * h < 0, h == 0)
    )
    right, wrong = right + silent / 2, wrong + silent / 2
    e = smoothing.e if wrong <= LEAST_WEIGHT else 0.0
    return 0.5 * float(np.log(max(right + e, LEAST_WEIGHT) / max(wrong + e, LEAST_WEIGHT)))


ALPHAS: dict[str, Callable[[Weights, Signs, Scores, Slope, Smoothing], float]] = {
    "exact": exact,
    "numeric": numeric,
    "conservative": conservative,
}
