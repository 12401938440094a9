"""Labels as signs, and the weights of documents in boosting from their scores."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Places, Scores, Signs
from boostext.corpus.corpus import Corpus
from boostext.model.model import Model


def given_signs(corpus: Corpus) -> Signs:
    """(m, k) in -1, +1."""
    signs = np.full((len(corpus), len(corpus.labels)), -1, np.int8)
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.label_sets.starts))
    signs[owners, corpus.label_sets.items] = 1
    return signs


def label_signs(model: Model, corpus: Corpus) -> Signs:
    """(m, k) in -1, +1: the labels of the corpus, in the order of those of the model."""
    lists = corpus.label_sets
    examples = np.repeat(np.arange(len(corpus)), np.diff(lists.starts))
    used, items = np.unique(lists.items, return_inverse=True)
    columns = Places(model.labels).of(corpus.labels[j] for j in used.tolist())[items]
    known = columns >= 0
    signs = np.full((len(corpus), len(model.labels)), -1, np.int8)
    signs[examples[known], columns[known]] = 1
    return signs


def document_log_weights(scores: Scores, signs: Signs, base: Float64) -> Float64:
    """(m,): ln of base(i) * sum over labels of exp(-Y f), without overflow.

    Source: SS99 Figure 2, with the updates of all rounds combined.
    """
    exponents = scores * -signs
    greatest = exponents.max(axis=1)
    exponents -= greatest[:, None]
    sums = np.exp(exponents, out=exponents).sum(axis=1)
    with np.errstate(divide="ignore"):  # a document of weight 0 is not an outlier: -inf
        return np.asarray(np.log(base) + greatest + np.log(sums))


def weight_shares(log_weights: Float64) -> Float64:
    """(m,): weights divided by their sum."""
    weights = np.exp(log_weights - log_weights.max(initial=-np.inf))
    return np.asarray(weights / weights.sum())
