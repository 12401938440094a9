"""Kernels of the incremental engine: move weights, push the changes to terms, rank terms.

m examples, k labels; kp is k padded with zeros so that machine code steps through whole vectors.
`neg` (m, k) holds e of the pairs with sign -, 0 elsewhere; `pos` holds e of the others, along with
label_sets.items. Sums run over labels innermost; nothing here depends on how terms are dealt out
to threads. What a term's row says is only a bound (`upper`); whoever may win is summed anew in
64 bits from its documents (`block_sums`).

Forms of a gain: 0 real, 1 real and abstaining, 2 discrete, 3 discrete and abstaining.
Names that kernels share:
    lists   (starts, items) of the documents of each listed condition, ascending
    labels  (starts, items) of the labels of each example; (starts, items, places) of the examples
            of each label, places pointing into `pos`
    e       (neg, pos, S, g): weights, their sums (2, k) by sign, and scales (2, k) that make
            e * g sum to 1
    rows    (terms with a row, 2, kp) uint32: whole-number sums of e by sign, - first
    mass    (terms,) int32: whole-number bound on what a term can gain
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
"""An array of a type in SIGNATURES; kernels know no others."""
Number = Any

CANCEL = 1e-4
"""A rest of S below this share has lost digits; it is summed from its own examples."""
R_SLOP = 1e-9
"""What r may be wrong by; near r = 1 a gain tells far smaller differences."""
HIGH, HIGHEST = 2.0**30, 2.0**32 - 1


# ------------------------------------------------------------------ exact sums of one condition


def contains(documents: Array, i: int) -> Number:
    """Whether i is among documents, ascending."""
    low, high = 0, len(documents)
    while low < high:
        middle = (low + high) >> 1
        if documents[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low < len(documents) and documents[low] == i


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
    for place in range(starts[label], starts[label + 1]):
        i = items[place]
        if not contains(yes, i) and not contains(unknown, i):
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


# ------------------------------------------------------------------ moving the weights


def add_exactly(S: Array, low: Array, sign: int, label: int, x: float) -> None:
    """S + x; the rounding error goes to `low`. Source: Knuth's TwoSum."""
    s = S[sign, label]
    t = s + x
    b = t - s
    low[sign, label] += (s - (t - b)) + (x - b)
    S[sign, label] = t


def whole_number(x: float) -> Number:
    """x rounded, as int64; what is too great for 32 bits is cut (the engine renews all then)."""
    return np.int64(np.rint(min(x, HIGHEST)))


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


# ------------------------------------------------------------------ terms: pushing and recounting


def tell(
    low: int, high: int, changes: Array, terms: Array, labels: Array, slot: Array, rows: Array,
    mass: Array,
) -> None:  # fmt: skip
    """Tell terms low..high - 1 of the changes of their documents.

    terms: (starts, items) of the terms of each document, ascending. slot: a term's row, or -1.
    """
    documents, by_neg, by_pos, bounds = changes
    for c in range(len(documents)):
        i = documents[c]
        first, last = labels[0][i], labels[0][i + 1]
        place, end = terms[0][i], terms[0][i + 1]
        if low > 0:
            place = lower_bound(terms[1], place, end, low)
        while place < end and terms[1][place] < high:
            t = terms[1][place]
            r = slot[t]
            if r >= 0:
                for label in range(rows.shape[2]):
                    rows[r, 0, label] += by_neg[c, label]
                for p in range(first, last):
                    rows[r, 1, labels[1][p]] += by_pos[p]
            mass[t] += bounds[c]
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
    low: int, high: int, wanted: Array, numbers: Array, lists: Array, labels: Array,
    whole_neg: Array, whole_pos: Array, slot: Array, rows: Array,
) -> None:  # fmt: skip
    """The rows of the terms wanted[low:high], which have a slot."""
    for w in range(low, high):
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


# ------------------------------------------------------------------ bounds on gains


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


