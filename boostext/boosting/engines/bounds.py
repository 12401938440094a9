"""Upper bounds on the gains of terms, by which a search skips most of them.

A bound is a whole number. The bound of a document is the most that the document can add to the gain
of a term, and the bound of a term is the sum over its documents. Bounds are computed once and then
updated only where documents change; `kernels_terms.fit_bound` describes what they are worth after
the scales have changed.
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
from boostext.boosting.engines.kernels_rounds import MOST_BOUND, is_loose
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights


class Bounds:
    """The bounds of the terms and documents of a problem.

    They decide which terms a search looks at, but never which one it finds. arrays: the bounds, for
    the kernels.
    """

    def __init__(
        self,
        form: int,
        terms: TermArrays,
        lists: ListArrays,
        weights: Weights,
        threads: Threads,
        kernels: Mapping[str, Any],
    ) -> None:
        m, k = weights.arrays.neg.shape
        self._form, self._terms, self._lists, self._weights = form, terms, lists, weights
        self._threads, self._kernels = threads, kernels
        self.arrays = BoundArrays(
            np.zeros(m, np.int32),
            np.zeros(len(terms.numbers), np.int32),
            np.zeros((2, k)),
            np.zeros((2, k)),
            np.zeros(3),
        )
        self.count()

    def count(self) -> None:
        """Compute all bounds from the current weights."""
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

    def recount_if_large(self) -> None:
        """Compute all bounds again if their sum no longer fits safely into 32 bits."""
        if self.arrays.figures[SUM] > MOST_BOUND:
            self.count()
            self._weights.changes.bounds[:] = 0

    def recount_if_loose(self, found: Float64) -> None:
        """Compute all bounds again if they have become too loose.

        found: `FoundArrays.figures` after a search.
        """
        if is_loose(self._weights.arrays.figures[TOTAL], found, self.arrays.figures):
            self.count()
