"""The arrays that the kernels of the incremental engine work on, with their types for numba.

There are m examples and k labels. kp is k padded with zeros so that vector instructions have no
remainder. Sums run over labels innermost, and nothing depends on how terms are divided among
threads. Weights are also kept in whole numbers, called steps, whose sums do not depend on the order
of addition; `StepArrays.per_weight` steps make a weight of 1.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

Array = Any
"""An array of one of the types below, or a named tuple of such arrays; kernels take no others."""
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


class ListArrays(NamedTuple):
    """Lists in flat form, as arrays.Lists: list j is items[starts[j]:starts[j + 1]], ascending."""

    starts: Int64s
    items: Int32s


class LabelArrays(NamedTuple):
    """The labels of each example, and the examples of each label.

    starts, items: the labels of each example. by_label, examples, places: the examples of each
    label, and the position in `items` of each pair of label and example.
    """

    starts: Int64s
    items: Int32s
    by_label: Int64s
    examples: Int32s
    places: Int32s


class TermArrays(NamedTuple):
    """The terms: the listed conditions that are known for all documents, most frequent first.

    numbers: the condition of each term. sizes: the number of its documents. starts, items: the
    terms of each document, ascending.
    """

    numbers: Int32s
    sizes: Int32s
    starts: Int64s
    items: Int32s


class WeightArrays(NamedTuple):
    """The weights D(i, l) = e(i, l) scales(sign, l); see weights.py.

    neg (m, k), pos: e by sign. neg is 0 for the labels that an example has; pos is parallel to the
    labels of the examples. sums (2, k): the sums of e by sign. high, low: the same with twice the
    digits. scales: (2, k).

    local (m, k): the scores of the examples without `common` (k,), which is added to all.

    example (m,), factors (3,): the weight of an example at the start, the factors for both signs,
    and the factor that makes e of them. first_neg (m, k), first_pos: the weights at the start if
    each pair has both signs, otherwise empty. loss (2,): the value of a loss that is not a product,
    with twice the digits.

    figures (4,): single numbers, at the places TOTAL, SPREAD, MUST_RENEW and FARTHEST.
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
    figures: Doubles


TOTAL, SPREAD, MUST_RENEW, FARTHEST = 0, 1, 2, 3
"""Places in WeightArrays.figures.

TOTAL: the sum of e times the scales before they were divided by it. SPREAD: how far e may have
moved since its smallest value was checked, as an exponent. MUST_RENEW: the result of the kernel
must_renew. FARTHEST: how far e may move before its smallest value is checked, as an exponent.
"""


class StepArrays(NamedTuple):
    """The weights e in steps, rounded down.

    neg (m, kp), pos: as in WeightArrays. sums: (2, kp). per_weight (2, k): the number of steps that
    make a weight of 1.
    """

    neg: StepTable
    pos: Steps
    sums: StepTable
    per_weight: DoubleTable


class ChangeArrays(NamedTuple):
    """What the last rule changed.

    documents: the first count[0] are the documents that changed. neg (m, kp), pos, bounds: the
    changes in steps by sign, and of the bounds of the documents; pos is parallel to the labels of
    the examples.
    """

    count: Int64s
    documents: Int32s
    neg: StepTable
    pos: Steps
    bounds: Int32s


class BoundArrays(NamedTuple):
    """Upper bounds on gains in whole numbers.

    of_document (m,), of_term: the bounds; that of a term is the sum over its documents. adds (2,
    k): what a unit of e of each sign can add to a gain now. counted (2, k): what it could add when
    the bounds were computed. figures (3,): single numbers, at the places SUM, FIT and COUNTED.
    """

    of_document: Int32s
    of_term: Int32s
    adds: DoubleTable
    counted: DoubleTable
    figures: Doubles


SUM, FIT, COUNTED = 0, 1, 2
"""Places in BoundArrays.figures.

SUM: the sum of the bounds of all documents. FIT: the best value of the measure of is_loose since
the bounds were computed. COUNTED: the total of the weights at that time.
"""


class RowArrays(NamedTuple):
    """The sums of weights for the terms that searches often look at.

    sums (rows, 2, kp): in steps by sign, sign - first. taken (1,): the number of rows that have a
    term, which come first. slot: the row of each frequent term, -1 for none. misses: how often a
    term was summed because it had no row. used: the search that last used a row.

    scale (2, kp): the weight of a step; in form 0, the factor of the product of both sums, and the
    weight of the label. least (2, kp): the sums over all documents, less up to 2 steps. counts (2,
    kp): the number of documents by sign, which is the largest possible number of roundings. bounds:
    those of all terms.
    """

    sums: StepRows
    taken: Int64s
    slot: Int32s
    misses: Int32s
    used: Int32s
    scale: SingleTable
    least: StepTable
    counts: SingleTable
    bounds: BoundArrays


class LabelSums(NamedTuple):
    """The sums of all terms for one label.

    sums (2, n): the sum of steps over the documents of each term, sign - first. values (n,): an
    upper bound on gain x preference for each term. scale, least, counts: as in RowArrays.
    """

    sums: StepTable
    values: Singles
    scale: SingleTable
    least: StepTable
    counts: SingleTable


SharedNumbers = Annotated[Any, "int64[:, ::1]"]
"""Numbers of several threads, which have a row each; see `instructions`."""


