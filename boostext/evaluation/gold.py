"""The given labels of examples, as measures need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int64, Lists

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Gold:
    """Given labels of m examples.

    labels: the model's k labels, then those it does not know, in order of appearance.
    known: k. sets: m lists of numbers into `labels`, no number twice in a list.
    """

    labels: tuple[str, ...]
    known: int
    sets: Lists

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def owners(self) -> Int64:
        """(nnz,): the example of each item of `sets`."""
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
        """(m,): how many labels the model does not know; each is a miss."""
        outside = self.owners[self.sets.items >= self.known]
        return np.bincount(outside, minlength=len(self)).astype(np.int64)


def gold_of(labels: Sequence[str], label_sets: Iterable[Iterable[str]]) -> Gold:
    """Gold from label names. labels: the model's, in its order."""
    numbers = {label: number for number, label in enumerate(labels)}
    sets = Lists.of(
        [numbers.setdefault(label, len(numbers)) for label in dict.fromkeys(given)]
        for given in label_sets
    )
    return Gold(tuple(numbers), len(labels), sets)
