"""The default engine: exact boosting at the cost of what a rule changes.

Weights are D(i, l) = e(i, l) g(sign, l): a rule's votes on the block with most documents, its
base, go into g, one number a label and sign, and only documents outside it change their e. Terms
hear of those through an inverted index (SF12-9 Algorithm 9.3, for rules that vote on both sides):
frequent terms keep sums of e by sign and label in whole numbers, so that no order of adding
matters and nothing drifts; all terms keep one whole number that bounds their gain, by which most
are passed over. What may be best is summed anew from its documents, so that rules and votes are
those of the plain engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Int64, Scores, Weights, aligned
from boostext.boosting.choice import Choice, Eligible
from boostext.boosting.engines import kept, layout
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels import Kernels
from boostext.boosting.engines.rows import Rows
from boostext.boosting.engines.search import Search
from boostext.boosting.engines.shares import Shares
from boostext.boosting.rules import Place, Placed
from boostext.features.conditions import NO, UNKNOWN, YES

FORMS = {("real", False): 0, ("real", True): 1, ("discrete", False): 2, ("discrete", True): 3}
STEPS, ROOM = 2.0**30, 3.5
"""Whole numbers that a label's sum of e makes, and how far it may grow within 32 bits."""
MASS = 2.0**26
"""Whole numbers that all documents' bounds make."""
LASTS = 2048
"""Rules after which e is computed anew from the scores: products round."""
SPLIT = 50_000
"""Work, in sums changed or terms looked at, from which threads pay."""
USUAL = 64
"""Rounds over which the share of documents that change is a mean."""
SHORT = 4
"""Documents from which a term may have a row; fewer are as soon summed."""
COARSE = 4
"""What the sum of a label's e may fall by: its steps then have grown too great."""
SPREAD, DEEP = 300, 1e-150
"""What e may have moved by, in exponents, before its least is looked at; and from where on it may
fall below what doubles hold, 1e-308, before the next look. What did is 0 and does not rise with the
rest; it would count again, at 1e-25, after 650 more, so that at 600 all e are computed anew.
"""
FALLEN = 1e-9
"""What is left of e when it is computed anew: where all labels are alike, nothing else tells."""

UInt32 = NDArray[np.uint32]
Changes = tuple[Int32, UInt32, UInt32, Int32]
"""See shapes.CHANGES."""


