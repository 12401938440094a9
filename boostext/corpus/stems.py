"""Read stems of BoosTexter, icsiboost and C4.5: STEM.names describes the columns of STEM.data.

Each line is one example: the columns and then the labels, separated by commas. Several labels are
separated by spaces, and a final dot is optional. `?` alone means an unknown value. There are no
quotes; the jboost dialect has backslash escapes and comments after `//`.

    sent me a wrong bill, 12.5, north, billing.
"""

from __future__ import annotations

import difflib
import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.files import STDIN, compression, numbered_lines
from boostext.corpus.roles import default_id, label_set, shown
from boostext.corpus.schema import (
    CONTINUOUS,
    IGNORED,
    NOMINAL,
    SCORED,
    TEXT,
    UNKNOWN,
    Column,
    Schema,
    kept_schema,
    read_schema,
    split_commas,
    value_of,
    without_dot,
    without_others,
)
from boostext.corpus.sources import Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

NAMES, TRAINING, VALIDATION, TESTING = ".names", ".data", ".dev", ".test"
PARTS = (NAMES, TRAINING, VALIDATION, TESTING)
FLOAT32_MAX = (2 - 2**-23) * 2.0**127
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


# Which file is which -------------------------------------------------------------------------


def stem_file(path: str, part: str = TRAINING) -> str:
    """The data file for a stem or its .names file: STEM with the ending of the part.

    Any other path is returned unchanged.
    """
    if path == STDIN:
        return path
    if path.endswith(NAMES):
        return path.removesuffix(NAMES) + part
    return path + part if is_file(path + NAMES) and not _exists(path) else path


def names_file(path: str, settings: DataSettings) -> str:
    """The .names file of a data file: from the settings, or else the one next to the file."""
    if settings.names:
        return settings.names
    if path == STDIN:
        raise DataError(path, 0, "stems on stdin have no .names next to them; give --names FILE")
    plain = path.removesuffix(Path(path).suffix) if compression(path) else path
    beside = str(Path(plain).with_suffix(NAMES))
    if not is_file(beside):
        raise DataError(
            path, 0, f"there is no {beside} that describes its columns; give --names FILE"
        )
    return beside


def is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return True


# Reading -------------------------------------------------------------------------------------


