"""One prediction as text: JSONL, TSV, CSV, bare labels, or a drawing of the explanation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from boostext.cli.talk import Talk
from boostext.corpus.carried import carried, cell, names_beside
from boostext.corpus.documents import Document
from boostext.corpus.roles import shown
from boostext.corpus.table_writer import row_writer
from boostext.library.results import Result, Wanted, record_of
from boostext.model.model import Model
from boostext.reports.escape import tsv_field, tsv_names

Write = Callable[[Result], None]
"""Print one result."""


def jsonl(wanted: Wanted, model: Model, talk: Talk) -> Write:
    def write(result: Result) -> None:
        record = record_of(result, wanted, model)
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")

    return write


def tsv(wanted: Wanted, model: Model, talk: Talk) -> Write:
    r"""Tabs, line ends and backslashes in fields are \t \n \r \\; several labels joined by |."""

    def line(first: Sequence[str], names: Sequence[str], rest: Sequence[str]) -> None:
        cells = [*map(tsv_field, first), tsv_names(names), *map(tsv_field, rest)]
        sys.stdout.write("\t".join(cells) + "\n")

    return _table(line, wanted, model, talk)


def comma_separated(wanted: Wanted, model: Model, talk: Talk) -> Write:
    r"""As RFC 4180, lines ended by LF; several labels joined by |, one of their own is \|."""
    write_row = row_writer(sys.stdout, ",")

    def line(first: Sequence[str], names: Sequence[str], rest: Sequence[str]) -> None:
        joined = "|".join(name.replace("\\", "\\\\").replace("|", "\\|") for name in names)
        write_row([*first, joined, *rest])

    return _table(line, wanted, model, talk)


Line = Callable[[Sequence[str], Sequence[str], Sequence[str]], None]
"""Write the cells of a row: those before the labels given, these, and those after them."""


def with_header(wanted: Wanted, first: Document, model: Model) -> Wanted:
    """With the columns of a table in which the fields of the first document have theirs."""
    return replace(
        wanted, table=names_beside(carried(first), ["id", "labels", *_head(wanted, model)])
    )


def _table(line: Line, wanted: Wanted, model: Model, talk: Talk) -> Write:
    """Columns id and labels; then one a label by name, or label and score of the best ones."""
    line([*wanted.table.values(), "id"], ["labels"], _head(wanted, model))
    told = not wanted.columns

    def write(result: Result) -> None:
        nonlocal told
        given = carried(result.document) if wanted.columns else {}
        if not told and (further := given.keys() - wanted.table.keys()):
            told = True
            talk.warn(
                f"{result.document.origin}: the field {shown(min(further))} is not in the first "
                "record, whose fields are the columns; such fields are left out, and --output "
                "jsonl keeps them"
            )
        names = [model.labels[number] for number in result.given]
        cells = [cell(given.get(name)) for name in wanted.table]
        line([*cells, result.document.id], names, _cells(result, wanted, model))

    return write


def _head(wanted: Wanted, model: Model) -> list[str]:
    """What stands behind id and labels."""
    kinds = ["score", "probability"] if wanted.proba else ["score"]
    if wanted.all_scores:
        return [f"{kind}:{label}" for kind in kinds for label in model.labels]
    places = range(1, min(wanted.top or 1, len(model.labels)) + 1)
    return [f"{name}{n}" for n in places for name in ("label", *kinds)]


def _cells(result: Result, wanted: Wanted, model: Model) -> list[str]:
    kinds = [result.scores] + ([] if result.probabilities is None else [result.probabilities])
    if wanted.all_scores:
        return [repr(float(value)) for values in kinds for value in values]
    cells = []
    for number in result.best[: wanted.top or 1]:
        cells += [model.labels[number], *(repr(float(values[number])) for values in kinds)]
    return cells


def bare_labels(wanted: Wanted, model: Model, talk: Talk) -> Write:
    """A line a document: the labels given, or with --top the best ones, joined by |."""

    def write(result: Result) -> None:
        chosen = result.best[: wanted.top] if wanted.top else result.given
        names = tsv_names([model.labels[number] for number in chosen])
        sys.stdout.write(names + "\n")

    return write


def drawing(wanted: Wanted, model: Model, talk: Talk) -> Write:
    """For people: what was found in the document and what it says of each label."""
    # rich is slow to import, and only drawings need it
    from boostext.reports.explanation_drawing import explanation_list
    from boostext.reports.explanations import explanation_rows
    from boostext.reports.layout import HEAD, page_for

    page = page_for(sys.stdout)

    def write(result: Result) -> None:
        names = " + ".join(model.labels[number] for number in result.given) or "(none)"
        talk.show_line(f"{result.document.id}: {names}", HEAD)
        rows = explanation_rows(
            result.explanation or (), model.labels, result.shown, wanted.explain or 0,
            len(model.data.text),
        )  # fmt: skip
        told = {} if result.probabilities is None else result.probabilities.tolist()
        likely = {model.labels[n]: told[n] for n in result.shown} if told else {}
        talk.show(explanation_list(rows, page, likely))

    return write


def html(wanted: Wanted, model: Model, talk: Talk) -> Write:
    """A page: every document with its words marked, and why its labels have their scores."""
    # jinja2 is slow to import, and only pages need it
    from boostext.reports.page.documents import Explained, document_section, page_head

    sys.stdout.write(page_head(wanted.title))

    def write(result: Result) -> None:
        explained = Explained(
            result.document, result.explanation or (), result.scores, result.given, result.shown,
            wanted.explain or 0, result.probabilities,
        )  # fmt: skip
        sys.stdout.write(document_section(model, explained))

    return write


FORMATS: dict[str, Callable[[Wanted, Model, Talk], Write]] = {
    "jsonl": jsonl, "tsv": tsv, "csv": comma_separated, "labels": bare_labels,
    "drawing": drawing, "html": html,
}  # fmt: skip
"""--output -> what writes a result; "drawing" is --explain without --output"""
TABLES = ("csv", "tsv")
"""Those with a header, which stands before all results."""
