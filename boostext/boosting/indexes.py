"""How mixed a block is: what trees and rules may be grown by in place of an algorithm's own Z.

Every function takes weights of classes (..., c), and gives what is mixed of them (...,): 0 for a
block of one class, its whole weight where all classes weigh the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Float64

Gain = Callable[[Float64, Float64], Float64]
"""Block weights (..., b, 2, k), speaks (b,) -> (...,)."""


def gini(w: Float64) -> Float64:
    """total (1 - sum of squared shares), times c/(c - 1). Source: Breiman et al. 1984."""
    total, c = w.sum(axis=-1), max(w.shape[-1], 2)
    squares = (w * w).sum(axis=-1) / np.maximum(total, 1e-300)
    return np.asarray(np.maximum(total - squares, 0) * (c / (c - 1)))


def entropy(w: Float64) -> Float64:
    """total x (- sum of shares ln shares) / ln c. Source: Quinlan 1993."""
    total, c = w.sum(axis=-1, keepdims=True), max(w.shape[-1], 2)
    share = w / np.maximum(total, 1e-300)
    parts = w * np.log(np.where(share > 0, share, 1))
    return np.asarray(np.maximum(-parts.sum(axis=-1), 0) / np.log(c))


def kearns_mansour(w: Float64) -> Float64:
    """2 sqrt(w+ w-); of c classes the sum of sqrt(w (total - w)), over sqrt(c - 1).

    Of two classes it is the Z of real votes. Source: Kearns & Mansour 1996; SS99 s4.1.
    """
    total, c = w.sum(axis=-1, keepdims=True), max(w.shape[-1], 2)
    mixed = np.sqrt(w * np.maximum(total - w, 0)).sum(axis=-1)
    return np.asarray(mixed / np.sqrt(c - 1))


INDEXES: dict[str, Callable[[Float64], Float64]] = {
    "gini": gini,
    "entropy": entropy,
    "kearns-mansour": kearns_mansour,
}


def gain_by(index: str, classes: bool) -> Gain:
    """The weight that is not mixed, summed over the speaking blocks, so that less of it is worse.

    The classes are the two signs, label by label; or the labels, where `classes` is set: block
    weights are then at sign + alone.
    """
    mixed = INDEXES[index]

    def gain(W: Float64, speaks: Float64) -> Float64:
        w = W[..., 1, :] if classes else np.moveaxis(W, -2, -1)  # (..., b, c) or (..., b, k, 2)
        pure = w.sum(axis=-1) - mixed(w)
        return np.asarray((pure if classes else pure.sum(axis=-1)) @ speaks)

    return gain
