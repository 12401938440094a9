"""The weights D1 of the first round, as a weight for each example times a factor for each sign.

D1(i, l) = example(i) * factor(sign of (i, l)), and the sum over all pairs is 1. Weights given in
the data are included in those of the examples, so a document of weight 2 counts as two documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Lists
from boostext.errors import SettingsError


class Start(NamedTuple):
    """The two parts of D1.

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
