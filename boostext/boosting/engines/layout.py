"""The arrays that the kernels of the incremental engine work on, made from a problem."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boostext.arrays import Lists
from boostext.boosting.engines.arrays import (
    LAST,
    Asked,
    FoundArrays,
    LabelArrays,
    ListArrays,
    MoveRoom,
    RoundArrays,
    RuleKind,
    TermArrays,
)
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.weights import Weights, padded
from boostext.boosting.gains import FORMS
from boostext.boosting.membership import Membership
from boostext.features.conditions import NO

RUNNERS_UP = 32
"""The number of runners-up that are kept for the next search."""
MOST_AHEAD = 64
"""The largest number of rounds that are learned in one call."""


NOTHING = Asked(1.0, 1.0, np.ones(1))
"""What stages that do not choose are given."""


def list_arrays(lists: Lists) -> ListArrays:
    return ListArrays(lists.starts, lists.items)


def terms(members: Membership, transpose: Callable[..., None]) -> TermArrays:
    """Return the terms of a problem. transpose: the kernel of that name."""
    features, listed = members.features, members.terms
    frequencies = np.diff(features.yes.starts)[listed]
    order = np.argsort(-frequencies, kind="stable")
    numbers, sizes = listed[order], frequencies[order]
    starts = np.zeros(features.document_count + 1, np.int64)
    items = np.zeros(int(sizes.sum()), np.int32)
    transpose(numbers, list_arrays(features.yes), starts, items)
    return TermArrays(numbers, sizes.astype(np.int32), starts, items)


def labels(sets: Lists, k: int) -> LabelArrays:
    """Return the labels of each example, and the examples of each label."""
    order = np.argsort(sets.items, kind="stable").astype(np.int32)
    rows = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(sets.starts))
    starts = np.zeros(k + 1, np.int64)
    np.cumsum(np.bincount(sets.items, minlength=k), out=starts[1:])
    return LabelArrays(sets.starts, sets.items, starts, rows[order], order)


def form_of(problem: Problem) -> int:
    """Return the form of the rules, a value of gains.FORMS."""
    return FORMS[problem.votes, bool(problem.speaks[NO] == 0)]


def kind_of(problem: Problem, weights: Weights) -> RuleKind:
    return RuleKind(
        form_of(problem),
        weights.loss,
        bool(problem.speaks[NO] == 0),
        problem.smoothing,
        problem.shrinkage,
        problem.speaks,
    )


def found_arrays(members: Membership, terms: TermArrays, k: int) -> FoundArrays:
    n, listed, two = len(terms.numbers), members.listed, (2, padded(k))
    found = FoundArrays(
        np.zeros(n, np.int32),
        np.zeros(n),
        np.zeros(listed, np.int32),
        np.zeros(listed),
        np.zeros(listed, np.int32),
        np.zeros(n, np.int32),
        np.zeros(RUNNERS_UP, np.int32),
        np.full(RUNNERS_UP, -1.0),
        np.zeros((3, 2, k)),
        np.zeros((3, 2, k)),
        np.zeros(two, np.uint32),
        np.zeros(two),
        np.zeros(6, np.int64),
        np.zeros(4),
    )
    found.counts[LAST] = -1
    return found


def of_range(found: FoundArrays) -> FoundArrays:
    """Return the arrays for the results of a search in a part of the terms.

    Those whose values the parts write to different places are shared.
    """
    return found._replace(
        near=np.zeros(RUNNERS_UP, np.int32),
        near_bounds=np.zeros(RUNNERS_UP),
        sums=np.zeros_like(found.sums),
        counts=found.counts.copy(),
        figures=found.figures.copy(),
    )


def round_arrays(k: int) -> RoundArrays:
    return RoundArrays(
        np.zeros(MOST_AHEAD, np.uint64),
        np.zeros(MOST_AHEAD, np.int32),
        np.zeros((MOST_AHEAD, 3, k)),
        np.zeros((MOST_AHEAD, 3)),
    )


def move_room(m: int) -> MoveRoom:
    return MoveRoom(np.zeros(m, np.bool_), np.zeros(m, np.int32))
