"""A threshold for each label of a several-label model, chosen on labelled data."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.evaluation.gold import Booleans, Gold


def tuned_thresholds(scores: Scores, gold: Gold) -> tuple[float, ...]:
    """k scores above which each label is given, so that its F1 on this data is greatest.

    A threshold lies midway between two neighboring scores; of equally good ones the nearest to 0.
    A label that no example has keeps 0. Source: Lewis 1995, F1 by cutting a ranking.
    """
    return tuple(
        _best_cut(scores[:, number], gold.matrix[:, number]) for number in range(gold.known)
    )


def _best_cut(scores: Float64, true: Booleans) -> float:
    if not true.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    right = np.cumsum(true[order])  # given rightly when the first n are given
    f1 = 2 * right / (np.arange(1, len(ranked) + 1) + right[-1])
    below = np.append(ranked[1:], ranked[-1] - 1.0)
    f1[ranked == below] = -1.0  # equal scores cannot be told apart
    cuts = ((ranked + below) / 2)[f1 == f1.max()]
    return float(cuts[np.abs(cuts).argmin()])
