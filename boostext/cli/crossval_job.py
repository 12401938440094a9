"""The steps of `boostext crossval`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np

from boostext.arrays import Scores
from boostext.cli.cross_validating import found_words, told_by
from boostext.cli.progress import Progress
from boostext.cli.reading import count, spare_reports
from boostext.cli.signals import stop_request
from boostext.cli.talk import Talk
from boostext.cli.training_job import read
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.evaluation.folds import ALWAYS
from boostext.evaluation.report import Report, evaluate
from boostext.model.model import Model
from boostext.model.predict import link_of, probabilities
from boostext.reports.crossval import OUT_OF_FOLD, curve_tsv
from boostext.reports.curves import curve_drawing
from boostext.reports.evaluations import evaluation_summary, label_table
from boostext.reports.folder import ReportFolder, report_folder
from boostext.reports.layout import page_for, stack
from boostext.reports.margins import reliability_tsv
from boostext.training.crossval import (
    MOST_ROUNDS,
    CrossValidation,
    cross_validate,
    remarks_before,
    with_rounds,
)
from boostext.training.plan import Plan
from boostext.training.run import Prepared


@dataclass(frozen=True)
class Job:
    """What one call of `boostext crossval` is to do."""

    data: tuple[str, ...]
    plan: Plan
    report: str | None
    output: str
    corrections: Corrections
    progress: str
    as_json: bool
    force: bool = False


def run(job: Job, talk: Talk) -> None:
    check(job.plan)
    spare_reports((*job.data, *job.corrections.paths), job.report)
    bad = BadRecords()
    with report_folder(job.report, not job.force) as folder:
        with stop_request():
            prepared = read(
                job.data, job.plan, bad, talk, job.progress, corrections=job.corrections
            )
            found = cross_validated(job, prepared, talk)
        scores = found.scores(found.best)
        report = measured(found, scores)
        if folder:
            write(folder, job.output, found, scores, report)
    if job.as_json:
        click.echo(json.dumps(as_json(found, report), ensure_ascii=False, allow_nan=False))
    else:
        draw(job, found, report, talk)


def check(plan: Plan) -> None:
    """Validation data have no part in cross-validation."""
    if plan.stop.valid or plan.stop.valid_fraction:
        raise SettingsError(
            "crossval measures on what it holds out; leave out --valid and --valid-fraction"
        )


def cross_validated(job: Job, prepared: Prepared, talk: Talk) -> CrossValidation:
    stop = prepared.plan.stop
    for remark in remarks_before(prepared):
        talk.say(remark)
    if prepared.plan.boosting.rounds == 0:
        prepared = with_rounds(prepared, MOST_ROUNDS)
    progress = Progress("off" if talk.quiet else job.progress)
    try:
        return cross_validate(prepared, stop.folds, stop.splits, prepared.groups, told_by(progress))
    finally:
        progress.finish()


def shell(found: CrossValidation) -> Model:
    """A model without rules, that measures and probabilities go by."""
    prepared = found.prepared
    plan, labels = prepared.plan, prepared.corpus.labels
    threshold = plan.boosting.threshold
    given = (threshold,) * len(labels) if prepared.multilabel and threshold else ()
    return Model(labels, prepared.multilabel, (), plan.data, plan.text, plan.boosting,
                 thresholds=given)  # fmt: skip


def measured(found: CrossValidation, scores: Scores) -> Report:
    """All measures over the documents that are held out, at the best number of rounds."""
    corpus = found.prepared.corpus

    def pairs() -> Iterator[tuple[Document, Scores]]:
        for i in np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist():
            names = tuple(corpus.labels[j] for j in corpus.label_sets[i].tolist())
            yield Document(corpus.ids[i], {}, names), scores[i]

    return evaluate(shell(found), pairs())


def write(
    folder: ReportFolder, form: str, found: CrossValidation, scores: Scores, report: Report
) -> None:
    chances = probabilities(scores, link_of(shell(found)))
    folds = found.splits[0].of
    folder.write({
        "reliability.tsv": reliability_tsv(report.calibration),
        "curve.tsv": curve_tsv(found.curve, found.measure),
        f"out-of-fold.{form}": OUT_OF_FOLD[form](
            found.prepared.corpus, folds, scores, chances
        ),
    })  # fmt: skip


def as_json(found: CrossValidation, report: Report) -> dict[str, Any]:
    return {
        "measure": found.measure,
        "best_rounds": found.best,
        "folds": found.splits[0].count,
        "splits": len(found.splits),
        "never_held_out": int((found.splits[0].of == ALWAYS).sum()),
        "curve": [asdict(point) for point in found.curve],
        "evaluation": report.to_dict(),
    }


def draw(job: Job, found: CrossValidation, report: Report, talk: Talk) -> None:
    page = page_for(sys.stdout)
    talk.show_line(found_words(found))
    talk.show(curve_drawing(found.curve, found.measure, page))
    talk.show(stack([evaluation_summary(report, page), label_table(report.labels, page)]))
    if job.report:
        talk.say(f"report: {job.report}, {count(report.examples, 'document')} out of fold")