def row_scales(form: int, S: Array, g: Array, total: float, grid: Array, scale: Array) -> Number:
    """scale (3, kp) float32: what - and + steps of rows weigh, and what labels do; see `upper`.

    Returns the gain of a condition that holds nowhere (form 2: its r).
    """
    base = 0.0
    for label in range(S.shape[1]):
        D0, D1 = S[0, label] * g[0, label], S[1, label] * g[1, label]
        if form == 0:
            scale[0, label] = 1 / (grid[0, label] * S[0, label]) if S[0, label] > 0 else 0.0
            scale[1, label] = 1 / (grid[1, label] * S[1, label]) if S[1, label] > 0 else 0.0
            scale[2, label] = np.sqrt(S[0, label] * S[1, label]) / total
            d = np.sqrt(D1) - np.sqrt(D0)
            base += d * d
        else:
            scale[0, label], scale[1, label] = (
                g[0, label] / grid[0, label],
                g[1, label] / grid[1, label],
            )
            if form == 2:
                base += abs(D1 - D0)
    return base


def label_roof(form: int, label: int, S: Array, g: Array, total: float) -> Number:
    """The most that a label can add to a gain (form 0: half of it; form 2: to r)."""
    D0, D1 = S[0, label] * g[0, label], S[1, label] * g[1, label]
    if form == 0:
        return np.sqrt(S[0, label] * S[1, label]) / total
    if form == 2:
        return 2 * min(D0, D1)
    return D0 + D1


def roof(form: int, x: float, base: float, out: float, least: float) -> Number:
    """The most that a condition can gain whose documents weigh x by `now`.

    out: what labels beyond the bound may add; least: the least label weight within it.
    Form 0: h(p, q) <= (p + q)/2 (1 + max(p, q)).
    """
    if form == 0:
        return base + 2 * (out + x * min(1.0, 0.5 + 0.5 * x / least))
    if form == 2:
        r = min(1.0, base + out + 2 * x + R_SLOP)
        return 1 - np.sqrt(1 - r * r)
    return out + x


def least_mass(form: int, gain: float, base: float, out: float, least: float) -> Number:
    """The x with roof(x) = gain, or less; below 0 where any x will do."""
    if form == 0:
        y = (gain - base) / 2 - out
        if y <= 0:
            return -1.0
        x = least * (np.sqrt(1 + 8 * y / least) - 1) / 2
        return min(x, y) if x > least else x
    if form == 2:
        d = 1 - min(gain, 1.0)
        return (np.sqrt(max(0.0, 1 - d * d)) - base - out - R_SLOP) / 2
    return gain - out


SLACKS = (1.02, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 5.0, 1e9)
SHARES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0)
NEVER = 1e300


