"""The terms of one text field over all documents, before they are filtered and merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.features.ngrams import EXPERTS, Term
from boostext.features.tokenizer import Tokenizer
from boostext.settings import TextSettings


@dataclass(frozen=True)
class Terms:
    """T terms that occur in at least min_df documents.

    spell: term number -> its tokens. order: (T,) by first occurrence (see `ngrams`). span, words:
    (T,) places and tokens of each. frequency: (T,) documents. conditions: T * C lists of
    documents; list t * C + c holds those with term t at least counts[c] times. tokens: read in all;
    distinct: of them, different ones.
    """

    spell: Callable[[int], Term[str]]
    order: Int64
    span: Int32
    words: Int32
    frequency: Int64
    conditions: Lists
    tokens: int
    distinct: int

    def __len__(self) -> int:
        return len(self.frequency)


@dataclass
class PlainCounter:
    """Collects the terms of a field, one text after the other; the reference of the kernels."""

    settings: TextSettings
    documents: int = 0
    tokens: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    # term, as token numbers -> document, occurrences, document, occurrences ...
    _found: dict[Term[int], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tokenizer = Tokenizer(self.settings)

    def add(self, text: str) -> None:
        tokens = self._tokenizer.tokens(text)
        numbers = [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]
        occurrences: dict[Term[int], int] = {}
        for term in EXPERTS[self.settings.expert](numbers, *self.settings.ngrams):
            occurrences[term] = occurrences.get(term, 0) + 1
        for term, count in occurrences.items():
            self._found.setdefault(term, []).extend((self.documents, count))
        self.documents += 1
        self.tokens += len(tokens)

    def finish(self, least: float) -> Terms:
        """The terms in at least so many documents."""
        found = {term: pairs for term, pairs in self._found.items() if len(pairs) // 2 >= least}
        counts = self.settings.counts
        lists = (_at_least(pairs, count) for pairs in found.values() for count in counts)
        tokens = list(self._numbers)
        terms = list(found)
        return Terms(
            spell=partial(_spelled, terms, tokens, self.settings.analyzer == "char"),
            order=np.arange(len(terms), dtype=np.int64),
            span=np.array([len(term) for term in terms], np.int32),
            words=np.array([len(term) - term.count(None) for term in terms], np.int32),
            frequency=np.array([len(pairs) // 2 for pairs in found.values()], np.int64),
            conditions=Lists.of(lists),
            tokens=self.tokens,
            distinct=len(tokens),
        )


def _at_least(pairs: list[int], count: int) -> list[int]:
    """Documents with so many occurrences."""
    return [d for d, n in zip(pairs[::2], pairs[1::2], strict=True) if n >= count]


def _spelled(terms: list[Term[int]], tokens: list[str], characters: bool, t: int) -> Term[str]:
    term = tuple(None if number is None else tokens[number] for number in terms[t])
    return as_term(term, characters)


def as_term(tokens: Term[str], characters: bool) -> Term[str]:
    """A character n-gram is one token."""
    return ("".join(token or "" for token in tokens),) if characters else tokens


def least_documents(settings: TextSettings, documents: int) -> float:
    """min_df as a number of documents; a term in no document never counts."""
    share = isinstance(settings.min_df, float)
    return max(1.0, settings.min_df * documents if share else settings.min_df)


def most_documents(settings: TextSettings, documents: int) -> float:
    """max_df as a number of documents."""
    return settings.max_df * documents if isinstance(settings.max_df, float) else settings.max_df
