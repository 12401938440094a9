"""Convert scores of labels to calibrated probabilities, with curves fitted on labelled data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.errors import ModelError


@dataclass(frozen=True)
class Sigmoid:
    """The curve 1/(1 + exp(-(slope * score + intercept))). Source: Platt 1999.

    power: the exponent that `calibrated` uses.
    """

    slope: float
    intercept: float
    power: float = 1.0

    def __call__(self, scores: Float64) -> Float64:
        odds = self.slope * scores + self.intercept
        small = np.exp(-np.abs(odds))
        return np.asarray(np.where(odds >= 0, 1 / (1 + small), small / (1 + small)))


@dataclass(frozen=True)
class Isotonic:
    """Probabilities at ascending scores: linear between two scores, constant outside all of them.

    power: the exponent that `calibrated` uses. Source: Zadrozny & Elkan 2002.
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    power: float = 1.0

    def __call__(self, scores: Float64) -> Float64:
        return np.asarray(np.interp(scores, self.scores, self.probabilities))


Curve = Sigmoid | Isotonic


def calibrated(scores: Scores, curves: Sequence[Curve], multilabel: bool) -> Float64:
    """(m, k): the probability of each label. If examples have one label, each row sums to 1.

    In that case each probability is raised to the power of its curve before the row is normalized:
    curves fitted label by label give a total that is too uncertain, because each of them leaves
    some probability to all other labels.
    curves: k curves, one for each label.
    """
    columns = [curve(scores[:, number]) for number, curve in enumerate(curves)]
    probabilities = np.stack(columns, axis=1) if columns else np.zeros(scores.shape)
    if multilabel:
        return probabilities
    probabilities = probabilities ** np.array([curve.power for curve in curves])
    totals = probabilities.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = probabilities / totals
    return np.asarray(np.where(totals > 0, shares, 1 / max(scores.shape[1], 1)))


def check_curves(curves: Sequence[Curve], label_count: int) -> None:
    """Raise ModelError unless there is one valid, non-decreasing curve for each label."""
    if len(curves) not in (0, label_count):
        raise ModelError(
            f"{len(curves)} calibration curves for {label_count} labels; expected one each, or none"
        )
    for curve in curves:
        if isinstance(curve, Sigmoid):
            sound = math.isfinite(curve.slope) and math.isfinite(curve.intercept)
        else:
            sound = _is_rising(curve)
        if not (sound and math.isfinite(curve.power) and curve.power > 0):
            raise ModelError("a calibration curve that falls, or is not of finite probabilities")


def _is_rising(curve: Isotonic) -> bool:
    scores, probabilities = np.array(curve.scores), np.array(curve.probabilities)
    if len(scores) == 0 or len(scores) != len(probabilities):
        return False
    finite = bool(np.isfinite(scores).all() and np.isfinite(probabilities).all())
    inside = finite and bool((probabilities >= 0).all() and (probabilities <= 1).all())
    return inside and bool((np.diff(scores) > 0).all() and (np.diff(probabilities) >= 0).all())
