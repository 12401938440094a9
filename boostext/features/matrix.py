"""The matrix of conditions over documents, the result of extraction and the input of boosting.

It can be split by documents, to learn from some of them and evaluate on the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.features.conditions import Condition, Occurs
from boostext.features.merge import gather
from boostext.text_settings import LETTERS


class ConditionNames(Protocol):
    """The names of listed conditions by number, which are only created when they are read."""

    def __len__(self) -> int: ...
    def __getitem__(self, j: int) -> Condition: ...
    def aliases(self, j: int) -> tuple[Condition, ...]:
        """Return further conditions that hold for exactly the same documents, in order."""


@runtime_checkable
class FindingNames(ConditionNames, Protocol):
    """Names that find the number of a condition without creating all names."""

    def number(self, condition: Condition) -> int | None: ...


@runtime_checkable
class NamesInFields(ConditionNames, Protocol):
    """Names that tell which conditions are about n-grams of letters without creating them."""

    def about_letters(self, numbers: Int64) -> NDArray[np.bool_]: ...


def about_letters(names: ConditionNames, numbers: Int64) -> NDArray[np.bool_]:
    """Return which of some listed conditions are about n-grams of letters besides words."""
    if isinstance(names, NamesInFields):
        return names.about_letters(numbers)
    found = (names[j] for j in numbers.tolist())
    return np.array([isinstance(c, Occurs) and c.field.endswith(LETTERS) for c in found], np.bool_)


@dataclass(frozen=True)
class NumericColumn:
    """One numeric attribute, or one word of a scored text.

    documents: ascending, those that have a value. known: the value of each, float64. count: m.
    is_word: whether "has a value" is a condition of its own.
    """

    name: str
    documents: Int32
    known: Float64
    count: int
    is_word: bool = False

    @staticmethod
    def of(name: str, values: Float64) -> NumericColumn:
        """Create a column from values (m,), NaN where they are unknown."""
        documents = np.flatnonzero(~np.isnan(values)).astype(np.int32)
        return NumericColumn(name, documents, values[documents], len(values))

    def among(self, documents: Int64) -> NumericColumn:
        """Return the column restricted to ascending documents, which are renumbered from 0."""
        places = np.searchsorted(documents, self.documents)
        found = places < len(documents)
        found[found] = documents[places[found]] == self.documents[found]
        return replace(
            self,
            documents=places[found].astype(np.int32),
            known=self.known[found],
            count=len(documents),
        )


@dataclass(frozen=True)
class FeatureMatrix:
    """All conditions of a corpus, in the documented order that breaks ties.

    First come the conditions on terms and on categories, in the order of `names`. They are called
    "listed", because each has a list of its documents. Then come the thresholds of each numeric
    column, ascending.

    document_count: m. names: (n,), the listed conditions. yes: n ascending lists of the documents
    in block YES, all distinct because equal columns are merged. unknown_list: (n,), the number of
    the list in `unknown` with the documents for which the condition is unknown, -1 for none.
    token_count: the number of tokens read, for messages.
    """

    document_count: int
    names: ConditionNames
    yes: Lists
    unknown_list: Int32
    unknown: Lists
    numeric: tuple[NumericColumn, ...] = ()
    token_count: int = 0


# Parts ---------------------------------------------------------------------------------------


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

    def about_letters(self, numbers: Int64) -> NDArray[np.bool_]:
        return about_letters(self.names, self.chosen[numbers])


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
