"""Corrected labels, as listings of outliers, predictions and people write them."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from boostext.corpus.documents import Document, Origin
from boostext.corpus.lookalikes import spelled
from boostext.errors import DataError
from boostext.fields import nearest

SIZE_LIMIT = 64 * 1024 * 1024
LABELS = ("label", "labels", "suggested")
"""Columns that hold corrected labels; the first of them that a file has is read."""
DECIDED = {"id", "label", "decision"}
"""Columns of a list that is filled in: an empty label there is no label."""
TOLD = 3
"""Ids that a message names."""
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_ESCAPED = re.compile(r"\\([\\|tnr])")
_PLAIN = {"t": "\t", "n": "\n", "r": "\r"}


@dataclass(frozen=True)
class Correction:
    """labels: none for a document that shall have no label. origin: where that stands."""

    labels: tuple[str, ...]
    origin: Origin


@dataclass
class Corrections:
    """What documents shall have as labels, and what came of it.

    given: id -> its correction; of several files the last one counts. new_labels: labels that no
    document has are taken too. open: ids that a list for labelling leaves empty. met: id ->
    documents that have it. changed: documents whose labels were others. left_out: documents that
    have no label at all.
    """

    paths: tuple[str, ...] = ()
    new_labels: bool = False
    given: dict[str, Correction] = field(default_factory=dict)
    overruled: list[str] = field(default_factory=list)
    open: int = 0
    met: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """id -> the labels that it shall have."""
        return {id: correction.labels for id, correction in self.given.items()}

    def applied(
        self, documents: Iterable[Document], labels: Iterable[str] = (), every: bool = False
    ) -> Iterator[Document]:
        """The documents, those with a correction with its labels alone.

        Documents that have no label field, and no correction, are left out and counted, as nobody
        has said anything of their labels; with `every` they stay.

        After the last one, DataError at a label that neither a document nor `labels` has, unless
        new labels are wanted.
        """
        known = set(labels)
        for document in documents:
            known.update(document.labels)
            found = self.given.get(document.id)
            if found is not None:
                self.met[document.id] += 1
                same = set(found.labels) == set(document.labels)
                self.changed += not same
                # the same labels in another order change nothing, nor does the digest
                labels_now = document.labels if same else found.labels
                document = replace(document, labels=labels_now, labelled=True)
            if self and not document.labelled and not every:
                self.left_out += 1
                continue
            yield document
        # subtle: where the data has no label at all, the corrections bring the first ones
        if self.given and known and not self.new_labels:
            self._check_labels(sorted(known))

    def _check_labels(self, known: Sequence[str]) -> None:
        for id, correction in self.given.items():
            for label in correction.labels if id in self.met else ():
                if label not in known:
                    origin = correction.origin
                    raise DataError(
                        origin.path, origin.line,
                        f"no document has the label {spelled(label)}{nearest(label, known)}; mend "
                        "it, or allow new labels by --new-labels",
                    )  # fmt: skip

    @property
    def unmet(self) -> list[str]:
        """Ids that no document had, in the order of the files."""
        return [id for id in self.given if id not in self.met]

    def said(self) -> str:
        """What was done, in a line."""
        documents = self.met.total()
        noun = "document" if documents == 1 else "documents"
        left = f"; {self.open:,} without a label there left as they are" if self.open else ""
        if self.left_out:
            kind = "document" if self.left_out == 1 else "documents"
            left += f"; {self.left_out:,} {kind} without any label left out"
        return (
            f"labels of {documents:,} {noun} from {', '.join(self.paths)}, {self.changed:,} of "
            f"them changed{left}"
        )

    def doubts(self) -> Iterator[str]:
        """What is probably not meant."""
        if self.unmet:
            yield f"{', '.join(self.paths)}: {_some(self.unmet, 'that no document has')}"
        if self.overruled:
            yield (
                f"{_some(self.overruled, 'with other labels in an earlier file')}; the last file "
                "counts"
            )
        repeated = [id for id, times in self.met.items() if times > 1]
        if repeated:
            yield f"{_some(repeated, 'given to several documents')}; all of them were changed"


def _some(ids: Sequence[str], what: str) -> str:
    shown = ", ".join(map(repr, ids[:TOLD]))
    noun = "id" if len(ids) == 1 else "ids"
    return f"{len(ids):,} {noun} {what}: {shown}{', ...' if len(ids) > TOLD else ''}"


def read_corrections(*paths: str, new_labels: bool = False) -> Corrections:
    r"""CSV, TSV (by its ending) or JSONL (by its ending) with `id` and a column of LABELS.

    `label` is one label, and an id may have several lines; `labels` and `suggested` are what
    `predict` and `outliers.tsv` write, several joined by `|`, one of their own as `\|`. An empty
    cell is a document without labels in a list of DECIDED columns alone; in one with others it is
    not labelled yet. Other columns are not looked at. DataError with the line of what cannot
    be used.
    """
    found = Corrections(paths, new_labels)
    for path in paths:
        jsonl = path.lower().endswith((".jsonl", ".ndjson"))
        rows = (_json_rows if jsonl else _table_rows)(path, _content(path))
        given: dict[str, Correction] = {}
        for line, id, labels in rows:
            if labels is None:
                found.open += 1
                continue
            before = given[id].labels if id in given else ()
            given[id] = Correction(tuple(dict.fromkeys((*before, *labels))), Origin(path, line))
        found.overruled += [
            id for id, new in given.items()
            if id in found.given and set(found.given[id].labels) != set(new.labels)
        ]  # fmt: skip
        found.given |= given
    return found


Row = tuple[int, str, Sequence[str] | None]
"""Line, id, labels; None where the document is not labelled yet."""


def _content(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(path, 0, f"cannot read the corrections: {reason}") from None
    if len(content) > SIZE_LIMIT:
        raise DataError(path, 0, "more than 64 MB; expected a list of corrections, id,label")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(path, line, "not UTF-8; expected a CSV of id,label") from None


def _table_rows(path: str, text: str) -> Iterator[Row]:
    tab = path.lower().endswith(".tsv")
    csv.field_size_limit(SIZE_LIMIT)
    first = text.split("\n", 1)[0]
    usual = "\t" if tab else ","
    # spreadsheets of many countries write semicolons
    found = next((mark for mark in (usual, ";", "\t", ",") if mark in first), usual)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=found, strict=True)
    try:
        head = next(rows, [])
        column = next((name for name in LABELS if name in head), None)
        if "id" not in head or column is None:
            raise DataError(
                path, 1, "no column id, or none of label, labels and suggested; the first line "
                "must name them",
            )  # fmt: skip
        places = head.index("id"), head.index(column)
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                raise DataError(
                    path, rows.line_num,
                    f"{len(row)} fields; expected {len(head)}, as many as in the first line",
                )  # fmt: skip
            id, cell = (row[place] for place in places)
            joined = column != "label"
            id = _unescaped(id) if tab and joined else id
            if not id:
                raise DataError(path, rows.line_num, "an empty id; expected that of a document")
            yield rows.line_num, id, _labels_of(cell, joined, bool(set(head) - DECIDED))
    except csv.Error as error:
        raise DataError(path, rows.line_num, f"not CSV: {error}; expected id,label") from None


def _labels_of(cell: str, joined: bool, wide: bool) -> Sequence[str] | None:
    if not cell:
        return None if wide and not joined else ()
    if not joined:
        return (cell,)
    return [_unescaped(part) for part in _BAR.sub(r"\1" + "\0", cell).split("\0")]


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _PLAIN.get(match[1], match[1]), text)


def _json_rows(path: str, text: str) -> Iterator[Row]:
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            record: Any = json.loads(content)
        except (ValueError, RecursionError):
            record = None
        labels = _json_labels(record) if isinstance(record, dict) else None
        if labels is None or not isinstance(record.get("id"), str) or not record["id"]:
            raise DataError(path, line, 'expected {"id": "...", "labels": ["..."]} or "label"')
        yield line, record["id"], labels


def _json_labels(record: dict[str, Any]) -> Sequence[str] | None:
    value = next((record[name] for name in LABELS if name in record), None)
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        return None
    return values
