"""The weights of documents, which are updated by rules and computed again when inaccurate.

D(i, l) = e(i, l) scales(sign, l). The votes of a rule for the block with most documents go into the
scales, which have one number for each label and sign, and only the documents of the other blocks
change their e. Sums of e are kept with twice the digits of a double. The weights e are also kept in
whole numbers, called steps, for the sums that are kept for terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Scores, aligned
from boostext.arrays import Weights as PairWeights
from boostext.boosting.engines.arrays import (
    FARTHEST,
    MUST_RENEW,
    SPREAD,
    ChangeArrays,
    LabelArrays,
    RuleKind,
    StepArrays,
    WeightArrays,
)
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels_weights import EXPONENTIAL, LOGISTIC, STEPS
from boostext.boosting.losses import Loss, exponential, logistic, logistic_weight
from boostext.boosting.membership import Membership

LASTS = 2048
"""The number of rules after which e is computed again from the scores, because products are
rounded.
"""
MOST_SPREAD, DEEP = 300, 1e-150
"""When weights may become too small for a double, which holds numbers down to 1e-308.

MOST_SPREAD: how far weights may move, as an exponent, before the smallest weight is checked. DEEP:
the smallest weight from which none can fall below 1e-308 before the next check. A weight that has
fallen below is 0 and does not rise again with the others. It would matter again, at 1e-25, after a
further movement of 650, so that all weights are computed again after 600.
"""

KNOWN_LOSSES: dict[Any, int] = {exponential: EXPONENTIAL, logistic: LOGISTIC}
"""The number in the kernels of each loss whose weights can be updated by a rule; keys are
Loss.weigh.

