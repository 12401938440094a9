"""How the incremental engine lays out conditions and labels for its kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.features.matrix import FeatureMatrix


@dataclass(frozen=True)
class Terms:
    """Listed conditions without unknown values, most frequent first.

    numbers: (n,) conditions. sizes: (n,) their documents. by_document: for each document
    its terms, as places in `numbers`, ascending.
    """

    numbers: Int32
    sizes: Int32
    by_document: Lists


def terms(features: FeatureMatrix, transpose: Callable[..., None]) -> Terms:
    """transpose: the kernel of that name."""
    frequencies = np.diff(features.yes.starts)
    order = np.argsort(-frequencies, kind="stable").astype(np.int32)
    numbers = order[features.unknown_list[order] < 0]
    sizes = frequencies[numbers]
    starts = np.zeros(features.document_count + 1, np.int64)
    items = np.zeros(int(sizes.sum()), np.int32)
    transpose(numbers, (features.yes.starts, features.yes.items), starts, items)
    return Terms(numbers, sizes.astype(np.int32), Lists(starts, items))


@dataclass(frozen=True)
class Labels:
    """Label sets both ways: of each example, and of each label its examples and their places."""

    sets: Lists
    examples: Lists
    places: Int32

    def arrays(self) -> tuple[Int64, Int32, Int64, Int32, Int32]:
        """As kernels take them."""
        return (
            self.sets.starts, self.sets.items, self.examples.starts, self.examples.items,
            self.places,
        )  # fmt: skip


def labels(sets: Lists, k: int) -> Labels:
    order = np.argsort(sets.items, kind="stable").astype(np.int32)
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(sets.starts))
    starts = np.zeros(k + 1, np.int64)
    np.cumsum(np.bincount(sets.items, minlength=k), out=starts[1:])
    return Labels(sets, Lists(starts, rows[order]), order)
