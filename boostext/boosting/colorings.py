"""Labels in two colors, anew in each round of AdaBoost.OC and ECOC. Source: S97 s2.3."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Float64, Int8


def random(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Each label either color by a fair coin; drawn again while all have one."""
    k = len(confusion)
    while True:
        colors = np.where(rng.random(k) < 0.5, 1, -1).astype(np.int8)
        if k < 2 or abs(int(colors.sum())) < k:
            return colors


def even(confusion: Float64, rng: np.random.Generator) -> Int8:
    """Half of the labels in each color, at random."""
    colors = np.ones(len(confusion), np.int8)
    colors[rng.permutation(len(confusion))[: len(confusion) // 2]] = -1
    return colors


def climbed(confusion: Float64, rng: np.random.Generator) -> Int8:
    """From a random coloring, the label whose change of color raises U most, while one does.

    U: the weight of (example, wrong label) pairs whose labels differ in color.
    """
    colors = random(confusion, rng)
    together = confusion + confusion.T
    for _ in range(len(confusion) ** 2):
        rise = colors * (together @ colors)  # (k,) weight with the same color less the other
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
"""confusion (k, k): weight of pairs (label of the example, wrong label); generator -> (k,) +-1."""
