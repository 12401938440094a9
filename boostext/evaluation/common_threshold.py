"""Choose one threshold for all labels of a multi-label model on labelled data."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Scores
from boostext.evaluation.gold import Gold


def common_threshold(scores: Scores, gold: Gold) -> tuple[float, float]:
    """The threshold of scores that maximizes micro-F1 on this data, and this micro-F1.

    It is midway between two neighboring scores. Of equally good thresholds it is the greatest,
    which gives the fewest labels. 0 and NaN if the data has no labels. Source: Lewis 1995, F1 by
    cutting one ranking of all pairs of document and label.
    """
    true = gold.matrix.ravel()
    total = int(true.sum() + gold.strange.sum())
    if not true.any():
        return 0.0, float("nan")
    order = np.argsort(-scores, axis=None, kind="stable")
    ranked = scores.ravel()[order]
    right = np.cumsum(true[order])
    f1 = 2 * right / (np.arange(1, len(ranked) + 1) + total)
    below = np.append(ranked[1:], ranked[-1] - 1.0)
    f1[ranked == below] = -1.0  # no threshold is between equal scores
    best = int(f1.argmax())
    return float((ranked[best] + below[best]) / 2), float(f1[best])
