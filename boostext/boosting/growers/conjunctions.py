"""Conjunctions: conditions that must all hold, grown on a part of the data, pruned on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import LEAST_GAIN, TIE, first_of_best
from boostext.boosting.engines.tables import gains_of
from boostext.boosting.growers.state import ONLY, GrowerState, helps, masked, united
from boostext.boosting.membership import ALWAYS
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import Growth, Place, Placed
from boostext.boosting.votes import normalizer
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
    Source: Cohen & Singer 1999 (SLIPPER); SF12-9 s9.3.
    """
    literals = _pruned(state, number, _grown, _covered, ONLY[YES])
    found = _covering(state, literals) if literals else None
    if state.settings.default_rule:
        default = state.always()
        if helps(default.gain) and (found is None or default.gain > found.gain + TIE):
            return default
    return found if found is not None and helps(found.gain) else None


def _grown(state: GrowerState, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """The conjunction after each condition that raised the gain of what it covers."""
    flat, reach = state.flat(), state.reach
    inside = _mask(state, documents)
    grown: list[Literals] = [()]
    gain = 0.0
    while len(grown) <= most_literals(state):
        here = np.flatnonzero(reach.holds(grown[-1]) & inside).astype(np.int32)
        found = _best_literal(state, flat, here, open_to)
        if found is None or found[2] <= gain + LEAST_GAIN:
            break
        grown.append((*grown[-1], found[:2]))
        gain = found[2]
    return grown[1:]


def _mask(state: GrowerState, documents: Numbers) -> NDArray[np.bool_]:
    inside = np.zeros(state.example_count, np.bool_)
    inside[documents] = True
    return inside


def _best_literal(
    state: GrowerState, flat: Float64, documents: Numbers, open_to: NDArray[np.bool_]
) -> tuple[int, int, float] | None:
    """Condition, block and gain; of equals YES before NO, and then the first condition."""
    by_block = gains_of(
        state.plain.tables.tables(flat, documents), len(state.members),
        [lambda W: state.voting.gain(W, ONLY[YES]), lambda W: state.voting.gain(W, ONLY[NO])],
    )  # fmt: skip
    numeric = np.arange(len(state.members)) >= state.members.listed
    allowed = (open_to, open_to & numeric)
    values = np.concatenate(
        [state.preferred(gains, mask) for gains, mask in zip(by_block, allowed, strict=True)]
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


def _covering(state: GrowerState, literals: Sequence[tuple[int, int]]) -> Growth:
    """The rule of these literals, with votes of all the data."""
    blocks = _covered(state, state.reach, literals)
    gain = float(state.voting.gain(state.plain.sums(blocks), ONLY[YES]))
    (last, block), before = literals[-1], tuple(literals[:-1])
    place = Place(before, last) if block == YES else Place(tuple(literals), ALWAYS)
    return Growth((state.placed(place, blocks, ONLY[YES]),), gain)


# Both sides speak ----------------------------------------------------------------------------


def decision_rule(state: GrowerState, number: int) -> Growth | None:
    """A rule with one vote where all its conditions hold, and another where they do not.

    Each test is the one that lowers the potential most among the documents that came so far; then
    only its block of greatest potential, 2 sum sqrt(W+ W-) for real votes, is tested further. The
    list is cut where Z on the pruning part is least; of its last test the block that is better
    alone stands against all others.
    Source: Freund & Schapire 1996, FindDecRule, as used in S97 s5; NN07's rules of r literals.
    """
    literals = _pruned(state, number, _tested, _two_sided, state.speaks)
    if not literals:
        return None
    blocks = _two_sided(state, state.reach, literals)
    W = state.plain.sums(blocks)
    vote = state.vote(W, state.speaks)
    gain = float(state.gain(W))
    return Growth(tuple(_list_of_rules(state, literals, vote.votes, vote.alpha)), gain)


def _tested(state: GrowerState, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """The list after each test, ended there."""
    flat, reach = state.flat(), state.reach
    inside = _mask(state, documents)
    lists: list[Literals] = []
    branch: Literals = ()
    gain = 0.0
    while len(branch) < most_literals(state):
        here = np.flatnonzero(reach.holds(branch) & inside).astype(np.int32)
        found = state.best(flat, here, open_to)
        if found is None or found[1] <= gain + LEAST_GAIN:
            break
        W = state.plain.sums(_within(reach.blocks(branch, found[0]), inside))
        lists.append(_ended(state, reach, branch, found[0], inside))
        block = NO if _potential(state, W, NO) > _potential(state, W, YES) + TIE else YES
        branch = (*branch, (found[0], block))
        gain = float(state.voting.gain(W, ONLY[block]))
    return lists


def _potential(state: GrowerState, W: Float64, block: int) -> float:
    return float(W[block].sum() - state.voting.gain(W, ONLY[block]))


def _ended(
    state: GrowerState, reach: Reach[int], branch: Literals, condition: int, part: NDArray[np.bool_]
) -> Literals:
    """The last test with the block that is better apart from all that failed before."""
    ends: list[Literals] = [(*branch, (condition, block)) for block in (YES, NO)]
    gains = [
        float(state.gain(state.plain.sums(_within(blocks, part))))
        for blocks in (_two_sided(state, reach, end) for end in ends)
    ]
    return ends[gains[1] > gains[0] + TIE]


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
    return masked((united(undecided), united(failed), covered), state.speaks)


def _list_of_rules(
    state: GrowerState, literals: Sequence[tuple[int, int]], votes: Float64, alpha: float
) -> list[Placed]:
    """A rule for each test, which votes where it fails, and one for where all hold.

    A single test is one plain rule.
    """
    rules = []
    for i, (condition, block) in enumerate(literals):
        only = len(literals) == 1
        own = np.zeros_like(votes)
        own[UNKNOWN], own[NO if block == YES else YES] = votes[UNKNOWN], votes[NO]
        own[block] = votes[YES] if only else 0.0
        rules.append(Placed(Place(tuple(literals[:i]), condition), own, alpha))
    if len(literals) > 1:
        own = np.zeros_like(votes)
        own[YES] = votes[YES]
        rules.append(Placed(Place(tuple(literals), ALWAYS), own, alpha))
    return rules


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
        learned, held = (state.plain.sums(_within(blocks, part)) for part in (growing, ~growing))
        votes = state.vote(learned / total, speaks).votes
        losses.append(normalizer(held, votes) - float(held.sum()))  # Z, less what is the same
    return grown[first_of_best(-np.array(losses))]


def _within(blocks: Blocks, mask: NDArray[np.bool_]) -> Blocks:
    unknown, no, yes = (documents[mask[documents]] for documents in blocks)
    return unknown, no, yes
