"""Which terms may win: bounds on gains, cheap ones first. See shapes.py for the names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from boostext.boosting.engines.shapes import (
    FOUND,
    LABELS,
    LISTS,
    MEASURE,
    NEAR,
    ROWS,
    STATE,
    TABLE,
    Array,
    E,
    Number,
)

R_SLOP = 1e-9
"""What r may be wrong by; near r = 1 a gain tells far smaller differences."""


def row_scales(
    form: int, S: Array, g: Array, total: float, grid: Array, scale: Array, units: Array
) -> Number:
    """scale (2, kp) float32: what - and + steps of rows weigh; see `upper`. Form 0: what a product
    of both makes of a label, and what the label weighs. units (2, kp): what all documents weigh, in
    whole numbers, or up to 2 less.

    Returns the gain of a condition that holds nowhere (form 2: its r).
    """
    base = 0.0
    for label in range(S.shape[1]):
        D0, D1 = S[0, label] * g[0, label], S[1, label] * g[1, label]
        for sign in range(2):
            units[sign, label] = np.uint32(max(S[sign, label] * grid[sign, label] - 1, 0.0))
        if form == 0:
            both = grid[0, label] * S[0, label] * grid[1, label] * S[1, label]
            scale[0, label] = 1 / max(both, LEAST) if both > 0 else 0.0
            scale[1, label] = np.sqrt(S[0, label] * S[1, label]) / total
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


ANY_ORDER = frozenset(
    {"upper", "upper_abstaining", "upper_discrete", "upper_discrete_abstaining", "gain_of_sums"}
)
"""Functions whose sums may be made in any order: bounds, which `ALLOWED` makes wide enough."""
ALLOWED = 1e-6
"""What bounds may be wrong by in float32, of a total weight of 1."""
IN_ROOTS, IN_SUMS = 4e-7, 1e-7
"""The same of form 0, 6 roundings of 2^-24 of a half for each sign; of sums in 64 bits."""
LEAST = 1e-18
ADDED = 2.0**-23
"""The same for each label more, as a share of the sum: 2^-24 of an addition in float32, in any
order of adding, and as much for safety.
"""


# subtle: a function for each form; one for all of them takes three times as long
def upper(
    rows: Array, r: int, yes: Number, units: Array, counts: Array, scale: Array, base: float
) -> Number:
    """At least the gain of a term, from its row r, in float32: form 0.

    yes: its documents, so many numbers were rounded down; counts (2, kp): no more of a label.
    units, scale, base: of `row_scales`.
    """
    one: Number = np.float32(1)
    most: Number = np.uint32(yes)
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        N, P, AB = rows[r, 0, label], rows[r, 1, label], scale[0, label]
        n = np.uint32(units[0, label] - min(np.uint32(N + most), units[0, label]))
        p = np.uint32(units[1, label] - min(np.uint32(P + most), units[1, label]))
        total += scale[1, label] * (
            one
            - np.sqrt(np.float32(N) * np.float32(P) * AB)
            - np.sqrt(np.float32(n) * np.float32(p) * AB)
        )
    return base + 2 * np.float64(total) * (1 + kp * ADDED) + IN_ROOTS


def upper_abstaining(
    rows: Array, r: int, yes: Number, units: Array, counts: Array, scale: Array, base: float
) -> Number:
    """The same: form 1."""
    inside: Number = np.float32(yes)
    two: Number = np.float32(2)
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        N, P = np.float32(rows[r, 0, label]), np.float32(rows[r, 1, label])
        A, B = scale[0, label], scale[1, label]
        n, p = min(inside, counts[0, label]), min(inside, counts[1, label])
        total += (N + n) * A + (P + p) * B - two * np.sqrt(N * A * (P * B))
    return np.float64(total) * (1 + kp * ADDED) + ALLOWED


def upper_discrete(
    rows: Array, r: int, yes: Number, units: Array, counts: Array, scale: Array, base: float
) -> Number:
    """The same: form 2."""
    around: Number = np.float32(2) * np.float32(yes) + np.float32(4)
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        N, P = rows[r, 0, label], rows[r, 1, label]
        A, B = scale[0, label], scale[1, label]
        n = np.uint32(units[0, label] - min(N, units[0, label]))
        p = np.uint32(units[1, label] - min(P, units[1, label]))
        x = np.float32(P) * B - np.float32(N) * A
        y = np.float32(p) * B - np.float32(n) * A
        total += abs(x) + abs(y) + around * (A + B)
    edge = min(1.0, np.float64(total) * (1 + kp * ADDED) + ALLOWED)
    return 1 - np.sqrt(1 - edge * edge) + ALLOWED


def upper_discrete_abstaining(
    rows: Array, r: int, yes: Number, units: Array, counts: Array, scale: Array, base: float
) -> Number:
    """The same: form 3."""
    inside: Number = np.float32(yes)
    total: Number = np.float32(0)
    wrong: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        A, B = scale[0, label], scale[1, label]
        q, p = np.float32(rows[r, 0, label]) * A, np.float32(rows[r, 1, label]) * B
        total += max(p, q) + inside * (A + B)
        wrong += min(p, q)
    least = np.float64(wrong) * (1 - kp * ADDED) - ALLOWED
    d = np.sqrt(np.float64(total) * (1 + kp * ADDED)) - np.sqrt(max(least, 0.0))
    return d * d + ALLOWED


def summed(form: int, j: int, lists: Array, labels: Array, e: Array, sums: Array) -> Number:
    """At least the gain of listed condition j, from its documents. sums: room, (2, kp)."""
    neg, pos, S, g = e
    k = neg.shape[1]
    for label in range(k):
        sums[0, label] = sums[1, label] = 0.0
    for c in range(lists[0][j], lists[0][j + 1]):
        i = lists[1][c]
        for label in range(k):
            sums[0, label] += neg[i, label]
        for place in range(labels[0][i], labels[0][i + 1]):
            sums[1, labels[1][place]] += pos[place]
    return gain_of_sums(form, sums, S, g) + IN_SUMS


def gain_of_sums(form: int, sums: Array, S: Array, g: Array) -> Number:
    """The gain of a term with these sums of e (2, kp)."""
    gain, right, wrong = 0.0, 0.0, 0.0
    # subtle: one loop a form, so that each becomes vector code
    if form == 0:
        for label in range(S.shape[1]):
            N, P = sums[0, label], sums[1, label]
            both = np.sqrt(N * P) + np.sqrt(max(S[0, label] - N, 0.0) * max(S[1, label] - P, 0.0))
            A, B = g[0, label], g[1, label]
            gain += S[0, label] * A + S[1, label] * B - 2 * np.sqrt(A * B) * both
        return gain
    if form == 1:
        for label in range(S.shape[1]):
            d = np.sqrt(sums[1, label] * g[1, label]) - np.sqrt(sums[0, label] * g[0, label])
            gain += d * d
        return gain
    for label in range(S.shape[1]):
        a, b = sums[0, label] * g[0, label], sums[1, label] * g[1, label]
        right, wrong = right + max(a, b), wrong + min(a, b)
        if form == 2:
            x = max(S[0, label] - sums[0, label], 0.0) * g[0, label]
            y = max(S[1, label] - sums[1, label], 0.0) * g[1, label]
            right, wrong = right + max(x, y), wrong + min(x, y)
    d = np.sqrt(right) - np.sqrt(wrong)
    return d * d


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
    rows: Array, measure: Array, lists: Array, labels: Array, e: Array, sums: Array,
    found: Array, near: Array, bound: Array,
) -> Number:  # fmt: skip
    """Those of the terms low..high - 1 that may be the best, by `upper`.

    best: a value (gain x preference) known to be reached; slop: SLOP of it. greatest: of
    preference. state, measure: of STATE, MEASURE. sums: room, (2, kp). found: (conditions, bounds
    on their values, terms that want a row), filled from low on; returns how many conditions. near:
    (terms, bounds) of the greatest met, for the next search to begin with. bound: (5,), see
    `fit_bound`; then how many want a row.
    """
    S, g = e[2], e[3]
    numbers, sizes, slot, mass, asked, used = state
    units, counts, scale, now, worth = measure
    conditions, values, wants = found
    near_numbers, near_values = near
    count, wanted = 0, 0
    flat = len(preference) == 1
    for c in range(len(near_values)):
        near_values[c] = -1.0
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
            if t < len(slot) and slot[t] >= 0:
                used[t] = clock
                r, yes = slot[t], sizes[t]
                if form == 0:
                    value = like * upper(rows, r, yes, units, counts, scale, base)
                elif form == 1:
                    value = like * upper_abstaining(rows, r, yes, units, counts, scale, base)
                elif form == 2:
                    value = like * upper_discrete(rows, r, yes, units, counts, scale, base)
                else:
                    value = like * upper_discrete_abstaining(
                        rows, r, yes, units, counts, scale, base
                    )
            else:
                value = like * summed(form, j, lists, labels, e, sums)
                if t < len(slot):
                    asked[t] += 1
                    if asked[t] == ASKED or (sizes[t] >= LONG and asked[t] == 1):
                        wants[low + wanted] = t
                        wanted += 1
            if value > near_values[-1]:
                keep_near(t, value, near_numbers, near_values)
            if value >= best - slop:
                conditions[low + count], values[low + count] = j, value
                count += 1
    bound[4] = wanted
    return count


def keep_near(t: int, value: float, near: Array, near_values: Array) -> None:
    """Insert into the lists of the greatest, descending."""
    place = len(near)
    while place > 0 and near_values[place - 1] < value:
        place -= 1
        if place + 1 < len(near):
            near[place + 1], near_values[place + 1] = near[place], near_values[place]
    if place < len(near):
        near[place], near_values[place] = t, value


SIGNATURES: dict[Callable[..., Any], str] = {
    row_scales: f"int64, {TABLE}, {TABLE}, float64, {TABLE}, float32[:, ::1], uint32[:, ::1]",
    scan: "int64, int64, int64, float64, float64, uint64, float64, float64, float64, float64, "
    f"int64, float64[::1], {STATE}, {ROWS}, {MEASURE}, {LISTS}, {LABELS}, {E}, {TABLE}, "
    f"{FOUND}, {NEAR}, float64[::1]",
}
