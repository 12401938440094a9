"""`boostext crossval`: measure settings by cross-validation."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    given_settings,
    learning_options,
    workers_option,
)
from boostext.cli.places import announce_stdin, spare_reports
from boostext.cli.talk import Talk
from boostext.fields import count
from boostext.settings import Group


@click.command("crossval", cls=SettingsCommand, common=("--folds", "--group"))
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option(
    "--report",
    metavar="DIR",
    help="Folder for tables: the measure by number of rounds, reliability, and out-of-fold scores.",
)
@click.option(
    "--output",
    type=click.Choice(["tsv", "jsonl"]),
    default="tsv",
    show_default=True,
    help="Format of the out-of-fold scores, which have one line for each document and label.",
)
@workers_option
@force_option
@corrections_options
@learning_options
def command(
    data: tuple[str, ...],
    report: str | None,
    output: str,
    force: bool,
    labels_from: tuple[str, ...],
    new_labels: bool,
    preset: str | None,
    groups: list[Group],
    given: Mapping[str, str],
    progress: str,
    workers: str,
    as_json: bool,
    talk: Talk,
) -> None:
    """Measure settings by cross-validation.

    DATA is divided into folds. For each fold, a model is trained on the others and measured on this
    one. The command shows the measure against the number of rounds, the best number of rounds, and
    all measures there. Every fold has its share of each label, and documents with the same value
    of --group are in the same fold. No model is written: use train --rounds N, or train --rounds
    auto, which does both.

    \b
    Example:
      boostext crossval calls.jsonl --folds 5 --ngrams 1-2 --report out
    """
    from boostext.cli.progress import watched
    from boostext.library.crossval import in_words
    from boostext.library.tasks import crossval
    from boostext.reports.evaluations import curve_drawing, evaluation_drawings
    from boostext.reports.folder import report_folder
    from boostext.reports.layout import page_for

    spare_reports((*data, *labels_from), report)
    announce_stdin(data, talk)
    with report_folder(report, not force) as folder:
        with watched(talk, progress) as watch:
            found = crossval(
                data,
                labels_from=labels_from,
                new_labels=new_labels,
                watch=watch,
                workers=workers,
                preset=preset,
                **given_settings(groups, given),
            )
        if folder:
            found.write(folder, output)
    if as_json:
        talk.json(found.to_dict())
        return
    page = page_for(sys.stdout)
    talk.show_line(in_words(found.found))
    talk.show(curve_drawing(found.curve, found.found.measure, page))
    for drawing in evaluation_drawings(found.evaluation, page):
        talk.show(drawing)
    if report:
        talk.say(f"report: {report}, {count(found.evaluation.examples, 'document')} out of fold")
