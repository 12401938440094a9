"""The updates of terms when weights of documents change: bounds on gains, and rows of sums."""

from __future__ import annotations

import numpy as np

from boostext.boosting.engines.arrays import (
    Array,
    BoundArrays,
    ChangeArrays,
    EngineArrays,
    FoundArrays,
    Int32s,
    Int64s,
    LabelArrays,
    ListArrays,
    Number,
    RowArrays,
    StepArrays,
    TermArrays,
    WeightArrays,
)
from boostext.boosting.gains import adds_of, label_share, least_weight
from boostext.instructions import fetch

ALL = 2.0**26
"""The whole number that the sum of the bounds of all documents is scaled to."""
LINE = 16
"""The number of sums in a line of the cache, by which rows are fetched before they are used."""
HIGH = 2.0**30
"""The largest bound of a document, which fits into 32 bits."""


def transpose(numbers: Int32s, lists: ListArrays, starts: Int64s, items: Int32s) -> None:
    """Compute the terms of each document from the documents of each term.

    numbers: the conditions of the terms. starts (m + 1,), items: the result, as positions in
    `numbers`.
    """
    for t in range(len(numbers)):
        j = numbers[t]
        for c in range(lists.starts[j], lists.starts[j + 1]):
            starts[lists.items[c] + 1] += 1
    for i in range(1, len(starts)):
        starts[i] += starts[i - 1]
    for t in range(len(numbers)):
        j = numbers[t]
        for c in range(lists.starts[j], lists.starts[j + 1]):
            i = lists.items[c]
            items[starts[i]] = t
            starts[i] += 1
    for i in range(len(starts) - 1, 0, -1):
        starts[i] = starts[i - 1]
    starts[0] = 0


ANY_ORDER = frozenset({"document_bound"})
"""Functions that may add numbers in any order, since bounds are rounded up to whole numbers."""


def document_bound(
    i: Number, starts: Array, items: Array, neg: Array, pos: Array, counted: Array
) -> Number:
    """Return the most that a document can add to the gain of a term, rounded up."""
    bound = 0.0
    for label in range(neg.shape[1]):
        bound += neg[i, label] * counted[0, label]
    for place in range(starts[i], starts[i + 1]):
        bound += pos[place] * counted[1, items[place]]
    return np.int32(np.ceil(min(bound, HIGH)))


def bound_documents(
    form: int, labels: LabelArrays, weights: WeightArrays, bounds: BoundArrays
) -> Number:
    """Compute the bounds of all documents from the current weights, and return their sum."""
    starts, items, neg, pos = labels.starts, labels.items, weights.neg, weights.pos
    of_document, adds, counted = bounds.of_document, bounds.adds, bounds.counted
    adds_of(form, weights.sums, weights.scales, adds)
    for sign in range(2):
        for label in range(neg.shape[1]):
            counted[sign, label] = adds[sign, label] * ALL
    total = 0.0
    for i in range(neg.shape[0]):
        of_document[i] = document_bound(i, starts, items, neg, pos, counted)
        total += np.float64(of_document[i])
    return np.int64(total)


def bound_changed(engine: EngineArrays, bounds: BoundArrays) -> Number:
    """Update the bounds of the documents that changed; return the change of their sum."""
    labels, weights, changes = engine.labels, engine.weights, engine.changes
    starts, items, neg, pos = labels.starts, labels.items, weights.neg, weights.pos
    of_document, counted = bounds.of_document, bounds.counted
    documents, by = changes.documents, changes.bounds
    adds_of(engine.kind.form, weights.sums, weights.scales, bounds.adds)
    total = np.int64(0)
    for c in range(changes.count[0]):
        i = np.int64(documents[c])
        now = document_bound(i, starts, items, neg, pos, counted)
        by[c] = now - of_document[i]
        of_document[i] = now
        total += by[c]
    return total


def bound_terms(
    low: int, high: int, terms: TermArrays, lists: ListArrays, bounds: BoundArrays
) -> None:
    """Compute the bounds of the terms low..high - 1, the sums of the bounds of their documents."""
    numbers, starts, items = terms.numbers, lists.starts, lists.items
    of_document, of_term = bounds.of_document, bounds.of_term
    for t in range(low, high):
        j = numbers[t]
        total = np.int32(0)
        for c in range(starts[j], starts[j + 1]):
            total += of_document[items[c]]
        of_term[t] = total


SLACKS = (1.02, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 5.0, 1e9)
SHARES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0)
NEVER = 1e300


