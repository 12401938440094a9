"""How the incremental engine lays out conditions and labels for its kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

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


def terms(features: FeatureMatrix) -> Terms:
    frequencies = np.diff(features.yes.starts)
    order = np.argsort(-frequencies, kind="stable").astype(np.int32)
    numbers = order[features.unknown_list[order] < 0]
    sizes = frequencies[numbers]
    return Terms(numbers, sizes.astype(np.int32), _by_document(features, numbers))


def _by_document(features: FeatureMatrix, numbers: Int32) -> Lists:
    """The terms of each document, as places in `numbers`."""
    yes = features.yes
    ones = np.ones(len(yes.items), np.int8)
    shape = (len(yes), features.document_count)
    by_term = csr_array((ones, yes.items, yes.starts), shape=shape)[numbers]
    by_document = by_term.tocsc()  # ascending within a document
    return Lists(by_document.indptr.astype(np.int64), by_document.indices.astype(np.int32))


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
