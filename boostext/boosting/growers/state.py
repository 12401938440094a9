"""What growers share in a run: the engine, what was grown before, and how rules vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import (
    LEAST_GAIN,
    Eligible,
    Preferences,
    eligible,
    first_of_best,
    round_draw,
)
from boostext.boosting.engines.interface import Engine
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.tables import gains_of
from boostext.boosting.membership import ALWAYS, Membership
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import Growth, Place, Placed
from boostext.boosting.votes import Vote, Voting
from boostext.features.conditions import NO, UNKNOWN, YES
from boostext.settings import BoostingSettings

ONLY = np.eye(3)
"""speaks masks of one block alone."""


@dataclass(frozen=True, eq=False)
class GrowerState:
    """smoothing_of_prior: that of a rule that votes by label alone before all others.

    places: of the rules so far, in order. reuse_factors: of conditions that were chosen for single
    labels, the factors (k,) on their gains for each.
    """

    members: Membership
    engine: Engine
    settings: BoostingSettings
    voting: Voting
    speaks: Float64
    smoothing: float
    smoothing_of_prior: float
    preferences: Preferences
    places: list[Place] = field(default_factory=list)
    reuse_factors: dict[int, Float64] = field(default_factory=dict)

    @property
    def plain(self) -> PlainEngine:
        """The engine that knows every weight: `choose` gives it to whatever needs more than the
        gains of single conditions.
        """
        if not isinstance(self.engine, PlainEngine):
            raise TypeError(f"{self.settings.algorithm} needs the plain engine")
        return self.engine

    @property
    def reach(self) -> Reach[int]:
        return self.plain.reach

    @property
    def preference(self) -> Float64:
        return self.preferences.values

    @property
    def example_count(self) -> int:
        return self.plain.problem.example_count

    def flat(self) -> Float64:
        """(m, 2k): the weights by sign."""
        return self.plain.flat()

    def everything(self) -> Numbers:
        return np.arange(self.example_count, dtype=np.int32)

    def draw(self, number: int) -> Eligible:
        return round_draw(self.settings, number)

    def open_to(self, number: int) -> NDArray[np.bool_]:
        """(n,): the conditions that may be chosen in a round."""
        return eligible(self.draw(number), np.arange(len(self.members)))

    def preferred(self, gains: Float64, open_to: NDArray[np.bool_]) -> Float64:
        """Gains as the choice sees them; a preference of 0 closes a condition."""
        preference = self.preference
        return np.where(open_to & (preference > 0), gains * preference, -np.inf)

    def best(
        self, flat: Float64, documents: Numbers, open_to: NDArray[np.bool_]
    ) -> tuple[int, float] | None:
        """The condition of greatest gain among these documents, and its gain."""
        tables = self.plain.tables.tables(flat, documents)
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

    def grown(self, condition: int) -> Growth:
        """The rule of a condition about all documents, and its gain."""
        return self._alone(condition, self.speaks, self.smoothing)

    def always(self, smoothing: float | None = None) -> Growth:
        """The rule that votes by label alone. Source: SS99 s7."""
        return self._alone(ALWAYS, ONLY[YES], self.smoothing if smoothing is None else smoothing)

    def _alone(self, condition: int, speaks: Float64, smoothing: float) -> Growth:
        place = Place((), condition)
        W = self.engine.block_weights(place)
        vote = self.voting.votes(W, speaks, smoothing)
        gain = float(self.voting.gain(W, speaks))
        return Growth((Placed(place, vote.votes, vote.alpha),), gain)

    def placed(self, place: Place, blocks: Blocks, speaks: Float64) -> Placed:
        """A rule with votes of its own in each speaking block, of the weights in `blocks`."""
        vote = self.vote(self.plain.sums(blocks), speaks)
        return Placed(place, vote.votes, vote.alpha)

    def reuse(self, rule: Placed) -> None:
        """Take in that the condition was chosen for the labels that its rule votes on."""
        if rule.place.condition != ALWAYS:
            factors = self.reuse_factors.setdefault(
                rule.place.condition, np.ones(rule.votes.shape[1])
            )
            factors[rule.votes.any(axis=0)] *= self.settings.reuse


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