class FoundArrays(NamedTuple):
    """The results of a search.

    numbers, bounds: the conditions that may be the best, and upper bounds on their values. looked,
    values: the conditions whose exact gains were computed, and their values, gain x preference.
    when: the last search that computed the gain of a condition. wanted: terms that should get rows;
    before a search, working memory of `update`.

    near, near_bounds (p, RUNNERS_UP): the runners-up, the terms with the largest bounds, of each
    part of the terms (TurnArrays); the next search begins with those in the first row. sums (p, 2,
    kp): working memory for each part. in_parts (p, 16): the numbers of conditions found and of rows
    wanted in each part.

    table, winner (3, 2, k): block weights, and those of the best condition so far. row (2, kp):
    working memory. counts, figures: single numbers, at the places below.
    """

    numbers: Int32s
    bounds: Doubles
    looked: Int32s
    values: Doubles
    when: Int32s
    wanted: Int32s
    near: Annotated[Any, "int32[:, ::1]"]
    near_bounds: DoubleTable
    sums: DoubleBlocks
    in_parts: SharedNumbers
    table: DoubleBlocks
    winner: DoubleBlocks
    row: StepTable
    counts: Int64s
    figures: Doubles


LOOKED, WANTED, FOUND, WINNER, CLOCK, LAST, CHANGED, WORK = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in FoundArrays.counts.

LOOKED, WANTED, FOUND: the lengths of looked, wanted and numbers. WINNER: the condition with the
largest value. CLOCK: the number of searches so far. LAST: the condition of the last rule, which has
no gain left. CHANGED, WORK: the changed documents and the work of the rounds since they were last
set to 0.
"""
BEST, SLOP, BASE, LEAST_BOUND, RATIO, OUT, SMALLEST = 0, 1, 2, 3, 4, 5, 6
"""Places in FoundArrays.figures.

BEST: a value (gain x preference) that can be reached. SLOP: the largest possible error of BEST.
BASE: the gain of a condition that holds for no document. LEAST_BOUND: the smallest bound of a term
that may win. RATIO, OUT, SMALLEST: the other results of fit_bound.
"""


class TurnArrays(NamedTuple):
    """What the threads that share a search tell each other.

    ranges (p + 1,): part i of the terms is ranges[i]..ranges[i + 1] - 1. taken (p, 16): 0 for the
    parts of this search that no thread has taken. state (7, 16): single numbers, at the places
    below. Both are tables for `instructions`, whose numbers are in the first column.
    """

    ranges: Int64s
    taken: SharedNumbers
    state: SharedNumbers


SHARES = (0.7, 0.2, 0.1)
"""The parts of the terms that each thread has, as shares of its terms by work. When it is done, it
takes the small parts of others.
"""
OPENED, ROUND, SCANS, DONE_PARTS, OVER, LEAST_WORK, GIVE_WAY = 0, 1, 2, 3, 4, 5, 6
"""Places in TurnArrays.state.

OPENED: the number of searches that were shared so far. ROUND: the round of the search. SCANS:
whether terms are searched after they were updated. DONE_PARTS: the number of parts that are done.
OVER: whether no further search will be shared. LEAST_WORK: the work from which a search is shared.
GIVE_WAY: the address of the system's function that lets other threads run, or 0.
"""


class RuleKind(NamedTuple):
    """The kind of rules that are learned.

    form: a value of gains.FORMS. loss: a value of weights.KNOWN_LOSSES. quiet: whether rules are
    silent in block NO. smoothing, shrinkage: parameters of the votes. speaks: (3,), 1 for blocks in
    which rules vote, otherwise 0.
    """

    form: int
    loss: int
    quiet: bool
    smoothing: float
    shrinkage: float
    speaks: Doubles


class RoundArrays(NamedTuple):
    """The rounds that are learned in one call.

    keys (n,): the keys of the draws of eligible conditions. conditions (n,), votes (n, 3, k): the
    rules. results (n, 3): GAIN, Z and ALPHA; see kernels_rounds.
    """

    keys: Annotated[Any, "uint64[::1]"]
    conditions: Int32s
    votes: DoubleBlocks
    results: DoubleTable


class MoveRoom(NamedTuple):
    """Working memory for applying a rule.

    inside, rest (m,): for lists of documents; `inside` is False between calls. shift (k,), factor
    (2, k): for the votes in a block.
    """

    inside: Bools
    rest: Int32s
    shift: Doubles
    factor: DoubleTable


class Asked(NamedTuple):
    """The conditions that may be chosen.

    share: the share of conditions that are eligible. greatest: the largest preference.
    preference: (n,), or (1,) if it is the same for all conditions.
    """

    share: float
    greatest: float
    preference: Doubles


class EngineArrays(NamedTuple):
    """What the rounds of a problem work on, whatever the search keeps of the terms."""

    kind: RuleKind
    lists: ListArrays
    labels: LabelArrays
    terms: TermArrays
    weights: WeightArrays
    steps: StepArrays
    changes: ChangeArrays
    made: RoundArrays


class BlockArrays(NamedTuple):
    """What is known of each row of thresholds.py.

    numbers: its condition. sizes: the number of documents for which the condition holds. unknown:
    the row of its unknown list. resets: whether its running sum begins at this row. sums: the rows.
    """

    numbers: Int32s
    sizes: Int32s
    unknown: Int32s
    resets: Bools
    sums: StepTable


class BlockRoom(NamedTuple):
    """Working memory for several rows at a time.

    yes, no (2, k, rows): the sums of both blocks. inside, outside: the possible number of roundings
    in each. value, other: the parts of the bounds. running (2, k): the running sums.

    parts (u, 2): what the unknown block of each of the first u rows adds to a bound. found, bounds:
    the conditions found, and the bounds on their values.
    """

    yes: StepRows
    no: StepRows
    inside: Singles
    outside: Singles
    value: Doubles
    other: Doubles
    running: StepTable
    parts: DoubleTable
    found: Int32s
    bounds: Doubles
