"""The formulas of gains and votes, each written once: for NumPy and for compiled kernels alike.

The first part is about block weights; votes.py makes tables of it, kernels sum with it. The second
bounds the same gains for conditions whose sums are known roughly. A form is what the rules of a run
are: 0 real votes, 1 real and abstaining, 2 discrete, 3 discrete and abstaining.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Number = Any

FORMS = {("real", False): 0, ("real", True): 1, ("discrete", False): 2, ("discrete", True): 3}
"""Key of VOTES, whether block NO is silent -> form."""

LEAST_WEIGHT = 1e-15
"""Stands for less where there is no smoothing: votes stay below 18, and sums keep their digits."""

# Of block weights ----------------------------------------------------------------------------


def apart(neg: Number, pos: Number) -> Number:
    """(sqrt W+ - sqrt W-)^2: the gain of a real vote, and of discrete ones from E and R.

    Source: SS99 Eqs. 13-14 and 16; of rules that abstain: BT00, SS99 s3.3, SF12 s9.2.4.
    """
    d = np.sqrt(pos) - np.sqrt(neg)
    return d * d


def confidence(neg: Number, pos: Number, smoothing: Number) -> Number:
    """1/2 ln((W+ + e) / (W- + e)). Source: SS99 Eq. 15, s4.2."""
    against = np.maximum(neg + smoothing, LEAST_WEIGHT)
    return 0.5 * np.log(np.maximum(pos + smoothing, LEAST_WEIGHT) / against)


BALANCE = 1e-10
"""Two weights that differ by a smaller share of their sum are equal."""


def outweighs(neg: Number, pos: Number) -> Number:
    """Whether W+ is greater than W-.

    subtle: a discrete rule leaves its blocks in balance, so ties are the rule, not the exception
    """
    return pos - neg > BALANCE * (pos + neg)


def vote_of_blocks(
    form: int, W: Array, speaks: Array, smoothing: float, factor: float, votes: Array
) -> Number:
    """votes (3, k) of block weights (3, 2, k), as VOTES has them, by a factor; returns alpha."""
    right, wrong, silent = 0.0, 0.0, 0.0
    for block in range(3):
        for label in range(W.shape[2]):
            a, b = W[block, 0, label], W[block, 1, label]
            votes[block, label] = 0.0
            if speaks[block] == 0:
                silent += a + b
            elif form < 2:
                votes[block, label] = confidence(a, b, smoothing) * factor
            else:
                right, wrong = right + max(a, b), wrong + min(a, b)
    if form < 2:
        return factor
    e = smoothing if silent > 0 or speaks[1] == 0 or wrong <= LEAST_WEIGHT else 0.0
    alpha = confidence(wrong, right, e) * factor
    for block in range(3):
        for label in range(W.shape[2]):
            if speaks[block] != 0:
                right_side = outweighs(W[block, 0, label], W[block, 1, label])
                votes[block, label] = alpha if right_side else -alpha
    return alpha


def gain_of_blocks(form: int, W: Array, speaks: Array) -> Number:
    """The gain of block weights (3, 2, k), as VOTES has it."""
    gain, right, wrong = 0.0, 0.0, 0.0
    for block in range(3):
        if speaks[block] != 0:
            for label in range(W.shape[2]):
                a, b = W[block, 0, label], W[block, 1, label]
                if form < 2:
                    gain += apart(a, b)
                else:
                    right += max(a, b)
                    wrong += min(a, b)
    return gain if form < 2 else apart(wrong, right)


# Of sums -------------------------------------------------------------------------------------

ANY_ORDER = frozenset(
    {"most", "most_abstaining", "most_discrete", "most_discrete_abstaining", "gain_of_sums"}
)
"""Functions whose sums may be made in any order: bounds, which `ALLOWED` makes wide enough."""
ALLOWED = 1e-6
"""What bounds may be wrong by in float32, of a total weight of 1."""
IN_ROOTS, IN_SUMS, IN_LEAST = 4e-7, 1e-7, 1e-9
"""The same of form 0, 6 roundings of 2^-24 of a half for each sign; of sums in 64 bits; of the
bounds below that are made in 64 bits."""
LEAST = 1e-18
ADDED = 2.0**-23
"""The same for each label more, as a share of the sum: 2^-24 of an addition in float32, in any
order of adding, and as much for safety.
"""
CANCEL = 2.0**-50
"""The share of a sum that its rest may be wrong by, where nearly all of it is taken away."""
R_SLOP = 1e-9
"""What r may be wrong by; near r = 1 a gain tells far smaller differences."""


def gain_of_sums(form: int, inside: Array, sums: Array, scales: Array) -> Number:
    """The gain of a term from sums of e (2, k) of its documents, and of all documents."""
    gain, right, wrong = 0.0, 0.0, 0.0
    # subtle: one loop a form, so that each becomes vector code
    if form == 0:
        for label in range(sums.shape[1]):
            N, P = inside[0, label], inside[1, label]
            n, p = max(sums[0, label] - N, 0.0), max(sums[1, label] - P, 0.0)
            A, B = scales[0, label], scales[1, label]
            both = np.sqrt(N * P) + np.sqrt(n * p)
            gain += sums[0, label] * A + sums[1, label] * B - 2 * np.sqrt(A * B) * both
        return gain
    if form == 1:
        for label in range(sums.shape[1]):
            gain += apart(inside[0, label] * scales[0, label], inside[1, label] * scales[1, label])
        return gain
    for label in range(sums.shape[1]):
        a, b = inside[0, label] * scales[0, label], inside[1, label] * scales[1, label]
        right, wrong = right + max(a, b), wrong + min(a, b)
        if form == 2:
            x = max(sums[0, label] - inside[0, label], 0.0) * scales[0, label]
            y = max(sums[1, label] - inside[1, label], 0.0) * scales[1, label]
            right, wrong = right + max(x, y), wrong + min(x, y)
    return apart(wrong, right)


def nowhere(form: int, sums: Array, scales: Array) -> Number:
    """The gain of a condition that holds nowhere (form 2: its r)."""
    gain = 0.0
    for label in range(sums.shape[1]):
        a, b = sums[0, label] * scales[0, label], sums[1, label] * scales[1, label]
        if form == 0:
            gain += apart(a, b)
        elif form == 2:
            gain += abs(b - a)
    return gain


# By the weight of a term's documents ---------------------------------------------------------


def adds_of(form: int, sums: Array, scales: Array, adds: Array) -> None:
    """adds (2, k): what e of a sign can add to a gain.

    Real votes: h(p, q) = 1 - sqrt((1-p)(1-q)) - sqrt(pq) <= p + q, p = P/S+, q = N/S-, and a label
    adds twice its share of the root of weights, see `label_share`, times h; others: its weight.
    """
    for label in range(sums.shape[1]):
        if form > 0:
            adds[0, label], adds[1, label] = scales[0, label], scales[1, label]
        elif sums[0, label] > 0 and sums[1, label] > 0:
            root = label_share(form, label, sums, scales)
            adds[0, label], adds[1, label] = root / sums[0, label], root / sums[1, label]
        else:
            adds[0, label], adds[1, label] = 0.0, 0.0


def label_share(form: int, label: int, sums: Array, scales: Array) -> Number:
    """The most that a label can add to a gain (form 0: half of it; form 2: to r)."""
    D0, D1 = sums[0, label] * scales[0, label], sums[1, label] * scales[1, label]
    if form == 0:
        return np.sqrt(D0 * D1)
    if form == 2:
        return 2 * min(D0, D1)
    return D0 + D1


def roof(form: int, x: float, base: float, out: float, least: float) -> Number:
    """The most that a condition can gain whose documents weigh x by `adds_of`.

    base: of `nowhere`. out: what labels beyond the bound may add; least: the least label share
    within it. Form 0: h(p, q) <= (p + q)/2 (1 + max(p, q)).
    """
    if form == 0:
        return base + 2 * (out + x * min(1.0, 0.5 + 0.5 * x / least))
    if form == 2:
        r = min(1.0, base + out + 2 * x + R_SLOP)
        return 1 - np.sqrt(1 - r * r)
    return out + x


def least_weight(form: int, gain: float, base: float, out: float, least: float) -> Number:
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


# By rows of steps ----------------------------------------------------------------------------


def row_scales(
    form: int, sums: Array, scales: Array, per_weight: Array, scale: Array, least: Array
) -> None:
    """scale (2, kp) float32, least (2, kp): see RowArrays."""
    for label in range(sums.shape[1]):
        for sign in range(2):
            steps = sums[sign, label] * per_weight[sign, label]
            least[sign, label] = np.uint32(max(steps - 1, 0.0))
            if form > 0:
                scale[sign, label] = scales[sign, label] / per_weight[sign, label]
        if form == 0:
            neg, pos = per_weight[0, label] * sums[0, label], per_weight[1, label] * sums[1, label]
            scale[0, label] = 1 / max(neg * pos, LEAST) if neg * pos > 0 else 0.0
            scale[1, label] = label_share(form, label, sums, scales)


# subtle: a function for each form; one for all of them takes three times as long
def most(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """At least the gain of a term, from its row r, in float32: form 0.

    yes: its documents, so many numbers were rounded down. base: of `nowhere`.
    """
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        total += in_roots(
            rows[r, 0, label],
            rows[r, 1, label],
            yes,
            least[0, label],
            least[1, label],
            scale[0, label],
            scale[1, label],
        )
    return base + 2 * np.float64(total) * (1 + kp * ADDED) + IN_ROOTS


def in_roots(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, AB: Number, share: Number
) -> Number:
    """What a label adds to `most`. N, P: its steps of either sign; all_neg, all_pos: of `least`;
    AB, share: of `scale`.
    """
    one: Number = np.float32(1)
    more: Number = np.uint32(yes)
    n = np.uint32(all_neg - min(np.uint32(N + more), all_neg))
    p = np.uint32(all_pos - min(np.uint32(P + more), all_pos))
    return share * (
        one
        - np.sqrt(np.float32(N) * np.float32(P) * AB)
        - np.sqrt(np.float32(n) * np.float32(p) * AB)
    )


def most_abstaining(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """The same: form 1."""
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        total += in_root(
            rows[r, 0, label],
            rows[r, 1, label],
            yes,
            counts[0, label],
            counts[1, label],
            scale[0, label],
            scale[1, label],
        )
    return np.float64(total) * (1 + kp * ADDED) + ALLOWED


def in_root(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, A: Number, B: Number
) -> Number:
    """What a label adds to `most_abstaining`. all_neg, all_pos: of `counts`; A, B: of `scale`."""
    inside: Number = np.float32(yes)
    two: Number = np.float32(2)
    q, r = np.float32(N), np.float32(P)
    n, p = min(inside, all_neg), min(inside, all_pos)
    return (q + n) * A + (r + p) * B - two * np.sqrt(q * A * (r * B))


def most_discrete(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """The same: form 2."""
    total: Number = np.float32(0)
    kp = rows.shape[2]
    for label in range(kp):
        total += in_edge(
            rows[r, 0, label],
            rows[r, 1, label],
            yes,
            least[0, label],
            least[1, label],
            scale[0, label],
            scale[1, label],
        )
    edge = min(1.0, np.float64(total) * (1 + kp * ADDED) + ALLOWED)
    return 1 - np.sqrt(1 - edge * edge) + ALLOWED


def in_edge(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, A: Number, B: Number
) -> Number:
    """What a label adds to the edge r of `most_discrete`. all_neg, all_pos: of `least`."""
    around: Number = np.float32(2) * np.float32(yes) + np.float32(4)
    n = np.uint32(all_neg - min(N, all_neg))
    p = np.uint32(all_pos - min(P, all_pos))
    x = np.float32(P) * B - np.float32(N) * A
    y = np.float32(p) * B - np.float32(n) * A
    return abs(x) + abs(y) + around * (A + B)


def most_discrete_abstaining(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
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
    at_least = np.float64(wrong) * (1 - kp * ADDED) - ALLOWED
    return apart(max(at_least, 0.0), np.float64(total) * (1 + kp * ADDED)) + ALLOWED


def at_least(
    form: int, row: Array, yes: Number, base: float, sums: Array, scales: Array, per_weight: Array
) -> Number:
    """At most the gain of a term with this row (2, kp), whose sums are up to `yes` too small."""
    gain, right, wrong = 0.0, 0.0, 0.0
    for label in range(sums.shape[1]):
        N, P = np.float64(row[0, label]), np.float64(row[1, label])
        D0, D1 = sums[0, label] * per_weight[0, label], sums[1, label] * per_weight[1, label]
        n, p = max(D0 - N, 0.0) + D0 * CANCEL, max(D1 - P, 0.0) + D1 * CANCEL
        a = scales[0, label] / per_weight[0, label]
        b = scales[1, label] / per_weight[1, label]
        if form == 0:
            if D0 > 0 and D1 > 0:
                roots = np.sqrt(min(N + yes, D0) * min(P + yes, D1)) + np.sqrt(n * p)
                share = label_share(form, label, sums, scales)
                gain += 2 * share * (1 - roots / (np.sqrt(D0) * np.sqrt(D1)))
        elif form == 1:
            d = max(
                np.sqrt(P * b) - np.sqrt((N + yes) * a), np.sqrt(N * a) - np.sqrt((P + yes) * b)
            )
            gain += max(d, 0.0) ** 2
        elif form == 2:
            around = yes * max(a, b)
            right += max(abs(P * b - N * a) - around, 0.0) + max(abs(p * b - n * a) - around, 0.0)
        else:
            right += max(N * a, P * b)
            wrong += min((N + yes) * a, (P + yes) * b)
    if form == 0:
        return base + gain - IN_LEAST
    if form == 1:
        return gain - IN_LEAST
    if form == 2:
        return 1 - np.sqrt(1 - min(right, 1.0) ** 2) - IN_LEAST
    d = max(np.sqrt(right) - np.sqrt(wrong), 0.0)
    return d * d - IN_LEAST
