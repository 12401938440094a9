"""The update of weights by a rule in compiled code, with their sums and the weights of blocks."""

from __future__ import annotations

import numpy as np

from boostext.boosting.engines.arrays import (
    SPREAD,
    TOTAL,
    Array,
    DoubleBlocks,
    Doubles,
    DoubleTable,
    EngineArrays,
    Int32s,
    Int64s,
    LabelArrays,
    MoveRoom,
    Number,
    RuleKind,
    StepArrays,
    WeightArrays,
)
from boostext.boosting.gains import gain_of_blocks, most_of_blocks
from boostext.boosting.losses import logistic_value, logistic_weight
from boostext.instructions import fetch

EXPONENTIAL, LOGISTIC = 0, 1
STEPS, ROOM = 2.0**30, 3.5
"""The number of steps that the weights of a label sum to at first, and the factor by which the sum
may grow and still fit into 32 bits.
"""
COARSE, COARSE_ALONE = 4.0, 32.0
"""The factor by which the sum of the weights of a label may fall before its steps are too coarse.

COARSE_ALONE is used where there is a single label, since its searches are quick to find out exact
gains.
"""
FALLEN = 1e-9
"""The sum of e below which all weights are computed again, if all labels are affected alike."""
MOST_COMMON = 200
"""The largest score common to all documents, since its exponential is a factor in products."""
HIGHEST = 2.0**32 - 1
HALF, MIDDLE = 2.0**31, 2**31
"""The middle of the numbers of 32 bits, which turns them into numbers with a sign and back."""
AHEAD = 4
"""The number of documents by which their rows are fetched before they are used."""
ADDED = 2.0**-52
"""The rounding error of an addition, as a fraction of the sum of all weights, doubled for safety.
"""
CANCEL = 1e-4
"""The share of a sum below which a difference of sums is inaccurate.

The remaining weight is then summed over its own examples.
"""


def add_exactly(high: Array, low: Array, sign: int, label: int, x: float) -> None:
    """Add x to `high`, and the rounding error to `low`. Source: Knuth 1997, s4.2.2."""
    s = high[sign, label]
    t = s + x
    b = t - s
    low[sign, label] += (s - (t - b)) + (x - b)
    high[sign, label] = t


def add_to_loss(loss: Array, x: float) -> None:
    """Add x to the value of the loss in the same way as `add_exactly`."""
    t = loss[0] + x
    b = t - loss[0]
    loss[1] += (loss[0] - (t - b)) + (x - b)
    loss[0] = t


def fetch_row(table: Array, row: int, line: int) -> None:
    """Begin to read a row of a table. line: how many of its items are in 64 bytes."""
    for column in range(0, table.shape[1], line):
        fetch(table, row, column)


def in_steps(weight: float, per_weight: float) -> Number:
    """Return a weight in steps, rounded down, and at most the largest 32-bit number; see
    `must_renew`.
    """
    # subtle: there are vector instructions for numbers with a sign alone
    return np.uint32(
        np.int64(np.int32(np.floor(min(weight * per_weight, HIGHEST)) - HALF)) + MIDDLE
    )


def sum_weights(loss: int, labels: LabelArrays, weights: WeightArrays) -> None:
    """Compute the sums of e with twice the digits of a double, and the value of the loss.

    Sums need the digits because they fall by many powers of ten. The value of the loss is in the
    unit of e.
    """
    neg, pos, local, sums = weights.neg, weights.pos, weights.local, weights.sums
    high, low, value, example = weights.high, weights.low, weights.loss, weights.example
    starts, items, factors = labels.starts, labels.items, weights.factors
    first_neg, first_pos = weights.first_neg, weights.first_pos
    both = len(first_neg) > 0
    value[0] = value[1] = 0.0
    for label in range(neg.shape[1]):
        high[0, label] = high[1, label] = low[0, label] = low[1, label] = 0.0
    for i in range(neg.shape[0]):
        unit = example[i] * factors[2]
        for label in range(neg.shape[1]):
            add_exactly(high, low, 0, label, neg[i, label])
            if loss == LOGISTIC and neg[i, label] > 0:
                first = factors[2] * first_neg[i, label] if both else unit * factors[0]
                add_to_loss(value, first * logistic_value(-local[i, label]))
        for place in range(starts[i], starts[i + 1]):
            label = items[place]
            add_exactly(high, low, 1, label, pos[place])
            if loss == LOGISTIC:
                first = factors[2] * first_pos[place] if both else unit * factors[1]
                add_to_loss(value, first * logistic_value(local[i, label]))
    for label in range(neg.shape[1]):
        for sign in range(2):
            sums[sign, label] = high[sign, label] + low[sign, label]


