"""Impurity measures, by which trees and rules may be grown instead of by the Z of an algorithm.

Every function takes the weights of classes (..., c) and returns impurities (...,): 0 for a block of
a single class, and the total weight of the block if all classes have the same weight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Float64

Gain = Callable[[Float64, Float64], Float64]
"""A function from block weights (..., b, 2, k) and the mask `speaks` (b,) to gains (...,)."""


def gini(w: Float64) -> Float64:
    """Return total x (1 - sum of squared shares) x c/(c - 1). Source: Breiman et al. 1984."""
    total, c = w.sum(axis=-1), max(w.shape[-1], 2)
    squares = (w * w).sum(axis=-1) / np.maximum(total, 1e-300)
    return np.asarray(np.maximum(total - squares, 0) * (c / (c - 1)))


def entropy(w: Float64) -> Float64:
    """Return total x (- the sum of shares ln shares) / ln c. Source: Quinlan 1993."""
    total, c = w.sum(axis=-1, keepdims=True), max(w.shape[-1], 2)
    share = w / np.maximum(total, 1e-300)
    parts = w * np.log(np.where(share > 0, share, 1))
    return np.asarray(np.maximum(-parts.sum(axis=-1), 0) / np.log(c))


def kearns_mansour(w: Float64) -> Float64:
    """Return 2 sqrt(w+ w-) for two classes, which is the Z of real votes.

    For c classes, it is the sum of sqrt(w (total - w)), divided by sqrt(c - 1).
    Source: Kearns & Mansour 1996; SS99 s4.1.
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
    """Return a function that computes gains, the weight less the impurity of all voting blocks.

    The classes are the two signs of each label. If `classes` is set, they are the labels, and all
    block weights have the sign +.
    """
    mixed = INDEXES[index]

    def gain(W: Float64, speaks: Float64) -> Float64:
        w = W[..., 1, :] if classes else np.moveaxis(W, -2, -1)  # (..., b, c) or (..., b, k, 2)
        pure = w.sum(axis=-1) - mixed(w)
        return np.asarray((pure if classes else pure.sum(axis=-1)) @ speaks)

    return gain
