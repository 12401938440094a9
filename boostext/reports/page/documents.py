"""Documents as a page: each with its words marked, and the sums of its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boostext.arrays import Float64, Scores
from boostext.corpus.documents import Document
from boostext.model.model import Model
from boostext.model.predict import Contribution
from boostext.reports.marks import Piece
from boostext.reports.page.data import shown
from boostext.reports.page.render import asset, environment, policy
from boostext.reports.page.worked import LONGEST, LabelSum, label_sum, marked_field


@dataclass(frozen=True)
class Field:
    """name: "" where there is one field only. cut: there is more text than is shown."""

    name: str
    pieces: tuple[Piece, ...]
    cut: bool


@dataclass(frozen=True, eq=False)
class Explained:
    """What a page tells of one document. given, shown: label numbers. chances: (k,) if any."""

    document: Document
    said: Sequence[Contribution]
    scores: Scores
    given: Sequence[int]
    shown: Sequence[int]
    count: int
    chances: Float64 | None = None


def page_head(title: str) -> str:
    """What comes before the documents; nothing need come after them."""
    style, script = asset("report.css"), asset("report.js") + asset("documents.js")
    drawn = environment().get_template("documents.html")
    return drawn.render(
        title=shown(title, 80), style=style, script=script, policy=policy([script], [style])
    )


def document_section(model: Model, explained: Explained) -> str:
    """One document; its words are marked by what they say of the first label shown."""
    labels, wanted = [model.labels[j] for j in explained.given], explained.document.labels
    return environment().get_template("document.html").render(
        id=explained.document.id, labels=labels, wanted=list(wanted),
        wrong=bool(wanted) and set(wanted) != set(labels),
        fields=list(_fields(model, explained)), sums=list(_sums(model, explained)),
    )  # fmt: skip


def _fields(model: Model, explained: Explained) -> Sequence[Field]:
    names, document = model.data.text, explained.document
    if not explained.shown:
        return []
    return [
        Field(
            name if len(names) > 1 else "",
            tuple(marked_field(
                model, document, explained.said, explained.shown[0], name, LONGEST
            )),
            len(document.texts.get(name, "")) > LONGEST,
        )
        for name in names
        if document.texts.get(name)
    ]  # fmt: skip


def _sums(model: Model, explained: Explained) -> Sequence[LabelSum]:
    count, likely = explained.count, explained.chances
    sums = (
        label_sum(model, explained.said, float(explained.scores[j]), j, count, count)
        for j in explained.shown
    )
    if likely is None:
        return list(sums)
    return [
        replace(one, chance=float(likely[j])) for one, j in zip(sums, explained.shown, strict=True)
    ]
