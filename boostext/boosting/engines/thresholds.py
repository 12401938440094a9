"""Sums for thresholds and for partly unknown conditions, updated when weights change.

The documents between two neighboring thresholds of a column are a *step*, and the weights of block
YES of a threshold are a running sum over steps. There is a row of whole numbers for each step, for
each list of unknown documents and for each partly unknown condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boostext.arrays import Float64, Int32
from boostext.boosting.engines.arrays import (
    BlockArrays,
    BlockRoom,
    ChangeArrays,
    LabelArrays,
    ListArrays,
)
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.weights import Weights
from boostext.boosting.membership import Membership
from boostext.features.conditions import UNKNOWN

MOST_LISTED = 1 << 25
"""The largest number of documents in all rows. A scored text field has a column for each word."""
STEP = 256
"""The number of rows whose bounds are computed at once, with vector instructions over rows."""
MOST_BYTES = 2**28
"""The most bytes that rows may take, 8 bytes x labels for each. If they need more, there are none.
"""
GREATEST = 1e8
"""The largest weight of a step that is used. Weights are at most 1, so that only a step without
documents can seem to have more.
"""


class Thresholds:
    """The rows of unknown lists, partly unknown conditions and steps, in this order.

    The steps of a column begin with the one with the largest values. blocks: the rows, for the
    kernels.
    """

    def __init__(self, problem: Problem, kernels: Mapping[str, Any], form: int) -> None:
        members, k = problem.members, problem.label_count
        self._kernels, self._form, self._k = kernels, form, k
        self._votes, self._m = bool(problem.speaks[UNKNOWN]), problem.example_count
        lists = members.features.unknown
        unknown = [*(lists[u] for u in range(len(lists))), *(c.unknown for c in members.columns)]
        partly = members.partly_unknown
        listed = [members.features.yes[j] for j in partly]
        steps = [_step_lists(members, c) for c in range(len(members.columns))]
        documents = [*unknown, *listed, *(step for column in steps for step in column)]
        self._by_document = _transposed(documents, self._m)
        width = -(-2 * k // 4) * 4
        self.blocks = _described(members, documents, len(unknown), partly, width)
        self._change = np.zeros(width, np.uint32)
        self._work = BlockRoom(
            np.zeros((2, k, STEP), np.uint32),
            np.zeros((2, k, STEP), np.uint32),
            np.zeros(STEP, np.float32),
            np.zeros(STEP, np.float32),
            np.zeros(STEP),
            np.zeros(STEP),
            np.zeros((2, k), np.uint32),
            np.zeros((len(unknown), 2)),
            np.zeros(len(documents), np.int32),
            np.zeros(len(documents)),
        )

    def update(self, changes: ChangeArrays, labels: LabelArrays) -> None:
        """Update the rows for the documents that changed."""
        self._kernels["update_blocks"](
            changes, self._by_document, labels, self._k, self.blocks.sums, self._change
        )

    def renew(self, weights: Weights) -> None:
        """Compute all rows again, from the weights of all documents."""
        self.blocks.sums[:] = 0
        everyone = np.arange(self._m, dtype=np.int32)
        every, steps = np.array([self._m], np.int64), weights.steps
        changes = ChangeArrays(every, everyone, steps.neg, steps.pos, np.zeros(0, np.int32))
        self.update(changes, weights.labels)

    def may_reach(
        self, least: float, preference: Float64, weights: Weights, counts: Any
    ) -> tuple[Int32, Float64]:
        """Return the conditions whose value may reach `least`, and upper bounds on their values.

        counts: as in RowArrays.
        """
        steps = weights.steps
        of_step = weights.arrays.scales / steps.per_weight
        scale = np.minimum(of_step, GREATEST).astype(np.float32)
        count = self._kernels["bound_blocks"](
            self._form,
            self._votes,
            self._m,
            least,
            preference,
            self.blocks,
            steps.sums,
            counts,
            scale,
            self._work,
        )
        return self._work.found[:count], self._work.bounds[:count]


def fits(members: Membership, k: int) -> bool:
    """Return whether there are conditions to keep sums for, and memory for the sums."""
    rows = len(members.features.unknown) + len(members.partly_unknown)
    rows += sum(len(column) + 1 for column in members.columns)
    # each document is in a step or in an unknown list
    listed = sum(column.count for column in members.columns)
    return 0 < rows * 8 * k <= MOST_BYTES and listed <= MOST_LISTED


def _step_lists(members: Membership, column: int) -> list[Int32]:
    """Return the documents of each step of a column, beginning with the largest values."""
    steps = members.columns[column].steps()
    return [steps[c] for c in range(len(steps) - 1, -1, -1)]


def _described(
    members: Membership, documents: list[Int32], unknown: int, partly: Int32, width: int
) -> BlockArrays:
    """Return the rows, each of this width, and what the kernels need to know of them.

    The first `unknown` rows are unknown lists; those of the conditions in `partly` follow.
    """
    numbers = np.full(len(documents), -1, np.int32)
    sizes = np.array([len(d) for d in documents], np.int32)
    unknown_of, resets = np.zeros(len(documents), np.int32), np.zeros(len(documents), np.bool_)
    first = unknown + len(partly)
    numbers[unknown:first] = partly
    unknown_of[unknown:first] = members.features.unknown_list[partly]
    resets[unknown:first] = True
    for c, column in enumerate(members.columns):
        rows = slice(first, first + len(column))
        start = int(members.offsets[c])
        numbers[rows] = np.arange(start, start + len(column))[::-1]
        sizes[rows] = (len(column.order) - column.first)[::-1]
        unknown_of[rows] = unknown - len(members.columns) + c
        resets[first : first + min(1, len(column))] = True
        first += len(column)
    sums = np.zeros((len(documents), width), np.uint32)
    return BlockArrays(numbers, sizes, unknown_of, resets, sums)


def _transposed(documents: list[Int32], m: int) -> ListArrays:
    """Return the rows of each document."""
    flat = np.concatenate([*documents, np.zeros(0, np.int32)])
    rows = np.repeat(np.arange(len(documents), dtype=np.int32), [len(d) for d in documents])
    starts = np.zeros(m + 1, np.int64)
    np.cumsum(np.bincount(flat, minlength=m), out=starts[1:])
    return ListArrays(starts, rows[np.argsort(flat, kind="stable")])
