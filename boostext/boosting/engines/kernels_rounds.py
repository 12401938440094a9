"""Whole rounds in compiled code: a search, the votes of the rule it finds, and what these move."""

from __future__ import annotations

from boostext.boosting.choice import LEAST_GAIN, TIE
from boostext.boosting.engines.arrays import (
    BEST,
    CLOCK,
    COUNTED,
    FIT,
    FOUND,
    LAST,
    LEAST_BOUND,
    LOOKED,
    SPREAD,
    SUM,
    TOTAL,
    WANTED,
    WINNER,
    WORN,
    Array,
    BoundArrays,
    ChangeArrays,
    Doubles,
    FoundArrays,
    Int32s,
    LabelArrays,
    ListArrays,
    MoveRoom,
    Number,
    RoundArrays,
    RowArrays,
    RuleKind,
    StepArrays,
    TermArrays,
    WeightArrays,
)
from boostext.boosting.engines.kernels_search import begin, descend, preference_of, scan
from boostext.boosting.engines.kernels_terms import bound_changed, update
from boostext.boosting.engines.kernels_weights import COARSE, exact, is_worn, move
from boostext.boosting.gains import gain_of_blocks, vote_of_blocks

BEGIN, TELL, SCAN, SUM_UP, CHOOSE, VOTE, MOVE = range(7)
"""The stages of a round."""
DONE, NONE_HELPS, PAUSED, MOVED = range(4)
"""Why rounds end: all are done; no condition helps; before it votes, or after it has moved the
weights, a round wants what is not done in compiled code: rows, bounds or weights anew.
"""
GAIN, Z, ALPHA = range(3)
"""Places in RoundArrays.told."""
SLACK = 1.6
"""How much less bounds may tell than at best before they are counted anew."""
MOST_BOUND = 2**30
"""Sum of all documents' bounds that 32 bits are sure to hold."""


def play(
    first: int, last: int, start: int, stop: int, low: int, high: int, share: float,
    greatest: float, farthest: float, preference: Doubles, yes: Int32s, unknown: Int32s,
    kind: RuleKind, lists: ListArrays, labels: LabelArrays, terms: TermArrays,
    weights: WeightArrays, steps: StepArrays, changes: ChangeArrays, bounds: BoundArrays,
    rows: RowArrays, found: FoundArrays, room: MoveRoom, made: RoundArrays,
) -> Number:  # fmt: skip
    """Rounds start..stop - 1 of `made`, the first from stage `first` on, up to stage `last` each.

    low, high: the terms that hear of changes, and are looked at. share, greatest: of what may be
    chosen, and of preference. farthest: how far e may move before it is looked at. yes, unknown:
    documents of the condition, where it is no term. Returns the round that it ended in, and why.
    """
    form, speaks = kind.form, kind.speaks
    starts, items = lists.starts, lists.items
    counts, figures = found.counts, found.figures
    for n in range(start, stop):
        if first <= BEGIN <= last:
            counts[CLOCK] += 1
            begin(
                form, counts[LAST], made.keys[n], share, greatest, preference, lists, labels,
                terms, weights, steps.per_weight, changes, bounds, rows, found,
            )  # fmt: skip
            if counts[FOUND] > 0:
                descend(form, preference, lists, labels, weights, speaks, found)
        if first <= TELL <= last:
            update(low, high, labels, terms, changes, bounds, rows)
        if first <= SCAN <= last:
            scan(
                form, low, high, made.keys[n], share, greatest, preference, lists, labels, terms,
                weights, bounds, rows, found,
            )  # fmt: skip
        if first <= SUM_UP <= last:
            descend(form, preference, lists, labels, weights, speaks, found)
            changes.count[0] = 0
        if first <= CHOOSE <= last:
            j = choice(form, preference, lists, labels, weights, speaks, found)
            if j < 0:
                return n, NONE_HELPS
            gain = gain_of_blocks(form, found.winner, speaks)
            made.conditions[n], made.told[n, GAIN] = j, gain
            if gain <= LEAST_GAIN or preference_of(preference, j) <= 0:
                return n, NONE_HELPS
            if counts[WANTED] > 0 or is_slack(weights.figures[TOTAL], figures, bounds.figures):
                return n, PAUSED
        if first <= VOTE <= last:
            made.told[n, ALPHA] = vote_of_blocks(
                form, found.winner, speaks, kind.smoothing, kind.shrinkage, made.votes[n]
            )
        if first <= MOVE <= last:
            j = counts[LAST] = made.conditions[n]
            inside = yes
            if 0 <= j < len(starts) - 1:
                inside = items[starts[j] : starts[j + 1]]
            made.told[n, Z] = move(
                kind.loss, inside, unknown, made.votes[n], kind.quiet, labels, weights, steps,
                changes, room.inside, room.rest,
            )  # fmt: skip
            bounds.figures[SUM] += bound_changed(form, labels, weights, changes, bounds)
            weights.figures[WORN] = is_worn(weights, steps, COARSE)
            moved = weights.figures[SPREAD] > farthest or bounds.figures[SUM] > MOST_BOUND
            if moved or weights.figures[WORN] > 0:
                return n + 1, MOVED
        first = BEGIN
    return stop, DONE


def choice(
    form: int, preference: Array, lists: ListArrays, labels: LabelArrays, weights: WeightArrays,
    speaks: Array, found: FoundArrays,
) -> Number:  # fmt: skip
    """choice.first_of_best of what was summed, -1 where nothing was; found.winner: its W."""
    looked, values, counts = found.looked, found.values, found.counts
    best, greatest = -1, -1.0
    for c in range(counts[LOOKED]):
        if values[c] > greatest or (values[c] == greatest and looked[c] < best):
            best, greatest = looked[c], values[c]
    if best < 0:
        return best
    least = greatest - TIE * preference_of(preference, best)
    for c in range(counts[LOOKED]):
        if values[c] >= least and looked[c] < best:
            best = looked[c]
    if best != counts[WINNER]:
        yes = lists.items[lists.starts[best] : lists.starts[best + 1]]
        exact(form, yes, yes[:0], labels, weights, speaks, found.winner)
    return best


def is_slack(total: float, figures: Array, counted: Array) -> Number:
    """Whether bounds tell far less than they did: what a term needed that may have won, as a share
    of the value that was found.
    """
    fit = figures[LEAST_BOUND] * counted[COUNTED] / (total * max(figures[BEST], 1e-12))
    counted[FIT] = max(counted[FIT], fit)
    return fit < counted[FIT] / SLACK


KERNELS = (play,)
