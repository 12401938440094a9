"""Token numbers to terms and their documents: n-grams level by level, by the kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.features.levels import ONE, Step, keeps_tokens, steps
from boostext.features.ngrams import Offsets
from boostext.features.spool import scratch
from boostext.features.text_kernels import Bytes, fill, grow_pairs, join, kernel, sift, tally
from boostext.settings import TextSettings

LOW = 0xFFFFFFFF
STRETCH = 1 << 22
"""Places that a kernel joins in one call."""
SIEVE = 30
"""Bits of the greatest hash of a pair: a gigabyte of counts."""


@dataclass(frozen=True)
class Stream:
    """N numbers, a document's one after the other; document d ends before place ends[d].

    numbers: (layers * N,), -1 for none: of tokens, or of the terms that begin at a place.
    """

    numbers: Int32
    ends: Int64
    layers: int = 1


@dataclass(frozen=True)
class Group:
    """The T surviving terms of one step.

    keys: (T,) number of the token; of longer terms left * 2^32 + right, terms of those steps.
    first: (T,) place where each is met first, times layers, plus the layer. conditions: as Terms';
    none where the step is not kept.
    """

    step: Step
    keys: Int64
    first: Int64
    frequency: Int64
    conditions: Lists


def count_terms(
    tokens: Stream, settings: TextSettings, known: int, least: float, threads: int
) -> list[Group]:
    """All terms of the stream in at least so many documents, those of fewer tokens first.

    known: different tokens. Steps of one length run in threads, each apart from the others.
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
    """Single tokens; and by place the number of the survivor there."""
    sizes, first = tallied(tokens, known, (1,))
    step = Step(ONE, ONE, ONE, (0,), (0,), kept)
    return _group(step, tokens, Found(np.arange(known), first, sizes), settings, least)


def _step_group(
    ends: Int64, before: dict[Offsets, Int32], settings: TextSettings, least: float, step: Step
) -> tuple[Group, Int32]:
    """Terms of one more token, and by place the number of the survivor there."""
    terms, found = joined_pairs(before[step.left], before[step.right], ends, step.shifts, least)
    return _group(step, terms, found, settings, least)


@dataclass(frozen=True)
class Found:
    """What `join` met: keys and first as in Group, frequency in documents."""

    keys: Int64
    first: Int64
    frequency: Int64


def _group(
    step: Step, terms: Stream, found: Found, settings: TextSettings, least: float
) -> tuple[Group, Int32]:
    stays = np.flatnonzero(found.frequency >= least)
    frequency = found.frequency[stays]
    at = _renumbered(terms.numbers, stays, len(found.keys))
    lists = Lists(np.zeros(1, np.int64), np.zeros(0, np.int32))
    if step.kept:
        lists = documents_of(Stream(at, terms.ends, terms.layers), frequency, settings.counts)
    return Group(step, found.keys[stays], found.first[stays], frequency, lists), at


def _renumbered(numbers: Int32, stays: Int64, known: int) -> Int32:
    """Survivors numbered from 0 in their order; -1 for all others. In place."""
    if len(stays) == known:
        return numbers
    new = np.full(known + 1, -1, np.int32)  # the last is where -1 looks
    new[stays] = np.arange(len(stays))
    return np.take(new, numbers, out=numbers, mode="wrap")


def joined_pairs(
    left: Int32, right: Int32, ends: Int64, shifts: tuple[int, ...], least: float
) -> tuple[Stream, Found]:
    """The pairs in at least so many documents, and some others."""
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
    """How often pairs of each hash occur, and from how many on a pair is worth a place in tables.

    Two bytes or more a place: most pairs of a text are in one document, and never come to hold
    the 80 bytes that they would take in the tables of `join`.
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
    """More and more of the documents: a kernel cannot be interrupted, and should not take long."""
    stop = 0
    while stop < len(ends):
        place = (ends[stop - 1] if stop else 0) + STRETCH
        stop = max(stop + 1, int(np.searchsorted(ends, place, side="right")))
        yield ends[:stop]


def _more_room(
    slots: Int64, seen: Int64, keys: Int64, first: Int64
) -> tuple[Int64, Int64, Int64, Int64]:
    """The tables of `join`, twice as large."""
    if 2 * len(seen) > len(slots) // 4:
        larger = np.full(2 * len(slots), -1, np.int64)
        kernel(grow_pairs)(slots, larger)
        slots = larger
    return slots, _twice(seen), _twice(keys), _twice(first)


def _twice(numbers: Int64) -> Int64:
    return np.append(numbers, np.zeros_like(numbers))


def documents_of(terms: Stream, frequency: Int64, counts: tuple[int, ...]) -> Lists:
    """The documents with each term at least counts[c] times: list t * C + c."""
    sizes = frequency
    if counts != (1,):
        sizes, _ = tallied(terms, len(frequency), counts)
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    items = np.empty(starts[-1], np.int32)
    seen = np.full(len(frequency), -1, np.int64)
    kernel(fill)(
        terms.numbers,
        terms.layers,
        terms.ends,
        _rank(counts, len(terms.numbers)),
        seen,
        starts[:-1].copy(),
        items,
    )
    return Lists(starts, items)


def tallied(terms: Stream, known: int, counts: tuple[int, ...]) -> tuple[Int64, Int64]:
    """Sizes of the lists of `documents_of`, and the first place of each term."""
    seen = np.full(known, -1, np.int64)
    sizes, first = np.zeros(known * len(counts), np.int64), np.zeros(known, np.int64)
    kernel(tally)(
        terms.numbers,
        terms.layers,
        terms.ends,
        _rank(counts, len(terms.numbers)),
        seen,
        sizes,
        first,
    )
    return sizes, first


def _rank(counts: tuple[int, ...], most: int) -> Int32:
    """Occurrences -> place in counts, -1 for none; more than `most` occurrences never come."""
    rank = np.full(min(counts[-1], most) + 1, -1, np.int32)
    possible = [count for count in counts if count < len(rank)]
    rank[possible] = np.arange(len(possible))
    return rank


def _alone(tokens: Stream) -> Stream:
    """The tokens of documents of one token; the other places are -1."""
    sizes = np.diff(tokens.ends, prepend=0)
    places = tokens.ends[sizes == 1] - 1
    numbers = scratch(len(tokens.numbers))
    numbers.fill(-1)
    numbers[places] = tokens.numbers[places]
    return Stream(numbers, tokens.ends)
