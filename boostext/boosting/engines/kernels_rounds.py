"""Whole boosting rounds in compiled code: search, votes, and the update of the weights.

Rounds of a single label have kernels of their own. For a single label, the weights of a term are
two sums, one for each sign. A search reads the sums of all terms in one pass through memory, and
needs neither bounds nor a selection of terms whose sums are kept.
"""

from __future__ import annotations

import numpy as np

from boostext.boosting.choice import LEAST_GAIN, TIE
from boostext.boosting.engines.arrays import (
    BEST,
    CLOCK,
    COUNTED,
    FARTHEST,
    FIT,
    FOUND,
    LAST,
    LEAST_BOUND,
    LOOKED,
    MUST_RENEW,
    SLOP,
    SPREAD,
    SUM,
    TOTAL,
    WANTED,
    WINNER,
    Array,
    Asked,
    ChangeArrays,
    EngineArrays,
    FoundArrays,
    Int32s,
    LabelArrays,
    LabelSums,
    MoveRoom,
    Number,
    RowArrays,
    TermArrays,
    TurnArrays,
)
from boostext.boosting.engines.kernels_search import (
    STEP,
    begin,
    descend,
    is_drawn,
    preference_of,
)
from boostext.boosting.engines.kernels_terms import bound_changed, fill_rows
from boostext.boosting.engines.kernels_turns import assist, search_terms
from boostext.boosting.engines.kernels_weights import COARSE, COARSE_ALONE, exact, move, must_renew
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

BEGIN, UPDATE, SCAN, SUM_UP, CHOOSE, VOTE, MOVE = range(7)
"""The stages of a round, in order. No call begins with SCAN, before which terms are updated."""
DONE, NONE_HELPS, PAUSED, MOVED = range(4)
"""Why a call of `play` returned.

DONE: all rounds were learned. NONE_HELPS: no condition lowers the loss. PAUSED: before its rule
votes, a round needs memory for rows or new bounds, which Python code creates. MOVED: after its rule
was applied, weights or bounds have to be computed again.
"""
GAIN, Z, ALPHA = range(3)
"""Columns of RoundArrays.results."""
SLACK = 1.6
"""The factor by which bounds may become looser than at best before they are computed again."""
MOST_BOUND = 2**30
"""The largest sum of the bounds of all documents that is certain to fit into 32 bits."""


def play(
    thread: int,
    first: int,
    last: int,
    start: int,
    stop: int,
    turns: TurnArrays,
    yes: Int32s,
    unknown: Int32s,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
    room: MoveRoom,
) -> Number:
    """Learn the rounds start..stop - 1 of `engine.made`.

    The first round begins at stage `first`, and every round ends after stage `last`. yes, unknown:
    the documents of the condition, if it is not a term. thread: 0; other threads only take part in
    the searches of thread 0. Returns the round in which the call ended, and the reason.
    """
    if thread > 0:
        assist(turns, thread, asked, engine, rows, found)
        return stop, DONE
    starts, items, kind = engine.lists.starts, engine.lists.items, engine.kind
    weights, made, bounds = engine.weights, engine.made, rows.bounds
    counts, figures = found.counts, found.figures
    for n in range(start, stop):
        if first <= BEGIN <= last:
            counts[CLOCK] += 1
            begin(n, asked, engine, rows, found)
            if counts[FOUND] > 0:
                descend(asked, engine, found)
        if first <= UPDATE <= last:
            search_terms(n, last >= SCAN, asked, engine, rows, found, turns)
        if first <= SUM_UP <= last:
            descend(asked, engine, found)
            engine.changes.count[0] = 0
        if first <= CHOOSE <= last:
            if not helps(n, choice(asked, engine, found), asked, engine, found):
                return n, NONE_HELPS
            wanted = counts[WANTED]
            if wanted > 0 and rows.taken[0] + wanted <= len(rows.sums):
                terms = found.wanted[0:wanted]
                for c in range(wanted):
                    rows.slot[terms[c]], rows.used[terms[c]] = rows.taken[0] + c, counts[CLOCK]
                rows.taken[0] += wanted
                fill_rows(terms, engine.lists, engine.labels, engine.terms, engine.steps, rows)
                wanted = counts[WANTED] = 0
            if wanted > 0 or is_loose(weights.figures[TOTAL], figures, bounds.figures):
                return n, PAUSED
        if first <= VOTE <= last:
            made.results[n, ALPHA] = vote_of_blocks(
                kind.form, found.winner, kind.speaks, kind.smoothing, kind.shrinkage, made.votes[n]
            )
        if first <= MOVE <= last:
            j = counts[LAST] = made.conditions[n]
            inside = yes
            if 0 <= j < len(starts) - 1:
                inside = items[starts[j] : starts[j + 1]]
            made.results[n, Z] = move(n, inside, unknown, engine, room)
            bounds.figures[SUM] += bound_changed(engine, bounds)
            weights.figures[MUST_RENEW] = must_renew(weights, engine.steps, COARSE)
            moved = weights.figures[SPREAD] > weights.figures[FARTHEST]
            if moved or bounds.figures[SUM] > MOST_BOUND or weights.figures[MUST_RENEW] > 0:
                return n + 1, MOVED
        first = BEGIN
    return stop, DONE


