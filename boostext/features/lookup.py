"""Find the conditions of a model that new documents meet.

Only terms that the model uses are looked up, by walking a tree of them from each token.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from boostext import compiled
from boostext.arrays import Int32, Lists
from boostext.corpus.documents import Attribute, Document
from boostext.features.attributes import category, number
from boostext.features.conditions import Always, AtLeast, Condition, Equals, Occurs
from boostext.features.ngrams import Offsets, Term, only_alone, spread
from boostext.features.tokenizer import Span, Tokenizer
from boostext.settings import TextSettings

if TYPE_CHECKING:
    from boostext.features.lookup_batch import CompiledLookup


SMALL, LARGE = 1_000_000, 30_000_000
"""Numbers of characters up to which kernels do not pay for building arrays and importing numba."""
LONG = 1_000_000
"""Number of characters from which plain code keeps only the tokens that terms have."""
MANY_TOKENS, MANY_SEARCHES = 1000, 12
"""Numbers of tokens and of searches of a text from which all tokens are found at once; searching a
long text for one term after another takes too long if there are many of them.
"""
MOST_FOUND = 10_000
"""Maximum number of occurrences of a term that are shown in one text."""


@dataclass
class Node:
    """A node of the tree. children: step to a further token -> that token -> node.

    term: the number of the term that ends here, -1 for none.
    """

    term: int = -1
    children: dict[int, dict[str, Node]] = field(default_factory=dict)


@dataclass
class TermTree:
    """The known terms of one text field.

    asked: for each term, at_least and the number of each of its conditions. once: words that only
    one condition uses, with that condition. words: other terms of one token. longer: the nodes at
    which walks to terms of several tokens begin. longest: the length in tokens of the longest term.
    longest_step: the largest distance between neighboring tokens of a term.
    """

    settings: TextSettings
    roots: dict[str, Node] = field(default_factory=dict)
    once: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    longer: dict[str, Node] = field(default_factory=dict)
    numbers: dict[Term[str], int] = field(default_factory=dict)
    asked: list[list[tuple[int, int]]] = field(default_factory=list)
    alone: set[int] = field(default_factory=set)
    longest: int = 1
    longest_step: int = 1

    def __post_init__(self) -> None:
        self.tokenizer = Tokenizer(self.settings)

    def add(self, term: Term[str], at_least: int, j: int) -> None:
        tokens = parts(term, self.settings)
        if tokens not in self.numbers:
            self.numbers[tokens] = len(self.asked)
            self.asked.append([])
            self._insert(tokens, self.numbers[tokens])
        self.asked[self.numbers[tokens]].append((at_least, j))
        if len(tokens) == 1:
            self._sort(str(tokens[0]), self.numbers[tokens])

    def _insert(self, tokens: Term[str], t: int) -> None:
        low, high = self.settings.ngrams
        held = [token for token in tokens if token is not None]
        if only_alone(tokens, self.settings.expert, high):
            self.alone.add(t)
        self.longest = max(self.longest, len(held))
        for offsets in spread(tokens, self.settings.expert, low, high):
            node = self.roots.setdefault(held[0], Node())
            for token, (before, here) in zip(held[1:], pairwise(offsets), strict=True):
                self.longest_step = max(self.longest_step, here - before)
                node = node.children.setdefault(here - before, {}).setdefault(token, Node())
            node.term = t
        if len(held) > 1 and held[0] in self.roots:  # otherwise it is longer than the n-grams
            self.longer[held[0]] = self.roots[held[0]]

    def _sort(self, word: str, t: int) -> None:
        (at_least, j), *more = self.asked[t]
        if more or at_least > 1 or t in self.alone:
            self.once.pop(word, None)
            self.words[word] = t
        else:
            self.once[word] = j

    def met(self, text: str) -> list[int]:
        """Return the numbers of the conditions that a text meets."""
        tokens = self.tokenizer.tokens(text) if len(text) < LONG else self._known_tokens(text)
        met = [self.once[token] for token in self.once.keys() & tokens]
        if self.words or self.longer:
            for t, count in self._occurrences(tokens).items():
                if len(tokens) == 1 or t not in self.alone:
                    met += [j for at_least, j in self.asked[t] if count >= at_least]
        return met

    def _known_tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, with "" for each that no term has."""
        known = {token: token for term in self.numbers for token in term if token is not None}
        return [known.get(token, "") for token in self.tokenizer.each(text)]

    def _occurrences(self, tokens: Sequence[str]) -> dict[int, int]:
        """Return how often known terms occur in a text, without those that `once` has."""
        counts = Counter(filter(self.words.__contains__, tokens))
        found = {self.words[token]: count for token, count in counts.items()}
        for i, token in enumerate(tokens) if self.longer else ():
            if token in self.longer:
                for t in _walk(self.longer[token], tokens, i):
                    found[t] = found.get(t, 0) + 1
        return found