def multiply(row: Array, factor: Array, high: Array, low: Array) -> None:
    """Multiply e of one document by the factors (k,), and update the sums as `add_exactly` does."""
    # subtle: this and `count` are loops without branches, so that they become vector instructions
    for label in range(len(factor)):
        before = row[label]
        after = before * factor[label]
        row[label] = after
        s = high[label]
        t = s - before
        b = t - s
        error = low[label] + ((s - (t - b)) + (-before - b))
        u = t + after
        b = u - t
        low[label] = error + ((t - (u - b)) + (after - b))
        high[label] = u


def count(row: Array, per_weight: Array, steps: Array, by: Array, sums: Array) -> None:
    """Convert e of one document to steps, and add the changes `by` to the sums of steps."""
    for label in range(len(per_weight)):
        now = in_steps(row[label], per_weight[label])
        change = np.uint32(now - steps[label])
        steps[label] = now
        by[label] = change
        sums[label] += change


def advance(documents: Array, engine: EngineArrays, room: MoveRoom) -> None:
    """Add votes to the scores of the documents of one block, and update their weights.

    The votes (k,) are in room.shift, and exp(shift) and exp(-shift) in room.factor.
    """
    loss, labels, weights, steps = engine.kind.loss, engine.labels, engine.weights, engine.steps
    shift, factor, changes = room.shift, room.factor, engine.changes
    starts, items, value = labels.starts, labels.items, weights.loss
    neg, pos, local, high, low = weights.neg, weights.pos, weights.local, weights.high, weights.low
    example, factors, per_weight = weights.example, weights.factors, steps.per_weight
    steps_neg, steps_pos, steps_sums = steps.neg, steps.pos, steps.sums
    changed, by_neg, by_pos = changes.documents, changes.neg, changes.pos
    first_neg, first_pos = weights.first_neg, weights.first_pos
    both, several = len(first_neg) > 0, neg.shape[1] > 1
    first = changes.count[0]
    for c in range(len(documents)):
        i = documents[c]
        changed[first + c] = i
        if several and c + AHEAD < len(documents):
            later = documents[c + AHEAD]
            fetch_row(neg, later, 8)
            fetch_row(steps_neg, later, 16)
            fetch_row(local, later, 8)
        against, in_favor = (
            example[i] * factors[2] * factors[0],
            example[i] * factors[2] * factors[1],
        )
        if loss == EXPONENTIAL:
            multiply(neg[i], factor[0], high[0], low[0])
        else:
            for label in range(neg.shape[1]):
                before = after = neg[i, label]
                if before > 0:
                    if both:
                        against = factors[2] * first_neg[i, label]
                    margin = -local[i, label]
                    after = against * logistic_weight(margin - shift[label])
                    add_to_loss(value, -against * logistic_value(margin))
                    add_to_loss(value, against * logistic_value(margin - shift[label]))
                neg[i, label] = after
                add_exactly(high, low, 0, label, -before)
                add_exactly(high, low, 0, label, after)
        count(neg[i], per_weight[0], steps_neg[i], by_neg[first + c], steps_sums[0])
        for place in range(starts[i], starts[i + 1]):
            label = items[place]
            before = pos[place]
            after = before * factor[1, label]
            if loss == LOGISTIC:
                if both:
                    in_favor = factors[2] * first_pos[place]
                margin = local[i, label]
                after = in_favor * logistic_weight(margin + shift[label])
                add_to_loss(value, -in_favor * logistic_value(margin))
                add_to_loss(value, in_favor * logistic_value(margin + shift[label]))
            pos[place] = after
            now = in_steps(after, per_weight[1, label])
            change = np.uint32(now - steps_pos[place])
            steps_pos[place] = now
            by_pos[place] = change
            steps_sums[1, label] += change
            add_exactly(high, low, 1, label, -before)
            add_exactly(high, low, 1, label, after)
        for label in range(neg.shape[1]):
            local[i, label] += shift[label]
    changes.count[0] = first + len(documents)


