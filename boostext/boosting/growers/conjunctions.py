"""Rules of several conditions, which are added on one part of the data and pruned on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import LEAST_GAIN, TIE, first_of_best
from boostext.boosting.engines.tables import Gain, gains_of
from boostext.boosting.growers.state import ONLY, GrowerState, helps, united
from boostext.boosting.membership import ALWAYS
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import SILENT, Growth, Place
from boostext.boosting.votes import class_normalizer, normalizer
from boostext.features.conditions import NO, UNKNOWN, YES

Literals = tuple[tuple[int, int], ...]

OWN_LITERALS = 4


class Parts(NamedTuple):
    """The documents that a rule is grown on and those that it is pruned on.

    Without pruning, `pruning` is empty.
    """

    growing: Numbers
    pruning: Numbers


def parts_of(state: GrowerState, number: int) -> Parts:
    """Split the documents at random, so that the growing part has `grow_fraction` of the weight.

    Each round has another split.
    """
    fraction = state.settings.grow_fraction
    everything = state.everything()
    if fraction >= 1:
        return Parts(everything, everything[:0])
    rng = np.random.default_rng([state.settings.seed, number])
    order = rng.permutation(everything)
    share = np.cumsum(state.flat().sum(axis=1)[order])
    growing = share <= fraction * share[-1]
    return Parts(np.sort(order[growing]), np.sort(order[~growing]))


def most_literals(state: GrowerState) -> int:
    return state.settings.max_literals or OWN_LITERALS


# Rules that vote in one block ----------------------------------------------------------------


def conjunction(state: GrowerState, number: int) -> Growth | None:
    """Learn a rule that votes where all of its conditions hold; None if no rule lowers the loss.

    Conditions are added while the sum over labels of (sqrt W+ - sqrt W-)^2 increases, on the
    documents of the growing part that meet all of them. Then the last conditions are removed if
    that lowers Z on the pruning part. Terms must be present; numbers may be above or below a
    threshold. The default rule, which votes on all documents, is returned instead if its gain is
    larger. With more than two labels, a rule has different votes for them.
    Source: Cohen & Singer 1999 (SLIPPER); SF12 s9.3.
    """
    literals = _pruned(state, number, _grown, _covered, ONLY[YES])
    found = _covering(state, literals) if literals else None
    if state.settings.default_rule:
        default = state.always()
        if helps(default.gain) and (found is None or default.gain > found.gain + TIE):
            return default
    return found


def _grown(state: GrowerState, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """Return the conjunctions after each added condition; each has a larger gain than the last."""
    flat, reach = state.flat(), state.reach
    inside = _mask(state, documents)
    gains = [_gain_of(state, block) for block in (YES, NO)]
    numeric = np.arange(len(state.members)) >= state.members.listed
    grown: list[Literals] = [()]
    gain = 0.0
    while len(grown) <= most_literals(state):
        here = np.flatnonzero(reach.holds(grown[-1]) & inside).astype(np.int32)
        found = _best_literal(state, flat, here, gains, (open_to, open_to & numeric))
        if found is None or found[2] <= gain + LEAST_GAIN:
            break
        grown.append((*grown[-1], found[:2]))
        gain = found[2]
    return grown[1:]


def _gain_of(state: GrowerState, block: int) -> Gain:
    criterion, label = state.criterion, state.label

    def gain(W: Float64) -> Float64:
        gains = criterion(W, ONLY[block])
        if label is None:
            return gains
        return np.where(W[:, block, 1, label] > W[:, block, 0, label], gains, -np.inf)

    return gain


def _mask(state: GrowerState, documents: Numbers) -> NDArray[np.bool_]:
    inside = np.zeros(state.example_count, np.bool_)
    inside[documents] = True
    return inside


def _best_literal(
    state: GrowerState,
    flat: Float64,
    documents: Numbers,
    gains: Sequence[Gain],
    allowed: Sequence[NDArray[np.bool_]],
) -> tuple[int, int, float] | None:
    """Return the condition and block with the largest gain, and the gain; None if none is allowed.

    Among equals, block YES comes before NO, and then the first condition is chosen.
    gains, allowed: for block YES and for block NO, the function that computes gains from block
    weights, and the conditions that may be chosen.
    """
    by_block = gains_of(state.plain.tables.tables(flat, documents), len(state.members), gains)
    values = np.concatenate(
        [state.preferred(found, mask) for found, mask in zip(by_block, allowed, strict=True)]
    )
    if not len(values) or not np.isfinite(values.max()):
        return None
    place = first_of_best(values, np.tile(state.preference, 2))
    block, j = divmod(place, len(state.members))
    return j, (YES, NO)[block], float(by_block[block][j])


def _covered(state: GrowerState, reach: Reach[int], literals: Sequence[tuple[int, int]]) -> Blocks:
    """Return the documents for which all literals hold, as block YES."""
    none = np.zeros(0, np.int32)
    return none, none, np.flatnonzero(reach.holds(literals)).astype(np.int32)


def _covering(state: GrowerState, literals: Sequence[tuple[int, int]]) -> Growth | None:
    """Return the rule of these literals, with votes computed on all documents.

    Returns None if the rule does not lower the loss, or if it votes against the label that all
    rules must vote for.
    """
    (last, block), before = literals[-1], tuple(literals[:-1])
    place = Place(before, last) if block == YES else Place(tuple(literals), ALWAYS)
    found = state.hypothesis([place], [(SILENT, SILENT, 0)])
    if found is None or state.label is None:
        return found
    W = state.plain.sums(state.reach.blocks(*place))[YES]
    return found if W[1, state.label] > W[0, state.label] else None


# Rules that vote on both sides ---------------------------------------------------------------


FAILS, HOLDS = 0, 1
"""The numbers of the blocks of a decision rule.

