"""Choose thresholds of a multi-label model on labelled data, for each label or for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from boostext.arrays import Float64, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold
from boostext.fields import goal_of


def tuned_thresholds(scores: Scores, gold: Gold, goal: str = "f1") -> tuple[float, ...]:
    """The k thresholds of scores, one for each label, that are best for the goal on this data.

    goal: see `settings.goal_of`. f1, or f with another beta: the greatest F of each label.
    precision=P: the greatest recall with a precision of at least P; if this is impossible, the
    threshold is above all scores. micro-f1: the same threshold for all labels, see
    `common_threshold`. A threshold is midway between two neighboring scores; of equally good ones
    it is the nearest to 0. A label without examples keeps 0. Source: Lewis 1995, F1 by cutting a
    ranking.
    """
    kind, number = goal_of(goal)
    if kind not in GOALS:
        return (common_threshold(scores, gold)[0],) * gold.known
    return tuple(
        _best_cut(scores[:, label], gold.matrix[:, label], GOALS[kind], number)
        for label in range(gold.known)
    )


def _best_cut(scores: Float64, true: Booleans, worth: Worth, number: float) -> float:
    if not true.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked = np.concatenate([[scores.max() + 1.0], scores[order]])
    right = np.concatenate([[0], np.cumsum(true[order])])  # if the first 0..m are given
    value = worth(right, np.arange(len(ranked)), int(right[-1]), number)
    below = np.append(ranked[1:], ranked[-1] - 1.0)
    value[ranked == below] = -1.0  # no threshold is between equal scores
    cuts = ((ranked + below) / 2)[value == value.max()]
    return float(cuts[np.abs(cuts).argmin()])


Worth = Callable[[Int64, Int64, int, float], Float64]
"""(right, given, examples with the label, number in the goal) -> value of each cut."""


def f_measure(right: Int64, given: Int64, labelled: int, beta: float) -> Float64:
    """(1 + b^2) tp / (b^2 (tp + fn) + tp + fp). Source: van Rijsbergen 1979."""
    return np.asarray((1 + beta**2) * right / (beta**2 * labelled + given))


def recall_at_precision(right: Int64, given: Int64, labelled: int, least: float) -> Float64:
    """The number of labels given rightly; -1 if too many are given wrongly."""
    return np.where(right >= least * given, right, -1).astype(np.float64)


GOALS: Mapping[str, Worth] = {"f": f_measure, "precision": recall_at_precision}
"""goal for separate labels -> function for the value of a cut"""


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
