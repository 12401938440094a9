"""`boostext suggest`: suggest which documents of a pool to label next."""

from __future__ import annotations

import sys
from typing import Any

import click

from boostext.atomic import NOTHING, PAGE
from boostext.cli.options import (
    SettingsCommand,
    force_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.places import announce_stdin, check_output
from boostext.cli.talk import Talk
from boostext.fields import MOST


@click.command("suggest", cls=SettingsCommand)
@click.argument("model")
@click.argument("pool", nargs=-1, required=True, metavar="POOL...")
@click.option(
    "-n",
    "--count",
    "wanted",
    type=click.IntRange(1, MOST),
    default=50,
    show_default=True,
    metavar="N",
    help="Number of documents to suggest.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write; its ending (.jsonl, .csv, .tsv, .json or .html) gives the format.  "
    "[default: stdout]",
)
@click.option(
    "--to",
    "target_format",
    type=click.Choice(["jsonl", "csv", "tsv", "label-studio", "html"]),
    help="Format of the suggestions: label-studio writes tasks for Label Studio, and html a page "
    "on which they can be labeled.  [default: from the ending of FILE, otherwise jsonl]",
)
@click.option(
    "--by",
    type=click.Choice(["margin", "best", "entropy", "votes", "random"]),
    default="margin",
    show_default=True,
    help="Measure of uncertainty: the difference between the two best scores, or of a score from "
    "its threshold (margin); the difference between the two highest probabilities, also if "
    "documents may have several labels (best); the entropy of the probabilities (entropy); the "
    "disagreement between the model after several of its rounds (votes); or random choice "
    "(random).",
)
@click.option(
    "--spread/--no-spread",
    default=True,
    show_default=True,
    help="Of the 10 x N most uncertain documents, suggest the N that best represent them all, near "
    "duplicates last, instead of the N most uncertain. Ignored with --by random.",
)
@click.option(
    "--sample",
    type=click.IntRange(0, MOST),
    metavar="N",
    help="Choose from N times as many documents as are wanted, drawn at random from POOL; 0 takes "
    "all documents.  [default: 20; 0 with --include-labelled, and if no rule has a term]",
)
@click.option(
    "--committee",
    multiple=True,
    metavar="MODEL",
    help="Another model that votes, for --by votes. Repeat it for several models.",
)
@click.option(
    "--labels-from",
    multiple=True,
    metavar="FILE",
    help="Leave out documents that already have a label in FILE, a CSV file with the columns id "
    "and label, such as the one that the labeling page saves. Repeat it for several files.",
)
@click.option(
    "--include-labelled",
    is_flag=True,
    help="Also suggest documents that have a label in POOL, to check their labels.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, MOST),
    default=0,
    show_default=True,
    help="Seed for random numbers.",
)
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
    committee: tuple[str, ...],
    force: bool,
    threads: int,
    reading: dict[str, Any],
    talk: Talk,
    **choice: Any,
) -> None:
    """Suggest which documents to label next.

    POOL are files or folders of documents, or - for stdin. The command finds the documents without
    a label about which the model is least certain, and suggests those that represent the others
    best, with their most likely labels and the terms that decide between these. Label them, and
    train again with `boostext train ... --labels-from FILE`.

    \b
    Examples:
      boostext suggest calls.boostext calls.jsonl -n 250 -o next.html
      boostext suggest calls.boostext calls.jsonl --by entropy --to csv > next.csv
    """
    from boostext.cli.progress import watched
    from boostext.library.classifier import Classifier
    from boostext.library.tasks import suggest, suggestion_format

    form = target_format or suggestion_format(output)
    # files that people fill in are theirs; a page holds nothing of its reader
    kind = None if force else (PAGE if form == "html" else NOTHING)
    if output:
        check_output(output, kind, (*pool, model, *reading["labels_from"], *committee))
    announce_stdin(pool, talk)
    with watched(talk):
        found = suggest(
            Classifier.load(model, threads),
            pool,
            count=wanted,
            committee=[Classifier.load(path) for path in committee],
            **choice,
            **reading,
        )
    if output is None:
        sys.stdout.writelines(found.text(form))
    else:
        found.write(output, form, kind)
    for line in found.summary(output):
        talk.say(line)
    if not found.rows:
        talk.warn("no document is left to label; there is nothing to suggest")
