"""`boostext convert`: convert a corpus or a model to another format."""

from __future__ import annotations

from typing import Any

import click

from boostext.atomic import make_parent
from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    json_option,
    safe_cells_option,
    settings_options,
    talk_options,
    values_of,
)
from boostext.cli.places import announce_stdin, spare
from boostext.cli.talk import Talk
from boostext.fields import count
from boostext.settings import DataSettings


@click.command("convert", cls=SettingsCommand, common=("--format", "--label-sep", "--delimiter"))
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    help="Format of TARGET, if it does not follow from the ending.",
)
@click.option(
    "--lossy",
    is_flag=True,
    help="Change or leave out values that the format cannot represent, instead of stopping.",
)
@safe_cells_option
@click.option(
    "--expert",
    type=click.Choice(["ngram", "full", "icsi-sparse"]),
    default="ngram",
    show_default=True,
    help="When a .shyp is read: the option -N of icsiboost (ngram, fgram or sgram) with which it "
    "was trained.",
)
@click.option(
    "--ngrams",
    metavar="N-M",
    default="1-1",
    show_default=True,
    help="When a .shyp is read: the lengths of its n-grams, such as 1-3 for -W 3 of icsiboost. "
    "Options of columns in the .names file take precedence.",
)
@click.option(
    "--multilabel",
    is_flag=True,
    help="When a .shyp is read: predict all labels with a score above 0.",
)
@click.option("--accept-edits", is_flag=True, help="Accept a model file that was edited by hand.")
@click.option("--packed", is_flag=True, help="Write a .shyp with a single rule for each condition.")
@force_option
@settings_options(data_settings=DataSettings)
@corrections_options
@json_option
@talk_options
def command(
    source: str,
    target: str,
    target_format: str | None,
    lossy: bool,
    safe_cells: bool,
    force: bool,
    data_settings: DataSettings,
    labels_from: tuple[str, ...],
    new_labels: bool,
    as_json: bool,
    talk: Talk,
    **of_models: Any,
) -> None:
    """Convert a corpus or a model to another format.

    Corpora can be converted between JSONL, CSV, TSV, fastText, folders and stems (.data with
    .names), according to the endings of the names. A model (.boostext) can be converted to .json,
    which contains all of it as text, and to .shyp with its .names, the format of BoosTexter and
    icsiboost; and from these formats back to .boostext.

    \b
    Examples:
      boostext convert calls.csv calls.jsonl --text message
      boostext convert calls.jsonl corrected.jsonl --labels-from corrections.csv
      boostext convert calls.boostext calls.json
      boostext convert calls.shyp calls.boostext --ngrams 1-2
    """
    from boostext.cli.progress import watched
    from boostext.corpus.writers import STDOUT
    from boostext.library.conversion import ModelOptions, convert

    spare([source, *labels_from], target)
    if target not in STDOUT:
        make_parent(target)
    announce_stdin([source], talk)
    with watched(talk) as watch:
        facts = convert(
            source,
            target,
            to=target_format,
            force=force,
            lossy=lossy,
            safe_cells=safe_cells,
            labels_from=labels_from,
            new_labels=new_labels,
            options=ModelOptions(**of_models),
            watch=watch,
            **values_of(data_settings),
        )
    if as_json:
        talk.json(facts)
    else:
        sizes = {noun: number for noun, number in facts.items() if isinstance(number, int)}
        listed = ", ".join(count(number, noun) for noun, number in sizes.items())
        talk.say(f"{target}: {listed}")
