"""The engine for rules that vote on one label each, with a separate boosting run for each label.

The weights of a label depend only on the rules for that label, so that k labels are k independent
problems of one label each. An incremental engine learns many rounds of each problem in one call,
and several problems are learned in parallel if there is more than one thread. The problems share
the lists of documents and the working memory of the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import NamedTuple

import numpy as np

from boostext.arrays import Float64, Int64, Lists, Scores
from boostext.arrays import Weights as PairWeights
from boostext.boosting.choice import Candidates, Choice, Eligible, Preferred
from boostext.boosting.engines import layout
from boostext.boosting.engines.arrays import (
    Asked,
    ChangeArrays,
    EngineArrays,
    FoundArrays,
    LabelSums,
    ListArrays,
    MoveRoom,
    TermArrays,
)
from boostext.boosting.engines.incremental import IncrementalEngine
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.kernels_rounds import BEGIN, CHOOSE, MOVE, NONE_HELPS, Z
from boostext.boosting.engines.search import Search
from boostext.boosting.engines.threads import Threads
from boostext.boosting.engines.weights import Weights, padded
from boostext.boosting.losses import LOSSES
from boostext.boosting.membership import NONE, Membership
from boostext.boosting.rules import Growth, Place, Placed
from boostext.boosting.votes import VOTES

MOST_BYTES = 2**31
"""The most bytes that may be kept for the terms of all labels."""
TERM, OTHER = 12, 48
"""Bytes kept for each condition and label.

