"""The learning curve of a model: the measure by the number of its rules and terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from boostext.boosting.membership import ALWAYS
from boostext.evaluation.measures import Monitor
from boostext.model.decoding import decoded
from boostext.training.courses import is_marked
from boostext.training.crossval import Sums
from boostext.training.run import Trained
from boostext.training.summary import corpus_gold


@dataclass(frozen=True)
class CurveRow:
    """The state after a round. terms: number of distinct conditions so far, without the prior.

    train, valid: the monitored measure; NaN if it was not computed.
    """

    round: int
    terms: int
    train: float
    valid: float


def term_counts(trained: Trained) -> Iterator[int]:
    """The number of distinct conditions after each round."""
    seen: set[int] = set()
    for made in trained.rounds:
        seen |= {place.condition for _, place in made.placed} - {ALWAYS}
        yield len(seen)


def curve(trained: Trained) -> tuple[str, list[CurveRow]]:
    """The name of the measure, and its values after each marked round and the last one."""
    prepared, model = trained.prepared, trained.model
    plan = prepared.plan
    gold = corpus_gold(prepared.corpus, len(model.labels))
    monitor = Monitor.of(plan.stop.monitor, gold, prepared.multilabel, plan.boosting)
    valid = dict(trained.best.curve) if trained.best else {}
    sums = Sums.of(prepared.features, trained.members, prepared.start_of_all)
    last = len(trained.rounds)
    rows = []
    for made, terms in zip(trained.rounds, term_counts(trained), strict=True):
        sums.add(made)
        number = made.number
        if is_marked(number) or number == last:
            value = monitor.value(decoded(sums.value(), model))
            rows.append(CurveRow(number, terms, value, valid.get(number, float("nan"))))
    return monitor.name, rows
