"""What the kernels of the incremental engine work on: arrays by name, with their types for numba.

m examples, k labels; kp is k padded with zeros so that machine code steps through whole vectors.
Sums run over labels innermost; nothing depends on how terms are dealt out to threads. A *step* is
the unit of whole numbers in which weights are kept for sums that must not drift: `steps.per_weight`
of them make a weight of 1, so that no order of adding matters.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

Array = Any
"""An array of a type below, or a named tuple of such: kernels know no others."""
Number = Any

Int32s = Annotated[Any, "int32[::1]"]
Int64s = Annotated[Any, "int64[::1]"]
Steps = Annotated[Any, "uint32[::1]"]
StepTable = Annotated[Any, "uint32[:, ::1]"]
StepRows = Annotated[Any, "uint32[:, :, ::1]"]
Singles = Annotated[Any, "float32[::1]"]
SingleTable = Annotated[Any, "float32[:, ::1]"]
Doubles = Annotated[Any, "float64[::1]"]
DoubleTable = Annotated[Any, "float64[:, ::1]"]
DoubleBlocks = Annotated[Any, "float64[:, :, ::1]"]
Bools = Annotated[Any, "boolean[::1]"]
Keys = Annotated[Any, "uint64[::1]"]


class ListArrays(NamedTuple):
    """Flat lists, as arrays.Lists: list j is items[starts[j]:starts[j + 1]], ascending."""

    starts: Int64s
    items: Int32s


class LabelArrays(NamedTuple):
    """starts, items: the labels of each example. by_label, examples, places: the examples of each
    label, and where the pair stands in `items`.
    """

    starts: Int64s
    items: Int32s
    by_label: Int64s
    examples: Int32s
    places: Int32s


class TermArrays(NamedTuple):
    """Terms are the listed conditions that no document leaves open, most frequent first.

    numbers: the condition of each. sizes: its documents. starts, items: the terms of each document,
    ascending.
    """

    numbers: Int32s
    sizes: Int32s
    starts: Int64s
    items: Int32s


class WeightArrays(NamedTuple):
    """Weights are D(i, l) = e(i, l) scales(sign, l), see weights.py.

    neg (m, k), pos (along with the labels of the examples): e by sign, 0 where the other sign is.
    sums (2, k): of e by sign; high, low: the same to twice the digits. scales (2, k).
    local (m, k): scores of the examples without `common` (k,), those of all.
    example (m,), factors (3,): weights at the start are example times the factor of a sign; the
    last makes e of them. first_neg (m, k), first_pos: these weights where every pair has both
    signs, else empty. loss (2,): the value of a loss that is no product, to twice the digits.
    shift (k,), factor (2, k): room for what votes do to the documents of a block. figures (3,): see
    TOTAL below.
    """

    neg: DoubleTable
    pos: Doubles
    sums: DoubleTable
    high: DoubleTable
    low: DoubleTable
    scales: DoubleTable
    local: DoubleTable
    common: Doubles
    example: Doubles
    factors: Doubles
    first_neg: DoubleTable
    first_pos: Doubles
    loss: Doubles
    shift: Doubles
    factor: DoubleTable
    figures: Doubles


TOTAL, SPREAD, WORN = 0, 1, 2
"""Places in WeightArrays.figures: e times the scales before these made it 1; how far e may have
moved since it was looked at, as an exponent; whether weights are worn, see is_worn.
"""


class StepArrays(NamedTuple):
    """e in steps, rounded down: neg (m, kp), pos; sums (2, kp). per_weight: (2, k)."""

    neg: StepTable
    pos: Steps
    sums: StepTable
    per_weight: DoubleTable


class ChangeArrays(NamedTuple):
    """What the last rule changed: documents, the first count[0] of them, and by how many steps:
    neg (m, kp), pos along with the labels of the examples, bounds those of the documents' bounds.
    """

    count: Int64s
    documents: Int32s
    neg: StepTable
    pos: Steps
    bounds: Int32s


class BoundArrays(NamedTuple):
    """of_document (m,), of_term: whole-number bounds on gains; a term's is its documents' sum.

    adds (2, k): what e of a sign can add to a gain now. counted: what the bounds count it for.
    figures (3,): see SUM below.
    """

    of_document: Int32s
    of_term: Int32s
    adds: DoubleTable
    counted: DoubleTable
    figures: Doubles


SUM, FIT, COUNTED = 0, 1, 2
"""Places in BoundArrays.figures: the sum of all documents' bounds; how much bounds told at best
since they were counted; the total of weights at that time.
"""


class RowArrays(NamedTuple):
    """sums (rows, 2, kp): steps by sign, - first. slot: of each frequent term its row, or -1.

    asked: how often a term was summed without a row. used: when its row was last looked at.
    scale (2, kp): what steps weigh, or in form 0 what a product of both makes of a label, and what
    the label weighs. least (2, kp): steps of all documents, or up to 2 less. counts (2, kp): of
    documents, no more can have been rounded.
    """

    sums: StepRows
    slot: Int32s
    asked: Int32s
    used: Int32s
    scale: SingleTable
    least: StepTable
    counts: SingleTable


class FoundArrays(NamedTuple):
    """What a search finds. numbers, bounds: conditions that may be best, bounds on their values.

    looked, values: conditions that were summed, and their gain x preference; when: the search that
    a condition was last summed in. wanted: terms that want a row. near, near_bounds: the terms of
    the greatest bounds, for the next search to begin with. table, winner: (3, 2, k) block weights,
    those of the best so far. row, sums: room, (2, kp). counts, figures: see search.py.
    """

    numbers: Int32s
    bounds: Doubles
    looked: Int32s
    values: Doubles
    when: Int32s
    wanted: Int32s
    near: Int32s
    near_bounds: Doubles
    table: DoubleBlocks
    winner: DoubleBlocks
    row: StepTable
    sums: DoubleTable
    counts: Int64s
    figures: Doubles


LOOKED, WANTED, FOUND, WINNER, CLOCK, LAST = 0, 1, 2, 3, 4, 5
"""Places in FoundArrays.counts. WINNER: the condition of the greatest value; CLOCK: searches so
far; LAST: the condition of the last rule, which has no gain left.
"""
BEST, SLOP, BASE, LEAST_BOUND = 0, 1, 2, 3
"""Places in FoundArrays.figures: a value (gain x preference) that is reached, and what it may be
wrong by; what a condition that holds nowhere gains; the least bound of a term that may win.
"""


class RuleKind(NamedTuple):
    """What the rules of a run are: form, see gains.py; loss, see weights.KNOWN_LOSSES; quiet: block
    NO is silent; votes are smoothed and scaled by these; speaks (3,): a mask of blocks.
    """

    form: int
    loss: int
    quiet: bool
    smoothing: float
    shrinkage: float
    speaks: Doubles


class RoundArrays(NamedTuple):
    """Rounds: keys (n,), of what each may choose; conditions (n,); votes (n, 3, k); told (n, 3),
    see kernels_rounds.GAIN.
    """

    keys: Keys
    conditions: Int32s
    votes: DoubleBlocks
    told: DoubleTable


class MoveRoom(NamedTuple):
    """Room for documents, (m,) each: inside is all False."""

    inside: Bools
    rest: Int32s


class BlockArrays(NamedTuple):
    """Of each row of thresholds.py: documents of its condition, row of its unknown block, whether
    its sums start anew rather than run on from the row before.
    """

    sizes: Int32s
    unknown: Int32s
    resets: Bools


class BlockRoom(NamedTuple):
    """Of some rows at once: sums of YES and NO (2, k, rows); what each may be wrong by; what the
    bound is made of; the sums that run (2, k).
    """

    yes: StepRows
    no: StepRows
    inside: Singles
    outside: Singles
    value: Doubles
    other: Doubles
    running: StepTable
