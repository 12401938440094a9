"""Strict reading of JSON and of its values: what is not exactly as expected is refused."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Iterator
from typing import Any, TypeVar

from boostext.errors import ModelError

JSON_LIMIT = 64 * 1024 * 1024
"""Bytes of the description of a model."""
BYTES_PER_PART = 16
"""Least average length of the parts of JSON: `{},{},{},` takes forty times its bytes in memory."""

Plain = dict[str, Any]
"""A JSON object; Any, as its values are checked one by one where they are taken."""
Value = TypeVar("Value")


def to_json(value: object) -> bytes:
    """Compact UTF-8 JSON; floats by repr, so that they come back the same."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        raise ModelError("a setting or number of the model is not finite") from None
    # subtle: a lone surrogate, which UTF-8 cannot hold, becomes \udXXX, which is JSON's own escape
    return text.encode("utf-8", "backslashreplace")


def from_json(content: bytes, limit: int = JSON_LIMIT) -> Plain:
    """The object that `content` holds; no name twice, no NaN, no number past float64.

    limit: bytes that are allowed. Memory is then at most some ten times that.
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
    """record[name], which must be there and of that very type."""
    if name not in record:
        raise ModelError(f"{name} is missing")
    value = record[name]
    if type(value) is not kind or (isinstance(value, int) and abs(value) >= 2**63):
        raise ModelError(f"{name} is {_short(value)}; expected {_KINDS[kind]}")
    return value


def number(record: Plain, name: str) -> float:
    """A number, which may be written without a point."""
    whole = type(record.get(name)) is int
    return float(take(record, name, int)) if whole else take(record, name, float)


_KINDS: dict[type, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false",
    list: "a list", dict: "an object",
}  # fmt: skip


def texts(record: Plain, name: str) -> tuple[str, ...]:
    """A list of texts."""
    values = take(record, name, list)
    if not all(type(value) is str for value in values):
        raise ModelError(f"{name} holds something that is not text")
    return tuple(values)


def numbers(record: Plain, name: str) -> tuple[float, ...]:
    """A list of numbers."""
    return tuple(number({name: value}, name) for value in take(record, name, list))


def objects(record: Plain, name: str) -> Iterator[Plain]:
    """A list of objects, one by one."""
    for value in take(record, name, list):
        yield take({name: value}, name, dict)


def only(record: Plain, known: Collection[str], what: str) -> None:
    """Refuse names that are not known."""
    for name in record:
        if name not in known:
            raise ModelError(f"{what} has {_short(name)}, which this boostext does not know")


def dataclass_from(cls: type[Value], record: Plain, what: str) -> Value:
    """A dataclass of texts and whole numbers; absent ones keep their defaults."""
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]  # only called with dataclasses
    only(record, [field.name for field in fields], what)
    given = (field for field in fields if field.name in record)
    return cls(**{f.name: take(record, f.name, type(f.default)) for f in given})


def _short(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value[:40]) if isinstance(value, str) else f"{value!s:.40}"
