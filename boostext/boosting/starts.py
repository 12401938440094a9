"""The weights D1 that boosting begins with, as a weight per example times a factor per sign.

D1(i, l) = example(i) * factor(sign of (i, l)), summing to 1. Example weights from the data
multiply in, so a document of weight 2 counts as two documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Lists
from boostext.errors import SettingsError


class Start(NamedTuple):
    """example: (m,), sum 1; negative, positive: factors of the two signs."""

    example: Float64
    negative: float
    positive: float


def uniform(weights: Float64, label_sets: Lists, k: int) -> Start:
    """1/(mk) everywhere. Source: SS99 Figure 2."""
    return Start(_shares(weights), 1 / k, 1 / k)


def balanced(weights: Float64, label_sets: Lists, k: int) -> Start:
    """1/(2m) on the right label, 1/(2m(k-1)) on each wrong one. Source: SS99 s7.2."""
    if k < 2 or (np.diff(label_sets.starts) != 1)[weights > 0].any():
        raise SettingsError(
            "a balanced start needs exactly one label per document and two labels or more; "
            "use --start uniform"
        )
    return Start(_shares(weights), 1 / (2 * (k - 1)), 0.5)


def _shares(weights: Float64) -> Float64:
    """Of their sum; 0 where all are 0, as those of documents that take part by knowledge alone."""
    shares: Float64 = weights / (float(weights.sum()) or 1.0)
    return shares


STARTS: dict[str, Callable[[Float64, Lists, int], Start]] = {
    "uniform": uniform,
    "balanced": balanced,
}
