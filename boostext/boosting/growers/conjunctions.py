"""Conjunctions: conditions that must all hold, grown on a part of the data, pruned on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import LEAST_GAIN, TIE, first_of_best
from boostext.boosting.growers.ground import (
    ONLY,
    Ground,
    Growth,
    Stand,
    helps,
    masked,
    united,
)
from boostext.boosting.growers.search import gains_of
from boostext.boosting.membership import ALWAYS
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import Place
from boostext.boosting.votes import normalizer
from boostext.features.conditions import NO, UNKNOWN, YES

Literals = tuple[tuple[int, int], ...]

OWN_LITERALS = 4


class Parts(NamedTuple):
    """Documents to grow a rule on, and to prune it on; none of these where nothing is pruned."""

    growing: Numbers
    pruning: Numbers


def parts_of(ground: Ground, number: int) -> Parts:
    """A random part with `grow_fraction` of the weight, drawn anew each round, and the rest."""
    fraction = ground.settings.grow_fraction
    everything = ground.everything()
    if fraction >= 1:
        return Parts(everything, everything[:0])
    rng = np.random.default_rng([ground.settings.seed, number])
    order = rng.permutation(everything)
    share = np.cumsum(ground.flat().sum(axis=1)[order])
    growing = share <= fraction * share[-1]
    return Parts(np.sort(order[growing]), np.sort(order[~growing]))


def most_literals(ground: Ground) -> int:
    return ground.settings.max_literals or OWN_LITERALS


# One block that speaks -----------------------------------------------------------------------


def conjunction(ground: Ground, number: int) -> Growth | None:
    """A rule that speaks where all its conditions hold, or the default rule if that gains more.

    Conditions are added while sum over labels of (sqrt W+ - sqrt W-)^2 on what is covered rises on
    the growing part; the last ones are dropped again where that lowers Z on the rest. A term must
    be there; a number may be above or below. The default rule covers all. With more than two
    labels the votes of a rule differ by label.
    Source: Cohen & Singer 1999 (SLIPPER); SF12-9 s9.3.
    """
    literals = _pruned(ground, number, _grown, _covered, ONLY[YES])
    found = _covering(ground, literals) if literals else None
    if ground.settings.default_rule:
        default = ground.always()
        if helps(default.gain) and (found is None or default.gain > found.gain + TIE):
            return default
    return found if found is not None and helps(found.gain) else None


def _grown(ground: Ground, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """The conjunction after each condition that raised the gain of what it covers."""
    flat, reach = ground.flat(), ground.reach
    inside = _mask(ground, documents)
    grown: list[Literals] = [()]
    gain = 0.0
    while len(grown) <= most_literals(ground):
        here = np.flatnonzero(reach.holds(grown[-1]) & inside).astype(np.int32)
        found = _best_literal(ground, flat, here, open_to)
        if found is None or found[2] <= gain + LEAST_GAIN:
            break
        grown.append((*grown[-1], found[:2]))
        gain = found[2]
    return grown[1:]


def _mask(ground: Ground, documents: Numbers) -> NDArray[np.bool_]:
    inside = np.zeros(ground.example_count, np.bool_)
    inside[documents] = True
    return inside


def _best_literal(
    ground: Ground, flat: Float64, documents: Numbers, open_to: NDArray[np.bool_]
) -> tuple[int, int, float] | None:
    """Condition, block and gain; of equals YES before NO, and then the first condition."""
    by_block = gains_of(
        ground.search.tables(flat, documents), len(ground.members),
        [lambda W: ground.voting.gain(W, ONLY[YES]), lambda W: ground.voting.gain(W, ONLY[NO])],
    )  # fmt: skip
    numeric = np.arange(len(ground.members)) >= ground.members.listed
    allowed = (open_to, open_to & numeric)
    values = np.concatenate(
        [ground.preferred(gains, mask) for gains, mask in zip(by_block, allowed, strict=True)]
    )
    if not len(values) or not np.isfinite(values.max()):
        return None
    place = first_of_best(values, np.tile(ground.preference, 2))
    block, j = divmod(place, len(ground.members))
    return j, (YES, NO)[block], float(by_block[block][j])


def _covered(ground: Ground, reach: Reach[int], literals: Sequence[tuple[int, int]]) -> Blocks:
    """What all literals hold for, as block YES."""
    none = np.zeros(0, np.int32)
    return none, none, np.flatnonzero(reach.holds(literals)).astype(np.int32)


def _covering(ground: Ground, literals: Sequence[tuple[int, int]]) -> Growth:
    """The rule of these literals, with votes of all the data."""
    blocks = _covered(ground, ground.reach, literals)
    gain = float(ground.voting.gain(ground.engine.sums(blocks), ONLY[YES]))
    (last, block), before = literals[-1], tuple(literals[:-1])
    place = Place(before, last) if block == YES else Place(tuple(literals), ALWAYS)
    return Growth((ground.stand(place, blocks, ONLY[YES]),), gain)


# Both sides speak ----------------------------------------------------------------------------


def decision_rule(ground: Ground, number: int) -> Growth | None:
    """A rule with one vote where all its conditions hold, and another where they do not.

    Each test is the one that lowers the potential most among the documents that came so far; then
    only its block of greatest potential, 2 sum sqrt(W+ W-) for real votes, is tested further. The
    list is cut where Z on the pruning part is least; of its last test the block that is better
    alone stands against all others.
    Source: Freund & Schapire 1996, FindDecRule, as used in S97 s5; NN07's rules of r literals.
    """
    literals = _pruned(ground, number, _tested, _two_sided, ground.speaks)
    if not literals:
        return None
    blocks = _two_sided(ground, ground.reach, literals)
    W = ground.engine.sums(blocks)
    vote = ground.vote(W, ground.speaks)
    gain = float(ground.gain(W))
    return Growth(tuple(_list_of_rules(ground, literals, vote.votes, vote.alpha)), gain)


def _tested(ground: Ground, documents: Numbers, open_to: NDArray[np.bool_]) -> list[Literals]:
    """The list after each test, ended there."""
    flat, reach = ground.flat(), ground.reach
    inside = _mask(ground, documents)
    lists: list[Literals] = []
    branch: Literals = ()
    gain = 0.0
    while len(branch) < most_literals(ground):
        here = np.flatnonzero(reach.holds(branch) & inside).astype(np.int32)
        found = ground.best(flat, here, open_to)
        if found is None or found[1] <= gain + LEAST_GAIN:
            break
        W = ground.engine.sums(_within(reach.blocks(branch, found[0]), inside))
        lists.append(_ended(ground, reach, branch, found[0], inside))
        block = NO if _potential(ground, W, NO) > _potential(ground, W, YES) + TIE else YES
        branch = (*branch, (found[0], block))
        gain = float(ground.voting.gain(W, ONLY[block]))
    return lists


def _potential(ground: Ground, W: Float64, block: int) -> float:
    return float(W[block].sum() - ground.voting.gain(W, ONLY[block]))


def _ended(
    ground: Ground, reach: Reach[int], branch: Literals, condition: int, part: NDArray[np.bool_]
) -> Literals:
    """The last test with the block that is better apart from all that failed before."""
    ends: list[Literals] = [(*branch, (condition, block)) for block in (YES, NO)]
    gains = [
        float(ground.gain(ground.engine.sums(_within(blocks, part))))
        for blocks in (_two_sided(ground, reach, end) for end in ends)
    ]
    return ends[gains[1] > gains[0] + TIE]


def _two_sided(ground: Ground, reach: Reach[int], literals: Sequence[tuple[int, int]]) -> Blocks:
    """YES where all hold, NO where one does not, UNKNOWN where one is unknown before that."""
    undecided, failed = [], []
    for i, (condition, block) in enumerate(literals):
        unknown, no, yes = reach.blocks(literals[:i], condition)
        undecided.append(unknown)
        failed.append(no if block == YES else yes)
    covered = np.flatnonzero(reach.holds(literals)).astype(np.int32)
    return masked((united(undecided), united(failed), covered), ground.speaks)


def _list_of_rules(
    ground: Ground, literals: Sequence[tuple[int, int]], votes: Float64, alpha: float
) -> list[Stand]:
    """A rule for each test, which votes where it fails, and one for where all hold.

    A single test is one plain rule.
    """
    reach = ground.reach
    stands = []
    for i, (condition, block) in enumerate(literals):
        only = len(literals) == 1
        own = np.zeros_like(votes)
        own[UNKNOWN], own[NO if block == YES else YES] = votes[UNKNOWN], votes[NO]
        own[block] = votes[YES] if only else 0.0
        blocks = reach.blocks(literals[:i], condition)
        stands.append(Stand(Place(tuple(literals[:i]), condition), blocks, own, alpha))
    if len(literals) > 1:
        none = np.zeros(0, np.int32)
        covered = np.flatnonzero(reach.holds(literals)).astype(np.int32)
        own = np.zeros_like(votes)
        own[YES] = votes[YES]
        stands.append(Stand(Place(tuple(literals), ALWAYS), (none, none, covered), own, alpha))
    return stands


# Pruning -------------------------------------------------------------------------------------

Grow = Callable[[Ground, Numbers, NDArray[np.bool_]], list[Literals]]
ToBlocks = Callable[[Ground, Reach[int], Sequence[tuple[int, int]]], Blocks]


def _pruned(
    ground: Ground, number: int, grow: Grow, to_blocks: ToBlocks, speaks: Float64
) -> Literals:
    """Of what was grown, literal by literal, what has least Z on the pruning part; of equals the
    first. Votes are those of the growing part, with its weights as if they summed to 1.
    """
    parts = parts_of(ground, number)
    grown = grow(ground, parts.growing, ground.open_to(number))
    if len(grown) < 2 or not len(parts.pruning):
        return grown[-1] if grown else ()
    growing = _mask(ground, parts.growing)
    total = float(ground.flat()[growing].sum())
    reach, losses = ground.reach, []
    for literals in grown:
        blocks = to_blocks(ground, reach, literals)
        learned, held = (ground.engine.sums(_within(blocks, part)) for part in (growing, ~growing))
        votes = ground.vote(learned / total, speaks).votes
        losses.append(normalizer(held, votes) - float(held.sum()))  # Z, less what is the same
    return grown[first_of_best(-np.array(losses))]


def _within(blocks: Blocks, mask: NDArray[np.bool_]) -> Blocks:
    unknown, no, yes = (documents[mask[documents]] for documents in blocks)
    return unknown, no, yes
