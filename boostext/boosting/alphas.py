"""The size of discrete votes, where it is not the one that comes with them. SS99 s3, s9."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Scores, Signs, Weights
from boostext.boosting.votes import LEAST_WEIGHT

GREATEST = 20.0
"""An alpha is sought up to this: e^20 is beyond what a loss can still tell."""

Slope = Callable[[float], float]
Mask = NDArray[np.bool_]


def exact(D: Weights, signs: Signs, h: Scores, slope: Slope) -> float:
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
    return 0.5 * float(np.log(max(agree, LEAST_WEIGHT) / max(disagree, LEAST_WEIGHT)))


def numeric(D: Weights, signs: Signs, h: Scores, slope: Slope) -> float:
    """The alpha of least loss: the root of its slope, by bracketing and Brent's method.

    slope(alpha) = sum of D_alpha Y h, falling, as the loss is convex. Source: SS99 s3, App. A.
    """
    from scipy.optimize import brentq

    if slope(0.0) <= 0:
        return 0.0
    high = 0.5
    while slope(high) > 0:
        high *= 2
        if high > GREATEST:
            return GREATEST
    return float(brentq(slope, 0.0, high, xtol=1e-14, rtol=1e-14))


ALPHAS: dict[str, Callable[[Weights, Signs, Scores, Slope], float]] = {
    "exact": exact,
    "numeric": numeric,
}
