"""Convert numbers of conditions to conditions, which are only created when they are read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from boostext.arrays import Int64
from boostext.features.conditions import Condition, Equals, Occurs
from boostext.features.merge import Merged
from boostext.features.terms import Terms


@dataclass(frozen=True)
class TermSource:
    """The conditions of one text field, by the number of their list in `terms.conditions`."""

    field: str
    terms: Terms
    counts: tuple[int, ...]
    chosen: Int64

    def __len__(self) -> int:
        return len(self.chosen)

    def condition(self, i: int) -> Condition:
        t, c = divmod(int(self.chosen[i]), len(self.counts))
        return Occurs(self.field, self.terms.spell(t), self.counts[c])


@dataclass(frozen=True)
class CategorySource:
    """The conditions of one attribute."""

    column: str
    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    def condition(self, i: int) -> Condition:
        return Equals(self.column, self.values[i])


class LazyNames:
    """ConditionNames for all sources, one after the other, after merging.

    place: the documented order of all conditions of all sources, in which aliases are listed.
    """

    def __init__(
        self, sources: Sequence[TermSource | CategorySource], merged: Merged, place: Int64
    ) -> None:
        self._sources = sources
        self._ends = list(accumulate(len(source) for source in sources))
        self._merged, self._place = merged, place

    def __len__(self) -> int:
        return len(self._merged.representatives)

    def __getitem__(self, j: int) -> Condition:
        return self._condition(int(self._merged.representatives[j]))

    def aliases(self, j: int) -> tuple[Condition, ...]:
        members = self._merged.group(j)
        others = members[members != self._merged.representatives[j]]
        ordered = others[np.argsort(self._place[others])]
        return tuple(self._condition(int(i)) for i in ordered)

    def _condition(self, i: int) -> Condition:
        s = bisect_right(self._ends, i)
        return self._sources[s].condition(i - (self._ends[s - 1] if s else 0))
