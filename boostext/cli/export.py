"""`boostext export`: write a model as a file that makes predictions by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from boostext.cli.options import SettingsCommand, force_option, json_option, talk_options
from boostext.cli.places import check_output
from boostext.cli.talk import Talk
from boostext.fields import finite


@click.command("export", cls=SettingsCommand)
@click.argument("model")
@click.option(
    "--to",
    "target_format",
    required=True,
    type=click.Choice(["html", "javascript", "python"]),
    help="What to write: a web page with a field for a text (html), a module for browsers and "
    "Node 18 or later (javascript), or a file for Python 3.11 or later that needs no other "
    "package (python).",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write.")
@click.option(
    "--max-size",
    type=finite("max-size", 0.01, 100),
    default=5,
    show_default=True,
    metavar="MB",
    help="Maximum size of the model in the file. If it is larger, only the most important "
    "conditions are included, and the file says so.",
)
@force_option
@json_option
@talk_options
def command(
    model: str,
    target_format: str,
    output: str,
    max_size: float,
    force: bool,
    as_json: bool,
    talk: Talk,
) -> None:
    """Write a model as a file that makes predictions by itself.

    The file contains the model and the code for prediction, and does not use the network. It gives
    the same labels and scores as `boostext predict`.

    \b
    Examples:
      boostext export calls.boostext --to html -o calls.html
      boostext export calls.boostext --to python -o calls_model.py
    """
    from boostext.cli.progress import load_watched
    from boostext.library.conversion import export

    check_output(output, None, [model])
    options: dict[str, Any] = {"to": target_format, "title": Path(model).name, "max_size": max_size}
    facts = export(load_watched(model, 0, talk), output, force=force, **options) | {"model": model}
    if as_json:
        talk.json(facts)
    elif not talk.quiet:
        click.echo(f"{output}: {facts['bytes'] / 1000:,.0f} kB, {facts['kept']:,} conditions")
