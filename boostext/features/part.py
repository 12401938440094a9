"""Split a feature matrix by documents, to learn from some of them and evaluate on the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.features.conditions import Condition
from boostext.features.matrix import ConditionNames, FeatureMatrix
from boostext.features.merge import gather


@dataclass(frozen=True)
class _ChosenNames:
    """ConditionNames for some of the conditions."""

    names: ConditionNames
    chosen: Int64

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, j: int) -> Condition:
        return self.names[int(self.chosen[j])]

    def aliases(self, j: int) -> tuple[Condition, ...]:
        return self.names.aliases(int(self.chosen[j]))


def parts(
    features: FeatureMatrix, learned: Int64, held: Int64
) -> tuple[FeatureMatrix, FeatureMatrix]:
    """Return the same conditions, in the same order, for two ascending sets of documents.

    Listed conditions that hold for no document of `learned` are removed from both, as if the other
    documents had not been read. Conditions that become equal in the subset are not merged.
    """
    yes = _among(features.yes, learned, features.document_count)
    kept = np.flatnonzero(np.diff(yes.starts) > 0)
    names = _ChosenNames(features.names, kept)
    first, second = (
        replace(
            features,
            document_count=len(documents),
            names=names,
            yes=gather(lists, kept),
            unknown_list=features.unknown_list[kept],
            unknown=_among(features.unknown, documents, features.document_count),
            numeric=tuple(column.among(documents) for column in features.numeric),
        )
        for documents, lists in (
            (learned, yes),
            (held, _among(features.yes, held, features.document_count)),
        )
    )
    return first, second


def first_documents(features: FeatureMatrix, count: int) -> FeatureMatrix:
    """Keep the first documents. Conditions keep their numbers, and may hold for no document."""
    documents = np.arange(count)
    return replace(
        features,
        document_count=count,
        yes=_among(features.yes, documents, features.document_count),
        unknown=_among(features.unknown, documents, features.document_count),
        numeric=tuple(column.among(documents) for column in features.numeric),
    )


def _among(lists: Lists, documents: Int64, count: int) -> Lists:
    """Remove all other documents from the lists and renumber the remaining ones from 0."""
    number = np.full(count, -1, np.int32)
    number[documents] = np.arange(len(documents), dtype=np.int32)
    items = number[lists.items]
    before = np.concatenate([[0], np.cumsum(items >= 0)])
    return Lists(before[lists.starts].astype(np.int64), items[items >= 0])
