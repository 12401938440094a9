"""Convert texts to the lists of terms on the workers that read them.

These are the steps of `features.counting` over parts of the documents. Each part numbers its own
tokens and n-grams. Its counts are divided into buckets by a hash and sent to the workers that add
them up. These decide which terms are in enough documents, and number them for all parts, before
longer terms are formed. The documents of a condition are then sent to the worker that will hold it,
which is chosen by a hash of the documents, so that conditions that hold for the same documents are
on the same worker and can be merged.

Dask has to know how large results are, to place tasks and to move results to disk if memory is
short. It asks for the sizes of arrays and of objects with `__sizeof__`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64, Lists
from boostext.boosting.choice import mix
from boostext.corpus.documents import Document
from boostext.features.conditions import Condition, Occurs
from boostext.features.counting import Stream, documents_of, joined_pairs, tallied
from boostext.features.merge import blocks, gather, gathered_in_place, merge, put
from boostext.features.ngrams import ONE, Step, ranks
from boostext.features.terms import as_term
from boostext.features.token_numbers import Numbering, numbering
from boostext.settings import TextSettings

BATCH = 1 << 20
"""Number of characters that are converted to token numbers together."""
FIELD = 1 << 56
"""Size of the range of places for the conditions of one field, or of the attributes."""

Hashes = NDArray[np.uint64]
TOKENS = Step(ONE, ONE, ONE, (0,), (0,))


@dataclass(frozen=True)
class Text:
    """One field of a part. tokens: one layer of the part's token numbers."""

    tokens: Stream
    numbers: Numbering
    settings: TextSettings

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.tokens.__sizeof__()


class Counted(NamedTuple):
    """The counts of one step in a part. terms: as in Stream, with the numbers of the part.

    keys: for each term, a token or left * 2^32 + right. first, frequency: as in counting.Group.
    bucket: that of each term.
    """

    terms: Stream
    keys: NDArray[np.object_] | Int64
    first: Int64
    frequency: Int64
    bucket: Int64


class Chunk(NamedTuple):
    """What a part sends to one bucket."""

    keys: NDArray[np.object_] | Int64
    frequency: Int64


class Kept(NamedTuple):
    """The answer of a bucket to a part.

    It has the number of each term sent, or -1 for terms in too few documents, and whether the part
    is the first one with the term.
    """

    numbers: Int64
    is_first: NDArray[np.bool_]


class Known(NamedTuple):
    """One step in a part, with terms numbered over the whole corpus.

    terms: a stream of them, -1 for none. numbers: the ascending numbers of those in the part.
    first: the first position of each in the part. is_first: whether no earlier part has it.
    """

    terms: Stream
    numbers: Int64
    first: Int64
    is_first: NDArray[np.bool_]


def tokenized(
    documents: Sequence[Document], chosen: Int64, name: str, settings: TextSettings
) -> Text:
    """Return the tokens of one field of some documents."""
    numbers = numbering(settings)
    texts = [documents[int(i)].texts.get(name, "") for i in chosen]
    made: list[tuple[Int32, Int64]] = []
    start = size = 0
    for stop, text in enumerate(texts, 1):
        size += len(text) + 1
        if size >= BATCH or stop == len(texts):
            made.append(numbers.prepare(texts[start:stop])())
            start, size = stop, 0
    flat = np.concatenate([np.zeros(0, np.int32), *(each for each, _ in made)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(each for _, each in made)])
    return Text(Stream(flat, np.cumsum(sizes, dtype=np.int64)), numbers, settings)


def count_tokens(text: Text, buckets: int) -> Counted:
    known = text.numbers.known()
    sizes, first = tallied(text.tokens, known)
    tokens = [text.numbers.token(number) for number in range(known)]
    keys = np.empty(known, object)
    keys[:] = tokens
    hashes = (zlib.crc32(token.encode("utf-8", "surrogatepass")) for token in tokens)
    bucket = np.fromiter(hashes, np.int64, known) % buckets
    return Counted(text.tokens, keys, first, sizes, bucket)


def count_pairs(left: Known, right: Known, step: Step, buckets: int) -> Counted:
    """Count the terms with one more token."""
    ends = left.terms.ends
    terms, found = joined_pairs(left.terms.numbers, right.terms.numbers, ends, step.shifts, 1)
    keys = np.asarray(found.keys)
    bucket = (mix(keys.astype(np.uint64)) % np.uint64(buckets)).astype(np.int64)
    return Counted(terms, keys, found.first, found.frequency, bucket)


