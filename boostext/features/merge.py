"""Conditions that hold for the very same documents become one.

They have the same block weights in every round, so nothing is lost. The simplest represents them:
fewest occurrences asked for, then fewest places, then fewest tokens, then the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64, Lists


@dataclass(frozen=True)
class Merged:
    """representatives: (n,) condition numbers, ascending. members: n lists of condition numbers,
    ascending, each with its representative."""

    representatives: Int64
    members: Lists


def merge(lists: Lists, unknown_list: Int32, simplicity: Sequence[Int32]) -> Merged:
    """Groups of equal lists (none empty) with equal unknown_list.

    simplicity: (N,) keys, most important first; the least represents a group.
    """
    group = _equal_lists(lists, unknown_list)
    count = len(lists)
    order = np.argsort(group, kind="stable")
    starts = _run_starts(group[order])
    least = np.minimum.reduceat(_priority(simplicity, count)[order], starts) if count else starts
    representatives = least % max(count, 1)
    by_place = np.argsort(representatives)
    ends = np.append(starts[1:], count)
    pieces = Lists(np.append(starts, count), order.astype(np.int32))
    sizes = (ends - starts)[by_place]
    members = Lists(_offsets(sizes), gather(pieces, by_place).items)
    return Merged(representatives[by_place], members)


def gather(lists: Lists, which: Int64) -> Lists:
    """The chosen lists, in the order chosen."""
    sizes = np.diff(lists.starts)[which]
    starts = _offsets(sizes)
    shift = np.repeat(lists.starts[which] - starts[:-1], sizes)
    return Lists(starts, lists.items[np.arange(starts[-1]) + shift])


def _priority(simplicity: Sequence[Int32], count: int) -> Int64:
    """One number a condition, for comparing; its place is the remainder by `count`."""
    code = np.zeros(count, np.int64)
    for key in simplicity:
        code = code * (int(key.max(initial=0)) + 1) + key
    return code * count + np.arange(count)


def _equal_lists(lists: Lists, unknown_list: Int32) -> Int64:
    """A number for each list, the same for equal ones only: a hash, then a comparison."""
    group = _hashes(lists, unknown_list)
    count = len(lists)
    doubtful = np.arange(count)
    fresh = count
    result = np.zeros(count, np.int64)
    while len(doubtful):
        order = np.argsort(group[doubtful], kind="stable")
        ordered = doubtful[order]
        starts = _run_starts(group[ordered])
        first = np.repeat(ordered[starts], np.diff(np.append(starts, len(ordered))))
        same = _pairs_equal(lists, unknown_list, ordered, first)
        result[ordered[same]] = first[same] + fresh
        # a hash shared by different lists: those unlike the first of the run go round again
        doubtful = np.sort(ordered[~same])
        fresh += count
    return result


def _hashes(lists: Lists, unknown_list: Int32) -> Int64:
    """A sum of random numbers, one a document; equal lists have equal sums."""
    documents = int(lists.items.max(initial=-1)) + 1
    random = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, size=documents)
    if not len(lists):
        return np.zeros(0, np.int64)
    sums: Int64 = np.add.reduceat(random[lists.items], lists.starts[:-1])
    return sums + unknown_list


def _pairs_equal(lists: Lists, unknown_list: Int32, a: Int64, b: Int64) -> NDArray[np.bool_]:
    """Whether list a[i] is list b[i], for all i."""
    sizes = np.diff(lists.starts)
    same: NDArray[np.bool_] = (sizes[a] == sizes[b]) & (unknown_list[a] == unknown_list[b])
    other = np.flatnonzero(same & (a != b))
    if len(other):
        one, two = gather(lists, a[other]), gather(lists, b[other])
        same[other] = np.logical_and.reduceat(one.items == two.items, one.starts[:-1])
    return same


def _run_starts(values: Int64) -> Int64:
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([np.zeros(min(len(values), 1), np.int64), changes])


def _offsets(sizes: Int64) -> Int64:
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
