"""The conditions of training documents, evaluated on other documents."""

from __future__ import annotations

import numpy as np

from boostext.arrays import Int32
from boostext.boosting.membership import Membership
from boostext.features.matrix import FeatureMatrix


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
