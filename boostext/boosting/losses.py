"""Scores to weights: the losses that boosting lowers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Scores, Signs, Weights


def exponential(scores: Scores, signs: Signs, base: Weights) -> Weights:
    """D ~ base exp(-Y f), normalized. Source: SS99 Figure 3 (the update, unrolled).

    scores, signs, base: (m, k). The greatest exponent is taken out first: separable data stay
    finite.
    """
    exponent = np.where(base > 0, -signs * scores, -np.inf)
    D: Weights = base * np.exp(exponent - exponent.max())
    D /= D.sum()
    return D


LOSSES: dict[str, Callable[[Scores, Signs, Weights], Weights]] = {"exponential": exponential}
