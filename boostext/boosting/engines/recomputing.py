"""The engine for rules of one condition whose weights cannot be updated: searches are compiled.

All weights are computed again in every round, as in the plain engine. The search for the best
condition is that of the incremental engine, which gets the new weights in every round. It keeps no
sums of terms, since all would change, but skips most terms by bounds on their gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boostext.arrays import Float64, Lists
from boostext.boosting.choice import Candidates, Choice, Eligible
from boostext.boosting.engines.arrays import LAST
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels_rounds import GAIN
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.search import Search
from boostext.boosting.gains import FORMS
from boostext.boosting.rules import Placed

GAINS_OF = {"margin": "real", "hedged": "discrete", "color": "discrete"}
"""For kinds of votes that have the gains of another kind, that kind."""


def fits(votes: str, abstains: bool) -> bool:
    """Return whether the search can compute the gains of these votes."""
    return (GAINS_OF.get(votes, votes), abstains) in FORMS


class RecomputingEngine(PlainEngine):
    """The plain engine with compiled searches.

    It learns the same rules, votes and scores as PlainEngine. Raises SettingsError if numba cannot
    be used.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._search: Search | None = None
        self._loaded: Float64 | None = None
        self._total = 0.0

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        search = self._ready()
        if not self._total > 0 or not search.find(preference, draw):
            return None
        made = search.made
        return Choice(int(made.conditions[0]), float(made.results[0, GAIN]) * self._total)

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        search = self._ready()
        if not self._total > 0:
            return Candidates(np.zeros(0, np.int32), np.zeros(0))
        search.find(preference, draw)
        numbers, values = search.looked_at()
        return Candidates(numbers, values * self._total)

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        if self._search is not None:  # the preference for this condition may change from now on
            self._search.found.counts[LAST] = rules[0].place.condition
        return super().apply(rules, pulls)

    def _ready(self) -> Search:
        """Return the search, with the current weights."""
        flat = self.flat()
        if self._search is None:
            self._search = Search(self._searched(), keeps_rows=False)
        if self._loaded is not flat:
            weights, half = self._search.weights, flat.shape[1] // 2
            pos = flat[weights.rows_of_pos, half + weights.labels.items]
            self._total = float(flat.sum())
            if self._total > 0:
                self._search.load(flat[:, :half], pos)
            self._loaded = flat
        return self._search

    def _searched(self) -> Problem:
        """Return the problem as the search needs it, whose own weights are replaced."""
        problem = self.problem
        votes = GAINS_OF.get(problem.votes, problem.votes)
        common = replace(problem, votes=votes, loss="exponential")
        if self._colors is None:
            return common
        m = problem.example_count
        every = Lists(np.arange(m + 1, dtype=np.int64), np.zeros(m, np.int32))
        return replace(common, label_sets=every, label_count=1, pairs=None)
