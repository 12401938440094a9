"""What a rule moves: weights of documents, their sums, and what terms keep of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boostext.boosting.engines.shapes import (
    CHANGES,
    LABELS,
    LISTS,
    ROWS,
    TABLE,
    WHOLE,
    Array,
    Number,
)

HIGH, HIGHEST = 2.0**30, 2.0**32 - 1


def add_exactly(S: Array, low: Array, sign: int, label: int, x: float) -> None:
    """S + x; the rounding error goes to `low`. Source: Knuth's TwoSum."""
    s = S[sign, label]
    t = s + x
    b = t - s
    low[sign, label] += (s - (t - b)) + (x - b)
    S[sign, label] = t


def whole_number(x: float) -> Number:
    """x rounded down; what is too great for 32 bits is cut (the engine renews all then)."""
    return np.int64(min(x, HIGHEST))


def advance(
    documents: Array, first: int, shift: Array, factor: Array, labels: Array,
    local: Array, neg: Array, pos: Array, S: Array, low: Array,
    grid: Array, worth: Array, whole: Array, changes: Array,
) -> None:  # fmt: skip
    """Votes `shift` (k,) for documents of one block: scores, weights, sums; and what to tell terms.

    factor: (2, k) exp(shift), exp(-shift). grid: (2, k) steps of e in a whole number, inverted.
    worth: (2, k) what e of a sign counts in a document's bound, in whole numbers. whole: of
    WHOLE. changes: of CHANGES; rows from `first` on are filled.
    """
    starts, items = labels[0], labels[1]
    by_document, by_neg, by_pos, bounds = changes
    whole_neg, whole_pos, units, bound_of = whole
    k = neg.shape[1]
    for c in range(len(documents)):
        i = documents[c]
        by_document[first + c] = i
        bound = 0.0
        for label in range(k):
            before = neg[i, label]
            after = before * factor[0, label]
            neg[i, label] = after
            now = np.uint32(whole_number(after * grid[0, label]))
            change = np.uint32(now - whole_neg[i, label])
            whole_neg[i, label] = now
            by_neg[first + c, label] = change
            units[0, label] += change
            add_exactly(S, low, 0, label, -before)
            add_exactly(S, low, 0, label, after)
        for label in range(k):
            local[i, label] += shift[label]
            bound += neg[i, label] * worth[0, label]
        for place in range(starts[i], starts[i + 1]):
            label = items[place]
            before = pos[place]
            after = before * factor[1, label]
            pos[place] = after
            now = np.uint32(whole_number(after * grid[1, label]))
            change = np.uint32(now - whole_pos[place])
            whole_pos[place] = now
            by_pos[place] = change
            units[1, label] += change
            add_exactly(S, low, 1, label, -before)
            add_exactly(S, low, 1, label, after)
            bound += after * worth[1, label]
        least = np.int32(np.ceil(min(bound, HIGH)))
        bounds[first + c] = least - bound_of[i]
        bound_of[i] = least


def sum_exactly(labels: Array, neg: Array, pos: Array, S: Array, low: Array) -> None:
    """S + low (2, k): the sums of e, to twice the digits: later they fall by many powers of ten."""
    for label in range(neg.shape[1]):
        S[0, label] = S[1, label] = low[0, label] = low[1, label] = 0.0
    for i in range(neg.shape[0]):
        for label in range(neg.shape[1]):
            add_exactly(S, low, 0, label, neg[i, label])
        for place in range(labels[0][i], labels[0][i + 1]):
            add_exactly(S, low, 1, labels[1][place], pos[place])


def weigh(worth: Array, labels: Array, neg: Array, pos: Array, whole: Array) -> Number:
    """whole (m,): each document's bound, rounded up; returns their sum."""
    starts, items = labels[0], labels[1]
    total = 0.0
    for i in range(neg.shape[0]):
        bound = 0.0
        for label in range(neg.shape[1]):
            bound += neg[i, label] * worth[0, label]
        for place in range(starts[i], starts[i + 1]):
            bound += pos[place] * worth[1, items[place]]
        bound = np.ceil(min(bound, HIGH))
        whole[i] = np.int32(bound)
        total += bound
    return total


def scales(form: int, S: Array, G: Array, g: Array, now: Array) -> Number:
    """g (2, k): exp(-+G) over the total, so that e * g sums to 1; returns the total.

    now: (2, k) what e of a sign can add to a gain. Real votes: h(p, q) = 1 - sqrt((1-p)(1-q)) -
    sqrt(pq) <= p + q, p = P/S+, q = N/S-, and a label adds 2 sqrt(S+ S-) h; others: its weight.
    """
    total = 0.0
    for label in range(S.shape[1]):
        g[0, label], g[1, label] = np.exp(G[label]), np.exp(-G[label])
        total += S[0, label] * g[0, label] + S[1, label] * g[1, label]
    for label in range(S.shape[1]):
        g[0, label] /= total
        g[1, label] /= total
        if form > 0:
            now[0, label], now[1, label] = g[0, label], g[1, label]
        elif S[0, label] > 0 and S[1, label] > 0:
            root = np.sqrt(S[1, label] / S[0, label])
            now[0, label], now[1, label] = root / total, 1 / (root * total)
        else:
            now[0, label], now[1, label] = 0.0, 0.0
    return total


