"""The reference engine, which computes all block weights in every round from the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np

from boostext.arrays import Float64, Int8, Scores, Weights
from boostext.boosting.alphas import ALPHAS, Smoothing
from boostext.boosting.beliefs import both_signs
from boostext.boosting.choice import Candidates, Choice, Eligible, eligible, first_of_best
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.tables import Tables, gains_of
from boostext.boosting.losses import LOSSES, Weighing
from boostext.boosting.membership import NONE, Membership
from boostext.boosting.ranked_votes import pair_weights
from boostext.boosting.reach import Blocks, Reach
from boostext.boosting.rules import Growth, Place, Placed
from boostext.boosting.votes import VOTES
from boostext.features.conditions import YES
from boostext.features.merge import gather

FEW = 4
"""The number of labels with votes below which only the columns of those labels are updated."""
MANY = 1000
"""The number of rules of a round from which the votes of those on terms are added up at once."""


class PlainWeights:
    """The weights D that a loss gives to the scores, computed from all scores after each round.

    scores: (m, k). values: (m, k), the weights. log_value: the logarithm of the loss. If pairs
    count with both signs, the loss is evaluated twice for each pair; see beliefs.py.
    """

    def __init__(self, problem: Problem, scores: Scores | None = None) -> None:
        self.signs, pairs = problem.signs(), problem.pairs
        self._loss, self._seen = LOSSES[problem.loss], self.signs
        self._seed, self._round = problem.seed, 0
        self._pulled: Scores | None = None  # replaces scores in the weights
        self.scores: Scores = np.zeros(self.signs.shape) if pairs is None else pairs.scores
        if pairs is None:
            self._base: Weights = self._loss.base(problem.start, self.signs)
        else:
            self._seen = both_signs(self.signs.shape)
            self._base = np.concatenate([pairs.negative, pairs.positive])
        self.move(np.zeros_like(self.scores) if scores is None else scores)

    def move(self, votes: Scores, pulls: tuple[Scores, Scores] | None = None) -> None:
        """Add votes (m, k) to the scores and compute the weights.

        pulls: the values that are added for the weights instead, for pairs of sign - and of sign +.
        """
        if pulls is not None:
            felt = np.where(self.signs > 0, pulls[1], pulls[0])
            self._pulled = felt if self._pulled is None else self._pulled + felt
        self.scores = self.scores + votes
        self._round += 1
        felt = self.scores if self._pulled is None else self._pulled
        self._weights, self.log_value, self._log_total = self._weighed(felt)

    def after(self, votes: Scores) -> Weighing:
        """Return the weights and the loss that `move` would lead to, without moving."""
        return self._weighed(self.scores + votes)

    @property
    def values(self) -> Weights:
        return np.asarray(self.by_sign().sum(axis=1)) if self._is_doubled else self._weights

    @property
    def _is_doubled(self) -> bool:
        return self._seen is not self.signs

    def by_sign(self) -> Float64:
        """Return the weights by sign, (m, 2, k); a pair weighs 0 for the sign that it has not."""
        D = self._weights
        if self._is_doubled:
            return np.stack(np.split(D, 2), axis=1)
        return _halves(D, self.signs)

    def slope(self, votes: Scores, alpha: float) -> float:
        """Return the negative derivative of the loss along `votes` at the distance alpha.

        It is the sum of W Y h, where W are the weights at that distance, divided by the sum of the
        current weights.
        """
        D, _, total = self._weighed(self.scores + alpha * votes)
        return float((D * self.signs * votes).sum() * np.exp(total - self._log_total))

    def _weighed(self, scores: Scores) -> Weighing:
        rng = np.random.default_rng([self._seed, self._round])
        if self._is_doubled:
            scores = np.tile(scores, (2, 1))
        return self._loss.weigh(scores, self._seen, self._base, rng)


class PlainEngine:
    """The reference engine, in NumPy and SciPy.

    A round takes time proportional to postings x labels + conditions x labels. tables: the block
    weights of all conditions. reach: the documents of places. scores: (m, k), those to start from.
    """

    def __init__(self, problem: Problem, scores: Scores | None = None) -> None:
        self.problem = problem
        self._weights = PlainWeights(problem, scores)
        self.tables = Tables(problem.members, problem.label_count)
        self.reach = reach_of(problem.members, problem.example_count)
        self._colors: Int8 | None = None
        self._flat: Float64 | None = None

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        gains = self._gains(len(preference))
        open_to = np.flatnonzero(eligible(draw, np.arange(len(gains))) & (preference > 0))
        return Candidates(open_to.astype(np.int32), (gains * preference)[open_to])

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        gains = self._gains(len(preference))
        open_to = eligible(draw, np.arange(len(gains)))
        if not open_to.any():
            return None
        winner = first_of_best(np.where(open_to, gains * preference, -np.inf), preference)
        return Choice(winner, float(gains[winner]))

    def _gains(self, count: int) -> Float64:
        """Return the gains (n,) of all conditions."""
        voting, speaks = VOTES[self.problem.votes], self.problem.speaks
        everything = np.arange(self.problem.example_count, dtype=np.int32)
        tables = self.tables.tables(self.flat(), everything)
        return gains_of(tables, count, [lambda W: voting.gain(W, speaks)])[0]

    def block_weights(self, place: Place) -> Float64:
        return self.sums(self.reach.blocks(*place))

    def gain(self, place: Place) -> float:
        voting = VOTES[self.problem.votes]
        return float(voting.gain(self.block_weights(place), self.problem.speaks))

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        before, felt = self._weights.log_value, None
        if len(pulls):
            against, in_favor = (
                self._spread(rules, [p[:, sign] for p in pulls]) for sign in (0, 1)
            )
            felt = against, in_favor
        self._weights.move(self._spread(rules, [rule.votes for rule in rules]), felt)
        self._flat = None
        return float(np.exp(self._weights.log_value - before))

    def scores(self) -> Scores:
        return self._weights.scores

    def weights(self) -> Weights:
        return self._weights.values

    # -------------------------------------------------------------- methods of this engine only

    def after(self, votes: Scores) -> Weighing:
        """Return the weights (m, k) and the loss that votes (m, k) would lead to."""
        return self._weights.after(votes)

    def flat(self) -> Float64:
        """Return the weights (m, 2k) by sign, - first, rounded so that their sums are exact."""
        if self._flat is None:
            by_sign = self._by_sign()
            self._flat = on_grid(by_sign).reshape(len(by_sign), -1)
        return self._flat

    def resample(self, rng: np.random.Generator) -> None:
        """Use a sample of the examples for searches until rules are applied.

        As many examples as there are are drawn with probabilities proportional to their weights.
        Source: Freund & Schapire 1996; S97 s3.
        """
        by_sign = self._by_sign()
        each = by_sign.sum(axis=(1, 2))
        drawn = rng.multinomial(len(each), each / each.sum()) / len(each)
        factors = drawn / np.maximum(each, 1e-300)
        self._flat = on_grid(by_sign * factors[:, None, None]).reshape(len(each), -1)

    def sums(self, blocks: Blocks) -> Float64:
        """Return block weights (3, 2, k); documents in no block are left out."""
        by_sign = self._by_sign()
        return np.stack([by_sign[documents].sum(axis=0) for documents in blocks])

    def size(self, growth: Growth, alpha: str, smoothing: float) -> float:
        """Return the factor alpha for the votes of rules, computed by ALPHAS[alpha]."""
        rules = growth.rules
        h, weights = self._spread(rules, [rule.votes for rule in rules]), self._weights
        slope = lambda alpha: weights.slope(h, alpha)  # noqa: E731
        votes = None if self.problem.votes == "discrete" else growth.votes().ravel()
        held = Smoothing(smoothing, votes)
        return ALPHAS[alpha](weights.values, weights.signs, h, slope, held)

    def pair_weights(self, place: Place) -> Float64:
        """Return the pair weights (3, k, k) of the ranking loss; see ranked_votes.pair_weights."""
        blocks = self.reach.blocks(*place)
        return pair_weights(self._weights.values, self._weights.signs, blocks)

    def color(self, colors: Int8) -> None:
        """Use block weights (3, 2, 1) from now on, of examples by the color of their label.

        colors: (k,) of +1 and -1. The weight of an example is the sum of the weights of its wrong
        labels of the other color. If wrong labels have no weight, as for ecoc, it is the weight of
        its own label.
        """
        self._colors, self._flat = colors, None

    def _spread(self, rules: Sequence[Placed], tables: Sequence[Float64]) -> Scores:
        """Return (m, k): for each example, the sum of the rows of tables (3, k), one table for each
        rule.
        """
        h = np.zeros((self.problem.example_count, tables[0].shape[1]))
        each = list(zip(rules, tables, strict=True))
        if len(rules) >= MANY:
            of_terms = [self._has_term(rule.place, table) for rule, table in each]
            if any(of_terms):
                h += self._spread_terms(list(compress(each, of_terms)))
            each = [one for one, is_term in zip(each, of_terms, strict=True) if not is_term]
        for rule, table in each:
            for documents, row in zip(self._blocks(rule.place, table), table, strict=True):
                spoken = np.flatnonzero(row)
                if 0 < len(spoken) < FEW:
                    h[documents[:, None], spoken] += row[spoken]
                elif len(spoken):
                    h[documents] += row
        return h

    def _has_term(self, place: Place, table: Float64) -> bool:
        """Return whether a rule votes on the documents with a term, or a category, only."""
        is_listed = 0 <= place.condition < self.problem.members.listed
        return is_listed and not place.precondition and not table[:YES].any()

    def _spread_terms(self, each: Sequence[tuple[Placed, Float64]]) -> Scores:
        """Return (m, k): for each example, the sum of the votes of its terms."""
        from scipy.sparse import csr_array

        numbers = np.array([rule.place.condition for rule, _ in each], np.int64)
        lists = gather(self.problem.members.features.yes, numbers)
        votes = np.stack([table[YES] for _, table in each])
        shape = (len(each), self.problem.example_count)
        holds = csr_array((np.ones(len(lists.items)), lists.items, lists.starts), shape=shape)
        return np.asarray(holds.T.tocsr() @ votes)

    def _blocks(self, place: Place, table: Float64) -> Blocks:
        """Return the documents of each block of a place in which a table (3, k) has votes."""
        if place.precondition or table[:YES].any():
            return self.reach.blocks(*place)
        return NONE, NONE, self.problem.members.yes(place.condition)

    def _by_sign(self) -> Float64:
        """Return the weights by sign, (m, 2, c), where c is k, or 1 if labels have colors."""
        if self._colors is None:
            return self._weights.by_sign()
        signs: Int8 = self._colors[self.problem.label_sets.items][:, None]
        # for oc, the pairs that the colors separate; for ecoc, which has no pairs, the example
        # itself
        told = (self._colors != signs) | (self._weights.signs > 0)
        return _halves((self._weights.values * told).sum(axis=1, keepdims=True), signs)


def _halves(D: Weights, signs: Int8) -> Float64:
    """Return the weights by sign, (m, 2, k), sign - first."""
    return np.stack([np.where(signs < 0, D, 0), np.where(signs > 0, D, 0)], axis=1)


def reach_of(members: Membership, m: int) -> Reach[int]:
    """Return the documents of places, which are given by numbers of conditions."""
    return Reach[int](lambda j: (members.yes(j), members.unknown(j)), m)


def on_grid(weights: Float64) -> Float64:
    """Round weights (m, 2, k) to 2^-51 of the total of their column, so that sums in float64 are
    exact.

    subtle: a block is often computed as total - yes - unknown. After rounding, the difference of
    equal sums is exactly 0. Otherwise a residue of 1e-17 would enter the criterion as its square
    root, 3e-9, and two engines that add in a different order would break ties differently.
    """
    _, exponent = np.frexp(weights.sum(axis=0))
    return np.asarray(np.ldexp(np.rint(np.ldexp(weights, 51 - exponent)), exponent - 51))
