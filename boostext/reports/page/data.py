"""What the page's script reads: outliers, and the documents behind confusions, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from boostext.corpus.corpus import Corpus
from boostext.model.model import Model
from boostext.reports.escape import one_line
from boostext.reports.marks import Piece
from boostext.reports.outliers import OutlierRow
from boostext.reports.page.confusion import Confusion
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


def outlier_data(
    rows: Sequence[OutlierRow], model: Model, corpus: Corpus, excerpts: Excerpts, most_bytes: int
) -> dict[str, Any]:
    """Rows as lists, in the order of the listing, until there are enough bytes of them.

    labels: the names as they are, null where one is too long to be written; shown: for people.
    """
    number = {label: j for j, label in enumerate(corpus.labels)}
    told: list[Any] = []
    size = 0
    for row in rows:
        record = _record(row, number, model, excerpts)
        size += len(script_json(record).encode("utf-8", "backslashreplace"))
        if size > most_bytes and told:
            break
        told.append(record)
    return {
        "multi": model.multilabel,
        "labels": [_exact(label) for label in corpus.labels],
        "shown": [shown(label, 40) for label in corpus.labels],
        "rows": told,
    }


def _record(
    row: OutlierRow, number: dict[str, int], model: Model, excerpts: Excerpts
) -> dict[str, Any]:
    objections = [(spoken.term, spoken.votes) for spoken in row.objections]
    return {
        "rank": row.rank, "id": _exact(row.id), "name": shown(row.id, 40),
        "origin": shown(row.origin, 60), "kind": row.kind,
        "given": _numbers(row.given, number), "suggested": _numbers(row.suggested, number),
        "rival": number.get(row.rival, -1), "score": _short(row.score),
        "margin": _short(row.margin), "weight": _short(row.weight),
        "place": [row.label_rank, row.label_count],
        "says": [[shown(term, 40), round(votes, 2)] for term, votes in objections],
        "text": pieces_data(excerpts.of(row.example, spoken_conditions(objections, model))),
        "alike": [shown(name, 30) for name in row.duplicates[:5]],
    }  # fmt: skip


def _exact(name: str) -> str | None:
    return name if len(name) <= LONGEST_NAME else None


def _numbers(names: Iterable[str], number: dict[str, int]) -> list[int]:
    return [number[name] for name in names if name in number]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def pieces_data(pieces: Iterable[Piece]) -> list[Any]:
    """Text as strings, marked text as a list of one."""
    return [[piece.text] if piece.marked else piece.text for piece in pieces]


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
