"""The documents in each block of a condition, and the numbers that conditions have."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from boostext.arrays import Int32
from boostext.boosting.cuts import Cuts, cuts
from boostext.features.conditions import Always, AtLeast, Condition
from boostext.features.matrix import FeatureMatrix, FindingNames

NONE = np.zeros(0, np.int32)
ALWAYS = -1
"""The number of the condition that holds for every document, which searches do not include."""


class Membership:
    """The conditions of a FeatureMatrix by number.

    The listed conditions, such as terms, come first, and then the thresholds of each numeric
    column. With `one_sided`, the thresholds follow once more with the blocks YES and NO exchanged,
    except those of words whose occurrences have scores. Rules that vote in block YES only may then
    vote below a threshold and abstain above it. Such conditions are written as the condition of the
    same threshold; see `spelled`.
    """

    def __init__(
        self, features: FeatureMatrix, known: bool = False, bins: int = 0, one_sided: bool = False
    ) -> None:
        """Number the conditions of `features`.

        known: whether to add the condition that a numeric column has a value. bins: see `cuts`.
        """
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
        """Return the column of threshold condition j, and the index of the threshold in it."""
        number, cut = self._column_number(j)
        return self.columns[number], cut

    def _column_number(self, j: int) -> tuple[int, int]:
        number = int(np.searchsorted(self.offsets, j, side="right")) - 1
        return number, j - int(self.offsets[number])

    def yes(self, j: int) -> Int32:
        """Return the documents in block YES, each once."""
        if j == ALWAYS:
            return np.arange(self.features.document_count, dtype=np.int32)
        if j < self.listed:
            return self.features.yes[j]
        column, cut = self.column_of(j)
        return column.order[column.first[cut] :]

    def unknown(self, j: int) -> Int32:
        """Return the documents in block UNKNOWN."""
        if j == ALWAYS:
            return NONE
        if j < self.listed:
            number = int(self.features.unknown_list[j])
            return NONE if number < 0 else self.features.unknown[number]
        return self.column_of(j)[0].unknown

    def spelled(self, j: int) -> tuple[int, bool]:
        """Return the number of the condition that j is written as, and whether it is reversed.

        If it is reversed, its block YES is block NO of j, and the other way round.
        """
        if j < self.offsets[self._above]:
            return j, False
        column, _ = self._column_number(j)
        above = self._below[column - self._above]
        return int(self.offsets[above + 1]) - 1 - (j - int(self.offsets[column])), True

    def below(self, j: int) -> int | None:
        """Return the number of the condition that holds below the threshold of j, or None."""
        if not self.listed <= j < self.offsets[self._above]:
            return None
        above, _ = self._column_number(j)
        if above not in self._below:
            return None
        column = self._above + self._below.index(above)
        place = int(self.offsets[above + 1]) - 1 - j
        return int(self.offsets[column]) + place if place < len(self.columns[column]) else None

    def condition(self, j: int) -> Condition:
        """Return condition j; if j is a reversed condition, the one that it reverses."""
        if j == ALWAYS:
            return Always()
        if j < self.listed:
            return self.features.names[j]
        column, cut = self.column_of(self.spelled(j)[0])
        return AtLeast(column.name, float(column.thresholds[cut]))

    @cached_property
    def terms(self) -> Int32:
        """The listed conditions that are unknown for no document."""
        return np.flatnonzero(self.features.unknown_list < 0).astype(np.int32)

    @cached_property
    def partly_unknown(self) -> Int32:
        """The listed conditions that are unknown for some documents."""
        return np.flatnonzero(self.features.unknown_list >= 0).astype(np.int32)

    def number(self, condition: Condition) -> int:
        """Return the number of a condition that is not reversed, the inverse of `condition`.

        Raises KeyError if the data does not have the condition.
        """
        names = self.features.names
        if isinstance(names, FindingNames) and not isinstance(condition, AtLeast | Always):
            found = names.number(condition)
            if found is None:
                raise KeyError(condition)
            return found
        return self.numbers[condition]

    @cached_property
    def numbers(self) -> dict[Condition, int]:
        """The numbers of all conditions.

        If the names of the features can find the numbers of listed conditions, these are left out.
        """
        own = int(self.offsets[self._above])
        first = self.listed if isinstance(self.features.names, FindingNames) else 0
        return {self.condition(j): j for j in (*range(first, own), ALWAYS)}


class OtherMembership(Membership):
    """The conditions of `members`, under the same numbers, evaluated on other documents.

    features: the features of those documents, in which listed conditions must have the same numbers
    as in `members`.
    """

    def __init__(self, features: FeatureMatrix, members: Membership) -> None:
        self.features = features
        self.listed, self.columns, self.offsets = members.listed, members.columns, members.offsets
        self._columns = {column.name: column for column in features.numeric}

    def yes(self, j: int) -> Int32:
        """Return the documents in block YES, each once."""
        if j < self.listed:
            return super().yes(j)
        column, cut = self.column_of(j)
        asked = self._columns[column.name]
        return asked.documents[asked.known >= float(column.thresholds[cut])]

    def unknown(self, j: int) -> Int32:
        """Return the documents in block UNKNOWN."""
        if j < self.listed:
            return super().unknown(j)
        column, _ = self.column_of(j)
        asked = self._columns[column.name]
        return np.delete(np.arange(asked.count, dtype=np.int32), asked.documents)
