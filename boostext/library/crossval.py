"""Cross-validation, with the measures on all held-out documents."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boostext.arrays import Float64, Scores
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.evaluation.folds import ALWAYS
from boostext.evaluation.report import Report, evaluate
from boostext.fields import count
from boostext.model.model import Model
from boostext.model.predict import link_of, link_probabilities
from boostext.reports.evaluation_files import OUT_OF_FOLD, curve_tsv, reliability_tsv
from boostext.reports.folder import ReportFolder
from boostext.training.crossval import (
    MOST_ROUNDS,
    CrossValidation,
    CurvePoint,
    cross_validate,
    remarks_before,
    with_rounds,
)
from boostext.training.held_out import with_knowledge, with_threshold
from boostext.training.jobs import Jobs
from boostext.training.plan import Plan
from boostext.training.run import Prepared

LOG = logging.getLogger("boostext")


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """The result of a cross-validation. found: the results of all folds."""

    found: CrossValidation

    @property
    def best_rounds(self) -> int:
        """The number of rounds with the best mean of the measure."""
        return self.found.best

    @property
    def curve(self) -> tuple[CurvePoint, ...]:
        """The mean, standard deviation, minimum and maximum of the measure, by number of rounds."""
        return self.found.curve

    @property
    def labels(self) -> tuple[str, ...]:
        """The k labels, in the order of the columns of scores."""
        return self.found.prepared.corpus.labels

    @cached_property
    def scores(self) -> Scores:
        """The scores of documents from models that were trained without them, shape (m, k).

        They are those after the best number of rounds, and NaN for documents that are never held
        out.
        """
        return self.found.scores(self.found.best)

    @property
    def probabilities(self) -> Float64:
        """The scores as probabilities, shape (m, k); NaN if they cannot be converted."""
        return link_probabilities(self.scores, link_of(self._shell))

    @cached_property
    def evaluation(self) -> Report:
        """All measures on the held-out documents."""
        corpus, scores = self.found.prepared.corpus, self.scores

        def pairs() -> Iterator[tuple[Document, Scores]]:
            for i in np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist():
                names = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
                yield Document(corpus.ids[i], {}, names), scores[i]

        return evaluate(self._shell, pairs())

    @cached_property
    def _shell(self) -> Model:
        """A model without rules, which is needed to compute measures and probabilities."""
        prepared = self.found.prepared
        plan, labels = prepared.plan, prepared.corpus.labels
        threshold = plan.boosting.threshold
        given = (threshold,) * len(labels) if prepared.multilabel and threshold else ()
        return Model(
            labels, prepared.multilabel, (), plan.data, plan.text, plan.boosting, thresholds=given
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what `boostext crossval --json` prints."""
        found = self.found
        return {
            "measure": found.measure,
            "best_rounds": found.best,
            "folds": found.splits[0].count,
            "splits": len(found.splits),
            "never_held_out": int((found.splits[0].of == ALWAYS).sum()),
            "curve": [asdict(point) for point in found.curve],
            "evaluation": self.evaluation.to_dict(),
        }

    def write(self, folder: ReportFolder, form: str = "tsv") -> None:
        """Write the tables of curves and out-of-fold scores. form: "tsv" or "jsonl"."""
        found = self.found
        folder.write(
            {
                "reliability.tsv": reliability_tsv(self.evaluation.calibration),
                "curve.tsv": curve_tsv(found.curve, found.measure),
                f"out-of-fold.{form}": OUT_OF_FOLD[form](
                    found.prepared.corpus, found.splits[0].of, self.scores, self.probabilities
                ),
            }
        )


def in_words(found: CrossValidation) -> str:
    """Return the best number of rounds, and the measure there, as text."""
    best = [point for point in found.curve if point.round == found.best]
    if not best:
        return "cross-validation: no rule in any fold"
    return (
        f"cross-validation: {found.measure} {best[0].mean:.4f} (folds differ by "
        f"{best[0].spread:.4f}) after {count(found.best, 'round')}, the best of "
        f"{count(found.curve[-1].round, 'round')}"
    )


def check_plan(plan: Plan) -> None:
    """Raise SettingsError if the plan has validation data, which crossval does not use."""
    if plan.stop.valid or plan.stop.valid_fraction:
        raise SettingsError(
            "crossval does not use validation data; leave out --valid and --valid-fraction"
        )


def held_out_in_turn(
    prepared: Prepared,
    on_round: Callable[[int, int], None] = lambda done, total: None,
    jobs: Jobs | None = None,
) -> CrossValidated:
    """Cross-validate with the settings of the plan.

    on_round: called with the numbers of rounds done and to do. jobs: where the folds run, by
    default in threads.
    """
    stop = prepared.plan.stop
    for remark in remarks_before(prepared):
        LOG.info(remark)
    prepared = with_knowledge(prepared, jobs=jobs)
    if prepared.multilabel and "threshold" in prepared.chosen:
        prepared = with_threshold(prepared, jobs=jobs)
    if prepared.plan.boosting.rounds == 0:
        prepared = with_rounds(prepared, MOST_ROUNDS)
    found = cross_validate(prepared, stop.folds, stop.splits, prepared.groups, on_round, jobs=jobs)
    return CrossValidated(found)