def fit_bound(
    form: int, gain: float, base: float, S: Array, g: Array, total: float,
    now: Array, worth: Array, scratch: Array, bound: Array,
) -> None:  # fmt: skip
    """bound (4,): ratio, out, least, and the least mass that may reach gain: see `roof`.

    mass was counted with `worth`. A label that has moved since by more than some slack, or weighs
    less than some share of the gain, is left out of the bound and allowed all that it has; of
    several slacks and shares the best is taken. scratch: (2, kp).
    """
    k = S.shape[1]
    unit = NEVER
    for label in range(k):
        scratch[1, label] = label_roof(form, label, S, g, total)
        moved = 0.0
        for sign in range(2):
            if now[sign, label] > 0:
                known = worth[sign, label] > 1e-200
                moved = max(moved, now[sign, label] / worth[sign, label] if known else NEVER)
        scratch[0, label] = moved
        if moved > 0:
            unit = min(unit, moved)
    bound[0], bound[1], bound[2], bound[3] = 0.0, NEVER, 1.0, -2.0
    for trial in range(len(SLACKS) * len(SHARES)):
        slack, share = SLACKS[trial // len(SHARES)], SHARES[trial % len(SHARES)]
        out, least, ratio = 0.0, NEVER, 0.0
        for label in range(k):
            moved, weight = scratch[0, label], scratch[1, label]
            if moved > slack * unit or weight < share * gain / 2:
                out += weight
            elif moved > 0:
                ratio = max(ratio, moved)
                least = min(least, weight)
        if ratio > 0 and ratio < NEVER:
            found = max(least_mass(form, gain, base, out, least) / ratio, -1.0)
            if found > bound[3]:
                bound[0], bound[1], bound[2], bound[3] = ratio, out, least, found


def upper(
    form: int, rows: Array, t: int, all_units: Array, yes: Number, no: Number, counts: Array,
    scale: Array, base: float, work: Array,
) -> Number:  # fmt: skip
    """At least the gain of a term, from its row, in float32.

    all_units: (2, kp) uint32, the row of all documents. yes, no: numbers rounded on either side of
    the condition; counts (2, kp) bounds them by label. scale, base: of `row_scales`. work: (kp,).
    """
    zero, one, half = np.float32(0), np.float32(1), np.float32(0.5)
    inside, outside = half * np.float32(yes), half * np.float32(no)
    kp = rows.shape[2]
    # subtle: one loop a form, so that each becomes vector code
    if form == 0:
        for label in range(kp):
            N, P = rows[t, 0, label], rows[t, 1, label]
            A, B = scale[0, label], scale[1, label]
            n, p = half * counts[0, label], half * counts[1, label]
            q0 = max(np.float32(N) - min(inside, n), zero) * A
            p0 = max(np.float32(P) - min(inside, p), zero) * B
            q1 = max(np.float32(np.uint32(all_units[0, label] - N)) - min(outside, n), zero) * A
            p1 = max(np.float32(np.uint32(all_units[1, label] - P)) - min(outside, p), zero) * B
            work[label] = scale[2, label] * (one - np.sqrt(p0 * q0) - np.sqrt(p1 * q1))
        return base + 2 * total_of(work) + 1e-6
    if form == 1:
        for label in range(kp):
            N, P = np.float32(rows[t, 0, label]), np.float32(rows[t, 1, label])
            A, B = scale[0, label], scale[1, label]
            n, p = min(inside, half * counts[0, label]), min(inside, half * counts[1, label])
            least = np.sqrt(max(N - n, zero) * A * (max(P - p, zero) * B))
            work[label] = (N + n) * A + (P + p) * B - least - least
        return total_of(work) + 1e-6
    if form == 2:
        for label in range(kp):
            N, P = rows[t, 0, label], rows[t, 1, label]
            A, B = scale[0, label], scale[1, label]
            x = np.float32(P) * B - np.float32(N) * A
            y = (
                np.float32(np.uint32(all_units[1, label] - P)) * B
                - np.float32(np.uint32(all_units[0, label] - N)) * A
            )
            work[label] = abs(x) + abs(y) + (inside + outside) * (A + B)
        r = min(1.0, total_of(work) + 1e-6)
        return 1 - np.sqrt(1 - r * r) + 1e-6
    for label in range(kp):
        A, B = scale[0, label], scale[1, label]
        q, p = np.float32(rows[t, 0, label]) * A, np.float32(rows[t, 1, label]) * B
        work[label] = max(p, q) + inside * (A + B)
    right = total_of(work)
    for label in range(kp):
        A, B = scale[0, label], scale[1, label]
        q, p = np.float32(rows[t, 0, label]) * A, np.float32(rows[t, 1, label]) * B
        work[label] = min(p, q) - inside * (A + B)
    d = np.sqrt(right) - np.sqrt(max(total_of(work) - 1e-6, 0.0))
    return d * d + 1e-6


def total_of(work: Array) -> Number:
    """Sum of (kp,) float32 in four strands."""
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for label in range(0, len(work), 4):
        a += work[label]
        b += work[label + 1]
        c += work[label + 2]
        d += work[label + 3]
    return np.float64(a + b) + np.float64(c + d)


# ------------------------------------------------------------------ the search


def sum_row(
    j: int, lists: Array, labels: Array, e: Array, grid: Array, sums: Array, row: Array
) -> None:
    """row (1, 2, kp): what the row of listed condition j would be, from its documents."""
    neg, pos = e[0], e[1]
    k = neg.shape[1]
    for label in range(k):
        sums[0, label] = sums[1, label] = 0.0
    for c in range(lists[0][j], lists[0][j + 1]):
        i = lists[1][c]
        for label in range(k):
            sums[0, label] += neg[i, label]
        for place in range(labels[0][i], labels[0][i + 1]):
            sums[1, labels[1][place]] += pos[place]
    for sign in range(2):
        for label in range(k):
            row[0, sign, label] = np.uint32(whole_number(sums[sign, label] * grid[sign, label]))


def is_drawn(key: int, share: float, j: int) -> Number:
    """choice.eligible of one condition."""
    x = np.uint64(j) ^ np.uint64(key)
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53 < share


SLOP = 1e-9
"""A term may win if its bound is not below the best by more: what sums may be wrong by, in gain."""
STEP = 64
"""Terms whose bounds are compared at once."""
ASKED, LONG = 2, 64
"""A term that was summed so often, or has so many documents, gets a row."""


def scan(
    form: int, low: int, high: int, best: float, slop: float, key: int, share: float,
    greatest: float, base: float, total: float, clock: int, preference: Array, state: Array,
    rows: Array, measure: Array, lists: Array, labels: Array, e: Array, scratch: Array,
    found: Array, near: Array, bound: Array,
) -> Number:  # fmt: skip
    """Those of the terms low..high - 1 that may be the best, by `upper`.

    best: a value (gain x preference) known to be reached; slop: SLOP of it. greatest: of
    preference. state, measure, scratch: of STATE, MEASURE, SCRATCH. found: (conditions, bounds on
    their values, terms that want a row), filled from low on; returns how many conditions. near:
    (conditions, bounds) of the greatest met, for the next search to begin with. bound: (5,), see
    `fit_bound`; then how many want a row.
    """
    S, g = e[2], e[3]
    numbers, sizes, slot, mass, asked, used = state
    units, counts, scale, grid, now, worth = measure
    sums, row, rounded, work = scratch
    for sign in range(2):
        for label in range(S.shape[1]):
            rounded[sign, label] = np.uint32(whole_number(S[sign, label] * grid[sign, label]))
    count, wanted, m = 0, 0, len(labels[0]) - 1
    flat = len(preference) == 1
    for c in range(len(near[0])):
        near[1][c] = -1.0
    gain = (best - slop) / greatest
    fit_bound(form, gain, base, S, g, total, now, worth, sums, bound)
    for start in range(low, high, STEP):
        stop = min(start + STEP, high)
        most = mass[start]
        for t in range(start + 1, stop):
            most = max(most, mass[t])
        if most < bound[3]:
            continue
        for t in range(start, stop):
            if mass[t] < bound[3]:
                continue
            j = numbers[t]
            if share < 1 and not is_drawn(key, share, j):
                continue
            like = preference[0] if flat else preference[j]
            if not flat:
                most_value = like * roof(form, bound[0] * mass[t], base, bound[1], bound[2])
                if most_value < best - slop:
                    continue
            if slot[t] >= 0:
                used[t] = clock
                table, place, all_units = rows, slot[t], units
                yes, no = sizes[t], np.int32(m - sizes[t])
            else:
                sum_row(j, lists, labels, e, grid, sums, row)
                table, place, all_units = row, np.int32(0), rounded
                yes, no = np.int32(2), np.int32(2)
                asked[t] += 1
                if asked[t] == ASKED or (sizes[t] >= LONG and asked[t] == 1):
                    found[2][low + wanted] = t
                    wanted += 1
            value = like * upper(form, table, place, all_units, yes, no, counts, scale, base, work)
            if value > near[1][-1]:
                keep_near(j, value, near[0], near[1])
            if value >= best - slop:
                found[0][low + count], found[1][low + count] = j, value
                count += 1
    bound[4] = wanted
    return count


def keep_near(j: int, value: float, near: Array, near_values: Array) -> None:
    """Insert into the lists of the greatest, descending."""
    place = len(near)
    while place > 0 and near_values[place - 1] < value:
        place -= 1
        if place + 1 < len(near):
            near[place + 1], near_values[place + 1] = near[place], near_values[place]
    if place < len(near):
        near[place], near_values[place] = j, value


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


LISTS = "Tuple((int64[::1], int32[::1]))"
LABELS = "Tuple((int64[::1], int32[::1], int64[::1], int32[::1], int32[::1]))"
E = "Tuple((float64[:, ::1], float64[::1], float64[:, ::1], float64[:, ::1]))"
CHANGES = "Tuple((int32[::1], uint32[:, ::1], uint32[::1], int32[::1]))"
"""Documents (c,); changes of their whole numbers: by sign - (c, kp), along pos, of bounds (c,)."""
WHOLE = "Tuple((uint32[:, ::1], uint32[::1], uint32[:, ::1], int32[::1]))"
"""e in whole numbers: (m, kp) by sign -, along pos, their sums (2, kp); documents' bounds (m,)."""
ROWS = "uint32[:, :, ::1]"
STATE = "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]))"
"""Of each term: condition, documents, row or -1, mass, times summed without a row, last use."""
TABLE = "float64[:, ::1]"
MEASURE = f"Tuple((uint32[:, ::1], float32[:, ::1], float32[:, ::1], {TABLE}, {TABLE}, {TABLE}))"
"""units, counts, scale, grid, now, worth."""
SCRATCH = f"Tuple(({TABLE}, {ROWS}, uint32[:, ::1], float32[::1]))"
"""Room for sums (2, kp), one row (1, 2, kp), units (2, kp), summands (kp,)."""
NEAR = "Tuple((int32[::1], float64[::1]))"
FOUND = "Tuple((int32[::1], float64[::1], int32[::1]))"
SIGNATURES: dict[Callable[..., Any], str] = {
    exact: f"int64, int32[::1], int32[::1], {LABELS}, {E}, float64[::1], float64[:, :, ::1]",
    advance: f"int32[::1], int64, float64[::1], {TABLE}, {LABELS}, {TABLE}, {TABLE}, float64[::1], "
    f"{TABLE}, {TABLE}, {TABLE}, {TABLE}, {WHOLE}, {CHANGES}",
    sum_exactly: f"{LABELS}, {TABLE}, float64[::1], {TABLE}, {TABLE}",
    weigh: f"{TABLE}, {LABELS}, {TABLE}, float64[::1], int32[::1]",
    tell: f"int64, int64, {CHANGES}, {LISTS}, {LABELS}, int32[::1], {ROWS}, int32[::1]",
    fill_rows: f"int64, int64, int32[::1], int32[::1], {LISTS}, {LABELS}, uint32[:, ::1], "
    f"uint32[::1], int32[::1], {ROWS}",
    recount_mass: f"int64, int64, int32[::1], {LISTS}, int32[::1], int32[::1]",
    scales: f"int64, {TABLE}, float64[::1], {TABLE}, {TABLE}",
    row_scales: f"int64, {TABLE}, {TABLE}, float64, {TABLE}, float32[:, ::1]",
    scan: "int64, int64, int64, float64, float64, uint64, float64, float64, float64, float64, "
    f"int64, float64[::1], {STATE}, {ROWS}, {MEASURE}, {LISTS}, {LABELS}, {E}, {SCRATCH}, "
    f"{FOUND}, {NEAR}, float64[::1]",
    cut_gains: f"int64, int32[::1], int64[::1], int32[::1], {LABELS}, {E}, float64[::1], "
    "float64[::1]",
}
