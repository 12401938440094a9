"""`boostext compare`: compare two models on the same labelled documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    count_option,
    force_option,
    json_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.places import announce_stdin, check_output, test_files
from boostext.cli.talk import Talk


@click.command("compare", cls=SettingsCommand)
@click.argument("first")
@click.argument("second")
@click.argument("data", nargs=-1, metavar="DATA...", required=True)
@click.option("-o", "--output", metavar="FILE", help="Also write a page with all changes to FILE.")
@count_option("--top", "Number of labels, documents and terms to show.", 0)
@force_option
@threads_option
@overriding_options
@json_option
@talk_options
def command(
    first: str,
    second: str,
    data: tuple[str, ...],
    output: str | None,
    top: int,
    force: bool,
    threads: int,
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
) -> None:
    """Compare the results of two models.

    Both models are applied to the same labelled documents. The command shows the measures of both,
    the labels and documents on which only one of the models is right, and the terms that have a
    different influence.

    \b
    Example:
      boostext compare old.boostext new.boostext calls.test.jsonl -o changes.html
    """
    from boostext.atomic import PAGE, replacing
    from boostext.cli.progress import load_watched, watched
    from boostext.library.measuring import compare, share_labels
    from boostext.reports.comparing import comparison_drawing, comparison_page
    from boostext.reports.layout import page_for

    old, new = (load_watched(path, threads, talk) for path in (first, second))
    share_labels(old, new)
    kind = None if force else PAGE
    if output:
        check_output(output, kind, (first, second, *data))
    announce_stdin(data, talk)
    with watched(talk):
        found = compare(old, new, test_files(data), names=_names(first, second), **reading)
    if output:
        with replacing(output, kind) as file:
            file.write(comparison_page(found).encode("utf-8", "backslashreplace"))
    if as_json:
        talk.json(found.to_dict(iter))
    else:
        talk.show(comparison_drawing(found, top, page_for(sys.stdout)))


def _names(first: str, second: str) -> tuple[str, str]:
    """Return the names of the models, without their folders if they differ without them."""
    names = Path(first).name, Path(second).name
    return names if names[0] != names[1] else (first, second)
