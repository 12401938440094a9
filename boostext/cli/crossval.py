"""`boostext crossval`: how good the settings are on documents that were not learned from."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    learning_options,
)
from boostext.cli.talk import Talk


@click.command("crossval", cls=SettingsCommand)
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option("--report", metavar="DIR", help="Write curve, reliability, and out-of-fold scores.")
@click.option(
    "--output", type=click.Choice(["tsv", "jsonl"]), default="tsv", show_default=True,
    help="How out-of-fold scores are written: a line for each document and label.",
)  # fmt: skip
@force_option
@corrections_options
@learning_options
def command(data: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Learn without each part of the data in turn, and measure on that part.

    Tells the measure against the number of rounds, the best number, and all measures there. Parts
    have their share of every label; documents of one --group are never in two of them. No model
    is written: train with --rounds N, or with --rounds auto, which does both.

    \b
    Example:
      boostext crossval calls.jsonl --folds 5 --ngrams 1-2 --report out
    """
    from boostext.cli.crossval_job import Job, run
    from boostext.cli.training_job import take_plan

    plan = take_plan(values)
    run(Job(data, plan, **values), talk)
