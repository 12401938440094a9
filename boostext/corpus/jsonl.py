"""One JSON object a line: text, labels or label, id, weight, attributes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from boostext.corpus.cells import kind_of
from boostext.corpus.files import STDIN, numbered_lines
from boostext.corpus.records import RecordReader
from boostext.corpus.roles import shown
from boostext.corpus.sources import Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
"""Escapes of surrogates: legal in pairs only, but JSON parsers take single ones."""


def jsonl_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a JSONL source."""
    repair = settings.encoding_errors == "replace"
    reader = RecordReader(source, settings, labelled)
    number = 0
    for line, text, error in numbered_lines(source, settings):
        if not error and (not text or text.isspace()):
            source.bad.blank_lines += 1
            continue
        number += 1
        try:
            yield error or reader.read(_Line(source, line).parse(text, repair), line, number)
        except DataError as fault:
            yield fault


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {shown(twice)} stands twice in one object")
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of one source: what is wrong in it is a DataError there."""

    source: Source
    line: int

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
            raise self.fault(f"expected an object like {{...}}, found {kind_of(record)}{hint}")
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