def _walk(node: Node, tokens: Sequence[str], i: int) -> Iterator[int]:
    """Yield the terms of several tokens that begin with the token of this node, at position i."""
    ahead = [(node, i)]
    while ahead:
        node, i = ahead.pop()
        for step, nodes in node.children.items():
            if i + step < len(tokens) and tokens[i + step] in nodes:
                further = nodes[tokens[i + step]]
                if further.term >= 0:
                    yield further.term
                ahead.append((further, i + step))


def parts(term: Term[str], settings: TextSettings) -> Term[str]:
    """Return the tokens of a term without gaps at either end; split character n-grams."""
    if settings.analyzer == "char" and term:
        return tuple(term[0] or "")
    held = [place for place, token in enumerate(term) if token is not None]
    return term[held[0] : held[-1] + 1] if held else ()


@dataclass
class Spans:
    """The tokens of a text, and where in it each begins and ends."""

    tokens: list[str] = field(default_factory=list)
    begins: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))
    searches: int = 0

    @staticmethod
    def of(tokenizer: Tokenizer, text: str) -> Spans:
        words = tokenizer.in_place(text)
        if words is None:
            found = Spans()
            for token, start, stop in tokenizer.each_with_span(text):
                found.tokens.append(sys.intern(token))
                found.begins.append(start)
                found.ends.append(stop)
            return found
        is_blank = np.frombuffer(b" %b " % words, np.uint8) == ord(" ")
        edges = np.flatnonzero(is_blank[1:] != is_blank[:-1]).astype(np.uint32)
        begins, ends = (array("I", edges[end::2].tobytes()) for end in range(2))
        return Spans(list(map(sys.intern, words.decode("ascii").split())), begins, ends)

    def indexes(self, token: str) -> Iterator[int]:
        """The indexes of a token. Those of all tokens are found at once if many are asked for."""
        self.searches += 1
        if len(self.tokens) > MANY_TOKENS and self.searches > MANY_SEARCHES:
            yield from self._indexes.get(token, ())
            return
        i = -1
        for _ in range(self.tokens.count(token)):
            i = self.tokens.index(token, i + 1)
            yield i

    @cached_property
    def _indexes(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, token in enumerate(self.tokens):
            found.setdefault(token, []).append(i)
        return found


class ConditionLookup:
    """Find which conditions documents meet, and which are unknown for them.

    Conditions are given by index into `conditions`. A missing attribute is unknown, and so is a
    string for a condition on a number. For a condition on a category, a number stands for the
    category that it spells.
    unknown_categories: whether a missing category is unknown; otherwise it differs from all values.
    """

    def __init__(
        self,
        conditions: Sequence[Condition],
        settings: TextSettings,
        fields: Sequence[str],
        unknown_categories: bool = True,
    ) -> None:
        self.conditions = tuple(conditions)
        self.settings = settings
        self.text_fields = settings.term_fields(fields)
        self.trees = {name: TermTree(settings.of_field(name)) for name in self.text_fields}
        self._values: dict[str, dict[str, list[int]]] = {}
        self._thresholds: dict[str, list[tuple[float, int]]] = {}
        self._asked: dict[str, list[int]] = {}  # column of categories -> its conditions
        self._always: list[int] = []
        self._unknown_categories = unknown_categories
        self._work = 0
        self._last: tuple[str, str, Spans] = ("", "", Spans())
        for j, condition in enumerate(self.conditions):
            self._add(condition, j)
        for thresholds in self._thresholds.values():
            thresholds.sort()

    def _add(self, condition: Condition, j: int) -> None:
        match condition:
            case Occurs(name, term, at_least):
                self._tree(name).add(term, at_least, j)
            case Equals(column, value):
                self._values.setdefault(column, {}).setdefault(value, []).append(j)
                self._asked.setdefault(column, []).append(j)
            case AtLeast(column, threshold):
                self._thresholds.setdefault(column, []).append((threshold, j))
            case Always():
                self._always.append(j)

    def _tree(self, name: str) -> TermTree:
        if name not in self.trees:
            self.trees[name] = TermTree(self.settings.of_field(name))
        return self.trees[name]

    def blocks(self, document: Document) -> tuple[Int32, Int32]:
        """Return the ascending numbers of conditions in block YES, and of those in UNKNOWN."""
        yes, unknown = self._numbers(document)
        return np.array(yes, np.int32), np.array(unknown, np.int32)

    def text_field(self, condition: Occurs) -> str:
        """Return the text field in which a term occurs."""
        return self.text_fields.get(condition.field, condition.field)

    def text_of(self, name: str, document: Document) -> str:
        """Return the text in which terms of this field occur."""
        return document.texts.get(self.text_fields.get(name, name), "")

    def _numbers(self, document: Document) -> tuple[list[int], list[int]]:
        yes, unknown = self.attribute_blocks(document)
        for name, tree in self.trees.items():
            yes += tree.met(self.text_of(name, document))
        return sorted(yes), sorted(unknown)

    def attribute_blocks(self, document: Document) -> tuple[list[int], list[int]]:
        """Return the same for conditions that do not use texts, in no particular order."""
        yes = list(self._always)
        unknown: list[int] = []
        for column, values in self._values.items():
            value = category(document.attributes.get(column))
            if value is None:
                unknown += self._asked[column] if self._unknown_categories else ()
            else:
                yes += values.get(value, ())
        words = document.word_values() if self._thresholds else {}
        for column, thresholds in self._thresholds.items():
            met = _met(thresholds, document.attributes.get(column, words.get(column)))
            (unknown if met is None else yes).extend(
                j for _, j in (thresholds if met is None else thresholds[:met])
            )
        return yes, unknown

    def expect(self, characters: int) -> None:
        """Tell how much text `batch` will get in all, so that it need not wait for it to pay."""
        self._work += characters

    def batch(self, documents: Iterable[Document], threads: int = 1) -> tuple[Lists, Lists]:
        """Return `blocks` of many documents as lists of YES and of UNKNOWN, one per document.

        Kernels are used if there is enough text for them to be faster.
        """
        documents = list(documents)
        each = list(map(self._plain_work, documents))
        worth = False
        self._work += sum(each)
        several = len(each) > 1 or max(each, default=0) > LONG
        if several and self._work > (SMALL if compiled.loaded() else LARGE):
            worth = not compiled.notice()
        if worth:
            return self._compiled.blocks(documents, threads)
        pairs = [self._numbers(document) for document in documents]
        return Lists.of(yes for yes, _ in pairs), Lists.of(unknown for _, unknown in pairs)

    def _plain_work(self, document: Document) -> int:
        """Estimate the cost of plain code, four times as high for n-grams and non-ASCII text."""
        return sum(
            len(text) if name in self._of_words and text.isascii() else 4 * len(text)
            for name, text in document.texts.items()
        )

    @cached_property
    def _of_words(self) -> frozenset[str]:
        """The text fields in which only single words are looked up."""
        longer = {self.text_fields.get(n, n) for n, tree in self.trees.items() if tree.longer}
        return frozenset(self.text_fields.get(n, n) for n in self.trees) - longer

    @cached_property
    def _compiled(self) -> CompiledLookup:
        from boostext.features.lookup_batch import CompiledLookup

        return CompiledLookup(self)

    def _tokens(self, name: str, text: str) -> Spans:
        """Return tokens with spans; those of the last text are cached, to explain many terms."""
        if self._last[:2] != (name, text):
            found = Spans.of(self._tree(name).tokenizer, text)
            self._last = (name, text, found)
        return self._last[2]

    def find(self, document: Document, condition: Condition) -> list[Span]:
        """Return where a term occurs in the original text, as (start, end) of each run of tokens.

        `a ? c` has two runs per occurrence. The list is empty for conditions on attributes, and has
        no more than the first MOST_FOUND occurrences.
        """
        if not isinstance(condition, Occurs):
            return []
        tree = self._tree(condition.field)
        found = self._tokens(condition.field, document.texts.get(self.text_field(condition), ""))
        term = parts(condition.term, tree.settings)
        low, high = tree.settings.ngrams
        if len(found.tokens) != 1 and only_alone(term, tree.settings.expert, high):
            return []
        spans: set[Span] = set()
        for offsets in spread(term, tree.settings.expert, low, high):
            for i in islice(_places(found, term, offsets), MOST_FOUND):
                spans.update(
                    (found.begins[i + first], found.ends[i + last])
                    for first, last in _runs(offsets)
                )
        return sorted(span for span in spans if span[1] > span[0])


def _places(spans: Spans, term: Term[str], offsets: Offsets) -> Iterator[int]:
    """Yield the index of the first token of each occurrence of the term."""
    first, *others = (token for token in term if token is not None)
    rest, tokens = list(zip(offsets[1:], others, strict=True)), spans.tokens
    for i in spans.indexes(first):
        if i + offsets[-1] < len(tokens) and all(tokens[i + at] == token for at, token in rest):
            yield i


def _runs(offsets: Offsets) -> Iterator[Span]:
    """Yield the first and last position of each contiguous run: (0, 1, 3) has 0-1 and 3-3."""
    first = before = offsets[0]
    for offset in offsets[1:]:
        if offset != before + 1:
            yield first, before
            first = offset
        before = offset
    yield first, before


def _met(thresholds: Sequence[tuple[float, int]], value: Attribute) -> int | None:
    """Count the ascending thresholds that the value reaches; None if the value is unknown."""
    known = number(value)
    return None if known != known else bisect_right(thresholds, known, key=lambda pair: pair[0])
