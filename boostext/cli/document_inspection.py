"""`boostext inspect --document`: why one document has its scores."""

from __future__ import annotations

import json
import sys

import click

from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.library.explanation import EVERY, Explanation
from boostext.model.model import Model
from boostext.reports.explanation_drawing import explanation_list, marked_text
from boostext.reports.explanations import explanation_tsv
from boostext.reports.folder import ReportFolder
from boostext.reports.layout import HEAD, page_for
from boostext.reports.page.documents import page_head
from boostext.reports.page.worked import marked


def wanted_document(name: str, paths: tuple[str, ...], reading: Reading, model: Model) -> Document:
    """The document of that id, where there is data; else the text itself."""
    if not paths:
        return Document("text", {model.data.text[0]: name}, origin=Origin("--document", 0))
    seen = 0
    for document in read_documents(paths, reading.of, BadRecords(), labelled=False):
        if document.id == name:
            return document
        seen += 1
    raise BoostextError(
        f"none of the {seen:,} documents has the id {name!r}; without DATA, --document is the "
        "text itself"
    )


def show_document(
    said: Explanation, as_json: bool, folder: ReportFolder | None, talk: Talk
) -> None:
    """As sums on the terminal, or whole as JSON; with a folder also as a table and a page."""
    if folder:
        folder.write({
            "explanation.tsv": explanation_tsv(said.rows(EVERY)),
            "document.html": [page_head(said.document.id), said.section()],
        })  # fmt: skip
    if as_json:
        click.echo(json.dumps(said.to_dict(), ensure_ascii=False))
        return
    page = page_for(sys.stdout)
    talk.show_line(f"{said.document.id}: {' + '.join(said.given) or '(none)'}", HEAD)
    if said.labels:
        pieces = marked(said.model, said.document, said.contributions, said.labels[0])
        talk.show(marked_text(pieces))
    talk.show(explanation_list(said.rows(), page, said.chances))
