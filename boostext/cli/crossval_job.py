"""The steps of `boostext crossval`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import click

from boostext.cli.cross_validating import found_words, told_by
from boostext.cli.progress import Progress
from boostext.cli.reading import (
    spare_reports,
)
from boostext.cli.talk import Talk
from boostext.cli.training_job import read
from boostext.corpus.corrections import Corrections
from boostext.corpus.sources import BadRecords
from boostext.evaluation.report import Report
from boostext.fields import count
from boostext.library.crossval import CrossValidated, check_plan, held_out_in_turn
from boostext.library.signals import stop_request
from boostext.reports.curves import curve_drawing
from boostext.reports.evaluations import evaluation_summary, label_table
from boostext.reports.folder import report_folder
from boostext.reports.layout import page_for, stack
from boostext.training.crossval import CrossValidation
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
    check_plan(job.plan)
    spare_reports((*job.data, *job.corrections.paths), job.report)
    bad = BadRecords()
    with report_folder(job.report, not job.force) as folder:
        with stop_request():
            prepared = read(
                job.data, job.plan, bad, talk, job.progress, corrections=job.corrections
            )
            found = cross_validated(job, prepared, talk)
        if folder:
            found.write(folder, job.output)
    if job.as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        draw(job, found.found, found.evaluation, talk)


def cross_validated(job: Job, prepared: Prepared, talk: Talk) -> CrossValidated:
    progress = Progress("off" if talk.quiet else job.progress)
    try:
        return held_out_in_turn(prepared, told_by(progress))
    finally:
        progress.finish()


def draw(job: Job, found: CrossValidation, report: Report, talk: Talk) -> None:
    page = page_for(sys.stdout)
    talk.show_line(found_words(found))
    talk.show(curve_drawing(found.curve, found.measure, page))
    talk.show(stack([evaluation_summary(report, page), label_table(report.labels, page)]))
    if job.report:
        talk.say(f"report: {job.report}, {count(report.examples, 'document')} out of fold")
