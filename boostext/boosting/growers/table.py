"""The growers by name, and the round that one of them gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.engines.plain import Move
from boostext.boosting.growers.alternating import alternating_tree
from boostext.boosting.growers.conjunctions import conjunction, decision_rule
from boostext.boosting.growers.ground import Ground, Grower, Growth, Stand, helps
from boostext.boosting.growers.several import committee, per_label
from boostext.boosting.growers.trees import decision_tree
from boostext.boosting.rules import Place, Round, Rule
from boostext.boosting.votes import pull_of
from boostext.features.conditions import Literal

GROWERS: dict[str, Grower] = {
    "conjunction": conjunction,
    "decision rule": decision_rule,
    "alternating tree": alternating_tree,
    "decision tree": decision_tree,
    "per label": per_label,
    "committee": committee,
}
"""Where rules may stand that are more than one condition; "stump" is the loop's own."""


class Growing:
    """Rounds of a grower: `grown` finds one, `known` takes it from rules, `moved` makes it so."""

    def __init__(self, ground: Ground, grower: str, margin: bool) -> None:
        self.ground, self._grow, self._margin = ground, GROWERS[grower], margin
        self.by_label = self._grow is per_label

    def grown(self, number: int) -> Growth | None:
        """The rules of a round; the first may vote by label alone."""
        prior = self._prior() if number == 1 and self.ground.settings.prior_rule else None
        if prior is not None:  # never shrunk, see Booster
            return prior
        growth = self._grow(self.ground, number)
        return None if growth is None else self._shrunk(self._sized(growth))

    def _prior(self) -> Growth | None:
        prior = self.ground.always(self.ground.of_prior)
        return prior if helps(prior.gain) else None

    def known(self, rules: Sequence[Rule], places: Sequence[Place], gain: float) -> Growth:
        """The same from the rules of a round that was done before, and its gain."""
        reach = self.ground.reach
        stands = (
            Stand(place, reach.blocks(*place), rule.votes, rule.alpha)
            for rule, place in zip(rules, places, strict=True)
        )
        return Growth(tuple(stands), gain)

    def moved(self, number: int, growth: Growth, bound: float) -> Round:
        """Let the rules vote, and tell of the round; bound: of the rounds before."""
        ground = self.ground
        stands = growth.stands
        z = self._move(stands)
        ground.places.extend(stand.place for stand in stands)
        if self.by_label:
            for stand in stands:
                ground.wear(stand)
        first, *more = (self._rule(stand) for stand in stands)
        places = tuple(stand.place for stand in stands)
        plain = len(places) == 1 and not places[0].precondition
        return Round(
            number, first, growth.gain, z, bound * z, places[0].condition, tuple(more),
            () if plain else places,
        )  # fmt: skip

    def _sized(self, growth: Growth) -> Growth:
        """With votes scaled by the alpha of least loss, where that is asked for. SS99 s3, App. A"""
        if self.ground.settings.alpha_name() != "numeric":
            return growth
        moves = [(stand.blocks, stand.votes) for stand in growth.stands]
        return self._scaled(growth, self.ground.engine.size_of(moves, "numeric"))

    def _shrunk(self, growth: Growth) -> Growth:
        factor = self.ground.settings.shrinkage
        return growth if factor == 1 else self._scaled(growth, factor)

    def _scaled(self, growth: Growth, factor: float) -> Growth:
        stands = tuple(
            stand._replace(votes=stand.votes * factor, alpha=stand.alpha * factor)
            for stand in growth.stands
        )
        return growth._replace(stands=stands)

    def _move(self, stands: Sequence[Stand]) -> float:
        """The factor Z of the round."""
        engine = self.ground.engine
        moves: list[Move] = [(stand.blocks, stand.votes) for stand in stands]
        if self._margin and stands[0].alpha:
            tables = np.stack([engine.sums(blocks) for blocks, _ in moves])
            votes: Float64 = np.stack([stand.votes / stand.alpha for stand in stands])
            pulls, z = pull_of(tables, votes)
            blocks = [stand.blocks for stand in stands]
            engine.move(moves, list(zip(blocks, pulls, strict=True)))
            return z
        before = engine.log_value()
        engine.move(moves)
        return float(np.exp(engine.log_value() - before))

    def _rule(self, stand: Stand) -> Rule:
        members = self.ground.members
        before = tuple(
            Literal(members.condition(j), block) for j, block in stand.place.precondition
        )
        return Rule(members.condition(stand.place.condition), stand.votes, stand.alpha, before)
