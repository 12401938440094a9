"""The reference engine: every block weight anew in every round, straight from the formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from boostext.arrays import Float64, Int8, Int32, Lists, Scores, Weights
from boostext.boosting.alphas import ALPHAS
from boostext.boosting.choice import Choice, Eligible, eligible, first_of_best
from boostext.boosting.engines.interface import Problem
from boostext.boosting.losses import LOSSES, Weighing
from boostext.boosting.ranked_votes import pair_weights
from boostext.boosting.reach import Blocks
from boostext.boosting.votes import VOTES

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Move = tuple[Blocks, Float64]
"""Documents by block, and what is added for each block."""

FEW = 4
"""Labels below which only their columns are touched, as by rules of one label."""
CHUNK = 1 << 21
"""Block weights held at a time, in numbers: memory does not grow with conditions x labels."""


class PlainEngine:
    """Recomputes all: O(postings x labels + conditions x labels) a round, in SciPy and NumPy."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.members = problem.members
        self._signs = problem.signs()
        self._loss = LOSSES[problem.loss]
        self._base: Weights = self._loss.base(problem.start, self._signs)
        self._scores: Scores = np.zeros(self._signs.shape)
        self._pulled: Scores | None = None  # as the weights feel the scores, where that differs
        self._colors: Int8 | None = None
        self._round = 1
        self._yes = _matrix(self.members.features.yes, problem.example_count)
        self._unknown = _matrix(self.members.features.unknown, problem.example_count)
        self._steps = [_matrix(c.steps(), problem.example_count) for c in self.members.columns]
        self._weights, self._log_value = self._reweigh()

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        gains = np.full(len(self.members), -np.inf)
        voting = VOTES[self.problem.votes]
        for start, table in self._tables():
            gains[start : start + len(table)] = voting.gain(table, self.problem.speaks)
        open_to = eligible(draw, np.arange(len(gains)))
        if not open_to.any():
            return None
        winner = first_of_best(np.where(open_to, gains * preference, -np.inf), preference)
        return Choice(winner, float(gains[winner]))

    def block_weights(self, condition: int) -> Float64:
        return self.sums(self.blocks(condition))

    def apply(self, condition: int, votes: Float64, pull: Float64 | None = None) -> None:
        blocks = self.blocks(condition)
        self.move([(blocks, votes)], None if pull is None else [(blocks, pull)])

    def size(self, condition: int, direction: Float64, alpha: str) -> float:
        return self.size_of([(self.blocks(condition), direction)], alpha)

    def pair_weights(self, condition: int) -> Float64:
        return pair_weights(self._weights, self._signs, self.blocks(condition))

    # -------------------------------------------------------------- rules that stand anywhere

    def blocks(self, condition: int) -> Blocks:
        """Documents of each block of a condition."""
        yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        no = np.ones(self.problem.example_count, np.bool_)
        no[yes] = no[unknown] = False
        return unknown, np.flatnonzero(no).astype(np.int32), yes

    def sums(self, blocks: Blocks) -> Float64:
        """(3, 2, k): block weights; documents in no block are left out."""
        by_sign = self._by_sign()  # (m, 2, c)
        return np.stack([by_sign[documents].sum(axis=0) for documents in blocks])

    def by_sign(self) -> Float64:
        """(m, 2, k): weights, each in its sign's half, on the grid where sums are exact."""
        return on_grid(self._by_sign())

    def move(self, moves: Sequence[Move], pulls: Sequence[Move] | None = None) -> None:
        """As `apply`, for votes (3, k) on the documents of any blocks; pulls (3, 2, k)."""
        if pulls is not None:
            before = np.zeros_like(self._scores) if self._pulled is None else self._pulled
            against, for_label = (
                self._spread([(blocks, pull[:, sign]) for blocks, pull in pulls]) for sign in (0, 1)
            )
            self._pulled = before + np.where(self._signs > 0, for_label, against)
        self._scores = self._scores + self._spread(moves)
        self._round += 1
        self._weights, self._log_value = self._reweigh()

    def size_of(self, moves: Sequence[Move], alpha: str) -> float:
        """As `size`, for directions (3, k) on the documents of any blocks."""
        h = self._spread(moves)

        def slope(alpha: float) -> float:
            rng = np.random.default_rng([self.problem.seed, self._round])
            D, _ = self._loss.weigh(self._scores + alpha * h, self._signs, self._base, rng)
            return float((D * self._signs * h).sum())

        return ALPHAS[alpha](self._weights, self._signs, h, slope)

    def color(self, colors: Int8) -> None:
        self._colors = colors

    def log_value(self) -> float:
        return self._log_value

    def scores(self) -> Scores:
        return self._scores

    def weights(self) -> Weights:
        return self._weights

    def _spread(self, moves: Sequence[Move]) -> Scores:
        """(m, k): each example's vote."""
        h = np.zeros((self.problem.example_count, moves[0][1].shape[1]))
        for blocks, votes in moves:
            for documents, vote in zip(blocks, votes, strict=True):
                spoken = np.flatnonzero(vote)
                if 0 < len(spoken) < FEW:
                    h[documents[:, None], spoken] += vote[spoken]
                elif len(spoken):
                    h[documents] += vote
        return h

    def _reweigh(self) -> Weighing:
        felt = self._scores if self._pulled is None else self._pulled
        rng = np.random.default_rng([self.problem.seed, self._round])
        return self._loss.weigh(felt, self._signs, self._base, rng)

    def _by_sign(self) -> Float64:
        """Weights as (m, 2, c): each in its sign's half, 0 in the other; c = k, or 1 in colors."""
        D, signs = self._weights, self._signs
        if self._colors is not None:
            signs = self._colors[self.problem.label_sets.items][:, None]  # (m, 1)
            D = (D * (self._colors != signs)).sum(axis=1, keepdims=True)
        return np.stack([np.where(signs < 0, D, 0), np.where(signs > 0, D, 0)], axis=1)

    def _tables(self) -> Iterator[tuple[int, Float64]]:
        """(first condition, block weights (c, 3, 2, k)), all conditions in pieces."""
        by_sign = on_grid(self._by_sign())
        flat = by_sign.reshape(len(by_sign), -1)  # (m, 2k)
        total = flat.sum(axis=0)
        step = max(1, CHUNK // (3 * flat.shape[1]))
        unknown = self._unknown @ flat  # (lists of unknown documents, 2k)
        for start in range(0, self.members.listed, step):
            yes = self._yes[start : start + step] @ flat
            lists = self.members.features.unknown_list[start : start + step]
            absent = np.zeros_like(yes)
            absent[lists >= 0] = unknown[lists[lists >= 0]]
            yield start, self._blocks(absent, yes, total)
        for number, column in enumerate(self.members.columns):
            offset = int(self.members.offsets[number])
            above = np.cumsum((self._steps[number] @ flat)[::-1], axis=0)[::-1]  # (c, 2k)
            valueless = total - flat[column.order].sum(axis=0)  # exact, on the grid
            for start in range(0, len(column), step):
                yes = above[start : start + step]
                absent = np.broadcast_to(valueless, yes.shape)
                yield offset + start, self._blocks(absent, yes, total)

    def _blocks(self, unknown: Float64, yes: Float64, total: Float64) -> Float64:
        no = np.maximum(total - yes - unknown, 0)
        return np.stack([unknown, no, yes], axis=1).reshape(len(yes), 3, 2, -1)


def on_grid(weights: Float64) -> Float64:
    """Weights (m, 2, k) rounded to 2^-51 of their column's total, so that float64 adds exactly.

    subtle: a block is often known as total - yes - unknown. On the grid the difference of equal
    sums is exactly 0; otherwise a residue of 1e-17 enters the criterion by its square root, 3e-9,
    and two engines that add in another order no longer agree on ties.
    """
    _, exponent = np.frexp(weights.sum(axis=0))
    return np.asarray(np.ldexp(np.rint(np.ldexp(weights, 51 - exponent)), exponent - 51))


def _matrix(lists: Lists, m: int) -> csr_array:
    """(lists, m) of ones."""
    from scipy.sparse import csr_array  # slow to import, and the incremental engine needs none

    ones = np.ones(len(lists.items))
    items: Int32 = lists.items
    return csr_array((ones, items, lists.starts), shape=(len(lists), m))
