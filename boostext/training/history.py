"""Results over the rounds of a training: the learning curve, and the weights of documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.codings import decode
from boostext.boosting.membership import ALWAYS
from boostext.evaluation.measures import Monitor
from boostext.evaluation.weights import document_log_weights, label_signs, weight_shares
from boostext.model.predict import decoded
from boostext.training.courses import is_marked
from boostext.training.crossval import Sums, code_of
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


# Weights over all rounds ---------------------------------------------------------------------

POINTS = 100
"""Number of evenly spaced rounds at which weights are measured."""


def cumulated_shares(trained: Trained) -> Float64:
    """(m,), sum 1: the share of each document in the weights, averaged over the rounds.

    A document with a wrong label has a large weight from the first rounds on, and one that is only
    unusual later. The weights are those of exponential loss on the scores of labels, whatever the
    algorithm.
    """
    corpus, model = trained.prepared.corpus, trained.model
    rounds = trained.rounds
    signs, code = label_signs(model, corpus), code_of(model.boosting, model.labels)
    points = {round(t) for t in np.linspace(1, len(rounds), POINTS)} if rounds else set()
    sums = Sums.of(trained.members.features, trained.members, trained.prepared.start_of_all)
    total = np.zeros(len(corpus))
    for made in rounds:
        sums.add(made)
        if made.number in points:
            scores = decode(sums.value(), code, model.boosting.decoding)
            total += weight_shares(document_log_weights(scores, signs, corpus.weights))
    if not points:
        return weight_shares(np.log(np.maximum(corpus.weights, 1e-300)))
    return np.asarray(total / len(points))
