"""Strict reading of JSON and its values: anything other than what is expected is an error."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from boostext.errors import ModelError

JSON_LIMIT = 64 * 1024 * 1024
"""Maximum size in bytes of the description of a model."""
BYTES_PER_PART = 16
"""Minimum average length of JSON tokens: `{},{},{},` takes forty times its size in memory."""

Plain = dict[str, Any]
"""A JSON object. Its values have type Any because each is checked when it is read."""
Value = TypeVar("Value")


def to_json(value: object) -> bytes:
    """Return compact UTF-8 JSON; floats are written by repr, so that they are read back exactly."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        raise ModelError("a setting or number of the model is not finite") from None
    # subtle: a lone surrogate, which UTF-8 cannot encode, is written as the JSON escape \udXXX
    return text.encode("utf-8", "backslashreplace")


PART = 10_000
"""Number of values that are converted to JSON at a time."""


@dataclasses.dataclass(frozen=True)
class Members:
    """An object of JSON whose names and values are read when it is written."""

    pairs: Iterable[tuple[str, Any]]


def json_parts(
    record: Mapping[str, Any], separators: tuple[str, str] = (", ", ": "), **how: Any
) -> Iterator[str]:
    """Yield what `json.dumps` returns, which needs many times the memory of a long text.

    Values of the record may also be iterators, which become lists, and Members. how: further
    parameters of `json.dumps`.
    """
    dumped: Callable[[Any], str] = partial(json.dumps, separators=separators, **how)
    before = "{"
    for name in sorted(record) if how.get("sort_keys") else record:
        yield before + dumped(name) + separators[1]
        value, before = record[name], separators[0]
        if isinstance(value, Members):
            yield from _in_parts(value.pairs, "{}", separators[0], lambda part: dumped(dict(part)))
        elif isinstance(value, Iterator) or (isinstance(value, list) and len(value) > PART):
            yield from _in_parts(value, "[]", separators[0], dumped)
        else:
            yield dumped(value)
    yield "}" if record else "{}"


def _in_parts(
    values: Iterable[Any], around: str, between: str, dumped: Callable[[Any], str]
) -> Iterator[str]:
    remaining, before = iter(values), around[0]
    while part := list(islice(remaining, PART)):
        yield before + dumped(part)[1:-1]
        before = between
    yield around if before == around[0] else around[1]


def from_json(content: bytes, limit: int = JSON_LIMIT) -> Plain:
    """Parse a JSON object without duplicate names, NaN, or numbers outside float64.

    limit: maximum size in bytes. The memory used is at most about ten times that.
    """
    if len(content) > limit:
        raise ModelError(f"its JSON has {len(content)} bytes; expected {limit} at most")
    if sum(map(content.count, (b"{", b"[", b","))) > limit // BYTES_PER_PART:
        raise ModelError(f"its JSON has more than {limit // BYTES_PER_PART} parts")
    try:
        value = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except RecursionError:
        raise ModelError("its JSON is nested too deeply") from None
    except ValueError as error:
        raise ModelError(f"its JSON cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise ModelError("its JSON is not an object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> Plain:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a name is there twice in one object")
    return record


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is not finite")
    return value


def take(record: Plain, name: str, kind: type[Value]) -> Value:
    """Return record[name], which must be present and of exactly this type."""
    if name not in record:
        raise ModelError(f"{name} is missing")
    value = record[name]
    if type(value) is not kind or (isinstance(value, int) and abs(value) >= 2**63):
        raise ModelError(f"{name} is {_short(value)}; expected {_KINDS[kind]}")
    return value


def number(record: Plain, name: str) -> float:
    """Return a number, which may be written without a decimal point."""
    whole = type(record.get(name)) is int
    return float(take(record, name, int)) if whole else take(record, name, float)


_KINDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def texts(record: Plain, name: str) -> tuple[str, ...]:
    """Return a list of strings."""
    values = take(record, name, list)
    if not all(type(value) is str for value in values):
        raise ModelError(f"{name} holds something that is not text")
    return tuple(values)


def numbers(record: Plain, name: str) -> tuple[float, ...]:
    """Return a list of numbers."""
    return tuple(number({name: value}, name) for value in take(record, name, list))


def objects(record: Plain, name: str) -> Iterator[Plain]:
    """Yield the objects of a list."""
    for value in take(record, name, list):
        yield take({name: value}, name, dict)


def only(record: Plain, known: Collection[str], what: str) -> None:
    """Raise an error if the record has unknown names."""
    for name in record:
        if name not in known:
            raise ModelError(f"{what} has {_short(name)}, which this boostext does not know")


def dataclass_from(cls: type[Value], record: Plain, what: str) -> Value:
    """Create a dataclass of strings and integers; missing ones keep their defaults."""
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]  # only called with dataclasses
    only(record, [field.name for field in fields], what)
    given = (field for field in fields if field.name in record)
    return cls(**{f.name: take(record, f.name, type(f.default)) for f in given})


def _short(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value[:40]) if isinstance(value, str) else f"{value!s:.40}"
