"""The formulas of gains and votes, which NumPy code and compiled kernels share.

The first part computes gains and votes from block weights. The second part computes gains from
sums, and bounds on gains for conditions whose sums are known only approximately. The form of the
rules of a run is a number: 0 for real votes, 1 for real votes that abstain in block NO, 2 for
discrete votes, and 3 for discrete votes that abstain in block NO.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
Number = Any

FORMS = {("real", False): 0, ("real", True): 1, ("discrete", False): 2, ("discrete", True): 3}
"""The form of rules, by the key of VOTES and whether rules abstain in block NO."""

LEAST_WEIGHT = 1e-15
"""The smallest weight from which votes are computed.

It replaces smaller weights if there is no smoothing, so that votes stay below 18 and sums of votes
stay precise.
"""

# Of block weights ----------------------------------------------------------------------------


def apart(neg: Number, pos: Number) -> Number:
    """Return (sqrt W+ - sqrt W-)^2, the gain of a real vote, or of discrete votes from E and R.

    Source: SS99 Eqs. 13-14 and 16; of rules that abstain: BT00, SS99 s3.3, SF12 s9.2.4.
    """
    d = np.sqrt(pos) - np.sqrt(neg)
    return d * d


def confidence(neg: Number, pos: Number, smoothing: Number) -> Number:
    """Return 1/2 ln((W+ + e) / (W- + e)), e being the smoothing. Source: SS99 Eq. 15, s4.2."""
    against = np.maximum(neg + smoothing, LEAST_WEIGHT)
    return 0.5 * np.log(np.maximum(pos + smoothing, LEAST_WEIGHT) / against)


BALANCE = 1e-10
"""Two weights count as equal if they differ by less than this fraction of their sum."""


def outweighs(neg: Number, pos: Number) -> Number:
    """Return whether W+ is larger than W-.

    subtle: after a discrete rule, the weights of both signs in its blocks are equal, so that ties
    are frequent
    """
    return pos - neg > BALANCE * (pos + neg)


def vote_of_blocks(
    form: int, W: Array, speaks: Array, smoothing: float, factor: float, votes: Array
) -> Number:
    """Write the votes (3, k), computed from block weights (3, 2, k), times a factor into `votes`.

    The votes are those of VOTES. Returns alpha times the factor.
    """
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
    """Return the gain of block weights (3, 2, k), which is that of VOTES."""
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


def most_of_blocks(form: int, W: Array, speaks: Array, around: Array) -> Number:
    """Return the largest gain of block weights (3, 2, k) that differ from W by at most `around`.

    around: (2, k), for each sign and label, in all blocks.
    """
    gain, right, wrong = 0.0, 0.0, 0.0
    for block in range(3):
        if speaks[block] != 0:
            for label in range(W.shape[2]):
                a, b = W[block, 0, label], W[block, 1, label]
                x, y = around[0, label], around[1, label]
                least_a, least_b = max(a - x, 0.0), max(b - y, 0.0)
                if form < 2:
                    gain += max(apart(least_a, b + y), apart(a + x, least_b))
                else:
                    right += max(a + x, b + y)
                    wrong += min(least_a, least_b)
    return gain if form < 2 else apart(wrong, right)


# Of sums -------------------------------------------------------------------------------------

ANY_ORDER = frozenset(
    {"most", "most_abstaining", "most_discrete", "most_discrete_abstaining", "gain_of_sums"}
)
"""Functions that may add numbers in any order.

They compute bounds, to which `ALLOWED` adds more than the rounding error of any order.
"""
ALLOWED = 1e-6
"""The rounding error that is allowed for in bounds in float32; the total weight is 1."""
IN_ROOTS, IN_SUMS, IN_LEAST = 4e-7, 1e-7, 1e-9
"""Other rounding errors that are allowed for.

IN_ROOTS: in bounds of form 0, with 6 roundings of 2^-24 of a half for each sign. IN_SUMS: in sums
in 64 bits. IN_LEAST: in lower bounds, which are computed in 64 bits.
"""
LEAST = 1e-18
ADDED = 2.0**-23
"""The additional rounding error for each label, as a fraction of the sum.

It is 2^-24 for an addition in float32, whatever the order, and doubled for safety.
"""
CANCEL = 2.0**-50
"""The rounding error of a difference, as a fraction of the sum that a number is subtracted from."""
R_SLOP = 1e-9
"""The rounding error of r; near r = 1, far smaller differences of r change a gain."""


def gain_of_sums(form: int, inside: Array, sums: Array, scales: Array) -> Number:
    """Return the gain of a term from sums of weights before scaling.

    inside, sums: (2, k), the sums over the documents with the term and over all documents.
    scales: (2, k), the factors that turn them into weights.
    """
    gain, right, wrong = 0.0, 0.0, 0.0
    # subtle: each form has a loop of its own, which the compiler can vectorise
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
    """Return the gain of a condition that holds for no document; for form 2, its r."""
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
    """Write into `adds` (2, k) how much an unscaled weight of 1 can add to a gain at most.

    For real votes that do not abstain, h(p, q) = 1 - sqrt((1-p)(1-q)) - sqrt(pq) <= p + q with
    p = P/S+ and q = N/S-, and a label adds twice its `label_share` times h. For other forms, a pair
    adds at most its weight.
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
    """Return the most that a label can add to a gain (form 0: half of that; form 2: to r)."""
    D0, D1 = sums[0, label] * scales[0, label], sums[1, label] * scales[1, label]
    if form == 0:
        return np.sqrt(D0 * D1)
    if form == 2:
        return 2 * min(D0, D1)
    return D0 + D1