Exponential weights are multiplied by a factor for each block, sign and label. Logistic weights are
not, so that most documents keep their weights only if rules are silent in block NO.
"""


def is_known(loss: Loss, abstains: bool) -> bool:
    """Return whether weights of this loss can be updated. abstains: block NO is silent."""
    return loss.weigh in KNOWN_LOSSES and (abstains or loss.weigh is exponential)


class Weights:
    """The weights of a boosting run. arrays: the weights. steps: the same in whole numbers.

    changes: the documents changed by the last rule. labels: those of the examples. loss: the number
    of the loss in the kernels.
    """

    def __init__(
        self, problem: Problem, loss: Loss, labels: LabelArrays, kernels: Mapping[str, Any]
    ) -> None:
        m, k, kp = problem.example_count, problem.label_count, padded(problem.label_count)
        pairs, start = len(labels.items), problem.start
        self.labels, self._kernels, self.loss = labels, kernels, KNOWN_LOSSES[loss.weigh]
        table = partial(np.zeros, (2, k))
        self.arrays = WeightArrays(
            neg=np.zeros((m, k)),
            pos=np.zeros(pairs),
            sums=table(),
            high=table(),
            low=table(),
            scales=table(),
            local=np.zeros((m, k)),
            common=np.zeros(k),
            example=start.example,
            factors=np.array([start.negative, start.positive, 1.0]),
            first_neg=np.zeros((0, k)),
            first_pos=np.zeros(0),
            loss=np.zeros(2),
            figures=np.array([1.0, 0.0, 0.0, 0.0]),
        )
        if problem.pairs is not None:
            self.arrays = self.arrays._replace(
                first_neg=problem.pairs.negative,
                first_pos=problem.pairs.positive.ravel(),
                local=problem.pairs.scores.copy(),
            )
        self.steps = StepArrays(
            aligned((m, kp)), np.zeros(pairs, np.uint32), np.zeros((2, kp), np.uint32), table()
        )
        self.changes = ChangeArrays(
            np.zeros(1, np.int64),
            np.zeros(m, np.int32),
            aligned((m, kp)),
            np.zeros(pairs, np.uint32),
            np.zeros(m, np.int32),
        )
        self.rows_of_pos: Int64 = np.repeat(np.arange(m), np.diff(labels.starts))
        self._without = np.flatnonzero(start.example <= 0)
        self._lightest = start.example.min(where=start.example > 0, initial=1.0)
        self._moves, self._deep = 0, False
        self.renew()

    @property
    def has_both_signs(self) -> bool:
        """Whether each pair has a weight of sign - and one of sign +."""
        return len(self.arrays.first_neg) > 0

    @property
    def lasts(self) -> int:
        """The number of rules that may still be applied before e is computed again."""
        return LASTS - self._moves

    def _farthest(self) -> float:
        """Return how far e may move before its smallest value is checked, as an exponent."""
        return 2.0 * MOST_SPREAD if self._deep else float(MOST_SPREAD)

    def must_renew(self, moves: int) -> bool:
        """Return whether the weights must be computed again after `moves` more rules.

        They must if steps are too coarse or too large, or if e has been rounded too often. The
        answer depends only on the rules applied, so that replaying rules leads to the same weights,
        bit for bit, as finding them.
        """
        self._moves += moves
        return (
            self._moves >= LASTS
            or self._may_have_vanished()
            or bool(self.arrays.figures[MUST_RENEW])
        )

    def _may_have_vanished(self) -> bool:
        """Return whether some e may have fallen below the range of doubles and risen again."""
        figures = self.arrays.figures
        if figures[SPREAD] <= figures[FARTHEST]:
            return False
        if self._deep:
            return True
        both = (self.arrays.neg, self.arrays.pos)
        least = min(e.min(where=e > 0, initial=1.0) for e in both)
        self._deep = bool(least < DEEP)
        figures[SPREAD], figures[FARTHEST] = 0.0, self._farthest()
        return False

    def scores(self) -> Scores:
        return np.asarray(self.arrays.local + self.arrays.common)

    def values(self) -> PairWeights:
        """Return the weights D, (m, k), the sums over both signs."""
        D = self.arrays.neg * self.arrays.scales[0]
        items = self.labels.items
        D[self.rows_of_pos, items] += self.arrays.pos * self.arrays.scales[1, items]
        return np.asarray(D)

    def exact(self, members: Membership, condition: int, kind: RuleKind) -> tuple[Float64, float]:
        """Return the block weights (3, 2, k) and the gain of a condition, summed over its
        documents.
        """
        W = np.zeros((3, *self.arrays.sums.shape))
        yes = members.yes(condition)
        if condition >= members.listed:
            yes = _ascending(yes, members.features.document_count)
        gain = self._kernels["exact"](
            kind, yes, members.unknown(condition), self.labels, self.arrays, W
        )
        return W, float(gain)

    def renew(self) -> None:
        """Compute all weights again from the scores: e = D, and all scales are equal."""
        weights = self.arrays
        weights.local[:] += weights.common
        weights.common[:] = 0
        self._weigh()
        self._count()

    def load(self, neg: Float64, pos: Float64) -> None:
        """Replace all weights by those given, in the form of WeightArrays, whose sum is not 0."""
        self.arrays.neg[:], self.arrays.pos[:] = neg, pos
        self._to_shares()
        self._count()

    def _count(self) -> None:
        """Compute the sums of e, which sum to 1 and are D, and e in steps."""
        weights, steps, k = self.arrays, self.steps, self.arrays.neg.shape[1]
        self._moves = 0
        self._kernels["sum_weights"](self.loss, self.labels, weights)
        total = float(weights.sums.sum())
        weights.figures[:] = total, 0.0, 0.0, self._farthest()
        weights.scales[:] = 1 / total
        steps.per_weight[:] = STEPS / np.maximum(weights.sums, 1e-250)
        steps.neg[:, :k] = weights.neg * steps.per_weight[0]  # rounded down
        steps.pos[:] = weights.pos * steps.per_weight[1, self.labels.items]
        steps.sums[0] = np.einsum("ij->j", steps.neg)  # four times as fast as sum(axis=0)
        steps.sums[1, :k] = np.bincount(self.labels.items, steps.pos, k)
        self.changes.count[0] = 0

    def _weigh(self) -> None:
        """Compute e from the scores, with the largest exponent factored out, as in losses."""
        if self.has_both_signs:
            self._weigh_both_signs()
            return
        weights, items, rows = self.arrays, self.labels.items, self.rows_of_pos
        against = weights.local.copy()  # -Y f for the pairs with sign -
        against[rows, items] *= -1
        if self.loss == LOGISTIC:
            np.copyto(against, logistic_weight(-against))
            self._deep = False
        else:
            against[self._without] = -np.inf
            against -= against.max(initial=-np.inf)
            against[self._without] = 0.0
            self._deep = bool(against.min(initial=0.0) + np.log(self._lightest) < np.log(DEEP))
            np.exp(against, out=against)
        against *= weights.example[:, None]
        weights.pos[:] = against[rows, items] * weights.factors[1]
        np.multiply(against, weights.factors[0], out=weights.neg)
        weights.neg[rows, items] = 0
        self._to_shares()

    def _weigh_both_signs(self) -> None:
        """Compute e from the scores if each pair has a weight of either sign."""
        weights, f = self.arrays, self.arrays.local
        if self.loss == LOGISTIC:
            against, in_favor = logistic_weight(-f), logistic_weight(f)
            self._deep = False
        else:
            farthest = np.abs(f).max()
            against, in_favor = np.exp(f - farthest), np.exp(-f - farthest)
            firsts = (weights.first_neg, weights.first_pos)
            lightest = min(e.min(where=e > 0, initial=1.0) for e in firsts)
            self._deep = bool(np.log(lightest) - 2 * farthest < np.log(DEEP))
        np.multiply(weights.first_neg, against, out=weights.neg)
        np.multiply(weights.first_pos, in_favor.ravel(), out=weights.pos)
        self._to_shares()

    def _to_shares(self) -> None:
        """Scale e so that its sum is 1, and keep the factor in `factors`."""
        weights = self.arrays
        weights.factors[2] = 1 / (weights.neg.sum() + weights.pos.sum())
        weights.neg[:] *= weights.factors[2]
        weights.pos[:] *= weights.factors[2]


def _ascending(documents: Int32, m: int) -> Int32:
    if 8 * len(documents) < m:
        return np.sort(documents)
    inside = np.zeros(m, np.bool_)
    inside[documents] = True
    return np.flatnonzero(inside).astype(np.int32)


def padded(k: int) -> int:
    """Return the number of labels k padded to kp; see arrays.py."""
    return 2 if k <= 2 else 4 if k <= 4 else -(-k // 8) * 8
