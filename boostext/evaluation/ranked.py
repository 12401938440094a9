"""Measure how well scores rank the given labels of an example above the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Scores
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
    m, k = scores.shape
    order = np.argsort(-scores, axis=1, kind="stable")
    true = np.take_along_axis(gold.matrix, order, 1)  # (m, k), by rank
    tie_ends = _tie_ends(np.take_along_axis(scores, order, 1))
    del order  # of very many labels it takes much memory
    above = np.cumsum(true, axis=1, dtype=np.int32)
    rows, ranks = np.nonzero(true)
    inside = above[:, -1].astype(np.int64)
    given, false = inside + gold.strange, k - inside
    labelled, paired = given > 0, (given > 0) & (false > 0)
    precision = _ratio(np.bincount(rows, above[rows, ranks] / (ranks + 1), m), given)
    ends = tie_ends[rows, ranks]
    misordered = np.bincount(rows, ends + 1 - above[rows, ends], m) + gold.strange * false
    return Ranked(
        labelled=int(labelled.sum()),
        coverage=float(_coverage(true, gold.strange)[labelled].sum()),
        precision=float(precision[labelled].sum()),
        paired=int(paired.sum()),
        disorder=float(_ratio(misordered, given * false)[paired].sum()),
    )


def _coverage(true: Booleans, strange: Int64) -> Int64:
    """(m,): the rank of the last given label, from 0; unknown labels come last."""
    k = true.shape[1]
    last = k - 1 - np.argmax(true[:, ::-1], axis=1)
    return np.asarray(np.where(strange > 0, k - 1 + strange, last))


def _tie_ends(sorted_scores: Float64) -> Int32:
    """(m, k): the last rank with the same score.

    Subtle: a label of equal score that is not given is also misordered.
    """
    k = sorted_scores.shape[1]
    ends = np.ones(sorted_scores.shape, np.bool_)
    ends[:, :-1] = sorted_scores[:, :-1] != sorted_scores[:, 1:]
    places = np.where(ends, np.arange(k, dtype=np.int32), np.int32(k))
    return np.asarray(np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1])


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
