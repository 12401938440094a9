"""Measure how well scores rank the given labels of an example above the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold, Sums, share


@dataclass(frozen=True, eq=False)
class Ranked(Sums):
    """Sums over examples.

    labelled: number of examples with a given label, for coverage and average precision. paired:
    number of examples with a given label and one that is not given, for ranking loss.
    """

    labelled: int
    coverage: float
    precision: float
    paired: int
    disorder: float


def ranked(scores: Scores, gold: Gold) -> Ranked:
    """Compute the sums for scores (m, k), with one sort per example, in O(m k log k).

    Labels with equal scores are ranked in label order, and are misordered for ranking loss. Labels
    that the model does not know rank below all others and contribute 0 to average precision.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    true = np.take_along_axis(gold.matrix, order, 1)  # (m, k), by rank
    above = np.asarray(np.cumsum(true, axis=1), np.int64)
    given = above[:, -1] + gold.strange
    labelled, paired = given > 0, (given > 0) & (above[:, -1] < scores.shape[1])
    precision = _ratio(np.sum(true * above / np.arange(1, scores.shape[1] + 1), axis=1), given)
    disorder = _disorder(np.take_along_axis(scores, order, 1), true, above, gold.strange)
    return Ranked(
        labelled=int(labelled.sum()),
        coverage=float(_coverage(true, gold.strange)[labelled].sum()),
        precision=float(precision[labelled].sum()),
        paired=int(paired.sum()),
        disorder=float(disorder[paired].sum()),
    )


def _coverage(true: Booleans, strange: Int64) -> Int64:
    """(m,): the rank of the last given label, from 0; unknown labels come last."""
    k = true.shape[1]
    last = k - 1 - np.argmax(true[:, ::-1], axis=1)
    return np.asarray(np.where(strange > 0, k - 1 + strange, last))


def _disorder(sorted_scores: Float64, true: Booleans, above: Int64, strange: Int64) -> Float64:
    """(m,): share of misordered pairs of a given label and one that is not given."""
    k = true.shape[1]
    false_above = np.arange(1, k + 1) - above
    # subtle: a label of equal score that is not given is also misordered: count to the tie's end
    ends = np.ones(true.shape, np.bool_)
    ends[:, :-1] = sorted_scores[:, :-1] != sorted_scores[:, 1:]
    places = np.where(ends, np.arange(k), k)
    tie_end = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
    wrong = np.take_along_axis(false_above, tie_end, 1)
    false = k - above[:, -1]
    misordered = np.sum(wrong * true, axis=1) + strange * false
    return _ratio(misordered, (above[:, -1] + strange) * false)


def _ratio(part: Float64 | Int64, whole: Int64) -> Float64:
    """part/whole; 0 if the whole is 0, as such examples are left out."""
    return np.asarray(part / np.maximum(whole, 1))


def ranking_loss(sums: Ranked) -> float:
    """Share of misordered pairs of an example, averaged. Source: SS99 s9."""
    return share(sums.disorder, sums.paired)


def coverage(sums: Ranked) -> float:
    """Mean rank, from 0, of the last given label of an example. Source: BT00."""
    return share(sums.coverage, sums.labelled)


def average_precision(sums: Ranked) -> float:
    """Precision at the rank of each given label, averaged. Source: BT00."""
    return share(sums.precision, sums.labelled)
