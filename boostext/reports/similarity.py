"""Cosine similarity of documents by the conditions that they meet, and near duplicates."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from boostext.arrays import Float64, Int64, Lists
from boostext.features.merge import gather

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ALIKE = 0.9
"""Minimum cosine similarity of near duplicates."""
COMMON, FEW = 0.2, 1000
"""Conditions that hold for more than this fraction of the documents, and for more than FEW, have
no weight: they take most of the time and say little about similarity.
"""


class Similarity:
    """The cosine similarities of m documents, whose conditions are weighted by ln(m/df).

    yes: for each condition, the indices of the documents that meet it.
    """

    def __init__(self, yes: Lists, document_count: int) -> None:
        self._yes, self._frequencies = yes, np.diff(yes.starts)
        self._documents = _unit_rows(yes, document_count)
        self._vector = np.zeros(len(yes))

    def near(self, i: int) -> Int64:
        """Return the near duplicates of document i, most similar first.

        Only documents that share a rare condition are compared; see `_telling`.
        """
        own = slice(self._documents.indptr[i], self._documents.indptr[i + 1])
        conditions, weights = self._documents.indices[own], self._documents.data[own]
        telling = conditions[_telling(weights, self._frequencies[conditions])]
        if not len(telling):
            return np.zeros(0, np.int64)
        others = np.unique(gather(self._yes, telling.astype(np.int64)).items).astype(np.int64)
        cosines = self._cosines(i, self._documents, self._documents[others])
        near = np.flatnonzero(cosines >= ALIKE)
        order = others[near[np.argsort(-cosines[near], kind="stable")]]
        return np.asarray(order[order != i])

    def covering(self, among: Int64, weights: Float64, count: int) -> list[int]:
        """Return the documents, at most `count`, that represent all of `among` best.

        among: indices of documents. weights: one for each of these. What is maximised is the
        weighted sum of the similarities to the most similar document that was chosen. Documents are
        chosen greedily. As the gain of a document falls when others are chosen, it is computed
        again only while no other is known to be larger. Source: Minoux 1978.
        """
        rows = self._documents[among]
        covered = np.zeros(len(among))

        def gains(n: int) -> Float64:
            cosines = self._cosines(n, rows, rows)
            cosines[n] = 1.0  # not 0, as for a document whose conditions have no weight
            return np.maximum(cosines - covered, 0.0)

        # the gains of the first choice, and a little more, as they are summed in another order
        bounds = (rows @ (rows.T @ weights) + weights) * (1 + 1e-9) + 1e-8
        heap = [(-bound, n) for n, bound in enumerate(bounds.tolist())]
        heapq.heapify(heap)
        chosen: list[int] = []
        while heap and len(chosen) < count:
            n = heap[0][1]
            own = gains(n)
            gain = round(float((own * weights).sum()), 9)  # ties are ties on any machine
            if len(heap) > 1 and (-gain, n) > min(heap[1:3]):
                heapq.heapreplace(heap, (-gain, n))
                continue
            heapq.heappop(heap)
            chosen.append(n)
            covered += own
        return [int(among[n]) for n in chosen]

    def _cosines(self, n: int, rows: csr_array, others: csr_array) -> Float64:
        own = slice(rows.indptr[n], rows.indptr[n + 1])
        conditions = rows.indices[own]
        self._vector[conditions] = rows.data[own]
        cosines = others @ self._vector
        self._vector[conditions] = 0
        return np.asarray(cosines)


def _telling(weights: Float64, frequencies: Int64) -> Int64:
    """Return the places of the conditions of which every near duplicate has at least one.

    These are the rarest, up to the first after which the rest of the document is shorter than
    ALIKE: by the inequality of Cauchy and Schwarz, the rest alone cannot make a document alike.
    weights: those of a document, of length 1 or 0. Source: Bayardo, Ma & Srikant 2007, s3.
    """
    rarest = np.argsort(frequencies, kind="stable")
    rest = np.cumsum(weights[rarest[::-1]] ** 2)[::-1]
    return rarest[rest >= (ALIKE - 1e-9) ** 2]


def _unit_rows(yes: Lists, m: int) -> csr_array:
    """Return the weights of the conditions of each document, shape (m, n); rows have length 1."""
    # scipy.sparse is slow to import, and few commands need near duplicates
    from scipy.sparse import csr_array

    frequencies = np.diff(yes.starts)
    weights = np.where(
        frequencies <= max(COMMON * m, FEW), np.log(m / np.maximum(frequencies, 1)), 0
    )
    values = np.repeat(weights, frequencies)
    lengths = np.sqrt(np.bincount(yes.items, values**2, minlength=m))
    values /= np.maximum(lengths, 1e-12)[yes.items]
    return csr_array((values, yes.items, yes.starts), shape=(len(yes), m)).T.tocsr()