def stem_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a .data, .dev or .test file.

    Labels and categories that the .names file does not declare are errors. A schema that is kept in
    a model accepts any category and, where labels are required, any label, as other formats do. If
    the settings have no label fields, only the attributes that they name are read.
    """
    kept = kept_schema(settings)
    schema = kept or read_schema(names_file(source.path, settings), settings)
    declared = kept is None
    if not settings.label:
        schema = without_others(schema, settings.attribute)
    number = 0
    for line, text, error in numbered_lines(source, settings):
        content = text.strip()
        row = _Row(source, line, schema, settings.names_dialect, declared)
        if not error and row.is_comment(content):
            source.bad.blank_lines += 1
            continue
        number += 1
        yield error or _record(row, content, number, labelled)


def _record(row: _Row, content: str, number: int, labelled: bool) -> Record:
    try:
        return row.document(content, number, labelled)
    except DataError as error:
        return error


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a source. The methods that read its values raise DataError for this line."""

    source: Source
    line: int
    schema: Schema
    dialect: str
    declared: bool

    def fault(self, message: str) -> DataError:
        return self.source.fault(self.line, message)

    def is_comment(self, content: str) -> bool:
        """Whether a line is blank, or begins with `//` (jboost), or with `|` and is not a record.

        A text may begin with a bar; icsiboost reads it as a comment and loses the example.
        """
        if not content or (self.dialect == "jboost" and content.startswith("//")):
            return True
        if not content.startswith("|"):
            return False
        count = len(split_commas(content, self.dialect))
        return count not in (len(self.schema.columns), len(self.schema.columns) + 1)

    def document(self, content: str, number: int, labelled: bool) -> Document:
        cells = split_commas(content, self.dialect)
        columns = self.schema.columns
        count = len(columns)
        if len(cells) != count + 1 and (labelled or len(cells) != count):
            raise self.fault(self._wrong_count(len(cells), labelled))
        texts: dict[str, str] = {}
        attributes: dict[str, Attribute] = {}
        scored: dict[str, dict[str, float]] = {}
        for column, cell in zip(columns, cells, strict=False):
            value = value_of(cell, self.dialect)
            if column.kind == TEXT:
                texts[column.name] = "" if value == UNKNOWN else value
            elif column.kind == SCORED:
                scored[column.name] = {} if value == UNKNOWN else self.words(column, value)
            elif column.kind != IGNORED:
                attributes[column.name] = VALUES[column.kind](self, column, value)
        return Document(
            id=default_id("", self.source, number),
            texts=texts,
            labels=self.labels(cells[count], labelled) if len(cells) > count else (),
            attributes=attributes,
            origin=Origin(self.source.path, self.line),
            labelled=len(cells) > count,
            scored=scored,
        )

    def _wrong_count(self, found: int, labelled: bool) -> str:
        count = len(self.schema.columns)
        names = ", ".join(shown(column.name) for column in self.schema.columns[:8])
        more = ", ..." if count > 8 else ""
        labels = "and the labels" if labelled else "with or without labels"
        return (
            f"{found} columns; expected {count} ({names}{more}) {labels}, separated by commas; "
            "a text must not contain commas"
        )

    def labels(self, cell: str, labelled: bool) -> tuple[str, ...]:
        """A declared label, which may contain spaces and end in a dot, or labels between spaces.

        Other labels are an error even if labels are optional: they may be the end of a text.
        """
        readings = [without_dot(cell.strip(), self.dialect), cell.strip()]
        readings = [value_of(reading, self.dialect) for reading in readings]
        for reading in readings:
            for labels in ([reading], reading.split()):
                if all(label in self.schema.labels for label in labels):
                    return label_set(labels, self.source, self.line)
        labels = readings[0].split()
        if self.declared or not labelled:
            unknown = next(label for label in labels if label not in self.schema.labels)
            comma = "" if labelled else "; or a text contains a comma, which it must not"
            raise self.fault(f"the label {_undeclared(unknown, self.schema.labels)}{comma}")
        return label_set(labels, self.source, self.line)

    def number(self, column: Column, value: str) -> Attribute:
        if value == UNKNOWN:
            return None
        if not NUMBER.fullmatch(value) or math.isinf(float(value)):
            raise self.fault(
                f"column {shown(column.name)} is {shown(value)}; expected a number, or ? for none"
            )
        return float(value)

    def words(self, column: Column, value: str) -> dict[str, float]:
        """Words with one value each; the greatest one if a word occurs several times."""
        parts = value.split()
        found: dict[str, float] = {}
        for word, given in zip(parts[::2], parts[1::2], strict=False):
            number = float(given) if NUMBER.fullmatch(given) else math.inf
            if math.isinf(number):
                raise self.fault(
                    f"column {shown(column.name)} has {shown(given)} after the word "
                    f"{shown(word)}; expected a number: a scored text is WORD NUMBER WORD NUMBER"
                )
            found[word] = max(number, found.get(word, number))
        if len(parts) % 2:
            raise self.fault(
                f"column {shown(column.name)} ends with {shown(parts[-1])}; expected a number "
                "after each word: a scored text is WORD NUMBER WORD NUMBER"
            )
        return found

    def category(self, column: Column, value: str) -> Attribute:
        if value == UNKNOWN:
            return None
        if self.declared and value not in column.values:
            name = f"column {shown(column.name)} has the value "
            raise self.fault(name + _undeclared(value, column.values))
        return value


VALUES = {CONTINUOUS: _Row.number, NOMINAL: _Row.category}
"""type of a column -> method that reads its cells"""


def _undeclared(value: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(value, known, 1)
    hint = f"; did you mean {shown(near[0])}?" if near else ""
    return f"{shown(value)}, which the .names does not declare{hint}"


def in_single_precision(document: Document) -> Document:
    """The document with its numbers rounded to single precision."""
    numbers = {
        name: _float32(value)
        for name, value in document.attributes.items()
        if isinstance(value, float)
    }
    scored = {
        name: {word: _float32(value) for word, value in words.items()}
        for name, words in document.scored.items()
    }
    return replace(document, attributes={**document.attributes, **numbers}, scored=scored)


def _float32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:  # strtof in C gives infinity; this is the greatest number
        return math.copysign(FLOAT32_MAX, value)
