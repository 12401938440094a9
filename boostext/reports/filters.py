"""Rows picked by their columns: `documents>=10`, `kind=number`, `term~^un`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from boostext.errors import SettingsError
from boostext.fields import nearest

_ORDERED: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
_WRITTEN = re.compile(r"\s*([a-z_]+)\s*(>=|<=|!=|=|>|<|~)\s*(.*)", re.DOTALL)

Record = Mapping[str, object]


@dataclass(frozen=True)
class Filter:
    """One condition on one column. sign: of _ORDERED, or ~ for a pattern found anywhere."""

    column: str
    sign: str
    value: str

    def keeps(self, record: Record) -> bool:
        """Numbers are compared as numbers, anything else as text; SettingsError where the column
        is not there, or a text stands where a number should.
        """
        if self.column not in record:
            hint = nearest(self.column, list(record)) or f"; there are {', '.join(record)}"
            raise SettingsError(f"no column {self.column!r}{hint}")
        value = record[self.column]
        if self.sign == "~":
            return bool(pattern(self.value).search(str(value)))
        if isinstance(value, int | float):
            return _ORDERED[self.sign](value, self._number())
        if self.sign not in ("=", "!="):
            raise SettingsError(f"{self.column} is text; it can be compared by =, != and ~")
        return (str(value) == self.value) is (self.sign == "=")

    def _number(self) -> float:
        try:
            return float(self.value)
        except ValueError:
            raise SettingsError(f"{self.column} is a number; {self.value!r} is none") from None


def read_filter(text: str) -> Filter:
    """SettingsError where it is not COLUMN, a sign, and a value."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise SettingsError(
            f"{text!r} is not a filter; expected a column, one of >= <= > < = != ~, and a value, "
            "as in documents>=10"
        )
    return Filter(match[1], match[2], match[3].strip())


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression that does not mind case; SettingsError where it is none."""
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise SettingsError(f"{text!r} is not a regular expression: {error}") from None


def kept(records: Iterable[Record], filters: Sequence[Filter]) -> list[int]:
    """Places of the records that every filter keeps."""
    return [
        place for place, record in enumerate(records) if all(one.keeps(record) for one in filters)
    ]
