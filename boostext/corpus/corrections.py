"""Read corrected labels from lists of outliers, from predictions, or from lists made by hand."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from boostext.corpus.checks import spelled
from boostext.corpus.documents import Document, Origin
from boostext.corpus.exports import label_studio_labels
from boostext.errors import DataError
from boostext.fields import nearest

SIZE_LIMIT = 64 * 1024 * 1024
LABELS = ("label", "labels", "suggested")
"""Columns that may contain corrected labels; the first one that a file has is read."""
DECIDED = {"id", "label", "decision"}
"""The columns of a completed list, in which an empty label means "no label"."""
TOLD = 3
"""Maximum number of ids in a message."""
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_ESCAPED = re.compile(r"\\([\\|tnr])")
_PLAIN = {"t": "\t", "n": "\n", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Correction:
    """labels: empty for a document that should have no label. origin: where it was read."""

    labels: tuple[str, ...]
    origin: Origin


@dataclass
class Corrections:
    """Corrected labels of documents, and counts of what applying them changed.

    given: id -> its correction; the last of several files wins. new_labels: allow labels that no
    document has. open: number of ids whose label is still empty in a list for labelling. met:
    id -> number of documents that have it. new, changed: numbers of documents that had no label
    before, and that had others. left_out: number of documents without any label.
    """

    paths: tuple[str, ...] = ()
    new_labels: bool = False
    given: dict[str, Correction] = field(default_factory=dict)
    overruled: list[str] = field(default_factory=list)
    open: int = 0
    met: Counter[str] = field(default_factory=Counter)
    new: int = 0
    changed: int = 0
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.paths)

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """id -> its corrected labels."""
        return {id: correction.labels for id, correction in self.given.items()}

    def applied(
        self, documents: Iterable[Document], labels: Iterable[str] = (), every: bool = False
    ) -> Iterator[Document]:
        """Replace the labels of documents that have a correction, and pass all documents on.

        Documents that have neither a label field nor a correction are left out and counted, because
        nothing is known about their labels; with `every` they are kept.

        After the last document, raise DataError for a label that occurs neither in the documents
        nor in `labels`, unless new labels are allowed.
        """
        known = set(labels if self.given else ())
        for document in documents:
            if self.given:
                known.update(document.labels)
            found = self.given.get(document.id)
            if found is not None:
                self.met[document.id] += 1
                same = set(found.labels) == set(document.labels)
                self.new += not same and not document.labels
                self.changed += not same and bool(document.labels)
                # the same labels in another order are no change, and keep the digest
                labels_now = document.labels if same else found.labels
                document = replace(document, labels=labels_now, labelled=True)
            if self and not document.labelled and not every:
                self.left_out += 1
                continue
            yield document
        # subtle: if the data has no labels at all, the corrections provide the first ones
        if self.given and known and not self.new_labels:
            self._check_labels(sorted(known))

    def _check_labels(self, known: Sequence[str]) -> None:
        for id, correction in self.given.items():
            for label in correction.labels if id in self.met else ():
                if label not in known:
                    origin = correction.origin
                    raise DataError(
                        origin.path,
                        origin.line,
                        f"no document has the label {spelled(label)}{nearest(label, known)}; "
                        "correct it, or allow new labels with --new-labels",
                    )

    @property
    def unmet(self) -> list[str]:
        """Ids that no document has, in the order of the files."""
        return [id for id in self.given if id not in self.met]

    def summary(self) -> str:
        """A line that says what was changed."""
        documents = self.met.total()
        noun = "document" if documents == 1 else "documents"
        left = f"; {self.open:,} with an empty label left unchanged" if self.open else ""
        if self.left_out:
            kind = "document" if self.left_out == 1 else "documents"
            left += f"; {self.left_out:,} {kind} without any label left out"
        new = [f"{self.new:,} of them new"] if self.new else []
        changed = [f"{self.changed:,} of them changed"] if self.changed or not new else []
        what = " and ".join([*new, *changed])
        return f"labels of {documents:,} {noun} from {', '.join(self.paths)}, {what}{left}"

    def doubts(self) -> Iterator[str]:
        """Warnings about what is probably a mistake."""
        if self.unmet:
            yield f"{', '.join(self.paths)}: {_some(self.unmet, 'that no document has')}"
        if self.overruled:
            yield (
                f"{_some(self.overruled, 'with other labels in an earlier file')}; the last file "
                "wins"
            )
        repeated = [id for id, times in self.met.items() if times > 1]
        if repeated:
            yield f"{_some(repeated, 'given to several documents')}; all of them were changed"


def _some(ids: Sequence[str], what: str) -> str:
    shown = ", ".join(map(repr, ids[:TOLD]))
    noun = "id" if len(ids) == 1 else "ids"
    return f"{len(ids):,} {noun} {what}: {shown}{', ...' if len(ids) > TOLD else ''}"


def read_corrections(*paths: str, new_labels: bool = False) -> Corrections:
    r"""Read corrections from CSV, or from TSV, JSONL or JSON if the file has that ending.

    A file has the column `id` and one of LABELS. `label` is one label, and an id may have several
    lines. `labels` and `suggested` are the columns that `predict` and `outliers.tsv` write: several
    labels joined by `|`, where a `|` within a label is written `\|`. If all columns of the list
    are in DECIDED, an empty cell means a document without labels; otherwise it means that the
    document is not labelled yet. All other columns are ignored. A record of JSONL is not labelled
    yet if its labels are null, or if it is a suggestion without labels. JSON is an export of Label
    Studio with the ids in data.id. DataError gives the line of what cannot be used.
    """
    found = Corrections(paths, new_labels)
    for path in paths:
        reader = _READERS.get(Path(path).suffix.lower(), _table_rows)
        rows = reader(path, _content(path))
        given: dict[str, Correction] = {}
        alike: dict[tuple[str, ...], tuple[str, ...]] = {}  # equal labels are in memory once
        for line, id, labels in rows:
            if labels is None:
                found.open += 1
                continue
            before = given[id].labels if id in given else ()
            now = tuple(dict.fromkeys((*before, *labels)))
            given[id] = Correction(alike.setdefault(now, now), Origin(path, line))
        found.overruled += [
            id
            for id, new in given.items()
            if id in found.given and set(found.given[id].labels) != set(new.labels)
        ]
        found.given = found.given | given if found.given else given
    return found


Row = tuple[int, str, Sequence[str] | None]
"""Line, id and labels; labels are None if the document is not labelled yet."""


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
    # in many countries spreadsheet programs write semicolons
    found = next((mark for mark in (usual, ";", "\t", ",") if mark in first), usual)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=found, strict=True)
    try:
        head = next(rows, [])
        column = next((name for name in LABELS if name in head), None)
        if "id" not in head or column is None:
            raise DataError(
                path,
                1,
                "no column id, or none of label, labels and suggested; the first line "
                "must name them",
            )
        places = head.index("id"), head.index(column)
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                raise DataError(
                    path,
                    rows.line_num,
                    f"{len(row)} fields; expected {len(head)}, as many as in the first line",
                )
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
        record = record if isinstance(record, dict) else {}
        value: Any = next((record[name] for name in LABELS if name in record), ...)
        # a suggestion that nobody has labelled yet
        value = None if value is ... and "suggestion" in record else value
        if not _is_id(record.get("id")) or not (value is None or _are_labels(value)):
            raise DataError(path, line, 'expected {"id": "...", "labels": ["..."]} or "label"')
        yield line, record["id"], [value] if isinstance(value, str) else value


def _label_studio_rows(path: str, text: str) -> Iterator[Row]:
    try:
        tasks: Any = json.loads(text)
    except (ValueError, RecursionError):
        tasks = None
    for number, task in enumerate(tasks if isinstance(tasks, list) else [None], 1):
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not _is_id(data.get("id")):
            raise DataError(
                path, 0, f"record {number} is not a Label Studio task with the id in data.id"
            )
        labels = label_studio_labels(task)
        if not (labels is None or _are_labels(labels)):
            raise DataError(path, 0, f"record {number} has labels that are not texts")
        yield 0, data["id"], labels


def _is_id(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_labels(value: object) -> bool:
    """Whether this is a label or a list of labels."""
    values = value if isinstance(value, list) else [value]
    return all(isinstance(label, str) and label for label in values)


_READERS: Mapping[str, Callable[[str, str], Iterator[Row]]] = {
    ".jsonl": _json_rows,
    ".ndjson": _json_rows,
    ".json": _label_studio_rows,
}
"""ending -> function from a path and its content to rows; all others are tables."""
