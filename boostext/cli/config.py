"""Settings from a YAML file, read strictly: one flat mapping of option names to values.

YAML 1.2 core rules decide what a plain word is, so `no` is text and `1e-3` a number. Aliases,
tags and nesting have no use here and are refused, which also bounds the work a file can cause.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from boostext import fields
from boostext.errors import DataError, SettingsError
from boostext.settings import Group

SIZE_LIMIT = 256 * 1024
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
        return cls(event.value, kinds[0] if plain and kinds else "text", _line(event))


@dataclass(frozen=True)
class Entry:
    """A key of the file with its value, or values where it is written as a list."""

    key: str
    line: int
    values: tuple[Scalar, ...]
    is_list: bool


def read_config(path: Path, groups: Sequence[type[Group]]) -> dict[str, Any]:
    """Field name -> value for the entries of the file at `path`.

    Keys are option names, with hyphens or underscores. Raises SettingsError naming file and line;
    all unknown keys are told at once, each with the nearest known one.
    """
    known = {f.name: f for group in groups for f in group.options()}
    flags = {
        flag: (f, value) for f in known.values() for flag, value in f.metadata["flags"].items()
    }
    entries = list(_entries(path))
    _refuse_repeated(path, entries)
    _refuse_unknown(path, entries, [*(name.replace("_", "-") for name in known), *flags])
    values: dict[str, Any] = {}
    for entry in entries:
        name = entry.key.replace("-", "_")
        field = known[name] if name in known else flags[entry.key.replace("_", "-")][0]
        try:
            value = _value(field, entry, name in known)
        except SettingsError as error:
            raise SettingsError(f"{path}:{entry.line}: {error}") from None
        if value is None:
            continue
        if field.name in values:
            raise SettingsError(f"{path}:{entry.line}: {entry.key} sets {field.name} a second time")
        values[field.name] = value
    return values


def write_config(groups: Sequence[Group], sources: Mapping[str, str] | None = None) -> str:
    """The settings as YAML that `read_config` accepts, each under its help.

    sources: field name -> where its value comes from, for a comment behind each; the others are
    defaults. Without it there are no such comments.
    """
    lines = []
    for group in groups:
        for field in group.options():
            value = fields.to_plain(field, getattr(group, field.name))
            lines.append(f"# {field.metadata['help']}")
            source = "" if sources is None else sources.get(field.name, "default")
            # escaped as a YAML text would be: the name of a file may hold a line end
            comment = f"  # {_written(source)[1:-1]}" if source else ""
            lines.append(f"{fields.option_name(field)}: {_written(value)}{comment}")
    return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=float("inf"))
        return text.strip()
    return repr(value)


# Reading -------------------------------------------------------------------------------------


def _entries(path: Path) -> Iterator[Entry]:
    """The file's mapping from the parser's events: no tree is built, no recursion happens."""
    events = _events(path)
    first = next(events, None)
    if first is None or (isinstance(first, yaml.ScalarEvent) and first.value == ""):
        return
    if not isinstance(first, yaml.MappingStartEvent):
        raise _error(path, first, "expected lines like `rounds: 500`")
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        if not isinstance(event, yaml.ScalarEvent):
            raise _error(path, event, "expected the name of an option")
        values, is_list = _values(path, events, event.value)
        yield Entry(event.value, _line(event), values, is_list)
    for event in events:
        raise _error(path, event, "expected the end of the file")


def _values(path: Path, events: Iterator[Any], key: str) -> tuple[tuple[Scalar, ...], bool]:
    event = next(events)
    if isinstance(event, yaml.ScalarEvent):
        return (Scalar.of(event),), False
    if not isinstance(event, yaml.SequenceStartEvent):
        raise _error(path, event, f"{key} holds a mapping; expected a value or a list of values")
    values = []
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            break
        if not isinstance(event, yaml.ScalarEvent):
            raise _error(path, event, f"{key} is nested too deep; expected a list of values")
        values.append(Scalar.of(event))
    return tuple(values), True


def _events(path: Path) -> Iterator[Any]:
    """The events inside the one document of the file; an empty file has none."""
    ends = (yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent,
            yaml.DocumentEndEvent)  # fmt: skip
    documents = 0
    try:
        for event in yaml.parse(_text(path), Loader=yaml.SafeLoader):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise _error(path, event, "a second document begins; expected one")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise _error(path, event, "aliases (& and *) are not used here; write the value")
            tag = getattr(event, "tag", None)
            if tag not in (None, "!"):
                raise _error(path, event, f"tags such as {tag} are not used here")
            if not isinstance(event, ends):
                yield event
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SettingsError(f"{place}: not YAML: {problem}") from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise DataError(str(path), 0, f"cannot read the settings: {error.strerror}") from None
    if len(content) > SIZE_LIMIT:
        raise DataError(str(path), 0, "more than 256 KB; expected a file of settings")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(str(path), line, "not UTF-8; expected a file of settings") from None


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _error(path: Path, event: Any, message: str) -> SettingsError:
    return SettingsError(f"{path}:{_line(event)}: {message}")


# Judging -------------------------------------------------------------------------------------


def _refuse_repeated(path: Path, entries: list[Entry]) -> None:
    seen: dict[str, int] = {}
    for entry in entries:
        name = entry.key.replace("-", "_")
        if name in seen:
            raise SettingsError(
                f"{path}: {entry.key} is set twice, in lines {seen[name]} and {entry.line}"
            )
        seen[name] = entry.line


def _refuse_unknown(path: Path, entries: list[Entry], known: list[str]) -> None:
    told = []
    for entry in entries:
        key = entry.key.replace("_", "-")
        if key not in known:
            told.append(f"{entry.key} (line {entry.line}{fields.nearest(key, known)})")
    if told:
        raise SettingsError(f"{path}: unknown settings: {'; '.join(told)}")


def _value(field: dataclasses.Field[Any], entry: Entry, by_name: bool) -> Any:
    """The setting that the entry gives; None for a flag that says false."""
    if not by_name:
        flags = field.metadata["flags"]
        return flags[entry.key.replace("_", "-")] if _flag(entry) else None
    kind = fields.kind(field)
    if kind == "flag":
        return _flag(entry)
    texts = [_plain_text(entry, value, kind) for value in entry.values]
    if kind == "texts":
        return tuple(texts)
    if entry.is_list and kind == "integers":
        return fields.from_text(field, ",".join(texts))
    if entry.is_list and kind == "word_file":
        return tuple(texts)
    if entry.is_list:
        raise SettingsError(f"{entry.key} is a list; expected {fields.WANTED[kind]}")
    return fields.from_text(field, texts[0])


def _flag(entry: Entry) -> bool:
    if entry.is_list or entry.values[0].kind != "bool":
        shown = "a list" if entry.is_list else repr(entry.values[0].text)
        raise SettingsError(f"{entry.key} is {shown}; expected true or false")
    return entry.values[0].text.lower() == "true"


def _plain_text(entry: Entry, value: Scalar, kind: str) -> str:
    """What was written, where its kind can be meant: a number may be a column, `true` may not."""
    numeric = kind in ("int", "float") or (kind == "rounds" and value.text != "auto")
    if value.kind in ("bool", "null") or (numeric and value.kind != "number"):
        shown = "empty" if value.kind == "null" else repr(value.text)
        raise SettingsError(f"{entry.key} is {shown}; expected {fields.WANTED[kind]}")
    return value.text
