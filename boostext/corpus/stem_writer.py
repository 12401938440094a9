"""Write documents as a stem: STEM.data (or .dev, .test) and, if it does not exist, STEM.names."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from boostext.atomic import check_own, replacing
from boostext.corpus.documents import Attribute, Document
from boostext.corpus.holding import Ledger
from boostext.corpus.roles import shown
from boostext.corpus.schema import (
    CONTINUOUS,
    NOMINAL,
    SCORED,
    TEXT,
    UNKNOWN,
    Column,
    Schema,
    escaped,
    read_schema,
    schema_lines,
)
from boostext.corpus.stems import NAMES, PARTS, is_file
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings

LINE_ENDS = re.compile(r"[\r\n\0]")
MARK = "\ufeff"


class Row(NamedTuple):
    """The content of a line, in a form that the dialect can represent."""

    texts: dict[str, str]
    attributes: dict[str, Attribute]
    labels: list[str]
    scored: dict[str, dict[str, float]]


def write_stem(
    documents: Iterable[Document], path: str, ledger: Ledger, settings: DataSettings
) -> None:
    """Write a stem whose data file is `path`, in the dialect of the settings.

    An existing .names file is kept, and the documents must fit it, so that a test set is written
    with the columns of its training set. Otherwise the .names file is created from the documents.
    They are then written to a temporary file first, because the columns are not known before the
    last document.
    """
    stem = path.removesuffix(next((part for part in PARTS if path.endswith(part)), ""))
    if stem == path or path.endswith(NAMES):
        raise DataError(path, 0, "a stem is two files; end the name in .data, .dev or .test")
    check_own(path, ledger.replaces)
    rows = _rows(documents, _Cleaner(ledger, settings.names_dialect == "jboost"))
    names = settings.names or stem + NAMES
    if settings.names or is_file(names):
        schema = read_schema(names, settings)
        _write(_fitting(rows, schema, names, ledger), path, schema, ledger, settings)
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool, ExitStack() as both:
        schema = _spool(rows, spool, ledger)
        lines = schema_lines(schema, settings.names_dialect)
        file = both.enter_context(replacing(names, ledger.replaces))
        file.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        _write(_spooled(spool), path, schema, ledger, settings)


def _rows(documents: Iterable[Document], cleaner: _Cleaner) -> Iterator[Row]:
    for document in documents:
        row = cleaner.row(document)
        if row is not None:
            yield row


def _spool(rows: Iterable[Row], spool: IO[str], ledger: Ledger) -> Schema:
    """Write the rows to the temporary file, and return the schema that fits all of them."""
    seen = _Seen()
    for row in rows:
        seen.add(row)
        try:
            spool.write(json.dumps(row, ensure_ascii=False) + "\n")
        except UnicodeEncodeError:
            raise ledger.fault("holds half of a character (a surrogate)") from None
    if not seen.labels:
        raise SettingsError("no document has a label; a stem needs at least one")
    return seen.schema()


def _spooled(spool: IO[str]) -> Iterator[Row]:
    spool.seek(0)
    for line in spool:
        yield Row(*json.loads(line))


def _write(
    rows: Iterable[Row], path: str, schema: Schema, ledger: Ledger, settings: DataSettings
) -> None:
    with replacing(path, ledger.replaces) as file:
        for number, row in enumerate(rows):
            line = _line(row, schema, settings.names_dialect == "jboost")
            # subtle: a reader removes one byte order mark from the first line
            mark = MARK if number == 0 and line.startswith(MARK) else ""
            try:
                file.write(f"{mark}{line}\n".encode())
            except UnicodeEncodeError:
                raise ledger.fault("holds half of a character (a surrogate)") from None


def _line(row: Row, schema: Schema, escapes: bool) -> str:
    write = escaped if escapes else str
    cells = []
    for column in schema.columns:
        if column.kind == SCORED:
            words = row.scored.get(column.name, {}).items()
            value: Attribute = " ".join(f"{word} {spelled(number)}" for word, number in words)
        else:
            value = (row.texts if column.kind == TEXT else row.attributes).get(column.name)
        cells.append(UNKNOWN if value in (None, "") else write(spelled(value)))
    return ", ".join([*cells, " ".join(map(write, row.labels)) + "."])


def spelled(value: Attribute) -> str:
    """A number without trailing zeros, a category unchanged, or ? for a missing value."""
    if value is None or isinstance(value, str):
        return UNKNOWN if value is None else value
    whole = value.is_integer() and abs(value) < 2**53
    return str(int(value)) if whole else repr(value)


@dataclass(frozen=True)
class _Cleaner:
    """Converts documents to rows, and reports what the dialect cannot represent to the ledger."""

    ledger: Ledger
    escapes: bool

    def row(self, document: Document) -> Row | None:
        """The row of a document; None to leave it out."""
        if document.weight != 1:
            self.ledger.cannot_hold("weights", "leaves them out")
        if not document.labels:
            self.ledger.cannot_hold("a document without labels", "leaves it out")
            return None
        texts = {name: self._text(text) for name, text in self.ledger.texts(document).items()}
        first = next(iter(texts), None)
        if first is not None and texts[first].startswith("|") and not self.escapes:
            self.ledger.cannot_hold("a bar before a text, a comment in icsiboost", "leaves it out")
            texts[first] = texts[first].lstrip("| ")
        attributes = {
            name: self._category(value) if isinstance(value, str) else value
            for name, value in document.attributes.items()
        }
        scored = {
            name: {self._word(word): value for word, value in words.items()}
            for name, words in document.scored.items()
        }
        return Row(texts, attributes, [self._label(label) for label in document.labels], scored)

    def _word(self, word: str) -> str:
        """A word of a scored text: not empty, and without characters that would end it."""
        if not word or any(map(str.isspace, word)) or "," in word:
            self.ledger.cannot_hold(f"the word {shown(word)} of a scored text", "writes _")
            word = re.sub(r"[\s,]", "_", word) or "_"
        return word

    def _text(self, text: str) -> str:
        return self._cell(text, "a text", " ")

    def _category(self, value: str) -> str | None:
        if not value:
            self.ledger.cannot_hold("an empty category", "writes ?")
        return self._cell(value, "a category", "_") or None

    def _label(self, label: str) -> str:
        label = self._cell(label, f"a label ({shown(label)})", "_")
        if any(map(str.isspace, label)):
            self.ledger.cannot_hold(f"blanks in a label ({shown(label)})", "writes _ for them")
            label = re.sub(r"\s", "_", label)
        return label or "_"

    def _cell(self, text: str, what: str, instead: str) -> str:
        """The text without line ends, commas and outer spaces; "" for a lone question mark."""
        if LINE_ENDS.search(text):
            self.ledger.cannot_hold(f"line ends or NULs in {what}", f"writes {instead!r} for them")
            text = LINE_ENDS.sub(instead, text)
        if "," in text and not self.escapes:
            self.ledger.cannot_hold(f"commas in {what}", f"writes {instead!r} for them")
            text = text.replace(",", instead)
        if text != text.strip() and not self.escapes:
            self.ledger.cannot_hold(f"blanks around {what}", "leaves them out")
            text = text.strip()
        if text == UNKNOWN:
            self.ledger.cannot_hold(f"a lone ? as {what}, which means unknown", "writes that")
            return ""
        return text


@dataclass
class _Seen:
    """The labels, text fields and attributes of the rows so far, in order of first occurrence."""

    labels: set[str] = field(default_factory=set)
    texts: dict[str, None] = field(default_factory=dict)
    values: dict[str, dict[Attribute, None]] = field(default_factory=dict)
    scored: dict[str, None] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        self.labels.update(row.labels)
        self.texts.update(dict.fromkeys(row.texts))
        for name, value in row.attributes.items():
            self.values.setdefault(name, {})[value] = None
        self.scored.update(dict.fromkeys(row.scored))

    def schema(self) -> Schema:
        """The schema: labels sorted, text columns first, columns with any category nominal."""
        columns = [Column(name, TEXT) for name in self.texts]
        for name, found in self.values.items():
            values = list(dict.fromkeys(spelled(value) for value in found if value is not None))
            nominal = any(isinstance(value, str) for value in found)
            if nominal and len(values) == 1:  # the format requires two
                values.append("other" if values != ["other"] else "another")
            kind = NOMINAL if nominal else CONTINUOUS
            columns.append(Column(name, kind, tuple(values) if nominal else ()))
        columns += [Column(name, SCORED) for name in self.scored]
        return Schema(tuple(sorted(self.labels)), tuple(columns))


def _fitting(rows: Iterable[Row], schema: Schema, names: str, ledger: Ledger) -> Iterator[Row]:
    """The rows, each checked against the existing .names file."""
    columns = {column.name: column for column in schema.columns}
    for row in rows:
        for label in row.labels:
            if label not in schema.labels:
                raise ledger.fault(f"{names} does not declare the label {shown(label)}")
        for name in row.texts:
            if name not in columns or columns[name].kind != TEXT:
                raise ledger.fault(f"{names} has no text column {shown(name)}")
        for name in row.scored:
            if name not in columns or columns[name].kind != SCORED:
                raise ledger.fault(f"{names} has no scored text {shown(name)}")
        for name, value in row.attributes.items():
            _check_value(columns.get(name), name, value, names, ledger)
        yield row


def _check_value(
    column: Column | None, name: str, value: Attribute, names: str, ledger: Ledger
) -> None:
    if column is None or column.kind == TEXT:
        raise ledger.fault(f"{names} has no column {shown(name)} for an attribute")
    if column.kind == NOMINAL and value is not None and spelled(value) not in column.values:
        raise ledger.fault(f"{names} does not declare {shown(value)} for {shown(name)}")
    if column.kind == CONTINUOUS and isinstance(value, str):
        raise ledger.fault(f"{shown(name)} is {shown(value)}; {names} declares numbers")
