"""Ways to choose alpha, the size of votes, that the settings may ask for.

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
"""The largest alpha that is considered; for larger ones, changes of the loss are negligible."""

Slope = Callable[[float], float]
"""A function from alpha to the sum of W Y h, where W are the weights after votes of alpha h.

W is D for an alpha of 0, and is not normalised for others.
"""
Mask = NDArray[np.bool_]


class Smoothing(NamedTuple):
    """The smoothing of alpha: each vote alpha v adds e (exp(alpha v) + exp(-alpha v)) to the loss.

    e: the amount of smoothing. votes: the votes v if they are real, each of which is smoothed. None
    if all votes have the same size: alpha is then smoothed as in `discrete_votes`, only if the rule
    abstains on some documents or makes no errors.
    """

    e: float
    votes: Float64 | None = None


def exact(D: Weights, signs: Signs, h: Scores, slope: Slope, smoothing: Smoothing) -> float:
    """Return 1/2 ln(W+/W-) for the ranking loss.

    W+ and W- are the weights of the crucial pairs (l0 wrong, l1 right) for which h(l1) - h(l0) is
    positive and negative. They are computed from sums over the right and the wrong labels of each
    example, without enumerating pairs. D: ranking weights d(i, l). h: (m, k), each -1 or +1.
    Source: SS99 Eqs. 22-23.
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
    """Return the alpha that minimises the loss, found by bracketing and Brent's method.

    It is the root of `slope`, which decreases with alpha because the loss is convex.
    Source: SS99 s3, Appendix A.
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
    """Return the root of a decreasing slope, clipped to the range from 0 to GREATEST."""
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
    """Return 1/2 ln((W+ + W0/2) / (W- + W0/2)), W0 being the weight of the pairs where h is 0.

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
