"""`boostext check`: show the contents of the data."""

from __future__ import annotations

import sys
from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    count_option,
    json_option,
    settings_options,
    talk_options,
    values_of,
)
from boostext.cli.places import announce_stdin
from boostext.cli.talk import Talk
from boostext.errors import BoostextError
from boostext.settings import DataSettings, TextSettings


@click.command("check", cls=SettingsCommand, common=("--format", "--label-sep"))
@click.argument("data", nargs=-1, metavar="DATA...")
@click.option(
    "--test",
    multiple=True,
    metavar="FILE",
    help="Test data to compare with. Repeat it for several files.",
)
@count_option("--top", "Number of labels, groups and records to show.", 1)
@click.option(
    "--knowledge",
    metavar="FILE",
    help="File of rules, as for train --knowledge. Shows how often each rule applies, and how "
    "often it is right.",
)
@settings_options(data_settings=DataSettings, text=TextSettings)
@corrections_options
@json_option
@talk_options
def command(
    data: tuple[str, ...],
    test: tuple[str, ...],
    top: int,
    knowledge: str | None,
    data_settings: DataSettings,
    text: TextSettings,
    labels_from: tuple[str, ...],
    new_labels: bool,
    as_json: bool,
    talk: Talk,
) -> None:
    """Show the contents of the data: labels, sizes, duplicates.

    The command also shows texts that occur with different labels, labels that look alike, and texts
    without any term. Two texts are the same if they have the same terms, which depends on the
    options of "Text to terms". Bad records are counted and listed, and do not stop the check. With
    --test, texts that are in both files and labels that are in only one are shown as well. With
    --knowledge, the rules of that file are compared with the labels.

    \b
    Example:
      boostext check calls.train.jsonl --test calls.test.jsonl
    """
    from boostext.cli.progress import watched
    from boostext.library.tasks import check
    from boostext.reports.findings import sections
    from boostext.reports.layout import HEAD, page_for

    if not data:
        raise click.UsageError("no data; name files or folders, or - for stdin")
    announce_stdin(data + test, talk)
    settings = {**values_of(data_settings, text), "skip_bad": True, "knowledge": knowledge or ""}
    mended: dict[str, Any] = {"labels_from": labels_from, "new_labels": new_labels}
    with watched(talk) as watch:
        found = check(data, test=test or None, watch=watch, **mended, **settings)
    if as_json:
        talk.json(found.to_dict())
    else:
        for heading, lines in sections(found, top, page_for(sys.stdout), found.known):
            if heading:
                talk.show_line(heading, HEAD)
            for line in lines:
                talk.show_line(line)
    if found.bad_count and not found.documents:
        place, message = found.bad_records[0]
        raise BoostextError(f"no record can be read; the first is {place}: {message}")
