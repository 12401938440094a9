"""How surely the scores are on the right side."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Scores, Signs
from boostext.model.model import Model


def vote_total(model: Model) -> float:
    """The greatest score that the rules could give together: the sum of max |votes| of each.

    For discrete votes it is the sum of |alpha|. 0 for a model without rules.
    """
    return float(sum(np.abs(rule.votes).max() for rule in model.rules))


def margins(scores: Scores, signs: Signs, total: float) -> Float64:
    """(m, k): Y f / total, in -1..1; 0 where the total is 0. total: `vote_total`.

    Source: SF12-9; for discrete votes y f / sum |alpha|.
    """
    return np.asarray(signs * scores / (total or 1.0))


def tanh_margins(scores: Scores, signs: Signs) -> Float64:
    """(m, k): tanh(Y f / 2), in -1..1. Source: NN07 Eq. 9."""
    return np.tanh(signs * scores / 2)