def roof(form: int, x: float, base: float, out: float, least: float) -> Number:
    """Return an upper bound on the gain of a condition whose documents have the weight x.

    x: the sum of the weights of the documents times the factors of `adds_of`. base: the result of
    `nowhere`. out: the most that labels may add that x does not include. least: the smallest label
    share of those that it includes. Form 0 uses h(p, q) <= (p + q)/2 (1 + max(p, q)).
    """
    if form == 0:
        return base + 2 * (out + x * min(1.0, 0.5 + 0.5 * x / least))
    if form == 2:
        r = min(1.0, base + out + 2 * x + R_SLOP)
        return 1 - np.sqrt(1 - r * r)
    return out + x


def least_weight(form: int, gain: float, base: float, out: float, least: float) -> Number:
    """Return the x for which roof(x) is `gain`, or a smaller x; negative if roof(0) is as large.

    Conditions with less weight than x cannot have a gain as large as `gain`.
    """
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


# By rows of sums in fixed-point numbers ------------------------------------------------------


def row_scales(
    form: int, sums: Array, scales: Array, per_weight: Array, scale: Array, least: Array
) -> None:
    """Write the arrays `scale` (2, kp) float32 and `least` (2, kp), which RowArrays describes."""
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


# subtle: each form has a function of its own; one function for all takes three times as long
def most(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """Return an upper bound on the gain of a term of form 0, from row r of `rows`, in float32.

    yes: the number of documents with the term, which is how many numbers were rounded down in each
    sum. least, counts, scale: see RowArrays. base: the result of `nowhere`.
    """
    kp, total = rows.shape[2], np.float32(0)
    for label in range(kp):
        N, P, A, B = rows[r, 0, label], rows[r, 1, label], scale[0, label], scale[1, label]
        total += in_roots(N, P, yes, least[0, label], least[1, label], A, B)
    return base + 2 * np.float64(total) * (1 + kp * ADDED) + IN_ROOTS


def in_roots(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, AB: Number, share: Number
) -> Number:
    """Return what a label adds to `most`.

    N, P: the sums of the label for the signs - and +. all_neg, all_pos: its values in `least`.
    AB, share: its values in `scale`.
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
    """Return an upper bound on the gain of a term of form 1; see `most`."""
    total: Number = np.float32(0)
    for label in range(rows.shape[2]):
        N, P, A, B = rows[r, 0, label], rows[r, 1, label], scale[0, label], scale[1, label]
        total += in_root(N, P, yes, counts[0, label], counts[1, label], A, B)
    return np.float64(total) * (1 + rows.shape[2] * ADDED) + ALLOWED


def in_root(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, A: Number, B: Number
) -> Number:
    """Return what a label adds to `most_abstaining`.

    all_neg, all_pos: its values in `counts`. A, B: its values in `scale`.
    """
    inside: Number = np.float32(yes)
    two: Number = np.float32(2)
    q, r = np.float32(N), np.float32(P)
    n, p = min(inside, all_neg), min(inside, all_pos)
    return (q + n) * A + (r + p) * B - two * np.sqrt(q * A * (r * B))


def most_discrete(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """Return an upper bound on the gain of a term of form 2; see `most`."""
    total: Number = np.float32(0)
    k = rows.shape[2]
    for label in range(k):
        N, P, A, B = rows[r, 0, label], rows[r, 1, label], scale[0, label], scale[1, label]
        total += in_edge(N, P, yes, least[0, label], least[1, label], A, B)
    allowed = 1 + k * ADDED
    edge = min(1.0, np.float64(total) * allowed + ALLOWED)
    return 1 - np.sqrt(1 - edge * edge) + ALLOWED


def in_edge(
    N: Number, P: Number, yes: Number, all_neg: Number, all_pos: Number, A: Number, B: Number
) -> Number:
    """Return what a label adds to the edge r in `most_discrete`.

    all_neg, all_pos: its values in `least`. A, B: its values in `scale`.
    """
    around: Number = np.float32(2) * np.float32(yes) + np.float32(4)
    n = np.uint32(all_neg - min(N, all_neg))
    p = np.uint32(all_pos - min(P, all_pos))
    x = np.float32(P) * B - np.float32(N) * A
    y = np.float32(p) * B - np.float32(n) * A
    return abs(x) + abs(y) + around * (A + B)


def most_discrete_abstaining(
    rows: Array, r: int, yes: Number, least: Array, counts: Array, scale: Array, base: float
) -> Number:
    """Return an upper bound on the gain of a term of form 3; see `most`."""
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
    """Return a lower bound on the gain of a term with this row (2, kp).

    The sums in the row are too small by up to `yes`, the number of documents with the term.
    """
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
            for_label = np.sqrt(P * b) - np.sqrt((N + yes) * a)
            against = np.sqrt(N * a) - np.sqrt((P + yes) * b)
            d = max(for_label, against, 0.0)
            gain += d * d
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
        edge = min(right, 1.0)
        return 1 - np.sqrt(1 - edge * edge) - IN_LEAST
    d = max(np.sqrt(right) - np.sqrt(wrong), 0.0)
    return d * d - IN_LEAST
