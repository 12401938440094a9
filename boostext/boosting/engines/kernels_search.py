"""The search of one round in compiled code: bounds first, then exact gains of a few terms."""

from __future__ import annotations

import numpy as np

from boostext.boosting.engines.arrays import (
    BASE,
    BEST,
    CLOCK,
    FOUND,
    LAST,
    LEAST_BOUND,
    LOOKED,
    OUT,
    RATIO,
    SLOP,
    SMALLEST,
    WANTED,
    WINNER,
    Array,
    Asked,
    EngineArrays,
    FoundArrays,
    Number,
    RowArrays,
)
from boostext.boosting.engines.kernels_terms import LINE, NEVER, add_changes
from boostext.boosting.engines.kernels_weights import add_documents, exact
from boostext.boosting.gains import (
    IN_SUMS,
    at_least,
    gain_of_sums,
    most,
    most_abstaining,
    most_discrete,
    most_discrete_abstaining,
    nowhere,
    roof,
    row_scales,
)
from boostext.instructions import fetch

WRONG = 1e-9
"""The most that the gain of a term can be wrong by because sums are rounded.

A term may win if its bound is not below the best value by more than this.
"""
FIRST = 4
"""The number of terms that a search begins with."""
STEP = 64
"""The number of terms whose bounds are compared at once."""
MISSES, LONG = 2, 64
"""A term gets a row after this many searches that summed it, or at once from so many documents."""


def is_drawn(key: int, share: float, j: int) -> Number:
    """Return whether condition j is eligible; see choice.eligible."""
    if share >= 1:
        return True
    x = np.uint64(j) ^ np.uint64(key)
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53 < share


def preference_of(preference: Array, j: int) -> Number:
    """Return the preference of condition j; an array of one number applies to all conditions."""
    return preference[0] if len(preference) == 1 else preference[j]


def begin(n: int, asked: Asked, engine: EngineArrays, rows: RowArrays, found: FoundArrays) -> None:
    """Find a good value to begin the search of round n with, from the last search's runners-up.

    The value of a runner-up with a row is a lower bound computed from the row, without reading its
    documents. If none has a row, `found` lists the first runner-up, or the terms with the largest
    bounds, whose exact gains are to be computed.
    """
    weights, per_weight = engine.weights, engine.steps.per_weight
    sums, scales, figures, counts = weights.sums, weights.scales, found.figures, found.counts
    numbers, sizes, slot = engine.terms.numbers, engine.terms.sizes, rows.slot
    near, near_bounds, row, all_sums = found.near[0], found.near_bounds[0], found.row, rows.sums
    starts, items, form = engine.lists.starts, engine.lists.items, engine.kind.form
    key, share, last = engine.made.keys[n], asked.share, counts[LAST]
    row_scales(form, sums, scales, per_weight, rows.scale, rows.least)
    base = nowhere(form, sums, scales)
    best = -1.0
    counts[LOOKED] = counts[WANTED] = counts[FOUND] = 0
    counts[WINNER] = -1
    tried, first = 0, -1
    for place in range(len(near)):
        t = near[place]
        if near_bounds[place] < 0 or tried == FIRST:
            break
        j = numbers[t]
        if j == last or not is_drawn(key, share, j):
            continue
        tried += 1
        if first < 0:
            first = j
        if t < len(slot) and slot[t] >= 0:
            for sign in range(2):
                for label in range(row.shape[1]):
                    row[sign, label] = all_sums[slot[t], sign, label]
            add_changes(items[starts[j] : starts[j + 1]], engine.changes, engine.labels, row)
            gain = at_least(form, row, sizes[t], base, sums, scales, per_weight)
            best = max(best, preference_of(asked.preference, j) * gain)
    figures[BASE], figures[BEST] = base, best
    figures[SLOP] = WRONG * asked.greatest if best >= 0 else 0.0
    if best < 0:
        if first >= 0:
            found.numbers[0] = first
            counts[FOUND] = 1
        else:
            counts[FOUND] = heaviest(key, share, numbers, rows.bounds.of_term, found.numbers)
        for place in range(counts[FOUND]):
            found.bounds[place] = NEVER


def heaviest(key: int, share: float, numbers: Array, of_term: Array, chosen: Array) -> Number:
    """Write up to FIRST eligible conditions with the largest bounds to `chosen`; return their
    number.
    """
    count = 0
    for _ in range(min(FIRST, len(chosen))):
        greatest, best = np.int32(-1), -1
        for t in range(len(of_term)):
            if of_term[t] > greatest and is_drawn(key, share, numbers[t]):
                known = False
                for n in range(count):
                    known = known or chosen[n] == numbers[t]
                if not known:
                    greatest, best = of_term[t], t
        if best >= 0:
            chosen[count] = numbers[best]
            count += 1
    return count