class IncrementalEngine:
    """Same rules, votes and scores as PlainEngine; memory: documents x labels, and 8 bytes x
    labels for each frequent term, distinct numeric value and partly unknown condition. Raises
    SettingsError where numba cannot be used.
    """

    def __init__(self, problem: Problem) -> None:
        self.kernels = Kernels()
        self.problem, self.members = problem, problem.members
        self.form = FORMS[problem.votes, problem.speaks[NO] == 0]
        m, k = problem.example_count, problem.label_count
        features = problem.members.features
        self.lists = (features.yes.starts, features.yes.items)
        self._unknown = (features.unknown.starts, features.unknown.items)
        self.labels = layout.labels(problem.label_sets, k).arrays()
        self.terms = layout.terms(features, self.kernels["transpose"])
        self.shares, self._changed = Shares(self.terms.sizes, problem.threads), 0.0
        by_document = self.terms.by_document
        self._terms_of = (by_document.starts, by_document.items)
        self._near = np.zeros(0, np.int32)
        self._flat: tuple[Float64, float, bool] | None = None
        self._last: tuple[int, Float64] | None = None  # block weights of the best that was found
        self._applied_last: list[int] = []
        self._local, self._neg = np.zeros((m, k)), np.zeros((m, k))
        self._pos = np.zeros(len(problem.label_sets.items))
        self._S, self._low, self.sums = np.zeros((2, k)), np.zeros((2, k)), np.zeros((2, k))
        self._G, self.g, self.now = np.zeros(k), np.zeros((2, k)), np.zeros((2, k))
        keeps = kept.fits(problem.members, k)
        self.kept = kept.KeptSums(problem, self.kernels, self.form) if keeps else None
        self._allocate(m, -(-k // 8) * 8)
        self._applied, self._spread, self._deep = 0, 0.0, False
        self.total = 1.0
        self._renew()

    def _allocate(self, m: int, kp: int) -> None:
        n, k = len(self.terms.numbers), self.problem.label_count
        self.rows = Rows(int((self.terms.sizes >= SHORT).sum()), kp)
        self.mass = np.zeros(n, np.int32)
        self._whole_neg = aligned((m, kp))
        self._whole_pos = np.zeros(len(self._pos), np.uint32)
        self.all = np.zeros((2, kp), np.uint32)  # what all documents weigh, in whole numbers
        self.units, self._bound_of = np.zeros((2, kp), np.uint32), np.zeros(m, np.int32)
        self.scale, self.counts = np.zeros((2, kp), np.float32), np.zeros((2, kp), np.float32)
        self.counts[1, :k] = np.bincount(self.problem.label_sets.items, minlength=k)
        self.counts[0, :k] = m - self.counts[1, :k]
        self._by_pos = np.zeros(len(self._pos), np.uint32)
        self.nothing = self._no_changes(0)
        self.pending, self.clock = self.nothing, 0
        self.found = (np.zeros(n, np.int32), np.zeros(n), np.zeros(n, np.int32))

    # -------------------------------------------------------------- what the loop asks

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        self.clock += 1
        changed = len(self.pending[0]) / max(self.problem.example_count, 1)
        self._changed += (changed - self._changed) / min(self.clock, USUAL)
        self.shares.deal(self.clock, self.rows.slot, self._changed)
        search = Search(self, preference, draw)
        search.begin(self._near)
        search.terms()
        if self.kept:
            search.kept()
        else:
            search.look(self.members.partly_unknown)
            search.cuts()
        self._near = search.near
        self._give_rows(search.wanted)
        self._refresh(search)
        self.rows.tidy(self.clock)
        self._last = search.winner
        return search.choice()

    def block_weights(self, place: Place) -> Float64:
        condition = place.condition
        if self._last is not None and self._last[0] == condition:
            return self._last[1].copy()
        return self.exact(condition)[0]

    def exact(self, condition: int) -> tuple[Float64, float]:
        """Block weights and gain, from the condition's documents."""
        W = np.zeros((3, 2, self.problem.label_count))
        yes = self.members.yes(condition)
        if condition >= self.members.listed:
            yes = self._ascending(yes)
        gain = self.kernels["exact"](
            self.form, yes, self.members.unknown(condition), self.labels, self.e,
            self.problem.speaks, W,
        )  # fmt: skip
        return W, float(gain)

    def exacts(self, conditions: list[int]) -> list[tuple[Float64, float]]:
        """Of each condition what `exact` says."""
        sizes = np.array([len(self.members.yes(j)) for j in conditions])
        work = int(sizes.sum()) * self.problem.label_count // 8
        if len(conditions) < 2 or work < SPLIT // 8:
            return [self.exact(j) for j in conditions]
        parts = self.shares.cut(sizes)
        made = self.shares.at_once(lambda i, j: [self.exact(c) for c in conditions[i:j]], parts)
        return [one for part in made for one in part]

    def _ascending(self, documents: Int32) -> Int32:
        if 8 * len(documents) < self.problem.example_count:
            return np.sort(documents)
        inside = np.zeros(self.problem.example_count, np.bool_)
        inside[documents] = True
        return np.flatnonzero(inside).astype(np.int32)

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        ((_, condition), votes, _) = rules[0]
        before = self.total
        self._flush()
        base, others = self._blocks(condition)
        moved = [
            (documents, votes[block] - votes[base])
            for block, documents in others
            if len(documents) and (votes[block] != votes[base]).any()
        ]
        self._G += votes[base]
        self.pending = self._advance(moved)
        self._applied_last.append(condition)
        # what was just chosen has no gain left
        self._near = self._near[self.terms.numbers[self._near] != condition]
        self._applied += 1
        self._spread += max((float(np.abs(shift).max()) for _, shift in moved), default=0.0)
        self._last = None
        self.sums[:] = self._S + self._low
        self.total = after = self.kernels["scales"](self.form, self.sums, self._G, self.g, self.now)
        if self._worn():
            self._renew()
        return float(after / before)

    def scores(self) -> Scores:
        return np.asarray(self._local + self._G)

    def weights(self) -> Weights:
        D = self._neg * self.g[0]
        items = self.problem.label_sets.items
        D[self._rows_of_pos, items] = self._pos * self.g[1, items]
        return np.asarray(D)

    # -------------------------------------------------------------- the weights

    def _blocks(self, condition: int) -> tuple[int, list[tuple[int, Int32]]]:
        """The base block, and the others with their documents; a silent NO is always the base."""
        yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        m = self.problem.example_count
        sizes = {NO: m - len(yes) - len(unknown), YES: len(yes), UNKNOWN: len(unknown)}
        base = NO if self.problem.speaks[NO] == 0 else max(sizes, key=lambda block: sizes[block])
        others = [(YES, yes), (UNKNOWN, unknown)]
        if base != NO:
            inside = np.ones(m, bool)
            inside[yes] = inside[unknown] = False
            others.append((NO, np.flatnonzero(inside).astype(np.int32)))
        return base, [(block, documents) for block, documents in others if block != base]

    def _advance(self, moved: list[tuple[Int32, Float64]]) -> Changes:
        """Move e and the scores of documents; the changes that terms have yet to hear of."""
        count = sum(len(documents) for documents, _ in moved)
        changes = self._no_changes(count)
        whole = (self._whole_neg, self._whole_pos, self.units, self._bound_of)
        first = 0
        for documents, shift in moved:
            factor = np.exp(np.stack([shift, -shift]))
            self.kernels["advance"](
                documents, first, shift, factor, self.labels, self._local, self._neg, self._pos,
                self._S, self._low, self.grid, self.worth, whole, changes,
            )  # fmt: skip
            first += len(documents)
        self._weight += int(changes[3].sum(dtype=np.int64))
        if self._weight > 2**30:
            self._recount_mass()
            changes[3][:] = 0
        return changes

    def _no_changes(self, count: int) -> Changes:
        """Room for the changes of so many documents."""
        by_neg = aligned((count, self.rows.width))
        return np.zeros(count, np.int32), by_neg, self._by_pos, np.zeros(count, np.int32)

    def _worn(self) -> bool:
        """Whether whole numbers have grown too coarse or too great, or e has rounded too often.

        Depends on the rules applied only: replaying them leaves the same bits as finding them.
        """
        grown = self.sums * self.grid >= ROOM * STEPS
        fallen = self.sums.sum() < FALLEN
        if self._applied >= LASTS or fallen or grown.any() or self._sunken():
            return True
        roots = np.sqrt(self.sums[0] * self.sums[1])
        coarse = (self.sums * self.grid < STEPS / COARSE).any(axis=0)
        return bool(np.abs(self._G).max() > 200 or roots[coarse].sum() > 0.02 * roots.sum())

    def _sunken(self) -> bool:
        """Whether some e may have fallen below what doubles hold, and risen again since."""
        if self._deep:
            return self._spread > 2 * SPREAD
        if self._spread > SPREAD:
            least = min(e.min(where=e > 0, initial=1.0) for e in (self._neg, self._pos))
            self._deep, self._spread = bool(least < DEEP), 0.0
        return False

    def _renew(self) -> None:
        """Everything anew from the scores: e = D, all scales 1."""
        self._local += self._G
        self._G[:] = 0
        self._applied, self._spread = 0, 0.0
        self._reweigh()
        self.kernels["sum_exactly"](self.labels, self._neg, self._pos, self._S, self._low)
        self.sums[:] = self._S + self._low
        self.grid = STEPS / np.maximum(self.sums, 1e-250)
        self.total = self.kernels["scales"](self.form, self.sums, self._G, self.g, self.now)
        self._recount_rows()
        self._recount_mass()
        self.pending = self.nothing

    def _reweigh(self) -> None:
        """e = D from the scores; the greatest exponent is taken out first, as in losses."""
        start, sets = self.problem.start, self.problem.label_sets
        exponent = self._local.copy()  # -Y f of the pairs with sign -
        exponent[self._rows_of_pos, sets.items] *= -1
        exponent[start.example <= 0] = -np.inf
        exponent -= exponent.max()
        least = exponent.min(where=exponent > -np.inf, initial=0.0)
        lightest = start.example.min(where=start.example > 0, initial=1.0)
        self._deep = bool(least + np.log(lightest) < np.log(DEEP))
        np.exp(exponent, out=exponent)
        exponent *= start.example[:, None]
        self._pos[:] = exponent[self._rows_of_pos, sets.items] * start.positive
        self._neg[:] = exponent * start.negative
        self._neg[self._rows_of_pos, sets.items] = 0
        total = self._neg.sum() + self._pos.sum()
        self._neg /= total
        self._pos /= total

    @cached_property
    def _rows_of_pos(self) -> Int64:
        sets = self.problem.label_sets
        return np.repeat(np.arange(len(sets)), np.diff(sets.starts))

    @property
    def e(self) -> tuple[Float64, Float64, Float64, Float64]:
        return self._neg, self._pos, self.sums, self.g

    # -------------------------------------------------------------- the terms

    def _flush(self) -> None:
        """Tell the terms of the last rule's changes, if no search did."""
        changes, self.pending = self.pending, self.nothing
        if len(changes[0]):
            self.tell_kept(changes)
            self.each_range(lambda low, high: self.tell(low, high, changes), self.work(changes))

    def tell(self, low: int, high: int, changes: Changes) -> None:
        self.kernels["tell"](
            low,
            high,
            changes,
            self._terms_of,
            self.labels,
            self.rows.slot,
            self.rows.sums,
            self.mass,
        )

    def tell_kept(self, changes: Changes) -> None:
        if self.kept:
            self.kept.tell(changes, self.labels)

    def work(self, changes: Changes) -> int:
        """About how many sums hear of the changes."""
        starts = self._terms_of[0]
        return int((starts[changes[0] + 1] - starts[changes[0]]).sum()) * self.rows.width // 8

    def _recount_rows(self) -> None:
        """e in whole numbers, and the rows that were of use lately."""
        k = self.problem.label_count
        self._whole_neg[:, :k] = np.floor(self._neg * self.grid[0])
        self._whole_pos[:] = np.floor(self._pos * self.grid[1, self.labels[1]])
        self.units[0] = self._whole_neg.sum(axis=0)
        self.units[1, :k] = np.bincount(self.labels[1], self._whole_pos, k)
        if self.kept:
            self.kept.recount(self._whole_neg, self._whole_pos, self.labels)
        self._give_rows(self.rows.give_up(self.clock))

    def _give_rows(self, wanted: Int32) -> None:
        """Rows for these terms, from now on kept up to date."""
        if not self.rows.take(wanted, self.clock):
            return
        sizes = self.terms.sizes[wanted]
        work = int(sizes.sum(dtype=np.int64)) * self.rows.width // 8
        parts = self.shares.cut(sizes) if self.pays(work) else [(0, len(wanted))]
        self.shares.at_once(lambda low, high: self._fill(wanted[low:high]), parts)

    def _fill(self, wanted: Int32) -> None:
        self.kernels["fill_rows"](
            wanted, self.terms.numbers, self.lists, self.labels, self._whole_neg, self._whole_pos,
            self.rows.slot, self.rows.sums,
        )  # fmt: skip

    def preferred(self, preference: Float64) -> tuple[Float64, float]:
        """What kernels look up, (1,) where all are the same to spare the look-up; the greatest.

        Relies on what Engine.best says of the array.
        """
        if self._flat is None or self._flat[0] is not preference:
            greatest = max(float(preference.max(initial=0.0)), 1e-300)
            self._flat = (preference, greatest, bool((preference == greatest).all()))
        _, greatest, flat = self._flat
        if flat and any(preference[j] != greatest for j in self._applied_last):
            self._flat = (preference, greatest, False)
        self._applied_last.clear()
        return (np.array([greatest]) if self._flat[2] else preference), greatest

    def _recount_mass(self) -> None:
        """Count what bounds gains anew, by what e counts now."""
        self.worth = self.now * MASS
        self._worth_total, self._fit = self.total, 0.0
        self._weight = int(
            self.kernels["weigh"](self.worth, self.labels, self._neg, self._pos, self._bound_of)
        )
        self.each_range(
            lambda low, high: self.kernels["recount_mass"](
                low, high, self.terms.numbers, self.lists, self._bound_of, self.mass
            ),
            len(self.lists[1]),
        )

    def _refresh(self, search: Search) -> None:
        """Count bounds anew where they have grown slack; only what is looked at depends on it."""
        fit = search.least_mass * self._worth_total / (self.total * max(search.best, 1e-12))
        self._fit = max(self._fit, fit)
        if fit < self._fit / 1.6:
            self._recount_mass()

    def each_range(self, work_on: Callable[[int, int], Any], work: int) -> list[Any]:
        return self.shares.each(work_on) if self.pays(work) else [work_on(0, len(self.mass))]

    def pays(self, work: int) -> bool:
        """Whether threads do."""
        return work >= SPLIT
