"""Which labels are missed, and which are given in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from boostext.arrays import Int64, Scores
from boostext.evaluation.gold import Booleans, Gold

MOST_WRONG = 5
"""Of the labels wrongly given to one example, those of greatest scores enter; bounds the work."""


def confusions(scores: Scores, gold: Gold, given: Booleans) -> Counter[tuple[str, str]]:
    """(label given in the data but not decided, label decided but not given) -> examples.

    One label: the plain confusion counts off the diagonal. Several: each missed label of an
    example with each of its wrong ones, the MOST_WRONG of greatest score.
    given: (m, k), the decided labels. O(m k).
    """
    counts: Counter[tuple[str, str]] = Counter()
    for _, pairs in confused(scores, gold, given):
        counts.update(_counted(pairs, gold))
    return counts


def confused(scores: Scores, gold: Gold, given: Booleans) -> Iterator[tuple[Int64, Int64]]:
    """(p,) examples, and (p, 2) their missed and their wrongly given label; in several pieces."""
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
    """Examples and label numbers of what is given in the data and not decided."""
    items = gold.sets.items.astype(np.int64)
    decided = given[gold.owners, np.minimum(items, gold.known - 1)] & (items < gold.known)
    return gold.owners[~decided], items[~decided]


def _counted(pairs: Int64, gold: Gold) -> Counter[tuple[str, str]]:
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    names = gold.labels
    found = zip(distinct.tolist(), counts.tolist(), strict=True)
    return Counter({(names[a], names[b]): count for (a, b), count in found})
