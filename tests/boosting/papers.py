"""The algorithms again, slowly, in plain Python loops straight from the papers; no NumPy, no reuse.

An example is a dict of facts: a set of words, numbers and categories. A condition is a function
from an example number to its block: "unknown", "no" or "yes".
"""

from itertools import pairwise, product
from math import exp, log, log1p, sqrt

BLOCKS = ("unknown", "no", "yes")


def conditions(documents, numeric=(), categories=()):
    """(name, [block of each example]) in the documented order."""
    m = len(documents)
    made = []
    for word in sorted(set().union(*documents)):
        made.append((word, ["yes" if word in documents[i] else "no" for i in range(m)]))
    for name, values in categories:
        for value in sorted({v for v in values if v is not None}):
            blocks = ["unknown" if v is None else "yes" if v == value else "no" for v in values]
            made.append(((name, value), blocks))
    for name, values in numeric:
        known = sorted({v for v in values if v == v})
        for low, high in pairwise(known):
            cut = (low + high) / 2
            blocks = ["unknown" if v != v else "yes" if v >= cut else "no" for v in values]
            made.append(((name, cut), blocks))
    return made


def one_sided(made, numeric):
    """The conditions, and those that hold below a threshold, as (column, "below", threshold)."""
    other = {"yes": "no", "no": "yes", "unknown": "unknown"}
    below = []
    for column, _ in numeric:
        own = [(name, blocks) for name, blocks in made if name[0] == column]
        for (_, cut), blocks in reversed(own):
            below.append(((column, "below", cut), [other[b] for b in blocks]))
    return made + below


def mh(made, Y, D, rounds, votes, abstain, smoothing, shrinkage=1.0, unknown=False):
    """AdaBoost.MH (SS99 Figure 2). Y[i][l] in -1, +1; D[i][l] sums to 1.

    Returns rounds as (name, votes by block, z), and the scores.
    """
    m, k = len(Y), len(Y[0])
    speaking = [b for b in BLOCKS if (b == "yes") or (b == "no" and not abstain)]
    speaking += ["unknown"] if unknown else []
    f = [[0.0] * k for _ in range(m)]
    out = []
    for _ in range(rounds):
        tables = [(name, blocks, table(blocks, Y, D)) for name, blocks in made]
        bounds = [CRITERIA[votes](W, speaking, k) for _, _, W in tables]
        least = min(bounds)
        if 1 - least <= 1e-11:
            break
        pick = next(j for j, z in enumerate(bounds) if z <= least + 1e-12)
        name, blocks, W = tables[pick]
        c = VOTES[votes](W, speaking, k, smoothing)
        c = {b: [shrinkage * v for v in c[b]] for b in BLOCKS}
        z = 0.0
        for i, label in product(range(m), range(k)):
            h = c[blocks[i]][label]
            f[i][label] += h
            D[i][label] *= exp(-Y[i][label] * h)
            z += D[i][label]
        D = [[d / z for d in row] for row in D]
        out.append((name, c, z))
    return out, f


def table(blocks, Y, D):
    """W[block, sign, label], SS99 s4.1."""
    W = {(b, s, label): 0.0 for b in BLOCKS for s in (-1, 1) for label in range(len(Y[0]))}
    for i, label in product(range(len(Y)), range(len(Y[0]))):
        W[blocks[i], Y[i][label], label] += D[i][label]
    return W


def real_z(W, speaking, k):
    """SS99 Eq. 16 in the speaking blocks; a silent block keeps its weight (BT00)."""
    z = 0.0
    for b, label in product(BLOCKS, range(k)):
        pos, neg = W[b, 1, label], W[b, -1, label]
        z += 2 * sqrt(pos * neg) if b in speaking else pos + neg
    return z


def real_votes(W, speaking, k, e):
    """SS99 Eq. 15, smoothed as in s4.2."""
    return {
        b: [
            0.5 * log((W[b, 1, label] + e) / (W[b, -1, label] + e)) if b in speaking else 0.0
            for label in range(k)
        ]
        for b in BLOCKS
    }


def right_wrong(W, speaking, k):
    """R and E: the weight on the right and the wrong side of each block's better sign."""
    pairs = [(W[b, 1, label], W[b, -1, label]) for b in speaking for label in range(k)]
    return sum(max(p) for p in pairs), sum(min(p) for p in pairs)


def discrete_z(W, speaking, k):
    """W0 + 2 sqrt(R E); without silence that is sqrt(1 - r^2) (SS99 Eq. 13, s3.3)."""
    right, wrong = right_wrong(W, speaking, k)
    silent = sum(w for (b, _, _), w in W.items() if b not in speaking)
    return silent + 2 * sqrt(right * wrong)


def discrete_votes(W, speaking, k, e):
    """SS99 Eq. 14: alpha = 1/2 ln((1 + r)/(1 - r)); smoothed with silence (SF12 s9.2.4)."""
    right, wrong = right_wrong(W, speaking, k)
    silent = "no" not in speaking or any(
        W[b, s, label] > 0
        for b in BLOCKS
        if b not in speaking
        for s in (-1, 1)
        for label in range(k)
    )
    if silent or wrong <= 1e-15:
        alpha = 0.5 * log((right + e) / (wrong + e))
    else:
        r = right - wrong
        alpha = 0.5 * (log1p(r) - log1p(-r))
    return {
        b: [
            (alpha if W[b, 1, label] > W[b, -1, label] * (1 + 1e-9) else -alpha)
            if b in speaking
            else 0.0
            for label in range(k)
        ]
        for b in BLOCKS
    }


CRITERIA = {"real": real_z, "discrete": discrete_z}
VOTES = {"real": real_votes, "discrete": discrete_votes}
