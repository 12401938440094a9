"""Self-contained HTML page for labeling suggested documents with the keyboard or the mouse."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from boostext.arrays import Places
from boostext.corpus.documents import Document
from boostext.features.lookup import ConditionLookup
from boostext.model.model import Model
from boostext.reports.html import asset, environment, policy, script_json, shown
from boostext.reports.marks import Mark, marked_pieces
from boostext.reports.suggestions import Suggestion

PIECE = 10_000
"""Number of labels that are written at a time."""
LONGEST = 20_000
"""Maximum number of characters shown of a text."""


def page(rows: Sequence[Suggestion], model: Model) -> Iterator[str]:
    """Yield the page in pieces, as there may be very many labels.

    The page stores the labels in the browser, separately for each set of documents, and saves them
    as a CSV file with the columns id and label, which can be passed to `--labels-from`.
    """
    script, style = asset("labeling.js"), asset("report.css") + asset("labeling.css")
    return (
        environment()
        .get_template("labeling.html")
        .generate(
            script=script,
            style=style,
            policy=policy([script], [style]),
            count=len(rows),
            multi=model.multilabel,
            data=_pieces_of(labeling_data(rows, model), model.labels),
        )
    )


def _pieces_of(data: dict[str, Any], labels: Sequence[str]) -> Iterator[str]:
    """Yield the data with the labels as JSON."""
    yield script_json(data).removesuffix("}") + ',"labels":['
    for start in range(0, len(labels), PIECE):
        between = "," if start else ""
        yield between + script_json(labels[start : start + PIECE])[1:-1]
    yield "]}"


def labeling_data(rows: Sequence[Suggestion], model: Model) -> dict[str, Any]:
    """Return the data for the script but for the labels: the documents with their marked texts, and
    the labels that are shown in another form, by number.
    """
    lookup = ConditionLookup((), model.text, model.data.text)
    named = [name for row in rows for name in _labels_of(row)]
    number = dict(zip(named, Places(model.labels).of(named).tolist(), strict=True))
    return {
        "key": _key(rows, model),
        "multi": model.multilabel,
        "short": {
            number: short
            for number, label in enumerate(model.labels)
            if (short := shown(label, 60)) != label
        },
        "rows": [_row(row, model, number, lookup) for row in rows],
    }


def _key(rows: Sequence[Suggestion], model: Model) -> str:
    """Return the key for the storage of the browser, which depends on the labels and documents."""
    names, digest = [*model.labels, *(row.document.id for row in rows)], hashlib.sha256()
    for start in range(0, len(names), PIECE):
        joined = "\0" * (start > 0) + "\0".join(names[start : start + PIECE])
        digest.update(joined.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _labels_of(row: Suggestion) -> Iterator[str]:
    yield from row.given
    yield from (label for label, _ in row.guesses)
    yield from (reason.label for reason in row.reasons)


def _row(
    row: Suggestion, model: Model, number: Mapping[str, int], lookup: ConditionLookup
) -> dict[str, Any]:
    return {
        "id": row.document.id,
        "name": shown(row.document.id, 60),
        "texts": [
            [shown(name, 40) if len(model.data.text) > 1 else "", _pieces(row, name, lookup)]
            for name in model.data.text
            if row.document.texts.get(name)
        ],
        "given": [number[label] for label in row.given],
        "likely": [
            [number[label], None if probability is None else round(probability, 4)]
            for label, probability in row.guesses
        ],
        "reasons": [
            [shown(reason.term, 40), round(reason.votes, 2), number[reason.label]]
            for reason in row.reasons
        ],
    }


def _pieces(row: Suggestion, field: str, lookup: ConditionLookup) -> list[Any]:
    """Return the text as a list of strings; terms of the reasons are lists of the text and 1 or -1.

    The number is the sign of the vote.
    """
    text = row.document.texts[field][:LONGEST]
    short = Document(row.document.id, {field: text})
    marks = [
        Mark(start, end, reason.votes)
        for reason in row.reasons
        for condition in reason.asked
        if lookup.text_field(condition) == field
        for start, end in lookup.find(short, condition)[:50]
    ]
    return [
        [piece.text, 1 if piece.votes >= 0 else -1] if piece.marked else piece.text
        for piece in marked_pieces(text, marks)
    ]
