"""Count which labels are missed, and which are given instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from boostext.arrays import Int64, Scores
from boostext.evaluation.gold import Booleans, Gold

MOST_WRONG = 5
"""Maximum number of wrong labels per example, those with the highest scores, to bound time."""


def confusions(scores: Scores, gold: Gold, given: Booleans) -> Counter[tuple[str, str]]:
    """(missed label, wrong label) -> number of examples.

    A missed label is in the data but not decided by the model, and a wrong label is the opposite.
    For examples with one label these are the counts off the diagonal of the confusion matrix.
    Otherwise each missed label of an example is paired with each of its MOST_WRONG wrong labels
    with the highest scores. given: (m, k), the decided labels. O(m k).
    """
    counts: Counter[tuple[str, str]] = Counter()
    for _, pairs in confused(scores, gold, given):
        counts.update(_counted(pairs, gold))
    return counts


def confused(scores: Scores, gold: Gold, given: Booleans) -> Iterator[tuple[Int64, Int64]]:
    """(p,) examples and (p, 2) their missed and wrong labels, in several pieces."""
    owners, missed = _missed(gold, given)
    if not len(owners):
        return
    rows, place = np.unique(owners, return_inverse=True)
    masked = np.where(given[rows] & ~gold.matrix[rows], scores[rows], -np.inf)
    for _ in range(MOST_WRONG):
        wrong = masked.argmax(1)
        real = np.isfinite(masked[np.arange(len(rows)), wrong])
        if not real.any():
            break
        here = real[place]
        yield owners[here], np.stack([missed, wrong[place]], axis=1)[here]
        masked[np.arange(len(rows)), wrong] = -np.inf


def _missed(gold: Gold, given: Booleans) -> tuple[Int64, Int64]:
    """The examples and numbers of labels that are in the data but not decided."""
    items = gold.sets.items.astype(np.int64)
    decided = given[gold.owners, np.minimum(items, gold.known - 1)] & (items < gold.known)
    return gold.owners[~decided], items[~decided]


def _counted(pairs: Int64, gold: Gold) -> Counter[tuple[str, str]]:
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    names = gold.labels
    found = zip(distinct.tolist(), counts.tolist(), strict=True)
    return Counter({(names[a], names[b]): count for (a, b), count in found})
