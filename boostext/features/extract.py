"""Extract conditions from documents in one pass, filter them, and merge those that are equal.

The order of conditions breaks ties in boosting. Text fields come first, as given; within a field,
terms are ordered by first occurrence in the corpus (`ngrams` defines the order at one position),
each with its counts in ascending order. Then follow the categories of the attributes, as given,
each in the declared order or else by first occurrence. Numeric columns come last, as given, and
then the words of scored texts by first occurrence. The order does not depend on threads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boostext import compiled
from boostext.arrays import Int32, Int64, Lists, concatenated, give_back
from boostext.corpus.column_types import CATEGORY, column_type
from boostext.corpus.documents import Attribute, Document
from boostext.features.attributes import WordColumn, categories, numeric_column
from boostext.features.conditions import Condition, Equals, Occurs
from boostext.features.matrix import FeatureMatrix, NumericColumn
from boostext.features.merge import Merged, gather, joined_lists, merge
from boostext.features.ngrams import Term
from boostext.features.selection import PIECE, nothing_left, select
from boostext.features.terms import PlainCounter, Terms, least_documents
from boostext.settings import TextSettings
from boostext.text_settings import LETTERS


def extract(
    documents: Iterable[Document],
    settings: TextSettings,
    fields: Sequence[str],
    attributes: Sequence[str] | None = (),
    threads: int = 1,
    declared: Mapping[str, Sequence[str]] | None = None,
) -> FeatureMatrix:
    """Return all conditions of the documents' text fields and attributes.

    attributes: names of columns. With None, every attribute of any document is used, by first
    occurrence, and then every word of scored texts.
    declared: columns that are read as categories, whatever their values, mapped to the categories
    that come first, in this order, if any document has them.
    A missing text field is an empty text. Filters such as min_df do not apply to conditions on
    attributes. Raises DataError if there is nothing to extract conditions from, and SettingsError
    if the filters remove all conditions.
    """
    if isinstance(fields, str) or isinstance(attributes, str):
        raise TypeError("fields and attributes are lists of names, not one name")
    text_fields = settings.term_fields(fields)
    counters = {name: TermCounter(settings.of_field(name), threads) for name in text_fields}
    return extract_with(counters, documents, settings, attributes, declared, text_fields)


def extract_with(
    counters: Mapping[str, Counter],
    documents: Iterable[Document],
    settings: TextSettings,
    attributes: Sequence[str] | None,
    declared: Mapping[str, Sequence[str]] | None = None,
    text_fields: Mapping[str, str] | None = None,
) -> FeatureMatrix:
    """Like `extract`, but with a given counter for each field of terms.

    text_fields: the text field of each of them, unless it has the same name.
    """
    columns, path = Columns(attributes), "-"
    read = [((text_fields or {}).get(name, name), each) for name, each in counters.items()]
    for document in documents:
        path = path if columns.count else document.origin.path
        for text_field, counter in read:
            counter.add(document.texts.get(text_field, ""))
        columns.add(document)
    count = columns.count
    terms = {
        name: counter.finish(least_documents(counter.settings, count))
        for name, counter in counters.items()
    }
    give_back(sum(map(len, terms.values())))
    parts = Parts(settings.simplest_name)
    tokens = sum(found.tokens for found in terms.values())
    for name, chosen in zip(tuple(terms), select(terms, settings, count), strict=True):
        if chosen.any():
            parts.add_terms(name, terms.pop(name), settings.counts, chosen)
    columns.add_to(parts, declared or {})
    if not parts.sources and not parts.numeric:
        raise nothing_left(terms, settings, count, path)
    return parts.matrix(count, tokens)


class Columns:
    """The attributes and scored words of documents. count: number of documents so far.

    names: the attributes to gather; None is every attribute and every scored word.
    """

    def __init__(self, names: Sequence[str] | None) -> None:
        self.count, self._every = 0, names is None
        self._values: dict[str, list[Attribute]] = {name: [] for name in names or ()}
        self._words: dict[str, WordColumn] = {}

    def add(self, document: Document) -> None:
        """Add the next document."""
        if self._every:
            for name in document.attributes:
                if name not in self._values:
                    self._values[name] = [None] * self.count
            for name, value in document.word_values().items():
                self._words.setdefault(name, WordColumn()).add(self.count, value)
        self.count += 1
        for name, values in self._values.items():
            values.append(document.attributes.get(name))

    def add_to(self, parts: Parts, declared: Mapping[str, Sequence[str]]) -> None:
        """Add the conditions on attributes, then those on words. declared: see `extract`."""
        for name, values in self._values.items():
            parts.add_column(name, values, declared.get(name))
        parts.numeric += [
            column.finish(name, self.count)
            for name, column in self._words.items()
            if name not in self._values
        ]


@dataclass
class Parts:
    """The conditions of each field and attribute, before they are joined.

    simplest: whether the simplest of several equivalent conditions represents them; otherwise the
    first one does.
    """

    simplest: bool
    sources: list[TermSource | CategorySource] = field(default_factory=list)
    lists: list[Lists] = field(default_factory=list)
    unknown: list[list[int]] = field(default_factory=list)
    unknown_list: list[Int32] = field(default_factory=list)
    # the documented order over all conditions
    place: list[Int64] = field(default_factory=list)
    # keys by which conditions are compared for simplicity, most important first (see `merge`)
    simplicity: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    numeric: list[NumericColumn] = field(default_factory=list)

    def add_terms(
        self, name: str, terms: Terms, counts: tuple[int, ...], chosen: NDArray[np.bool_]
    ) -> None:
        """Add the chosen lists of a field. Nothing else may refer to its terms, as there may be so
        many that their arrays are the largest part of the memory.
        """
        listed, lists = terms.listed, terms.conditions
        if not chosen.all():
            listed, lists = listed[chosen], gather(lists, np.flatnonzero(chosen))
        none = listed[:0]
        terms = replace(terms, frequency=none, listed=none, conditions=Lists.of(()))
        t = listed // len(counts)
        span, words = terms.span[t], terms.words[t]
        order = np.take(terms.order, t, out=t, mode="clip")  # in place
        source = TermSource(name, terms.spell, counts, listed)
        del terms
        least = np.array(counts, np.min_scalar_type(counts[-1]))
        at_least = np.empty(len(listed), least.dtype)
        order *= len(counts)
        for first in range(0, len(listed), PIECE):
            some = slice(first, first + PIECE)
            c = listed[some] % len(counts)
            order[some] += c
            at_least[some] = least[c]
        self.simplicity.append((at_least, span, words))
        self._add(source, lists, -1, order)

    def add_column(
        self, name: str, values: list[Attribute], declared: Sequence[str] | None
    ) -> None:
        kind = CATEGORY if declared is not None else column_type(values).kind
        if kind != CATEGORY:
            column = numeric_column(name, values, kind)
            self.numeric += [column] if column else []
            return
        found, unknown = categories(values, declared or ())
        if unknown and unknown not in self.unknown:
            self.unknown.append(unknown)
        which = self.unknown.index(unknown) if unknown else -1
        self._add(
            CategorySource(name, tuple(found)),
            Lists.of(found.values()),
            which,
            np.arange(len(found)),
        )
        one = np.ones(len(found), np.int8)
        self.simplicity.append((one, one, one))

    def _add(
        self, source: TermSource | CategorySource, lists: Lists, unknown: int, order: Int64
    ) -> None:
        before = int(self.place[-1].max()) + 1 if self.place else 0
        self.place.append(order + before if before else order)
        self.sources.append(source)
        self.lists.append(lists)
        self.unknown_list.append(np.broadcast_to(np.int32(unknown), len(source)))

    def matrix(self, documents: int, tokens: int) -> FeatureMatrix:
        """Return all conditions. The parts are freed as they are joined."""
        lists = joined_lists(self.lists)
        self.lists = []
        unknown_list = np.broadcast_to(np.int32(-1), len(lists))
        if self.unknown:
            unknown_list = concatenated(self.unknown_list, np.int32)
        keys = [concatenated(key, np.int8) for key in zip(*self.simplicity, strict=True)]
        keys = keys if self.simplest else []
        self.simplicity = []
        place = concatenated(self.place, np.int64)
        self.place = []
        give_back(len(lists))
        merged = merge(lists, unknown_list, keys, place)
        give_back(len(lists))
        return FeatureMatrix(
            document_count=documents,
            names=LazyNames(self.sources, merged, place),
            yes=gather(lists, merged.representatives),
            unknown_list=unknown_list[merged.representatives],
            unknown=Lists.of(self.unknown),
            numeric=tuple(self.numeric),
            token_count=tokens,
        )


# Terms ---------------------------------------------------------------------------------------

SMALL = 300_000
"""Number of characters up to which plain code is faster than importing numba."""


class Counter(Protocol):
    """Collects the terms of a text field, one text after the other."""

    @property
    def settings(self) -> TextSettings: ...

    def add(self, text: str) -> None: ...

    def finish(self, least: float) -> Terms:
        """Return the terms in at least `least` documents. Call it once, after the last text."""


class TermCounter:
    """A Counter that starts with plain code and switches to kernels if there is much text."""

    def __init__(self, settings: TextSettings, threads: int = 1) -> None:
        self.settings, self._threads = settings, threads
        self._texts: list[str] = []
        self._size = 0
        self._counter: Counter | None = None

    def add(self, text: str) -> None:
        if self._counter is not None:
            self._counter.add(text)
            return
        self._texts.append(text)
        self._size += len(text) + 1
        if self._size > SMALL:
            self._counter = self._begin(many=True)

    def finish(self, least: float) -> Terms:
        return (self._counter or self._begin(many=compiled.loaded())).finish(least)

    def _begin(self, many: bool) -> Counter:
        counter: Counter = PlainCounter(self.settings)
        if many and not compiled.notice():
            # numba is slow to import
            from boostext.features.compiled_terms import CompiledCounter

            counter = CompiledCounter(self.settings, self._threads)
        for text in self._texts:
            counter.add(text)
        self._texts = []
        return counter


# Names of conditions -------------------------------------------------------------------------


@dataclass(frozen=True)
class TermSource:
    """The conditions of one text field, by the number of their list in `Terms.conditions`.

    spell: maps a term number to its tokens.
    """

    field: str
    spell: Callable[[int], Term[str]]
    counts: tuple[int, ...]
    chosen: Int64

    def __len__(self) -> int:
        return len(self.chosen)

    def condition(self, i: int) -> Condition:
        t, c = divmod(int(self.chosen[i]), len(self.counts))
        return Occurs(self.field, self.spell(t), self.counts[c])


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

    def about_letters(self, numbers: Int64) -> NDArray[np.bool_]:
        """Return which of some conditions are about n-grams of letters besides words."""
        of_letters = [
            isinstance(s, TermSource) and s.field.endswith(LETTERS) for s in self._sources
        ]
        places = np.searchsorted(self._ends, self._merged.representatives[numbers], "right")
        return np.array([*of_letters, False])[places]

    def _condition(self, i: int) -> Condition:
        s = bisect_right(self._ends, i)
        return self._sources[s].condition(i - (self._ends[s - 1] if s else 0))
