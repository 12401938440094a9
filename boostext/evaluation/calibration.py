"""How far probabilities are from what happens. Labels that the model does not know are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold, gold_of
from boostext.evaluation.sums import Sums, share
from boostext.model.calibration import Curve, calibrated
from boostext.model.predict import probabilities

BINS = 10


@dataclass(frozen=True, eq=False)
class Calibration(Sums):
    """Sums over (example, label) pairs, and over bins of equal width of the probability.

    log_loss, squared: over all pairs, `cells` of them. count, chance, happened: (BINS,) pairs,
    sum of probabilities, and how many came true: over all pairs where examples have several
    labels, else over the label of greatest score of each example.
    """

    cells: int
    log_loss: float
    squared: float
    count: Int64
    chance: Float64
    happened: Int64


def calibration(
    scores: Scores, gold: Gold, multilabel: bool, link: float, curves: Sequence[Curve] = ()
) -> Calibration:
    """scores: (m, k). link: `model.predict.link_of`; curves: those of a calibrated model, which go
    before the link. With neither there is nothing to measure.
    """
    if not link and not curves:
        scores, gold = scores[:0], gold_of(gold.labels[: gold.known], ())
    true = gold.matrix
    chance = calibrated(scores, curves, multilabel) if curves else probabilities(scores, link)
    if multilabel:
        judged, came = chance.ravel(), true.ravel()
    else:
        rows, top = np.arange(len(scores)), scores.argmax(1)
        judged, came = chance[rows, top], true[rows, top]
    bins = np.minimum((judged * BINS).astype(np.int64), BINS - 1)
    return Calibration(
        cells=scores.size,
        log_loss=log_loss_of(chance, true) if curves else log_loss_sum(link * scores, true),
        squared=float(np.sum((chance - true) ** 2)),
        count=np.bincount(bins, minlength=BINS),
        chance=np.asarray(np.bincount(bins, weights=judged, minlength=BINS), np.float64),
        happened=np.bincount(bins[came], minlength=BINS),
    )


def log_loss_of(chance: Float64, true: Booleans) -> float:
    """-ln of the chance of what is so, summed; chances are at least 1e-15, so that it is finite."""
    return float(-np.log(np.maximum(np.where(true, chance, 1 - chance), 1e-15)).sum())


def log_loss_sum(odds: Scores, true: Booleans) -> float:
    """-ln of the probability of what is so, summed: ln(1 + exp(-Y odds)), without overflow.

    odds: (m, k), the logarithm of the odds of each label.
    """
    return float(np.logaddexp(0, np.where(true, -odds, odds)).sum())


def log_loss(sums: Calibration) -> float:
    """Mean over (example, label) pairs."""
    return share(sums.log_loss, sums.cells)


def brier(sums: Calibration) -> float:
    """Mean square of probability minus truth over (example, label) pairs."""
    return share(sums.squared, sums.cells)


def expected_calibration_error(sums: Calibration) -> float:
    """Mean distance of probability and frequency over the bins, by their counts."""
    return share(float(np.abs(sums.chance - sums.happened).sum()), int(sums.count.sum()))
