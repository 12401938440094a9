"""Confusion matrix of the HTML page, with examples of the documents in its cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from boostext.evaluation.decided import confused
from boostext.reports.page.content import Judged, Limits

BEHIND = 6
"""Maximum number of documents listed for a cell, most confident errors first."""


@dataclass(frozen=True)
class Pair:
    """The documents for which one label was missed and another was predicted in its place.

    missed, given: the missed and the predicted label. count: number of documents. shade: the count
    relative to the largest one, from 1 to 9. key: identifies the cell as "i-j", by the indices of
    the labels. behind: indices of some of the documents.
    """

    missed: str
    given: str
    count: int
    shade: int
    key: str
    behind: tuple[int, ...]


@dataclass(frozen=True)
class Confusion:
    """The confusions of a model.

    pairs: all pairs, most frequent first. total: number of pairs. labels, cells: the confusion
    matrix, empty if it would be too large. It has a row for each label of the data and a column for
    each predicted label; a cell is a pair, the number of correct documents on the diagonal, or
    None.
    """

    pairs: tuple[Pair, ...]
    total: int
    labels: tuple[str, ...]
    cells: tuple[tuple[Pair | int | None, ...], ...]


def confusion_of(
    judged: Judged, known: int, limits: Limits, most_behind: int = BEHIND
) -> Confusion:
    """Return the confusions between missed labels and those predicted in their place.

    known: number of labels of the model. most_behind: maximum number of documents listed per cell.
    """
    gold = judged.gold(known)
    counts: Counter[tuple[int, int]] = Counter()
    behind: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for examples, confusions in confused(judged.scores, gold, judged.given):
        for i, (missed, given) in zip(examples.tolist(), confusions.tolist(), strict=True):
            counts[missed, given] += 1
            sure = float(judged.scores[i, given] - judged.scores[i, min(missed, known - 1)])
            behind.setdefault((missed, given), []).append((-sure, i))
    order = sorted(counts, key=lambda key: (-counts[key], key))
    most = max(counts.values(), default=1)
    pairs = {
        key: Pair(
            gold.labels[key[0]],
            gold.labels[key[1]],
            counts[key],
            max(1, round(9 * counts[key] / most)),
            f"{key[0]}-{key[1]}",
            tuple(i for _, i in sorted(behind[key])[:most_behind]) if n < limits.cells else (),
        )
        for n, key in enumerate(order)
    }
    first = tuple(pairs[key] for key in order)
    if len(gold.labels) > limits.matrix:
        return Confusion(first, len(first), (), ())
    right = (judged.given & gold.matrix).sum(axis=0)
    size = range(len(gold.labels))
    cells = tuple(
        tuple(int(right[a]) if a == b and a < known else pairs.get((a, b)) for b in size)
        for a in size
    )
    return Confusion(first, len(first), gold.labels, cells)


def documents_behind(confusion: Confusion) -> list[int]:
    """Return the indices of all documents that are listed for cells, in ascending order."""
    return sorted({i for pair in confusion.pairs for i in pair.behind})
