"""Token numbers to terms and their documents: n-grams level by level, by the kernels."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.features.levels import ONE, Step, keeps_tokens, steps
from boostext.features.ngrams import Offsets
from boostext.features.spool import scratch
from boostext.features.text_kernels import fill, grow_pairs, join, kernel, tally
from boostext.settings import TextSettings

LOW = 0xFFFFFFFF


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
    sizes, first = _tallied(tokens, known, (1,))
    step = Step(ONE, ONE, ONE, (0,), (0,), kept)
    return _group(step, tokens, Found(np.arange(known), first, sizes), settings, least)


def _step_group(
    ends: Int64, before: dict[Offsets, Int32], settings: TextSettings, least: float, step: Step
) -> tuple[Group, Int32]:
    """Terms of one more token, and by place the number of the survivor there."""
    terms, found = _joined(before[step.left], before[step.right], ends, step.shifts)
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
        lists = _documents(Stream(at, terms.ends, terms.layers), frequency, settings.counts)
    return Group(step, found.keys[stays], found.first[stays], frequency, lists), at


def _renumbered(numbers: Int32, stays: Int64, known: int) -> Int32:
    """Survivors numbered from 0 in their order; -1 for all others. In place."""
    new = np.full(known + 1, -1, np.int32)  # the last is where -1 looks
    new[stays] = np.arange(len(stays))
    return np.take(new, numbers, out=numbers, mode="wrap")


def _joined(
    left: Int32, right: Int32, ends: Int64, shifts: tuple[int, ...]
) -> tuple[Stream, Found]:
    out = scratch(len(shifts) * len(left))
    room = 1 << max(10, (len(left) >> 4).bit_length())
    slots = np.full(4 * room, -1, np.int64)
    seen, keys, first = (np.zeros(room, np.int64) for _ in range(3))
    state = np.zeros(3, np.int64)
    gaps = np.array(shifts, np.int64)
    while True:
        kernel(join)(left, right, gaps, ends, slots, seen, keys, first, out, state)
        if state[1] == len(ends):
            break
        if 2 * len(seen) > len(slots) // 4:
            slots = _rehashed(slots)
        seen, keys, first = (np.append(a, np.zeros_like(a)) for a in (seen, keys, first))
    known = int(state[2])
    return Stream(out, ends, len(shifts)), Found(keys[:known], first[:known], seen[:known] & LOW)


def _rehashed(slots: Int64) -> Int64:
    larger = np.full(2 * len(slots), -1, np.int64)
    kernel(grow_pairs)(slots, larger)
    return larger


def _documents(terms: Stream, frequency: Int64, counts: tuple[int, ...]) -> Lists:
    """The documents with each term at least counts[c] times: list t * C + c."""
    sizes = frequency
    if counts != (1,):
        sizes, _ = _tallied(terms, len(frequency), counts)
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    items = np.empty(starts[-1], np.int32)
    seen = np.full(len(frequency), -1, np.int64)
    kernel(fill)(
        terms.numbers, terms.layers, terms.ends, _rank(counts), seen, starts[:-1].copy(), items
    )
    return Lists(starts, items)


def _tallied(terms: Stream, known: int, counts: tuple[int, ...]) -> tuple[Int64, Int64]:
    """Sizes of the lists of `_documents`, and the first place of each term."""
    seen = np.full(known, -1, np.int64)
    sizes, first = np.zeros(known * len(counts), np.int64), np.zeros(known, np.int64)
    kernel(tally)(terms.numbers, terms.layers, terms.ends, _rank(counts), seen, sizes, first)
    return sizes, first


def _rank(counts: tuple[int, ...]) -> Int32:
    """Occurrences -> place in counts, -1 for none. Counts beyond a text's length never come."""
    rank = np.full(counts[-1] + 1, -1, np.int32)
    rank[list(counts)] = np.arange(len(counts))
    return rank


def _alone(tokens: Stream) -> Stream:
    """The tokens of documents of one token; the other places are -1."""
    sizes = np.diff(tokens.ends, prepend=0)
    places = tokens.ends[sizes == 1] - 1
    numbers = scratch(len(tokens.numbers))
    numbers.fill(-1)
    numbers[places] = tokens.numbers[places]
    return Stream(numbers, tokens.ends)
