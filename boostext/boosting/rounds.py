"""The boosting loop that all algorithms share.

Each round learns one or more rules, sets the size of their votes, and updates the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from boostext.algorithms import ALGORITHMS, Algorithm
from boostext.arrays import Float64, Int8, Lists, Scores, Weights
from boostext.boosting.beliefs import Belief, bound_at_start, pairs_of
from boostext.boosting.choice import Preferences, document_frequencies, preferences
from boostext.boosting.codings import COLORINGS, code_matrix, decode, encode
from boostext.boosting.engines.choose import Maker, check_engine, choose, made_here
from boostext.boosting.engines.interface import Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.growers import GROWERS
from boostext.boosting.growers.parallel import LAST_SMOOTHING, last_round
from boostext.boosting.growers.state import GrowerState, helps
from boostext.boosting.losses import LOSSES, STARTS
from boostext.boosting.membership import ALWAYS, Membership
from boostext.boosting.ranked_votes import newton
from boostext.boosting.rules import SILENT, Growth, Place, Placed, Round, Rule
from boostext.boosting.votes import VOTES
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, Always, Condition, Equals, Literal, spell
from boostext.features.matrix import FeatureMatrix
from boostext.knowledge.restraints import Restraints
from boostext.settings import BoostingSettings

ALL_ROUNDS, ALL_TERMS = "all rounds", "a last round of all terms"
"""Why a run ended: all rounds were learned, or the last one updated the votes of all terms."""
EXCHANGED = [UNKNOWN, YES, NO]
"""The order of the rows of votes in which those of the blocks NO and YES are exchanged."""


class Booster:
    """A boosting run on a corpus: it generates the rounds and keeps the state between them.

    features: the features of m documents.
    label_sets: m lists of label numbers below label_count.
    weights: (m,), the weights of the documents, non-negative and not all 0. With a belief, all
    may be 0, and those of documents without labels are.
    settings: the settings of the run, such as the algorithm and the number of rounds.
    engine: `plain`, `incremental` or `auto`. threads: the number of threads that it may use.
    labels: the names of the labels, which an output code and the option --rules-for refer to.
    belief: prior knowledge that the model is to stay close to, if any.
    restraints: the conditions that rules may not use, and the ranges of the votes of others.
    make: creates the engine of a given name.

    The attribute `code` (k, k') is the output code, or None; with a code, the engine's scores are
    those of its columns. Raises SettingsError where the settings do not fit the data.
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
        belief: Belief | None = None,
        restraints: Restraints | None = None,
        make: Maker = made_here,
    ) -> None:
        self.settings, self.row = settings, ALGORITHMS[settings.algorithm]
        _check_labels(self.row, label_sets, settings)
        check_engine(engine, settings)
        speaks = np.array(settings.speaking())
        if not settings.unknown_categories:
            features = replace(features, unknown_list=np.full_like(features.unknown_list, -1))
        self.members = Membership(
            features, bool(speaks[UNKNOWN]), settings.bins, one_sided=not speaks[NO]
        )
        self.stopped, self._label_sets, self._label_count = "", label_sets, label_count
        self.code = code_matrix(settings, label_count, labels) if self.row.coded else None
        if self.code is not None:
            label_sets, label_count = encode(self.code, label_sets), self.code.shape[1]
        start = STARTS[settings.start](weights, label_sets, label_count)
        problem = Problem(
            self.members,
            label_sets,
            label_count,
            start,
            self.row.votes[settings.votes_name()],
            speaks,
            settings.smoothing_value(len(label_sets), label_count),
            settings.shrinkage,
            self.row.loss,
            threads,
            settings.seed,
        )
        self._counted, self.start_bound = float(problem.example_count), 1.0
        if belief is not None:
            problem = self._believing(problem, belief, weights)
        self._problem, self._bound_at_first = problem, self.start_bound
        self._before: list[Placed] = []  # the rules so far, if the last round needs them
        self._engine = choose(engine, problem, settings, make)
        self._grower = GROWERS[settings.learner_name()]
        self._state = self._shared(problem, _number_of(settings.rules_for, labels))
        if restraints is not None:
            self._restrain(restraints)

    def rounds(
        self,
        replay: Sequence[Rule] = (),
        sizes: Sequence[int] = (),
        gains: Sequence[float] = (),
        foreign: bool = False,
        ended: bool = False,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[Round]:
        """Yield round 1, 2, ... up to settings.rounds; then `stopped` says why the run ended.

        replay: rules learned before, which are applied first, without a search. The state after
        them is the same as when they were learned.
        sizes: the number of rules in each of those rounds; 1 for rounds beyond its end.
        gains: the gain of each of those rounds; without it, the gain of the round's first rule.
        foreign: whether another program learned the rules, so that their votes may differ from
        those computed on this data. If it is False, such a difference raises SettingsError.
        ended: whether the last of those rounds updated the votes of all terms.
        should_stop: asked between updates of the votes of all terms; if it returns true, the run
        ends without that round.
        """
        self._state = replace(self._state, should_stop=should_stop)
        bound, first, last = self.start_bound, 0, len(sizes) or len(replay)
        for number in range(1, self.settings.rounds + 1):
            size = sizes[number - 1] if number <= len(sizes) else 1
            known = replay[first : first + size]
            first += size
            colors, gain = self._color(number), gains[number - 1 : number]
            is_due = self._is_last(number, bound)
            ends = (ended and number == last) if known else is_due
            if ends and not is_due:
                self._check_ended(number, colors)
            growth = self._known(known, gain) if known else None
            if growth and not foreign and not ends:
                self._check_size(number, growth)
                if self._grower.alone:
                    self._check_known(number, growth, colors)
            elif not growth and not ends:
                growth = self._grown(number, colors)
                ends = growth is None and self.settings.finish > 0
            if ends:
                growth = self._last_growth(number, growth)
            if growth is None:
                self.stopped = self.row.stops
                return
            made = self._applied(number, growth, bound)
            if ends:
                made = replace(made, is_last=True)
            bound = made.bound
            if number == 1 and made.condition == ALWAYS:
                self._bound_at_first = bound
            yield made
            if ends:
                self.stopped = ALL_TERMS
                return
        self.stopped = ALL_ROUNDS

    def _is_last(self, number: int, bound: float) -> bool:
        """Return whether this round updates the votes of all terms, which ends the run.

        bound: that of the rounds before.
        """
        settings = self.settings
        if not settings.finish:
            return False
        little = bound <= settings.finish * self._bound_at_first and number > settings.prior_rule
        return little or number == settings.rounds

    def _check_ended(self, number: int, colors: Int8 | None) -> None:
        """Raise SettingsError if an unbroken run would not have ended after this round."""
        if self._grown(number, colors) is not None:
            raise SettingsError(
                f"cannot resume: round {number} of the model is its last one, which updated the "
                "votes of all terms, but with more rounds, it would come later; train anew without "
                "--resume"
            )

    def _last_growth(self, number: int, known: Growth | None) -> Growth | None:
        """Learn the rules of the last round, which updates the votes of all terms.

        known: these rules, if they were learned before.
        subtle: the scores are added up anew from all rules so far, so that they are the same bits
        after any engine, which may have gone on to further rounds.
        """
        engine = self._engine = PlainEngine(self._problem)
        if self._before:
            engine.apply(self._before)
        smoothing = LAST_SMOOTHING / self._counted
        return known or last_round(replace(self._state, engine=engine, smoothing=smoothing), number)

    def scores(self) -> Scores:
        """Return the scores f(x, l) of the training examples so far, of shape (m, k).

        With a code, they are the scores (m, k') of its columns.
        """
        return self._engine.scores()

    def label_scores(self) -> Scores:
        """Return the scores (m, k) of labels, decoded if there is an output code."""
        return self.decode(self._engine.scores())

    def decode(self, sums: Scores) -> Scores:
        """Return the scores (m, k) of labels, computed from the sums of votes (m, k')."""
        return decode(sums, self.code, self.settings.decoding)

    def weights(self) -> Weights:
        """Return the weights D (m, k) of the next round."""
        return self._engine.weights()

    def keep_only(self, conditions: Collection[Condition]) -> None:
        """Restrict rules to these conditions.

        Raises SettingsError if one of them is not among the conditions of the data.
        """
        above = [self._number(c, "use") for c in conditions if c != Always()]
        below = (self.members.below(j) for j in above)
        self._state.preferences.keep_only([*above, *(j for j in below if j is not None)])

    def _believing(self, problem: Problem, belief: Belief, weights: Float64) -> Problem:
        """Return the problem of fitting the data and staying close to a belief."""
        pairs = pairs_of(belief, problem.start, problem.signs(), weights, self.row.link)
        self.start_bound = bound_at_start(pairs, LOSSES[self.row.loss])
        told = float(np.broadcast_to(belief.weight, (len(weights), 1)).sum())
        self._counted = float((weights > 0).sum()) + told
        smoothing = self.settings.smoothing_value(self._counted, problem.label_count)
        return replace(problem, pairs=pairs, smoothing=smoothing)

    def _restrain(self, restraints: Restraints) -> None:
        """Exclude the conditions that no rule may use, and keep the ranges of votes of others."""
        found = ((j, restraints.of(self.members.condition(j))) for j in range(len(self.members)))
        ranges = {j: allowed for j, allowed in found if allowed is not None}
        shut = [j for j, allowed in ranges.items() if allowed.is_shut]
        limited = {j: allowed for j, allowed in ranges.items() if not allowed.is_shut}
        self._state.preferences.limit(limited)
        self._state.preferences.forbid(shut)
        self._state = replace(self._state, ranges=limited)

    def _shared(self, problem: Problem, label: int | None) -> GrowerState:
        """Return the state that growers share.

        Preferences for rare or frequent terms do not apply to thresholds of numeric columns.
        """
        features, settings = self.members.features, self.settings
        frequencies = document_frequencies(features)
        rarities = preferences(frequencies, features.document_count, settings.rarity)
        rarities = np.append(rarities, np.ones(len(self.members) - len(rarities)))
        m, k, smoothing = self._counted, problem.label_count, problem.smoothing
        # subtle: the votes of the prior rule rest on all examples and need little smoothing; with
        # more than the weight of one pair, it would hide the differences between rare labels
        return GrowerState(
            self.members,
            self._engine,
            settings,
            VOTES[problem.votes],
            problem.speaks,
            smoothing,
            min(smoothing, 1 / (m * k)),
            Preferences(rarities, settings),
            label,
        )

    def _known(self, rules: Sequence[Rule], gains: Sequence[float]) -> Growth:
        """Return the rules of a round that was learned before, as this run represents them."""
        placed = [self._placed(rule) for rule in rules]
        if not gains:
            gains = [self._engine.gain(placed[0].place)]
        return Growth(tuple(placed), gains[0])

    def _check_known(self, number: int, known: Growth, colors: Int8 | None) -> None:
        """Raise SettingsError unless a known round is one rule with the votes of this data."""
        (before, condition), votes, _ = known.rules[0]
        prior = condition == ALWAYS and number == 1 and self.settings.prior_rule
        if len(known.rules) > 1 or before or (condition == ALWAYS and not prior):
            raise SettingsError(
                f"cannot resume: round {number} of the model is not one rule of one condition, "
                f"which {self.settings.algorithm} learns; train anew without --resume"
            )
        if prior:
            return
        self._resample(number)
        grown = self._voting(self._state.grown(condition), colors)
        wanted = self._settled(grown.rules[0]).votes
        if not np.allclose(wanted, votes, rtol=1e-9, atol=1e-12):
            raise SettingsError(
                f"cannot resume: the rule of round {number} does not vote as its condition tells "
                "on this data; train anew without --resume"
            )
        if not np.isclose(grown.gain, known.gain, rtol=1e-9, atol=1e-12):
            raise SettingsError(
                f"cannot resume: the condition of round {number} has a gain of {grown.gain:.6g} on "
                f"this data, but {known.gain:.6g} when it was learned; train without --resume"
            )

    def _check_size(self, number: int, known: Growth) -> None:
        """Raise SettingsError unless alpha of a known round follows from its votes on this data.

        This is for votes whose size does not show in the factor Z of the round.
        """
        compute, alpha = self._state.voting.alpha, known.rules[0].alpha
        if compute is None or not alpha:
            return
        tables = np.stack([self._engine.block_weights(rule.place) for rule in known.rules])
        wanted = compute(tables, np.stack([rule.votes / alpha for rule in known.rules]))
        if not np.isclose(wanted, alpha, rtol=1e-9):
            raise SettingsError(
                f"cannot resume: the votes of round {number} have the size {alpha:.6g}, but "
                f"{wanted:.6g} follows from this data; train anew without --resume"
            )

    def _grown(self, number: int, colors: Int8 | None) -> Growth | None:
        """Learn the rules of a round with their votes; None if no rule lowers the loss.

        The rule of round 1 may have no condition, so that it gives all documents the same votes.
        """
        state = self._state
        if number == 1 and self.settings.prior_rule:
            prior = state.always(state.smoothing_of_prior)
            # subtle: shrinkage applies to the steps of boosting, and this rule is its start
            # Source: Friedman 2001
            if helps(prior.gain):
                return self._sized(prior, state.smoothing_of_prior)
        self._resample(number)
        growth = self._grower.grow(state, number)
        return growth if growth is None or growth.z is not None else self._voting(growth, colors)

    def _resample(self, number: int) -> None:
        """Draw a new sample of the examples for a round, if the settings ask for resampling."""
        if self.settings.resample:
            rng = np.random.default_rng([self.settings.seed, number, 1])
            self._state.plain.resample(rng)

    def _voting(self, growth: Growth, colors: Int8 | None) -> Growth:
        """Return the growth with its final votes: sized, shrunk, and translated from colors."""
        growth = self._sized(growth, self._state.smoothing).scaled(self.settings.shrinkage)
        return growth if colors is None else _of_colors(growth, colors)

    def _sized(self, growth: Growth, smoothing: float) -> Growth:
        """Return the growth with votes of the size that the settings ask for.

        All rules of a growth have the same alpha.
        """
        way, state, alpha = self.settings.alpha_name(), self._state, growth.rules[0].alpha
        if way in ("own", "bound") or alpha == 0:
            return growth
        if way == "newton":
            return self._by_newton(growth, smoothing)
        growth = growth.scaled(1 / alpha)
        return growth.scaled(state.plain.size(growth, way, smoothing))

    def _by_newton(self, growth: Growth, smoothing: float) -> Growth:
        """Return the growth with the votes that minimise the ranking loss in each block."""
        votes, k = growth.votes(), self._label_count
        pairs = np.zeros((len(votes), k, k))
        for rule, numbers in zip(growth.rules, growth.blocks, strict=True):
            found = self._state.plain.pair_weights(rule.place)
            for row, number in enumerate(numbers):
                if number != SILENT:
                    pairs[number] += found[row]
        better = [newton(w, c, smoothing) for w, c in zip(pairs, votes, strict=True)]
        return growth.with_votes(np.stack(better), 1.0)

    def _applied(self, number: int, growth: Growth, bound: float) -> Round:
        """Apply the rules and return a record of the round; bound: that of the rounds before."""
        placed = tuple(map(self._settled, growth.rules))
        rules = tuple(map(self._rule, placed))
        z = self._move(placed) if growth.z is None else growth.z
        if self.settings.finish:
            self._before += placed
        for rule in placed:
            self._take(rule)
        places = tuple([self._spelled_place(rule.place) for rule in placed])
        alone = len(places) == 1 and not places[0].precondition
        return Round(
            number,
            rules[0],
            growth.gain,
            z,
            bound * z,
            places[0].condition,
            rules[1:],
            () if alone else places,
        )

    def _spelled_place(self, place: Place) -> Place:
        """Return the place with the number of the condition that is written."""
        condition = self.members.spelled(place.condition)[0]
        return place if condition == place.condition else Place(place.precondition, condition)

    def _move(self, rules: Sequence[Placed]) -> float:
        """Have the engine apply the rules, and return the factor Z of the round."""
        pull, alpha = self._state.voting.pull, rules[0].alpha
        if pull is None or not alpha:
            return self._engine.apply(rules)
        tables = np.stack([self._engine.block_weights(rule.place) for rule in rules])
        pulls, z = pull(tables, np.stack([rule.votes / alpha for rule in rules]))
        self._engine.apply(rules, list(pulls))
        return z

    def _take(self, rule: Placed) -> None:
        """Record the place of a rule, and the effect on the preference for its condition."""
        state, condition = self._state, rule.place.condition
        state.places.append(rule.place)
        if self._grower.by_label:
            state.reuse(rule)
        if condition != ALWAYS:
            factor = 1.0 if self._grower.by_label else self.settings.reuse
            state.preferences.chosen(condition, factor)

    def _settled(self, rule: Placed) -> Placed:
        """Return the rule with the votes that it is applied with.

        If the settings do not treat unknown categories separately, an unknown category gets
        the votes of categories that the example does not have.
        """
        if self.settings.unknown_categories:
            return rule
        if not isinstance(self.members.condition(rule.place.condition), Equals):
            return rule
        votes = rule.votes.copy()
        votes[UNKNOWN] = votes[NO]
        return rule._replace(votes=votes)

    def _rule(self, placed: Placed) -> Rule:
        """Return a rule with the conditions themselves instead of their numbers."""
        (before, condition), votes, alpha = placed
        if self.members.spelled(condition)[1]:
            votes = votes[EXCHANGED]
        literals = tuple([Literal(self._spelled(j), block) for j, block in before])
        # Subtle: a file leaves out blocks whose votes are all zero, and they are read as 0.0.
        # Adding 0.0 turns -0.0 into 0.0, so that a resumed run goes on with the very bits of an
        # unbroken one.
        return Rule(self._spelled(condition), votes + 0.0, alpha, literals)

    @cached_property
    def _conditions(self) -> dict[int, Condition]:
        return {}

    def _spelled(self, j: int) -> Condition:
        """Return condition j, the same object for all rules, as a term may be as long as a text."""
        if j not in self._conditions:
            self._conditions[j] = self.members.condition(j)
        return self._conditions[j]

    def _placed(self, rule: Rule) -> Placed:
        """The inverse of `_rule`."""
        before = tuple((self._number(c, "resume"), block) for c, block in rule.precondition)
        number, votes = self._number(rule.condition, "resume"), rule.votes
        below = self.members.below(number) if votes[NO].any() else None
        if below is not None:
            number, votes = below, votes[EXCHANGED]
        return Placed(Place(before, number), votes, rule.alpha)

    def _number(self, condition: Condition, doing: str) -> int:
        try:
            return self.members.number(condition)
        except KeyError:
            raise SettingsError(
                f"cannot {doing}: {spell(condition)} is not among the conditions of this data"
            ) from None

    def _color(self, number: int) -> Int8 | None:
        """Choose colors for the labels in this round; None if the algorithm does not use colors."""
        if not self.row.colored:
            return None
        confusion = np.zeros((self._label_count, self._label_count))
        np.add.at(confusion, self._label_sets.items, self._engine.weights())
        # ecoc weights examples: the weight of each is divided equally among the wrong labels
        own = np.diag(confusion).copy()
        confusion += own[:, None] / max(len(own) - 1, 1)
        np.fill_diagonal(confusion, 0)
        rng = np.random.default_rng([self.settings.seed, number])
        colors = COLORINGS[self.settings.coloring](confusion, rng)
        self._state.plain.color(colors)
        return colors


def _of_colors(growth: Growth, colors: Int8) -> Growth:
    """Return the growth with votes for labels instead of votes (3, 1) for a color.

    A rule votes alpha for the labels of the color that it predicts, and 0 for the others.
    """
    rules = (rule._replace(votes=np.maximum(rule.votes * colors, 0)) for rule in growth.rules)
    return growth._replace(rules=tuple(rules))


def _number_of(label: str, labels: Sequence[str]) -> int | None:
    """Return the number of the label that all rules must vote for; None if there is none.

    Raises SettingsError if no document has the label.
    """
    if label and label not in labels:
        shown = ", ".join(map(repr, labels[:5])) + (", ..." if len(labels) > 5 else "")
        raise SettingsError(
            f"no document has the label {label!r} of --rules-for; there are {shown}"
        )
    return labels.index(label) if label else None


def _check_labels(row: Algorithm, label_sets: Lists, settings: BoostingSettings) -> None:
    """Raise SettingsError if the algorithm needs exactly one label and a document has not one."""
    if row.one_label and (np.diff(label_sets.starts) != 1).any():
        raise SettingsError(
            f"{settings.algorithm} needs exactly one label per document; for several use mh or mr"
        )
