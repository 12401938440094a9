"""One JSON object a line: text, labels or label, id, weight, attributes."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.files import STDIN, numbered_lines
from boostext.corpus.roles import (
    Roles,
    checked_weight,
    default_id,
    label_set,
    missing,
    shown,
    split_labels,
)
from boostext.corpus.sources import Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

KINDS = {dict: "an object", list: "a list", str: "a string", bool: "true or false",
         int: "a number", float: "a number", type(None): "null"}  # fmt: skip
"""Types of JSON values, as messages call them."""

HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
"""Escapes of surrogates: legal in pairs only, but JSON parsers take single ones."""


def jsonl_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a JSONL source."""
    roles = Roles.of(settings, labelled)
    repair = settings.encoding_errors == "replace"
    number = 0
    for line, text, error in numbered_lines(source, settings):
        if not error and (not text or text.isspace()):
            source.bad.blank_lines += 1
            continue
        number += 1
        yield error or _record(text, _Reader(source, line, roles), number, repair)


def _record(text: str, reader: _Reader, number: int, repair: bool) -> Record:
    try:
        return reader.document(reader.parse(text, repair), number)
    except DataError as error:
        return error


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {shown(twice)} stands twice in one object")
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line of one source: the readers of its values raise DataError there."""

    source: Source
    line: int
    roles: Roles

    def fault(self, message: str) -> DataError:
        return self.source.fault(self.line, message)

    def parse(self, text: str, repair: bool) -> dict[str, object]:
        """The object a line holds; halves of characters are a fault, or replaced."""
        try:
            record = DECODER.decode(text)
            if HALF_CHARACTER.search(text):
                record = self._whole(record, repair)
        except RecursionError:
            raise self.fault("JSON nested too deeply; expected one flat object a line") from None
        except json.JSONDecodeError as error:
            column = min(error.pos, len(text.rstrip())) + 1
            message = f"not JSON: {error.msg} at column {column}; expected an object"
            if self.source.path == STDIN and not text.lstrip().startswith("{"):
                message += "; for plain texts, one a line, say --format lines"
            raise self.fault(message) from None
        except ValueError as error:
            # subtle: Python refuses to read very long whole numbers, and says so for programmers
            long = str(error).startswith("Exceeds")
            what = "a whole number of more than 4,300 digits" if long else error
            raise self.fault(f"not JSON: {what}; expected an object") from None
        if not isinstance(record, dict):
            hint = "; turn a list of records into lines by jq -c '.[]'" * isinstance(record, list)
            raise self.fault(f"expected an object like {{...}}, found {kind(record)}{hint}")
        return record

    def _whole(self, value: object, repair: bool) -> object:
        text = json.dumps(value, ensure_ascii=False)
        half = re.search("[\ud800-\udfff]", text)
        if not half:
            return value
        if not repair:
            raise self.fault(f"\\u{ord(half[0]):04x} is half of a character, not text")
        self.source.bad.replaced += 1
        return DECODER.decode(re.sub("[\ud800-\udfff]", "\ufffd", text))

    def document(self, record: Mapping[str, object], number: int) -> Document:
        for name in self.roles.required - record.keys():
            option = "--id" if name == self.roles.id else "--weight"
            raise self.fault(missing("field", option, [name], record))
        labels, given = self._labels(record), self._given(record)
        return Document(
            id=default_id(self._id(record), self.source, number),
            texts=self._texts(record),
            labels=labels or (),
            weight=self._weight(record),
            attributes={n: self._attribute(n, v) for n, v in given.items() if not is_scored(v)},
            scored={n: self._words(n, v) for n, v in given.items() if is_scored(v)},
            origin=Origin(self.source.path, self.line),
            labelled=labels is not None,
        )

    def _texts(self, record: Mapping[str, object]) -> dict[str, str]:
        texts = {}
        for name in self.roles.texts:
            value = record.get(name)
            if isinstance(value, str):
                texts[name] = value
            elif value is not None:
                raise self.fault(f"{shown(name)} is {kind(value)}; expected a string")
        if not texts and self.roles.texts:
            nulls = [name for name in self.roles.texts if name in record]
            if nulls:
                raise self.fault(f'{shown(nulls[0])} is null; an empty text is ""')
            raise self.fault(missing("field", "--text", self.roles.texts, record))
        return texts

    def _labels(self, record: Mapping[str, object]) -> tuple[str, ...] | None:
        """None where there are no label fields, and need not be."""
        names = self.roles.label_fields(record)
        if not self.roles.labelled:
            names = [name for name in names if record[name] is not None]
        if not names:
            if self.roles.labelled:
                raise self.fault(missing("field", "--label", self.roles.labels, record))
            return None
        found = [label for name in names for label in self._label_values(name, record[name])]
        return label_set(found, self.source, self.line)

    def _label_values(self, name: str, value: object) -> list[str]:
        if isinstance(value, str):
            return split_labels(value, self.roles.label_sep)
        if isinstance(value, list):
            for label in value:
                if not isinstance(label, str):
                    raise self.fault(f"{shown(name)} holds {kind(label)}{_quoted(label)}")
            return value
        if value is None:
            raise self.fault(f"{shown(name)} is null; a document without labels has []")
        raise self.fault(f"{shown(name)} is {kind(value)}{_quoted(value)}")

    def _id(self, record: Mapping[str, object]) -> str:
        value = record.get(self.roles.id) if self.roles.id else None
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise self.fault(
            f"{shown(self.roles.id)} is {kind(value)}; expected a string or a whole number"
        )

    def _weight(self, record: Mapping[str, object]) -> float:
        value = record.get(self.roles.weight) if self.roles.weight else None
        if value is None:
            return 1.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(
                f"{shown(self.roles.weight)} is {kind(value)}; expected a number, "
                "or name another field by --weight"
            )
        return checked_weight(self._float(self.roles.weight, value), self.source, self.line)

    def _float(self, name: str, value: int | float) -> float:
        try:
            return float(value)
        except OverflowError:
            raise self.fault(f"{shown(name)} is a number of more than 308 digits") from None

    def _given(self, record: Mapping[str, object]) -> dict[str, object]:
        """Attributes and scored texts, as they stand."""
        given = record.get("attributes")
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise self.fault(f"'attributes' is {kind(given)}; expected an object like {{...}}")
        values = dict(given)
        for name in self.roles.attributes:
            if name in record and name in given:
                raise self.fault(f"{shown(name)} stands both in the record and in 'attributes'")
            if name in record:
                values[name] = record[name]
        return values

    def _words(self, name: str, value: object) -> dict[str, float]:
        """A scored text: words with a number each; null is none."""
        assert isinstance(value, dict)
        words = {}
        for word, given in value.items():
            number = self._attribute(f"{name}:{word}", given)
            if isinstance(number, str):
                raise self.fault(
                    f"{shown(f'{name}:{word}')} is {kind(given)}; expected a number for each word"
                )
            if number is not None:
                words[word] = number
        return words

    def _attribute(self, name: str, value: object) -> Attribute:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            number = self._float(name, value)
            if math.isinf(number):
                raise self.fault(f"{shown(name)} is infinite; expected a finite number")
            return None if math.isnan(number) else number
        raise self.fault(
            f"{shown(name)} is {kind(value)}; expected a number, a string, null, "
            "or words with a number each as {...}"
        )


def is_scored(value: object) -> bool:
    """Whether an attribute is a scored text: an object of words with a number each."""
    return isinstance(value, dict)


def kind(value: object) -> str:
    """What JSON calls a value."""
    return KINDS[type(value)]


def _quoted(value: object) -> str:
    text = json.dumps(value) if isinstance(value, bool | int | float) else "..."
    return f'; labels are strings: write "{text[:40]}"'
