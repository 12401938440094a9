"""Count terms and find their documents from token numbers; n-grams are formed level by level.

Long arrays of numbers are moved to temporary files if they do not fit in memory.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.features.ngrams import ONE, Offsets, Step, keeps_tokens, ranks, steps
from boostext.features.text_kernels import (
    Bytes,
    fill,
    grow_pairs,
    join,
    kernel,
    recount,
    sift,
    tally,
)
from boostext.settings import TextSettings

LOW = 0xFFFFFFFF
STRETCH = 1 << 22
"""Maximum number of positions that a kernel processes in one call."""
SIEVE = 30
"""Number of bits of the largest hash of a pair, which bounds the counts to one gigabyte."""


@dataclass(frozen=True)
class Stream:
    """N numbers, concatenated over documents; document d ends before position ends[d].

    numbers: (layers * N,), the numbers of tokens, or of the terms that begin at each position; -1
    for none.
    """

    numbers: Int32
    ends: Int64
    layers: int = 1

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.numbers.nbytes + self.ends.nbytes


@dataclass(frozen=True)
class Documents:
    """The documents with each term at least counts[c] times.

    listed, equal: as in Terms. lists: one for each number of `listed`.
    """

    listed: Int64
    equal: Int64
    lists: Lists


NO_DOCUMENTS = Documents(np.zeros(0, np.int64), np.zeros(0, np.int64), Lists.of(()))


@dataclass(frozen=True)
class Group:
    """The T terms of one step that pass the filter.

    keys: (T,), token numbers, or for longer terms left * 2^32 + right, where left and right are
    terms of the steps joined. order, frequency: like those of `Terms`. documents: none if the step
    is not kept.
    """

    step: Step
    keys: Int64 | range
    order: Int64
    frequency: Int64
    documents: Documents


def count_terms(
    tokens: Stream, settings: TextSettings, known: int, least: float, threads: int
) -> list[Group]:
    """Return all terms in at least `least` documents; those of fewer tokens come first.

    known: the number of distinct tokens. Steps of equal length are independent of each other and
    run in threads.
    """
    alone = settings.expert == "full" and settings.ngrams[1] > 1
    groups = [_token_group(_alone(tokens), settings, known, least, True)[0]] if alone else []
    base, at = _token_group(tokens, settings, known, least, keeps_tokens(settings) and not alone)
    groups.append(base)
    before = {ONE: at}
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        for level in steps(settings):
            run = partial(_step_group, tokens.ends, before, settings, least)
            made = list(pool.map(run, level) if threads > 1 else map(run, level))
            groups += [group for group, _ in made]
            before = {step.places: at for step, (_, at) in zip(level, made, strict=True)}
    return groups


def _token_group(
    tokens: Stream, settings: TextSettings, known: int, least: float, kept: bool
) -> tuple[Group, Int32]:
    """Return the terms of one token, and for each position the number of its term, or -1."""
    sizes, first = tallied(tokens, known)
    step = Step(ONE, ONE, ONE, (0,), (0,), kept)
    found = Found(range(known), first, sizes)
    return _group(step, tokens, found, settings, least)


def _step_group(
    ends: Int64, before: dict[Offsets, Int32], settings: TextSettings, least: float, step: Step
) -> tuple[Group, Int32]:
    """Return the terms with one more token, and for each position the number of its term, or -1."""
    terms, found = joined_pairs(before[step.left], before[step.right], ends, step.shifts, least)
    return _group(step, terms, found, settings, least)


@dataclass(frozen=True)
class Found:
    """The result of `join`: keys and frequency as in Group.

    first: (T,), the position where each term first occurs, times the number of layers, plus the
    layer.
    """

    keys: Int64 | range
    first: Int64
    frequency: Int64


def _group(
    step: Step, terms: Stream, found: Found, settings: TextSettings, least: float
) -> tuple[Group, Int32]:
    stays = np.flatnonzero(found.frequency >= least)
    everything = len(stays) == len(found.keys)
    frequency = found.frequency if everything else found.frequency[stays]
    at = _renumbered(terms.numbers, stays, len(found.keys))
    stays = stays[:0] if everything else stays  # of very many terms it takes much memory
    left, documents = Stream(at, terms.ends, terms.layers), NO_DOCUMENTS
    if step.kept:
        documents = documents_of(left, frequency, settings.counts)
    if everything:
        keys, first = found.keys, found.first
    else:
        keys = stays if isinstance(found.keys, range) else found.keys[stays]
        first = found.first[stays]
    return Group(step, keys, _order(first, step, ranks(settings)), frequency, documents), at


def _order(first: Int64, step: Step, most: int) -> Int64:
    """Return the places of terms in the order of the field. Those of one layer replace `first`."""
    if len(step.shifts) > 1:
        first, layer = np.divmod(first, len(step.shifts))
        shifted = np.array(step.rank, np.int64)[layer]
    np.multiply(first, most, out=first)
    np.add(first, shifted if len(step.shifts) > 1 else step.rank[0], out=first)
    return first


def _renumbered(numbers: Int32, stays: Int64, known: int) -> Int32:
    """Renumber the remaining terms from 0, in order, and set all others to -1. Works in place."""
    if len(stays) == known:
        return numbers
    new = np.full(known + 1, -1, np.int32)  # the last element is the one that index -1 refers to
    new[stays] = np.arange(len(stays))
    return np.take(new, numbers, out=numbers, mode="wrap")


def joined_pairs(
    left: Int32, right: Int32, ends: Int64, shifts: tuple[int, ...], least: float
) -> tuple[Stream, Found]:
    """Return all pairs in at least `least` documents, and possibly some others."""
    out = scratch(len(shifts) * len(left))
    gaps = np.array(shifts, np.int64)
    met, few = _sifted(left, right, ends, gaps, least)
    parts = (met[start : start + STRETCH] for start in range(0, len(met), STRETCH))
    cells = sum(int(np.count_nonzero(part >= few)) for part in parts)
    room = 1 << max(10, (cells if few > 1 else len(left) >> 4).bit_length())
    slots = np.full(4 * room, -1, np.int64)
    seen, keys, first = (np.zeros(room, np.int64) for _ in range(3))
    state = np.zeros(3, np.int64)
    for part in _stretches(ends):
        while state[1] < len(part):
            kernel(join)(left, right, gaps, part, met, few, slots, seen, keys, first, out, state)
            if state[1] < len(part):
                slots, seen, keys, first = _more_room(slots, seen, keys, first)
    known = int(state[2])
    return Stream(out, ends, len(shifts)), Found(keys[:known], first[:known], seen[:known] & LOW)


def _sifted(left: Int32, right: Int32, ends: Int64, gaps: Int64, least: float) -> tuple[Bytes, int]:
    """Count the pairs by hash, and return the least count with which a pair is put into the tables.

    This takes two bytes or more per position. Most pairs occur in a single document, so they never
    take the 80 bytes that an entry needs in the tables of `join`.
    """
    few = min(math.ceil(least), 255)
    if few < 2:
        return np.zeros(1, np.uint8), 1
    met = np.zeros(1 << min(max((2 * len(gaps) * len(left)).bit_length(), 10), SIEVE), np.uint8)
    begun = first = 0
    for part in _stretches(ends):
        kernel(sift)(left, right, gaps, part, met, begun, first)
        begun, first = int(part[-1]), len(part)
    return met, few


def _stretches(ends: Int64) -> Iterator[Int64]:
    """Yield growing prefixes of `ends`, because kernels cannot be interrupted and must be short."""
    stop = 0
    while stop < len(ends):
        place = (ends[stop - 1] if stop else 0) + STRETCH
        stop = max(stop + 1, int(np.searchsorted(ends, place, side="right")))
        yield ends[:stop]


def _more_room(
    slots: Int64, seen: Int64, keys: Int64, first: Int64
) -> tuple[Int64, Int64, Int64, Int64]:
    """Return the tables of `join`, enlarged to twice their size."""
    if 2 * len(seen) > len(slots) // 4:
        larger = np.full(2 * len(slots), -1, np.int64)
        kernel(grow_pairs)(slots, larger)
        slots = larger
    return slots, _twice(seen), _twice(keys), _twice(first)


def _twice(numbers: Int64) -> Int64:
    return np.append(numbers, np.zeros_like(numbers))


def documents_of(
    terms: Stream, frequency: Int64, counts: tuple[int, ...], distinct: bool = True
) -> Documents:
    """Return the documents with each term. distinct: leave out lists that are equal to that of the
    next lower count.

    The lists for count 1 come first. Only terms that reach other counts in some document have lists
    for these, so that much less memory is needed than for lists of all counts.
    """
    count, many, ones = len(frequency), len(counts), int(counts[0] == 1)
    rows, sizes = _recounted(terms, count, counts[ones:])
    often = np.empty(len(sizes), np.int64)  # the term of each row
    often[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    numbers = often[:, None] * many + np.arange(ones, many)
    before = np.column_stack([frequency[often] if ones else 0 * often, sizes])[:, : many - ones]
    equal = distinct & (sizes == before) & (sizes > 0)
    made = (sizes > 0) & ~equal
    slots = np.full((len(often), many), -1, np.int64)
    slots[:, :1] = often[:, None]
    slots[:, ones:][made] = np.arange(made.sum()) + count * ones
    # one array, of sizes and then of sums
    sums = np.zeros(count * ones + made.sum() + 2, np.int64)
    sums[2 : 2 + count * ones] = frequency[: count * ones]
    sums[2 + count * ones :] = sizes[made]
    np.cumsum(sums, out=sums)
    starts, items = sums[:-1], np.empty(int(sums[-1]), np.int32)
    kernel(fill)(
        terms.numbers,
        terms.layers,
        terms.ends,
        _rank(counts, len(terms.numbers)),
        np.full(count, -1, np.int64),
        rows,
        slots,
        starts[1:],  # subtle: the kernel moves each start to the end of its list, the next start
        items,
    )
    listed = np.full(len(starts) - 1, many)
    listed[:1] = 0
    np.cumsum(listed, out=listed)
    listed[count * ones :] = numbers[made]
    return Documents(listed, np.sort(numbers[equal]), Lists(starts, items))


def _recounted(terms: Stream, known: int, counts: tuple[int, ...]) -> tuple[Int32, Int64]:
    """Return the rows that `recount` gives to terms, and for each row and each count the number of
    documents, (R, C).
    """
    if not counts:
        return np.zeros(0, np.int32), np.zeros((0, 0), np.int64)
    rows = np.full(known, -1, np.int32)
    sizes = np.zeros((known, len(counts)), np.int64)  # only the rows that there are take memory
    kernel(recount)(
        terms.numbers,
        terms.layers,
        terms.ends,
        _rank(counts, len(terms.numbers)),
        np.full(known, -1, np.int64),
        rows,
        sizes,
    )
    return rows, sizes[: int(rows.max(initial=-1)) + 1]


def tallied(terms: Stream, known: int) -> tuple[Int64, Int64]:
    """Return the number of documents with each term, and its first occurrence as in Found."""
    seen = np.full(known, -1, np.int32)
    sizes, first = np.zeros(known, np.int64), np.zeros(known, np.int64)
    kernel(tally)(terms.numbers, terms.layers, terms.ends, seen, sizes, first)
    return sizes, first


def _rank(counts: tuple[int, ...], most: int) -> Int32:
    """Map counts of occurrences to indexes in `counts`, or -1; `most` is the largest count."""
    rank = np.full(min(counts[-1], most) + 1, -1, np.int32)
    possible = [count for count in counts if count < len(rank)]
    rank[possible] = np.arange(len(possible))
    return rank


def _alone(tokens: Stream) -> Stream:
    """Keep the tokens of documents with a single token; all other positions are -1."""
    sizes = np.diff(tokens.ends, prepend=0)
    places = tokens.ends[sizes == 1] - 1
    numbers = scratch(len(tokens.numbers))
    numbers.fill(-1)
    numbers[places] = tokens.numbers[places]
    return Stream(numbers, tokens.ends)


# Long arrays ---------------------------------------------------------------------------------

IN_MEMORY = 1 << 27
"""Maximum size in bytes of an array, or of a spool, that stays in memory."""


def scratch(size: int) -> Int32:
    """Return an uninitialized int32 array; a long one is mapped to a temporary file."""
    if 4 * size <= IN_MEMORY:
        return np.empty(size, np.int32)
    return _mapped(_temporary(), size)


@dataclass
class Spool:
    """Arrays that are appended one after the other and then read as a single array."""

    size: int = 0
    _held: list[Int32] = field(default_factory=list)
    _held_size: int = 0
    _file: BinaryIO | None = None

    def append(self, numbers: Int32) -> None:
        """Append an array, which is not copied."""
        self._held.append(numbers)
        self.size += len(numbers)
        self._held_size += len(numbers)
        if 4 * self._held_size > IN_MEMORY:
            self._write()

    def finish(self) -> Int32:
        """Return all numbers as one array and empty the spool."""
        if self._file is None:
            numbers = np.concatenate([np.zeros(0, np.int32), *self._held])
        else:
            self._write()
            numbers = _mapped(self._file, self.size)
        self._held, self._file, self.size, self._held_size = [], None, 0, 0
        return numbers

    def _write(self) -> None:
        self._file = self._file or _temporary()
        for numbers in self._held:
            self._file.write(numbers.data)
        self._held, self._held_size = [], 0


def _temporary() -> BinaryIO:
    return tempfile.TemporaryFile(prefix="boostext-")


def _mapped(file: BinaryIO, size: int) -> Int32:
    """Map the file into memory as an array."""
    file.flush()
    # subtle: allocate the space before mapping; a full disk then raises an error instead of a crash
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, 4 * size)
    else:
        file.truncate(4 * size)
    return np.memmap(file, np.int32, "r+", shape=(size,)).view(np.ndarray)
