"""`boostext predict`: label new documents."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
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
)
from boostext.cli.places import announce_stdin, test_files
from boostext.cli.talk import Talk, is_terminal
from boostext.errors import SettingsError
from boostext.fields import count

if TYPE_CHECKING:
    from boostext.corpus.documents import Document
    from boostext.corpus.sources import BadRecords
    from boostext.library.classifier import Classifier
    from boostext.library.results import Result, Wanted
    from boostext.library.watch import StopRequest
    from boostext.model.model import Model

ONE_INPUT = "expected DATA, - for stdin, or --document TEXT, and only one of them"


@click.command("predict", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...|-]")
@click.option("--document", metavar="TEXT", help="The text of one document, instead of DATA.")
@click.option(
    "--output",
    type=click.Choice(["jsonl", "tsv", "csv", "labels", "html"]),
    default=None,
    help="How results are written; html is a page with the words marked.  [default: jsonl]",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --output jsonl.")
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="K",
    help="Give scores for the K best labels.  [default: 1]",
)
@click.option("--all-scores", is_flag=True, help="Give scores for all labels.")
@click.option(
    "--proba",
    is_flag=True,
    help="Also probabilities; those of a one-label model sum to one if it is calibrated.",
)
@click.option(
    "--threshold",
    type=float,
    metavar="X",
    help="Give labels with a score above X (a score, not a probability).",
)
@click.option(
    "--threshold-proba",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Give labels with a probability above X.",
)
@click.option(
    "--explain",
    type=click.IntRange(1),
    metavar="N",
    help="Show for each label the N rules that spoke most; for programs with --output jsonl, as a "
    "page with --output html.",
)
@click.option(
    "--keep-columns",
    is_flag=True,
    help="Put the fields of the input before those of the result, in jsonl, csv and tsv. One that "
    "is called like one of the result becomes input_NAME.",
)
@safe_cells_option
@threads_option
@overriding_options
@talk_options
def command(
    model: str,
    data: tuple[str, ...],
    document: str | None,
    output: str | None,
    as_json: bool,
    top: int | None,
    all_scores: bool,
    proba: bool,
    threshold: float | None,
    threshold_proba: float | None,
    explain: int | None,
    keep_columns: bool,
    safe_cells: bool,
    threads: int,
    reading: dict[str, Any],
    talk: Talk,
) -> None:
    """Label new documents.

    DATA are files, folders, or - for stdin; each document has one result, in input order. Fields
    are named as in training unless said here. A score is a sum of votes. Models of one
    label give the label of greatest probability if they are calibrated, else of greatest score.
    Models of several labels give those above the model's own thresholds; without thresholds, those
    with a probability above 1/2 if calibrated, else with a score above 0.

    \b
    Example:
      boostext predict calls.boostext --document "call my mother collect please"
    """
    from boostext.corpus.sources import BadRecords
    from boostext.library.classifier import Classifier
    from boostext.library.results import Wanted, checked, for_page, tell_labelling
    from boostext.library.watch import Stopped, stop_request

    if (document is None) == (not data):
        raise click.UsageError(misread("text", reading, data) or ONE_INPUT)
    form = "jsonl" if as_json else output or ("drawing" if explain else "jsonl")
    _check(form, output, explain, keep_columns, safe_cells)
    used = Classifier.load(model, threads)
    top = len(used.labels) if all_scores else top
    given = (f"Labels by {Path(model).name}", keep_columns, threshold, threshold_proba)
    asked = Wanted(top, all_scores, proba, explain, *given, safe_cells=safe_cells)
    wanted = checked(asked, used.content)
    wanted = for_page(wanted, used.content) if form == "html" else wanted
    announce_stdin(data, talk)
    account, told, paths = BadRecords(), 0, test_files(data)
    documents = _documents(used, document, paths, account, form, wanted, reading)
    with stop_request() as stop:
        try:
            for number in _written(used, documents, wanted, form, data, talk, stop):
                told = number
        except Stopped as stopped:
            words = f"stopped after {count(told, 'result')}"
            raise Stopped(stopped.signal_number, words) from None
        finally:
            sys.stdout.flush()  # results stand before what is said of them
    tell_labelling(account, used.content, paths)
    if account.count or account.blank_lines or (is_terminal(sys.stderr) and not document):
        talk.say(f"{count(told, 'result')}, one for each document")


def _check(
    form: str, output: str | None, explain: int | None, keep_columns: bool, safe_cells: bool
) -> None:
    """Raise SettingsError where options do not go together."""
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
    """Write results as they come, each at once where somebody may wait for it; their numbers."""
    from boostext.library.results import FORMATS, TABLES, results_of, with_header
    from boostext.library.watch import until_stopped
    from boostext.model.predict import BATCH

    read, prompt = until_stopped(documents, stop), _is_interactive(data)
    if wanted.columns and form in TABLES and (first := next(read, None)) is not None:
        read = chain([first], read)
        wanted = with_header(wanted, first, model.content)
    if form == "drawing":
        show = _drawing(wanted, model.content, talk)
    else:
        head, text = FORMATS[form](wanted, model.content)
        sys.stdout.write(head)

        def show(result: Result) -> None:
            sys.stdout.write(text(result))

    batch = 1 if prompt else BATCH
    for number, result in enumerate(results_of(model.predictor, read, wanted, batch), 1):
        show(result)
        yield number
        if prompt:
            sys.stdout.flush()


def _drawing(wanted: Wanted, model: Model, talk: Talk) -> Callable[[Result], None]:
    """For people: what was found in the document and what it says of each label."""
    from boostext.reports.explanation_drawing import explanation_list
    from boostext.reports.explanations import explanation_rows
    from boostext.reports.layout import HEAD, page_for

    page, fields = page_for(sys.stdout), len(model.data.text)

    def show(result: Result) -> None:
        names = " + ".join(model.labels[number] for number in result.given) or "(none)"
        talk.show_line(f"{result.document.id}: {names}", HEAD)
        said, shown = result.explanation or (), result.shown
        rows = explanation_rows(said, model.labels, shown, wanted.explain or 0, fields)
        told = {} if result.probabilities is None else result.probabilities.tolist()
        likely = {model.labels[n]: told[n] for n in shown} if told else {}
        talk.show(explanation_list(rows, page, likely))

    return show


def _is_interactive(paths: tuple[str, ...]) -> bool:
    """Whether somebody may wait for each answer: stdin that is no file."""
    if "-" not in paths or sys.stdin is None:
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return True
