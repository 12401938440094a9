"""What a value in the data means as a label, weight, id, attribute or text.

The readers of all formats pass their values to this module as JSON values: strings, numbers, true
or false, null, lists and objects. Tables contain only strings, some of which represent numbers.
docs/data-formats.md describes the rules in a table. Guesses are recorded, and the commands report
them; a value that cannot be guessed raises CellError. The meaning of a value does not depend on
other records, except for `one-hot` columns, which are determined by the first record.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from boostext.corpus.documents import Attribute, Origin
from boostext.corpus.roles import shown
from boostext.corpus.sources import Source
from boostext.corpus.spellings import (
    MARKS,
    cell_number,
    comma_number,
    is_switch,
    is_vector,
    number_text,
    parsed,
    split_labels,
    switched,
    truth_text,
)
from boostext.settings import DataSettings, column_kinds

KINDS = {
    dict: "an object",
    list: "a list",
    tuple: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
"""Names of the types of values in messages."""

WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0+")
"""A whole number with a decimal point, as written by programs that store it as a float."""
GREATEST_WEIGHT = 1e100

TAGS = re.compile(r"(?:<[^<>]+>)+")
"""Tags in the notation of Stack Overflow's exports: <python><regex>."""
CACHED, CACHED_LENGTH = 10_000, 200
"""Texts of labels and attributes whose meaning is kept; how long those of labels may be."""

INNER = ("choices", "labels", "label", "name")
"""Keys that contain labels in the objects of annotation programs."""


class CellError(ValueError):
    """A value that cannot be used in its place. The message says what to do."""


