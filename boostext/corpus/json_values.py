"""Decode JSON, either line by line or as a stream of values that may span lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard

from boostext.corpus.cells import kind_of
from boostext.corpus.files import BUFFER
from boostext.corpus.roles import shown
from boostext.corpus.sources import Source
from boostext.errors import DataError

Found = tuple[int, dict[str, object] | DataError]
"""The line where a record begins, and its fields or the error in it."""

HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
"""Escaped surrogates. Only pairs are valid, but JSON parsers also accept single ones."""

BETWEEN = re.compile("[\\s,\ufeff\x1e]*")
"""What may separate values, including commas and the byte order marks of concatenated files."""

TOO_DEEP = "JSON nested too deeply; expected flat objects"

LONGEST_TOKEN = 12
"""Characters at the end of a piece that may begin a longer token, such as -Infinity."""

LARGE = 2**22
"""Number of characters from which a record is checked before it is decoded."""
SPARSE = 16
"""Minimum number of characters per value in a large record, to refuse huge lists of numbers."""


def check_size(text: str, source: Source, line: int) -> None:
    """DataError if decoding would take many times the length in memory, unlike a long text."""
    if len(text) > LARGE and sum(map(text.count, ",[{")) * SPARSE > len(text):
        raise source.fault(
            line,
            f"one JSON value of {len(text) >> 20} MB or more that holds millions of values; "
            "expected an object for each document",
        )


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {shown(twice)} occurs twice in one object")
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
SKIPPER = json.JSONDecoder(parse_int=len, parse_float=len)
"""Finds the end of a value whose content the other decoder refuses."""


def begin_of(text: str, place: int = 0) -> int:
    """The index at or after `place` where the next value begins."""
    match = BETWEEN.match(text, place)
    return match.end() if match else place


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a value, for messages. record: its number; 0 if the line is sufficient."""

    source: Source
    line: int
    record: int = 0

    def fault(self, message: str) -> DataError:
        place = f"record {self.record}: " if self.record else ""
        return self.source.fault(self.line, place + message)


def refused(error: ValueError, place: Place) -> DataError:
    """The error for a value that is well-formed JSON but cannot be used."""
    # subtle: Python's message about very long whole numbers is addressed to programmers
    long = str(error).startswith("Exceeds")
    what = "a whole number of more than 4,300 digits" if long else error
    return place.fault(f"not JSON: {what}; expected an object")


def not_json(error: json.JSONDecodeError, column: int) -> str:
    """The message of a syntax error; some messages of the json module already end in "at"."""
    return f"not JSON: {error.msg.removesuffix(' at')} at column {column}"


def too_deep(place: Place) -> DataError:
    return place.fault(TOO_DEEP)


def as_record(
    value: object, text: str, span: tuple[int, int], place: Place, repair: bool
) -> dict[str, object]:
    """The object that text[begin:end] represents. Lone surrogates are an error, or replaced.

    A pair of a text and an object, the notation of spaCy's examples, is one record.
    """
    if HALF_CHARACTER.search(text, *span):
        value = _whole(value, place, repair)
    if is_pair(value):
        value = {"text": value[0], **value[1]}
    if not isinstance(value, dict):
        raise place.fault(f"expected an object like {{...}}, found {kind_of(value)}")
    return value


def is_pair(value: object) -> TypeGuard[tuple[str, dict[str, object]]]:
    return isinstance(value, list) and list(map(type, value)) == [str, dict]


def _whole(value: object, place: Place, repair: bool) -> object:
    text = json.dumps(value, ensure_ascii=False)
    half = re.search("[\ud800-\udfff]", text)
    if not half:
        return value
    if not repair:
        raise place.fault(f"\\u{ord(half[0]):04x} is half of a character, not text")
    place.source.bad.replaced += 1
    return DECODER.decode(re.sub("[\ud800-\udfff]", "\ufffd", text))


# A stream of values --------------------------------------------------------------------------


class _Text:
    """A text that arrives in pieces: the part in memory, and the current position and line."""

    def __init__(self, source: Source, pieces: Iterator[str]) -> None:
        self._source, self._pieces = source, pieces
        self.held, self.place, self.line = "", 0, 1

    def more(self) -> bool:
        """Read at least as much again into memory; False if nothing follows."""
        held = [self.held[self.place :]]
        size = len(held[0])
        if size > self._source.longest:
            raise self._source.too_long(self.line, "record")
        check_size(held[0], self._source, self.line)
        wanted = 2 * size + BUFFER
        for piece in self._pieces:
            held.append(piece)
            size += len(piece)
            if size >= wanted:
                break
        if len(held) == 1:
            return False
        self.held, self.place = "".join(held), 0
        return True

    def skip(self) -> str:
        """Go to the next value or bracket and return its first character, or "" at the end."""
        while True:
            self.go(begin_of(self.held, self.place))
            if self.place < len(self.held):
                return self.held[self.place]
            if not self.more():
                return ""

    def next_character(self) -> str:
        """The next character after this one and white space; a quote if a list is a spaCy pair."""
        while (place := begin_of(self.held, self.place + 1)) >= len(self.held):
            if not self.more():
                return ""
        return self.held[place]

    def go(self, place: int) -> None:
        self.line += self.held.count("\n", self.place, place)
        self.place = place


def streamed_records(source: Source, pieces: Iterator[str], repair: bool) -> Iterator[Found]:
    """The objects in JSON text: in lists or one after the other, with or without commas.

    Only one object is in memory at a time. Invalid JSON ends reading, because it is not known where
    the next object begins.
    """
    text, number, opened = _Text(source, pieces), 0, 0
    while first := text.skip():
        if first == "[" and not opened and text.next_character() != '"':
            opened = text.line
            text.go(text.place + 1)
        elif first == "]" and opened:
            opened = 0
            text.go(text.place + 1)
        else:
            number += 1
            yield _next_record(text, Place(source, text.line, number), repair)
    if opened:
        raise source.fault(opened, "the list that begins here never ends; is the file truncated?")


def _next_record(text: _Text, place: Place, repair: bool) -> Found:
    found: dict[str, object] | DataError
    try:
        value, end = _decoded(text, DECODER, place)
    except ValueError as error:
        found = refused(error, place)
        _, end = _decoded(text, SKIPPER, place)
    else:
        try:
            if end - text.place > place.source.longest:
                raise place.source.too_long(place.line, "record")
            found = as_record(value, text.held, (text.place, end), place, repair)
        except DataError as error:
            found = error
    text.go(end)
    return place.line, found


def _decoded(text: _Text, decoder: json.JSONDecoder, place: Place) -> tuple[object, int]:
    """The value that begins here, and the index of its end; DataError if it is not JSON."""
    while True:
        try:
            value, end = decoder.raw_decode(text.held, text.place)
        except RecursionError:
            raise too_deep(place) from None
        except json.JSONDecodeError as error:
            if _may_go_on(error) and text.more():
                continue
            raise _syntax_fault(error, text, place) from None
        closed = isinstance(value, dict | list | str)
        if closed or end < len(text.held) or not text.more():
            return value, end


def _may_go_on(error: json.JSONDecodeError) -> bool:
    """Whether the error may disappear when more of the text is in memory."""
    cut = error.pos >= len(error.doc) - LONGEST_TOKEN
    return cut or error.msg.startswith("Unterminated string")


def _syntax_fault(error: json.JSONDecodeError, text: _Text, place: Place) -> DataError:
    line = text.line + error.doc.count("\n", text.place, error.pos)
    column = error.pos - error.doc.rfind("\n", 0, error.pos)
    return replace(place, line=line).fault(not_json(error, column))