def chunk(counted: Counted, bucket: int) -> Chunk:
    own = counted.bucket == bucket
    return Chunk(counted.keys[own], counted.frequency[own])


def add_up(chunks: Sequence[Chunk], least: float, bucket: int, buckets: int) -> list[Kept]:
    """Return the answer to each part, in order: which terms are in at least `least` documents."""
    if chunks[0].keys.dtype == object:
        known: dict[str, int] = {}
        places = [
            np.array([known.setdefault(key, len(known)) for key in part.keys], np.int64)
            for part in chunks
        ]
        count = len(known)
    else:
        unique, flat = np.unique(
            np.concatenate([part.keys for part in chunks]), return_inverse=True
        )
        ends = np.cumsum([len(part.keys) for part in chunks])
        places, count = np.split(flat, ends[:-1]), len(unique)
    sums, first = np.zeros(count, np.int64), np.full(count, len(chunks), np.int64)
    for number, (part, where) in enumerate(zip(chunks, places, strict=True)):
        sums[where] += part.frequency
        first[where] = np.minimum(first[where], number)
    numbers = np.full(count, -1, np.int64)
    kept = np.flatnonzero(sums >= least)
    numbers[kept] = np.arange(len(kept)) * buckets + bucket
    return [Kept(numbers[where], first[where] == n) for n, where in enumerate(places)]


def of_part(kept: Sequence[Kept], part: int) -> Kept:
    return kept[part]


def known(counted: Counted, kept: Sequence[Kept]) -> Known:
    """Return the step in the numbers of the corpus. kept: the answer of each bucket."""
    count = len(counted.keys)
    new, is_first = np.full(count + 1, -1, np.int32), np.zeros(count, np.bool_)
    for bucket, each in enumerate(kept):
        own = np.flatnonzero(counted.bucket == bucket)
        new[own], is_first[own] = each.numbers, each.is_first
    at = np.take(new, counted.terms.numbers, mode="wrap")
    stays = np.flatnonzero(new[:-1] >= 0)
    order = stays[np.argsort(new[stays])]
    terms = Stream(at, counted.terms.ends, counted.terms.layers)
    numbers = new[order].astype(np.int64)
    return Known(terms, numbers, counted.first[order], is_first[order])


# The lists of terms --------------------------------------------------------------------------


class Listed(NamedTuple):
    """The lists of a step in a part: list t * C + c has the documents with term numbers[t] at least
    counts[c] times.

    hashes: for each list, the sum of the random numbers of its documents. frequency: the number of
    documents with each term. orders: the place of each term in the order of the field, or -1 if an
    earlier part has the term. names: the tokens of the terms that no earlier part has, in order.
    """

    numbers: Int64
    frequency: Int64
    lists: Lists
    hashes: Hashes
    orders: Int64
    names: list[tuple[str | None, ...]]


def listed(step: Known, text: Text, place: Step, documents: int, tokens: int) -> Listed:
    """Return the lists of a step. documents, tokens: their numbers in earlier parts."""
    place_of = np.full(
        int(step.numbers.max(initial=-1)) + 2, -1, np.int32
    )  # the last is that of -1
    place_of[step.numbers] = np.arange(len(step.numbers))
    dense = np.take(place_of, step.terms.numbers, mode="wrap")
    stream = Stream(dense, step.terms.ends, step.terms.layers)
    frequency, _ = tallied(stream, len(step.numbers))
    lists = _lists_of(stream, frequency, text.settings.counts)
    np.add(lists.items, np.int32(documents), out=lists.items)
    names = [_spelled(step, text, place, t) for t in np.flatnonzero(step.is_first).tolist()]
    at, layer = np.divmod(step.first, len(place.shifts))
    orders = (at + tokens) * ranks(text.settings) + np.array(place.rank, np.int64)[layer]
    orders[~step.is_first] = -1
    return Listed(step.numbers, frequency, lists, hashes_of(lists), orders, names)


def _lists_of(stream: Stream, frequency: Int64, counts: tuple[int, ...]) -> Lists:
    """Return the lists of all terms and counts, where that of term t for counts[c] is t * C + c."""
    found = documents_of(stream, frequency, counts, distinct=False)
    order = np.argsort(found.listed)
    starts = np.zeros(len(frequency) * len(counts) + 1, np.int64)
    starts[found.listed + 1] = np.diff(found.lists.starts)
    np.cumsum(starts, out=starts)
    return Lists(starts, gather(found.lists, order).items)


