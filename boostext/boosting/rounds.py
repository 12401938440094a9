"""The loop: choose a condition, give it votes, move the weights. Every algorithm runs here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from boostext.arrays import Float64, Lists, Scores, Weights
from boostext.boosting.choice import (
    LEAST_GAIN,
    document_frequencies,
    preferences,
    round_draw,
)
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.membership import Membership
from boostext.boosting.rules import Round, Rule
from boostext.boosting.starts import STARTS
from boostext.boosting.votes import VOTES, normalizer
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, spell
from boostext.features.matrix import FeatureMatrix
from boostext.settings import BoostingSettings

ENGINES: dict[str, Callable[[Problem], Engine]] = {"plain": PlainEngine}

ALL_ROUNDS = "all rounds"
NO_GAIN = "no condition helps"


class Booster:
    """One run of boosting over a corpus: a generator of rounds, and its state between them.

    label_sets: m lists of label numbers below label_count. weights: (m,), non-negative, not all 0.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        label_sets: Lists,
        label_count: int,
        weights: Float64,
        settings: BoostingSettings,
        engine: str = "auto",
        threads: int = 1,
    ) -> None:
        self.settings = settings
        self._speaks = np.array(settings.speaking())
        if not settings.unknown_categories:
            features = replace(features, unknown_list=np.full_like(features.unknown_list, -1))
        self.members = Membership(features, known=bool(self._speaks[UNKNOWN]))
        self.stopped = ""
        start = STARTS[settings.start](weights, label_sets, label_count)
        problem = Problem(
            self.members, label_sets, label_count, start, settings.votes, self._speaks,
            threads=threads,
        )  # fmt: skip
        self._smoothing = settings.smoothing_value(len(label_sets), label_count)
        self._engine = ENGINES["plain" if engine == "auto" else engine](problem)
        self._preference = self._rarities(features)

    def rounds(self, replay: Sequence[Rule] = ()) -> Iterator[Round]:
        """Yield round 1, 2, ... up to settings.rounds; then `stopped` says why it ended.

        replay: rules already known, applied first without a search; they leave the very state
        that finding them left.
        """
        bound = 1.0
        for number in range(1, self.settings.rounds + 1):
            known = replay[number - 1] if number <= len(replay) else None
            condition = self._recall(known) if known else self._search(number)
            if condition is None:
                self.stopped = NO_GAIN
                return
            made = self._round(number, condition, bound)
            bound = made.bound
            yield made
        self.stopped = ALL_ROUNDS

    def scores(self) -> Scores:
        """(m, k): f(x, l) of the training examples so far."""
        return self._engine.scores()

    def weights(self) -> Weights:
        """(m, k): D of the next round."""
        return self._engine.weights()

    def _search(self, number: int) -> int | None:
        choice = self._engine.best(self._preference, round_draw(self.settings, number))
        return None if choice is None or choice.gain <= LEAST_GAIN else choice.condition

    def _recall(self, rule: Rule) -> int:
        try:
            return self.members.numbers[rule.condition]
        except KeyError:
            raise SettingsError(
                f"cannot resume: {spell(rule.condition)} is not among the conditions of this data"
            ) from None

    def _round(self, number: int, condition: int, bound: float) -> Round:
        # subtle: gain and votes come from the winner's own sums, so that replaying equals finding
        W = self._engine.block_weights(condition)
        voting = VOTES[self.settings.votes]
        vote = voting.votes(W, self._speaks, self._smoothing)
        votes = vote.votes * self.settings.shrinkage
        if condition < self.members.listed and not self.settings.unknown_categories:
            votes[UNKNOWN] = votes[NO]
        z = normalizer(W, votes)
        self._engine.apply(condition, votes)
        self._preference[condition] *= self.settings.reuse
        alpha = vote.alpha * self.settings.shrinkage
        rule = Rule(self.members.condition(condition), votes, alpha)
        return Round(number, rule, float(voting.gain(W, self._speaks)), z, bound * z)

    def _rarities(self, features: FeatureMatrix) -> Float64:
        """(n,) preference of every condition; thresholds are never rare."""
        listed = preferences(
            document_frequencies(features), features.document_count, self.settings.rarity
        )
        return np.concatenate([listed, np.ones(len(self.members) - len(listed))])
