"""Whole boosting rounds in compiled code: search, votes, and the update of the weights."""

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
    MUST_RENEW,
    SPREAD,
    SUM,
    TOTAL,
    WANTED,
    WINNER,
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
from boostext.boosting.engines.kernels_weights import COARSE, exact, move, must_renew
from boostext.boosting.gains import gain_of_blocks, vote_of_blocks

BEGIN, UPDATE, SCAN, SUM_UP, CHOOSE, VOTE, MOVE = range(7)
"""The stages of a round, in order."""
DONE, NONE_HELPS, PAUSED, MOVED = range(4)
"""Why a call of `play` returned.

DONE: all rounds were learned. NONE_HELPS: no condition lowers the loss. PAUSED: before its rule
votes, a round needs new rows or bounds, which Python code creates. MOVED: after its rule was
applied, weights or bounds have to be computed again.
"""
GAIN, Z, ALPHA = range(3)
"""Columns of RoundArrays.results."""
SLACK = 1.6
"""The factor by which bounds may become looser than at best before they are computed again."""
MOST_BOUND = 2**30
"""The largest sum of the bounds of all documents that is certain to fit into 32 bits."""


def play(
    first: int, last: int, start: int, stop: int, low: int, high: int, share: float,
    greatest: float, farthest: float, preference: Doubles, yes: Int32s, unknown: Int32s,
    kind: RuleKind, lists: ListArrays, labels: LabelArrays, terms: TermArrays,
    weights: WeightArrays, steps: StepArrays, changes: ChangeArrays, bounds: BoundArrays,
    rows: RowArrays, found: FoundArrays, room: MoveRoom, made: RoundArrays,
) -> Number:  # fmt: skip
    """Learn the rounds start..stop - 1 of `made`.

    The first round begins at stage `first`, and every round ends after stage `last`. low, high: the
    range of terms to update and to search. share: the share of the conditions that are eligible.
    greatest: the largest preference. farthest: how far the weights may move before they are
    checked, see Weights.farthest. yes, unknown: the documents of the condition, if it is not a
    term. Returns the round in which the call ended, and the reason.
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
        if first <= UPDATE <= last:
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
            made.conditions[n], made.results[n, GAIN] = j, gain
            if gain <= LEAST_GAIN or preference_of(preference, j) <= 0:
                return n, NONE_HELPS
            if counts[WANTED] > 0 or is_loose(weights.figures[TOTAL], figures, bounds.figures):
                return n, PAUSED
        if first <= VOTE <= last:
            made.results[n, ALPHA] = vote_of_blocks(
                form, found.winner, speaks, kind.smoothing, kind.shrinkage, made.votes[n]
            )
        if first <= MOVE <= last:
            j = counts[LAST] = made.conditions[n]
            inside = yes
            if 0 <= j < len(starts) - 1:
                inside = items[starts[j] : starts[j + 1]]
            made.results[n, Z] = move(
                kind.loss, inside, unknown, made.votes[n], kind.quiet, labels, weights, steps,
                changes, room.inside, room.rest,
            )  # fmt: skip
            bounds.figures[SUM] += bound_changed(form, labels, weights, changes, bounds)
            weights.figures[MUST_RENEW] = must_renew(weights, steps, COARSE)
            moved = weights.figures[SPREAD] > farthest or bounds.figures[SUM] > MOST_BOUND
            if moved or weights.figures[MUST_RENEW] > 0:
                return n + 1, MOVED
        first = BEGIN
    return stop, DONE


def choice(
    form: int, preference: Array, lists: ListArrays, labels: LabelArrays, weights: WeightArrays,
    speaks: Array, found: FoundArrays,
) -> Number:  # fmt: skip
    """Return the best of the conditions with exact gains, as choice.first_of_best does; -1 if none.

    found.winner is set to the block weights of that condition.
    """
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


def is_loose(total: float, figures: Array, counted: Array) -> Number:
    """Return whether bounds are much looser than they were at best.

    The measure is the bound that a winning term needs at least, as a share of the value found.
    """
    fit = figures[LEAST_BOUND] * counted[COUNTED] / (total * max(figures[BEST], 1e-12))
    counted[FIT] = max(counted[FIT], fit)
    return fit < counted[FIT] / SLACK


KERNELS = (play,)
