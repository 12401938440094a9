"""Which documents are in which block of a condition, and where a condition stands in the order."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from boostext.arrays import Int32
from boostext.boosting.cuts import Cuts, cuts
from boostext.features.conditions import Always, AtLeast, Condition
from boostext.features.matrix import FeatureMatrix, FindingNames

NONE = np.zeros(0, np.int32)
ALWAYS = -1
"""The number of the condition that holds for every document; no search finds it."""


class Membership:
    """Conditions of a FeatureMatrix by number: 0..n-1 listed, then each column's thresholds.

    one_sided: after these come the thresholds again, with the blocks YES and NO exchanged, for
    rules that speak in block YES alone: a rule may then speak below a threshold, and be silent
    above it. Words whose occurrences are scored are left out. Such conditions have no spelling of
    their own: see `spelled`.
    """

    def __init__(
        self, features: FeatureMatrix, known: bool = False, bins: int = 0, one_sided: bool = False
    ) -> None:
        """known: that a numeric column has a value is a condition of its own. bins: see `cuts`."""
        self.features = features
        self.listed = len(features.yes)
        columns = [cuts(c, known, bins) for c in features.numeric]
        self._above = len(columns)
        self._below = [n for n, c in enumerate(features.numeric) if one_sided and not c.is_word]
        self.columns: tuple[Cuts, ...] = (*columns, *(columns[n].below() for n in self._below))
        sizes = [len(column) for column in self.columns]
        self.offsets = self.listed + np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def column_of(self, j: int) -> tuple[Cuts, int]:
        """The column of threshold condition j, and the threshold's number in it."""
        number, cut = self._column_number(j)
        return self.columns[number], cut

    def _column_number(self, j: int) -> tuple[int, int]:
        number = int(np.searchsorted(self.offsets, j, side="right")) - 1
        return number, j - int(self.offsets[number])

    def yes(self, j: int) -> Int32:
        """Documents in block YES, each once."""
        if j == ALWAYS:
            return np.arange(self.features.document_count, dtype=np.int32)
        if j < self.listed:
            return self.features.yes[j]
        column, cut = self.column_of(j)
        return column.order[column.first[cut] :]

    def unknown(self, j: int) -> Int32:
        """Documents in block UNKNOWN."""
        if j == ALWAYS:
            return NONE
        if j < self.listed:
            number = int(self.features.unknown_list[j])
            return NONE if number < 0 else self.features.unknown[number]
        return self.column_of(j)[0].unknown

    def spelled(self, j: int) -> tuple[int, bool]:
        """The number of the condition that j is spelled as, and whether its blocks YES and NO are
        those of j exchanged.
        """
        if j < self.offsets[self._above]:
            return j, False
        column, _ = self._column_number(j)
        above = self._below[column - self._above]
        return int(self.offsets[above + 1]) - 1 - (j - int(self.offsets[column])), True

    def below(self, j: int) -> int | None:
        """The number of the condition that holds below the threshold of j, if there is one."""
        if not self.listed <= j < self.offsets[self._above]:
            return None
        above, _ = self._column_number(j)
        if above not in self._below:
            return None
        column = self._above + self._below.index(above)
        place = int(self.offsets[above + 1]) - 1 - j
        return int(self.offsets[column]) + place if place < len(self.columns[column]) else None

    def condition(self, j: int) -> Condition:
        """Condition j, spelled; of exchanged blocks the one they are exchanged in."""
        if j == ALWAYS:
            return Always()
        if j < self.listed:
            return self.features.names[j]
        column, cut = self.column_of(self.spelled(j)[0])
        return AtLeast(column.name, float(column.thresholds[cut]))

    @cached_property
    def terms(self) -> Int32:
        """Listed conditions that no document leaves open."""
        return np.flatnonzero(self.features.unknown_list < 0).astype(np.int32)

    @cached_property
    def partly_unknown(self) -> Int32:
        """Listed conditions that some documents leave open."""
        return np.flatnonzero(self.features.unknown_list >= 0).astype(np.int32)

    def number(self, condition: Condition) -> int:
        """The inverse of `condition`, of what is spelled as it is; KeyError for others."""
        names = self.features.names
        if isinstance(names, FindingNames) and not isinstance(condition, AtLeast | Always):
            found = names.number(condition)
            if found is None:
                raise KeyError(condition)
            return found
        return self.numbers[condition]

    @cached_property
    def numbers(self) -> dict[Condition, int]:
        """The numbers of all conditions, or of those that are not listed where the names can tell
        the others.
        """
        own = int(self.offsets[self._above])
        first = self.listed if isinstance(self.features.names, FindingNames) else 0
        return {self.condition(j): j for j in (*range(first, own), ALWAYS)}
