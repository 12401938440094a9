"""What growers stand on: the weights, the search, what was grown before, and how rules vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import LEAST_GAIN, eligible, first_of_best, round_draw
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.growers.search import Search, gains_of
from boostext.boosting.membership import ALWAYS, Membership
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import Place
from boostext.boosting.votes import Vote, Voting
from boostext.features.conditions import NO, UNKNOWN, YES
from boostext.settings import BoostingSettings

ONLY = np.eye(3)
"""speaks masks of one block alone."""


class Stand(NamedTuple):
    """A rule in its place. blocks: the documents it speaks to; votes: (3, k)."""

    place: Place
    blocks: Blocks
    votes: Float64
    alpha: float = 1.0


class Growth(NamedTuple):
    """The rules of a round, and its gain: of 1 - Z, unsmoothed, for real votes."""

    stands: tuple[Stand, ...]
    gain: float


@dataclass(frozen=True, eq=False)
class Ground:
    """The state that growers share in a run.

    of_prior: smoothing of the prior rule.
    preferring: gives the preference (n,) of conditions now. places: of the rules so far, in order.
    worn: of conditions chosen for single labels, the factors (k,) of reuse on each.
    """

    members: Membership
    engine: PlainEngine
    search: Search
    settings: BoostingSettings
    voting: Voting
    speaks: Float64
    smoothing: float
    of_prior: float
    preferring: Callable[[], Float64]
    places: list[Place] = field(default_factory=list)
    worn: dict[int, Float64] = field(default_factory=dict)

    @property
    def reach(self) -> Reach[int]:
        # subtle: made anew by each round, so that masks of old preconditions are not held
        return Reach[int](
            lambda j: (self.members.yes(j), self.members.unknown(j)), self.example_count
        )

    @property
    def preference(self) -> Float64:
        return self.preferring()

    @property
    def example_count(self) -> int:
        return self.engine.problem.example_count

    def flat(self) -> Float64:
        """(m, 2k): the weights by sign."""
        by_sign = self.engine.by_sign()
        return by_sign.reshape(len(by_sign), -1)

    def everything(self) -> Numbers:
        return np.arange(self.example_count, dtype=np.int32)

    def open_to(self, number: int) -> NDArray[np.bool_]:
        """(n,): the conditions that may be chosen in a round."""
        return eligible(round_draw(self.settings, number), np.arange(len(self.members)))

    def preferred(self, gains: Float64, open_to: NDArray[np.bool_]) -> Float64:
        """Gains as the choice sees them; a preference of 0 closes a condition."""
        preference = self.preference
        return np.where(open_to & (preference > 0), gains * preference, -np.inf)

    def best(
        self, flat: Float64, documents: Numbers, open_to: NDArray[np.bool_]
    ) -> tuple[int, float] | None:
        """The condition of greatest gain among these documents, and its gain."""
        tables = self.search.tables(flat, documents)
        (gains,) = gains_of(tables, len(self.members), [self.gain])
        values = self.preferred(gains, open_to)
        if not len(values) or not np.isfinite(values.max()):
            return None
        j = first_of_best(values, self.preference)
        return j, float(gains[j])

    def gain(self, W: Float64) -> Float64:
        """(...,) of block weights (..., 3, 2, k) where all blocks vote that may.

        A silent block UNKNOWN is not looked at, nor a silent NO: each is a third of the work.
        """
        first = UNKNOWN if self.speaks[UNKNOWN] else NO if self.speaks[NO] else YES
        return self.voting.gain(W[..., first:, :, :], self.speaks[first:])

    def vote(self, W: Float64, speaks: Float64) -> Vote:
        return self.voting.votes(W, speaks, self.smoothing)

    def stand(self, place: Place, blocks: Blocks, speaks: Float64) -> Stand:
        """A rule with votes of its own in each speaking block."""
        vote = self.vote(self.engine.sums(blocks), speaks)
        return Stand(place, blocks, vote.votes, vote.alpha)

    def wear(self, stand: Stand) -> None:
        """Take in that the condition was chosen for the labels that its rule votes on."""
        if stand.place.condition != ALWAYS:
            factors = self.worn.setdefault(stand.place.condition, np.ones(stand.votes.shape[1]))
            factors[stand.votes.any(axis=0)] *= self.settings.reuse

    def always(self, smoothing: float | None = None) -> Growth:
        """The rule that votes by label alone. Source: SS99 s7."""
        blocks = self.engine.blocks(ALWAYS)
        W = self.engine.sums(blocks)
        vote = self.voting.votes(W, ONLY[YES], self.smoothing if smoothing is None else smoothing)
        stand = Stand(Place((), ALWAYS), blocks, vote.votes, vote.alpha)
        return Growth((stand,), float(self.voting.gain(W, ONLY[YES])))


Grower = Callable[[Ground, int], Growth | None]
"""ground, number of the round -> its rules; None where none helps."""


def helps(gain: float) -> bool:
    return gain > LEAST_GAIN


def masked(blocks: Blocks, speaks: Float64) -> Blocks:
    """Without the documents of silent blocks."""
    none = np.zeros(0, np.int32)
    unknown, no, yes = (blocks[block] if speaks[block] else none for block in (UNKNOWN, NO, YES))
    return unknown, no, yes


def united(parts: Sequence[Numbers]) -> Numbers:
    """Documents of several lists, ascending."""
    return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int32)
