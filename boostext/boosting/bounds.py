"""What the product of Z bounds besides the loss that an algorithm is about."""

from __future__ import annotations

from boostext.algorithms import Algorithm
from boostext.boosting.losses import LOSSES, every_pair, exponential


def one_error_factor(row: Algorithm, start: str, k: int) -> float | None:
    """The one-error on the training data is at most this times the product of Z; None if unknown.

    Where the greatest score is a wrong label's, some f(i, l0) >= f(i, l1), l0 wrong and l1 right.
    Of pairs with equal weights 1/(mk) the two together then lose 2/(mk) or more, as
    exp(x) + exp(-x) >= 2; of balanced ones 1/(m sqrt(k - 1)). Of ranked pairs one of at most k - 1
    is in the wrong order. Source: SS99 s7 and s9, after Theorems 3 and 6; S97 Theorem 1.
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
