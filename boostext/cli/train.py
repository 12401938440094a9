"""`boostext train`: learn a model from labelled documents."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    learning_options,
    tuning_options,
)
from boostext.cli.talk import Talk


@click.command("train", cls=SettingsCommand)
@click.argument("data", nargs=-1, metavar="DATA...")
@click.option("-o", "--output", metavar="MODEL", help="The model file to write.")
@click.option("--report", metavar="DIR", help="Also write rules, terms, outliers and the trace.")
@tuning_options
@click.option("--tune", is_flag=True, help="Choose settings on the training data first.")
@click.option(
    "--outliers", type=click.Choice(["auto", "cv", "weights", "cumulated"]), default="auto",
    show_default=True, help="How the report finds wrong labels: by what is learned without the "
    "document (cv), or by its weight in the end or over all rounds. auto is cv, unless that takes "
    "minutes.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on from MODEL.checkpoint, or MODEL, if there.")
@click.option("--dry-run", is_flag=True, help="Read the data, tell sizes and memory, and stop.")
@click.option(
    "--print-config", is_flag=True,
    help="Print all settings as YAML, each with where it comes from, and stop.",
)  # fmt: skip
@force_option
@corrections_options
@learning_options
def command(
    data: tuple[str, ...], dry_run: bool, print_config: bool, talk: Talk, **values: Any
) -> None:
    """Learn a model from labelled documents.

    DATA are files (.jsonl, .csv, .tsv, fastText lines; also .gz, .bz2, .xz), folders of folders,
    or - for stdin. Ctrl-C stops after the round and saves what there is.

    \b
    Example:
      boostext train calls.jsonl -o calls.boostext --ngrams 1-2 --report out
    """
    from boostext.cli import training_job

    plan = training_job.take_plan(values)
    if print_config:
        click.echo(training_job.plan_as_yaml(plan, values["preset"], values["given"]), nl=False)
    elif not data:
        raise click.UsageError("no data; name labelled files, or - for stdin")
    elif dry_run:
        training_job.dry_run(data, plan, values["as_json"], talk)
    elif not values["output"]:
        raise click.UsageError("no place for the model; give it with -o MODEL")
    else:
        training_job.run(training_job.Job(data, plan, **values), talk)
