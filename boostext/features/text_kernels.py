"""Kernels that count terms: bytes to token numbers, token numbers to n-grams, and postings.

Legend: d document, i place of a token in all documents one after the other, t term, N places.
ends[d] is where document d ends (in bytes or places); document 0 begins at 0. A kernel that finds
no room stops before the item that needs it and says where in `state`; the caller makes room and
calls again. No kernel depends on how hard its table is filled: numbers go by first occurrence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64
from boostext.compiled import Kernel, compiled

Bytes = NDArray[np.uint8]
Number = int | np.int64

# classes of characters, in the order of unicode_classes' letters "owsmkjp"
OTHER, WORD, SINGLE, MARK, STACKER, JOINER, PUNCTUATION = range(7)


def width(first: Number) -> int:
    """Bytes of the UTF-8 character that begins with this byte."""
    if first < 0x80:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


def code_point(text: Bytes, p: Number) -> np.int64:
    """The character at byte p of valid UTF-8."""
    first = np.int64(text[p])
    if first < 0x80:
        return first
    if first < 0xE0:
        return (first & 0x1F) << 6 | np.int64(text[p + 1]) & 0x3F
    if first < 0xF0:
        low = (np.int64(text[p + 1]) & 0x3F) << 6 | np.int64(text[p + 2]) & 0x3F
        return (first & 0x0F) << 12 | low
    high = (first & 0x07) << 6 | np.int64(text[p + 1]) & 0x3F
    return high << 12 | (np.int64(text[p + 2]) & 0x3F) << 6 | np.int64(text[p + 3]) & 0x3F


def token_key(text: Bytes, start: Number, stop: Number) -> np.int64:
    """64 bits: a token of up to 8 bytes itself, as none holds a zero; else FNV-1a, with a last byte
    that no UTF-8 has."""
    key = np.uint64(0)
    if stop - start <= 8:
        for p in range(stop - start):
            key |= np.uint64(text[start + p]) << np.uint64(8 * p)
        return np.int64(key)
    key = np.uint64(0xCBF29CE484222325)
    for p in range(start, stop):
        key = (key ^ np.uint64(text[p])) * np.uint64(0x100000001B3)
    return np.int64(key | np.uint64(0xFF00000000000000))


def mixed(key: Number) -> np.int64:
    """Some 40 bits that all bits of the key have part in, for the place in a table."""
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ h >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(h >> np.uint64(24))


def same_bytes(text: Bytes, start: Number, stop: Number, store: Bytes, at: Number) -> bool:
    for p in range(stop - start):  # noqa: SIM110 (no generators in kernels)
        if text[start + p] != store[at + p]:
            return False
    return True


def find_token(
    text: Bytes, start: Number, stop: Number, slots: Int64, places: Int64, store: Bytes
) -> tuple[np.int64, np.int64, np.int64]:
    """Slot, token number (-1: not there) and key. Slots are pairs: key, number + 1 (0: free)."""
    key = token_key(text, start, stop)
    size = stop - start
    mask = len(slots) // 2 - 1
    slot = mixed(key) & mask
    while slots[2 * slot + 1] != 0:
        if slots[2 * slot] == key:
            t = slots[2 * slot + 1] - 1
            at = places[t] if size > 8 else np.int64(0)
            if size <= 8 or (
                places[t + 1] - at == size and same_bytes(text, start, stop, store, at)
            ):
                return slot, t, key
        slot = (slot + 1) & mask
    return slot, np.int64(-1), key


def tokenize(
    text: Bytes,
    ends: Int64,
    classes: Bytes,
    slots: Int64,
    places: Int64,
    store: Bytes,
    out: Int32,
    counts: Int64,
    state: Int64,
) -> None:
    """Numbers of the tokens of all documents to `out`, how many of each document to `counts`.

    text: UTF-8. classes: (0x110000,) of characters. slots, places, store: the hash table; token t
    is store[places[t]:places[t + 1]]. state: byte, document, tokens written, tokens known, stop
    words (the first tokens known: left out), 1 if new tokens are left out as -1 and not added.
    At the end state[1] is the number of documents. The rules are those of tokenizer.py.
    """
    p, d, n, known, stops, frozen = state[0], state[1], state[2], state[3], state[4], state[5]
    while d < len(ends):
        end = ends[d]
        # of the open token; class of the character before
        kind, before = np.int64(OTHER), np.int64(OTHER)
        start = stop = p
        while p <= end:
            # subtle: most characters go on with a word, and are one byte
            if kind == WORD:
                while p < end and text[p] < 0x80 and classes[text[p]] == WORD:
                    p += 1
                    stop, before = p, np.int64(WORD)
            c, step = np.int64(OTHER), 1
            if p < end:
                step = width(text[p])
                c = np.int64(classes[code_point(text, p)])
            joins = c in (MARK, STACKER) or (c == SINGLE and before == STACKER)
            before = c
            if kind != OTHER and (joins or (c == WORD and kind == WORD)):
                stop = p + step
            elif c != JOINER or p == end:
                if kind != OTHER:
                    slot, t, key = find_token(text, start, stop, slots, places, store)
                    if t < 0 and frozen == 0:
                        size = places[known] + stop - start
                        full = 4 * known >= len(slots) or known + 1 >= len(places)
                        if full or size > len(store):
                            state[0], state[1], state[2], state[3] = start, d, n, known
                            return
                        for q in range(stop - start):
                            store[places[known] + q] = text[start + q]
                        t = known
                        known += 1
                        places[known] = size
                        slots[2 * slot], slots[2 * slot + 1] = key, known
                    if t >= stops or t < 0:
                        out[n] = t - stops if t >= 0 else -1
                        n += 1
                        counts[d] += 1
                kind = np.int64(OTHER)
                if c in (WORD, SINGLE, PUNCTUATION):
                    kind, start, stop = c, p, p + step
            p += step
        p = end
        d += 1
    state[0], state[1], state[2], state[3] = p, d, n, known


def grow_tokens(old: Int64, new: Int64) -> None:
    """Moves the slots of `tokenize` to a larger table of zeros."""
    mask = len(new) // 2 - 1
    for at in range(0, len(old), 2):
        if old[at + 1] != 0:
            slot = mixed(old[at]) & mask
            while new[2 * slot + 1] != 0:
                slot = (slot + 1) & mask
            new[2 * slot], new[2 * slot + 1] = old[at], old[at + 1]


def pair_slot(slots: Int64, key: np.int64) -> np.int64:
    """Where in the table of pairs (key, number, key, number ...; -1 empty) a key is or goes."""
    mask = len(slots) // 2 - 1
    slot = mixed(key) & mask
    while slots[2 * slot] != -1 and slots[2 * slot] != key:
        slot = (slot + 1) & mask
    return slot


def sift(
    left: Int32, right: Int32, shifts: Int64, ends: Int64, met: Bytes, begun: Number, first: Number
) -> None:
    """Occurrences of the pairs that `join` would make, by hash of the pair: met[h], at most 255.

    Documents from `first` on, which begins at place `begun`.
    """
    mask = len(met) - 1
    i = begun
    for d in range(first, len(ends)):
        while i < ends[d]:
            for s in range(len(shifts)):
                j = i + shifts[s]
                if left[i] >= 0 and j < ends[d] and right[j] >= 0:
                    key = np.int64(left[i]) << 32 | np.int64(right[j])
                    h = mixed(key) >> 10 & mask
                    if met[h] < 255:
                        met[h] += 1
            i += 1


def join(
    left: Int32,
    right: Int32,
    shifts: Int64,
    ends: Int64,
    met: Bytes,
    least: Number,
    slots: Int64,
    seen: Int64,
    keys: Int64,
    first: Int64,
    out: Int32,
    state: Int64,
) -> None:
    """Terms made of the term `left` at a place and `right` a shift further on, in one document.

    left, right: (N,) numbers of terms that begin there, -1 for none. With several shifts all pairs
    share their numbers. Pairs that `sift` met less often than `least` are left out: they are in
    fewer documents. out: shift s at place i, to out[s * N + i]. keys: left * 2^32 + right.
    seen: last document * 2^32 + how many documents. first: i * number of shifts + s.
    state: place, document, terms known.
    """
    i, d, known = state[0], state[1], state[2]
    room = min(len(seen), len(slots) // 4)
    places, mask = len(left), len(met) - 1
    while d < len(ends):
        while i < ends[d]:
            if known + len(shifts) > room:
                state[0], state[1], state[2] = i, d, known
                return
            for s in range(len(shifts)):
                t = np.int64(-1)
                j = i + shifts[s]
                if left[i] >= 0 and j < ends[d] and right[j] >= 0:
                    key = np.int64(left[i]) << 32 | np.int64(right[j])
                    if least < 2 or met[mixed(key) >> 10 & mask] >= least:
                        slot = pair_slot(slots, key)
                        if slots[2 * slot] == -1:
                            t = known
                            known += 1
                            slots[2 * slot], slots[2 * slot + 1] = key, t
                            keys[t], first[t] = key, i * len(shifts) + s
                            seen[t] = d << 32 | 1
                        else:
                            t = slots[2 * slot + 1]
                            if seen[t] >> 32 != d:
                                seen[t] = d << 32 | (seen[t] & 0xFFFFFFFF) + 1
                out[s * places + i] = t
            i += 1
        d += 1
    state[0], state[1], state[2] = i, d, known


def grow_pairs(old: Int64, new: Int64) -> None:
    """Moves the slots of `join` to a larger table of -1."""
    for slot in range(len(old) // 2):
        if old[2 * slot] != -1:
            to = pair_slot(new, old[2 * slot])
            new[2 * to], new[2 * to + 1] = old[2 * slot], old[2 * slot + 1]


def tally(
    terms: Int32, layers: int, ends: Int64, rank: Int32, seen: Int64, sizes: Int64, first: Int64
) -> None:
    """How many documents hold a term at least counts[c] times: sizes[t * C + c].

    terms: (layers * N,) as `join` writes them. rank: occurrences -> c, -1 if not asked for.
    seen: (T,) last document * 2^32 + occurrences in it, first -1. first: (T,) as in `join`.
    """
    many = len(sizes) // max(len(seen), 1)
    places = len(terms) // layers
    i = 0
    for d in range(len(ends)):
        while i < ends[d]:
            for s in range(layers):
                t = terms[s * places + i]
                if t >= 0:
                    if seen[t] < 0:
                        first[t] = i * layers + s
                    count = 1 if seen[t] >> 32 != d else (seen[t] & 0xFFFFFFFF) + 1
                    seen[t] = d << 32 | count
                    if count < len(rank) and rank[count] >= 0:
                        sizes[t * many + rank[count]] += 1
            i += 1


def fill(
    terms: Int32, layers: int, ends: Int64, rank: Int32, seen: Int64, cursor: Int64, items: Int32
) -> None:
    """The documents that `tally` counts, to items from cursor[t * C + c] on."""
    many = len(cursor) // max(len(seen), 1)
    places = len(terms) // layers
    i = 0
    for d in range(len(ends)):
        while i < ends[d]:
            for s in range(layers):
                t = terms[s * places + i]
                if t >= 0:
                    count = 1 if seen[t] >> 32 != d else (seen[t] & 0xFFFFFFFF) + 1
                    seen[t] = d << 32 | count
                    if count < len(rank) and rank[count] >= 0:
                        at = t * many + rank[count]
                        items[cursor[at]] = d
                        cursor[at] += 1
            i += 1


def walk(
    tokens: Int32,
    ends: Int64,
    roots: Int32,
    nodes: Int64,
    edges: Int64,
    asked: Int64,
    conditions: Int64,
    stack: Int64,
    seen: Int64,
    out: Int32,
    counts: Int64,
    state: Int64,
) -> None:
    """Numbers of the conditions that each document meets, to `out`; how many, to `counts`.

    roots: (known tokens,) node, -1 for none. nodes: triples of term (-1: none ends here), steps to
    a further token as bits, and 1 if the term counts only in documents of one token.
    edges: table as in `join`: (node * 64 + step) * 2^32 + token -> node. Conditions of term t are
    at asked[t]:asked[t + 1] of the pairs (occurrences wanted, number), fewest wanted first.
    stack: triples of node, place, next step; room for the longest term. seen: (terms,) document
    of this call * 2^32 + occurrences, first -1. state: place, document, written.
    """
    start, d, n = state[0], state[1], state[2]
    while d < len(ends):
        if n + len(conditions) // 2 > len(out):
            break
        end = ends[d]
        before = n
        for i in range(start, end):
            depth = -1
            if tokens[i] >= 0 and roots[tokens[i]] >= 0:
                stack[0], stack[1], stack[2] = roots[tokens[i]], i, 0
                depth = 0
            while depth >= 0:
                node, place, step = stack[3 * depth], stack[3 * depth + 1], stack[3 * depth + 2]
                t = nodes[3 * node]
                if step == 0 and t >= 0 and (nodes[3 * node + 2] == 0 or end - start == 1):
                    count = 1 if seen[t] >> 32 != d else (seen[t] & 0xFFFFFFFF) + 1
                    seen[t] = d << 32 | count
                    # conditions that want exactly so many are met now
                    for a in range(asked[t], asked[t + 1]):
                        if conditions[2 * a] == count:
                            out[n] = conditions[2 * a + 1]
                            n += 1
                step += 1
                while nodes[3 * node + 1] >> step != 0 and nodes[3 * node + 1] >> step & 1 == 0:
                    step += 1
                stack[3 * depth + 2] = step
                to = place + step
                if nodes[3 * node + 1] >> step == 0 or to >= end:
                    depth -= 1
                elif tokens[to] >= 0:
                    key = (node * 64 + step) << 32 | np.int64(tokens[to])
                    slot = pair_slot(edges, key)
                    if edges[2 * slot] == key:
                        depth += 1
                        stack[3 * depth], stack[3 * depth + 1] = edges[2 * slot + 1], to
                        stack[3 * depth + 2] = 0
        counts[d] = n - before
        start = end
        d += 1
    state[0], state[1], state[2] = start, d, n


SIGNATURES = {
    tokenize: "uint8[::1], int64[::1], uint8[::1], int64[::1], int64[::1], uint8[::1], "
    "int32[::1], int64[::1], int64[::1]",
    grow_tokens: "int64[::1], int64[::1]",
    sift: "int32[::1], int32[::1], int64[::1], int64[::1], uint8[::1], int64, int64",
    join: "int32[::1], int32[::1], int64[::1], int64[::1], uint8[::1], int64, int64[::1], "
    "int64[::1], int64[::1], int64[::1], int32[::1], int64[::1]",
    grow_pairs: "int64[::1], int64[::1]",
    tally: "int32[::1], int64, int64[::1], int32[::1], int64[::1], int64[::1], int64[::1]",
    walk: "int32[::1], int64[::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1], int32[::1], int64[::1], int64[::1]",
    fill: "int32[::1], int64, int64[::1], int32[::1], int64[::1], int64[::1], int32[::1]",
}


def kernel(function: Kernel) -> Kernel:
    """The compiled twin; only called where there is one."""
    made = compiled(function, SIGNATURES[function])
    assert made is not None
    return made