TERM: if all conditions are terms; two sums and a bound on the value. OTHER: if they are not, as
each label then has a complete search of its own.
"""


def has_room(problem: Problem) -> bool:
    """Return whether LabelEngines can learn the problem.

    Its memory must suffice, and each pair of a document and a label must have a single sign.
    """
    each = TERM if _only_terms(problem.members) else OTHER
    return problem.pairs is None and each * len(problem.members) * problem.label_count < MOST_BYTES


def _only_terms(members: Membership) -> bool:
    return len(members) == members.listed and not len(members.partly_unknown)


class LabelEngines:
    """An engine for rules that vote on one label each, made of one engine for each label.

    It learns the same rules, votes and scores as PlainEngine. The weights of a label sum to 1 in
    the engine of that label, and to the label's share of the loss in the results of this class.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, k = problem, problem.label_count
        features, sets, kernels = problem.members.features, problem.label_sets, layout.Kernels()
        terms = layout.terms(problem.members, kernels["transpose"])
        shared = Shared(terms, layout.list_arrays(features.yes), problem.members)
        owners = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(sets.starts))
        self._engines: list[IncrementalEngine] = []
        for label in range(k):
            own = _of_label(problem, owners[sets.items == label])
            alone = _only_terms(problem.members)
            search = LabelSearch(own, shared) if alone else Search(own, terms)
            self._engines.append(IncrementalEngine(own, search))
        self._threads = Threads(np.ones(k, np.int32), problem.threads)
        start = problem.start
        positive = np.bincount(sets.items, start.example[owners], k)
        first = start.positive * positive + start.negative * (start.example.sum() - positive)
        self._logs = np.log(np.maximum(first, 1e-300))
        self._ended = np.zeros(k, np.bool_)

    def grow(
        self, preference: Callable[[int], Float64], ahead: Callable[[], Sequence[Eligible]]
    ) -> Growth | None:
        """Learn the rules of the next round and update the weights; None if none lowers the loss.

        preference: returns the preference (n,) for a label; it must return the same array each
        time, as described in Engine.best. ahead: see IncrementalEngine.grow.
        """
        labels = self._ready()
        if len(labels) + self._ended.sum() < len(self._engines):
            known = set(labels)
            waiting = [n for n in np.flatnonzero(~self._ended).tolist() if n not in known]
            draws = ahead()
            self._each(waiting, lambda n: self._engines[n].learn(preference(n), draws))
            if draws[0].share >= 1:
                self._ended[[n for n in waiting if not self._engines[n].ahead]] = True
            labels = self._ready()
        if not labels:
            return None
        shares, factors, gain = self.shares(), np.ones(len(self._engines)), 0.0
        learned = [self._engines[label].pop() for label in labels]
        for label, own in zip(labels, learned, strict=True):
            gain += float(shares[label]) * own.gain
            factors[label] = own.z
        number = {own.condition: 0 for own in learned}
        number |= {condition: n for n, condition in enumerate(number)}
        votes = np.zeros((len(number), 3, len(shares)))
        rows = [number[own.condition] for own in learned]
        votes[rows, :, labels] = np.concatenate([own.votes for own in learned], axis=1).T
        rules = tuple(Placed(Place((), j), votes[n]) for j, n in number.items())
        return Growth(rules, gain, z=self._fallen(factors))

    def _ready(self) -> list[int]:
        """Return the labels for which a rule was learned that is not returned yet."""
        return [label for label, engine in enumerate(self._engines) if engine.ahead]

    def best(self, preference: Float64, draw: Eligible) -> Choice | None:
        raise TypeError("rules of one label each are not chosen by the gain on all labels")

    def candidates(self, preference: Float64, draw: Eligible) -> Candidates:
        raise TypeError("rules of one label each are not chosen by the gain on all labels")

    def block_weights(self, place: Place) -> Float64:
        tables = [engine.block_weights(place) for engine in self._engines]
        return np.asarray(np.concatenate(tables, axis=2) * self.shares())

    def gain(self, place: Place) -> float:
        voting = VOTES[self._problem.votes]
        return float(voting.gain(self.block_weights(place), self._problem.speaks))

    def apply(self, rules: Sequence[Placed], pulls: Sequence[Float64] = ()) -> float:
        factors = np.ones(len(self._engines))
        for place, votes, alpha in rules:
            for label in np.flatnonzero(votes.any(axis=0)).tolist():
                own = Placed(place, votes[:, [label]], alpha)
                factors[label] *= self._engines[label].apply([own])
        return self._fallen(factors)

    def scores(self) -> Scores:
        return np.hstack([engine.scores() for engine in self._engines])

    def weights(self) -> PairWeights:
        return np.asarray(np.hstack([one.weights() for one in self._engines]) * self.shares())

    def shares(self) -> Float64:
        """Return the share of each label in the loss, of shape (k,); the shares sum to 1."""
        loss = np.exp(self._logs - self._logs.max())
        return np.asarray(loss / loss.sum())

    def _fallen(self, factors: Float64) -> float:
        """Update the loss of each label by a factor; return the factor of the total loss."""
        shares = self.shares()
        self._logs += np.log(factors)
        return float(shares @ factors)

    def _each(self, labels: Sequence[int], work: Callable[[int], None]) -> None:
        parts = [(n, n + 1) for n in labels]
        if self._threads.threads == 1:
            for n in labels:
                work(n)
        else:
            self._threads.at_once(lambda n, _: work(n), parts)


class Shared:
    """The data that the searches of all labels share, and the working memory of each thread."""

    def __init__(self, terms: TermArrays, lists: ListArrays, members: Membership) -> None:
        self.terms, self.lists = terms, lists
        self._members = members
        self._rooms: SimpleQueue[Room] = SimpleQueue()

    @contextmanager
    def room(self) -> Iterator[Room]:
        try:
            room = self._rooms.get_nowait()
        except Empty:
            found = layout.found_arrays(self._members, self.terms, 1)
            room = Room(found, layout.move_room(self._members.features.document_count, 1))
        try:
            yield room
        finally:
            self._rooms.put(room)


class Room(NamedTuple):
    """The working memory of one search."""

    found: FoundArrays
    documents: MoveRoom


