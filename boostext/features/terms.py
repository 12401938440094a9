"""The terms of one text field over all documents, before they are filtered and merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from boostext.arrays import Int16, Int64, Lists
from boostext.features.ngrams import EXPERTS, Term
from boostext.features.tokenizer import Tokenizer
from boostext.settings import TextSettings


@dataclass(frozen=True)
class Terms:
    """T terms that occur in at least min_df documents.

    spell: maps a term number to its tokens. order: (T,), by first occurrence (see `ngrams`). span,
    words: (T,), the number of positions and of tokens of each term. frequency: (T,), the number of
    documents. listed: numbers t * C + c in any order. conditions: for each of them, the list of the
    documents with term t at least counts[c] times. Lists of no documents are left out, and lists
    that are equal to that of the next lower count, whose ascending numbers are in `equal`. tokens:
    the number of all tokens read. distinct: the number of distinct tokens.
    """

    spell: Callable[[int], Term[str]]
    order: Int64
    span: Int16
    words: Int16
    frequency: Int64
    listed: Int64
    equal: Int64
    conditions: Lists
    tokens: int
    distinct: int

    def __len__(self) -> int:
        return len(self.frequency)


@dataclass
class PlainCounter:
    """Collects the terms of a field from one text after the other; the reference for kernels."""

    settings: TextSettings
    documents: int = 0
    tokens: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    # maps a term, as token numbers, to document, occurrences, document, occurrences ...
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
        """Return the terms that occur in at least `least` documents."""
        found = {term: pairs for term, pairs in self._found.items() if len(pairs) // 2 >= least}
        counts = self.settings.counts
        listed, equal, lists, before = [], [], [], 0
        every = ((pairs, count) for pairs in found.values() for count in counts)
        for number, (pairs, count) in enumerate(every):
            documents = _at_least(pairs, count)
            if number % len(counts) and documents and len(documents) == before:
                equal.append(number)
            elif documents:
                listed.append(number)
                lists.append(documents)
            before = len(documents)
        tokens = list(self._numbers)
        terms = list(found)
        return Terms(
            spell=partial(_spelled, terms, tokens, self.settings.analyzer == "char"),
            order=np.arange(len(terms), dtype=np.int64),
            span=np.array([len(term) for term in terms], np.int16),
            words=np.array([len(term) - term.count(None) for term in terms], np.int16),
            frequency=np.array([len(pairs) // 2 for pairs in found.values()], np.int64),
            listed=np.array(listed, np.int64),
            equal=np.array(equal, np.int64),
            conditions=Lists.of(lists),
            tokens=self.tokens,
            distinct=len(tokens),
        )


def _at_least(pairs: list[int], count: int) -> list[int]:
    """Return the documents with at least `count` occurrences."""
    return [d for d, n in zip(pairs[::2], pairs[1::2], strict=True) if n >= count]


def _spelled(terms: list[Term[int]], tokens: list[str], characters: bool, t: int) -> Term[str]:
    term = tuple(None if number is None else tokens[number] for number in terms[t])
    return as_term(term, characters)


def as_term(tokens: Term[str], characters: bool) -> Term[str]:
    """Join the tokens of a character n-gram into one token."""
    return ("".join(token or "" for token in tokens),) if characters else tokens


def least_documents(settings: TextSettings, documents: int) -> float:
    """Return min_df as a number of documents, which is at least one."""
    share = isinstance(settings.min_df, float)
    return max(1.0, settings.min_df * documents if share else settings.min_df)


def most_documents(settings: TextSettings, documents: int) -> float:
    """Return max_df as a number of documents."""
    return settings.max_df * documents if isinstance(settings.max_df, float) else settings.max_df
