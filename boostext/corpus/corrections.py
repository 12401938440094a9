"""Corrected labels, as listings of outliers export them: a CSV with the columns id and label."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from boostext.corpus.documents import Document
from boostext.errors import DataError

SIZE_LIMIT = 64 * 1024 * 1024
COLUMNS = ("id", "label")


@dataclass
class Corrections:
    """id -> the labels that it shall have; and which ids were met.

    labels: none for a document that shall have no label.
    """

    path: str
    labels: Mapping[str, tuple[str, ...]]
    met: set[str] = field(default_factory=set)

    def applied(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, those with a correction with its labels alone."""
        for document in documents:
            if document.id in self.labels:
                self.met.add(document.id)
                document = replace(document, labels=self.labels[document.id], labelled=True)
            yield document

    @property
    def unmet(self) -> list[str]:
        """Ids that no document had, in the order of the file."""
        return [id for id in self.labels if id not in self.met]


def read_corrections(path: str) -> Corrections:
    """A line for each label: `id,label`; an empty label means none. TSV where the name says so.

    Further columns are not looked at. DataError with the line of what cannot be used.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(path, 0, f"cannot read the corrections: {reason}") from None
    if len(content) > SIZE_LIMIT:
        raise DataError(path, 0, "more than 64 MB; expected a list of corrections, id,label")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(path, line, "not UTF-8; expected a CSV of id,label") from None
    return Corrections(path, _labels(path, text))


def _labels(path: str, text: str) -> dict[str, tuple[str, ...]]:
    tab = path.lower().endswith(".tsv")
    csv.field_size_limit(SIZE_LIMIT)
    rows = csv.reader(text.splitlines(keepends=True), delimiter="\t" if tab else ",", strict=True)
    found: dict[str, tuple[str, ...]] = {}
    try:
        head = next(rows, [])
        places = _places(path, head)
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                raise DataError(
                    path, rows.line_num,
                    f"{len(row)} fields; expected {len(head)}, as many as in the first line",
                )  # fmt: skip
            id, label = (row[place] for place in places)
            before = found.get(id, ())
            found[id] = tuple(dict.fromkeys((*before, label))) if label else before
    except csv.Error as error:
        raise DataError(path, rows.line_num, f"not CSV: {error}; expected id,label") from None
    return found


def _places(path: str, head: list[str]) -> tuple[int, int]:
    missing = [name for name in COLUMNS if name not in head]
    if missing:
        raise DataError(
            path, 1, f"no column {' or '.join(missing)}; the first line must name id and label"
        )
    return head.index("id"), head.index("label")
