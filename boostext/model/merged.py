"""The rules of one condition as one: what prediction adds up and explanation shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64, Int32, Lists, Scores
from boostext.features.conditions import NO, UNKNOWN, YES, Always, Condition, Occurs
from boostext.model.model import Model


@dataclass(frozen=True, eq=False)
class MergedVotes:
    """c distinct conditions, in the order in which they were first chosen.

    votes: (c, 3, k), summed over the rules of each. rounds: c lists of round numbers, from 1.
    """

    conditions: tuple[Condition, ...]
    votes: Float64
    rounds: Lists


def merge_votes(model: Model) -> MergedVotes:
    """One entry per distinct condition; votes are added in the order of the rounds."""
    numbers: dict[Condition, int] = {}
    for rule in model.rules:
        numbers.setdefault(rule.condition, len(numbers))
    votes = np.zeros((len(numbers), 3, model.width))
    rounds: list[list[int]] = [[] for _ in numbers]
    for t, rule in enumerate(model.rules, 1):
        votes[numbers[rule.condition]] += rule.votes
        rounds[numbers[rule.condition]].append(t)
    return MergedVotes(tuple(numbers), votes, Lists.of(rounds))


@dataclass(frozen=True, eq=False)
class Merged:
    """Scores from the conditions that a document meets, without a look at those it does not.

    score = base + (sum of yes_delta over its YES conditions) + (sum of unknown_delta over its
    UNKNOWN ones), each sum from 0 in ascending order: one document and many give the same bits.
    base: (k,), what all rules say in block NO. yes_delta, unknown_delta: (c, k), how far blocks
    YES and UNKNOWN are from NO; unknown_delta is None where no condition can be unknown.
    """

    conditions: tuple[Condition, ...]
    base: Float64
    yes_delta: Float64
    unknown_delta: Float64 | None

    def score(self, yes: Int32, unknown: Int32) -> Scores:
        """(k,) of one document from its ascending lists of conditions."""
        total = self.base + _total(yes, self.yes_delta)
        if self.unknown_delta is None:
            return total
        return total + _total(unknown, self.unknown_delta)

    def scores(self, yes: Lists, unknown: Lists) -> Scores:
        """(m, k) of m documents from their ascending lists of conditions."""
        totals = self.base + _totals(yes, self.yes_delta)
        if self.unknown_delta is None:
            return totals
        return totals + _totals(unknown, self.unknown_delta)


def merge_rules(model: Model) -> Merged:
    """The form for prediction."""
    merged = merge_votes(model)
    votes = merged.votes
    no = votes[:, NO]
    base = np.zeros(model.width)
    for row in no:
        base += row
    known = all(isinstance(condition, Occurs | Always) for condition in merged.conditions)
    unknown_delta = None if known else votes[:, UNKNOWN] - no
    return Merged(merged.conditions, base, votes[:, YES] - no, unknown_delta)


def _total(numbers: Int32, delta: Float64) -> Float64:
    # subtle: one row after the other; numpy's own sum may pair the rows up and round otherwise
    total = np.zeros(delta.shape[1])
    for number in numbers:
        total += delta[number]
    return total


def _totals(lists: Lists, delta: Float64) -> Float64:
    """(m, k): `_total` of every list, in the same order of additions."""
    from scipy.sparse import csr_array  # one document alone needs no SciPy

    shape = (len(lists), len(delta))
    ones = np.ones(len(lists.items))
    return np.asarray(csr_array((ones, lists.items, lists.starts), shape=shape) @ delta)
