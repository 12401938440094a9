"""What the page's script reads: outliers, and the documents behind confusions, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from boostext.corpus.corpus import Corpus
from boostext.features.conditions import Condition
from boostext.model.model import Model
from boostext.reports.escape import one_line
from boostext.reports.marks import Piece
from boostext.reports.outliers import Objection, OutlierRow
from boostext.reports.page.confusion import Confusion
from boostext.reports.page.content import Limits, Listing
from boostext.reports.page.excerpts import Excerpts, spoken_conditions

LONGEST_NAME = 400
"""Characters of an id or label up to which it can be written into the corrections."""

ESCAPES = {
    ord(char): f"\\u{ord(char):04x}"
    for char in "<>&\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
    "\u2066\u2067\u2068\u2069"
}
"""What could end a script, or turn the direction of its source, and how JSON spells it."""


def script_json(value: Any) -> str:
    """JSON that cannot end the element of a page that it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(ESCAPES)


def shown(text: str, width: int = 60) -> str:
    """A name on one harmless line, cut to some width without a walk through all of it."""
    from boostext.reports.layout import PIPE_WIDTH, UNICODE, Page, shorten

    return shorten(text[: 8 * width], width, Page(PIPE_WIDTH, UNICODE))


@dataclass(frozen=True, eq=False)
class Shown:
    """What the rows of a listing are told with. alike: ids of near duplicates -> their places."""

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
    """Likely label errors in the order of the listing, until there are enough bytes of them.

    labels: the names as they are, null where one is too long to be written; shown: for people.
    key: of what the browser keeps, the same for the same data.
    """
    corpus = shown_by.corpus
    told: list[Any] = []
    size, room = 0, limits.whole_bytes
    for row in listing.rows[: limits.outliers]:
        record = _record(row, shown_by)
        size += _size(record)
        if size > limits.outlier_bytes and told:
            break
        whole = _whole(row, shown_by)
        room -= _size(whole)
        told.append(record | {"whole": whole if room > 0 else []})
    return {
        "multi": shown_by.model.multilabel, "key": corpus.digest[:16],
        "labels": [_exact(label) for label in corpus.labels],
        "shown": [shown(label, 40) for label in corpus.labels],
        "before": [
            [id, *labels] for id, labels in list(listing.checked.items())[: limits.outliers]
            if all(len(name) <= LONGEST_NAME for name in (id, *labels))
        ],
        "rows": told,
    }  # fmt: skip


def _size(value: Any) -> int:
    return len(script_json(value).encode("utf-8", "backslashreplace"))


def _record(row: OutlierRow, shown_by: Shown) -> dict[str, Any]:
    number = shown_by.number
    return {
        "rank": row.rank, "id": _exact(row.id), "name": shown(row.id, 40),
        "origin": shown(row.origin, 60), "kind": row.kind,
        "given": _numbers(row.given, number), "suggested": _numbers(row.suggested, number),
        "rival": number.get(row.rival, -1), "score": _short(row.score),
        "margin": _short(row.margin), "weight": _short(row.weight),
        "against": _said(row.objections), "for": _said(row.supports),
        "text": pieces_data(shown_by.excerpts.of(row.example, _evidence(row, shown_by.model))),
        "alike": list(_alike(row, shown_by)),
    }  # fmt: skip


def _said(spoken: Iterable[Objection]) -> list[Any]:
    return [[shown(said.term, 40), round(said.votes, 2)] for said in spoken]


def _evidence(row: OutlierRow, model: Model) -> list[tuple[Condition, float]]:
    """What to mark: words for the labels given count above 0, words against them below."""
    votes = [(said.term, said.votes) for said in row.supports]
    votes += [(said.term, -said.votes) for said in row.objections]
    return list(spoken_conditions(votes, model))


def _whole(row: OutlierRow, shown_by: Shown) -> list[Any]:
    """The whole text where the excerpt is only a part of it."""
    pieces = shown_by.excerpts.whole(row.example, _evidence(row, shown_by.model))
    return pieces_data(pieces)


MOST_ALIKE, ALIKE_TEXT = 2, 300


def _alike(row: OutlierRow, shown_by: Shown) -> Iterator[dict[str, Any]]:
    """Near duplicates with other labels, for a look at both texts side by side."""
    for name in row.duplicates[:MOST_ALIKE]:
        place = shown_by.alike.get(name)
        if place is not None:
            text = shown_by.excerpts.beginning(place)
            yield {
                "name": shown(name, 40), "labels": shown_by.labels_of(place),
                "text": shown(text, ALIKE_TEXT),
            }  # fmt: skip


def _exact(name: str) -> str | None:
    return name if len(name) <= LONGEST_NAME else None


def _numbers(names: Iterable[str], number: dict[str, int]) -> list[int]:
    return [number[name] for name in names if name in number]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def pieces_data(pieces: Sequence[Piece]) -> list[Any]:
    """Text as strings; marked text with its strength, -3 to 3."""
    most = max((abs(piece.votes) for piece in pieces), default=0.0) or 1.0
    return [
        [piece.text, _strength(piece.votes / most)] if piece.marked else piece.text
        for piece in pieces
    ]


def _strength(share: float) -> int:
    return int(math.copysign(math.ceil(3 * abs(share)), share)) if share else 0


def confusion_data(confusion: Confusion, corpus: Corpus, limits_of_text: int) -> dict[str, Any]:
    """cells: "i-j" -> documents; documents: place -> id, where it stands, its beginning."""
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
                shown(corpus.ids[i], 40), shown(str(corpus.origins[i]), 60),
                shown(one_line(corpus.snippets[i]), limits_of_text),
            ]
            for i in places
        },
    }  # fmt: skip
