"""How the incremental engine lays out conditions and labels for its kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Lists
from boostext.boosting.engines.arrays import LabelArrays, ListArrays, TermArrays
from boostext.boosting.membership import Membership


def list_arrays(lists: Lists) -> ListArrays:
    return ListArrays(lists.starts, lists.items)


def terms(members: Membership, transpose: Callable[..., None]) -> TermArrays:
    """transpose: the kernel of that name."""
    features, listed = members.features, members.terms
    frequencies = np.diff(features.yes.starts)[listed]
    order = np.argsort(-frequencies, kind="stable")
    numbers, sizes = listed[order], frequencies[order]
    starts = np.zeros(features.document_count + 1, np.int64)
    items = np.zeros(int(sizes.sum()), np.int32)
    transpose(numbers, list_arrays(features.yes), starts, items)
    return TermArrays(numbers, sizes.astype(np.int32), starts, items)


def labels(sets: Lists, k: int) -> LabelArrays:
    """Label sets both ways."""
    order = np.argsort(sets.items, kind="stable").astype(np.int32)
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(sets.starts))
    starts = np.zeros(k + 1, np.int64)
    np.cumsum(np.bincount(sets.items, minlength=k), out=starts[1:])
    return LabelArrays(sets.starts, sets.items, starts, rows[order], order)
