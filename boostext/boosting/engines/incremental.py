"""The default engine: exact boosting at the cost of what a rule changes.

A rule about a term in 1 % of the documents changes 1 % of the weights, if what it votes on the
other documents is kept apart: `weights` has a number for every document and label, e, and one for
every sign and label, the scales, with D(i, l) = e(i, l) scales(sign, l). The terms of the changed
documents hear of it through an inverted index (SF12-9 Algorithm 9.3, for rules that vote on both
sides): `bounds` has a number for each term, by which most are passed over, `rows` the sums by sign
and label of the terms that were often not. `search` reads these three, and sums the few terms that
may be best anew from their documents, so that rules and votes are those of the plain engine.

One round of real votes, of three documents with the terms x and y and the labels a and b, in
numbers that a test holds (`--smoothing 0.1667`):

    document   terms   label    e, on a and b      adds at most
    1          x y     a        0.167  0.167       0.236
    2          x       a        0.167  0.167       0.236
    3            y     b        0.167  0.167       0.471

    term   documents   bound    gains at most   gains
    x      1 2         0.471    1.000           1.000    the rule of this round
    y      1 3         0.707    1.471           0.333

    votes       a        b
    with x      0.549   -0.549    the base, as most documents have it: it goes into the scales
    without    -0.347    0.347    document 3, the only one that moves

    after it    e of 3: 0.068  0.068      Z 0.621
    scales      a: - 2.791, + 0.930       b: - 0.930, + 2.791

Documents 1 and 2 were not touched; of the terms, only y is in a document that was.
"""

from __future__ import annotations

from collections.abc import Sequence

from boostext.arrays import Float64, Scores
from boostext.arrays import Weights as PairWeights
from boostext.boosting.choice import Choice, Eligible
from boostext.boosting.engines import layout, thresholds
from boostext.boosting.engines.bounds import Bounds
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels import Kernels
from boostext.boosting.engines.rows import Rows
from boostext.boosting.engines.search import Parts, Search
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights
from boostext.boosting.gains import FORMS
from boostext.boosting.losses import LOSSES
from boostext.boosting.rules import Place, Placed
from boostext.features.conditions import NO


class IncrementalEngine:
    """Same rules, votes and scores as PlainEngine; memory: documents x labels, and 8 bytes x
    labels for each frequent term, distinct numeric value and partly unknown condition. Raises
    SettingsError where numba cannot be used.

    parts: what owns the arrays, each its own. search: what reads them all.
    """

    def __init__(self, problem: Problem) -> None:
        self.kernels, self.members = Kernels(), problem.members
        form = FORMS[problem.votes, bool(problem.speaks[NO] == 0)]
        features, k = problem.members.features, problem.label_count
        terms = layout.terms(features, self.kernels["transpose"])
        lists = layout.list_arrays(features.yes)
        labels = layout.labels(problem.positive_sets(), k)
        threads = Threads(terms.sizes, problem.threads)
        weights = Weights(problem, LOSSES[problem.loss], labels, self.kernels)
        kept = thresholds.fits(problem.members, k)
        self.parts = Parts(
            weights,
            Bounds(form, terms, lists, weights, threads, self.kernels),
            Rows(terms, lists, weights, threads, self.kernels),
            thresholds.Thresholds(problem, self.kernels, form) if kept else None,
            threads,
        )
        if self.parts.thresholds is not None:
            self.parts.thresholds.renew(weights)
        self.terms = terms
        self.search = Search(problem, form, terms, lists, self.parts, self.kernels)

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        return self.search.best(preference, draw)

    def block_weights(self, place: Place) -> Float64:
        return self.search.block_weights(place.condition)

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        ((_, condition), votes, _), weights = rules[0], self.parts.weights
        self.update()
        z = weights.move(self.members.yes(condition), self.members.unknown(condition), votes)
        self.parts.bounds.move()
        self.search.forget(condition)
        if weights.is_worn():
            self._renew()
        return z

    def scores(self) -> Scores:
        return self.parts.weights.scores()

    def weights(self) -> PairWeights:
        return self.parts.weights.values()

    def update(self) -> None:
        """Terms hear of the last rule's changes, if no search told them."""
        weights, bounds, rows, kept, threads = self.parts
        changes = weights.changes
        if not changes.count[0]:
            return
        if kept is not None:
            kept.update(changes, weights.labels)
        threads.each_range(
            lambda low, high: self.kernels["update"](
                low, high, weights.labels, self.terms, changes, bounds.arrays, rows.arrays
            ),
            int(changes.count[0])
            * len(self.terms.items)
            // max(self.members.features.document_count, 1),
        )
        changes.count[0] = 0

    def _renew(self) -> None:
        """Everything anew from the scores."""
        weights, bounds, rows, kept, _ = self.parts
        weights.renew()
        if kept is not None:
            kept.renew(weights)
        rows.renew(self.search.clock)
        bounds.count()
