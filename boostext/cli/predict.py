"""`boostext predict`: label new documents."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    misread,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.talk import Talk


@click.command("predict", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...|-]")
@click.option("--document", metavar="TEXT", help="The text of one document, instead of DATA.")
@click.option(
    "--output", type=click.Choice(["jsonl", "tsv", "csv", "labels", "html"]), default=None,
    help="How results are written; html is a page with the words marked.  [default: jsonl]",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Short for --output jsonl.")
@click.option(
    "--top", type=click.IntRange(1), metavar="K",
    help="Give scores for the K best labels.  [default: 1]",
)  # fmt: skip
@click.option("--all-scores", is_flag=True, help="Give scores for all labels.")
@click.option(
    "--proba",
    is_flag=True,
    help="Also probabilities; those of a one-label model sum to one if it is calibrated.",
)
@click.option(
    "--threshold", type=float, metavar="X",
    help="Give labels with a score above X (a score, not a probability).",
)  # fmt: skip
@click.option(
    "--threshold-proba", type=click.FloatRange(0, 1), metavar="X",
    help="Give labels with a probability above X.",
)  # fmt: skip
@click.option(
    "--explain", type=click.IntRange(1), metavar="N",
    help="Show for each label the N rules that spoke most; for programs with --output jsonl, as a "
    "page with --output html.",
)  # fmt: skip
@click.option(
    "--keep-columns", is_flag=True,
    help="Put the fields of the input before those of the result, in jsonl, csv and tsv. One that "
    "is called like one of the result becomes input_NAME.",
)  # fmt: skip
@threads_option
@overriding_options
@talk_options
def command(model: str, data: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Label new documents.

    DATA are files, folders, or - for stdin; each document has one result, in input order. Fields
    are named as in training unless said here. A score is a sum of votes. Models of one
    label give the label of greatest probability if they are calibrated, else of greatest score.
    Models of several labels give those above the model's own thresholds; without thresholds, those
    with a probability above 1/2 if calibrated, else with a score above 0.

    \b
    Example:
      boostext predict calls.boostext --document "call my mother collect please"
    """
    from boostext.cli.predictions import Job, run

    if (values["document"] is None) == (not data):
        raise click.UsageError(
            misread("text", values["overrides"], data)
            or "expected DATA, - for stdin, or --document TEXT, and only one of them"
        )
    if values.pop("as_json"):
        values["output"] = "jsonl"
    run(Job(model, data, **values), talk)
