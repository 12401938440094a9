"""Find likely label errors by cross-validation: score each document without learning from it.

The learner is not that of the model. It is a linear model of all terms (`term_weights`), which
takes seconds where thousands of rules take minutes. It also ranks wrong labels better, especially
if labels have few documents; benchmarks/label_errors.py measures this with wrong labels that were
put into corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boostext.algorithms import MH
from boostext.arrays import Float64, Int64, Lists, Scores
from boostext.evaluation.calibration import best_power, fit
from boostext.evaluation.folds import Folds, make_folds
from boostext.evaluation.gold import Booleans
from boostext.evaluation.weights import given_signs
from boostext.model.calibration import calibrated
from boostext.training.jobs import InThreads, Job, Jobs
from boostext.training.run import Prepared
from boostext.training.term_weights import (
    Curvature,
    Examples,
    TermMatrix,
    TermWeights,
    curvature,
    given_matrix,
    learned_weights,
    mean_one,
    term_matrix,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORK, SPLITS = 150_000_000, 6
"""The work that may be spent on averaging several splits, which makes scores more stable, and the
greatest number of splits that are averaged."""
GREAT = 2_000_000_000
"""Work above which a report omits the audit unless requested, because it takes minutes."""


@dataclass(frozen=True, eq=False)
class Held:
    """The scores of the examples in a fold, learned from the other folds."""

    examples: Int64
    learned: TermWeights


@dataclass(frozen=True, eq=False)
class Audit:
    """The result of an audit.

    scores, probabilities: (m, k), out of fold; NaN for documents that are never held out.
    folds: those of the first split.
    """

    prepared: Prepared
    terms: TermMatrix
    folds: tuple[Held, ...]
    scores: Scores
    probabilities: Float64


@dataclass(frozen=True)
class Effort:
    """The size of an audit. work: postings x labels x folds, in each split."""

    folds: int
    splits: int
    work: int

    @property
    def is_great(self) -> bool:
        """Whether it takes minutes."""
        return self.work > GREAT


def effort(prepared: Prepared) -> Effort:
    """The size of the audit that the plan asks for. Small data has more splits, up to SPLITS."""
    stop, labels = prepared.plan.stop, len(prepared.corpus.labels)
    work = len(prepared.features.yes.items) * labels * stop.folds
    affordable = min(WORK // max(work, 1), SPLITS)
    return Effort(stop.folds, max(stop.splits, affordable), work)


def audit(
    prepared: Prepared,
    on_fold: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
    jobs: Jobs | None = None,
) -> Audit:
    """Score every document with weights that were learned from the other folds.

    on_fold: called with the number of folds done and of all folds. should_stop: if it returns true,
    no further fold begins. jobs: where the folds are learned, by default in threads. Raises
    SettingsError, before learning, if the data cannot be split into folds.
    """
    corpus, plan, asked = prepared.corpus, prepared.plan, effort(prepared)
    cuts = [
        make_folds(corpus.label_sets, asked.folds, plan.boosting.seed + number, prepared.groups)
        for number in range(asked.splits)
    ]
    each = [(cut, fold) for cut in cuts for fold in range(cut.count)]
    terms = term_matrix(prepared.features, len(corpus.labels))
    done = 0

    def on_judged(number: int, judged: bool) -> bool:
        nonlocal done
        if judged:
            done += 1
            on_fold(done, len(each))
        return should_stop()

    labels, multilabel = len(corpus.labels), prepared.multilabel
    bends = curvature(terms.rows, labels)
    given = Given(terms.rows, bends, corpus.label_sets, prepared.weights, labels, multilabel)
    run = (jobs or InThreads(plan.threads)).run(judged, given, each, on_judged)
    found = [pair for pair in run if pair is not None]
    scores = _mean_scores(found, (len(corpus), labels))
    folds = tuple(held for held, _ in found[: asked.folds])
    signs = given_signs(corpus) > 0
    return Audit(prepared, terms, folds, scores, probabilities(scores, signs, multilabel))


def _mean_scores(found: Sequence[tuple[Held, Scores]], shape: tuple[int, int]) -> Scores:
    """(m, k), half log odds. They are added in the order of the folds, whatever the threads."""
    total, times = np.zeros(shape), np.zeros(shape[0])
    for held, scores in found:
        total[held.examples] += scores
        times[held.examples] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray(total / times[:, None] / MH.link)


@dataclass(frozen=True, eq=False)
class Given:
    """What all folds learn from: the terms of m examples, their labels and weights."""

    rows: csr_array
    bends: Curvature
    label_sets: Lists
    weights: Float64
    labels: int
    multilabel: bool

    def examples(self, chosen: Int64) -> Examples:
        given = given_matrix(self.label_sets, chosen, self.labels)
        return Examples(self.rows[chosen], given, mean_one(self.weights[chosen]))


def judged(given: Given, cut: Folds, fold: int, threads: int) -> Job:
    """Learn without a fold and score it, as a job, which yields whether that is done.

    It returns what was learned and the scores, or None if it is to stop before it begins.
    """
    if (yield False):
        return None
    learned, held = given.examples(cut.learned(fold)), given.examples(cut.held(fold))
    found = learned_weights(learned, held, given.bends, given.multilabel)
    scores = found.scores(held.rows).astype(np.float64)
    yield True
    return Held(cut.held(fold), found), scores


def probabilities(scores: Scores, given: Booleans, multilabel: bool) -> Float64:
    """(m, k): probabilities of labels, NaN where scores are NaN.

    If every document has one label, this is the softmax of the scores times a factor that is fitted
    to the given labels; otherwise a sigmoid that is fitted to each label.
    """
    known = ~np.isnan(scores).any(axis=1)
    found = np.full(scores.shape, np.nan)
    held, labels = scores[known], given[known]
    if multilabel:
        found[known] = calibrated(held, fit(held, labels, "sigmoid").curves, multilabel)
        return found
    logs = MH.link * (held - held.max(axis=1, keepdims=True))
    powers = np.exp(best_power(logs, labels) * logs)
    found[known] = powers / powers.sum(axis=1, keepdims=True)
    return found
