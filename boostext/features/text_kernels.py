"""Kernels for counting terms: from bytes to token ids, from token ids to n-grams, and postings.

In the docstrings, d is a document, i is the position of a token in the concatenation of all
documents, t is a term, and N is the number of positions. ends[d] is the end of document d, in bytes
or in positions; document 0 begins at 0. If an array is full, a kernel stops before the item that
does not fit and stores its progress in `state`; the caller enlarges the array and calls the kernel
again. Ids are assigned in the order of first occurrence, so they do not depend on the size of the
hash tables.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64
from boostext.compiled import Kernel, compiled

Bytes = NDArray[np.uint8]
Table = NDArray[np.int64]
"""Of two dimensions."""
Number = int | np.int64

# Character classes, in the order of the letters "owsmkjp" of unicode_classes.
OTHER, WORD, SINGLE, MARK, STACKER, JOINER, PUNCTUATION = range(7)


def width(first: Number) -> int:
    """Return the number of bytes of the UTF-8 character that begins with this byte."""
    if first < 0x80:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


def code_point(text: Bytes, p: Number) -> np.int64:
    """Return the code point at byte p of valid UTF-8."""
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
    """Return a key of 64 bits for a token.

    The key of a token of up to 8 bytes is the token itself, as no token contains a zero byte. The
    key of a longer token is its FNV-1a hash, whose highest byte is set to 0xFF, which does not
    occur in UTF-8.
    """
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
    """Return a hash of about 40 bits that depends on all bits of the key, to index a table."""
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ h >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(h >> np.uint64(24))


def same_bytes(text: Bytes, start: Number, stop: Number, store: Bytes, at: Number) -> bool:
    """Return whether text[start:stop] is equal to the bytes of `store` that begin at `at`."""
    for p in range(stop - start):  # noqa: SIM110 (no generators in kernels)
        if text[start + p] != store[at + p]:
            return False
    return True


def find_token(
    text: Bytes, start: Number, stop: Number, slots: Int64, places: Int64, store: Bytes
) -> tuple[np.int64, np.int64, np.int64]:
    """Return the slot of a token, its id (-1 if it is not in the table), and its key.

    A slot is a pair of a key and the id plus 1; the latter is 0 if the slot is free.
    """
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
    """Tokenize documents by the rules of tokenizer.py.

    The ids of all tokens are written to `out`, and the number of tokens of each document to
    `counts`.

    text: UTF-8. classes: (0x110000,), the classes of all code points. slots, places, store: the
    hash table of tokens; token t is store[places[t]:places[t + 1]]. state: the current byte, the
    current document, the number of tokens written, the number of tokens in the table, the number of
    stop words (the first tokens of the table, which are left out), and 1 if unknown tokens are
    written as -1 instead of being added to the table. At the end, state[1] is the number of
    documents.
    """
    p, d, n, known, stops, frozen = state[0], state[1], state[2], state[3], state[4], state[5]
    while d < len(ends):
        end = ends[d]
        # the class of the current token, and that of the preceding character
        kind, before = np.int64(OTHER), np.int64(OTHER)
        start = stop = p
        while p <= end:
            # subtle: most characters continue a word and have one byte, so they have a fast path
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
    """Copy the slots of `tokenize` to a larger table, which must contain zeros only."""
    mask = len(new) // 2 - 1
    for at in range(0, len(old), 2):
        if old[at + 1] != 0:
            slot = mixed(old[at]) & mask
            while new[2 * slot + 1] != 0:
                slot = (slot + 1) & mask
            new[2 * slot], new[2 * slot + 1] = old[at], old[at + 1]


def pair_slot(slots: Int64, key: np.int64) -> np.int64:
    """Return the slot of a key, or the free slot in which it can be inserted.

    A slot is a pair of a key and a number; the key of a free slot is -1.
    """
    mask = len(slots) // 2 - 1
    slot = mixed(key) & mask
    while slots[2 * slot] != -1 and slots[2 * slot] != key:
        slot = (slot + 1) & mask
    return slot


def sift(
    left: Int32, right: Int32, shifts: Int64, ends: Int64, met: Bytes, begun: Number, first: Number
) -> None:
    """Count the occurrences of the pairs that `join` would make, by their hashes, in met[h].

    Counts are at most 255. Only documents from `first` on are read; `begun` is the position at
    which document `first` begins.
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
    """Make terms from pairs: the term `left` at a position, and `right` at a shift from it.

    Both must be in the same document. A pair has the same id for all shifts. Pairs that `sift`
    counted fewer than `least` times are left out, because they occur in fewer documents than that.

    left, right: (N,), the ids of the terms that begin at each position, or -1. The pair of shift s
    at position i is written to out[s * N + i]. The other arrays have one value for each pair. keys:
    left * 2^32 + right. seen: last document * 2^32 + number of documents. first: the first
    occurrence, i * number of shifts + s. state: the current position, the current document, and the
    number of pairs in the table.
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
    """Copy the slots of `join` to a larger table, in which all keys must be -1."""
    for slot in range(len(old) // 2):
        if old[2 * slot] != -1:
            to = pair_slot(new, old[2 * slot])
            new[2 * to], new[2 * to + 1] = old[2 * slot], old[2 * slot + 1]


def tally(terms: Int32, layers: int, ends: Int64, seen: Int32, sizes: Int64, first: Int64) -> None:
    """Count the documents that contain each term.

    terms: (layers * N,), as `join` writes them. seen: (T,), the last document, initially -1. sizes,
    first: (T,), the number of documents, and the first occurrence as in `join`.
    """
    places = len(terms) // layers
    i = 0
    for d in range(len(ends)):
        while i < ends[d]:
            for s in range(layers):
                t = terms[s * places + i]
                if t >= 0 and seen[t] != d:
                    if seen[t] < 0:
                        first[t] = i * layers + s
                    seen[t] = d
                    sizes[t] += 1
            i += 1


def recount(
    terms: Int32, layers: int, ends: Int64, rank: Int32, seen: Int64, rows: Int32, sizes: Table
) -> None:
    """Count the documents that contain each term at least as often as each of C counts above 1.

    Terms that reach any of them are given the rows 0, 1, 2 ... as they do so: rows[t], initially
    -1. The number of documents for the c-th count is added to sizes[rows[t], c].

    terms: as in `tally`. rank: maps a number of occurrences to c, or to -1 if it is not one of the
    counts. seen: (T,), last document * 2^32 + occurrences in it; initially -1.
    """
    known = np.int32(0)
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
                        if rows[t] < 0:
                            rows[t] = known
                            known += 1
                        sizes[rows[t], rank[count]] += 1
            i += 1


def fill(
    terms: Int32,
    layers: int,
    ends: Int64,
    rank: Int32,
    seen: Int64,
    rows: Int32,
    slots: Table,
    cursor: Int64,
    items: Int32,
) -> None:
    """Write the documents with each term at least as often as each count to `items`.

    Term t has list t, or if it has a row, list slots[rows[t], c] for the c-th count; -1 for none.
    Lists begin at the cursors. The other arguments are as in `recount`.
    """
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
                        at = np.int64(t)
                        if len(rows) > 0 and rows[t] >= 0:
                            at = slots[rows[t], rank[count]]
                        if at >= 0:
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
    """Write the conditions that each document meets to `out`, and their number to `counts`.

    Terms are found by a trie. roots: for each known token, the node that it leads to, or -1. nodes:
    triples of the term that ends in the node (or -1), the steps to a further token as a bit mask,
    and 1 if the term counts only in documents of a single token. edges: hash table as in `join`,
    which maps (node * 64 + step) * 2^32 + token to a node.

    conditions: pairs of a required number of occurrences and the number of the condition; those of
    term t are asked[t]:asked[t + 1], in ascending order of the required occurrences. stack: triples
    of a node, a position and the next step, with space for the longest term. seen: one value for
    each term, document of this call * 2^32 + occurrences; initially -1. state: the current
    position, the current document, and the number of conditions written.
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
                    # conditions that require exactly this number are now met
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
    tally: "int32[::1], int64, int64[::1], int32[::1], int64[::1], int64[::1]",
    recount: "int32[::1], int64, int64[::1], int32[::1], int64[::1], int32[::1], int64[:, ::1]",
    walk: "int32[::1], int64[::1], int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1], int32[::1], int64[::1], int64[::1]",
    fill: "int32[::1], int64, int64[::1], int32[::1], int64[::1], int32[::1], int64[:, ::1], "
    "int64[::1], int32[::1]",
}


def kernel(function: Kernel) -> Kernel:
    """Return the compiled version of a kernel, which must be available."""
    made = compiled(function, SIGNATURES[function])
    assert made is not None
    return made