If the rule also votes where it is unknown whether all conditions hold, that block has the number 2.
"""


def decision_rule(state: GrowerState, number: int) -> Growth | None:
    """Learn a rule with one vote where all of its conditions hold and another where one fails.

    A condition is added with block YES, so that it must hold, or with block NO, so that it must
    not. Conditions are added while the gain of the two blocks {all hold} and {one fails} together
    increases on the growing part. Then the last ones are removed if that lowers Z on the pruning
    part. Returns None if no rule lowers the loss.
    The result has one rule for each condition, which votes where the condition fails, and one rule
    that votes where all hold. A rule of a single condition is returned as one rule.
    Source: Freund & Schapire 1996, FindDecRule, used in S97 s3; NN07 s4, rules of r literals.
    """
    literals = _pruned(state, number, _tested, _two_sided, state.speaks)
    if not literals:
        return None
    unknown, last = 2 if state.speaks[UNKNOWN] else SILENT, len(literals) == 1
    places, blocks = [], []
    for i, (condition, block) in enumerate(literals):
        holds = HOLDS if last else SILENT  # with more conditions, a rule of its own votes there
        places.append(Place(tuple(literals[:i]), condition))
        blocks.append((unknown, *((FAILS, holds) if block == YES else (holds, FAILS))))
    if not last:
        places.append(Place(tuple(literals), ALWAYS))
        blocks.append((SILENT, SILENT, HOLDS))
    return state.hypothesis(places, blocks)


def _tested(state: GrowerState, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """Return the rules after each added condition; each has a larger gain than the last."""
    flat, reach = state.flat(), state.reach
    inside = _mask(state, documents)
    grown: list[Literals] = [()]
    gain = 0.0
    while len(grown) <= most_literals(state):
        blocks = _within(_two_sided(state, reach, grown[-1]), inside)
        outside = np.stack([flat[documents].sum(axis=0) for documents in blocks[:YES]])
        found = _best_literal(
            state,
            flat,
            blocks[YES],
            [_two_blocks(state, outside, block) for block in (YES, NO)],
            (open_to, open_to),
        )
        if found is None or found[2] <= gain + LEAST_GAIN:
            break
        grown.append((*grown[-1], found[:2]))
        gain = found[2]
    return grown[1:]


def _two_blocks(state: GrowerState, outside: Float64, block: int) -> Gain:
    """Return a function that computes the gain of a rule with one more condition.

    Its argument is the block weights of conditions on the documents that meet all conditions so
    far. outside: (2, 2k), the weights of the documents for which an earlier condition is unknown,
    and of those for which one fails.
    """
    before = outside.reshape(2, 2, -1)

    def gain(W: Float64) -> Float64:
        failing = W[:, NO if block == YES else YES] + before[NO]
        blocks = (W[:, UNKNOWN] + before[UNKNOWN], failing, W[:, block])
        return state.gain(np.stack(blocks, axis=1))

    return gain


def _two_sided(
    state: GrowerState, reach: Reach[int], literals: Sequence[tuple[int, int]]
) -> Blocks:
    """Return the documents by whether all literals hold: UNKNOWN, NO and YES.

    A document for which they do not all hold is in block UNKNOWN or NO according to the first
    literal that does not hold for it.
    """
    undecided, failed = [], []
    for i, (condition, block) in enumerate(literals):
        unknown, no, yes = reach.blocks(literals[:i], condition)
        undecided.append(unknown)
        failed.append(no if block == YES else yes)
    covered = np.flatnonzero(reach.holds(literals)).astype(np.int32)
    return united(undecided), united(failed), covered


# Pruning -------------------------------------------------------------------------------------

Grow = Callable[[GrowerState, Numbers, NDArray[np.bool_]], list[Literals]]
ToBlocks = Callable[[GrowerState, Reach[int], Sequence[tuple[int, int]]], Blocks]


def _pruned(
    state: GrowerState, number: int, grow: Grow, to_blocks: ToBlocks, speaks: Float64
) -> Literals:
    """Grow literals and return the first ones of them, as many as minimise Z on the pruning part.

    Among equals, the fewest literals are returned. The votes with which Z is computed are those of
    the growing part, whose weights are normalised to sum to 1.
    """
    parts = parts_of(state, number)
    grown = grow(state, parts.growing, state.open_to(number))
    if len(grown) < 2 or not len(parts.pruning):
        return grown[-1] if grown else ()
    growing = _mask(state, parts.growing)
    total = float(state.flat()[growing].sum())
    reach, losses = state.reach, []
    for literals in grown:
        blocks = to_blocks(state, reach, literals)
        learned, held = (state.sums(_within(blocks, part)) for part in (growing, ~growing))
        votes = state.vote(learned / total, speaks).votes
        z = class_normalizer if state.voting.classes else normalizer
        losses.append(z(held, votes) - float(held.sum()))  # the change of Z
    return grown[first_of_best(-np.array(losses))]


def _within(blocks: Blocks, mask: NDArray[np.bool_]) -> Blocks:
    unknown, no, yes = (documents[mask[documents]] for documents in blocks)
    return unknown, no, yes
