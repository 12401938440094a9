"""`boostext predict`: label new documents."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boostext.cli.options import (
    SettingsCommand,
    misread,
    overriding_options,
    safe_cells_option,
    talk_options,
    threads_option,
    threshold_options,
    workers_option,
)
from boostext.cli.places import announce_stdin, test_files
from boostext.cli.talk import Talk, is_terminal
from boostext.errors import SettingsError
from boostext.fields import MOST, count

if TYPE_CHECKING:
    from boostext.corpus.documents import Document
    from boostext.corpus.sources import BadRecords
    from boostext.library.classifier import Classifier
    from boostext.library.results import Wanted
    from boostext.library.watch import StopRequest

ONE_INPUT = "expected DATA, - for stdin, or --document TEXT, and only one of them"


@click.command("predict", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...|-]")
@click.option("--document", metavar="TEXT", help="The text of one document, instead of DATA.")
@click.option(
    "--output",
    type=click.Choice(["jsonl", "tsv", "csv", "labels", "html"]),
    default=None,
    help="Format of the results; html is a page on which the words are marked.  [default: jsonl]",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --output jsonl.")
@click.option(
    "--top",
    type=click.IntRange(1, MOST),
    metavar="K",
    help="Show the scores of the N labels with the highest scores.  [default: 1]",
)
@click.option("--all-scores", is_flag=True, help="Show the scores of all labels.")
@click.option(
    "--proba",
    is_flag=True,
    help="Also show probabilities. They sum to 1 if each document has one label and the model is "
    "calibrated.",
)
@threshold_options
@click.option(
    "--explain",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Show for each label the N terms that contributed most to its score: as text, as JSON "
    "with --output jsonl, or as a page with --output html.",
)
@click.option(
    "--keep-columns",
    is_flag=True,
    help="Copy the fields of the input to the output, before those of the result (jsonl, csv and "
    "tsv). A field with the same name as one of the result is renamed to input_NAME.",
)
@safe_cells_option
@threads_option
@workers_option
@overriding_options
@talk_options
def command(
    model: str,
    data: tuple[str, ...],
    document: str | None,
    output: str | None,
    as_json: bool,
    explain: int | None,
    keep_columns: bool,
    safe_cells: bool,
    threads: int,
    workers: str,
    reading: dict[str, Any],
    talk: Talk,
    **shown: Any,
) -> None:
    """Label new documents.

    DATA are files, folders, or - for stdin. There is one result for each document, in the order of
    the input. Fields have the same names as in the training data, unless options name others.

    The score of a label is the sum of the votes for it. If each document has one label, the label
    with the highest score is predicted. If documents may have several, all labels with scores above
    the thresholds of the model are predicted or, without thresholds, those with a score above 0. If
    the model is calibrated, this is the highest probability, and a probability above 1/2.

    \b
    Example:
      boostext predict calls.boostext --document "call my mother collect please"
    """
    from boostext.cli.progress import load_watched, watched
    from boostext.corpus.sources import BadRecords
    from boostext.library.results import tell_labelling
    from boostext.library.watch import Stopped

    if (document is None) == (not data):
        raise click.UsageError(misread("text", reading, data) or ONE_INPUT)
    form = "jsonl" if as_json else output or ("drawing" if explain else "jsonl")
    _check(form, output, explain, keep_columns, safe_cells)
    used = load_watched(model, threads, talk)
    shown |= {"explain": explain, "columns": keep_columns, "safe_cells": safe_cells}
    wanted = _wanted(used, form, title=f"Labels by {Path(model).name}", **shown)
    announce_stdin(data, talk)
    account, done, paths = BadRecords(), 0, test_files(data)
    with watched(talk, "off" if _is_interactive(data) else "auto") as watch:
        if document is None and workers:
            written = _from_workers(used.content, paths, account, wanted, form, workers, reading)
        else:
            documents = _documents(used, document, paths, account, form, wanted, reading)
            written = _written(used, documents, wanted, form, data, talk, watch.stop)
        try:
            for done in written:  # noqa: B007  # the last number is used below
                watch.went_on()
        except Stopped as stop:
            raise Stopped(stop.signal_number, f"stopped after {count(done, 'result')}") from None
        finally:
            sys.stdout.flush()  # results come before the messages about them
    tell_labelling(account, used.content, paths)
    if account.count or account.blank_lines or (is_terminal(sys.stderr) and not document):
        talk.say(f"{count(done, 'result')}, one for each document")


def _wanted(
    model: Classifier,
    form: str,
    top: int | None,
    all_scores: bool,
    threshold_proba: float | None,
    **shown: Any,
) -> Wanted:
    """Return the options for the results."""
    from boostext.library.results import Wanted, checked, for_page

    top = len(model.labels) if all_scores else top
    wanted = Wanted(top, all_scores, probability=threshold_proba, **shown)
    checked(wanted, model.content)
    return for_page(wanted, model.content) if form == "html" else wanted


def _check(
    form: str, output: str | None, explain: int | None, keep_columns: bool, safe_cells: bool
) -> None:
    """Raise SettingsError if options contradict each other."""
    if safe_cells and form not in ("csv", "tsv"):
        raise SettingsError("--safe-cells is for cells of tables; add --output csv or --output tsv")
    if explain and form not in ("jsonl", "html", "drawing"):
        raise SettingsError(f"--explain does not go with --output {output}; use jsonl or html")
    if keep_columns and form not in ("jsonl", "csv", "tsv"):
        shown = f"--output {output}" if output else "--explain without --output jsonl"
        raise SettingsError(f"--keep-columns does not go with {shown}; use jsonl, csv or tsv")


def _documents(
    model: Classifier,
    document: str | None,
    paths: list[str],
    account: BadRecords,
    form: str,
    wanted: Wanted,
    reading: dict[str, Any],
) -> Iterable[Document]:
    from boostext.corpus.documents import Document, Origin
    from boostext.library.results import documents_to_label

    if document is not None:
        field = model.content.data.text[0]
        return [Document("text", {field: document}, origin=Origin("--document", 0))]
    return documents_to_label(
        model.content,
        paths,
        account,
        reading,
        labels=form == "html",
        columns=wanted.columns,
    )


def _written(
    model: Classifier,
    documents: Iterable[Document],
    wanted: Wanted,
    form: str,
    data: tuple[str, ...],
    talk: Talk,
    stop: StopRequest,
) -> Iterator[int]:
    """Write the results, and yield their number so far; flush each if somebody may be waiting."""
    from boostext.library.results import drawn, results_of, written
    from boostext.library.watch import until_stopped
    from boostext.model.predict import BATCH
    from boostext.reports.layout import page_for

    prompt = _is_interactive(data)
    read, batch = until_stopped(documents, stop), 1 if prompt else BATCH
    if form == "drawing":
        page = page_for(sys.stdout)
        for number, result in enumerate(results_of(model.predictor, read, wanted, batch), 1):
            talk.show(drawn(result, wanted, model.content, page))
            yield number
        return
    for number, text in enumerate(written(model.predictor, read, wanted, form, batch)):
        sys.stdout.write(text)
        yield number
        if prompt:
            sys.stdout.flush()


def _from_workers(*given: Any) -> Iterator[int]:
    """Write the results of workers, part by part, and yield their number so far."""
    from boostext.library.results import labelled_on_workers

    for text, number in labelled_on_workers(*given):
        sys.stdout.write(text)
        yield number


def _is_interactive(paths: tuple[str, ...]) -> bool:
    """Return whether somebody may be waiting for each result, as stdin is not a file."""
    if "-" not in paths or sys.stdin is None:
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return True
