"""Conjunctions: conditions that must all hold, grown on a part of the data, pruned on the rest."""

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
    """Documents to grow a rule on, and to prune it on; none of these where nothing is pruned."""

    growing: Numbers
    pruning: Numbers


def parts_of(state: GrowerState, number: int) -> Parts:
    """A random part with `grow_fraction` of the weight, drawn anew each round, and the rest."""
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


# One block that speaks -----------------------------------------------------------------------


def conjunction(state: GrowerState, number: int) -> Growth | None:
    """A rule that speaks where all its conditions hold, or the default rule if that gains more.

    Conditions are added while sum over labels of (sqrt W+ - sqrt W-)^2 on what is covered rises on
    the growing part; the last ones are dropped again where that lowers Z on the rest. A term must
    be there; a number may be above or below. The default rule covers all. With more than two
    labels the votes of a rule differ by label.
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
    """The conjunction after each condition that raised the gain of what it covers."""
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
    """Condition, block and gain; of equals YES before NO, and then the first condition.

    gains, allowed: for block YES and for block NO, gains of block weights, and what may be chosen.
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
    """What all literals hold for, as block YES."""
    none = np.zeros(0, np.int32)
    return none, none, np.flatnonzero(reach.holds(literals)).astype(np.int32)


def _covering(state: GrowerState, literals: Sequence[tuple[int, int]]) -> Growth | None:
    """The rule of these literals, with votes of all the data; None where it does not help, or
    speaks against the label that it must speak for.
    """
    (last, block), before = literals[-1], tuple(literals[:-1])
    place = Place(before, last) if block == YES else Place(tuple(literals), ALWAYS)
    found = state.hypothesis([place], [(SILENT, SILENT, 0)])
    if found is None or state.label is None:
        return found
    W = state.plain.sums(state.reach.blocks(*place))[YES]
    return found if W[1, state.label] > W[0, state.label] else None


# Both sides speak ----------------------------------------------------------------------------


FAILS, HOLDS = 0, 1
"""The blocks of a decision rule; where it cannot be told is the third, if it votes."""


def decision_rule(state: GrowerState, number: int) -> Growth | None:
    """A rule with one vote where all its conditions hold, and another where they do not.

    Conditions are added, each for block YES or for block NO, while the gain of the two blocks
    {all hold} and {one does not} together rises on the growing part; the last ones are dropped
    again where that lowers Z on the rest.
    A rule for each test, which votes where it fails, and one for where all hold; a single test is
    one plain rule.
    Source: Freund & Schapire 1996, FindDecRule, used in S97 s3; NN07 s4, rules of r literals.
    """
    literals = _pruned(state, number, _tested, _two_sided, state.speaks)
    if not literals:
        return None
    unknown, last = 2 if state.speaks[UNKNOWN] else SILENT, len(literals) == 1
    places, blocks = [], []
    for i, (condition, block) in enumerate(literals):
        holds = HOLDS if last else SILENT  # where more tests follow, they tell
        places.append(Place(tuple(literals[:i]), condition))
        blocks.append((unknown, *((FAILS, holds) if block == YES else (holds, FAILS))))
    if not last:
        places.append(Place(tuple(literals), ALWAYS))
        blocks.append((SILENT, SILENT, HOLDS))
    return state.hypothesis(places, blocks)


def _tested(state: GrowerState, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """The rule after each condition that raised the gain of its two blocks."""
    flat, reach = state.flat(), state.reach
    inside = _mask(state, documents)
    grown: list[Literals] = [()]
    gain = 0.0
    while len(grown) <= most_literals(state):
        blocks = _within(_two_sided(state, reach, grown[-1]), inside)
        outside = np.stack([flat[documents].sum(axis=0) for documents in blocks[:YES]])
        found = _best_literal(
            state, flat, blocks[YES], [_two_blocks(state, outside, block) for block in (YES, NO)],
            (open_to, open_to),
        )  # fmt: skip
        if found is None or found[2] <= gain + LEAST_GAIN:
            break
        grown.append((*grown[-1], found[:2]))
        gain = found[2]
    return grown[1:]


def _two_blocks(state: GrowerState, outside: Float64, block: int) -> Gain:
    """The gain of a rule with one more condition, from block weights among what it covers so far.

    outside: (2, 2k), weights of the documents that are undecided already, and that fail already.
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
    """YES where all hold, NO where one does not, UNKNOWN where one is unknown before that."""
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
    """Of what was grown, literal by literal, what has least Z on the pruning part; of equals the
    first. Votes are those of the growing part, with its weights as if they summed to 1.
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
        losses.append(z(held, votes) - float(held.sum()))  # less what is the same
    return grown[first_of_best(-np.array(losses))]


def _within(blocks: Blocks, mask: NDArray[np.bool_]) -> Blocks:
    unknown, no, yes = (documents[mask[documents]] for documents in blocks)
    return unknown, no, yes