class Cells:
    """Interprets the values of one source.

    line: line number of the record whose values are being read. textual: values are cells of a
    table, in which strings may represent numbers. longest_mark: maximum number of characters of a
    string that marks a missing value. literal: labels are taken unchanged.
    """

    def __init__(self, source: Source, settings: DataSettings, textual: bool) -> None:
        self.line = 0
        self._source, self._textual = source, textual
        self.literal, self._separator = settings.literal_labels, settings.label_sep
        given = frozenset(mark.strip().casefold() for mark in settings.missing)
        self._marks = given - {""} if "" in given else given | MARKS
        self.longest_mark = max(map(len, self._marks), default=0) + 2  # with a space on either side
        self._kinds = column_kinds(settings)
        self._known: dict[str, tuple[tuple[str, ...], list[str]]] = {}
        self._values: dict[str, Attribute] = {}

    def note(self, kind: str, value: str) -> None:
        """Record a guess about a value, so that it can be reported."""
        self._source.bad.notes.add(kind, value, Origin(self._source.path, self.line))

    def is_missing(self, text: str) -> bool:
        """Whether a string that is not blank marks a missing value."""
        return len(text) <= self.longest_mark and text.strip().casefold() in self._marks

    # Labels ----------------------------------------------------------------------------------

    def labels(self, name: str, value: object) -> tuple[str, ...]:
        """The labels in a value, without duplicates."""
        known = self._known.get(value) if type(value) is str else None
        if known is None:
            kinds: list[str] = []
            labels = tuple(dict.fromkeys(self._label_values(name, value, kinds)))
            known = labels, kinds
            if isinstance(value, str) and len(value) <= CACHED_LENGTH and len(self._known) < CACHED:
                self._known[value] = known
        for kind in known[1]:
            self.note(kind, value if isinstance(value, str) else json.dumps(value))
        return known[0]

    def _label_values(self, name: str, value: object, kinds: list[str]) -> Iterable[str]:
        read = LABELS.get(type(value))
        if read is None:
            raise CellError(f"{shown(name)} is {kind_of(value)}; expected a label or a list")
        return read(self, name, value, kinds)

    def text_labels(self, name: str, text: str, kinds: list[str]) -> Iterable[str]:
        """The labels in a string: one, several with separators, or a list written as text."""
        if self.literal:
            return [part for part in split_labels(text, self._separator) if part]
        listed = self._listed(name, text.strip(), kinds)
        if listed is not None:
            return listed
        parts = split_labels(text, self._separator)
        labels = [label for part in parts for label in self.one_label(part.strip(), kinds)]
        if labels and not self._separator and text != text.strip():
            kinds.append("blanks around a label")
        return labels

    def one_label(self, text: str, kinds: list[str]) -> list[str]:
        """The label that a stripped text gives; an empty list if it marks a missing label."""
        if not text:
            return []
        if text.casefold() in self._marks:
            kinds.append("missing label")
            return []
        if whole := WHOLE.fullmatch(text):
            kinds.append("whole number as label")
            return [number_text(float(text)) if len(text) < 16 else whole[1]]
        return [text]

    def _listed(self, name: str, text: str, kinds: list[str]) -> Iterable[str] | None:
        """The labels of a list or object written as text; None for any other text."""
        ends = text[:1] + text[-1:]
        if ends == "<>" and TAGS.fullmatch(text) and text.casefold() not in self._marks:
            kinds.append("list written as text")
            return text[1:-1].split("><")
        if ends not in ("[]", "{}", "()"):
            return None
        value = parsed(text)
        if isinstance(value, set | frozenset):
            value = sorted(map(str, value))
        if isinstance(value, tuple) or (ends != "()" and isinstance(value, list | dict)):
            kinds.append("list written as text")
            return self._label_values(name, value, kinds)
        if ends != "()" and "," in text:
            raise CellError(
                f"{shown(name)} is {shown(text)}, which looks like a list but cannot be read as "
                'one; expected ["a", "b"]; --literal-labels takes labels unchanged'
            )
        if ends != "()":
            kinds.append("label in brackets")
        return None

    def number_labels(self, name: str, value: float, kinds: list[str]) -> Iterable[str]:
        """The label of a number: its decimal text, with 1.0 as "1"; NaN is a missing label."""
        if value != value:
            kinds.append("missing label")
            return []
        if isinstance(value, float) and value.is_integer() and not self.literal:
            kinds.append("whole number as label")
        return [number_text(value)]

    def list_labels(self, name: str, value: Sequence[object], kinds: list[str]) -> Iterator[str]:
        """Each member gives the label that it would give alone, but strings are not split."""
        if not self.literal and is_vector(value):
            raise CellError(
                f"{shown(name)} is {shown(json.dumps(value))}; the numbers may be labels or show "
                "which labels are present; write the names of the labels, or add --literal-labels "
                "if 0 and 1 are labels"
            )
        for member in value:
            if isinstance(member, str):
                yield from [member] if self.literal else self.one_label(member.strip(), kinds)
            elif isinstance(member, list | tuple):
                raise CellError(
                    f"{shown(name)} is a list that contains a list; expected a list of labels; put "
                    "the labels into one list, or name another field with --label"
                )
            else:
                yield from self._label_values(name, member, kinds)

    def object_labels(
        self, name: str, value: Mapping[str, object], kinds: list[str]
    ) -> Iterable[str]:
        """The keys whose values mean yes, as in spaCy, or the labels that annotators chose."""
        if not value:
            return []
        if all(is_switch(given) for given in value.values()):
            return [str(label) for label, given in value.items() if switched(given)]
        inner = next((key for key in INNER if key in value), None)
        if inner is not None:
            kinds.append("labels inside an object")
            return self._label_values(name, value[inner], kinds)
        odd = next(label for label, given in value.items() if not is_switch(given))
        raise CellError(
            f"{shown(name)} is an object with {shown(odd)}: {shown(json.dumps(value[odd]))}; "
            "expected 0 or 1 for each label, or a list of labels; name another field with --label"
        )

    # The rest --------------------------------------------------------------------------------

    def text(self, name: str, value: object) -> str:
        """A string unchanged, a number as its decimal text, "" for a missing value."""
        if isinstance(value, str):
            if len(value) <= self.longest_mark and self.is_missing(value):
                self.note("missing text", value)
                return ""
            return value
        if value is None or (isinstance(value, float) and math.isnan(value)):
            self.note("missing text", "null")
            return ""
        if isinstance(value, int | float):
            return truth_text(value) if isinstance(value, bool) else number_text(value)
        raise CellError(
            f"{shown(name)} is {kind_of(value)}; expected a string, or name another field with "
            "--text"
        )

    def weight(self, name: str, value: object) -> float:
        """The weight of a document; 1 if it is missing."""
        if isinstance(value, str):
            value = self._text_weight(name, value)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return 1.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CellError(
                f"{shown(name)} is {kind_of(value)}; expected a number, or name another field with "
                "--weight"
            )
        number = as_float(name, value)
        if not 0 <= number <= GREATEST_WEIGHT:
            raise CellError(f"weight is {number}; it must be a number from 0 to {GREATEST_WEIGHT}")
        return number

    def _text_weight(self, name: str, text: str) -> float | None:
        number = cell_number(text)
        if number is not None or not text.strip():
            return number
        if self.is_missing(text):
            self.note("missing weight", text.strip())
            return None
        raise CellError(
            f"{shown(name)} is {shown(text)}; expected a number, or name another field with "
            "--weight"
        )

    def id(self, name: str, value: object) -> str:
        """The id of a document; "" if there is none."""
        if isinstance(value, str) or value is None:
            return value or ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return (
                "" if isinstance(value, float) and not math.isfinite(value) else number_text(value)
            )
        if isinstance(value, dict) and isinstance(value.get("$oid"), str):  # from MongoDB
            return str(value["$oid"])
        raise CellError(
            f"{shown(name)} is {kind_of(value)}; expected a string or a number, or name another "
            "field with --id"
        )

    def attribute(self, name: str, value: object) -> Attribute:
        """A number, a category, or None where it is missing."""
        if value is None:
            return None
        if isinstance(value, str):
            known = None if self._kinds else self._values.get(value)
            if known is None:
                known = self._text_attribute(name, value)
                if known is not None and len(value) < CACHED_LENGTH and len(self._values) < CACHED:
                    self._values[value] = known
            return known
        if isinstance(value, bool):
            return truth_text(value)
        if isinstance(value, int | float):
            number = as_float(name, value)
            if math.isinf(number):
                raise CellError(f"{shown(name)} is infinite; expected a finite number")
            if self._kinds.get(name) == "category" and not math.isnan(number):
                return number_text(value)
            return None if math.isnan(number) else number
        raise CellError(
            f"{shown(name)} is {kind_of(value)}; expected a number, a string, null, "
            "or an object of words and their numbers, {...}"
        )

    def _text_attribute(self, name: str, text: str) -> Attribute:
        kind = self._kinds.get(name) if self._kinds else None
        if kind != "category" and (self._textual or kind):
            number = comma_number(text) if kind == "decimal-comma" else None
            number = cell_number(text) if number is None else number
            if number is not None and not math.isinf(number):
                return number
        if not text or text.isspace():
            return None
        if len(text) <= self.longest_mark and self.is_missing(text):
            self.note("missing attribute", f"{name}: {text.strip()}")
            return None
        if kind in ("number", "decimal-comma"):
            self.note("text for a number", f"{name}: {text}")
            return None
        return text

    def words(self, name: str, value: Mapping[str, object]) -> dict[str, float]:
        """A scored text: words with one number each. Words whose value is null are left out."""
        words = {}
        for word, given in value.items():
            number = self.attribute(f"{name}:{word}", given)
            if isinstance(number, str):
                raise CellError(
                    f"{shown(f'{name}:{word}')} is {kind_of(given)}; expected a number for each "
                    "word"
                )
            if number is not None:
                words[word] = number
        return words


Labels = Callable[[Cells, str, Any, list[str]], Iterable[str]]

LABELS: dict[type, Labels] = {
    str: Cells.text_labels,
    bool: lambda cells, name, value, kinds: [truth_text(value)],
    int: Cells.number_labels,
    float: Cells.number_labels,
    type(None): lambda cells, name, value, kinds: [],
    list: Cells.list_labels,
    tuple: Cells.list_labels,
    dict: Cells.object_labels,
}
"""type of a value -> its labels"""


def as_float(name: str, value: int | float) -> float:
    """Convert a number to float; CellError if it has too many digits."""
    try:
        return float(value)
    except OverflowError:
        raise CellError(f"{shown(name)} is a number with more than 308 digits") from None


def kind_of(value: object) -> str:
    """The name of a value's type in JSON, for messages."""
    return KINDS.get(type(value), f"a {type(value).__name__}")
