"""Sums over examples that can be added up: data is measured in pieces, in bounded memory."""

from __future__ import annotations

import dataclasses
from typing import Self


class Sums:
    """A dataclass of numbers, arrays and Counters; `+` adds field by field."""

    def __add__(self, other: Self) -> Self:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: getattr(self, name) + getattr(other, name) for name in names})


def share(part: float, whole: float) -> float:
    """part/whole; NaN, which is unknown, where there is nothing to divide by."""
    return part / whole if whole else float("nan")
