"""Colorings, which split the labels in two sets in each round of AdaBoost.OC and ECOC.

A coloring gives each label one of two colors, +1 or -1, and the rule of the round learns to predict
the color of an example's label. Source: S97 s2.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Float64, Int8


def random(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return colors drawn with equal probability; they are drawn again if all are the same."""
    k = len(confusion)
    while True:
        colors = np.where(rng.random(k) < 0.5, 1, -1).astype(np.int8)
        if k < 2 or abs(int(colors.sum())) < k:
            return colors


def even(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return a random coloring in which each color has half of the labels."""
    colors = np.ones(len(confusion), np.int8)
    colors[rng.permutation(len(confusion))[: len(confusion) // 2]] = -1
    return colors


def climbed(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Return a coloring improved by hill climbing from a random one.

    Each step changes the color of the label whose change increases U most. The search stops when
    no change increases U, or when the best change would leave only one color.
    U is the weight of the pairs (example, wrong label) in which the wrong label has another color
    than the label of the example.
    """
    colors = random(confusion, rng)
    together = confusion + confusion.T
    for _ in range(len(confusion) ** 2):
        rise = colors * (together @ colors)  # (k,) increase of U if the label changes its color
        best = int(np.argmax(rise))
        if rise[best] <= 1e-15 or abs(int(colors.sum()) - 2 * int(colors[best])) == len(colors):
            break
        colors[best] = -colors[best]
    return colors


COLORINGS: dict[str, Callable[[Float64, np.random.Generator], Int8]] = {
    "random": random,
    "even": even,
    "climbed": climbed,
}
"""Functions that return a coloring (k,) of +1 and -1.

They take a random generator and `confusion` (k, k), which holds in row y and column l the weight
of the pairs of an example with label y and a wrong label l.
"""
