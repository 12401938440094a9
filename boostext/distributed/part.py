"""What one worker holds while rules are learned: the weights of all documents, and the lists of its
own conditions.

Conditions have their numbers in the whole corpus: the lists of those that other workers hold are
empty here, and no search looks at them. Thresholds and the documents that a condition leaves open
are known to every worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Int64, Lists, Scores, Weights
from boostext.boosting.choice import TIE, Candidates, Eligible
from boostext.boosting.engines.choose import made_here
from boostext.boosting.engines.incremental import IncrementalEngine
from boostext.boosting.engines.interface import Problem
from boostext.boosting.membership import NONE, Membership
from boostext.boosting.rules import Place, Placed
from boostext.errors import BoostextError
from boostext.features.conditions import Condition

LENT = -2
"""The number of a condition that another worker holds, while a rule of it moves the weights."""


class Move(NamedTuple):
    """A rule that every worker takes in. documents: of block YES, as `packed` has them; None where
    all workers know them. z: what the factor of the loss was where it was taken in first.
    """

    condition: int
    documents: NDArray[Any] | None
    votes: Float64
    alpha: float
    pulls: tuple[Float64, ...]
    z: float


class Taken(NamedTuple):
    """What came of a rule on the worker that took it in first. condition: spelled, where it is that
    worker alone which knows it.
    """

    move: Move
    gain: float
    condition: Condition | None


class Liking(NamedTuple):
    """How the preference of conditions has changed: of these, or of all."""

    numbers: Int64
    values: Float64
    whole: Float64 | float | None = None


def packed(documents: Int32, count: int) -> NDArray[Any]:
    """Ascending documents in as few bytes as a list of numbers or a mask of `count` bits takes."""
    if 4 * len(documents) <= -(-count // 8):
        return documents
    inside = np.zeros(count, np.bool_)
    inside[documents] = True
    return np.packbits(inside)


def unpacked(documents: NDArray[Any], count: int) -> Int32:
    """The inverse of `packed`."""
    if documents.dtype == np.int32:
        return documents
    return np.flatnonzero(np.unpackbits(documents, count=count)).astype(np.int32)


class PartMembership(Membership):
    """The conditions of `members` by their numbers, with the lists of those that are `mine` alone.

    members: may have no lists. lists: of mine, in their order.
    """

    def __init__(self, members: Membership, mine: Int64, lists: Lists) -> None:
        sizes = np.zeros(members.listed, np.int64)
        sizes[mine] = np.diff(lists.starts)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self.features = replace(members.features, yes=Lists(starts, lists.items))
        self.listed, self.columns, self.offsets = members.listed, members.columns, members.offsets
        self._above, self._below = members._above, members._below
        self.mine, self._lent = mine, (NONE, NONE)

    def lend(self, condition: int, documents: Int32) -> None:
        """Let LENT stand for the condition of another worker."""
        self._lent = documents, super().unknown(condition)

    def yes(self, j: int) -> Int32:
        return self._lent[0] if j == LENT else super().yes(j)

    def unknown(self, j: int) -> Int32:
        return self._lent[1] if j == LENT else super().unknown(j)

    @cached_property
    def terms(self) -> Int32:
        return self.mine[self.features.unknown_list[self.mine] < 0].astype(np.int32)

    @cached_property
    def partly_unknown(self) -> Int32:
        return self.mine[self.features.unknown_list[self.mine] >= 0].astype(np.int32)


def without_lists(members: Membership) -> Membership:
    """What every worker knows of the conditions."""
    none = Lists(np.zeros(1, np.int64), NONE)
    bare = object.__new__(Membership)
    bare.features = replace(members.features, yes=none, names=(), numeric=())  # type: ignore[arg-type]
    bare.listed, bare.columns, bare.offsets = members.listed, members.columns, members.offsets
    bare._above, bare._below = members._above, members._below
    return bare


class Part:
    """An actor: its methods are called by the hub, one at a time. `moves`: rules that this worker
    has not yet taken in, always the first argument.
    """

    def __init__(
        self,
        name: str,
        problem: Problem,
        mine: Int64,
        lists: Lists,
        threads: int,
        names: Sequence[Condition] = (),
    ) -> None:
        """name: of the engine. problem: its members are `without_lists`. names: of mine, where they
        are known here alone.
        """
        self._names = names
        self._members = PartMembership(problem.members, mine, lists)
        self._problem = replace(problem, members=self._members, threads=threads)
        self.engine = made_here(name, self._problem)
        self._preference = np.ones(len(self._members))
        self._searched = np.ones(len(self._members), np.bool_)
        self._searched[: self._members.listed] = False
        self._searched[mine] = True

    def find(self, moves: Sequence[Move], liking: Liking | None, draw: Eligible) -> Candidates:
        """Those of this worker's conditions that may be best of all."""
        self._take_in(moves)
        if liking is not None:
            self._like(liking)
        numbers, values = self.engine.candidates(self._preference, draw)
        greatest = values.max(initial=0.0)
        near = values >= greatest - TIE * self._preference[numbers].max(initial=0.0)
        return Candidates(numbers[near], values[near])

    def grow(self, moves: Sequence[Move], condition: int) -> Taken | None:
        """The rule of a condition, which this worker has taken in; None if it does not help."""
        self._take_in(moves)
        assert isinstance(self.engine, IncrementalEngine)
        growth = self.engine.take(condition)
        if growth is None or growth.z is None:
            return None
        ((_, votes, alpha),) = growth.rules
        move = Move(condition, self._documents(condition), votes, alpha, (), growth.z)
        own = bool(self._names) and 0 <= condition < self._members.listed
        return Taken(move, growth.gain, self.condition(condition) if own else None)

    def take(self, moves: Sequence[Move], rule: Placed, pulls: tuple[Float64, ...]) -> Move:
        """Take in a rule of a condition of this worker."""
        self._take_in(moves)
        condition = rule.place.condition
        z = self.engine.apply([rule], pulls)
        return Move(condition, self._documents(condition), rule.votes, rule.alpha, pulls, z)

    def move(self, moves: Sequence[Move]) -> None:
        self._take_in(moves)

    def block_weights(self, moves: Sequence[Move], condition: int) -> tuple[Float64, float]:
        """And the gain."""
        self._take_in(moves)
        place = Place((), condition)
        return self.engine.block_weights(place), self.engine.gain(place)

    def documents(self, condition: int) -> Int32:
        """Of block YES."""
        return self._members.yes(condition)

    def condition(self, number: int) -> Condition:
        """Spelled."""
        return self._names[int(np.searchsorted(self._members.mine, number))]

    def number(self, condition: Condition) -> int | None:
        found = self._places.get(condition)
        return None if found is None else int(self._members.mine[found])

    @cached_property
    def _places(self) -> dict[Condition, int]:
        return {name: place for place, name in enumerate(self._names)}

    def scores(self, moves: Sequence[Move]) -> Scores:
        self._take_in(moves)
        return self.engine.scores()

    def weights(self, moves: Sequence[Move]) -> Weights:
        self._take_in(moves)
        return self.engine.weights()

    def _documents(self, condition: int) -> NDArray[Any] | None:
        """To tell the others."""
        if not 0 <= condition < self._members.listed:
            return None
        return packed(self._members.yes(condition), self._problem.example_count)

    def _take_in(self, moves: Sequence[Move]) -> None:
        for move in moves:
            condition = move.condition
            if move.documents is not None:
                documents = unpacked(move.documents, self._problem.example_count)
                self._members.lend(condition, documents)
                condition = LENT
            z = self.engine.apply(
                [Placed(Place((), condition), move.votes, move.alpha)], move.pulls
            )
            if z != move.z:
                raise BoostextError(
                    "workers compute differently, so that their weights have drifted apart; take "
                    "workers with the same kind of processor"
                )

    def _like(self, liking: Liking) -> None:
        if liking.whole is not None:
            self._preference = np.broadcast_to(liking.whole, self._preference.shape).copy()
            if not isinstance(self.engine, IncrementalEngine):
                self._preference[~self._searched] = 0.0
        own = self._searched[liking.numbers]
        self._preference[liking.numbers[own]] = liking.values[own]
