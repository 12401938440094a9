"""`boostext convert`: rewrite a corpus or a model in another format."""

from __future__ import annotations

import click

from boostext.cli.options import SettingsCommand, json_option, settings_options, talk_options
from boostext.cli.talk import Talk
from boostext.settings import DataSettings


@click.command("convert", cls=SettingsCommand)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option(
    "--to", "target_format", metavar="FORMAT",
    help="Format of TARGET, where its ending does not tell.",
)  # fmt: skip
@click.option("--lossy", is_flag=True, help="Change what the format cannot hold, and count it.")
@settings_options(data_settings=DataSettings)
@json_option
@talk_options
def command(
    source: str,
    target: str,
    target_format: str | None,
    lossy: bool,
    data_settings: DataSettings,
    as_json: bool,
    talk: Talk,
) -> None:
    """Rewrite a corpus or a model in another format.

    Corpora go between JSONL, CSV, TSV, fastText lines and folders, by the endings of the names; a
    model (.boostext) goes to .json, which holds all of it as text, and back.

    \b
    Examples:
      boostext convert calls.csv calls.jsonl --text message
      boostext convert calls.boostext calls.json
    """
    from boostext.cli.conversion import convert

    convert(source, target, target_format, lossy, data_settings, as_json, talk)
