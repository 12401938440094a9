"""Data for the script of the HTML page, as JSON: likely label errors and confused documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from boostext.corpus.corpus import Corpus
from boostext.features.conditions import Condition
from boostext.model.model import Model
from boostext.reports.escape import one_line
from boostext.reports.html import script_json, shown
from boostext.reports.marks import Piece
from boostext.reports.outliers import Objection, OutlierRow
from boostext.reports.page.confusion import Confusion
from boostext.reports.page.content import Limits, Listing
from boostext.reports.page.excerpts import Excerpts, weighed_conditions

LONGEST_NAME = 400
"""Maximum length, in characters, of ids and labels that can be written to the corrections."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What is needed to display the rows of a listing.

    alike: maps the ids of near duplicates to their indices in the corpus.
    """

    model: Model
    corpus: Corpus
    excerpts: Excerpts
    alike: Mapping[str, int]

    @cached_property
    def number(self) -> dict[str, int]:
        return {label: j for j, label in enumerate(self.corpus.labels)}

    def labels_of(self, example: int) -> list[int]:
        return [int(j) for j in self.corpus.label_sets[example]]


def error_data(listing: Listing, shown_by: Shown, limits: Limits) -> dict[str, Any]:
    """Return the likely label errors in the order of the listing, up to the limits in bytes.

    In the result, "labels" has the exact label names, or null for names that are too long to be
    written to the corrections, and "shown" has the names for display. "key" identifies the data in
    the storage of the browser; it is the same for the same data.
    """
    corpus = shown_by.corpus
    records: list[Any] = []
    size, room = 0, limits.whole_bytes
    for row in listing.rows[: limits.outliers]:
        record = _record(row, shown_by)
        size += _size(record)
        if size > limits.outlier_bytes and records:
            break
        whole = _whole(row, shown_by)
        room -= _size(whole)
        records.append(record | {"whole": whole if room > 0 else []})
    return {
        "multi": shown_by.model.multilabel,
        "key": corpus.digest[:16],
        "labels": [_exact(label) for label in corpus.labels],
        "shown": [shown(label, 40) for label in corpus.labels],
        "before": [
            [id, *labels]
            for id, labels in list(listing.checked.items())[: limits.outliers]
            if all(len(name) <= LONGEST_NAME for name in (id, *labels))
        ],
        "rows": records,
    }


def _size(value: Any) -> int:
    return len(script_json(value).encode("utf-8", "backslashreplace"))


def _record(row: OutlierRow, shown_by: Shown) -> dict[str, Any]:
    number = shown_by.number
    return {
        "rank": row.rank,
        "id": _exact(row.id),
        "name": shown(row.id, 40),
        "origin": shown(row.origin, 60),
        "kind": row.kind,
        "given": _numbers(row.given, number),
        "suggested": _numbers(row.suggested, number),
        "rival": number.get(row.rival, -1),
        "score": _short(row.score),
        "margin": _short(row.margin),
        "weight": _short(row.weight),
        "against": _objections(row.objections),
        "for": _objections(row.supports),
        "text": pieces_data(shown_by.excerpts.of(row.example, _evidence(row, shown_by.model))),
        "alike": list(_alike(row, shown_by)),
    }


def _objections(objections: Iterable[Objection]) -> list[Any]:
    return [[shown(objection.term, 40), round(objection.votes, 2)] for objection in objections]


def _evidence(row: OutlierRow, model: Model) -> list[tuple[Condition, float]]:
    """Return the conditions to highlight with their votes.

    Votes are positive for evidence for the given labels, and negative for evidence against them.
    """
    votes = [(objection.term, objection.votes) for objection in row.supports]
    votes += [(objection.term, -objection.votes) for objection in row.objections]
    return list(weighed_conditions(votes, model))


def _whole(row: OutlierRow, shown_by: Shown) -> list[Any]:
    """Return the pieces of the full text, or an empty list if the excerpt shows all of it."""
    pieces = shown_by.excerpts.whole(row.example, _evidence(row, shown_by.model))
    return pieces_data(pieces)


MOST_ALIKE, ALIKE_TEXT = 2, 300


def _alike(row: OutlierRow, shown_by: Shown) -> Iterator[dict[str, Any]]:
    """Yield near duplicates with other labels, to compare the texts side by side."""
    for name in row.duplicates[:MOST_ALIKE]:
        place = shown_by.alike.get(name)
        if place is not None:
            text = shown_by.excerpts.beginning(place)
            yield {
                "name": shown(name, 40),
                "labels": shown_by.labels_of(place),
                "text": shown(text, ALIKE_TEXT),
            }


def _exact(name: str) -> str | None:
    return name if len(name) <= LONGEST_NAME else None


def _numbers(names: Iterable[str], number: dict[str, int]) -> list[int]:
    return [number[name] for name in names if name in number]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def pieces_data(pieces: Sequence[Piece]) -> list[Any]:
    """Return unmarked pieces as strings, and marked ones as [text, strength].

    The strength is an integer from -3 to 3.
    """
    most = max((abs(piece.votes) for piece in pieces), default=0.0) or 1.0
    return [
        [piece.text, _strength(piece.votes / most)] if piece.marked else piece.text
        for piece in pieces
    ]


def _strength(share: float) -> int:
    return int(math.copysign(math.ceil(3 * abs(share)), share)) if share else 0


def confusion_data(confusion: Confusion, corpus: Corpus, limits_of_text: int) -> dict[str, Any]:
    """Return the documents behind the cells of a confusion matrix.

    In the result, "cells" maps each "i-j" to indices of documents, "names" maps it to the correct
    label, the predicted label and the count, and "documents" maps an index to the id, the origin
    and the beginning of the text. limits_of_text: maximum width of the beginning, in cells.
    """
    behind = {pair.key: list(pair.behind) for pair in confusion.pairs if pair.behind}
    places = sorted({i for some in behind.values() for i in some})
    return {
        "cells": behind,
        "names": {
            pair.key: [shown(pair.missed, 40), shown(pair.given, 40), pair.count]
            for pair in confusion.pairs
            if pair.behind
        },
        "documents": {
            str(i): [
                shown(corpus.ids[i], 40),
                shown(str(corpus.origins[i]), 60),
                shown(one_line(corpus.snippets[i]), limits_of_text),
            ]
            for i in places
        },
    }
