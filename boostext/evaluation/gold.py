"""The given labels of examples in the form that measures need, and sums over examples.

Sums can be added, so that data are measured in pieces with bounded memory.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

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
    met: dict[str, int] = {}
    sets = Lists.of(
        [met.setdefault(label, len(met)) for label in dict.fromkeys(given)] for given in label_sets
    )
    # only labels that occur, as a table of very many labels takes much memory
    known = {label: number for number, label in enumerate(labels) if label in met}
    strange = [label for label in met if label not in known]
    known |= {label: number for number, label in enumerate(strange, len(labels))}
    places = np.array([known[label] for label in met], np.int32)
    names = (*labels, *strange) if strange else tuple(labels)
    return Gold(names, len(labels), Lists(sets.starts, places[sets.items]))


# Sums over examples --------------------------------------------------------------------------


class Sums:
    """A dataclass of numbers, arrays and Counters, in which `+` adds the fields.

    `+=` changes the arrays and Counters of the first operand; copies of long Counters for each
    piece of the data would take quadratic time.
    """

    def __add__(self, other: Self) -> Self:
        return self._joined(other, operator.add)

    def __iadd__(self, other: Self) -> Self:
        return self._joined(other, _taken_up)

    def _joined(self, other: Self, join: Callable[[Any, Any], Any]) -> Self:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return type(self)(**{n: join(getattr(self, n), getattr(other, n)) for n in names})


def _taken_up(first: Any, second: Any) -> Any:
    if isinstance(first, Counter):
        first.update(second)  # += would look at all its items
        return first
    if isinstance(first, np.ndarray):
        first += second
        return first
    return first._joined(second, _taken_up) if isinstance(first, Sums) else first + second


def share(part: float, whole: float) -> float:
    """part/whole; NaN, which means unknown, if the whole is 0."""
    return part / whole if whole else float("nan")
