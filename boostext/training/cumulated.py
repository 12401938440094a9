"""The weights that documents had over all rounds of training."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Float64
from boostext.boosting.codings import decode
from boostext.evaluation.weights import document_log_weights, label_signs, weight_shares
from boostext.training.crossval import Sums, code_of
from boostext.training.run import Trained

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
