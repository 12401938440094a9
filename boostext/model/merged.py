"""Merge the rules of each condition into one, for fast prediction and for explanations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int8, Int32, Int64, Lists, Scores
from boostext.boosting.reach import Numbers, Reach
from boostext.features.conditions import NO, UNKNOWN, YES, Always, Condition, Literal, Occurs
from boostext.model.model import Model

Asked = tuple[tuple[int, int], ...]
"""A precondition whose conditions are given by index: (index, block) pairs."""


@dataclass(frozen=True, eq=False)
class MergedVotes:
    """The rules of a model merged into e entries, in the order in which they were first chosen.

    Each entry stands for all rules with the same precondition and condition.

    conditions, preconditions: those of each entry. votes: (e, 3, k), summed over the rules of each
    entry. rounds: e lists of round numbers, from 1. known: the distinct conditions, first those of
    entries without a precondition. places: the index in `known` of each entry's condition.
    literals: the precondition of each entry, by index in `known`.
    """

    conditions: tuple[Condition, ...]
    preconditions: tuple[tuple[Literal, ...], ...]
    votes: Float64
    rounds: Lists
    known: tuple[Condition, ...]
    places: Int64
    literals: tuple[Asked, ...]

    def entry_blocks(self, blocks: Int8) -> Int64:
        """Return (e,): the block of each entry's condition, or -1 if its precondition fails.

        blocks: the block of each condition in `known`.
        """
        found = blocks[self.places].astype(np.int64)
        for e in self._guarded:
            if any(blocks[place] != block for place, block in self.literals[e]):
                found[e] = -1
        return found

    @cached_property
    def has_votes(self) -> NDArray[np.bool_]:
        """Return (e, 3): whether an entry has a nonzero vote in a block."""
        return np.asarray(self.votes.any(axis=2))

    @cached_property
    def round_tuples(self) -> tuple[tuple[int, ...], ...]:
        """Return the rounds of each entry."""
        return tuple(tuple(self.rounds[e].tolist()) for e in range(len(self.rounds)))

    @cached_property
    def _guarded(self) -> tuple[int, ...]:
        """Return the indexes of the entries with preconditions."""
        return tuple(e for e, literals in enumerate(self.literals) if literals)


def merge_votes(model: Model) -> MergedVotes:
    """Merge rules with equal precondition and condition; votes are added in the order of rules."""
    numbers: dict[tuple[tuple[Literal, ...], Condition], int] = {}
    for rule in model.rules:
        numbers.setdefault((rule.precondition, rule.condition), len(numbers))
    votes = np.zeros((len(numbers), 3, model.width))
    rounds: list[list[int]] = [[] for _ in numbers]
    for t, rule in zip(model.rule_rounds, model.rules, strict=True):
        number = numbers[rule.precondition, rule.condition]
        votes[number] += rule.votes
        rounds[number].append(t)
    place = {c: i for i, c in enumerate(_known(numbers))}
    return MergedVotes(
        tuple(condition for _, condition in numbers),
        tuple(precondition for precondition, _ in numbers),
        votes,
        Lists.of(rounds),
        tuple(place),
        np.array([place[condition] for _, condition in numbers], np.int64),
        tuple(tuple((place[c], block) for c, block in literals) for literals, _ in numbers),
    )


def _known(entries: dict[tuple[tuple[Literal, ...], Condition], int]) -> dict[Condition, None]:
    """Return every condition that is used, in the order of `MergedVotes.known`."""
    known = {condition: None for precondition, condition in entries if not precondition}
    for precondition, condition in entries:
        known.update({literal.condition: None for literal in precondition})
        known[condition] = None
    return known


class Guarded(NamedTuple):
    """Rules with a precondition, whose conditions are given by index. votes: (3, k)."""

    literals: Asked
    place: int
    votes: Float64


@dataclass(frozen=True, eq=False)
class Merged:
    """Compute scores from the conditions that a document meets, without evaluating the others.

    score = base + (sum of yes_delta over the conditions in block YES) + (sum of unknown_delta over
    those in block UNKNOWN). Each sum starts at 0 and is added in ascending order of conditions, so
    that scores are bitwise equal however many documents are scored together.

    base: (k,), the sum of the votes of all rules in block NO. yes_delta, unknown_delta: (c, k), the
    differences between the votes in blocks YES and UNKNOWN and those in NO; unknown_delta is None
    if no condition can be unknown. guarded: the rules with preconditions, whose votes are added
    afterwards, in order.
    """

    conditions: tuple[Condition, ...]
    base: Float64
    yes_delta: Float64
    unknown_delta: Float64 | None
    guarded: tuple[Guarded, ...] = ()

    def score(self, yes: Int32, unknown: Int32) -> Scores:
        """Return (k,) for one document from its ascending lists of conditions."""
        total = self.base + _total(yes, self.yes_delta)
        if self.unknown_delta is not None:
            total = total + _total(unknown, self.unknown_delta)
        guarded: Scores = self._add_guarded(total[None], Lists.of([yes]), Lists.of([unknown]))[0]
        return guarded

    def scores(self, yes: Lists, unknown: Lists) -> Scores:
        """Return (m, k) for m documents from their ascending lists of conditions."""
        totals = self.base + _totals(yes, self.yes_delta)
        if self.unknown_delta is not None:
            totals = totals + _totals(unknown, self.unknown_delta)
        return self._add_guarded(totals, yes, unknown)

    def _add_guarded(self, totals: Scores, yes: Lists, unknown: Lists) -> Scores:
        if self.guarded:
            met, open_to = (by_condition(lists, len(self.conditions)) for lists in (yes, unknown))
            reach = Reach[int](lambda place: (met[place], open_to[place]), len(totals))
            add_guarded(totals, self.guarded, reach)
        return totals


def add_guarded(totals: Scores, guarded: tuple[Guarded, ...], reach: Reach[int]) -> None:
    """Add the votes of rules with preconditions to totals (m, k), rule by rule."""
    for literals, place, votes in guarded:
        for block, documents in zip((UNKNOWN, NO, YES), reach.blocks(literals, place), strict=True):
            if votes[block].any():
                totals[documents] += votes[block]


def by_condition(lists: Lists, count: int) -> list[Numbers]:
    """Return the ascending documents of each condition, given the conditions of each document."""
    documents = np.repeat(np.arange(len(lists)), np.diff(lists.starts))
    order = np.argsort(lists.items, kind="stable")
    ends = np.cumsum(np.bincount(lists.items, minlength=count))
    return np.split(documents[order], ends[:-1])


def merge_rules(model: Model) -> Merged:
    """Merge the rules of a model into the form used for prediction."""
    merged = merge_votes(model)
    plain = [e for e, literals in enumerate(merged.literals) if not literals]
    guarded = tuple(
        Guarded(literals, int(merged.places[e]), merged.votes[e])
        for e, literals in enumerate(merged.literals)
        if literals
    )
    votes = merged.votes[plain] if guarded else merged.votes
    no = votes[:, NO]
    base = np.zeros(model.width)
    for row in no:
        base += row
    known = all(isinstance(condition, Occurs | Always) for condition in merged.known)
    unknown_delta = None if known else _padded(votes[:, UNKNOWN] - no, len(merged.known))
    yes_delta = _padded(votes[:, YES] - no, len(merged.known))
    return Merged(merged.known, base, yes_delta, unknown_delta, guarded)


def _padded(delta: Float64, count: int) -> Float64:
    """Append rows of 0 for the conditions that only preconditions use."""
    more = count - len(delta)
    return np.concatenate([delta, np.zeros((more, delta.shape[1]))]) if more else delta


FEW = 2_000_000
"""Up to this many numbers are added without SciPy."""


def _total(numbers: Int32, delta: Float64) -> Float64:
    # subtle: add row by row; numpy's sum may add pairwise and then rounds differently
    total = np.zeros(delta.shape[1])
    for number in numbers:
        total += delta[number]
    return total


def _totals(lists: Lists, delta: Float64) -> Float64:
    """Return (m, k): `_total` of every list, with the additions in the same order."""
    rows = np.repeat(np.arange(len(lists)), np.diff(lists.starts))
    if len(rows) < delta.shape[1]:  # fewer rows to add than labels: add row by row
        totals = np.zeros((len(lists), delta.shape[1]))
        for row, item in zip(rows.tolist(), lists.items.tolist(), strict=True):
            totals[row] += delta[item]
        return totals
    if len(rows) * delta.shape[1] < FEW:
        columns = [np.bincount(rows, column[lists.items], len(lists)) for column in delta.T]
        return np.stack(columns, axis=1)
    from scipy.sparse import csr_array  # imported here: for few numbers the import takes longer

    shape = (len(lists), len(delta))
    ones = np.ones(len(lists.items))
    return np.asarray(csr_array((ones, lists.items, lists.starts), shape=shape) @ delta)
