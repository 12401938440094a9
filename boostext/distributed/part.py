"""The part of the data that one worker holds in training: all weights, and its own conditions.

Conditions have the same numbers on all workers. The lists of conditions that other workers hold are
empty here, and searches skip them. Every worker knows the thresholds, and the documents for which
each condition is unknown.
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
"""The number that stands for a condition of another worker while its rule is applied."""


class AppliedRule(NamedTuple):
    """A rule that every worker applies.

    documents: those in block YES, in the form of `packed`, or None if all workers know them. z: the
    normalizer, as computed by the worker that applied the rule first.
    """

    condition: int
    documents: NDArray[Any] | None
    votes: Float64
    alpha: float
    pulls: tuple[Float64, ...]
    z: float


class NewRule(NamedTuple):
    """The result of applying a rule on the first worker.

    condition: the condition of the rule, if only that worker knows it.
    """

    applied: AppliedRule
    gain: float
    condition: Condition | None


class PreferenceChange(NamedTuple):
    """A change of the preferences for conditions, for some of them or for all."""

    numbers: Int64
    values: Float64
    whole: Float64 | float | None = None


def packed(documents: Int32, count: int) -> NDArray[Any]:
    """Encode ascending documents as numbers or as a mask of `count` bits, whichever is shorter."""
    if 4 * len(documents) <= -(-count // 8):
        return documents
    inside = np.zeros(count, np.bool_)
    inside[documents] = True
    return np.packbits(inside)


def unpacked(documents: NDArray[Any], count: int) -> Int32:
    """Decode the result of `packed`."""
    if documents.dtype == np.int32:
        # subtle: a copy, as an array that was received may be read-only, which no kernel takes
        return documents.copy()
    return np.flatnonzero(np.unpackbits(documents, count=count)).astype(np.int32)


class PartMembership(Membership):
    """The conditions of `members` with the same numbers, but with lists only for those in `mine`.

    members: may have no lists. lists: those of `mine`, in the same order.
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
        """Use LENT as the number of another worker's condition with these documents."""
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
    """Return what every worker knows of the conditions."""
    none = Lists(np.zeros(1, np.int64), NONE)
    bare = object.__new__(Membership)
    bare.features = replace(members.features, yes=none, names=(), numeric=())  # type: ignore[arg-type]
    bare.listed, bare.columns, bare.offsets = members.listed, members.columns, members.offsets
    bare._above, bare._below = members._above, members._below
    return bare


class Part:
    """An actor, whose methods the distributed engine calls one at a time.

    The first argument `pending` of each method has the rules that this worker has not yet applied.
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
        """Create the engine on this worker.

        name: that of the engine. problem: its members are those of `without_lists`. names: the
        conditions in `mine`, if only this worker knows them.
        """
        self._names = names
        self._members = PartMembership(problem.members, mine, lists)
        self._problem = replace(problem, members=self._members, threads=threads)
        self.engine = made_here(name, self._problem)
        self._preference = np.ones(len(self._members))
        self._searched = np.ones(len(self._members), np.bool_)
        self._searched[: self._members.listed] = False
        self._searched[mine] = True

    def find(
        self, pending: Sequence[AppliedRule], change: PreferenceChange | None, draw: Eligible
    ) -> Candidates:
        """Return the conditions of this worker that may be the best of all."""
        self._apply_pending(pending)
        if change is not None:
            self._change_preference(change)
        numbers, values = self.engine.candidates(self._preference, draw)
        greatest = values.max(initial=0.0)
        near = values >= greatest - TIE * self._preference[numbers].max(initial=0.0)
        return Candidates(numbers[near], values[near])

    def grow(self, pending: Sequence[AppliedRule], condition: int) -> NewRule | None:
        """Create and apply the rule of a condition; None if it does not improve the model."""
        self._apply_pending(pending)
        assert isinstance(self.engine, IncrementalEngine)
        growth = self.engine.take(condition)
        if growth is None or growth.z is None:
            return None
        ((_, votes, alpha),) = growth.rules
        applied = AppliedRule(condition, self._documents(condition), votes, alpha, (), growth.z)
        own = bool(self._names) and 0 <= condition < self._members.listed
        return NewRule(applied, growth.gain, self.condition(condition) if own else None)

    def take(
        self, pending: Sequence[AppliedRule], rule: Placed, pulls: tuple[Float64, ...]
    ) -> AppliedRule:
        """Apply a rule on a condition of this worker."""
        self._apply_pending(pending)
        condition = rule.place.condition
        z = self.engine.apply([rule], pulls)
        return AppliedRule(condition, self._documents(condition), rule.votes, rule.alpha, pulls, z)

    def catch_up(self, pending: Sequence[AppliedRule]) -> None:
        self._apply_pending(pending)

    def block_weights(
        self, pending: Sequence[AppliedRule], condition: int
    ) -> tuple[Float64, float]:
        """Return the block weights of a condition, and its gain."""
        self._apply_pending(pending)
        place = Place((), condition)
        return self.engine.block_weights(place), self.engine.gain(place)

    def documents(self, condition: int) -> Int32:
        """Return the documents in block YES."""
        return self._members.yes(condition)

    def condition(self, number: int) -> Condition:
        """Return the condition with this number."""
        return self._names[int(np.searchsorted(self._members.mine, number))]

    def number(self, condition: Condition) -> int | None:
        found = self._places.get(condition)
        return None if found is None else int(self._members.mine[found])

    @cached_property
    def _places(self) -> dict[Condition, int]:
        return {name: place for place, name in enumerate(self._names)}

    def scores(self, pending: Sequence[AppliedRule]) -> Scores:
        self._apply_pending(pending)
        return self.engine.scores()

    def weights(self, pending: Sequence[AppliedRule]) -> Weights:
        self._apply_pending(pending)
        return self.engine.weights()

    def _documents(self, condition: int) -> NDArray[Any] | None:
        """Return the documents to send to other workers, or None if all know them."""
        if not 0 <= condition < self._members.listed:
            return None
        return packed(self._members.yes(condition), self._problem.example_count)

    def _apply_pending(self, pending: Sequence[AppliedRule]) -> None:
        for applied in pending:
            condition = applied.condition
            if applied.documents is not None:
                documents = unpacked(applied.documents, self._problem.example_count)
                self._members.lend(condition, documents)
                condition = LENT
            z = self.engine.apply(
                [Placed(Place((), condition), applied.votes, applied.alpha)], applied.pulls
            )
            if z != applied.z:
                raise BoostextError(
                    "workers compute differently, so that their weights have drifted apart; take "
                    "workers with the same kind of processor"
                )

    def _change_preference(self, change: PreferenceChange) -> None:
        if change.whole is not None:
            self._preference = np.broadcast_to(change.whole, self._preference.shape).copy()
            if not isinstance(self.engine, IncrementalEngine):
                self._preference[~self._searched] = 0.0
        own = self._searched[change.numbers]
        self._preference[change.numbers[own]] = change.values[own]
