"""`boostext inspect`: show the rules of a model, and likely label errors."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    count_option,
    fields_of,
    force_option,
    json_option,
    misread,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.places import announce_stdin, spare_reports
from boostext.cli.talk import Talk
from boostext.errors import SettingsError

if TYPE_CHECKING:
    from boostext.library.classifier import Classifier
    from boostext.model.model import Model
    from boostext.reports.folder import ReportFolder


@click.command("inspect", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...]")
@click.option(
    "-o", "--output", metavar="DIR", help="Folder for report.html and tables with the results."
)
@count_option(
    "--top", "Number of rules, of terms for each label, and of likely label errors to show.", 1
)
@click.option(
    "--source",
    type=click.Choice(["weights", "cv"]),
    default=None,
    help="How likely label errors are found: by the weight of the document in this model "
    "(weights), or by a classifier that is trained without the document (cv), which takes "
    "longer and finds more.  [default: cv with --output, otherwise weights]",
)
@click.option(
    "--dot", is_flag=True, help="Only print the rules as a tree, in the DOT format of Graphviz."
)
@click.option(
    "--as-knowledge",
    is_flag=True,
    help="Only print the N strongest terms of each label as a file for train --knowledge.",
)
@click.option(
    "--margins", is_flag=True, help="Also show the distribution of the margins, and its bounds."
)
@click.option(
    "--only-label",
    multiple=True,
    metavar="LABEL",
    help="Show only this label. Repeat it for several labels.",
)
@click.option(
    "--term",
    multiple=True,
    metavar="TERM",
    help="Show everything about this term; with DATA, also documents that contain it. Repeat it "
    "for "
    "several terms.",
)
@click.option(
    "--grep", metavar="PATTERN", help="List the terms that match this regular expression."
)
@click.option(
    "--terms-where",
    multiple=True,
    metavar="FILTER",
    help="List the terms for which a filter is true, such as documents>=10, kind=number, "
    "column=subject or label~^re. The columns are those of the JSON output. If it is repeated, "
    "all filters must be true.",
)
@click.option(
    "--document",
    metavar="ID|TEXT",
    help="Explain the scores of one document: the one in DATA with this id or, without DATA, "
    "this text.",
)
@force_option
@threads_option
@overriding_options
@corrections_options
@json_option
@talk_options
def command(
    model: str,
    data: tuple[str, ...],
    dot: bool,
    as_knowledge: bool,
    document: str | None,
    term: tuple[str, ...],
    grep: str | None,
    terms_where: tuple[str, ...],
    threads: int,
    **values: Any,
) -> None:
    """Show the rules of a model, and likely label errors.

    With DATA, preferably the training data, the command also lists likely label errors: the
    documents whose labels the rules vote against, the most likely errors first.

    \b
    Example:
      boostext inspect calls.boostext calls.jsonl --top 5
      boostext inspect calls.boostext calls.jsonl --term collect
      boostext inspect calls.boostext --document "call my mother collect please"
    """
    from boostext.cli.progress import load_watched
    from boostext.library.inspection import check_labels

    if wrong := misread("label", values["reading"], data):
        raise click.UsageError(wrong)
    used = load_watched(model, threads, values["talk"])
    check_labels(used.content, values["only_label"])
    lists_terms = bool(term or terms_where or grep is not None)
    if dot or as_knowledge:
        sys.stdout.writelines(_as_file(used, dot, values["top"], values["only_label"]))
    elif document is not None and lists_terms:
        raise SettingsError(
            "--document does not go with --term, --grep and --terms-where; give one"
        )
    elif document is not None:
        _show_document(used, (model, *data), document, **values)
    elif lists_terms:
        wanted = {"term": term, "grep": grep, "where": terms_where}
        _show_terms(used, (model, *data), wanted, **values)
    else:
        _show_all(used, (model, *data), **values)


def _as_file(model: Classifier, dot: bool, top: int, only: tuple[str, ...]) -> Iterable[str]:
    """Return the lines of a tree for Graphviz, or of the strongest terms as knowledge."""
    from boostext.reports.knowledge import knowledge_file
    from boostext.reports.trees import dot as tree

    if dot:
        return tree(model.content, top, _numbers(model.content, only))
    return knowledge_file(model.content, top)


def _numbers(model: Model, only: tuple[str, ...]) -> list[int]:
    """Return the indices of the labels to show; empty for all, and for output codes."""
    return [] if model.code else [model.labels.index(label) for label in only]


@contextmanager
def _folder(
    inputs: tuple[str, ...], reading: dict[str, Any], output: str | None, force: bool, talk: Talk
) -> Iterator[ReportFolder | None]:
    """Context manager for the folder of reports, which must not contain an input."""
    from boostext.reports.folder import report_folder

    spare_reports((*inputs, *reading["labels_from"]), output)
    announce_stdin(inputs, talk)
    with report_folder(output, not force) as folder:
        yield folder


def _show_document(
    model: Classifier,
    inputs: tuple[str, ...],
    document: str,
    output: str | None,
    force: bool,
    top: int,
    only_label: tuple[str, ...],
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
    **others: Any,
) -> None:
    """Explain the document with the given id or, without data, the given text.

    The explanation is shown on the terminal or printed as JSON, and written to a folder if one is
    given.
    """
    from boostext.library.inspection import find_document
    from boostext.reports.layout import HEAD, page_for
    from boostext.reports.listings import explanation_list, marked_text

    with _folder(inputs, reading, output, force, talk) as folder:
        found: Any = document
        if inputs[1:]:
            found = find_document(model, inputs[1:], document, **fields_of(reading))
        explanation = model.explain(found, top, only_label)
        if folder:
            folder.write(explanation.reports())
    if as_json:
        talk.json(explanation.to_dict())
        return
    talk.show_line(f"{explanation.document.id}: {' + '.join(explanation.given) or '(none)'}", HEAD)
    if explanation.labels:
        talk.show(marked_text(explanation.marked()))
    talk.show(explanation_list(explanation.rows(), page_for(sys.stdout), explanation.probabilities))


def _show_terms(
    model: Classifier,
    inputs: tuple[str, ...],
    wanted: dict[str, Any],
    top: int,
    only_label: tuple[str, ...],
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
    **others: Any,
) -> None:
    """Show terms, and their statistics on the data."""
    from boostext.library.inspection import find_terms
    from boostext.reports.layout import page_for

    announce_stdin(inputs, talk)
    listing = find_terms(model, inputs[1:] or None, only=only_label, **wanted, **reading)
    if as_json:
        talk.json(listing.to_dict())
        return
    talk.show_line(f"{len(listing.found.rows):,} of {listing.count:,} terms")
    for drawing in listing.drawings(top, page_for(sys.stdout)):
        talk.show(drawing)


def _show_all(
    model: Classifier,
    inputs: tuple[str, ...],
    output: str | None,
    force: bool,
    source: str | None,
    margins: bool,
    top: int,
    only_label: tuple[str, ...],
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
) -> None:
    """Show rules, terms, and likely label errors."""
    from boostext.cli.progress import watched
    from boostext.library.inspection import inspect
    from boostext.reports.layout import page_for

    folders = _folder(inputs, reading, output, force, talk)
    with folders as folder, watched(talk) as watch:
        found = inspect(
            model,
            inputs[1:] or None,
            source=source,
            only=only_label,
            top=top,
            margins=margins,
            folder=folder,
            title=Path(inputs[0]).name,
            watch=watch,
            **reading,
        )
    if as_json:
        talk.json(found.to_dict())
    else:
        for drawing in found.drawings(page_for(sys.stdout)):
            talk.show(drawing)
