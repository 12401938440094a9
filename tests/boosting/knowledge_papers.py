"""Boosting with prior knowledge, slowly, straight from the objective: 3m weighted rows.

A row is a document with one sign for each label and one weight for each: what it is labeled, and
what pi says for and against every label. Plain Python loops; nothing of boostext is used.
"""

from itertools import product
from math import exp, log, sqrt

BLOCKS = ("unknown", "no", "yes")


def rows_of(Y, w, pi, eta):
    """(document, signs, weights) of 3m rows."""
    made = []
    for i, (signs, probabilities) in enumerate(zip(Y, pi, strict=True)):
        k = len(signs)
        made.append((i, signs, [w[i]] * k))
        made.append((i, [+1] * k, [eta * p for p in probabilities]))
        made.append((i, [-1] * k, [eta * (1 - p) for p in probabilities]))
    return made


def loss_of(name, margin):
    return log(1 + exp(-margin)) if name == "logistic" else exp(-margin)


def weight_of(name, margin):
    return 1 / (1 + exp(margin)) if name == "logistic" else exp(-margin)


def objective(name, rows, f):
    """The sum over rows and labels; RE(pi || sigma(f)) is in it up to a constant."""
    return sum(
        weight * loss_of(name, sign * f[i][label])
        for i, signs, weights in rows
        for label, (sign, weight) in enumerate(zip(signs, weights, strict=True))
    )


def boost(name, made, rows, f, rounds, abstain, smoothing):
    """made: (condition, [block of each document]); f: f_0. Rounds as (condition, votes, z)."""
    k, out = len(f[0]), []
    speaking = ("yes",) if abstain else ("no", "yes")
    for _ in range(rounds):
        D = [
            [
                w * weight_of(name, s * f[i][label])
                for label, (s, w) in enumerate(zip(signs, weights, strict=True))
            ]
            for i, signs, weights in rows
        ]
        total = sum(map(sum, D))
        tables = [_table(blocks, rows, D, total, k) for _, blocks in made]
        gains = [_gain(W, speaking, k) for W in tables]
        best = max(gains)
        if best <= 1e-11:
            break
        pick = next(j for j, gain in enumerate(gains) if gain >= best - 1e-12)
        (condition, blocks), W = made[pick], tables[pick]
        votes = {
            b: [0.5 * log((W[b, 1, n] + smoothing) / (W[b, -1, n] + smoothing)) for n in range(k)]
            if b in speaking
            else [0.0] * k
            for b in BLOCKS
        }
        before = objective(name, rows, f)
        f = [[f[i][n] + votes[blocks[i]][n] for n in range(k)] for i in range(len(f))]
        out.append((condition, votes, objective(name, rows, f) / before))
    return out, f


def _table(blocks, rows, D, total, k):
    W = dict.fromkeys(product(BLOCKS, (-1, 1), range(k)), 0.0)
    for (i, signs, _), weights in zip(rows, D, strict=True):
        for label in range(k):
            W[blocks[i], signs[label], label] += weights[label] / total
    return W


def _gain(W, speaking, k):
    return sum((sqrt(W[b, 1, n]) - sqrt(W[b, -1, n])) ** 2 for b in speaking for n in range(k))
