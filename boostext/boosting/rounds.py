"""The loop: choose a condition, give it votes, move the weights. Every algorithm runs here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from boostext.algorithms import ALGORITHMS, Algorithm
from boostext.arrays import Float64, Int8, Lists, Scores, Weights
from boostext.boosting.choice import (
    LEAST_GAIN,
    document_frequencies,
    preferences,
    round_draw,
)
from boostext.boosting.codings import code_matrix, decode, encode
from boostext.boosting.colorings import COLORINGS
from boostext.boosting.engines.choose import check_engine, choose
from boostext.boosting.engines.interface import Engine, Problem, WholeEngine
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.growers.ground import Ground
from boostext.boosting.growers.search import Search
from boostext.boosting.growers.table import Growing
from boostext.boosting.losses import LOSSES
from boostext.boosting.membership import ALWAYS, Membership
from boostext.boosting.ranked_votes import newton
from boostext.boosting.rules import Place, Round, Rule
from boostext.boosting.starts import STARTS
from boostext.boosting.votes import VOTES, Vote, normalizer
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, Always, Condition, Equals, spell
from boostext.features.matrix import FeatureMatrix
from boostext.settings import BoostingSettings

ALL_ROUNDS = "all rounds"


class Booster:
    """One run of boosting over a corpus: a generator of rounds, and its state between them.

    label_sets: m lists of label numbers below label_count. weights: (m,), non-negative, not all 0.
    labels: their names, for a code given by name. `code` (k, k') is the output code, if any: scores
    are then of its columns.
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
        labels: Sequence[str] = (),
    ) -> None:
        self.settings = settings
        self.row = ALGORITHMS[settings.algorithm]
        _check_labels(self.row, label_sets, settings)
        check_engine(engine, settings)
        self._speaks = np.array(settings.speaking())
        if not settings.unknown_categories:
            features = replace(features, unknown_list=np.full_like(features.unknown_list, -1))
        self.members = Membership(features, bool(self._speaks[UNKNOWN]), settings.bins)
        self.stopped = ""
        self._label_sets, self._label_count = label_sets, label_count
        self.code = code_matrix(settings, label_count, labels) if self.row.coded else None
        if self.code is not None:
            label_sets, label_count = encode(self.code, label_sets), self.code.shape[1]
        start = STARTS[settings.start](weights, label_sets, label_count)
        problem = Problem(
            self.members, label_sets, label_count, start, self.row.votes[settings.votes_name()],
            self._speaks, loss=self.row.loss, threads=threads, seed=settings.seed,
        )  # fmt: skip
        self._voting = VOTES[problem.votes]
        self._smoothing = settings.smoothing_value(len(label_sets), label_count)
        self._of_prior = min(self._smoothing, 1 / (len(label_sets) * label_count))
        self._preference = self._rarities(features)
        self._chosen: set[int] = set()
        self._growing: Growing | None = None
        self._engine: Engine = (
            choose(engine, problem, settings.rounds)
            if self.row.grower == "stump"
            else self._grower(problem)
        )

    def rounds(
        self, replay: Sequence[Rule] = (), sizes: Sequence[int] = (), gains: Sequence[float] = ()
    ) -> Iterator[Round]:
        """Yield round 1, 2, ... up to settings.rounds; then `stopped` says why it ended.

        replay: rules already known, applied first without a search; they leave the very state
        that finding them left. sizes: rules of each of those rounds, if not one; gains: of each.
        """
        bound, first = 1.0, 0
        for number in range(1, self.settings.rounds + 1):
            size = sizes[number - 1] if number <= len(sizes) else 1
            known = replay[first : first + size]
            first += size
            gain = gains[number - 1] if number <= len(gains) else 0.0
            made = (
                self._grown(number, known, gain, bound)
                if self._growing
                else self._plain(number, known, bound)
            )
            if made is None:
                self.stopped = self.row.stops
                return
            bound = made.bound
            yield made
        self.stopped = ALL_ROUNDS

    def scores(self) -> Scores:
        """(m, k): f(x, l) of the training examples so far; with a code, of its columns."""
        return self._engine.scores()

    def label_scores(self) -> Scores:
        """(m, k): the scores of labels, decoded where labels are coded."""
        return self.decode(self._engine.scores())

    def decode(self, sums: Scores) -> Scores:
        """(m, k) scores of labels from (m, k') sums of votes."""
        return decode(sums, self.code, self.settings.decoding)

    def weights(self) -> Weights:
        """(m, k): D of the next round."""
        return self._engine.weights()

    def _plain(self, number: int, known: Sequence[Rule], bound: float) -> Round | None:
        """A round of one rule that is about all documents."""
        colors = self._color(number)
        condition = self._recall(known[0]) if known else self._search(number)
        return None if condition is None else self._round(number, condition, bound, colors)

    def _grown(self, number: int, known: Sequence[Rule], gain: float, bound: float) -> Round | None:
        """A round of rules that a grower places."""
        growing = cast(Growing, self._growing)
        numbered = [self._placed(rule) for rule in known]
        growth = growing.known(known, numbered, gain) if known else growing.grown(number)
        if growth is None:
            return None
        made = growing.moved(number, growth, bound)
        for _, place in made.placed:
            if place.condition != ALWAYS:
                self._used(place.condition, 1.0 if growing.by_label else self.settings.reuse)
        return made

    def _placed(self, rule: Rule) -> Place:
        before = tuple((self._number(c, "resume"), block) for c, block in rule.precondition)
        return Place(before, self._recall(rule))

    def _grower(self, problem: Problem) -> PlainEngine:
        """The engine of a grower, which then stands ready."""
        plain = PlainEngine(problem)
        search = Search(self.members, problem.label_count)
        ground = Ground(
            self.members, plain, search, self.settings, self._voting, self._speaks,
            self._smoothing, self._of_prior, lambda: self._preference,
        )  # fmt: skip
        self._growing = Growing(ground, self.row.grower, problem.votes == "margin")
        return plain

    def _search(self, number: int) -> int | None:
        if number == 1 and self.settings.prior_rule and self._prior_helps():
            return ALWAYS
        choice = self._engine.best(self._preference, round_draw(self.settings, number))
        if choice is None or choice.gain <= LEAST_GAIN or not self._preference[choice.condition]:
            return None
        return choice.condition

    def _prior_helps(self) -> bool:
        """Whether votes by label alone lower the bound. Source: SS99 s7, oblivious hypotheses."""
        W = self._engine.block_weights(ALWAYS)
        return float(self._voting.gain(W, self._speaks)) > LEAST_GAIN

    def _recall(self, rule: Rule) -> int:
        return self._number(rule.condition, "resume")

    def _number(self, condition: Condition, doing: str) -> int:
        try:
            return self.members.numbers[condition]
        except KeyError:
            raise SettingsError(
                f"cannot {doing}: {spell(condition)} is not among the conditions of this data"
            ) from None

    def _color(self, number: int) -> Int8 | None:
        """Two colors for the labels in this round, where the algorithm asks for them."""
        if not self.row.colored:
            return None
        confusion = np.zeros((self._label_count, self._label_count))
        np.add.at(confusion, self._label_sets.items, self._engine.weights())
        rng = np.random.default_rng([self.settings.seed, number])
        colors = COLORINGS[self.settings.coloring](confusion, rng)
        self._whole.color(colors)
        return colors

    def _round(self, number: int, condition: int, bound: float, colors: Int8 | None) -> Round:
        # subtle: gain and votes come from the winner's own sums, so that replaying equals finding
        W = self._engine.block_weights(condition)
        # subtle: the prior is where boosting starts, as in Friedman 2001; only steps are shortened.
        # It rests on all examples: more than a pair's weight of smoothing would hide rare labels
        prior = condition == ALWAYS
        smoothing = self._of_prior if prior else self._smoothing
        vote = self._sized(condition, self._voting.votes(W, self._speaks, smoothing), smoothing)
        shrinkage = 1.0 if prior else self.settings.shrinkage
        votes = vote.votes * shrinkage
        spelled = self.members.condition(condition)
        if isinstance(spelled, Equals) and not self.settings.unknown_categories:
            votes[UNKNOWN] = votes[NO]
        if colors is not None:  # a label gets alpha where the rule names its color
            votes = np.maximum(votes * colors, 0)
        z = self._apply(condition, votes, vote, W)
        if condition != ALWAYS:
            self._used(condition, self.settings.reuse)
        alpha = vote.alpha * shrinkage
        rule = Rule(spelled, votes, alpha)
        gain = float(self._voting.gain(W, self._speaks))
        return Round(number, rule, gain, z, bound * z, condition)

    def _sized(self, condition: int, vote: Vote, smoothing: float) -> Vote:
        """The vote with alpha chosen as the settings say."""
        way = self.settings.alpha_name()
        if way == "newton":
            pairs = self._whole.pair_weights(condition)
            found = [newton(w, c, smoothing) for w, c in zip(pairs, vote.votes, strict=True)]
            return Vote(np.stack(found) * self._speaks[:, None], 1.0)
        if way in ("own", "bound") or vote.alpha == 0:
            return vote
        direction = vote.votes / vote.alpha
        alpha = self._whole.size(condition, direction, way)
        return Vote(alpha * direction, alpha)

    def _apply(self, condition: int, votes: Float64, vote: Vote, W: Float64) -> float:
        """Move the engine on; the factor Z of this round."""
        if vote.pull is not None and vote.z is not None:
            self._whole.apply(condition, votes, vote.pull)
            return vote.z
        if LOSSES[self.row.loss].multiplicative:
            self._engine.apply(condition, votes)
            return normalizer(W, votes)
        before = self._whole.log_value()
        self._engine.apply(condition, votes)
        return float(np.exp(self._whole.log_value() - before))

    @property
    def _whole(self) -> WholeEngine:
        # subtle: `choose` gives what needs this an engine that has it
        return cast(WholeEngine, self._engine)

    def keep_only(self, conditions: Collection[Condition]) -> None:
        """Let rules ask for no others; SettingsError where the data has not all of them."""
        numbers = [self._number(c, "use") for c in conditions if c != Always()]
        kept = np.zeros(len(self._preference))
        kept[numbers] = self._preference[numbers]
        self._preference = kept

    def _used(self, condition: int, reuse: float) -> None:
        """Take in what a round has chosen: its reuse, and whether all terms are now spent."""
        self._preference[condition] *= reuse
        if condition in self._chosen:
            return
        self._chosen.add(condition)
        if len(self._chosen) == self.settings.terms:
            chosen = list(self._chosen)
            kept = np.zeros(len(self._preference))
            kept[chosen] = self._preference[chosen]
            self._preference = kept

    def _rarities(self, features: FeatureMatrix) -> Float64:
        """(n,) preference of every condition; thresholds are never rare."""
        listed = preferences(
            document_frequencies(features), features.document_count, self.settings.rarity
        )
        return np.concatenate([listed, np.ones(len(self.members) - len(listed))])


def _check_labels(row: Algorithm, label_sets: Lists, settings: BoostingSettings) -> None:
    """Refuse several labels, or none, where the algorithm is about exactly one."""
    if row.one_label and (np.diff(label_sets.starts) != 1).any():
        raise SettingsError(
            f"{settings.algorithm} needs exactly one label per document; for several use mh or mr"
        )
