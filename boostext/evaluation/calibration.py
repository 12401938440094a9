"""Measure how well probabilities agree with outcomes. Labels unknown to the model are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold, gold_of
from boostext.evaluation.sums import Sums, share
from boostext.model.calibration import Curve, calibrated
from boostext.model.predict import probabilities

BINS = 10
FINE, DEEP = 4096, 40.0
"""Number of narrow bins of the log odds between -DEEP and DEEP."""


@dataclass(frozen=True, eq=False)
class Calibration(Sums):
    """Sums over (example, label) pairs, and over bins of the probability.

    log_loss, squared: over all pairs, of which there are `cells`. count, chance, happened: (BINS,),
    the number of pairs, the sum of their probabilities and the number of true ones, in bins of
    equal width. They are over all pairs if examples may have several labels, otherwise over the
    label with the highest score of each example. fine: (3, FINE), the same three sums in narrow
    bins of the log odds, from which bins of equal size are made.
    """

    cells: int
    log_loss: float
    squared: float
    count: Int64
    chance: Float64
    happened: Int64
    fine: Float64


def calibration(
    scores: Scores, gold: Gold, multilabel: bool, link: float, curves: Sequence[Curve] = ()
) -> Calibration:
    """Compute the sums for scores (m, k).

    link: see `model.predict.link_of`. curves: those of a calibrated model, which are used instead
    of the link. Without both there is nothing to measure.
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
    narrow = _narrow(judged)
    return Calibration(
        cells=scores.size,
        log_loss=log_loss_of(chance, true) if curves else log_loss_sum(link * scores, true),
        squared=float(np.sum((chance - true) ** 2)),
        count=np.bincount(bins, minlength=BINS),
        chance=np.asarray(np.bincount(bins, weights=judged, minlength=BINS), np.float64),
        happened=np.bincount(bins[came], minlength=BINS),
        fine=np.stack(
            [
                np.bincount(narrow, weights=each, minlength=FINE)
                for each in (np.ones(len(judged)), judged, came)
            ]
        ),
    )


def _narrow(chance: Float64) -> Int64:
    """The narrow bin of each probability. Bins 0 and FINE - 1 include all beyond -DEEP and DEEP.

    Subtle: many probabilities are close to 0 or 1, where bins of log odds are narrow enough and
    bins of probabilities would not be.
    """
    within = np.clip(chance, 1e-300, 1 - 1e-16)
    odds = np.log(within) - np.log1p(-within)
    return np.asarray(np.clip((odds / DEEP + 1) * (FINE / 2), 0, FINE - 1), np.int64)


def edge(number: int) -> float:
    """The probability at which the narrow bin `number` begins."""
    if number in (0, FINE):
        return float(number == FINE)
    return float(1 / (1 + np.exp(-DEEP * (2 * number / FINE - 1))))


def equal_size(sums: Calibration) -> Iterator[tuple[float, float, float, float, float]]:
    """Low, high, count, sum of probabilities and number of true ones for up to BINS bins.

    All bins have about the same number of pairs; they consist of whole narrow bins.
    """
    total, start = float(sums.fine[0].sum()), 0
    reached = np.cumsum(sums.fine[0])
    for number in range(BINS):
        stop = int(np.searchsorted(reached, total * (number + 1) / BINS - 0.5)) + 1
        stop = FINE if number == BINS - 1 else min(stop, FINE)
        count, chance, happened = sums.fine[:, start:stop].sum(axis=1)
        if stop > start and count:
            yield edge(start), edge(stop), float(count), float(chance), float(happened)
            start = stop


def log_loss_of(chance: Float64, true: Booleans) -> float:
    """The sum of -ln of the probabilities of the outcomes, which are raised to 1e-15 at least."""
    return float(-np.log(np.maximum(np.where(true, chance, 1 - chance), 1e-15)).sum())


def log_loss_sum(odds: Scores, true: Booleans) -> float:
    """The sum of -ln of the probabilities of the outcomes: ln(1 + exp(-Y odds)), without overflow.

    odds: (m, k), the logarithm of the odds of each label.
    """
    return float(np.logaddexp(0, np.where(true, -odds, odds)).sum())


def log_loss(sums: Calibration) -> float:
    """Mean over (example, label) pairs."""
    return share(sums.log_loss, sums.cells)


def brier(sums: Calibration) -> float:
    """Mean square of probability minus truth over (example, label) pairs. Source: Brier 1950."""
    return share(sums.squared, sums.cells)


def expected_calibration_error(sums: Calibration) -> float:
    """Mean distance between probability and frequency over the bins, weighted by their counts.

    Source: Naeini, Cooper & Hauskrecht 2015.
    """
    return share(float(np.abs(sums.chance - sums.happened).sum()), int(sums.count.sum()))
