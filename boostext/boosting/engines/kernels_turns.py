"""The updates and the search of all terms in a round, which several threads may share.

The terms are divided into parts, and each thread takes the next part that no other has taken. One
thread learns the rounds (`kernels_rounds.play`). The others only take part in searches, and wait in
between; if one comes late or has left, a search is done without it.
"""

from __future__ import annotations

from boostext.boosting.engines.arrays import (
    BASE,
    BEST,
    CHANGED,
    DONE_PARTS,
    GIVE_WAY,
    LEAST_BOUND,
    LEAST_WORK,
    OPENED,
    OUT,
    OVER,
    RATIO,
    ROUND,
    SCANS,
    SHARES,
    SLOP,
    SMALLEST,
    WORK,
    Asked,
    EngineArrays,
    FoundArrays,
    Number,
    RowArrays,
    TurnArrays,
)
from boostext.boosting.engines.kernels_search import gather, scan
from boostext.boosting.engines.kernels_terms import fit_bound, update
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
    """Update all terms for what the last rule changed and, if `scans`, search them for round n.

    The work of the search, and the changed documents, are added to those of the searches before.
    """
    changes, starts, figures, state = (
        engine.changes,
        engine.terms.starts,
        found.figures,
        turns.state,
    )
    parts = len(turns.ranges) - 1
    if scans:
        gain = (figures[BEST] - figures[SLOP]) / asked.greatest
        figures[RATIO], figures[OUT], figures[SMALLEST], figures[LEAST_BOUND] = fit_bound(
            engine.kind.form, gain, figures[BASE], engine.weights, rows.bounds, found.sums[0]
        )
    if parts > 1:
        # the number of sums to update, eight at a time, plus the number of terms to check
        work, width = len(engine.terms.numbers), rows.sums.shape[2]
        for c in range(changes.count[0]):
            i = changes.documents[c]
            work += (starts[i + 1] - starts[i]) * width // 8
        found.counts[WORK] += work
        found.counts[CHANGED] += changes.count[0]
        if work < read(state, LEAST_WORK):
            parts = 1
    # subtle: a thread that is late may take a part as soon as it is free
    write(state, ROUND, n)
    write(state, SCANS, 1 if scans else 0)
    write(state, DONE_PARTS, 0)
    if parts == 1:
        take_parts(turns, 0, 1, asked, engine, rows, found)
    else:
        for part in range(parts):
            write(turns.taken, part, 0)
        add(state, OPENED, 1)
        take_parts(turns, 0, parts, asked, engine, rows, found)
    looked = 0
    while read(state, DONE_PARTS) < parts:
        looked += 1
        if looked % BUSY == 0:
            call(read(state, GIVE_WAY))
    if scans:
        gather(parts, turns.ranges, found)


def assist(
    turns: TurnArrays,
    thread: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
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
            take_parts(turns, thread, parts, asked, engine, rows, found)
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


def take_parts(
    turns: TurnArrays,
    thread: int,
    parts: int,
    asked: Asked,
    engine: EngineArrays,
    rows: RowArrays,
    found: FoundArrays,
) -> None:
    """Update and search the parts of the terms that no other thread has taken.

    parts: their number; if it is 1, this is the only thread.
    """
    taken, state, ranges = turns.taken, turns.state, turns.ranges
    for turn in range(parts):
        part, low, high = 0, 0, ranges[len(ranges) - 1]
        if parts > 1:
            part = in_order(turn, thread, parts)
            low, high = ranges[part], ranges[part + 1]
        if parts == 1 or (read(taken, part) == 0 and add(taken, part, 1) == 0):
            update(low, high, engine, rows, found)
            if read(state, SCANS) != 0:
                scan(read(state, ROUND), part, low, high, asked, engine, rows, found)
            add(state, DONE_PARTS, 1)


CALLED = (search_terms, assist, take_parts)
