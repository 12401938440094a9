"""The given labels of examples in the form that measures need, and sums over examples.

Sums can be added, so that data are measured in pieces with bounded memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int64, Lists

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Gold:
    """Given labels of m examples.

    labels: the model's k labels, then those it does not know, in order of first occurrence.
    known: k. sets: m lists of distinct indices into `labels`.
    """

    labels: tuple[str, ...]
    known: int
    sets: Lists

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def owners(self) -> Int64:
        """(nnz,): the example to which each item of `sets` belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.sets.starts))

    @cached_property
    def matrix(self) -> Booleans:
        """(m, k): whether the label is given, for the model's labels."""
        given = np.zeros((len(self), self.known), np.bool_)
        inside = self.sets.items < self.known
        given[self.owners[inside], self.sets.items[inside]] = True
        return given

    @cached_property
    def strange(self) -> Int64:
        """(m,): number of labels that the model does not know; each is a false negative."""
        outside = self.owners[self.sets.items >= self.known]
        return np.bincount(outside, minlength=len(self)).astype(np.int64)


def gold_of(labels: Sequence[str], label_sets: Iterable[Iterable[str]]) -> Gold:
    """Create Gold from label names. labels: those of the model, in its order."""
    numbers = {label: number for number, label in enumerate(labels)}
    sets = Lists.of(
        [numbers.setdefault(label, len(numbers)) for label in dict.fromkeys(given)]
        for given in label_sets
    )
    return Gold(tuple(numbers), len(labels), sets)


# Sums over examples --------------------------------------------------------------------------


class Sums:
    """A dataclass of numbers, arrays and Counters, in which `+` adds the fields."""

    def __add__(self, other: Self) -> Self:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: getattr(self, name) + getattr(other, name) for name in names})


def share(part: float, whole: float) -> float:
    """part/whole; NaN, which means unknown, if the whole is 0."""
    return part / whole if whole else float("nan")
