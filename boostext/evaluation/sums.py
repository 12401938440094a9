"""Sums over examples that can be added, to measure data in pieces with bounded memory."""

from __future__ import annotations

import dataclasses
from typing import Self


class Sums:
    """A dataclass of numbers, arrays and Counters, in which `+` adds the fields."""

    def __add__(self, other: Self) -> Self:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: getattr(self, name) + getattr(other, name) for name in names})


def share(part: float, whole: float) -> float:
    """part/whole; NaN, which means unknown, if the whole is 0."""
    return part / whole if whole else float("nan")
