"""`boostext evaluate`: measure a model on labelled documents."""

from __future__ import annotations

import sys
from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    count_option,
    force_option,
    json_option,
    overriding_options,
    talk_options,
    threads_option,
    threshold_options,
    workers_option,
)
from boostext.cli.places import announce_stdin, check_output, test_files
from boostext.cli.talk import Talk


@click.command("evaluate", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="DATA...")
@click.option(
    "--strict",
    is_flag=True,
    help="Stop if a label is not known to the model, instead of counting it as a miss.",
)
@threshold_options
@count_option("--confusions", "Number of confusions to show, the most frequent first.", 0)
@click.option(
    "--tune-thresholds",
    is_flag=True,
    help="Choose for each label the threshold with the highest F1 on DATA, and write the model "
    "with these thresholds to MODEL2.",
)
@click.option(
    "--reliability",
    is_flag=True,
    help="Show how often labels were right, by their predicted probability.",
)
@click.option(
    "--bins",
    type=click.Choice(["equal-width", "equal-size"]),
    default="equal-width",
    show_default=True,
    help="Bins of --reliability: of equal width, or with about the same number of documents.",
)
@click.option(
    "-o", "--output", metavar="MODEL2", help="The model file that --tune-thresholds writes."
)
@force_option
@threads_option
@workers_option
@overriding_options
@corrections_options
@json_option
@talk_options
def command(
    model: str,
    data: tuple[str, ...],
    strict: bool,
    threshold: float | None,
    threshold_proba: float | None,
    confusions: int,
    tune_thresholds: bool,
    reliability: bool,
    bins: str,
    output: str | None,
    force: bool,
    threads: int,
    workers: str,
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
) -> None:
    """Measure a model on labelled documents.

    Labels in DATA that the model does not know count as misses and are listed. Documents without a
    label are left out of one-error, coverage and average precision.

    \b
    Example:
      boostext evaluate calls.boostext calls.test.jsonl
    """
    from boostext.cli.progress import load_watched, watched
    from boostext.library import measuring
    from boostext.model.file import MODEL_FILE, write_model
    from boostext.reports.evaluations import evaluation_drawings
    from boostext.reports.layout import page_for

    if not data:
        raise click.UsageError("no data; name labelled files, or - for stdin")
    if tune_thresholds != (output is not None):
        raise click.UsageError("--tune-thresholds and -o MODEL2 go together")
    used = load_watched(model, threads, talk)
    kind, paths = None if force else MODEL_FILE, test_files(data)
    measuring.check_threshold(used.content, threshold_proba)
    if output:
        measuring.check_thresholds(used.content)
        check_output(output, kind, (*data, *reading["labels_from"]))
    announce_stdin(data, talk)
    given: dict[str, Any] = {"strict": strict, "bins": bins, "workers": workers, **reading}
    with watched(talk) as watch:
        if output:
            better, report = measuring.tune_thresholds(used, paths, watch=watch, **given)
        else:
            given |= {"threshold": threshold, "threshold_proba": threshold_proba}
            report = measuring.evaluate(used, paths, watch=watch, **given)
    if output:
        write_model(better.content, output, kind)
        talk.say(f"{output}: the model has tuned thresholds, and the measures below are with them")
    if as_json:
        talk.json(report.to_dict(iter))
        return
    for drawing in evaluation_drawings(report, page_for(sys.stdout), reliability, confusions):
        talk.show(drawing)
