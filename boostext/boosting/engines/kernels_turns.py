"""The updates and the search of all terms in a round, which several threads may share.

The terms are divided into parts, and each thread takes the next part that no other has taken. One
thread learns the rounds (`kernels_rounds.play`). The others only take part in searches, and wait in
between; if one comes late or has left, a search is done without it.
"""

from __future__ import annotations

from boostext.boosting.engines.arrays import (
    CHANGED,
    DONE_PARTS,
    GIVE_WAY,
    LEAST_WORK,
    OPENED,
    OVER,
    ROUND,
    SCANS,
    SHARES,
    WORK,
    Asked,
    EngineArrays,
    FoundArrays,
    Number,
    RowArrays,
    TurnArrays,
)
from boostext.boosting.engines.kernels_search import fit, gather, scan
from boostext.boosting.engines.kernels_terms import update
from boostext.instructions import add, call, read, write

EACH = len(SHARES)
"""The number of parts of each thread."""
BUSY = 5_000
"""How often a waiting thread looks before it lets other threads of the system run, and between two
such times; some microseconds.
"""
PATIENCE = 100_000_000
"""How often a thread looks for a search that it may take part in before it leaves; about a tenth of
a second, if no other thread needs its core.
"""


def search_terms(
    n: int,
    scans: bool,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
    turns: TurnArrays,
) -> None:
    """Update all terms for what the last rule changed and, if `scans`, search them for round n."""
    parts, ranges = len(turns.ranges) - 1, turns.ranges
    if scans:
        fit(asked, engine, rows, found)
    if parts > 1 and work_of(engine, rows, found) < read(turns.state, LEAST_WORK):
        parts = 1
    if parts == 1:
        search_part(n, scans, 0, 0, ranges[len(ranges) - 1], asked, engine, rows, found)
    else:
        # subtle: a thread that is late may take a part as soon as it is free
        write(turns.state, ROUND, n)
        write(turns.state, SCANS, 1 if scans else 0)
        write(turns.state, DONE_PARTS, 0)
        for part in range(parts):
            write(turns.taken, part, 0)
        add(turns.state, OPENED, 1)
        for turn in range(parts):
            take(in_order(turn, 0, parts), asked, engine, rows, found, turns)
        looked = 0
        while read(turns.state, DONE_PARTS) < parts:
            looked += 1
            if looked % BUSY == 0:
                call(read(turns.state, GIVE_WAY))
    if scans:
        gather(parts, ranges, found)


def assist(
    thread: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
    turns: TurnArrays,
) -> None:
    """Take part in the searches of thread 0 until they are over or there was none for a while.

    thread: the number of this thread, from 1.
    """
    parts = len(turns.ranges) - 1
    seen, looked = 0, 0
    while looked < PATIENCE and read(turns.state, OVER) == 0:
        looked += 1
        opened = read(turns.state, OPENED)
        if opened != seen:
            seen, looked = opened, 0
            for turn in range(parts):
                take(in_order(turn, thread, parts), asked, engine, rows, found, turns)
        elif looked % BUSY == 0:
            call(read(turns.state, GIVE_WAY))


def in_order(turn: int, thread: int, parts: int) -> Number:
    """Return the part that a thread takes in its next turn, if it is free.

    A thread begins with its own parts, the largest first, since it has their rows in its cache, and
    goes on with those of other threads, the smallest first.
    """
    threads, own = parts // EACH, turn // EACH
    first = EACH * ((thread + own) % threads)
    return first + (turn % EACH if own == 0 else EACH - 1 - turn % EACH)


def take(
    part: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
    turns: TurnArrays,
) -> None:
    """Update and search a part of the terms, unless another thread has taken it."""
    if read(turns.taken, part) == 0 and add(turns.taken, part, 1) == 0:
        n, scans = read(turns.state, ROUND), read(turns.state, SCANS) != 0
        low, high = turns.ranges[part], turns.ranges[part + 1]
        search_part(n, scans, part, low, high, asked, engine, rows, found)
        add(turns.state, DONE_PARTS, 1)


def search_part(
    n: int,
    scans: bool,
    part: int,
    low: int,
    high: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
) -> None:
    """Update and, if `scans`, search the terms low..high - 1."""
    update(low, high, engine, rows, found)
    if scans:
        scan(n, part, low, high, asked, engine, rows, found)


def work_of(engine: EngineArrays, rows: RowArrays, found: FoundArrays) -> Number:
    """Return the work of a search, and add it and the changed documents to those of the searches
    before.

    It is the number of sums to update, eight at a time, plus the number of terms to check.
    """
    changes, starts, counts = engine.changes, engine.terms.starts, found.counts
    postings = 0
    for c in range(changes.count[0]):
        i = changes.documents[c]
        postings += starts[i + 1] - starts[i]
    work = postings * rows.sums.shape[2] // 8 + len(engine.terms.numbers)
    counts[WORK] += work
    counts[CHANGED] += changes.count[0]
    return work


CALLED = (search_terms, assist, take)
