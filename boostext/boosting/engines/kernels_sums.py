"""Exact block weights of one condition, and of all thresholds of a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boostext.boosting.engines.shapes import LABELS, Array, E, Number

CANCEL = 1e-4
"""A rest of S below this share has lost digits; it is summed from its own examples."""


def add_documents(documents: Array, block: int, W: Array, labels: Array, e: Array) -> None:
    """Add e of the documents to W (3, 2, k)."""
    starts, items = labels[0], labels[1]
    neg, pos = e[0], e[1]
    for c in range(len(documents)):
        i = documents[c]
        for label in range(neg.shape[1]):
            W[block, 0, label] += neg[i, label]
        for place in range(starts[i], starts[i + 1]):
            W[block, 1, items[place]] += pos[place]


def rest_positive(label: int, yes: Array, unknown: Array, labels: Array, e: Array) -> Number:
    """Sum of e over examples with label l that are in neither list."""
    starts, items, places = labels[2], labels[3], labels[4]
    total = 0.0
    y, u = 0, 0
    for place in range(starts[label], starts[label + 1]):
        i = items[place]
        while y < len(yes) and yes[y] < i:
            y += 1
        while u < len(unknown) and unknown[u] < i:
            u += 1
        if (y == len(yes) or yes[y] != i) and (u == len(unknown) or unknown[u] != i):
            total += e[1][places[place]]
    return total


def rest_negative(label: int, yes: Array, unknown: Array, e: Array) -> Number:
    """Sum of e over examples without label l that are in neither list."""
    neg = e[0]
    total = 0.0
    y, u = 0, 0
    for i in range(neg.shape[0]):
        if y < len(yes) and yes[y] == i:
            y += 1
        elif u < len(unknown) and unknown[u] == i:
            u += 1
        else:
            total += neg[i, label]
    return total


def block_sums(yes: Array, unknown: Array, labels: Array, e: Array, W: Array) -> None:
    """W (3, 2, k): block weights, total 1, of the condition with these lists, both ascending."""
    S, g = e[2], e[3]
    for sign in range(2):
        for label in range(W.shape[2]):
            W[0, sign, label] = W[2, sign, label] = 0.0
    add_documents(unknown, 0, W, labels, e)
    add_documents(yes, 2, W, labels, e)
    for label in range(W.shape[2]):
        for sign in range(2):
            rest = S[sign, label] - W[0, sign, label] - W[2, sign, label]
            if rest < CANCEL * S[sign, label]:
                if sign == 1:
                    rest = rest_positive(label, yes, unknown, labels, e)
                else:
                    rest = rest_negative(label, yes, unknown, e)
            W[1, sign, label] = rest
            for block in range(3):
                W[block, sign, label] *= g[sign, label]


def gain_of(form: int, W: Array, speaks: Array) -> Number:
    """The gain of block weights, as VOTES has it."""
    gain, right, wrong = 0.0, 0.0, 0.0
    for block in range(3):
        if speaks[block] != 0:
            for label in range(W.shape[2]):
                a, b = W[block, 0, label], W[block, 1, label]
                if form < 2:
                    d = np.sqrt(b) - np.sqrt(a)
                    gain += d * d
                else:
                    right += max(a, b)
                    wrong += min(a, b)
    if form >= 2:
        d = np.sqrt(right) - np.sqrt(wrong)
        gain = d * d
    return gain


def exact(
    form: int, yes: Array, unknown: Array, labels: Array, e: Array, speaks: Array, W: Array
) -> Number:
    """The gain of the condition with these lists, ascending; W (3, 2, k): its block weights."""
    block_sums(yes, unknown, labels, e, W)
    return gain_of(form, W, speaks)


def cut_gains(
    form: int, order: Array, first: Array, unknown: Array, labels: Array, e: Array, speaks: Array,
    gains: Array,
) -> None:  # fmt: skip
    """gains (c,) of the thresholds of one column, by sums that run down from the greatest value.

    order, first, unknown: of Cuts.
    """
    S, g = e[2], e[3]
    k = S.shape[1]
    sums, table = np.zeros((3, 2, k)), np.zeros((3, 2, k))
    add_documents(unknown, 0, sums, labels, e)
    end = len(order)
    for cut in range(len(first) - 1, -1, -1):
        add_documents(order[first[cut] : end], 2, sums, labels, e)
        end = first[cut]
        for sign in range(2):
            for label in range(k):
                rest = S[sign, label] - sums[0, sign, label] - sums[2, sign, label]
                table[0, sign, label] = sums[0, sign, label] * g[sign, label]
                table[1, sign, label] = max(rest, 0.0) * g[sign, label]
                table[2, sign, label] = sums[2, sign, label] * g[sign, label]
        gains[cut] = gain_of(form, table, speaks)


SIGNATURES: dict[Callable[..., Any], str] = {
    exact: f"int64, int32[::1], int32[::1], {LABELS}, {E}, float64[::1], float64[:, :, ::1]",
    cut_gains: f"int64, int32[::1], int64[::1], int32[::1], {LABELS}, {E}, float64[::1], "
    "float64[::1]",
}
