"""Whole rounds of one label alone, in compiled code.

With one label a term is two sums, one for each sign. Looking at all of them is one pass through
memory, so that neither bounds nor a choice of terms that have rows are needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boostext.boosting.choice import LEAST_GAIN
from boostext.boosting.engines.arrays import (
    BEST,
    CLOCK,
    FOUND,
    LOOKED,
    SLOP,
    SPREAD,
    WINNER,
    WORN,
    Array,
    ChangeArrays,
    Doubles,
    FoundArrays,
    Int32s,
    LabelArrays,
    ListArrays,
    MoveRoom,
    Number,
    RoundArrays,
    RuleKind,
    Singles,
    SingleTable,
    StepArrays,
    StepTable,
    TermArrays,
    WeightArrays,
)
from boostext.boosting.engines.kernels_rounds import (
    ALPHA,
    CHOOSE,
    DONE,
    GAIN,
    MOVE,
    MOVED,
    NONE_HELPS,
    VOTE,
    Z,
    choice,
)
from boostext.boosting.engines.kernels_search import STEP, descend, is_drawn, preference_of
from boostext.boosting.engines.kernels_weights import COARSE_ALONE, is_worn, move
from boostext.boosting.gains import (
    ALLOWED,
    IN_ROOTS,
    apart,
    gain_of_blocks,
    in_edge,
    in_root,
    in_roots,
    nowhere,
    row_scales,
    vote_of_blocks,
)

IN_SINGLE = 4e-7
"""Of a gain, at most 1, whose last sums are made in float32: 2^-24 of each, of the number it is put
down as, and once more times a preference.
"""


class LabelSums(NamedTuple):
    """sums (2, n): steps of the documents of each term, - first. values (n,): what a term gains at
    most, times its preference. scale, least, counts: as in RowArrays.
    """

    sums: StepTable
    values: Singles
    scale: SingleTable
    least: StepTable
    counts: SingleTable


def play_label(
    first: int,
    last: int,
    start: int,
    stop: int,
    share: float,
    farthest: float,
    preference: Doubles,
    yes: Int32s,
    unknown: Int32s,
    kind: RuleKind,
    lists: ListArrays,
    labels: LabelArrays,
    terms: TermArrays,
    weights: WeightArrays,
    steps: StepArrays,
    changes: ChangeArrays,
    table: LabelSums,
    found: FoundArrays,
    room: MoveRoom,
    made: RoundArrays,
) -> Number:
    """Rounds start..stop - 1 of `made`, as kernels_rounds.play has them."""
    form, speaks, counts = kind.form, kind.speaks, found.counts
    for n in range(start, stop):
        add_changed(labels, terms, changes, table)
        changes.count[0] = 0
        if first <= CHOOSE:
            counts[CLOCK] += 1
            look(
                form,
                made.keys[n],
                share,
                preference,
                lists,
                labels,
                terms,
                weights,
                steps,
                table,
                speaks,
                found,
            )
            j = choice(form, preference, lists, labels, weights, speaks, found)
            if j < 0:
                return n, NONE_HELPS
            gain = gain_of_blocks(form, found.winner, speaks)
            made.conditions[n], made.told[n, GAIN] = j, gain
            if gain <= LEAST_GAIN or preference_of(preference, j) <= 0:
                return n, NONE_HELPS
        if first <= VOTE <= last:
            made.told[n, ALPHA] = vote_of_blocks(
                form, found.winner, speaks, kind.smoothing, kind.shrinkage, made.votes[n]
            )
        if last >= MOVE:
            j = made.conditions[n]
            inside = yes
            if 0 <= j < len(lists.starts) - 1:
                inside = lists.items[lists.starts[j] : lists.starts[j + 1]]
            made.told[n, Z] = move(
                kind.loss,
                inside,
                unknown,
                made.votes[n],
                kind.quiet,
                labels,
                weights,
                steps,
                changes,
                room.inside,
                room.rest,
            )
            weights.figures[WORN] = is_worn(weights, steps, COARSE_ALONE)
            if weights.figures[SPREAD] > farthest or weights.figures[WORN] > 0:
                return n + 1, MOVED
    return stop, DONE


def add_changed(
    labels: LabelArrays, terms: TermArrays, changes: ChangeArrays, table: LabelSums
) -> None:
    """Add what changed in documents to the sums of their terms."""
    starts, items, sums = terms.starts, terms.items, table.sums
    for c in range(changes.count[0]):
        i = changes.documents[c]
        sign, by = 0, changes.neg[c, 0]
        if labels.starts[i + 1] > labels.starts[i]:
            sign, by = 1, changes.pos[labels.starts[i]]
        for place in range(starts[i], starts[i + 1]):
            sums[sign, items[place]] += by


def look(
    form: int,
    key: int,
    share: float,
    preference: Array,
    lists: ListArrays,
    labels: LabelArrays,
    terms: TermArrays,
    weights: WeightArrays,
    steps: StepArrays,
    table: LabelSums,
    speaks: Array,
    found: FoundArrays,
) -> None:
    """Sum the terms that may be the best, the one of greatest bound first."""
    counts, figures, values, numbers = found.counts, found.figures, table.values, terms.numbers
    counts[LOOKED] = counts[FOUND] = 0
    counts[WINNER] = -1
    figures[BEST], figures[SLOP] = -1.0, 0.0
    row_scales(form, weights.sums, weights.scales, steps.per_weight, table.scale, table.least)
    base = nowhere(form, weights.sums, weights.scales)
    most_of_label(
        form, table.sums, terms.sizes, table.least, table.counts, table.scale, base, values
    )
    if share < 1 or len(preference) > 1:
        for t in range(len(values)):
            j = numbers[t]
            values[t] = values[t] * preference_of(preference, j) if is_drawn(key, share, j) else -1
    greatest, best = -1.0, -1
    for low in range(0, len(values), STEP):
        high = min(low + STEP, len(values))
        heaviest = values[low]
        for t in range(low + 1, high):
            heaviest = max(heaviest, values[t])
        if heaviest > greatest:
            greatest = heaviest
            for t in range(low, high):
                if values[t] == heaviest:
                    best = t
                    break
    if best < 0:
        return
    found.numbers[0], found.bounds[0], counts[FOUND] = numbers[best], greatest, 1
    descend(form, preference, lists, labels, weights, speaks, found)
    least, count = figures[BEST] - figures[SLOP], 0
    for low in range(0, len(values), STEP):
        high = min(low + STEP, len(values))
        heaviest = values[low]
        for t in range(low + 1, high):
            heaviest = max(heaviest, values[t])
        if heaviest >= least:
            for t in range(low, high):
                if values[t] >= least:
                    found.numbers[count], found.bounds[count] = numbers[t], values[t]
                    count += 1
    counts[FOUND] = count
    descend(form, preference, lists, labels, weights, speaks, found)


def most_of_label(
    form: int,
    sums: Array,
    sizes: Array,
    least: Array,
    counts: Array,
    scale: Array,
    base: float,
    values: Array,
) -> None:
    """values (n,) float32: at least the gain of each term, from its steps (2, n) of one label."""
    # subtle: one loop a form, over numbers of 32 bits that no store can change: so each becomes
    # vector code
    neg, pos = sums[0], sums[1]
    a, b, two = scale[0, 0], scale[1, 0], np.float32(2)
    if form == 0:
        more, all_neg, all_pos = np.float32(base + IN_ROOTS + IN_SINGLE), least[0, 0], least[1, 0]
        for t in range(len(values)):
            total = in_roots(neg[t], pos[t], sizes[t], all_neg, all_pos, a, b)
            values[t] = more + two * total
    elif form == 1:
        more, all_neg, all_pos = np.float32(ALLOWED + IN_SINGLE), counts[0, 0], counts[1, 0]
        for t in range(len(values)):
            total = in_root(neg[t], pos[t], sizes[t], all_neg, all_pos, a, b)
            values[t] = more + total
    elif form == 2:
        all_neg, all_pos = least[0, 0], least[1, 0]
        for t in range(len(values)):
            total = np.float64(in_edge(neg[t], pos[t], sizes[t], all_neg, all_pos, a, b))
            edge = min(1.0, total + ALLOWED)
            values[t] = 1 - np.sqrt(1 - edge * edge) + ALLOWED + IN_SINGLE
    else:
        A, B = np.float64(a), np.float64(b)
        for t in range(len(values)):
            q, p, around = neg[t] * A, pos[t] * B, sizes[t] * (A + B)
            wrong = max(min(p, q) - ALLOWED, 0.0)
            values[t] = apart(wrong, max(p, q) + around) + ALLOWED + IN_SINGLE


KERNELS = (play_label, add_changed)
CALLED = (look,)
