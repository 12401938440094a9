"""Read YAML that people write by hand, strictly and with the line number of every value.

The core schema of YAML 1.2 determines the type of a plain word, so `no` is text and `1e-3` a
number. Aliases, tags and deep nesting are errors, which bounds the work that a file can cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from boostext.errors import DataError, SettingsError

SIZE_LIMIT = 256 * 1024
DEEPEST = 8
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"null|Null|NULL|~|")
_NUMBER = re.compile(
    r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)


@dataclass(frozen=True)
class Scalar:
    """One value as written. kind: text, number, bool or null by the YAML 1.2 core schema."""

    text: str
    kind: str
    line: int

    @classmethod
    def of(cls, event: yaml.ScalarEvent) -> Scalar:
        patterns = {"bool": _BOOL, "null": _NULL, "number": _NUMBER}
        kinds = [kind for kind, p in patterns.items() if p.fullmatch(event.value)]
        plain = event.implicit[0] and event.style is None
        return cls(event.value, kinds[0] if plain and kinds else "text", line_of(event))


@dataclass(frozen=True)
class Items:
    """A list."""

    values: tuple[Node, ...]
    line: int


@dataclass(frozen=True)
class Table:
    """A mapping without duplicate keys."""

    entries: tuple[tuple[Scalar, Node], ...]
    line: int


Node = Scalar | Items | Table


def read_tree(path: Path, what: str) -> Node | None:
    """Read the file; None if it is empty. what: the expected content, such as "a file of ..."."""
    events = read_events(path, what)
    first = next(events, None)
    return None if first is None else _node(path, first, events, DEEPEST)


def _node(path: Path, event: Any, events: Iterator[Any], depth: int) -> Node:
    if isinstance(event, yaml.ScalarEvent):
        return Scalar.of(event)
    if not depth:
        raise error_at(path, event, "lists and mappings are nested too deep here")
    line = line_of(event)
    if isinstance(event, yaml.SequenceStartEvent):
        values = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            values.append(_node(path, inner, events, depth - 1))
        return Items(tuple(values), line)
    return Table(tuple(_entries(path, events, depth - 1)), line)


def _entries(path: Path, events: Iterator[Any], depth: int) -> Iterator[tuple[Scalar, Node]]:
    seen: dict[str, int] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent):
            raise error_at(path, event, "expected a name before a colon")
        key = Scalar.of(event)
        if key.text in seen:
            first = seen[key.text]
            raise error_at(path, event, f"{key.text} is there a second time, after line {first}")
        seen[key.text] = key.line
        yield key, _node(path, next(events), events, depth)


def read_events(path: Path, what: str = "a file of settings") -> Iterator[Any]:
    """Yield the events in the single document of the file; an empty file has none."""
    ends = (
        yaml.StreamStartEvent,
        yaml.StreamEndEvent,
        yaml.DocumentStartEvent,
        yaml.DocumentEndEvent,
    )
    documents = 0
    try:
        for event in yaml.parse(_text(path, what), Loader=yaml.SafeLoader):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise error_at(path, event, "a second document begins; expected one")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise error_at(path, event, "aliases (& and *) are not used here; write the value")
            tag = getattr(event, "tag", None)
            if tag not in (None, "!"):
                raise error_at(path, event, f"tags such as {tag} are not used here")
            if not isinstance(event, ends):
                yield event
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SettingsError(f"{place}: not YAML: {problem}") from None


def _text(path: Path, what: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        noun = what.rpartition(" of ")[2]
        raise DataError(str(path), 0, f"cannot read the {noun}: {error.strerror}") from None
    if len(content) > SIZE_LIMIT:
        raise DataError(str(path), 0, f"more than 256 KB; expected {what}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(str(path), line, f"not UTF-8; expected {what}") from None


def line_of(event: Any) -> int:
    return int(event.start_mark.line) + 1


def error_at(path: Path, event: Any, message: str) -> SettingsError:
    return SettingsError(f"{path}:{line_of(event)}: {message}")


def quoted(text: str) -> str:
    """Return the text as a YAML string in double quotes, on one line."""
    written = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=float("inf"))
    return str(written).strip()