def choice(asked: Asked, engine: EngineArrays, found: FoundArrays) -> Number:
    """Return the best of the conditions with exact gains, as choice.first_of_best does; -1 if none.

    found.winner is set to the block weights of that condition.
    """
    looked, values, counts = found.looked, found.values, found.counts
    best, greatest = -1, -1.0
    for c in range(counts[LOOKED]):
        if values[c] > greatest or (values[c] == greatest and looked[c] < best):
            best, greatest = looked[c], values[c]
    if best < 0:
        return best
    least = greatest - TIE * preference_of(asked.preference, best)
    for c in range(counts[LOOKED]):
        if values[c] >= least and looked[c] < best:
            best = looked[c]
    if best != counts[WINNER]:
        starts = engine.lists.starts
        yes = engine.lists.items[starts[best] : starts[best + 1]]
        exact(engine.kind, yes, yes[:0], engine.labels, engine.weights, found.winner)
    return best


def helps(n: int, j: int, asked: Asked, engine: EngineArrays, found: FoundArrays) -> Number:
    """Record condition j as that of round n; return whether its rule lowers the loss."""
    if j < 0:
        return False
    gain = gain_of_blocks(engine.kind.form, found.winner, engine.kind.speaks)
    engine.made.conditions[n], engine.made.results[n, GAIN] = j, gain
    return gain > LEAST_GAIN and preference_of(asked.preference, j) > 0


def is_loose(total: float, figures: Array, counted: Array) -> Number:
    """Return whether bounds are much looser than they were at best.

    The measure is the bound that a winning term needs at least, as a share of the value found.
    """
    fit = figures[LEAST_BOUND] * counted[COUNTED] / (total * max(figures[BEST], 1e-12))
    counted[FIT] = max(counted[FIT], fit)
    return fit < counted[FIT] / SLACK


# Rounds of a single label -------------------------------------------------------------------

IN_SINGLE = 4e-7
"""An upper bound on the rounding error of a gain whose last sums are computed in float32.

The gain is at most 1. There is an error of 2^-24 in each sum, in the stored result, and in the
product with a preference.
"""


def play_label(
    first: int,
    last: int,
    start: int,
    stop: int,
    yes: Int32s,
    unknown: Int32s,
    asked: Asked,
    engine: EngineArrays,
    table: LabelSums,
    found: FoundArrays,
    room: MoveRoom,
) -> Number:
    """Learn the rounds start..stop - 1 of `engine.made` for a single label; see `play`."""
    lists, weights, kind, made = engine.lists, engine.weights, engine.kind, engine.made
    for n in range(start, stop):
        add_changed(engine.labels, engine.terms, engine.changes, table)
        engine.changes.count[0] = 0
        if first <= CHOOSE:
            found.counts[CLOCK] += 1
            look(n, asked, engine, table, found)
            if not helps(n, choice(asked, engine, found), asked, engine, found):
                return n, NONE_HELPS
        if first <= VOTE <= last:
            made.results[n, ALPHA] = vote_of_blocks(
                kind.form, found.winner, kind.speaks, kind.smoothing, kind.shrinkage, made.votes[n]
            )
        if last >= MOVE:
            j = made.conditions[n]
            inside = yes
            if 0 <= j < len(lists.starts) - 1:
                inside = lists.items[lists.starts[j] : lists.starts[j + 1]]
            made.results[n, Z] = move(n, inside, unknown, engine, room)
            weights.figures[MUST_RENEW] = must_renew(weights, engine.steps, COARSE_ALONE)
            moved = weights.figures[SPREAD] > weights.figures[FARTHEST]
            if moved or weights.figures[MUST_RENEW] > 0:
                return n + 1, MOVED
    return stop, DONE


def add_changed(
    labels: LabelArrays, terms: TermArrays, changes: ChangeArrays, table: LabelSums
) -> None:
    """Add the changes of the weights of documents to the sums of their terms."""
    starts, items, sums = terms.starts, terms.items, table.sums
    for c in range(changes.count[0]):
        i = changes.documents[c]
        sign, by = 0, changes.neg[c, 0]
        if labels.starts[i + 1] > labels.starts[i]:
            sign, by = 1, changes.pos[labels.starts[i]]
        for place in range(starts[i], starts[i + 1]):
            sums[sign, items[place]] += by


def look(n: int, asked: Asked, engine: EngineArrays, table: LabelSums, found: FoundArrays) -> None:
    """Compute exact gains of the terms that may be the best, beginning with the largest bound."""
    weights, terms, form = engine.weights, engine.terms, engine.kind.form
    counts, figures, values, numbers = found.counts, found.figures, table.values, terms.numbers
    key, share, preference = engine.made.keys[n], asked.share, asked.preference
    per_weight = engine.steps.per_weight
    counts[LOOKED] = counts[FOUND] = 0
    counts[WINNER] = -1
    figures[BEST], figures[SLOP] = -1.0, 0.0
    row_scales(form, weights.sums, weights.scales, per_weight, table.scale, table.least)
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
    descend(asked, engine, found)
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
    descend(asked, engine, found)


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
    """Compute an upper bound on the gain of each term from its sums.

    values (n,) float32: the result. sums: (2, n), in steps.
    """
    # subtle: there is one loop for each form, over 32-bit numbers that no store can change, so that
    # the compiler can turn each loop into vector instructions
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


KERNELS = (play, play_label, add_changed)
CALLED = (look,)
