"""`boostext inspect`: show the rules of a model, and the labels that look wrong."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    json_option,
    misread,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.talk import Talk


@click.command("inspect", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...]")
@click.option(
    "-o", "--output", metavar="DIR", help="Also write report.html, and tables of what it shows."
)
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Show N rules, N terms a label, N outliers.",
)  # fmt: skip
@click.option(
    "--source", type=click.Choice(["weights", "cv"]), default=None,
    help="How wrong labels are found: by the weight of the document in this model, or by what is "
    "learned without it (cv), which finds more.  [default: cv with --output, "
    "else weights]",
)  # fmt: skip
@click.option("--dot", is_flag=True, help="Print the rules as a tree for Graphviz instead.")
@click.option(
    "--as-knowledge", is_flag=True,
    help="Print the N strongest terms of each label as a file for train --knowledge instead.",
)  # fmt: skip
@click.option("--margins", is_flag=True, help="Show the distribution of margins, and its bound.")
@click.option("--only-label", multiple=True, metavar="LABEL", help="Show this label only; repeat.")
@click.option(
    "--term", multiple=True, metavar="TERM",
    help="All about this term; with DATA also the documents that have it. Repeat.",
)  # fmt: skip
@click.option("--grep", metavar="PATTERN", help="List the terms that the pattern is found in.")
@click.option(
    "--terms-where", multiple=True, metavar="FILTER",
    help="List the terms that fit, as documents>=10, kind=number, column=subject or label~^re; "
    "columns are those of the JSON. Repeat.",
)  # fmt: skip
@click.option(
    "--document", metavar="ID|TEXT",
    help="Why a document has its scores: that of DATA with this id, or without DATA this text.",
)  # fmt: skip
@force_option
@threads_option
@overriding_options
@corrections_options
@json_option
@talk_options
def command(model: str, data: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Show the rules of a model, and the labels that look wrong.

    With DATA, best the training data: the documents whose labels the rules object to, the most
    suspicious first, and how surely the model is right about the others.

    \b
    Example:
      boostext inspect calls.boostext calls.jsonl --top 5
      boostext inspect calls.boostext calls.jsonl --term collect
      boostext inspect calls.boostext --document "call my mother collect please"
    """
    from boostext.cli.inspection import Job, run

    if wrong := misread("label", values["overrides"], data):
        raise click.UsageError(wrong)
    run(Job(model, data, **values), talk)