def scale(sums: Array, scales: Array, common: Array) -> Number:
    """Set `scales` so that the weights sum to 1, and return the sum before scaling.

    scales: exp(-+common) divided by the sum.
    """
    total = 0.0
    for label in range(sums.shape[1]):
        scales[0, label], scales[1, label] = np.exp(common[label]), np.exp(-common[label])
        total += sums[0, label] * scales[0, label] + sums[1, label] * scales[1, label]
    for label in range(sums.shape[1]):
        scales[0, label] /= total
        scales[1, label] /= total
    return total


def rest_of(yes: Array, unknown: Array, inside: Array, rest: Array) -> Number:
    """Write the documents in neither list to `rest` in ascending order, and return their number.

    inside: working memory, all False.
    """
    for c in range(len(yes)):
        inside[yes[c]] = True
    for c in range(len(unknown)):
        inside[unknown[c]] = True
    count = 0
    for i in range(len(inside)):
        if inside[i]:
            inside[i] = False
        else:
            rest[count] = i
            count += 1
    return count


def move(n: int, yes: Array, unknown: Array, engine: EngineArrays, room: MoveRoom) -> Number:
    """Apply the votes of round n: update scores, weights and sums, and record what changed.

    yes, unknown: the documents of the condition. The documents of one block keep their e, and all
    others are updated relative to them: those of block NO if rules are silent in it, and otherwise
    those of the largest block. Returns Z, the factor that the loss was multiplied by.
    """
    loss, weights, changes = engine.kind.loss, engine.weights, engine.changes
    votes = engine.made.votes[n]
    m, k = weights.neg.shape
    figures, value = weights.figures, weights.loss
    before = value[0] + value[1] if loss == LOGISTIC else figures[TOTAL]
    common, sums, high, low = weights.common, weights.sums, weights.high, weights.low
    sizes = (len(unknown), m - len(yes) - len(unknown), len(yes))
    base = 1
    if not engine.kind.quiet:
        if sizes[2] > sizes[base]:
            base = 2
        if sizes[0] > sizes[base]:
            base = 0
    changes.count[0] = 0
    shift, factor = room.shift, room.factor
    farthest = 0.0
    for block in (2, 0, 1):
        greatest = 0.0
        for label in range(k):
            shift[label] = votes[block, label] - votes[base, label]
            factor[0, label], factor[1, label] = np.exp(shift[label]), np.exp(-shift[label])
            greatest = max(greatest, abs(shift[label]))
        if block == base or sizes[block] == 0 or greatest == 0:
            continue
        documents = yes if block == 2 else unknown
        if block == 1:
            documents = room.rest[: rest_of(yes, unknown, room.inside, room.rest)]
        advance(documents, engine, room)
        farthest = max(farthest, greatest)
    for label in range(k):
        common[label] += votes[base, label]
        for sign in range(2):
            sums[sign, label] = high[sign, label] + low[sign, label]
    figures[TOTAL] = scale(sums, weights.scales, common)
    figures[SPREAD] += farthest
    return (value[0] + value[1] if loss == LOGISTIC else figures[TOTAL]) / before


def must_renew(weights: WeightArrays, steps: StepArrays, most: float) -> Number:
    """Return whether steps are too coarse, or weights too large or too small to be kept in steps.

    most: COARSE or COARSE_ALONE.
    """
    sums, per_weight, common = weights.sums, steps.per_weight, weights.common
    left, roots, coarse = 0.0, 0.0, 0.0
    for label in range(sums.shape[1]):
        neg, pos = sums[0, label], sums[1, label]
        neg_steps, pos_steps = neg * per_weight[0, label], pos * per_weight[1, label]
        if max(neg_steps, pos_steps) >= ROOM * STEPS or abs(common[label]) > MOST_COMMON:
            return True
        left += neg + pos
        root = np.sqrt(neg * pos)
        roots += root
        if min(neg_steps, pos_steps) < STEPS / most:
            coarse += root
    return left < FALLEN or coarse > 0.02 * roots


# Block weights -------------------------------------------------------------------------------


