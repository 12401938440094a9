"""Read JSON objects, one per line: text, labels or label, id, weight, attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from boostext.corpus.files import STDIN, first_bytes, lines_of, open_bytes, pieces_of
from boostext.corpus.json_values import (
    DECODER,
    Found,
    Place,
    as_record,
    begin_of,
    check_size,
    is_pair,
    not_json,
    refused,
    streamed_records,
    too_deep,
)
from boostext.corpus.records import record_documents
from boostext.corpus.sources import Line, Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

NO_END = re.compile(r"[\[{,:]\s*")
"""Matches the end of a line that is inside a value."""


def jsonl_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a JSONL source. Objects may also span lines or be in a list."""
    with open_bytes(source.path, source.span) as opened:
        file, head = first_bytes(opened, source)
        if not source.span.start and spans_lines(head.decode(settings.encoding, "replace")):
            source.understand("read as JSON in which the objects are not one per line")
            yield from _streamed(file, source, settings, labelled)
        else:
            found = _line_records(lines_of(file, source, settings), source, settings)
            yield from record_documents(found, source, settings, labelled)


def json_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of JSON text, which is a list of objects or a sequence of objects."""
    with open_bytes(source.path) as file:
        yield from _streamed(file, source, settings, labelled)


def _streamed(
    file: BinaryIO, source: Source, settings: DataSettings, labelled: bool
) -> Iterator[Record]:
    repair = settings.encoding_errors == "replace"
    found = streamed_records(source, pieces_of(file, source, settings), repair)
    return record_documents(found, source, settings, labelled, numbered=True)


def spans_lines(head: str) -> bool:
    """Whether the first line of a text begins a list of objects, or an object that spans lines."""
    line, _, rest = head[begin_of(head) :].partition("\n")
    line = line.rstrip()
    if line[:1] not in ("[", "{"):
        return False
    try:
        value = DECODER.raw_decode(line)[0]
    except (ValueError, RecursionError):
        goes_on = bool(rest) and NO_END.fullmatch(line[-1:])
        return bool(goes_on) if line[0] == "{" else not line.startswith('["')
    return isinstance(value, list) and not is_pair(value)


def _line_records(lines: Iterator[Line], source: Source, settings: DataSettings) -> Iterator[Found]:
    repair = settings.encoding_errors == "replace"
    for line, text, error in lines:
        if error:
            yield line, error
            continue
        if text[:1] != "{":
            text = text[begin_of(text) :]
        if not text or text.isspace():
            source.bad.blank_lines += 1
            continue
        check_size(text, source, line)
        records = _records_of(text, Place(source, line), repair)
        del text
        yield from records


def _records_of(text: str, place: Place, repair: bool) -> Iterator[Found]:
    """The records of a line: usually one, but there may be several.

    A line may be very long, so it is not kept while its last record is used.
    """
    end, size = 0, len(text.rstrip(" \t\r\n,"))
    while end < size:
        begin = end
        try:
            value, end = DECODER.raw_decode(text, begin)
            found: dict[str, object] | DataError = as_record(
                value, text, (begin, end), place, repair
            )
        except DataError as error:
            found = error
        except ValueError as error:
            yield place.line, _unread(error, text, place)
            return
        except RecursionError:
            yield place.line, too_deep(place)
            return
        end = begin_of(text, end)
        text = text if end < size else ""
        yield place.line, found


def _unread(error: ValueError, text: str, place: Place) -> DataError:
    if not isinstance(error, json.JSONDecodeError):
        return refused(error, place)
    column = min(error.pos, len(text.rstrip())) + 1
    message = f"{not_json(error, column)}; expected an object"
    if place.source.path == STDIN and not text.lstrip().startswith("{"):
        message += "; for plain texts, one per line, add --format lines"
    elif place.line > 1 and NO_END.fullmatch(text.rstrip()[-1:]):
        message += "; if objects span lines, add --format json"
    return place.fault(message)
