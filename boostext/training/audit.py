"""Labels in doubt by cross-validation: what rules say that were learned without the document.

The learner here is not the model's: it goes slowly, prefers rare terms and seldom comes back to
one, so that single wrong labels teach it little. With wrong labels put into 10 % of the documents
of corpora that none of this was tuned on, see benchmarks/label_errors.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.boosting.other_members import OtherMembership
from boostext.model.model import Model
from boostext.reports.objections import with_objections
from boostext.reports.outliers import OutlierRow
from boostext.reports.training import condition_numbers, training_contributions
from boostext.settings import BoostingSettings
from boostext.training.crossval import CrossValidation, HeldOut, cross_validate
from boostext.training.run import Prepared

RARITY, REUSE, SHRINKAGE, ROUNDS = 1.0, 0.5, 0.3, 2000
SHARPNESS = 4.0
"""Probabilities are exp(SHARPNESS f) over its sum, or 1/(1 + exp(-SHARPNESS f)) by themselves."""

GREAT = 60_000_000
"""Postings x folds above which a report does without, unless it is asked for: minutes of work."""


@dataclass(frozen=True, eq=False)
class Audit:
    """scores, chances: (m, k) out of fold; NaN for documents that are never held out."""

    found: CrossValidation
    scores: Scores
    chances: Float64


def audit_settings(boosting: BoostingSettings) -> BoostingSettings:
    """The learner of an audit: MH with real votes; seed, task, class weights and what is unknown
    as in the settings of the model.
    """
    return BoostingSettings(
        rounds=ROUNDS, rarity=RARITY, reuse=REUSE, shrinkage=SHRINKAGE, seed=boosting.seed,
        task=boosting.task, class_weight=boosting.class_weight, unknown=boosting.unknown,
        unknown_categories=boosting.unknown_categories,
    )  # fmt: skip


def is_great(prepared: Prepared) -> bool:
    """Whether an audit of these documents takes minutes."""
    return len(prepared.features.yes.items) * prepared.plan.stop.folds > GREAT


def audit(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Audit:
    """Cross-validate with the learner of audits; folds and splits as the plan says."""
    plan = replace(prepared.plan, boosting=audit_settings(prepared.plan.boosting))
    found = cross_validate(
        replace(prepared, plan=plan), plan.stop.folds, plan.stop.splits, prepared.groups,
        on_round, should_stop,
    )  # fmt: skip
    scores = found.scores(ROUNDS)
    return Audit(found, scores, chances(scores, prepared.multilabel))


def chances(scores: Scores, multilabel: bool) -> Float64:
    """(m, k): one label: softmax of SHARPNESS f, sums 1; several: the logistic function of it."""
    if multilabel:
        with np.errstate(invalid="ignore"):  # documents that are never held out have none
            return np.asarray(np.exp(-np.logaddexp(0, -SHARPNESS * scores)))
    powers = np.exp(SHARPNESS * (scores - scores.max(axis=1, keepdims=True)))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


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