class LabelSearch:
    """A search for the rules of one label, for problems whose conditions are all terms.

    It has the interface of Search, and keeps the sums of all terms; see kernels_rounds.play_label.
    weights: the weights of the label. made: the arrays of the rounds that were learned last.
    """

    def __init__(self, problem: Problem, shared: Shared) -> None:
        self.members, self._shared, self._kernels = problem.members, shared, layout.Kernels()
        m, n = problem.example_count, len(shared.terms.numbers)
        labels = layout.labels(problem.label_sets, 1)
        self.weights = Weights(problem, LOSSES[problem.loss], labels, self._kernels)
        self._kind, self.made = layout.kind_of(problem, self.weights), layout.round_arrays(1)
        two = (2, padded(1))
        self._table = LabelSums(
            np.zeros((2, n), np.uint32),
            np.zeros(n, np.float32),
            np.zeros(two, np.float32),
            np.zeros(two, np.uint32),
            np.zeros(two, np.float32),
        )
        self._table.counts[:, 0] = m - len(labels.items), len(labels.items)
        self._arrays = EngineArrays(
            self._kind,
            shared.lists,
            labels,
            shared.terms,
            self.weights.arrays,
            self.weights.steps,
            self.weights.changes,
            self.made,
        )
        self._preferred, self._last = Preferred(), -1
        self._renew()

    def rounds(self, preference: Float64, draws: Sequence[Eligible]) -> int:
        """Learn the rules of the next rounds and return their number; see Search.rounds."""
        n = self._run(self._asked(preference, draws), (BEGIN, MOVE), len(draws))[0]
        if n:
            self._last = int(self.made.conditions[n - 1])
        return n

    def find(self, preference: Float64, draw: Eligible) -> bool:
        """Find the rule of one round without applying it; False if none helps. See Search.find."""
        return self._run(self._asked(preference, [draw]), (BEGIN, CHOOSE), 1)[1] != NONE_HELPS

    def move(self, condition: int, votes: Float64) -> float:
        """Update the weights with the votes (3, 1) of a rule, and return Z."""
        self.made.conditions[0], self.made.votes[0], self._last = condition, votes, condition
        self._run(layout.NOTHING, (MOVE, MOVE), 1, condition)
        return float(self.made.results[0, Z])

    def exact(self, condition: int) -> tuple[Float64, float]:
        """Return the block weights and the gain of a condition, summed over its documents."""
        return self.weights.exact(self.members, condition, self._kind)

    def renew_if_inaccurate(self, moves: int) -> None:
        """Compute weights and sums anew if `moves` more rules have made them too inaccurate."""
        if self.weights.must_renew(moves):
            self.weights.renew()
            self._renew()

    def _renew(self) -> None:
        """Compute the sums of all terms anew from the weights of all documents."""
        m, steps = len(self.weights.arrays.neg), self.weights.steps
        everyone, every = np.arange(m, dtype=np.int32), np.array([m], np.int64)
        changes = ChangeArrays(every, everyone, steps.neg, steps.pos, np.zeros(0, np.int32))
        self._table.sums[:] = 0
        self._kernels["add_changed"](self.weights.labels, self._shared.terms, changes, self._table)

    def _asked(self, preference: Float64, draws: Sequence[Eligible]) -> Asked:
        self.made.keys[: len(draws)] = [draw.key for draw in draws]
        looked_up, greatest = self._preferred.of(preference, self._last)
        return Asked(draws[0].share, greatest, looked_up)

    def _run(
        self, asked: Asked, stages: tuple[int, int], count: int, condition: int | None = None
    ) -> tuple[int, int]:
        yes, unknown = NONE, NONE
        if condition is not None:
            yes, unknown = self.members.yes(condition), self.members.unknown(condition)
        with self._shared.room() as room:
            n, why = self._kernels["play_label"](
                *stages,
                0,
                count,
                yes,
                unknown,
                asked,
                self._arrays,
                self._table,
                room.found,
                room.documents,
            )
        return int(n), int(why)


def _of_label(problem: Problem, holders: Int64) -> Problem:
    """Return the problem of a single label; holders: the documents that have the label."""
    counts = np.zeros(problem.example_count + 1, np.int64)
    counts[holders + 1] = 1
    sets = Lists(np.cumsum(counts), np.zeros(len(holders), np.int32))
    return replace(problem, label_sets=sets, label_count=1, threads=1)
