"""`boostext check`: tell what is in the data."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    json_option,
    settings_options,
    talk_options,
)
from boostext.cli.talk import Talk
from boostext.settings import DataSettings, TextSettings


@click.command("check", cls=SettingsCommand)
@click.argument("data", nargs=-1, metavar="DATA...")
@click.option("--test", multiple=True, metavar="FILE", help="Test data to compare with; repeat.")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Show so many labels, groups and records.",
)  # fmt: skip
@click.option(
    "--knowledge", metavar="FILE",
    help="Rules as for train --knowledge: how often each holds, and how often it is right.",
)  # fmt: skip
@settings_options(data_settings=DataSettings, text=TextSettings)
@corrections_options
@json_option
@talk_options
def command(data: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Tell what is in the data: labels, sizes, duplicates.

    Also the same text with other labels, labels that look alike, and texts in which rules find
    nothing to ask for. Texts are the same where training sees the same in them, which the options
    of "Text to terms" decide. Bad records are counted and listed, and do not stop the check. With
    --test also what the two have in common: texts in both, labels that only one has. With
    --knowledge how the rules of that file stand beside the labels that there are.

    \b
    Example:
      boostext check calls.train.jsonl --test calls.test.jsonl
    """
    from boostext.cli.findings import run

    if not data:
        raise click.UsageError("no data; name files or folders, or - for stdin")
    run(data, talk, **values)