def hashes_of(lists: Lists) -> Hashes:
    hashes = np.zeros(len(lists), np.uint64)
    for first, stop in blocks(lists.starts):
        starts = lists.starts[first : stop + 1]
        items = lists.items[starts[0] : starts[-1]]
        sums = np.zeros(len(items) + 1, np.uint64)
        np.cumsum(mix(items.astype(np.uint64)), out=sums[1:])
        hashes[first:stop] = sums[starts[1:] - starts[0]] - sums[starts[:-1] - starts[0]]
    return hashes


class Sizes(NamedTuple):
    """What a part sends to one bucket about its lists.

    For each term it has C sizes and hashes, and, for terms that no earlier part has, the place in
    the order of the field.
    """

    numbers: Int64
    frequency: Int64
    sizes: Int64
    hashes: Hashes
    orders: Int64


def sizes_of(lists: Listed, counts: int, bucket: int, buckets: int) -> Sizes:
    own = lists.numbers % buckets == bucket
    sizes = np.diff(lists.lists.starts).reshape(-1, counts)
    hashes = lists.hashes.reshape(-1, counts)
    return Sizes(
        lists.numbers[own], lists.frequency[own], sizes[own], hashes[own], lists.orders[own]
    )


def all_sizes(parts: Sequence[Sizes]) -> Sizes:
    """Return the sums over the parts in a bucket."""
    numbers = np.unique(np.concatenate([part.numbers for part in parts]))
    n, counts = len(numbers), parts[0].sizes.shape[1]
    frequency, orders = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    sizes, hashes = np.zeros((n, counts), np.int64), np.zeros((n, counts), np.uint64)
    for part in parts:
        where = np.searchsorted(numbers, part.numbers)
        frequency[where] += part.frequency
        sizes[where] += part.sizes
        hashes[where] += part.hashes
        orders[where] = np.maximum(orders[where], part.orders)
    return Sizes(numbers, frequency, sizes, hashes, orders)


def ranking(sizes: Sizes, most: float) -> tuple[Int64, Int64]:
    """Return frequencies and orders of the terms that are not in too many documents."""
    stays = sizes.frequency <= most
    return sizes.frequency[stays], sizes.orders[stays]


class Owners(NamedTuple):
    """The worker that holds each of the C conditions of each term in a bucket, -1 for none."""

    numbers: Int64
    owners: Int64


def owners_of(sizes: Sizes, most: float, last: tuple[int, int] | None, workers: int) -> Owners:
    """Assign workers. last: frequency and order of the last term within --max-terms, if any."""
    stays, frequency, order = sizes.frequency <= most, sizes.frequency, sizes.orders
    if last is not None:
        stays &= (frequency > last[0]) | ((frequency == last[0]) & (order <= last[1]))
    fresh = sizes.sizes > 0
    fresh[:, 1:] &= sizes.sizes[:, 1:] != sizes.sizes[:, :-1]
    owners = (mix(sizes.hashes) % np.uint64(workers)).astype(np.int64)
    return Owners(sizes.numbers, np.where(fresh & stays[:, None], owners, -1))


class Shipment(NamedTuple):
    """What a part sends to a worker about one step: list i belongs to condition keys[i].

    places, simplicity, names: only for conditions that no earlier part has.
    """

    keys: Int64
    lists: Lists
    first: Int64
    places: Int64
    simplicity: Int64
    names: list[Condition]


