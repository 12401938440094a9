"""The default engine: exact boosting whose cost depends on what a rule changes.

A rule on a term in 1 % of the documents changes 1 % of the weights, provided that its votes for all
other documents are kept separately. `weights` therefore has a number e for each document and label,
and a number for each sign and label, the scales, with D(i, l) = e(i, l) scales(sign, l). The terms
of the changed documents are updated through an inverted index (SF12 Algorithm 9.3, extended to
rules that vote on both sides). `bounds` has an upper bound on the gain of each term, by which most
terms are skipped, and `rows` has the sums of weights by sign and label for the terms that are often
not skipped. `search` reads these three, and computes the exact gains of the few terms that may be
the best from their documents, so that rules and votes are those of the plain engine. Many rounds
are one call of compiled code (`kernels_rounds.play`) as long as all conditions are terms and
nothing has to be computed again. The boosting loop gets the rounds one by one, with the scores that
belong to each.

The following is one round with real votes, for three documents with the terms x and y and the
labels a and b. A test verifies the numbers (`--smoothing 0.1667`).

    document   terms   label    e, on a and b      adds at most
    1          x y     a        0.167  0.167       0.236
    2          x       a        0.167  0.167       0.236
    3            y     b        0.167  0.167       0.471

    term   documents   bound    gains at most   gains
    x      1 2         0.471    1.000           1.000    the rule of this round
    y      1 3         0.707    1.471           0.333

    votes       a        b
    with x      0.549   -0.549    the largest block; these votes go into the scales
    without    -0.347    0.347    document 3, the only one whose e changes

    after it    e of 3: 0.068  0.068      Z 0.621
    scales      a: - 2.791, + 0.930       b: - 0.930, + 2.791

The e of documents 1 and 2 did not change. Of the terms, only y is in a document that changed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from boostext.arrays import Float64, Scores
from boostext.arrays import Weights as PairWeights
from boostext.boosting.choice import Candidates, Choice, Eligible
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels_rounds import GAIN
from boostext.boosting.engines.layout import MOST_AHEAD
from boostext.boosting.engines.plain import PlainWeights
from boostext.boosting.engines.search import Search
from boostext.boosting.rules import Growth, Place, Placed
from boostext.features.conditions import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from boostext.boosting.engines.by_label import LabelSearch

LONG = 0.05
"""The time in seconds above which fewer rounds are learned in one call of compiled code."""


class Learned(NamedTuple):
    """The rule of a round that was learned: its condition, its votes (3, k), and the results."""

    condition: int
    votes: Float64
    gain: float
    z: float
    alpha: float


class IncrementalEngine:
    """The engine that updates only the weights and sums that a rule changes.

    It learns the same rules, votes and scores as PlainEngine. Its memory is proportional to
    documents x labels, plus 8 bytes x labels for each frequent term, distinct numeric value and
    partly unknown condition. Raises SettingsError if numba cannot be used.

    search: the search for rules; by default, it covers all conditions and labels of the problem.
    """

    def __init__(self, problem: Problem, search: Search | LabelSearch | None = None) -> None:
        self.members, self._problem = problem.members, problem
        self.search = search or Search(problem)
        self._played: deque[Learned] = deque()
        self._pace = 1

    def grow(self, preference: Float64, ahead: Callable[[], Sequence[Eligible]]) -> Growth | None:
        """Learn the rule of the next round and update the weights; None if no rule lowers the loss.

        preference: as in `best`. ahead: returns the eligible conditions of this round and of the
        following rounds that may be learned in the same call, which takes a fraction of a second.
        """
        if not self._played:
            self.learn(preference, ahead())
        return self.next()

    @property
    def ahead(self) -> int:
        """The number of rounds that were learned but not returned by `next` yet."""
        return len(self._played)

    def learn(self, preference: Float64, draws: Sequence[Eligible]) -> None:
        """Learn the rules of the next rounds, as many of `draws` as take a fraction of a second."""
        draws, began = draws[: min(self._pace, self.search.weights.lasts)], time.perf_counter()
        count = self.search.rounds(preference, draws)
        self._played.extend(self._learned(count))
        self.search.renew_if_inaccurate(count)
        if time.perf_counter() - began > LONG:
            self._pace = max(self._pace // 2, 1)
        elif count == self._pace:
            self._pace = min(2 * self._pace, MOST_AHEAD)

    def next(self) -> Growth | None:
        """Return the rule of the next round that was learned, or None if there is none."""
        return _growth(self.pop()) if self._played else None

    def pop(self) -> Learned:
        """Return the rule of the next round that was learned; there must be one."""
        return self._played.popleft()

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        search = self._of_all_labels
        search.find(preference, draw)
        return search.looked_at()

    def take(self, condition: int) -> Growth | None:
        """Apply the rule of this condition and return it; None if it does not lower the loss."""
        votes = self._of_all_labels.vote(condition)
        if votes is None:
            return None
        self.search.move(condition, votes)
        (learned,) = self._learned(1)
        self.search.renew_if_inaccurate(1)
        return _growth(learned)

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        if not self.search.find(preference, draw):
            return None
        made = self.search.made
        return Choice(int(made.conditions[0]), float(made.results[0, GAIN]))

    def block_weights(self, place: Place) -> Float64:
        return self.search.exact(place.condition)[0]

    def gain(self, place: Place) -> float:
        return self.search.exact(place.condition)[1]

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        ((_, condition), votes, _) = rules[0]
        z = self.search.move(condition, votes)
        self.search.renew_if_inaccurate(1)
        return z

    def scores(self) -> Scores:
        scores = self.search.weights.scores()
        for condition, votes, *_ in self._played:  # learned, but not yet returned by `next`
            scores -= votes[NO]
            scores[self.members.yes(condition)] -= votes[YES] - votes[NO]
            scores[self.members.unknown(condition)] -= votes[UNKNOWN] - votes[NO]
        return scores

    def weights(self) -> PairWeights:
        if not self._played:
            return self.search.weights.values()
        plain = PlainWeights(self._problem)
        plain.move(self.scores() - plain.scores)
        return plain.values

    @property
    def _of_all_labels(self) -> Search:
        if not isinstance(self.search, Search):
            raise TypeError("an engine of one label alone has no candidates for others")
        return self.search

    def _learned(self, count: int) -> list[Learned]:
        """Return the rules of the rounds that were learned last."""
        made = self.search.made
        conditions, results = made.conditions[:count].tolist(), made.results[:count].tolist()
        votes = made.votes[:count].copy()
        return [
            Learned(j, own, *row) for j, own, row in zip(conditions, votes, results, strict=True)
        ]


def _growth(learned: Learned) -> Growth:
    condition, votes, gain, z, alpha = learned
    return Growth((Placed(Place((), condition), votes, alpha),), gain, z=z)