def add_documents(
    documents: Array, sums: Array, starts: Array, items: Array, neg: Array, pos: Array
) -> None:
    """Add the e of some documents to the sums (2, k) of a block, by sign."""
    several = neg.shape[1] > 1
    for c in range(len(documents)):
        i = documents[c]
        if several and c + AHEAD < len(documents):
            fetch_row(neg, documents[c + AHEAD], 8)
        for label in range(neg.shape[1]):
            sums[0, label] += neg[i, label]
        for place in range(starts[i], starts[i + 1]):
            sums[1, items[place]] += pos[place]


def rest_positive(yes: Array, unknown: Array, examples: Array, places: Array, pos: Array) -> Number:
    """Return the sum of e over the examples of a label that are in neither list.

    places: the positions of the pairs of example and label.
    """
    total = 0.0
    y, u = 0, 0
    for c in range(len(examples)):
        i = examples[c]
        while y < len(yes) and yes[y] < i:
            y += 1
        while u < len(unknown) and unknown[u] < i:
            u += 1
        if (y == len(yes) or yes[y] != i) and (u == len(unknown) or unknown[u] != i):
            total += pos[places[c]]
    return total


def rest_negative(label: int, yes: Array, unknown: Array, neg: Array) -> Number:
    """Return the sum of e over the examples without a label that are in neither list."""
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


def exact(
    kind: RuleKind,
    yes: Int32s,
    unknown: Int32s,
    labels: LabelArrays,
    weights: WeightArrays,
    W: DoubleBlocks,
) -> Number:
    """Return the exact gain of the condition with these documents, which are in ascending order.

    W (3, 2, k) is filled with its block weights.
    """
    sums, scales, neg, pos = weights.sums, weights.scales, weights.neg, weights.pos
    starts, items, by_label = labels.starts, labels.items, labels.by_label
    examples, places = labels.examples, labels.places
    for sign in range(2):
        for label in range(W.shape[2]):
            W[0, sign, label] = W[2, sign, label] = 0.0
    add_documents(unknown, W[0], starts, items, neg, pos)
    add_documents(yes, W[2], starts, items, neg, pos)
    for label in range(W.shape[2]):
        for sign in range(2):
            rest = sums[sign, label] - W[0, sign, label] - W[2, sign, label]
            if rest < CANCEL * sums[sign, label]:
                if sign == 1:
                    low, high = by_label[label], by_label[label + 1]
                    rest = rest_positive(yes, unknown, examples[low:high], places[low:high], pos)
                else:
                    rest = rest_negative(label, yes, unknown, neg)
            W[1, sign, label] = rest
            for block in range(3):
                W[block, sign, label] *= scales[sign, label]
    return gain_of_blocks(kind.form, W, kind.speaks)


def cut_bounds(
    kind: RuleKind,
    order: Int32s,
    first: Int64s,
    unknown: Int32s,
    labels: LabelArrays,
    weights: WeightArrays,
    bounds: Doubles,
    sums: DoubleBlocks,
    table: DoubleBlocks,
    around: DoubleTable,
) -> None:
    """Compute upper bounds (c,) on the gains of the thresholds of one column.

    They come from running sums, from the largest value down, and are too large by no more than the
    rounding of these sums explains. order, first, unknown: as in Cuts. sums, table (3, 2, k) and
    around (2, k): working memory.
    """
    neg, pos, starts, items = weights.neg, weights.pos, labels.starts, labels.items
    everything, scales = weights.sums, weights.scales
    k = everything.shape[1]
    added = (len(order) + len(unknown) + 4) * ADDED
    for sign in range(2):
        for label in range(k):
            around[sign, label] = added * everything[sign, label] * scales[sign, label]
            for block in range(3):
                sums[block, sign, label] = 0.0
    add_documents(unknown, sums[0], starts, items, neg, pos)
    end = len(order)
    for cut in range(len(first) - 1, -1, -1):
        add_documents(order[first[cut] : end], sums[2], starts, items, neg, pos)
        end = first[cut]
        for sign in range(2):
            for label in range(k):
                rest = everything[sign, label] - sums[0, sign, label] - sums[2, sign, label]
                table[0, sign, label] = sums[0, sign, label] * scales[sign, label]
                table[1, sign, label] = max(rest, 0.0) * scales[sign, label]
                table[2, sign, label] = sums[2, sign, label] * scales[sign, label]
        bounds[cut] = most_of_blocks(kind.form, table, kind.speaks, around)


KERNELS = (sum_weights, exact, cut_bounds)
CALLED = (advance, move, must_renew)
