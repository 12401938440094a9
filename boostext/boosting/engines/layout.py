"""The kernels of the incremental engine by name, and the arrays that they work on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from boostext.arrays import Lists
from boostext.boosting.engines import (
    kernels_blocks,
    kernels_rounds,
    kernels_terms,
    kernels_weights,
)
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
from boostext.compiled import compiled, notice
from boostext.errors import SettingsError
from boostext.features.conditions import NO
from boostext.instructions import COLUMNS
from boostext.packs import Packed

RUNNERS_UP = 32
"""The number of runners-up that are kept for the next search."""
MOST_AHEAD = 64
"""The largest number of rounds that are learned in one call."""
MOST_PACKED = 64
"""The number of packed named tuples that are kept for further calls."""
NOTHING = Asked(1.0, 1.0, np.ones(1))
"""What stages that do not choose are given."""


class Kernels(dict[str, Any]):
    """The compiled kernels by name; each is loaded or compiled when it is first used.

    Kernels take named tuples as arguments. The arrays of a named tuple must not be replaced while
    it is in use. Raises SettingsError if numba cannot be used.
    """

    def __init__(self) -> None:
        self._packed: dict[int, Any] = {}

    def __missing__(self, name: str) -> Any:
        of = (kernels_rounds, kernels_weights, kernels_terms, kernels_blocks)
        named = {kernel.__name__: kernel for kernels in of for kernel in kernels.KERNELS}
        kernel = compiled(named[name])
        if kernel is None:
            raise SettingsError(
                f"the incremental engine needs numba: {notice()}; mend that, or use --engine plain"
            )
        self[name] = call = partial(self._call, kernel)
        return call

    def _call(self, kernel: Any, *arguments: Any) -> Any:
        return kernel(*[self._pack(one) if isinstance(one, tuple) else one for one in arguments])

    def _pack(self, arrays: Any) -> Any:
        """Return a named tuple as the kernel needs it; the result is kept for the next call."""
        known = self._packed.get(id(arrays))
        if known is None or known.arrays is not arrays:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
            self._packed[id(arrays)] = known = Packed(arrays, self._pack)
        return known


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


def found_arrays(members: Membership, terms: TermArrays, k: int, parts: int = 1) -> FoundArrays:
    n, listed, two = len(terms.numbers), members.listed, (2, padded(k))
    found = FoundArrays(
        np.zeros(n, np.int32),
        np.zeros(n),
        np.zeros(listed, np.int32),
        np.zeros(listed),
        np.zeros(listed, np.int32),
        np.zeros(n, np.int32),
        np.zeros((parts, RUNNERS_UP), np.int32),
        np.full((parts, RUNNERS_UP), -1.0),
        np.zeros((parts, *two)),
        np.zeros((parts, COLUMNS), np.int64),
        np.zeros((3, 2, k)),
        np.zeros((3, 2, k)),
        np.zeros(two, np.uint32),
        np.zeros(8, np.int64),
        np.zeros(7),
    )
    found.counts[LAST] = -1
    return found


def round_arrays(k: int) -> RoundArrays:
    return RoundArrays(
        np.zeros(MOST_AHEAD, np.uint64),
        np.zeros(MOST_AHEAD, np.int32),
        np.zeros((MOST_AHEAD, 3, k)),
        np.zeros((MOST_AHEAD, 3)),
    )


def move_room(m: int, k: int) -> MoveRoom:
    return MoveRoom(np.zeros(m, np.bool_), np.zeros(m, np.int32), np.zeros(k), np.zeros((2, k)))
