"""Merge conditions that hold for exactly the same documents.

Such conditions have equal block weights in every round, so nothing is lost. The simplest one
represents the others: the one with the lowest required count, then the shortest span, then the
fewest tokens, then the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64, Lists

BLOCK = 1 << 16
"""Number of items that are processed at once."""


@dataclass(frozen=True)
class Merged:
    """n groups of conditions, in the documented order of their representatives.

    representatives: (n,) condition numbers. members: the condition numbers of each group, in no
    particular order; group j is members[ends[j] - sizes[j]:ends[j]].
    """

    representatives: Int64
    members: Int64
    ends: Int64
    sizes: Int64

    def group(self, j: int) -> Int64:
        return self.members[self.ends[j] - self.sizes[j] : self.ends[j]]


def merge(
    lists: Lists, unknown_list: Int32, simplicity: Sequence[NDArray[Any]], place: Int64
) -> Merged:
    """Return groups of equal lists, none of them empty, with equal unknown_list.

    simplicity: (N,) keys, whole numbers, most important first. The member with the smallest keys
    represents its group; ties go to the first. place: (N,), the documented order, all distinct.
    """
    order, starts = _equal_lists(lists, unknown_list)
    sizes = np.diff(starts, append=len(order))
    best = _least_of_each(order, starts, simplicity, place)
    by_place = np.argsort(place[best])
    return Merged(best[by_place], order, (starts + sizes)[by_place], sizes[by_place])


def _least_of_each(
    order: Int64, starts: Int64, simplicity: Sequence[NDArray[Any]], place: Int64
) -> Int64:
    """Return the simplest member of each run of `order`, at ties that of least place."""
    least, first = (np.full(len(starts), np.iinfo(np.int64).max) for _ in range(2))
    keys = [(key, int(key.max(initial=0)) + 1) for key in simplicity]
    for part, bounds, runs in _runs(starts, len(order)):
        code = _code(keys, order[part])
        least[runs] = np.minimum(least[runs], np.minimum.reduceat(code, bounds[:-1]))
    for part, bounds, runs in _runs(starts, len(order)):
        members, sizes = order[part], np.diff(bounds)
        simplest = _code(keys, members) == np.repeat(least[runs], sizes)
        places = np.where(simplest, place[members], np.iinfo(np.int64).max)
        first[runs] = np.minimum(first[runs], np.minimum.reduceat(places, bounds[:-1]))
    for part, bounds, runs in _runs(starts, len(order)):
        members = order[part]
        found = np.flatnonzero(place[members] == np.repeat(first[runs], np.diff(bounds)))
        which = np.searchsorted(bounds, found, side="right") - 1 + runs.start
        least[which] = members[found]
    return least


def _runs(starts: Int64, count: int) -> Iterator[tuple[slice, Int64, slice]]:
    """Yield parts of `count` ordered numbers, with the bounds of runs in it, and their numbers."""
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        runs = slice(
            int(np.searchsorted(starts, start, side="right")) - 1,
            int(np.searchsorted(starts, stop, side="left")),
        )
        bounds = np.append(np.maximum(starts[runs], start), stop) - start
        yield slice(start, stop), bounds, runs


def gather(lists: Lists, which: Int64) -> Lists:
    """Return the chosen lists, in the order chosen."""
    starts = _offsets(lists.starts[which + 1] - lists.starts[which])
    items = np.empty(starts[-1], np.int32)
    _move(lists, which, starts, items)
    return Lists(starts, items)


def gathered_in_place(lists: Lists, which: Int64) -> Lists:
    """Do the same for ascending `which`, in the memory of the lists, which are lost."""
    if len(which) == len(lists):
        return lists
    starts, items = _offsets(np.diff(lists.starts)[which]), lists.items
    _move(lists, which, starts, items)
    items.resize(starts[-1], refcheck=False)
    return Lists(starts, items)


def _move(lists: Lists, which: Int64, starts: Int64, items: Int32) -> None:
    sizes = np.diff(starts)
    for first, stop in blocks(starts):
        shift = np.repeat(lists.starts[which[first:stop]] - starts[first:stop], sizes[first:stop])
        place = np.arange(starts[first], starts[stop])
        items[starts[first] : starts[stop]] = lists.items[place + shift]


def put(lists: Lists, where: Int64, items: Int32, ends: Int64) -> None:
    """Append list j to row where[j] of `items`; all rows are distinct.

    ends: (rows,), the place in `items` where each row ends so far, which is moved on.
    """
    sizes, starts = np.diff(lists.starts), lists.starts
    for first, stop in blocks(starts):
        shift = np.repeat(ends[where[first:stop]] - starts[first:stop], sizes[first:stop])
        place = np.arange(starts[first], starts[stop])
        items[place + shift] = lists.items[starts[first] : starts[stop]]
    ends[where] += sizes


def blocks(starts: Int64) -> Iterator[tuple[int, int]]:
    """Yield ranges of lists with about BLOCK items each, which bounds the memory of each step."""
    first = 0
    while first < len(starts) - 1:
        stop = int(np.searchsorted(starts, starts[first] + BLOCK, side="right")) - 1
        stop = max(stop, first + 1)
        yield first, stop
        first = stop


def joined_lists(parts: Sequence[Lists]) -> Lists:
    """Concatenate several sequences of lists."""
    if len(parts) == 1:
        return parts[0]
    starts, at, before = np.zeros(sum(map(len, parts)) + 1, np.int64), 1, 0
    for part in parts:
        np.add(part.starts[1:], before, out=starts[at : at + len(part)])
        at, before = at + len(part), before + len(part.items)
    return Lists(starts, np.concatenate([np.zeros(0, np.int32), *(part.items for part in parts)]))


def _code(keys: Sequence[tuple[NDArray[Any], int]], which: Int64) -> Int64:
    """Combine the keys of some conditions into one number each that is compared instead.

    keys: each with a bound above all its values.
    """
    code = np.zeros(len(which), np.int64)
    for key, bound in keys:
        code *= bound
        code += key[which]
    return code


def _equal_lists(lists: Lists, unknown_list: Int32) -> tuple[Int64, Int64]:
    """Return the lists in an order in which equal ones are together, and where each run begins."""
    group = _hashes(lists, unknown_list)
    while True:
        order = np.argsort(group)
        starts = _run_starts(group, order)
        del group  # of very many lists it takes much memory
        same = _equal_to_first(lists, unknown_list, order, starts)
        if same.all():
            return order, starts
        # different lists with equal hashes: those that differ from the first of their run go apart
        group = np.empty_like(order)
        group[order] = np.repeat(2 * np.arange(len(starts)), np.diff(starts, append=len(order)))
        group[order[~same]] += 1


def _hashes(lists: Lists, unknown_list: Int32) -> Int64:
    """Hash each list as the sum of a random number per document; equal lists have equal sums."""
    documents = int(lists.items.max(initial=-1)) + 1
    random = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, size=documents)
    sums = unknown_list.astype(np.int64)
    starts = lists.starts
    for first, stop in blocks(starts):
        numbers = random[lists.items[starts[first] : starts[stop]]]
        sums[first:stop] += np.add.reduceat(numbers, starts[first:stop] - starts[first])
    return sums


def _equal_to_first(
    lists: Lists, unknown_list: Int32, order: Int64, starts: Int64
) -> NDArray[np.bool_]:
    """Whether each list, in order, is equal to the first of its run."""
    same = np.zeros(len(order), np.bool_)
    for part, bounds, runs in _runs(starts, len(order)):
        first = np.repeat(order[starts[runs]], np.diff(bounds))
        same[part] = _pairs_equal(lists, unknown_list, order[part], first)
    return same


def _pairs_equal(lists: Lists, unknown_list: Int32, a: Int64, b: Int64) -> NDArray[np.bool_]:
    """Whether lists a[i] and b[i] are equal, for all i."""
    sizes = lists.starts[a + 1] - lists.starts[a]
    same: NDArray[np.bool_] = sizes == lists.starts[b + 1] - lists.starts[b]
    same &= unknown_list[a] == unknown_list[b]
    other = np.flatnonzero(same & (a != b))
    for first, stop in blocks(_offsets(sizes[other])):
        part = other[first:stop]
        one, two = gather(lists, a[part]), gather(lists, b[part])
        same[part] = np.logical_and.reduceat(one.items == two.items, one.starts[:-1])
    return same


def _run_starts(group: Int64, order: Int64) -> Int64:
    """Return where each run of equal groups begins, in order."""
    found = [np.zeros(min(len(order), 1), np.int64)]
    for start in range(1, len(order), BLOCK):
        some = group[order[start - 1 : start + BLOCK]]
        found.append(np.flatnonzero(some[1:] != some[:-1]) + start)
    return np.concatenate(found)


def _offsets(sizes: Int64) -> Int64:
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
