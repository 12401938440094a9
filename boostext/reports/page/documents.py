"""Explanations of single documents as HTML: a page of documents, and views for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boostext.arrays import Float64, Scores
from boostext.corpus.documents import Document
from boostext.model.model import Model
from boostext.model.predict import Contribution
from boostext.reports.html import asset, environment, policy, shown
from boostext.reports.marks import Piece
from boostext.reports.page.worked import LONGEST, LabelSum, label_sum, marked_field

MOST_SUMS = 1000
"""Maximum number of labels of a document whose scores are shown; browsers are slow with more."""


@dataclass(frozen=True)
class Field:
    """A text field of a document.

    name: "" if the model has a single field. cut: whether only the beginning is shown.
    """

    name: str
    pieces: tuple[Piece, ...]
    cut: bool


@dataclass(frozen=True, eq=False)
class Explained:
    """A document with its explanation.

    contributions: to its scores. scores: (k,). given, shown: indices of the predicted
    labels, and of the labels to explain. count: maximum number of conditions listed for each label,
    of those that hold and of those that do not. probabilities: (k,) probabilities, or None.
    """

    document: Document
    contributions: Sequence[Contribution]
    scores: Scores
    given: Sequence[int]
    shown: Sequence[int]
    count: int
    probabilities: Float64 | None = None


def page_head(title: str) -> str:
    """Return the beginning of a page, to be followed by the sections of its documents.

    The page is complete after any number of sections.
    """
    style, script = asset("report.css"), asset("report.js") + asset("documents.js")
    drawn = environment().get_template("documents.html")
    return drawn.render(
        title=shown(title, 80), style=style, script=script, policy=policy([script], [style])
    )


def document_section(model: Model, explained: Explained) -> str:
    """Return the section of one document, with the terms that vote on its first label marked."""
    labels, wanted = [model.labels[j] for j in explained.given], explained.document.labels
    return (
        environment()
        .get_template("document.html")
        .render(
            id=explained.document.id,
            labels=labels,
            wanted=list(wanted),
            wrong=bool(wanted) and set(wanted) != set(labels),
            fields=list(_fields(model, explained)),
            sums=list(_sums(model, explained)),
            more=len(explained.shown) - MOST_SUMS,
        )
    )


def _fields(model: Model, explained: Explained) -> Sequence[Field]:
    names, document = model.data.text, explained.document
    if not explained.shown:
        return []
    return [
        Field(
            name if len(names) > 1 else "",
            tuple(
                marked_field(
                    model, document, explained.contributions, explained.shown[0], name, LONGEST
                )
            ),
            len(document.texts.get(name, "")) > LONGEST,
        )
        for name in names
        if document.texts.get(name)
    ]


def _sums(model: Model, explained: Explained) -> Sequence[LabelSum]:
    count, likely = explained.count, explained.probabilities
    sums = (
        label_sum(model, explained.contributions, float(explained.scores[j]), j, count, count)
        for j in explained.shown[:MOST_SUMS]
    )
    if likely is None:
        return list(sums)
    return [
        replace(one, probability=float(likely[j]))
        for one, j in zip(sums, explained.shown, strict=False)
    ]


def explanation_html(
    title: str, labels: Sequence[str], pieces: Sequence[Piece], sums: Sequence[LabelSum]
) -> str:
    """Return the explanation of a document as HTML for notebooks.

    labels: the predicted labels. pieces: the text with its marks. sums: the parts of the scores.
    """
    template = environment().get_template("notebook_explanation.html")
    return template.render(title=title, labels=labels, pieces=pieces, sums=sums)
