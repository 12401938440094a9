"""Cross-validation: learn rules without each part of the data, and score that part with them.

Features are extracted once, from all documents. The filters min_df, max_df and max_terms therefore
use all documents, but no labels. A condition that holds for no document of a training part is not a
candidate there. Folds are learned in parallel, in threads that share the features or on workers,
and the results do not depend on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Int8, Int32, Int64, Scores
from boostext.boosting.codings import code_matrix, decode
from boostext.boosting.membership import Membership, OtherMembership
from boostext.boosting.reach import Tally
from boostext.boosting.rules import Round
from boostext.evaluation.folds import Folds, fold_remarks, make_folds
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import Monitor
from boostext.features.matrix import FeatureMatrix
from boostext.features.merge import gather
from boostext.settings import BoostingSettings
from boostext.training.jobs import InThreads, Job, Jobs
from boostext.training.run import Prepared
from boostext.training.validation import is_measured

MOST_ROUNDS = 2000
"""Number of rounds that are tried if cross-validation chooses their number."""


Blocks = tuple[Int32, Int32]
"""The documents for which a condition holds, and those for which it is unknown."""


class Sums:
    """The sums of the votes on some documents, updated round by round.

    find: returns the documents of a condition by its number. count: number m of documents. start:
    (m, k), scores before any vote, such as those from prior knowledge.
    """

    def __init__(
        self, find: Callable[[int], Blocks], count: int, start: Scores | None = None
    ) -> None:
        self._tally = Tally[int](find, count, start)

    @staticmethod
    def of(features: FeatureMatrix, members: Membership, start: Scores | None = None) -> Sums:
        """The sums on the documents of a feature matrix.

        members: the conditions from which the rules were chosen; listed ones have the same numbers
        in `features`.
        """
        found = OtherMembership(features, members)
        return Sums(lambda j: (found.yes(j), found.unknown(j)), features.document_count, start)

    def add(self, made: Round, factor: float = 1.0) -> None:
        """Add the votes of the rules of a round."""
        for rule, place in made.placed:
            self._tally.add(rule.votes * factor, place.condition, place.precondition)

    def value(self) -> Scores:
        """(m, k): the sums of the votes so far."""
        return self._tally.value()


@dataclass(frozen=True, eq=False)
class HeldOut:
    """One fold: the held-out examples (ascending), and the rounds that were learned without them.

    blocks: the held-out examples of each condition in the rounds, numbered from 0. curve: (round,
    value of the measure) for the measured rounds. start: (held out, k), scores from prior
    knowledge, if any.
    """

    examples: Int64
    blocks: Mapping[int, Blocks]
    rounds: tuple[Round, ...]
    curve: tuple[tuple[int, float], ...]
    start: Scores | None = None

    def sums(self, first: int, fading: bool = False) -> Scores:
        """(held out, k'): the sums of the votes of the first rounds.

        fading: the mean of the sums after each of those rounds, as in `outliers.tapered`.
        """
        sums = Sums(self.blocks.__getitem__, len(self.examples), self.start)
        kept = self.rounds[:first]
        for t, made in enumerate(kept):
            sums.add(made, (first - t) / first if fading else 1.0)
        return sums.value()


@dataclass(frozen=True)
class CurvePoint:
    """The measure after a number of rounds: mean, standard deviation and range over folds."""

    round: int
    mean: float
    spread: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """All folds of all splits.

    measure: the monitored one. best: the smallest number of rounds with the best mean.
    """

    prepared: Prepared
    splits: tuple[Folds, ...]
    held: tuple[HeldOut, ...]
    measure: str
    curve: tuple[CurvePoint, ...]
    best: int

    def scores(self, rounds: int, fading: bool = False) -> Scores:
        """(m, k): the score of every example by rules learned without it, averaged over splits.

        NaN for examples that are never held out.
        """
        corpus, boosting = self.prepared.corpus, self.prepared.plan.boosting
        code = code_of(boosting, corpus.labels)
        total = np.zeros((len(corpus), len(corpus.labels)))
        times = np.zeros(len(corpus))
        for fold in self.held:
            if fold.rounds or fold.start is not None:
                total[fold.examples] += decode(fold.sums(rounds, fading), code, boosting.decoding)
            times[fold.examples] += 1
        with np.errstate(invalid="ignore"):
            return np.asarray(total / times[:, None])


def code_of(settings: BoostingSettings, labels: Sequence[str]) -> Int8 | None:
    """(k, k'): the output code of algorithms that code labels; None for others."""
    coded = ALGORITHMS[settings.algorithm].coded
    return code_matrix(settings, len(labels), labels) if coded else None


def cross_validate(
    prepared: Prepared,
    folds: int = 5,
    splits: int = 1,
    groups: Sequence[Hashable] | None = None,
    on_round: Callable[[int, int], None] = lambda done, all: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> CrossValidation:
    """Learn in every fold with the settings of the plan, and measure on its held-out part.

    splits: number of different splits; their seeds are that of the plan and the following ones.
    groups: see `make_folds`. on_round: called with the number of rounds done and of all rounds,
    over all folds. jobs: where the folds are learned, by default in threads. Raises SettingsError,
    before learning, if the data cannot be split this way.
    """
    corpus, plan = prepared.corpus, prepared.plan
    seed = plan.boosting.seed
    cuts = tuple(
        make_folds(corpus.label_sets, folds, seed + number, groups) for number in range(splits)
    )
    each = [(cut, fold) for cut in cuts for fold in range(cut.count)]
    done = [0] * len(each)

    def on_rounds(number: int, rounds: int) -> bool:
        done[number] = rounds
        on_round(sum(done), len(each) * plan.boosting.rounds)
        return should_stop()

    held = tuple((jobs or InThreads(plan.threads)).run(held_out, prepared, each, on_rounds))
    monitor = _monitor(prepared, np.arange(len(corpus)))
    curve = tuple(_curve([fold.curve for fold in held], plan.boosting.rounds))
    return CrossValidation(prepared, cuts, held, monitor.name, curve, _best(curve, monitor))


def remarks_before(prepared: Prepared) -> Iterator[str]:
    """Messages about labels too rare for the folds; SettingsError if folds are impossible."""
    corpus, plan = prepared.corpus, prepared.plan
    folds = make_folds(corpus.label_sets, plan.stop.folds, plan.boosting.seed, prepared.groups)
    yield from fold_remarks(corpus.labels, corpus.label_sets, folds)


def held_out(prepared: Prepared, cut: Folds, fold: int, threads: int) -> Job:
    """Learn one fold, as a job. It yields the number of rounds so far and returns a HeldOut."""
    learned, held = cut.learned(fold), cut.held(fold)
    training, measured = prepared.parts(learned, held)
    booster = prepared.booster(training, learned, prepared.plan.boosting, threads)
    start = prepared.start(held)
    monitor, sums = _monitor(prepared, held), Sums.of(measured, booster.members, start)
    rounds: list[Round] = []
    curve: list[tuple[int, float]] = []
    last = prepared.plan.boosting.rounds
    for made in booster.rounds():
        rounds.append(made)
        sums.add(made)
        if is_measured(made.number) or made.number == last or made.is_last:
            curve.append((made.number, monitor.value(booster.decode(sums.value()))))
        if (yield made.number):
            break
    found = OtherMembership(measured, booster.members)
    places = [place for made in rounds for _, place in made.placed]
    used = {j for place in places for j in (place.condition, *(c for c, _ in place.precondition))}
    blocks = {j: (found.yes(j), found.unknown(j)) for j in sorted(used)}
    return HeldOut(held, blocks, tuple(rounds), tuple(curve), start)


def _monitor(prepared: Prepared, examples: Int64) -> Monitor:
    corpus, plan = prepared.corpus, prepared.plan
    gold = Gold(corpus.labels, len(corpus.labels), gather(corpus.label_sets, examples))
    return Monitor.of(plan.stop.monitor, gold, prepared.multilabel, plan.boosting)


def _curve(curves: Sequence[Sequence[tuple[int, float]]], last: int) -> Iterator[CurvePoint]:
    """The points of all measured rounds. A fold that ended earlier keeps its last value."""
    known = [dict(curve) for curve in curves]
    now = [float("nan")] * len(known)
    for number in range(1, last + 1):
        if not any(number in values for values in known):
            continue
        now = [values.get(number, before) for values, before in zip(known, now, strict=True)]
        found = np.array([value for value in now if value == value])
        if len(found):
            yield CurvePoint(
                number,
                float(found.mean()),
                float(found.std()),
                float(found.min()),
                float(found.max()),
            )


def _best(curve: Sequence[CurvePoint], monitor: Monitor) -> int:
    best: CurvePoint | None = None
    for point in curve:
        if best is None or monitor.is_better(point.mean, best.mean):
            best = point
    return best.round if best else 0


def with_rounds(prepared: Prepared, rounds: int) -> Prepared:
    """The same data with another number of rounds."""
    boosting: BoostingSettings = replace(prepared.plan.boosting, rounds=rounds)
    return replace(prepared, plan=replace(prepared.plan, boosting=boosting))
