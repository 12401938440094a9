"""Bounds on the gains of thresholds and of partly unknown conditions, from sums that are kept."""

from __future__ import annotations

import numpy as np

from boostext.boosting.engines.arrays import (
    Array,
    BlockArrays,
    BlockRoom,
    ChangeArrays,
    Doubles,
    LabelArrays,
    ListArrays,
    Number,
    SingleTable,
    Steps,
    StepTable,
)
from boostext.boosting.gains import ALLOWED, apart

DENSE = 8
"""The number of sums per row up to which all sums of a row are updated at once."""


def update_blocks(
    changes: ChangeArrays,
    by_document: ListArrays,
    labels: LabelArrays,
    k: int,
    rows: StepTable,
    change: Steps,
) -> None:
    """Add the changes of the weights of documents to the rows that contain these documents.

    change: working memory for one row.
    """
    by_neg, by_pos = changes.neg, changes.pos
    starts, items = by_document.starts, by_document.items
    width = rows.shape[1]
    for c in range(changes.count[0]):
        i = changes.documents[c]
        first, last = labels.starts[i], labels.starts[i + 1]
        if width <= DENSE:
            for label in range(k):
                change[label], change[k + label] = by_neg[c, label], 0
            for p in range(first, last):
                change[k + labels.items[p]] = by_pos[p]
            for place in range(starts[i], starts[i + 1]):
                r = items[place]
                # subtle: reading four sums before any is stored lets the compiler use vector
                # instructions
                for x in range(0, width, 4):
                    s, t = rows[r, x] + change[x], rows[r, x + 1] + change[x + 1]
                    u, v = rows[r, x + 2] + change[x + 2], rows[r, x + 3] + change[x + 3]
                    rows[r, x], rows[r, x + 1], rows[r, x + 2], rows[r, x + 3] = s, t, u, v
        else:
            for place in range(starts[i], starts[i + 1]):
                r = items[place]
                for label in range(k):
                    rows[r, label] += by_neg[c, label]
                for p in range(first, last):
                    rows[r, k + labels.items[p]] += by_pos[p]


def unknown_parts(
    form: int,
    votes: bool,
    k: int,
    rows: Array,
    sizes: Array,
    counts: Array,
    scale: Array,
    parts: Array,
) -> None:
    """Compute what the unknown block contributes to the bound of each condition.

    parts (u, 2): the result, for the first u rows. votes: whether rules vote in the unknown block.
    Form 0: 1, minus the weight of the block if it is silent, or minus 2 sqrt(W+ W-) if it votes.
    Form 1: the gain of the block. Forms 2 and 3: its right and its wrong weight.
    """
    for u in range(len(parts)):
        first, second, silent = 0.0, 0.0, 0.0
        for label in range(k):
            A, B = np.float64(scale[0, label]), np.float64(scale[1, label])
            N, P = np.float64(rows[u, label]), np.float64(rows[u, k + label])
            n, p = min(sizes[u], counts[0, label]), min(sizes[u], counts[1, label])
            q0, p0 = N * A, P * B
            q1, p1 = (N + n) * A, (P + p) * B
            silent += q0 + p0
            if form == 0:
                first -= 2 * np.sqrt(q0 * p0)
            elif form == 1:
                first += q1 + p1 - 2 * np.sqrt(q0 * p0)
            else:
                first += max(q1, p1)
                second += min(q0, p0)
        if not votes:
            first, second = -silent if form == 0 else 0.0, 0.0
        parts[u, 0], parts[u, 1] = first + (1.0 if form == 0 else 0.0), second


