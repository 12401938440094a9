"""Documents that say nearly the same as another and have other labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.corpus.corpus import Corpus
from boostext.features.matrix import FeatureMatrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ALIKE = 0.9
"""Cosine of the conditions of two documents, weighted by ln(m/df): from here on nearly the same."""
MOST = 5
COMMON, FEW = 0.2, 1000
"""Conditions of a greater share of the documents, and of more than FEW, cost most, tell least."""


def near_duplicates(
    features: FeatureMatrix, corpus: Corpus, examples: Sequence[int]
) -> list[list[int]]:
    """For each of the examples at most MOST others, the most alike first, of other labels."""
    alike = likeness(features.yes, features.document_count)
    labels = [frozenset(corpus.label_sets[i].tolist()) for i in range(len(corpus))]
    return [[j for j in alike(i).tolist() if labels[j] != labels[i]][:MOST] for i in examples]


def likeness(yes: Lists, document_count: int) -> Callable[[int], Int64]:
    """A function from a document to those nearly the same, the most alike first.

    yes: for each condition, the documents that meet it.
    """
    documents = _rows(yes, document_count)
    by_condition = documents.T.tocsr()  # so that only the conditions of the one are looked at

    def alike(i: int) -> Int64:
        cosines = np.asarray((documents[[i]] @ by_condition).toarray()).ravel()
        near = np.flatnonzero(cosines >= ALIKE)
        order = near[np.argsort(-cosines[near], kind="stable")]
        return np.asarray(order[order != i])

    return alike


def _rows(yes: Lists, m: int) -> csr_array:
    """(m, n): documents by conditions, each row of length 1."""
    from scipy.sparse import csr_array, diags_array  # slow to import, and few runs list outliers

    frequencies = np.diff(yes.starts)
    weights = np.where(
        frequencies <= max(COMMON * m, FEW), np.log(m / np.maximum(frequencies, 1)), 0
    )
    values = np.repeat(weights, frequencies)
    by_condition = csr_array((values, yes.items, yes.starts), shape=(len(yes), m))
    documents = by_condition.T.tocsr()
    lengths = np.sqrt(np.asarray(documents.multiply(documents).sum(axis=1)).ravel())
    scaled: csr_array = (diags_array(1 / np.maximum(lengths, 1e-12)) @ documents).tocsr()
    return scaled
