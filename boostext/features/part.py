"""Some of the documents of a feature matrix, for learning from them and measuring on the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Int64, Lists
from boostext.features.conditions import Condition
from boostext.features.matrix import ConditionNames, FeatureMatrix
from boostext.features.merge import gather


@dataclass(frozen=True)
class _ChosenNames:
    """ConditionNames of some of the conditions."""

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
    """The same conditions, in the same order, over two sets of documents, both ascending.

    Listed conditions that hold for no document of `learned` are left out of both, as if the others
    had not been read. Conditions that come to hold for the very same documents are not merged.
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
    """Over the first documents alone; conditions keep their numbers, and may then hold nowhere."""
    documents = np.arange(count)
    return replace(
        features,
        document_count=count,
        yes=_among(features.yes, documents, features.document_count),
        unknown=_among(features.unknown, documents, features.document_count),
        numeric=tuple(column.among(documents) for column in features.numeric),
    )


def _among(lists: Lists, documents: Int64, count: int) -> Lists:
    """The lists without other documents, these renumbered from 0."""
    number = np.full(count, -1, np.int32)
    number[documents] = np.arange(len(documents), dtype=np.int32)
    items = number[lists.items]
    before = np.concatenate([[0], np.cumsum(items >= 0)])
    return Lists(before[lists.starts].astype(np.int64), items[items >= 0])