def fill(
    start: int, stop: int, m: int, blocks: BlockArrays, all_steps: Array, work: BlockRoom
) -> None:
    """Fill `work` with the sums of the blocks YES and NO for the rows start..stop - 1, labels
    first.
    """
    sizes, unknown, resets, rows = blocks.sizes, blocks.unknown, blocks.resets, blocks.sums
    parts = work.parts
    yes, no, inside, outside = work.yes, work.no, work.inside, work.outside
    value, other, running = work.value, work.other, work.running
    k = yes.shape[1]
    for r in range(start, stop):
        c, u = r - start, unknown[r]
        if resets[r]:
            for sign in range(2):
                for label in range(k):
                    running[sign, label] = 0
        for sign in range(2):
            for label in range(k):
                x = np.uint32(running[sign, label] + rows[r, sign * k + label])
                running[sign, label] = x
                yes[sign, label, c] = x
                no[sign, label, c] = np.uint32(
                    all_steps[sign, label] - x - rows[u, sign * k + label]
                )
        inside[c] = sizes[r]
        outside[c] = m - sizes[r] - sizes[u]
        value[c], other[c] = parts[u, 0], parts[u, 1]


def add_roots(label: int, sums: Array, scale: Array, value: Array) -> None:
    """Subtract 2 sqrt(W+ W-) of one block from `value`, rounded so that the result is an upper
    bound.

    sums: (2, k, STEP), which were rounded down.
    """
    A, B = scale[0, label], scale[1, label]
    for c in range(len(value)):
        N, P = np.float32(sums[0, label, c]) * A, np.float32(sums[1, label, c]) * B
        value[c] -= 2 * np.float64(np.sqrt(N * P))


def add_weights(
    label: int, sums: Array, off: Array, counts: Array, scale: Array, value: Array
) -> None:
    """Add W+ + W- of one block to `value`, rounded so that the result is an upper bound.

    off: (STEP,), the number of weights in each sum that may have been rounded down.
    """
    A, B = scale[0, label], scale[1, label]
    for c in range(len(value)):
        N = (np.float32(sums[0, label, c]) + min(off[c], counts[0, label])) * A
        P = (np.float32(sums[1, label, c]) + min(off[c], counts[1, label])) * B
        value[c] += np.float64(N + P)


def add_right_wrong(
    label: int, sums: Array, off: Array, counts: Array, scale: Array, value: Array, other: Array
) -> None:
    """Add max(W+, W-) of one block to `value`, rounded up, and min(W+, W-) to `other`, rounded
    down.
    """
    A, B = scale[0, label], scale[1, label]
    for c in range(len(value)):
        N, P = np.float32(sums[0, label, c]), np.float32(sums[1, label, c])
        x, y = min(off[c], counts[0, label]), min(off[c], counts[1, label])
        value[c] += np.float64(max((N + x) * A, (P + y) * B))
        other[c] += np.float64(min(N * A, P * B))


def bound_blocks(
    form: int,
    votes: bool,
    m: int,
    least: float,
    preference: Doubles,
    blocks: BlockArrays,
    all_steps: StepTable,
    counts: SingleTable,
    scale: SingleTable,
    work: BlockRoom,
) -> Number:
    """Find the conditions with rows whose value (gain x preference) may reach `least`.

    votes: whether rules vote in the unknown block. m: the number of documents. all_steps: the sums
    over all documents. Returns the number of conditions found.
    """
    numbers, parts, found, bounds = blocks.numbers, work.parts, work.found, work.bounds
    yes, no, inside, outside = work.yes, work.no, work.inside, work.outside
    value, other = work.value, work.other
    step, count, k = len(value), 0, yes.shape[1]
    unknown_parts(form, votes, k, blocks.sums, blocks.sizes, counts, scale, parts)
    for start in range(len(parts), len(numbers), step):
        stop = min(start + step, len(numbers))
        fill(start, stop, m, blocks, all_steps, work)
        for label in range(k):
            if form < 2:
                add_roots(label, yes, scale, value)
                if form == 0:
                    add_roots(label, no, scale, value)
                else:
                    add_weights(label, yes, inside, counts, scale, value)
            else:
                add_right_wrong(label, yes, inside, counts, scale, value, other)
                if form == 2:
                    add_right_wrong(label, no, outside, counts, scale, value, other)
        for r in range(start, stop):
            most = value[r - start] + ALLOWED
            if form >= 2:
                most = apart(max(other[r - start] - ALLOWED, 0.0), most) + 1e-12
            j = numbers[r]
            most *= preference[0] if len(preference) == 1 else preference[j]
            if most >= least:
                found[count], bounds[count] = j, most
                count += 1
    return count


KERNELS = (update_blocks, bound_blocks)