def fit_bound(
    form: int, gain: float, base: float, weights: WeightArrays, bounds: BoundArrays, room: Array
) -> tuple[Number, Number, Number, Number]:
    """Return the smallest bound with which a term may still reach the given gain.

    Labels are left out of the bound, and counted with all their weight instead, if the value of
    their weights has changed since bounds were computed by more than some factor, or if they weigh
    less than some share of the gain. Several factors and shares are tried, and the best is used.
    room: working memory, (2, kp). Returns ratio, out, least and the smallest bound; ratio times the
    bound of a term is the argument x of gains.roof.
    """
    sums, scales, adds, counted = weights.sums, weights.scales, bounds.adds, bounds.counted
    k = sums.shape[1]
    unit = NEVER
    for label in range(k):
        room[1, label] = label_share(form, label, sums, scales)
        moved = 0.0
        for sign in range(2):
            if adds[sign, label] > 0:
                known = counted[sign, label] > 1e-200
                moved = max(moved, adds[sign, label] / counted[sign, label] if known else NEVER)
        room[0, label] = moved
        if moved > 0:
            unit = min(unit, moved)
    fitted = 0.0, NEVER, 1.0, -2.0
    for trial in range(len(SLACKS) * len(SHARES)):
        slack, share = SLACKS[trial // len(SHARES)], SHARES[trial % len(SHARES)]
        out, least, ratio = 0.0, NEVER, 0.0
        for label in range(k):
            moved, weight = room[0, label], room[1, label]
            if moved > slack * unit or weight < share * gain / 2:
                out += weight
            elif moved > 0:
                ratio = max(ratio, moved)
                least = min(least, weight)
        if ratio > 0 and ratio < NEVER:
            found = max(least_weight(form, gain, base, out, least) / ratio, -1.0)
            if found > fitted[3]:
                fitted = ratio, out, least, found
    return fitted


# Rows ----------------------------------------------------------------------------------------


def update(low: int, high: int, engine: EngineArrays, rows: RowArrays, found: FoundArrays) -> None:
    """Add the changes of documents to the bounds and rows of their terms in low..high - 1."""
    labels, terms, changes = engine.labels, engine.terms, engine.changes
    starts, items, sums, slot = terms.starts, terms.items, rows.sums, rows.slot
    label_starts, label_items, of_term = labels.starts, labels.items, rows.bounds.of_term
    documents, by_neg, by_pos, by = changes.documents, changes.neg, changes.pos, changes.bounds
    listed = found.wanted  # whose contents the next scan replaces
    stop = min(high, len(slot))
    for c in range(changes.count[0]):
        i, bound = documents[c], by[c]
        place, end = starts[i], starts[i + 1]
        if low > 0:
            place = lower_bound(items, place, end, low)
        # subtle: the rows are listed first, without a branch that no processor can predict
        last = low
        while place < end and items[place] < stop:
            t = np.uint32(items[place])
            of_term[t] += bound
            listed[last] = slot[t]
            row = sums[np.uint32(max(slot[t], 0))]
            for column in range(0, row.shape[1], LINE):
                fetch(row, 0, column)
            last += slot[t] >= 0
            place += 1
        while place < end and items[place] < high:
            of_term[items[place]] += bound
            place += 1
        for n in range(low, last):
            r = np.uint32(listed[n])
            for label in range(sums.shape[2]):
                sums[r, 0, label] += by_neg[c, label]
        for p in range(label_starts[i], label_starts[i + 1]):
            label, change = label_items[p], by_pos[p]
            for n in range(low, last):
                sums[np.uint32(listed[n]), 1, label] += change


def lower_bound(items: Array, low: int, high: int, x: int) -> int:
    """Return the first position in the ascending items[low:high] whose item is not below x."""
    while low < high:
        middle = (low + high) >> 1
        if items[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def fill_rows(
    wanted: Int32s,
    lists: ListArrays,
    labels: LabelArrays,
    terms: TermArrays,
    steps: StepArrays,
    rows: RowArrays,
) -> None:
    """Compute the rows of the terms in `wanted`, which have been given one."""
    sums, slot, numbers = rows.sums, rows.slot, terms.numbers
    starts, items, label_starts, label_items = (
        lists.starts,
        lists.items,
        labels.starts,
        labels.items,
    )
    neg, pos = steps.neg, steps.pos
    for w in range(len(wanted)):
        r, j = slot[wanted[w]], numbers[wanted[w]]
        for label in range(sums.shape[2]):
            sums[r, 0, label] = sums[r, 1, label] = 0
        for c in range(starts[j], starts[j + 1]):
            i = items[c]
            for label in range(sums.shape[2]):
                sums[r, 0, label] += neg[i, label]
            for p in range(label_starts[i], label_starts[i + 1]):
                sums[r, 1, label_items[p]] += pos[p]


def add_changes(term: Array, changes: ChangeArrays, labels: LabelArrays, row: Array) -> None:
    """Add the changes of documents to the row (2, kp) of a term; its documents are in ascending
    order.
    """
    documents, by_neg, by_pos = changes.documents, changes.neg, changes.pos
    starts, items = labels.starts, labels.items
    for c in range(changes.count[0]):
        i = documents[c]
        place = lower_bound(term, 0, len(term), i)
        if place < len(term) and term[place] == i:
            for label in range(row.shape[1]):
                row[0, label] += by_neg[c, label]
            for p in range(starts[i], starts[i + 1]):
                row[1, items[p]] += by_pos[p]


KERNELS = (transpose, bound_documents, bound_terms, fill_rows)
CALLED = (bound_changed, update)
