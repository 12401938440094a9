"""Fit the probability of each label to held-out scores, and measure how well it fits.

The measures leave out labels that the model does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64, Int64, Scores
from boostext.evaluation.gold import Booleans, Gold, Sums, gold_of, share
from boostext.model.calibration import Curve, Isotonic, Sigmoid, calibrated
from boostext.model.predict import link_probabilities

BINS = 10
FINE, DEEP = 4096, 40.0
"""Number of narrow bins of the log odds between -DEEP and DEEP."""


@dataclass(frozen=True, eq=False)
class Calibration(Sums):
    """Sums over (example, label) pairs, and over bins of the probability.

    log_loss, squared: over all pairs, of which there are `cells`. count, probability, happened:
    (BINS,), the number of pairs, the sum of their probabilities and the number of true ones, in
    bins of equal width. They are over all pairs if examples may have several labels, otherwise over
    the label with the highest score of each example. fine: (3, FINE), the same three sums in
    narrow bins of the log odds, from which bins of equal size are made.
    """

    cells: int
    log_loss: float
    squared: float
    count: Int64
    probability: Float64
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
    probability = (
        calibrated(scores, curves, multilabel) if curves else link_probabilities(scores, link)
    )
    if multilabel:
        judged, came = probability.ravel(), true.ravel()
    else:
        rows, top = np.arange(len(scores)), scores.argmax(1)
        judged, came = probability[rows, top], true[rows, top]
    bins = np.minimum((judged * BINS).astype(np.int64), BINS - 1)
    narrow = _narrow(judged)
    return Calibration(
        cells=scores.size,
        log_loss=log_loss_of(probability, true) if curves else log_loss_sum(link * scores, true),
        squared=_squared(probability - true),
        count=np.bincount(bins, minlength=BINS),
        probability=np.asarray(np.bincount(bins, weights=judged, minlength=BINS), np.float64),
        happened=np.bincount(bins[came], minlength=BINS),
        fine=np.stack(
            [
                np.bincount(narrow, weights=each, minlength=FINE)
                for each in (np.ones(len(judged)), judged, came)
            ],
            dtype=np.float64,
        ),
    )


def _squared(differences: Float64) -> float:
    """The sum of the squares, which take the place of the differences."""
    return float(np.square(differences, out=differences).sum())


def _narrow(probability: Float64) -> Int64:
    """The narrow bin of each probability. Bins 0 and FINE - 1 include all beyond -DEEP and DEEP.

    Subtle: many probabilities are close to 0 or 1, where bins of log odds are narrow enough and
    bins of probabilities would not be.
    """
    within = np.clip(probability, 1e-300, 1 - 1e-16)
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
        count, probability, happened = sums.fine[:, start:stop].sum(axis=1)
        if stop > start and count:
            yield edge(start), edge(stop), float(count), float(probability), float(happened)
            start = stop


def log_loss_of(probability: Float64, true: Booleans) -> float:
    """The sum of -ln of the probabilities of the outcomes, which are raised to 1e-15 at least."""
    return float(-np.log(np.maximum(np.where(true, probability, 1 - probability), 1e-15)).sum())


def log_loss_sum(odds: Scores, true: Booleans) -> float:
    """The sum of -ln of the probabilities of the outcomes: ln(1 + exp(-Y odds)), without overflow.

    odds: (m, k), the logarithm of the odds of each label.
    """
    exponents = np.where(true, -1.0, 1.0)
    exponents *= odds
    return float(np.logaddexp(0, exponents, out=exponents).sum())


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
    return share(float(np.abs(sums.probability - sums.happened).sum()), int(sums.count.sum()))


# Fitting -------------------------------------------------------------------------------------

LEAST = 10
"""Number of examples with a label, and of those without it, needed to fit its own curve."""

STEPS, SMALLEST = 100, 1e-10


@dataclass(frozen=True)
class Fitted:
    """Fitted calibration curves.

    curves: k, one for each label. rare: numbers of labels with too few examples. Their curve is the
    sigmoid of all labels together, shifted so that the mean probability is (n + 1) / (m + 2) if n
    of m examples have the label.
    """

    curves: tuple[Curve, ...]
    rare: tuple[int, ...]


def fit(scores: Scores, true: Booleans, method: str, multilabel: bool = True) -> Fitted:
    """Fit calibration curves.

    scores, true: (m, k), of held-out examples, without NaN. method: a key of METHODS. If every
    example has one label, the power of maximum likelihood is also fitted; see
    `model.calibration.calibrated`.
    """
    counts = true.sum(axis=0)
    m, k = true.shape
    rare = tuple(j for j in range(k) if min(counts[j], m - counts[j]) < LEAST)
    shared = sigmoid(scores.ravel(), true.ravel()) if rare else Sigmoid(1.0, 0.0)
    curves = [
        moved(shared.slope, scores[:, j], (counts[j] + 1) / (m + 2))
        if j in set(rare)
        else METHODS[method](scores[:, j], true[:, j])
        for j in range(k)
    ]
    if not multilabel:
        probabilities = np.stack([c(scores[:, j]) for j, c in enumerate(curves)], axis=1)
        power = best_power(np.log(np.maximum(probabilities, 1e-12)), true)
        curves = [replace(curve, power=power) for curve in curves]
    return Fitted(tuple(curves), rare)


def best_power(logs: Float64, true: Booleans) -> float:
    """The power of probabilities that minimizes the log loss of the given labels.

    logs: (m, k), logarithms of probabilities before these are divided by their sum. The power is
    between 1/4 and 4. There is only one minimum, which golden section search finds.
    """
    one = true.sum(axis=1) == 1
    logs = logs[one]
    greatest, given = logs.max(axis=1, keepdims=True, initial=-np.inf), logs[true[one]]
    room = np.empty_like(logs)

    def loss(exponent: float) -> float:
        power = 2.0**exponent
        np.multiply(logs, power, out=room)
        np.subtract(room, greatest * power, out=room)
        totals = greatest[:, 0] * power + np.log(np.exp(room, out=room).sum(axis=1))
        return float((totals - given * power).sum())

    low, high, golden = -2.0, 2.0, (5**0.5 - 1) / 2
    for _ in range(40):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    return float(2.0 ** ((low + high) / 2)) if one.any() else 1.0


def targets(true: Booleans) -> Float64:
    """(n + 1)/(n + 2) for the n true, 1/(n' + 2) for the n' others. Source: Platt 1999 s2.2."""
    right = int(true.sum())
    high, low = (right + 1) / (right + 2), 1 / (len(true) - right + 2)
    return np.where(true, high, low)


def sigmoid(scores: Float64, true: Booleans) -> Sigmoid:
    """The sigmoid with the smallest log loss on the smoothed targets, by Newton's method.

    Steps are halved as long as they increase the loss. The slope is never negative.
    Source: Platt 1999; Lin, Lin & Weng 2007, Algorithm 1.
    """
    wanted, size_of_scores = targets(true), float(np.abs(scores).max(initial=0.0)) or 1.0
    scores = scores / size_of_scores  # scaled so that Newton's method converges alike
    right = float(true.sum())
    slope, intercept = 0.0, float(np.log((right + 1) / (len(true) - right + 1)))
    value = _log_loss(slope * scores + intercept, wanted)
    for _ in range(STEPS):
        step = _newton_step(scores, slope * scores + intercept, wanted)
        size = 1.0
        while size > SMALLEST:
            tried = slope + size * step[0], intercept + size * step[1]
            better = _log_loss(tried[0] * scores + tried[1], wanted)
            if better < value - 1e-12 * abs(value):
                break
            size /= 2
        if size <= SMALLEST:
            break
        slope, intercept, value = float(tried[0]), float(tried[1]), better
    if slope < 0:  # ignore misleading scores: use only the label's frequency
        return Sigmoid(0.0, float(np.log((right + 1) / (len(true) - right + 1))))
    return Sigmoid(slope / size_of_scores, intercept)


def _log_loss(odds: Float64, wanted: Float64) -> float:
    return float((np.logaddexp(0, odds) - wanted * odds).sum())


def _newton_step(scores: Float64, odds: Float64, wanted: Float64) -> tuple[float, float]:
    probability = Sigmoid(1.0, 0.0)(odds)
    gap, bend = wanted - probability, probability * (1 - probability)
    a, b, c = (bend * scores**2).sum() + 1e-9, (bend * scores).sum(), bend.sum() + 1e-9
    g, h = (gap * scores).sum(), gap.sum()
    determinant = max(float(a * c - b * b), 1e-300)
    return float(c * g - b * h) / determinant, float(a * h - b * g) / determinant


def moved(slope: float, scores: Float64, mean: float) -> Sigmoid:
    """The sigmoid of this slope whose mean probability over the scores is `mean`, by bisection."""
    high = 700.0 + float(np.abs(slope * scores).max())
    low = -high
    for _ in range(100):
        middle = (low + high) / 2
        if float(Sigmoid(slope, middle)(scores).mean()) < mean:
            low = middle
        else:
            high = middle
    return Sigmoid(slope, (low + high) / 2)


def isotonic(scores: Float64, true: Booleans) -> Isotonic:
    """The isotonic regression of the smoothed targets, by pooling adjacent violators.

    Source: Ayer et al. 1955; Zadrozny & Elkan 2002.
    """
    levels, place = np.unique(scores, return_inverse=True)
    weights = np.bincount(place).astype(np.float64)
    means = np.bincount(place, weights=targets(true)) / weights
    pools: list[tuple[float, float, int]] = []  # mean, weight, levels
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        pool = (mean, weight, 1)
        while pools and pools[-1][0] >= pool[0]:
            before = pools.pop()
            total = before[1] + pool[1]
            pool = ((before[0] * before[1] + pool[0] * pool[1]) / total, total, before[2] + pool[2])
        pools.append(pool)
    return _steps(levels, pools)


def _steps(levels: Float64, pools: list[tuple[float, float, int]]) -> Isotonic:
    """The first and the last level of each pool, with its mean."""
    at, probabilities, start = [], [], 0
    for mean, _, count in pools:
        for place in sorted({start, start + count - 1}):
            at.append(float(levels[place]))
            probabilities.append(min(max(mean, 0.0), 1.0))
        start += count
    return Isotonic(tuple(at), tuple(probabilities))


METHODS: Mapping[str, Callable[[Float64, Booleans], Curve]] = {
    "sigmoid": sigmoid,
    "isotonic": isotonic,
}