def scan(
    n: int,
    part: int,
    low: int,
    high: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
) -> None:
    """Find the terms in low..high - 1 that may be the best in round n.

    On entry, found.figures has a value that can be reached, and the results of `fit_bound`. The
    lists numbers, bounds and wanted of `found` are filled from position `low` on; their lengths are
    written to found.in_parts[part], and the terms with the largest bounds to found.near[part].
    """
    weights, form = engine.weights, engine.kind.form
    numbers, sizes = engine.terms.numbers, engine.terms.sizes
    key, share, preference = engine.made.keys[n], asked.share, asked.preference
    slot, scale, counts, least = rows.slot, rows.scale, rows.counts, rows.least
    of_term, near, near_bounds = rows.bounds.of_term, found.near[part], found.near_bounds[part]
    figures, all_rows, used, misses = found.figures, rows.sums, rows.used, rows.misses
    sums, scales, neg, pos = weights.sums, weights.scales, weights.neg, weights.pos
    starts, items, room = engine.lists.starts, engine.lists.items, found.sums[part]
    label_starts, label_items = engine.labels.starts, engine.labels.items
    numbers_found, bounds_found, wants = found.numbers, found.bounds, found.wanted
    base, least_value = figures[BASE], figures[BEST] - figures[SLOP]
    ratio, out, smallest, least_bound = (
        figures[RATIO],
        figures[OUT],
        figures[SMALLEST],
        figures[LEAST_BOUND],
    )
    count, wanted, clock = low, low, found.counts[CLOCK]
    flat = len(preference) == 1
    for c in range(len(near_bounds)):
        near_bounds[c] = -1.0
    for start in range(low, high, STEP):
        stop = min(start + STEP, high)
        heaviest = of_term[start]
        for t in range(start + 1, stop):
            heaviest = max(heaviest, of_term[t])
        if heaviest < least_bound:
            continue
        for t in range(start, stop):
            if of_term[t] < least_bound:
                continue
            j = numbers[t]
            if not is_drawn(key, share, j):
                continue
            like = preference[0] if flat else preference[j]
            if not flat:
                x = ratio * of_term[t]
                if like * roof(form, x, base, out, smallest) < least_value:
                    continue
            if t < len(slot) and slot[t] >= 0:
                used[t] = clock
                r, yes = slot[t], sizes[t]
                if r + 1 < len(all_rows):  # most likely the next one that is read
                    for column in range(0, all_rows.shape[2], LINE):
                        fetch(all_rows[r + 1], 0, column)
                        fetch(all_rows[r + 1], 1, column)
                if form == 0:
                    value = like * most(all_rows, r, yes, least, counts, scale, base)
                elif form == 1:
                    value = like * most_abstaining(all_rows, r, yes, least, counts, scale, base)
                elif form == 2:
                    value = like * most_discrete(all_rows, r, yes, least, counts, scale, base)
                else:
                    value = like * most_discrete_abstaining(
                        all_rows, r, yes, least, counts, scale, base
                    )
            else:
                documents = items[starts[j] : starts[j + 1]]
                for label in range(neg.shape[1]):
                    room[0, label] = room[1, label] = 0.0
                add_documents(documents, room, label_starts, label_items, neg, pos)
                value = like * (gain_of_sums(form, room, sums, scales) + IN_SUMS)
                if t < len(slot):
                    misses[t] += 1
                    if misses[t] == MISSES or (sizes[t] >= LONG and misses[t] == 1):
                        wants[wanted] = t
                        wanted += 1
            if value > near_bounds[len(near_bounds) - 1]:
                keep_near(t, value, near, near_bounds)
            if value >= least_value:
                numbers_found[count], bounds_found[count] = j, value
                count += 1
    found.in_parts[part, FOUND], found.in_parts[part, WANTED] = count - low, wanted - low


def gather(parts: int, ranges: Array, found: FoundArrays) -> None:
    """Combine what was found in the parts of the terms."""
    counts, in_parts = found.counts, found.in_parts
    count, wanted = in_parts[0, FOUND], in_parts[0, WANTED]
    for part in range(1, parts):
        low = ranges[part]
        for c in range(in_parts[part, FOUND]):
            found.numbers[count + c] = found.numbers[low + c]
            found.bounds[count + c] = found.bounds[low + c]
        for c in range(in_parts[part, WANTED]):
            found.wanted[wanted + c] = found.wanted[low + c]
        count, wanted = count + in_parts[part, FOUND], wanted + in_parts[part, WANTED]
        near, near_bounds = found.near[0], found.near_bounds[0]
        for place in range(len(near)):
            if found.near_bounds[part, place] > near_bounds[len(near) - 1]:
                t, bound = found.near[part, place], found.near_bounds[part, place]
                keep_near(t, bound, near, near_bounds)
    counts[FOUND], counts[WANTED] = count, wanted


def keep_near(t: int, value: float, near: Array, near_bounds: Array) -> None:
    """Insert a term into the lists of the largest bounds, which are sorted in descending order."""
    place = len(near)
    while place > 0 and near_bounds[place - 1] < value:
        place -= 1
        if place + 1 < len(near):
            near[place + 1], near_bounds[place + 1] = near[place], near_bounds[place]
    if place < len(near):
        near[place], near_bounds[place] = t, value


def descend(asked: Asked, engine: EngineArrays, found: FoundArrays) -> None:
    """Compute exact gains in descending order of bounds, until no bound reaches the best value."""
    numbers, bounds, when, table = found.numbers, found.bounds, found.when, found.table
    figures, counts, winner = found.figures, found.counts, found.winner
    clock, lists, labels, weights = counts[CLOCK], engine.lists, engine.labels, engine.weights
    for _ in range(counts[FOUND]):
        place, bound = 0, -1.0
        for c in range(counts[FOUND]):
            if bounds[c] > bound:
                place, bound = c, bounds[c]
        if bound < figures[BEST] - figures[SLOP] or bound < 0:
            return
        bounds[place] = -2.0
        j = numbers[place]
        if when[j] == clock:
            continue
        when[j] = clock
        yes = lists.items[lists.starts[j] : lists.starts[j + 1]]
        like = preference_of(asked.preference, j)
        value = like * exact(engine.kind, yes, yes[:0], labels, weights, table)
        found.looked[counts[LOOKED]], found.values[counts[LOOKED]] = j, value
        counts[LOOKED] += 1
        if value > figures[BEST]:
            figures[BEST], figures[SLOP] = value, WRONG * like
            counts[WINNER] = j
            for block in range(3):
                for sign in range(2):
                    for label in range(table.shape[2]):
                        winner[block, sign, label] = table[block, sign, label]


CALLED = (begin, scan, gather, descend)