def shipped(
    lists: Listed,
    place: Step,
    counts: tuple[int, ...],
    owners: Sequence[Owners],
    name: str,
    worker: int,
) -> Shipment:
    """Return what to send to one worker. owners: those of each bucket. name: that of the field."""
    C, buckets = len(counts), len(owners)
    mine = np.zeros((len(lists.numbers), C), np.bool_)
    for bucket, each in enumerate(owners):
        own = np.flatnonzero(lists.numbers % buckets == bucket)
        where = np.searchsorted(each.numbers, lists.numbers[own])
        mine[own] = each.owners[where] == worker
    chosen = np.flatnonzero(mine.ravel())
    keys = lists.numbers[chosen // C] * C + chosen % C
    is_first = lists.orders >= 0
    named = np.cumsum(is_first) - 1
    t, c = np.divmod(chosen[is_first[chosen // C]], C)
    span, words = place.places[-1] + 1, len(place.places)
    simplicity = np.stack(
        [np.array(counts, np.int64)[c], np.full(len(t), span), np.full(len(t), words)], axis=1
    )
    names: list[Condition] = [
        Occurs(name, lists.names[i], counts[j])
        for i, j in zip(named[t].tolist(), c.tolist(), strict=True)
    ]
    first = lists.numbers[t] * C + c
    places = lists.orders[t] * C + c
    return Shipment(keys, gather(lists.lists, chosen), first, places, simplicity, names)


def _spelled(step: Known, text: Text, place: Step, t: int) -> tuple[str | None, ...]:
    """Return the tokens of a term, for the part that has it first."""
    at, layer = divmod(int(step.first[t]), len(place.shifts))
    # the gap is not marked in pairs of tokens that are less than a given number of positions apart
    offsets = (0, place.shifts[layer]) if place.places == (0, 1) else place.places
    term: list[str | None] = [None] * (place.places[-1] + 1)
    for where, offset in zip(place.places, offsets, strict=True):
        term[where] = text.numbers.token(int(text.tokens.numbers[at + offset]))
    return as_term(tuple(term), text.settings.analyzer == "char")


@dataclass(frozen=True)
class Held:
    """The conditions of a worker, in order. places: of each in the order of all conditions."""

    places: Int64
    lists: Lists
    unknown_list: Int32
    names: list[Condition]


def held(
    shipments: Sequence[Sequence[Shipment]], fields: Sequence[int], others: Held, simplest: bool
) -> Held:
    """Concatenate the lists of the parts, in order, and merge equal lists.

    shipments: for each step, those of each part. fields: the number of the field of each step.
    others: conditions from elsewhere, with one place and one list each.
    """
    steps = [_conditions_of(parts) for parts in shipments]
    own = [step.places + number * FIELD for number, step in zip(fields, steps, strict=True)]
    place = np.concatenate([*own, others.places])
    order = np.argsort(place)
    sizes = np.concatenate([*(step.sizes for step in steps), np.diff(others.lists.starts)])[order]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    # subtle: lists are put into their final places at once, since copies of all may not fit
    items, ends = np.empty(starts[-1], np.int32), np.empty(len(order), np.int64)
    ends[order] = starts[:-1]
    before = 0
    for step, parts in zip(steps, shipments, strict=True):
        for part in parts:
            put(part.lists, before + np.searchsorted(step.keys, part.keys), items, ends)
        before += len(step.keys)
    put(others.lists, before + np.arange(len(others.places)), items, ends)
    keys = [*(step.simplicity for step in steps), np.ones((len(others.places), 3), np.int64)]
    unknown = np.full(len(order), -1, np.int32)
    unknown[before:] = others.unknown_list
    everything, place, unknown = Lists(starts, items), place[order], unknown[order]
    simplicity = np.concatenate(keys)[order].astype(np.int32).T if simplest else ()
    which = merge(everything, unknown, [*simplicity], place).representatives
    names = [*(name for step in steps for name in step.names), *others.names]
    kept = gathered_in_place(everything, which)
    return Held(place[which], kept, unknown[which], [names[i] for i in order[which].tolist()])


class Conditions(NamedTuple):
    """The conditions of a step on a worker, by ascending keys, and the sizes of their lists."""

    keys: Int64
    sizes: Int64
    places: Int64
    simplicity: Int64
    names: list[Condition]


def _conditions_of(parts: Sequence[Shipment]) -> Conditions:
    keys = np.concatenate([part.keys for part in parts])
    unique, which = np.unique(keys, return_inverse=True)
    sizes = np.zeros(len(unique), np.int64)
    np.add.at(sizes, which, np.concatenate([np.diff(part.lists.starts) for part in parts]))
    first = np.concatenate([part.first for part in parts])
    by_key = np.argsort(first)
    assert (first[by_key] == unique).all(), "every condition is first in one part"
    names = [name for part in parts for name in part.names]
    places, simplicity = (
        np.concatenate([getattr(part, of) for part in parts])[by_key]
        for of in ("places", "simplicity")
    )
    return Conditions(unique, sizes, places, simplicity, [names[i] for i in by_key.tolist()])


def some_of(conditions: Held, chosen: Int64) -> Held:
    return Held(
        conditions.places[chosen],
        gather(conditions.lists, chosen),
        conditions.unknown_list[chosen],
        [conditions.names[int(i)] for i in chosen],
    )
