"""Bounds on what a term may gain, one whole number each, by which most terms are passed over.

A document's bound is the most that it adds to the gain of a term; a term's is the sum over its
documents. Bounds are counted once and then only moved; see kernels_terms.fit_bound for what that
leaves them worth when the scales have moved since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.engines.arrays import (
    COUNTED,
    FIT,
    SUM,
    TOTAL,
    BoundArrays,
    ListArrays,
    TermArrays,
)
from boostext.boosting.engines.kernels_rounds import MOST_BOUND, is_slack
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights


class Bounds:
    """arrays: the bounds. Only what a search looks at depends on them, never what it finds."""

    def __init__(
        self, form: int, terms: TermArrays, lists: ListArrays, weights: Weights, threads: Threads,
        kernels: Mapping[str, Any],
    ) -> None:  # fmt: skip
        m, k = weights.arrays.neg.shape
        self._form, self._terms, self._lists, self._weights = form, terms, lists, weights
        self._threads, self._kernels = threads, kernels
        self.arrays = BoundArrays(
            np.zeros(m, np.int32), np.zeros(len(terms.numbers), np.int32), np.zeros((2, k)),
            np.zeros((2, k)), np.zeros(3),
        )  # fmt: skip
        self.count()

    def count(self) -> None:
        """All bounds anew, by what e counts now."""
        weights, arrays = self._weights, self.arrays
        arrays.figures[FIT], arrays.figures[COUNTED] = 0.0, weights.arrays.figures[TOTAL]
        arrays.figures[SUM] = self._kernels["bound_documents"](
            self._form, weights.labels, weights.arrays, arrays
        )
        self._threads.each_range(
            lambda low, high: self._kernels["bound_terms"](
                low, high, self._terms, self._lists, arrays
            ),
            len(self._lists.items),
        )

    def settle(self) -> None:
        """Count anew where the sum of all has grown beyond what 32 bits are sure to hold."""
        if self.arrays.figures[SUM] > MOST_BOUND:
            self.count()
            self._weights.changes.bounds[:] = 0

    def refresh(self, found: Float64) -> None:
        """Count anew what has grown slack. found: figures of FoundArrays, after a search."""
        if is_slack(self._weights.arrays.figures[TOTAL], found, self.arrays.figures):
            self.count()
