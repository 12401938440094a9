"""Bounds on what a term may gain, one whole number each, by which most terms are passed over.

A document's bound is the most that it adds to the gain of a term; a term's is the sum over its
documents. Bounds are counted once and then only moved; see kernels_terms.fit_bound for what that
leaves them worth when the scales have moved since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boostext.boosting.engines.arrays import BoundArrays, ListArrays, TermArrays
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights

MOST = 2**30
"""Sum of all documents' bounds that 32 bits are sure to hold."""
SLACK = 1.6
"""How much less bounds may tell than at best before they are counted anew."""


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
            np.zeros((2, k)),
        )  # fmt: skip
        self._sum, self._fit, self._total = 0, 0.0, 1.0
        self.count()

    def count(self) -> None:
        """All bounds anew, by what e counts now."""
        weights, arrays = self._weights, self.arrays
        self._fit, self._total = 0.0, weights.total
        self._sum = int(
            self._kernels["bound_documents"](self._form, weights.labels, weights.arrays, arrays)
        )
        self._threads.each_range(
            lambda low, high: self._kernels["bound_terms"](
                low, high, self._terms, self._lists, arrays
            ),
            len(self._lists.items),
        )

    def move(self) -> None:
        """Those of the documents that changed; terms hear of it by kernels_terms.update."""
        weights = self._weights
        self._sum += int(
            self._kernels["bound_changed"](
                self._form, weights.labels, weights.arrays, weights.changes, self.arrays
            )
        )
        if self._sum > MOST:
            self.count()
            weights.changes.bounds[:] = 0

    def refresh(self, least: float, best: float) -> None:
        """Count anew where bounds have grown slack. least: what a term needed that may have won;
        best: the value that was found.
        """
        fit = least * self._total / (self._weights.total * max(best, 1e-12))
        self._fit = max(self._fit, fit)
        if fit < self._fit / SLACK:
            self.count()
