"""Real votes that minimise the ranking loss in each block, found by Newton's method.

The loss of a block is F(c) = the sum over crucial pairs of w(l0, l1) exp((c(l0) - c(l1)) / 2), with
l0 wrong and l1 right, plus the smoothing of real votes, e (exp(c(l)) + exp(-c(l))) for each label.
F is convex and has a single minimum.
Source: SS99 s9, Eqs. 24-25, with the step of its Appendix A.
"""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64, Signs, Weights
from boostext.boosting.gains import LEAST_WEIGHT
from boostext.boosting.reach import Blocks

STEPS = 100
GREATEST_STEP = 4.0
"""The largest change of a vote in one step, which avoids overflow."""
ENOUGH = 1e-22
"""The method stops if the expected decrease of the loss is a smaller fraction of it than this."""
PARTS = 25
"""The number of step lengths that are tried, each half of the one before."""


def pair_weights(D: Weights, signs: Signs, blocks: Blocks) -> Float64:
    """Return the weights (3, k, k) of the crucial pairs (l0 wrong, l1 right) in each block.

    D: ranking weights d(i, l). D(i, l0, l1) = 4 d(i, l0) d(i, l1) / (sum of d over i's labels).
    The sums are products of sparse matrices, which always add in the same order; dense products
    may not.
    """
    from scipy.sparse import csr_array  # slow to import, and few algorithms need it

    pairs = np.maximum(D.sum(axis=1, keepdims=True), 1e-300)  # (m, 1)
    wrong = np.where(signs < 0, D, 0) * (4 / pairs)
    right = csr_array(np.where(signs > 0, D, 0))
    return np.stack([np.asarray(right[documents].T @ wrong[documents]).T for documents in blocks])


def newton(w: Float64, start: Float64, smoothing: float) -> Float64:
    """Return the votes (k,) that minimise F.

    w: (k, k), the weights of the pairs of a block. start: (k,), the initial votes. A step that does
    not lower F enough is halved, so that F of the result is never larger than F of the start.
    """
    e = max(smoothing, LEAST_WEIGHT)
    c, value = start.copy(), _value(w, start, e)
    for _ in range(STEPS):
        E = w * np.exp((c[:, None] - c) / 2)  # (wrong, right)
        gradient = (E.sum(axis=1) - E.sum(axis=0)) / 2 + 2 * e * np.sinh(c)
        diagonal = (E.sum(axis=1) + E.sum(axis=0)) / 4 + 2 * e * np.cosh(c)
        step = -_solved(diagonal, (E + E.T) / 4, gradient)
        promise = -float((gradient * step).sum())
        if promise <= ENOUGH * value:
            break
        step *= min(1.0, GREATEST_STEP / float(np.abs(step).max()))
        share, found = _searched(w, c, e, step, value, promise)
        if not share:
            break
        c, value = c + share * step, found
    return c


def _value(w: Float64, c: Float64, e: float) -> float:
    return float((w * np.exp((c[:, None] - c) / 2)).sum() + 2 * e * np.cosh(c).sum())


def _searched(
    w: Float64, c: Float64, e: float, step: Float64, value: float, promise: float
) -> tuple[float, float]:
    """Return the fraction of a step that lowers F, and F after it; 0 and `value` if none does."""
    share = 1.0
    for _ in range(PARTS):
        found = _value(w, c + share * step, e)
        if found < value - 1e-4 * share * promise or (found < value and promise < 1e-9 * value):
            return share, found
        share /= 2
    return 0.0, value


def _solved(diagonal: Float64, rest: Float64, wanted: Float64) -> Float64:
    """Solve (diag(diagonal) - rest) x = wanted by the method of conjugate gradients.

    The matrix must be positive definite. Library functions are not used, as their results depend,
    in the last bits, on the number of threads.
    """
    x, r = np.zeros_like(wanted), wanted.copy()
    z = r / diagonal
    p, rz = z.copy(), float((r * z).sum())
    least = 1e-28 * rz
    for _ in range(2 * len(wanted) + 10):
        if rz <= least:
            break
        Ap = diagonal * p - (rest * p).sum(axis=1)
        share = rz / float((p * Ap).sum())
        x += share * p
        r -= share * Ap
        z = r / diagonal
        before, rz = rz, float((r * z).sum())
        p = z + (rz / before) * p
    return x