def tell(
    low: int, high: int, changes: Array, terms: Array, labels: Array, slot: Array, rows: Array,
    mass: Array,
) -> None:  # fmt: skip
    """Tell terms low..high - 1 of the changes of their documents.

    terms: (starts, items) of the terms of each document, ascending. slot: the rows of the first
    terms, or -1; the rest never have one.
    """
    documents, by_neg, by_pos, bounds = changes
    starts, items = terms
    stop = min(high, len(slot))
    for c in range(len(documents)):
        i, bound = documents[c], bounds[c]
        first, last = labels[0][i], labels[0][i + 1]
        # subtle: most documents have one label, and a loop for it would take a third of the time
        label_one, change_one = np.int64(0), np.uint32(0)
        if first < last:
            label_one, change_one = np.int64(labels[1][first]), by_pos[first]
        place, end = starts[i], starts[i + 1]
        if low > 0:
            place = lower_bound(items, place, end, low)
        while place < end and items[place] < stop:
            t = np.uint32(items[place])
            mass[t] += bound
            r = slot[t]
            if r >= 0:
                for label in range(rows.shape[2]):
                    rows[r, 0, label] += by_neg[c, label]
                rows[r, 1, label_one] += change_one
                if last - first > 1:
                    for p in range(first + 1, last):
                        rows[r, 1, labels[1][p]] += by_pos[p]
            place += 1
        while place < end and items[place] < high:
            mass[items[place]] += bound
            place += 1


def lower_bound(items: Array, low: int, high: int, x: int) -> int:
    """First place in items[low:high], ascending, that is not below x."""
    while low < high:
        middle = (low + high) >> 1
        if items[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def fill_rows(
    wanted: Array, numbers: Array, lists: Array, labels: Array, whole_neg: Array,
    whole_pos: Array, slot: Array, rows: Array,
) -> None:  # fmt: skip
    """The rows of the wanted terms, which have a slot."""
    for w in range(len(wanted)):
        r, j = slot[wanted[w]], numbers[wanted[w]]
        for label in range(rows.shape[2]):
            rows[r, 0, label] = rows[r, 1, label] = 0
        for c in range(lists[0][j], lists[0][j + 1]):
            i = lists[1][c]
            for label in range(rows.shape[2]):
                rows[r, 0, label] += whole_neg[i, label]
            for p in range(labels[0][i], labels[0][i + 1]):
                rows[r, 1, labels[1][p]] += whole_pos[p]


def recount_mass(
    low: int, high: int, numbers: Array, lists: Array, whole: Array, mass: Array
) -> None:
    """mass of terms low..high - 1: the sum of their documents' bounds."""
    for t in range(low, high):
        j = numbers[t]
        total = np.int32(0)
        for c in range(lists[0][j], lists[0][j + 1]):
            total += whole[lists[1][c]]
        mass[t] = total


def transpose(numbers: Array, lists: Array, starts: Array, items: Array) -> None:
    """starts (m + 1,), items: places in `numbers` of the listed conditions of each document."""
    ends, documents = lists
    for j in numbers:
        for c in range(ends[j], ends[j + 1]):
            starts[documents[c] + 1] += 1
    for i in range(1, len(starts)):
        starts[i] += starts[i - 1]
    for t in range(len(numbers)):
        j = numbers[t]
        for c in range(ends[j], ends[j + 1]):
            i = documents[c]
            items[starts[i]] = t
            starts[i] += 1
    for i in range(len(starts) - 1, 0, -1):
        starts[i] = starts[i - 1]
    starts[0] = 0


SIGNATURES: dict[Callable[..., Any], str] = {
    scales: f"int64, {TABLE}, float64[::1], {TABLE}, {TABLE}",
    advance: f"int32[::1], int64, float64[::1], {TABLE}, {LABELS}, {TABLE}, {TABLE}, float64[::1], "
    f"{TABLE}, {TABLE}, {TABLE}, {TABLE}, {WHOLE}, {CHANGES}",
    sum_exactly: f"{LABELS}, {TABLE}, float64[::1], {TABLE}, {TABLE}",
    weigh: f"{TABLE}, {LABELS}, {TABLE}, float64[::1], int32[::1]",
    tell: f"int64, int64, {CHANGES}, {LISTS}, {LABELS}, int32[::1], {ROWS}, int32[::1]",
    fill_rows: f"int32[::1], int32[::1], {LISTS}, {LABELS}, uint32[:, ::1], "
    f"uint32[::1], int32[::1], {ROWS}",
    transpose: f"int32[::1], {LISTS}, int64[::1], int32[::1]",
    recount_mass: f"int64, int64, int32[::1], {LISTS}, int32[::1], int32[::1]",
}
