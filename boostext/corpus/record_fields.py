"""Find fields of records by name, nested ones by a dotted path, and test conditions on them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from boostext.corpus.roles import Roles, missing
from boostext.corpus.sources import MOST_FIELDS, Source
from boostext.fields import condition_of
from boostext.settings import DataSettings

MISSING = object()
"""The result for a path that does not exist in a record. null, in contrast, is a value."""


# Dotted paths --------------------------------------------------------------------------------


def value_at(value: object, name: str) -> object:
    """The value at the path `name` in a record; MISSING if there is none.

    A field with exactly this name takes precedence. Otherwise the parts between dots are the names
    of nested fields. For a list on the path, the values of all its items are collected in a list.

        {"data": {"text": "hello"}}, "data.text"          -> "hello"
        {"parts": [{"tag": "a"}, {"tag": "b"}]}, "parts.tag"   -> ["a", "b"]
    """
    if isinstance(value, list):
        return _values_in(value, name)
    if not isinstance(value, dict):
        return MISSING
    if name in value:
        return value[name]
    place = name.find(".")
    while place >= 0:
        head, rest = name[:place], name[place + 1 :]
        if head in value and (found := value_at(value[head], rest)) is not MISSING:
            return found
        place = name.find(".", place + 1)
    return MISSING


def _values_in(items: list[object], name: str) -> object:
    found: list[object] = []
    for item in items:
        value = value_at(item, name)
        if isinstance(value, list):
            found += value
        elif value is not MISSING:
            found.append(value)
    return found if found or not items else MISSING


def field_names(record: Mapping[str, object]) -> Iterator[str]:
    """The names of a record's fields, and of those nested one level deep, for messages."""
    for name, value in record.items():
        yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in value)


@dataclass(frozen=True)
class Paths:
    """Names that contain a dot, which may be paths to nested fields. texts: those of texts."""

    names: tuple[str, ...]
    texts: frozenset[str]

    @staticmethod
    def of(roles: Roles, labels: tuple[str, ...] = ()) -> Paths:
        """labels: further label fields, which are not in the roles."""
        names = (*roles.texts, *roles.labels, *labels, roles.id, roles.weight, *roles.attributes)
        return Paths(tuple(n for n in dict.fromkeys(names) if "." in n), frozenset(roles.texts))

    def laid_out(self, record: Mapping[str, object]) -> Mapping[str, object]:
        """The record with an additional field for each path, named like the path.

        A list of one item is replaced by the item. Several texts are joined, one per line.
        """
        added = {}
        for name in self.names:
            value = value_at(record, name)
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if isinstance(value, list) and name in self.texts and _are_texts(value):
                value = "\n".join(value)
            if value is not MISSING:
                added[name] = value
        return {**record, **added} if added else record


def _are_texts(values: list[object]) -> TypeGuard[list[str]]:
    return bool(values) and all(isinstance(value, str) for value in values)


# Conditions ----------------------------------------------------------------------------------


@dataclass
class Conditions:
    """The conditions of `--where`, and the fields that were found so far.

    wanted: field -> values, one of which it must have. unwanted: field -> values, none of which it
    may have. written: the conditions as given. met: those of these fields that a record has had.
    fields: names of the fields of records, until all are met. count: number of records.
    """

    wanted: Mapping[str, frozenset[str]]
    unwanted: Mapping[str, frozenset[str]]
    written: str
    met: set[str] = field(default_factory=set)
    fields: dict[str, None] = field(default_factory=dict)
    count: int = 0

    @staticmethod
    def of(settings: DataSettings) -> Conditions | None:
        """The conditions in the settings; None if there are none and every record is read."""
        sides: dict[str, dict[str, set[str]]] = {"=": {}, "!=": {}}
        for text in settings.where:
            name, sign, value = condition_of(text)
            sides[sign].setdefault(name, set()).add(value)
        if not settings.where:
            return None
        wanted, unwanted = (
            {name: frozenset(values) for name, values in side.items()} for side in sides.values()
        )
        return Conditions(wanted, unwanted, " ".join(f"--where {w}" for w in settings.where))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.wanted, *self.unwanted]))

    def hold(self, record: Mapping[str, object], source: Source) -> bool:
        """Whether the record meets the conditions; if not, it is counted as left out."""
        self.count += 1
        held = {name: self._values(record, name) for name in self.names}
        fits = not any(held[name].isdisjoint(values) for name, values in self.wanted.items())
        fits = fits and all(held[name].isdisjoint(values) for name, values in self.unwanted.items())
        if len(self.met) < len(self.names) and len(self.fields) < MOST_FIELDS:
            self.fields.update(dict.fromkeys(field_names(record)))
        if not fits:
            source.bad.left_out[self.written] += 1
        return fits

    def _values(self, record: Mapping[str, object], name: str) -> set[str]:
        value = value_at(record, name)
        if value is not MISSING:
            self.met.add(name)
        return set(spellings(value))

    def check(self, source: Source) -> None:
        """After the last record: DataError if no record had one of the fields."""
        for name in self.names:
            if self.count and name not in self.met:
                raise source.fault(0, missing("field", "--where", [name], self.fields))


def spellings(value: object) -> Iterator[str]:
    """The ways to write a value after `--where FIELD=`. A missing value is empty."""
    if isinstance(value, str):
        yield value
    elif value is None or value is MISSING or value == []:
        yield ""
    elif isinstance(value, list):
        for item in value:
            yield from spellings(item)
    else:
        yield json.dumps(value, ensure_ascii=False)
        if isinstance(value, float) and value.is_integer():
            yield str(int(value))
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"{value}.0"
