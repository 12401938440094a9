"""`boostext compare`: two models on the same labelled documents."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    force_option,
    json_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.talk import Talk


@click.command("compare", cls=SettingsCommand)
@click.argument("first")
@click.argument("second")
@click.argument("data", nargs=-1, metavar="DATA...", required=True)
@click.option("-o", "--output", metavar="FILE", help="Also write a page of it.")
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True, metavar="N",
    help="Show N labels, N documents and N terms.",
)  # fmt: skip
@force_option
@threads_option
@overriding_options
@json_option
@talk_options
def command(first: str, second: str, data: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Tell what changes from one model to another.

    On the same labelled documents: the measures of both, the labels and documents that the second
    model wins and loses, and the terms that the two weigh differently.

    \b
    Example:
      boostext compare old.boostext new.boostext calls.test.jsonl -o changes.html
    """
    from boostext.cli.comparing import Job, run

    run(Job((first, second), data, **values), talk)
