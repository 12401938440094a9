"""Measure how uncertain a model is about documents, to choose those that people should label.

Every measure is a function of scores and model that returns one number for each document. The
greater the number, the less certain the model is.

Sources: Lewis & Gale 1994 (uncertainty sampling); Tur, Hakkani-Tür & Schapire 2005 (margins of
boosting); Dagan & Engelson 1995 (vote entropy of a committee).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int64, Scores
from boostext.model.model import Model
from boostext.model.predict import link_of, probabilities
from boostext.model.prune import cut

COMMITTEE = 8
"""Maximum number of models in the committee, which are from the second half of the rounds."""


def contenders(scores: Scores, model: Model) -> tuple[Int64, Int64]:
    """(m,) each: the uncertain label of every document, and the label it competes with.

    If documents have one label, these are the labels with the highest and the second highest score.
    If they may have several, both are the label whose score is nearest to its threshold.
    """
    if model.multilabel or scores.shape[1] < 2:
        nearest = np.abs(scores - _thresholds(model)).argmin(axis=1)
        return nearest, nearest
    order = np.argsort(-scores, axis=1, kind="stable")
    return order[:, 0], order[:, 1]


def _thresholds(model: Model) -> Float64:
    return np.array(model.thresholds or [0.0] * len(model.labels))


def margin(scores: Scores, model: Model) -> Float64:
    """(m,): the negative difference between the best and the second best score.

    If documents may have several labels: the negative distance of a score from its threshold, for
    the label with the smallest distance.
    """
    first, second = contenders(scores, model)
    rows = np.arange(len(scores))
    if model.multilabel or scores.shape[1] < 2:
        return np.asarray(-np.abs(scores - _thresholds(model))[rows, first])
    return np.asarray(scores[rows, second] - scores[rows, first])


def best(scores: Scores, model: Model) -> Float64:
    """(m,): the negative difference between the probabilities of the two most likely labels.

    It is about the best label even if documents may have several labels: the probabilities of a
    model that is not calibrated are scaled to sum 1. Algorithms whose scores give no probabilities
    must be calibrated. If there is only one label, it is the margin.
    """
    if scores.shape[1] < 2:
        return margin(scores, model)
    top = np.partition(shares(probabilities(scores, model)), -2, axis=1)
    return np.asarray(top[:, -2] - top[:, -1])


def entropy(scores: Scores, model: Model) -> Float64:
    """(m,): the entropy of the labels' probabilities in nats.

    If documents may have several labels, it is the sum of the entropies of all labels. Otherwise
    the probabilities of a model that is not calibrated are scaled to sum 1. Algorithms whose scores
    give no probabilities must be calibrated.
    """
    likely = probabilities(scores, model)
    if model.multilabel or scores.shape[1] < 2:
        return np.asarray((_information(likely) + _information(1 - likely)).sum(axis=1))
    return np.asarray(_information(shares(likely)).sum(axis=1))


def shares(likely: Float64) -> Float64:
    """(m, k): probabilities that are scaled to sum 1; equal ones if all of them are 0."""
    totals = likely.sum(axis=1, keepdims=True)
    equal = np.full_like(likely, 1 / likely.shape[1])
    return np.asarray(np.divide(likely, totals, out=equal, where=totals > 0))


def _information(probability: Float64) -> Float64:
    """-p ln p, 0 at 0."""
    return np.asarray(-probability * np.log(np.where(probability > 0, probability, 1.0)))


MEASURES: Mapping[str, Callable[[Scores, Model], Float64]] = {
    "margin": margin,
    "best": best,
    "entropy": entropy,
}
"""name -> function, for measures that need only the scores of one model"""


def gives_probabilities(model: Model) -> bool:
    """Whether `entropy` can be computed for the model."""
    return bool(model.calibration) or bool(link_of(model))


def vote_entropy(given: Sequence[NDArray[np.bool_]], multilabel: bool) -> Float64:
    """(m,): the disagreement of the members of a committee in nats; 0 if all agree.

    given: for each member (m, k), the labels that it gives. This is the entropy of the members'
    votes or, if documents may have several labels, the sum of the entropies of all labels.
    """
    share = np.mean(np.stack(given), axis=0)
    found = _information(share).sum(axis=1)
    return np.asarray(found + _information(1 - share).sum(axis=1) if multilabel else found)


def committee_of(model: Model) -> list[Model]:
    """Up to `COMMITTEE` models: the model after half of its rounds, and so on up to all of them."""
    ends = np.linspace(model.round_count / 2, model.round_count, COMMITTEE)
    rounds = sorted({max(1, round(end)) for end in ends.tolist()}) if model.round_count else []
    return [cut(model, count) for count in rounds] or [model]
