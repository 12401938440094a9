"""Bounds that follow from the product of Z, besides that on the loss that is minimised."""

from __future__ import annotations

from boostext.algorithms import Algorithm
from boostext.boosting.losses import LOSSES, every_pair, exponential


def one_error_factor(row: Algorithm, start: str, k: int) -> float | None:
    """Return the factor by which the product of Z bounds the one-error on the training data.

    Returns None if no factor is known. If a wrong label has the largest score, then
    f(i, l0) >= f(i, l1) for that label l0 and a right label l1. With equal weights of 1/(mk), the
    loss of these two pairs together is at least 2/(mk), as exp(x) + exp(-x) >= 2; with balanced
    weights, it is at least 1/(m sqrt(k - 1)). For the ranking loss, at least one of at most k - 1
    crucial pairs is in the wrong order.
    Source: SS99 s7 and s9, after Theorems 3 and 6; S97 Theorem 1.
    """
    if row.coded or not row.bounds:
        return None
    if row.bounds == "ranking loss":
        return float(max(k - 1, 1))
    if LOSSES[row.loss].base is not every_pair:
        return 1.0
    if start == "balanced":
        return float(max(k - 1, 1)) ** 0.5 if LOSSES[row.loss].weigh is exponential else None
    return k / 2
