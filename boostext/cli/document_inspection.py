"""`boostext inspect --document`: why one document has its scores."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import click
import numpy as np

from boostext.arrays import Scores
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.model.predict import (
    Contribution,
    Predictor,
    chances,
    decide,
    has_chances,
    ranked_labels,
)
from boostext.reports.explanation_drawing import explanation_list, marked_text
from boostext.reports.explanations import (
    ExplanationRow,
    explanation_json,
    explanation_rows,
    explanation_tsv,
    places_in,
)
from boostext.reports.folder import ReportFolder
from boostext.reports.layout import HEAD, page_for
from boostext.reports.page.documents import Explained, document_section, page_head
from boostext.reports.page.worked import marked

LABELS = 3
"""Labels that are told of where none is asked for: those of greatest score."""
EVERY = 1 << 30


@dataclass(frozen=True, eq=False)
class Said:
    """What the rules say of a document. labels: numbers of those to tell of."""

    model: Model
    document: Document
    scores: Scores
    contributions: Sequence[Contribution]
    labels: Sequence[int]

    @cached_property
    def chances(self) -> dict[str, float]:
        """label -> its probability, for all labels; empty where scores become none."""
        if not has_chances(self.model):
            return {}
        likely = chances(self.scores[None, :], self.model)[0]
        return dict(zip(self.model.labels, likely.tolist(), strict=True))

    def rows(self, count: int) -> list[ExplanationRow]:
        """`count` findings and as many absences for each label, with their places."""
        model = self.model
        lookup = ConditionLookup((), model.text, model.data.text)
        return explanation_rows(
            self.contributions, model.labels, self.labels, count, len(model.data.text), count,
            places_in(self.document, lookup),
        )  # fmt: skip


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


def said_of(model: Model, document: Document, labels: Sequence[int]) -> Said:
    predictor = Predictor(model)
    scores = predictor.score(document)
    best = ranked_labels(scores[None, :], model)[0].tolist()
    chosen = labels or sorted({*best[:LABELS], *decide(scores, model)}, key=best.index)
    return Said(model, document, scores, predictor.contributions(document), chosen)


def show_document(
    said: Said, top: int, as_json: bool, folder: ReportFolder | None, talk: Talk
) -> None:
    """As sums on the terminal, or whole as JSON; with a folder also as a table and a page."""
    if folder:
        folder.write({
            "explanation.tsv": explanation_tsv(said.rows(EVERY)),
            "document.html": [page_head(said.document.id), _section(said, top)],
        })  # fmt: skip
    if as_json:
        click.echo(json.dumps(_json(said), ensure_ascii=False))
        return
    page = page_for(sys.stdout)
    given = decide(said.scores, said.model)
    names = " + ".join(said.model.labels[j] for j in given) or "(none)"
    talk.show_line(f"{said.document.id}: {names}", HEAD)
    if said.labels:
        pieces = marked(said.model, said.document, said.contributions, said.labels[0])
        talk.show(marked_text(pieces))
    talk.show(explanation_list(said.rows(top), page, said.chances))


def _section(said: Said, top: int) -> str:
    given = decide(said.scores, said.model)
    return document_section(
        said.model,
        Explained(
            said.document,
            said.contributions,
            said.scores,
            given,
            said.labels,
            top,
            np.array(list(said.chances.values())) if said.chances else None,
        ),
    )


def _json(said: Said) -> dict[str, object]:
    rows = said.rows(EVERY)
    labels = said.model.labels
    return {
        "id": said.document.id,
        "labels": [labels[j] for j in decide(said.scores, said.model)],
        **(
            {"probabilities": {labels[j]: said.chances[labels[j]] for j in said.labels}}
            if said.chances
            else {}
        ),
        "explanation": {
            labels[j]: explanation_json(
                [row for row in rows if row.label == labels[j]], float(said.scores[j])
            )
            for j in said.labels
        },
    }
