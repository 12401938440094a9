"""What terms gain at least by their rows: where a search begins, without a look at documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boostext.boosting.engines.shapes import CHANGES, LABELS, LISTS, ROWS, TABLE, Array, Number

ALLOWED = 1e-9
"""What a bound may be wrong by in 64 bits."""

CANCEL = 2.0**-50
"""The share of a sum that its rest may be wrong by, where nearly all of it is taken away."""


def reached(
    form: int, near: Array, likes: Array, changes: Array, numbers: Array, lists: Array,
    labels: Array, slot: Array, rows: Array, base: float, total: float, S: Array, g: Array,
    grid: Array, row: Array,
) -> Number:  # fmt: skip
    """The greatest of like x least gain of the terms `near` that have a row; -1 for none.

    changes: which rows have yet to hear. numbers: the condition of each term. row: room, (2, kp).
    """
    best = -1.0
    for n in range(len(near)):
        t = near[n]
        if t < len(slot) and slot[t] >= 0:
            for sign in range(2):
                for label in range(rows.shape[2]):
                    row[sign, label] = rows[slot[t], sign, label]
            documents = lists[1][lists[0][numbers[t]] : lists[0][numbers[t] + 1]]
            hear(documents, changes, labels, row)
            best = max(best, likes[n] * lower(form, row, len(documents), base, total, S, g, grid))
    return best


def hear(documents: Array, changes: Array, labels: Array, row: Array) -> None:
    """Add to the row of the term in these documents, ascending, what changed in them."""
    changed, by_neg, by_pos = changes[0], changes[1], changes[2]
    for c in range(len(changed)):
        i = changed[c]
        low, high = 0, len(documents)
        while low < high:
            middle = (low + high) >> 1
            if documents[middle] < i:
                low = middle + 1
            else:
                high = middle
        if low < len(documents) and documents[low] == i:
            for label in range(row.shape[1]):
                row[0, label] += by_neg[c, label]
            for p in range(labels[0][i], labels[0][i + 1]):
                row[1, labels[1][p]] += by_pos[p]


def lower(
    form: int, row: Array, yes: Number, base: float, total: float, S: Array, g: Array, grid: Array
) -> Number:
    """At most the gain of a term with this row, whose sums are up to `yes` too small.

    base: as `kernels_search.row_scales` gives it. Twin of `kernels_search.upper`.
    """
    gain, right, wrong = 0.0, 0.0, 0.0
    for label in range(S.shape[1]):
        N, P = np.float64(row[0, label]), np.float64(row[1, label])
        D0, D1 = S[0, label] * grid[0, label], S[1, label] * grid[1, label]
        n, p = max(D0 - N, 0.0) + D0 * CANCEL, max(D1 - P, 0.0) + D1 * CANCEL
        a, b = g[0, label] / grid[0, label], g[1, label] / grid[1, label]
        if form == 0:
            if D0 > 0 and D1 > 0:
                roots = np.sqrt(min(N + yes, D0) * min(P + yes, D1)) + np.sqrt(n * p)
                weight = np.sqrt(S[0, label] * S[1, label]) / total
                gain += 2 * weight * (1 - roots / (np.sqrt(D0) * np.sqrt(D1)))
        elif form == 1:
            d = max(
                np.sqrt(P * b) - np.sqrt((N + yes) * a), np.sqrt(N * a) - np.sqrt((P + yes) * b)
            )
            gain += max(d, 0.0) ** 2
        elif form == 2:
            apart = yes * max(a, b)
            right += max(abs(P * b - N * a) - apart, 0.0) + max(abs(p * b - n * a) - apart, 0.0)
        else:
            right += max(N * a, P * b)
            wrong += min((N + yes) * a, (P + yes) * b)
    if form == 0:
        return base + gain - ALLOWED
    if form == 1:
        return gain - ALLOWED
    if form == 2:
        return 1 - np.sqrt(1 - min(right, 1.0) ** 2) - ALLOWED
    d = max(np.sqrt(right) - np.sqrt(wrong), 0.0)
    return d * d - ALLOWED


SIGNATURES: dict[Callable[..., Any], str] = {
    reached: f"int64, int32[::1], float64[::1], {CHANGES}, int32[::1], {LISTS}, {LABELS}, "
    f"int32[::1], {ROWS}, float64, float64, {TABLE}, {TABLE}, {TABLE}, uint32[:, ::1]",
}
