"""Which labels are taken for which, with the documents behind each number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from boostext.evaluation.confusions import confused
from boostext.reports.page.content import Judged, Limits

BEHIND = 6
"""Documents that are named for a cell, the surest mistakes first."""


@dataclass(frozen=True)
class Pair:
    """So many documents have one label and were given another. behind: places of some of them.

    share: of the greatest number, 0 to 1, in tenths.
    """

    missed: str
    given: str
    count: int
    shade: int
    key: str
    behind: tuple[int, ...]


@dataclass(frozen=True)
class Confusion:
    """pairs: most frequent first. labels, cells: a square of them, empty where it is too great.

    cells: a row a given label of the data: the pair, a number on the diagonal, or None.
    """

    pairs: tuple[Pair, ...]
    total: int
    labels: tuple[str, ...]
    cells: tuple[tuple[Pair | int | None, ...], ...]


def confusion_of(
    judged: Judged, known: int, limits: Limits, most_behind: int = BEHIND
) -> Confusion:
    """Pairs of a label that was missed and one that was given in its place."""
    gold = judged.gold(known)
    counts: Counter[tuple[int, int]] = Counter()
    behind: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for examples, pairs in confused(judged.scores, gold, judged.given):
        for i, (missed, given) in zip(examples.tolist(), pairs.tolist(), strict=True):
            counts[missed, given] += 1
            sure = float(judged.scores[i, given] - judged.scores[i, min(missed, known - 1)])
            behind.setdefault((missed, given), []).append((-sure, i))
    order = sorted(counts, key=lambda key: (-counts[key], key))
    most = max(counts.values(), default=1)
    pairs_told = {
        key: Pair(
            gold.labels[key[0]], gold.labels[key[1]], counts[key],
            max(1, round(9 * counts[key] / most)), f"{key[0]}-{key[1]}",
            tuple(i for _, i in sorted(behind[key])[:most_behind]) if n < limits.cells else (),
        )
        for n, key in enumerate(order)
    }  # fmt: skip
    first = tuple(pairs_told[key] for key in order)
    if len(gold.labels) > limits.matrix:
        return Confusion(first, len(first), (), ())
    right = (judged.given & gold.matrix).sum(axis=0)
    size = range(len(gold.labels))
    cells = tuple(
        tuple(int(right[a]) if a == b and a < known else pairs_told.get((a, b)) for b in size)
        for a in size
    )
    return Confusion(first, len(first), gold.labels, cells)


def documents_behind(confusion: Confusion) -> list[int]:
    """All places that cells name, ascending."""
    return sorted({i for pair in confusion.pairs for i in pair.behind})
