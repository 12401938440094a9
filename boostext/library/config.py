"""Settings in YAML files, which are read strictly: one flat mapping of option names to values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from boostext import fields
from boostext.errors import SettingsError
from boostext.settings import Group
from boostext.strict_yaml import Scalar, error_at, line_of, quoted, read_events


@dataclass(frozen=True)
class Entry:
    """A key of the file with its value, or with several if it is written as a list."""

    key: str
    line: int
    values: tuple[Scalar, ...]
    is_list: bool


def read_config(
    path: Path, groups: Sequence[type[Group]], is_read: Callable[[str], object] = str
) -> dict[str, Any]:
    """Return the values in the file at `path`, by the names of their fields.

    Keys are option names, with hyphens or underscores. Raises SettingsError with file and line; all
    unknown keys are reported together, each with the most similar known one. is_read: called with
    the name of each further file that is read, such as that of the stop words.
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
        if fields.kind(field) == "word_file" and not entry.is_list:
            is_read(entry.values[0].text)
        values[field.name] = value
    return values


def write_config(
    groups: Sequence[Group],
    sources: Mapping[str, str] | None = None,
    open: Collection[str] = (),
) -> str:
    """Return the settings as YAML that `read_config` accepts, with their help as comments.

    sources: maps fields to the origin of their values, which is added as a comment; by default
    there are no such comments. open: settings that depend on the data, which are left out.
    """
    lines = []
    for group in groups:
        for field in group.options():
            value = fields.to_plain(field, getattr(group, field.name))
            lines.append(f"# {field.metadata['help']}")
            if field.name in open:
                lines.append(f"# {fields.option_name(field)} depends on the data")
                continue
            source = "" if sources is None else sources.get(field.name, "default")
            # escaped like a YAML string, because the name of a file may contain a line end
            comment = f"  # {_written(source)[1:-1]}" if source else ""
            lines.append(f"{fields.option_name(field)}: {_written(value)}{comment}")
    return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    return repr(value)


# Reading -------------------------------------------------------------------------------------


def _entries(path: Path) -> Iterator[Entry]:
    """Yield the mapping in the file from the events of the parser, without recursion."""
    events = read_events(path)
    first = next(events, None)
    if first is None or (isinstance(first, yaml.ScalarEvent) and first.value == ""):
        return
    if not isinstance(first, yaml.MappingStartEvent):
        raise error_at(path, first, "expected lines like `rounds: 500`")
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        if not isinstance(event, yaml.ScalarEvent):
            raise error_at(path, event, "expected the name of an option")
        values, is_list = _values(path, events, event.value)
        yield Entry(event.value, line_of(event), values, is_list)
    for event in events:
        raise error_at(path, event, "expected the end of the file")


def _values(path: Path, events: Iterator[Any], key: str) -> tuple[tuple[Scalar, ...], bool]:
    event = next(events)
    if isinstance(event, yaml.ScalarEvent):
        return (Scalar.of(event),), False
    if not isinstance(event, yaml.SequenceStartEvent):
        raise error_at(path, event, f"{key} is a mapping; expected a value or a list of values")
    values = []
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            break
        if not isinstance(event, yaml.ScalarEvent):
            raise error_at(path, event, f"{key} has nested lists; expected a list of values")
        values.append(Scalar.of(event))
    return tuple(values), True


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
    unknown = []
    for entry in entries:
        key = entry.key.replace("_", "-")
        if key not in known:
            unknown.append(f"{entry.key} (line {entry.line}{fields.nearest(key, known)})")
    if unknown:
        raise SettingsError(f"{path}: unknown settings: {'; '.join(unknown)}")


def _value(field: dataclasses.Field[Any], entry: Entry, by_name: bool) -> Any:
    """Return the setting of the entry, or None for a flag that is false."""
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
    """Return a text; a number may be the number of a column, but `true` is an error."""
    numeric = kind in ("int", "float") or (kind == "rounds" and value.text != "auto")
    if value.kind in ("bool", "null") or (numeric and value.kind != "number"):
        shown = "empty" if value.kind == "null" else repr(value.text)
        raise SettingsError(f"{entry.key} is {shown}; expected {fields.WANTED[kind]}")
    return value.text
