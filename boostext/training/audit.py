"""Labels in doubt by cross-validation: what rules say that were learned without the document.

The learner here is not the model's: it goes slowly, prefers rare terms and seldom comes back to
one, so that single wrong labels teach it little. With wrong labels put into 10 % of the documents
of corpora that none of this was tuned on, see benchmarks/label_errors.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.algorithms import MH
from boostext.arrays import Float64, Scores
from boostext.boosting.other_members import OtherMembership
from boostext.evaluation.calibrating import best_power, fit
from boostext.evaluation.gold import Booleans
from boostext.model.calibration import calibrated
from boostext.model.model import Model
from boostext.reports.doubts import given_signs
from boostext.reports.objections import with_objections
from boostext.reports.outliers import OutlierRow
from boostext.reports.training import condition_numbers, training_contributions
from boostext.settings import BoostingSettings
from boostext.training.crossval import CrossValidation, HeldOut, cross_validate
from boostext.training.run import Prepared

RARITY, REUSE, SHRINKAGE, ROUNDS = 1.0, 0.5, 0.5, 2000

SMALL, SPLITS = 10_000_000, 3
"""Postings x folds up to which data is cut so often: scores are steadier as means of several.
Above, it is cut once, and half the rounds take twice the steps, for time.
"""
GREAT = 60_000_000
"""Postings x folds above which a report does without, unless it is asked for: minutes of work."""


@dataclass(frozen=True, eq=False)
class Audit:
    """scores, chances: (m, k) out of fold; NaN for documents that are never held out."""

    found: CrossValidation
    scores: Scores
    chances: Float64


def audit_settings(prepared: Prepared) -> BoostingSettings:
    """The learner of an audit: MH with real votes, not more rounds than documents; seed, task,
    class weights and what is unknown as in the settings of the model.
    """
    boosting, quick = prepared.plan.boosting, not _is_small(prepared)
    most, shrinkage = (ROUNDS // 2, 2 * SHRINKAGE) if quick else (ROUNDS, SHRINKAGE)
    return BoostingSettings(
        rounds=min(most, len(prepared.corpus)), rarity=RARITY, reuse=REUSE, shrinkage=shrinkage,
        seed=boosting.seed, task=boosting.task, class_weight=boosting.class_weight,
        unknown=boosting.unknown, unknown_categories=boosting.unknown_categories,
    )  # fmt: skip


def is_great(prepared: Prepared) -> bool:
    """Whether an audit of these documents takes minutes."""
    return _work(prepared) > GREAT


def _is_small(prepared: Prepared) -> bool:
    return _work(prepared) <= SMALL


def _work(prepared: Prepared) -> int:
    return len(prepared.features.yes.items) * prepared.plan.stop.folds


def audit(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Audit:
    """Cross-validate with the learner of audits; folds as the plan says, splits at least so many.

    Small data is cut SPLITS times.
    """
    stop, boosting = prepared.plan.stop, audit_settings(prepared)
    splits = max(stop.splits, SPLITS) if _is_small(prepared) else stop.splits
    found = cross_validate(
        replace(prepared, plan=replace(prepared.plan, boosting=boosting)), stop.folds, splits,
        prepared.groups, on_round, should_stop,
    )  # fmt: skip
    scores = found.scores(boosting.rounds)
    given = given_signs(prepared.corpus) > 0
    return Audit(found, scores, chances(scores, given, prepared.multilabel))


def chances(scores: Scores, given: Booleans, multilabel: bool) -> Float64:
    """(m, k): one label: softmax of a factor x f that is fitted to the labels given; several: a
    sigmoid fitted to each label. NaN where scores are.
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


def explained(found: Audit, rows: Sequence[OutlierRow]) -> list[OutlierRow]:
    """The rows with the terms that object: those of the rules that were learned without each."""
    done: dict[int, OutlierRow] = {}
    for fold in found.found.held[: found.found.splits[0].count]:
        place = {int(example): i for i, example in enumerate(fold.examples)}
        mine = [row for row in rows if row.example in place]
        model = _model(found, fold)
        members = OtherMembership(fold.features, fold.members)
        spoken = training_contributions(
            members, model, condition_numbers(fold.rounds), [place[row.example] for row in mine]
        )
        done |= {row.example: row for row in with_objections(mine, model, spoken)}
    return [done.get(row.example, row) for row in rows]


def _model(found: Audit, fold: HeldOut) -> Model:
    prepared = found.found.prepared
    rules = tuple(rule for made in fold.rounds for rule in made.rules)
    return Model(
        prepared.corpus.labels, prepared.multilabel, rules, prepared.plan.data, prepared.plan.text,
        prepared.plan.boosting,
    )  # fmt: skip
