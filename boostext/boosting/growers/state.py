"""The state that growers share in a run: the engine, the rules so far, and the kind of votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64
from boostext.boosting.choice import (
    LEAST_GAIN,
    TIE,
    Choice,
    Eligible,
    Preferences,
    eligible,
    first_of_best,
    round_draw,
)
from boostext.boosting.engines.interface import Engine, Growing
from boostext.boosting.engines.layout import MOST_AHEAD
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.tables import gains_of
from boostext.boosting.gains import apart
from boostext.boosting.membership import ALWAYS, Membership
from boostext.boosting.reach import Blocks, Numbers, Reach
from boostext.boosting.rules import SILENT, BlockNumbers, Growth, Place, Placed
from boostext.boosting.votes import Gain, Vote, Voting, gain_by
from boostext.features.conditions import NO, UNKNOWN, YES
from boostext.knowledge.restraints import Range
from boostext.settings import BoostingSettings

ONLY = np.eye(3)
"""Row b is the mask `speaks` of rules that vote in block b only."""


@dataclass(frozen=True, eq=False)
class GrowerState:
    """The state of a run, with the computations that growers have in common.

    members, engine, settings: those of the run. voting: the kind of votes. speaks: (3,), 1 for the
    blocks (UNKNOWN, NO, YES) in which rules vote, else 0. smoothing: that of the votes.
    smoothing_of_prior: that of a rule without a condition that is learned before all others.
    preferences: the factors on the gains of conditions.
    label: the label that conjunctions must vote for, if any.
    places: the places of the rules so far, in order.
    reuse_factors: for conditions that were chosen for single labels, the factors (k,) on their
    gains for each label. preferences_of_labels: for each label, the preference without these
    factors and with them.
    ranges: the ranges of the votes of restrained conditions.
    should_stop: whether the caller has no use for further rules; asked during long rounds.
    """

    members: Membership
    engine: Engine
    settings: BoostingSettings
    voting: Voting
    speaks: Float64
    smoothing: float
    smoothing_of_prior: float
    preferences: Preferences
    label: int | None
    places: list[Place] = field(default_factory=list)
    reuse_factors: dict[int, Float64] = field(default_factory=dict)
    preferences_of_labels: dict[int, tuple[Float64, Float64]] = field(default_factory=dict)
    ranges: Mapping[int, Range] = field(default_factory=dict)
    should_stop: Callable[[], bool] = lambda: False

    @cached_property
    def growing(self) -> Growing | None:
        """The engine if it learns rules by itself, otherwise None.

        The test takes a tenth of a round on little data, so it is made once.
        """
        return self.engine if isinstance(self.engine, Growing) else None

    @property
    def plain(self) -> PlainEngine:
        """The plain engine, which gives access to all weights.

        `choose` selects it for growers that need more than the gains of single conditions. Raises
        TypeError if the run has another engine.
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

    def preference_for(self, label: int) -> Float64:
        """Return the preference (n,) for one label.

        The array is the same in every call until the preference for all labels is replaced.
        """
        if self.settings.reuse >= 1:
            return self.preference
        known = self.preferences_of_labels.get(label)
        if known is None or known[0] is not self.preference:
            own = self.preference.copy()
            for j, factors in self.reuse_factors.items():
                own[j] *= factors[label]
            known = self.preferences_of_labels[label] = self.preference, own
        return known[1]

    def flat(self) -> Float64:
        """Return the weights (m, 2k), those with sign - before those with sign +."""
        return self.plain.flat()

    def everything(self) -> Numbers:
        return np.arange(self.example_count, dtype=np.int32)

    def draw(self, number: int) -> Eligible:
        return round_draw(self.settings, number)

    def ahead(self, number: int) -> list[Eligible]:
        """Return the eligible conditions of this round and of rounds that may be learned with it.

        There are no such further rounds if the choice in one round changes the preference for the
        next, as it does with `reuse` or `terms`.
        """
        settings = self.settings
        alone = settings.reuse < 1 or settings.terms > 0
        last = number if alone else min(settings.rounds, number + MOST_AHEAD - 1)
        return [self.draw(n) for n in range(number, last + 1)]

    def open_to(self, number: int) -> NDArray[np.bool_]:
        """Return a mask (n,) of the conditions that are eligible in a round."""
        return eligible(self.draw(number), np.arange(len(self.members)))

    def preferred(self, gains: Float64, open_to: NDArray[np.bool_]) -> Float64:
        """Return gain x preference, or -inf for conditions that may not be chosen."""
        preference = self.preference
        return np.where(open_to & (preference > 0), gains * preference, -np.inf)

    def best(
        self, documents: Numbers, open_to: NDArray[np.bool_], criterion: Gain
    ) -> tuple[int, float] | None:
        """Return the condition to choose on these documents and its gain, if there is one."""
        tables = self.plain.tables.tables(self.flat(), documents)
        (gains,) = gains_of(tables, len(self.members), [lambda W: self.gain(W, criterion)])
        values = self.preferred(gains, open_to)
        if not len(values) or not np.isfinite(values.max()):
            return None
        j = first_of_best(values, self.preference)
        return j, float(gains[j])

    def gain(self, W: Float64, criterion: Gain | None = None) -> Float64:
        """Return the gains (...,) of block weights (..., 3, 2, k), by default by `self.criterion`.

        The first blocks are left out of the computation if rules abstain in them, which saves a
        third of the work for each.
        """
        first = UNKNOWN if self.speaks[UNKNOWN] else NO if self.speaks[NO] else YES
        return (criterion or self.criterion)(W[..., first:, :, :], self.speaks[first:])

    @property
    def criterion(self) -> Gain:
        """The function that computes the gains by which conditions are chosen."""
        if self.settings.index == "z":
            return self.voting.gain
        return gain_by(self.settings.index, self.voting.classes)

    @property
    def leaf_criterion(self) -> Gain:
        """The criterion for blocks that are split one by one, whose gains must be additive."""
        if self.settings.index == "z" and not self.voting.additive:
            return gain_by("kearns-mansour", self.voting.classes)
        return self.criterion

    def vote(self, W: Float64, speaks: Float64) -> Vote:
        return self.voting.votes(W, speaks, self.smoothing)

    def grown(self, condition: int) -> Growth:
        """Return the rule of a condition, without a precondition, and its gain."""
        place, speaks = Place((), condition), self.speaks
        W = self.engine.block_weights(place)
        if condition in self.ranges:
            return self._restrained(place, W)
        vote = self.vote(W, speaks)
        unknown, no, yes = (n if speaking else SILENT for n, speaking in enumerate(speaks))
        rules = (Placed(place, vote.votes, vote.alpha),)
        return Growth(rules, float(self.voting.gain(W, speaks)), ((unknown, no, yes),))

    def _restrained(self, place: Place, W: Float64) -> Growth:
        """Return the rule of a condition whose votes have a range.

        Votes are clipped to the range, and those that this changes add nothing to the gain.
        """
        free = self.vote(W, self.speaks).votes
        votes = self.ranges[place.condition].clipped(free)
        spoken = np.where(votes == free, apart(W[:, 0], W[:, 1]), 0.0) * self.speaks[:, None]
        return Growth((Placed(place, votes),), float(spoken.sum()))

    def or_restrained(self, choice: Choice | None, number: int) -> Choice | None:
        """Return the better one of a choice and the restrained conditions; ties go to the first."""
        best, value = choice, 0.0
        if choice is not None:
            value = choice.gain * float(self.preference[choice.condition])
        for j, like in self.preferences.limited.items():
            if like and eligible(self.draw(number), np.array([j]))[0]:
                gain = self.grown(j).gain
                ahead = gain * like - value
                first = best is None or (abs(ahead) <= TIE and j < best.condition)
                if helps(gain) and (ahead > TIE or first):
                    best, value = Choice(j, gain), gain * like
        return best

    def always(self, smoothing: float | None = None) -> Growth:
        """Return the rule without a condition, which gives all documents the same votes.

        Source: SS99 s7.
        """
        place, speaks = Place((), ALWAYS), np.ones(1)
        W = self.engine.block_weights(place)[YES:]
        vote = self.voting.votes(W, speaks, self.smoothing if smoothing is None else smoothing)
        votes = np.concatenate([np.zeros((2, vote.votes.shape[1])), vote.votes])
        rules = (Placed(place, votes, vote.alpha),)
        return Growth(rules, float(self.voting.gain(W, speaks)), ((SILENT, SILENT, 0),))

    def hypothesis(self, places: Sequence[Place], blocks: Sequence[BlockNumbers]) -> Growth | None:
        """Return the rules of one weak hypothesis, with votes computed for each of its blocks.

        places: those of the rules. blocks: for each rule, the block numbers of its rows. Returns
        None if the hypothesis does not lower the loss.
        """
        W, outside = self._of_blocks(places, blocks)
        speaks = np.ones(len(W))
        if outside is not None:
            W, speaks = np.concatenate([W, outside]), np.append(speaks, 0.0)
        gain = float(self.voting.gain(W, speaks))
        if not helps(gain):
            return None
        vote = self.vote(W, speaks)
        k = vote.votes.shape[1]
        rules = tuple(Placed(place, np.zeros((3, k))) for place in places)
        found = Growth(rules, gain, tuple(blocks))
        return found.with_votes(vote.votes[: len(W) - (outside is not None)], vote.alpha)

    def _of_blocks(
        self, places: Sequence[Place], blocks: Sequence[BlockNumbers]
    ) -> tuple[Float64, Float64 | None]:
        """Return the weights (b, 2, k) of the blocks, and (1, 2, k) of the documents in no block.

        The second result is None if every document is in a block.
        """
        outside = np.ones(self.example_count, np.bool_)
        W: dict[int, Float64] = {}
        for place, numbers in zip(places, blocks, strict=True):
            found = self.reach.blocks(*place)
            for row, (documents, weights) in enumerate(
                zip(found, self.plain.sums(found), strict=True)
            ):
                if (number := numbers[row]) != SILENT:
                    W[number] = W[number] + weights if number in W else weights
                    outside[documents] = False
        none = np.zeros(0, np.int32)
        rest = self.plain.sums((np.flatnonzero(outside), none, none))[:1]
        return np.stack([W[n] for n in range(len(W))]), rest if outside.any() else None

    def sums(self, blocks: Blocks) -> Float64:
        """Return the block weights (3, 2, k), of the drawn sample if examples are resampled."""
        flat = self.flat()
        sums = np.stack([flat[documents].sum(axis=0) for documents in blocks])
        return sums.reshape(3, 2, -1)

    def reuse(self, rule: Placed) -> None:
        """Record that the condition of a rule was chosen for the labels that the rule votes on."""
        condition, factor = rule.place.condition, self.settings.reuse
        if condition == ALWAYS or factor >= 1:
            return
        factors = self.reuse_factors.setdefault(condition, np.ones(rule.votes.shape[1]))
        for label in np.flatnonzero(rule.votes.any(axis=0)).tolist():
            factors[label] *= factor
            if label in self.preferences_of_labels:
                self.preferences_of_labels[label][1][condition] *= factor


def helps(gain: float) -> bool:
    return gain > LEAST_GAIN


def united(parts: Sequence[Numbers]) -> Numbers:
    """Return the documents of several lists in ascending order."""
    return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int32)
