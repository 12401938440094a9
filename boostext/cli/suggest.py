"""`boostext suggest`: the documents of a pool that are most worth labeling next."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from boostext.atomic import NOTHING, PAGE, Kind, check_writable, replacing
from boostext.cli.options import (
    SettingsCommand,
    force_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.places import announce_stdin, spare
from boostext.cli.talk import Talk
from boostext.errors import SettingsError
from boostext.fields import count

ENDINGS = {".jsonl": "jsonl", ".csv": "csv", ".json": "label-studio", ".html": "html"}


@click.command("suggest", cls=SettingsCommand)
@click.argument("model")
@click.argument("pool", nargs=-1, required=True, metavar="POOL...")
@click.option(
    "-n",
    "--count",
    "wanted",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many documents to suggest.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to FILE; its ending, .jsonl, .csv, .json or .html, says the format.  "
    "[default: stdout]",
)
@click.option(
    "--to",
    "target_format",
    type=click.Choice(list(ENDINGS.values())),
    default=None,
    help="Format of the suggestions: label-studio gives tasks to import there, html a page to "
    "label them on.  [default: by the ending of FILE, else jsonl]",
)
@click.option(
    "--by",
    type=click.Choice(["margin", "entropy", "votes", "random"]),
    default="margin",
    show_default=True,
    help="Measure of doubt: how close the best two scores are, or a score is to its threshold; "
    "the entropy of the probabilities; the disagreement of the model after several of its rounds; "
    "or none, for a random draw.",
)
@click.option(
    "--spread/--no-spread",
    default=True,
    show_default=True,
    help="Let documents wait that are nearly the same as one that is suggested, or in doubt for "
    "the same terms.",
)
@click.option(
    "--committee",
    multiple=True,
    metavar="MODEL",
    help="A further model that votes, with --by votes; repeat.",
)
@click.option(
    "--labels-from",
    multiple=True,
    metavar="FILE",
    help="Leave out documents that already have a label in FILE (CSV with the columns id and "
    "label, as the labeling page saves them); repeat.",
)
@click.option(
    "--include-labelled",
    is_flag=True,
    help="Suggest documents that have a label in POOL as well, such as to look at it again.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of a random draw.")
@force_option
@threads_option
@overriding_options
@talk_options
def command(
    model: str,
    pool: tuple[str, ...],
    wanted: int,
    output: str | None,
    target_format: str | None,
    by: str,
    spread: bool,
    committee: tuple[str, ...],
    include_labelled: bool,
    seed: int,
    force: bool,
    threads: int,
    reading: dict[str, Any],
    talk: Talk,
) -> None:
    """Suggest which documents to label next.

    POOL are files or folders of documents, or - for stdin. Documents that have a label are left
    out; of the others, those are suggested whose labels the model doubts most, each with the
    likeliest labels and the terms that decide between them. Label them, and train again with
    `boostext train ... --labels-from FILE`.

    \b
    Examples:
      boostext suggest calls.boostext calls.jsonl -n 250 -o next.html
      boostext suggest calls.boostext calls.jsonl --by entropy --to csv > next.csv
    """
    from boostext.library.classifier import Classifier
    from boostext.library.tasks import suggest

    form = target_format or _by_ending(output)
    # files that people fill in are theirs; a page holds nothing of its reader
    kind = None if force else (PAGE if form == "html" else NOTHING)
    if output:
        spare([*pool, model, *reading["labels_from"], *committee], output)
        check_writable(output, kind)
    announce_stdin(pool, talk)
    found = suggest(
        Classifier.load(model, threads),
        pool,
        count=wanted,
        by=by,
        spread=spread,
        committee=[Classifier.load(path) for path in committee],
        include_labelled=include_labelled,
        seed=seed,
        **reading,
    )
    _write(found.text(form), output, kind)
    for line in found.left_out():
        talk.say(line)
    where = f" written to {output}" if output else ""
    talk.say(
        f"{count(len(found.rows), 'suggestion')} of {count(found.pool.open, 'document')}{where}"
    )
    if not found.rows:
        talk.warn("every document has a label already; there is nothing to suggest")


def _by_ending(output: str | None) -> str:
    """The format that the ending of a file says; JSONL for stdout."""
    ending = Path(output).suffix.lower() if output else ".jsonl"
    if ending not in ENDINGS:
        raise SettingsError(
            f"the ending {ending or '(none)'} of {output} names no format; expected "
            f"{', '.join(ENDINGS)}, or say --to ({', '.join(ENDINGS.values())})"
        )
    return ENDINGS[ending]


def _write(lines: Iterable[str], output: str | None, kind: Kind | None) -> None:
    """To the file, whole or not at all; to stdout where none is named."""
    if output is None:
        sys.stdout.writelines(lines)
        return
    with replacing(output, kind) as file:
        for line in lines:
            file.write(line.encode("utf-8", "backslashreplace"))
