"""The tree of known terms as arrays, walked by a kernel; equivalent to `lookup.TermTree`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from boostext.arrays import Int32, Int64, Lists
from boostext.corpus.documents import Document
from boostext.features.lookup import ConditionLookup, Node, TermTree
from boostext.features.text_kernels import grow_pairs, kernel, walk
from boostext.features.token_numbers import Numbered, numbering

BATCH = 1 << 20
"""Number of characters that are processed together."""
LONGEST_STEP, LONGEST_TERM = 62, 500
"""Steps are bits of a number and the tree is built by recursion; larger trees use plain code."""

Met = tuple[Int32, Int64]
"""Numbers of conditions by document, unordered within it; and their count for each document."""
Pairs = tuple[Int64, Int64]
"""Documents and, for each, a condition."""


@dataclass
class _Rows:
    """Converts a tree to the rows of the arrays that the kernel `walk` takes."""

    tokens: dict[str, int]
    nodes: list[tuple[int, int, bool]]
    edges: list[tuple[int, int]]
    longest: int = 1

    def add(self, node: Node, alone: set[int], depth: int = 1) -> int:
        """Add a node, followed by its children, and return its number."""
        number = len(self.nodes)
        steps = sum(1 << step for step in node.children)
        self.nodes.append((node.term, steps, node.term in alone))
        self.longest = max(self.longest, depth)
        for step, children in node.children.items():
            for token, child in children.items():
                key = (number * 64 + step) << 32 | self.tokens.setdefault(token, len(self.tokens))
                self.edges.append((key, self.add(child, alone, depth + 1)))
        return number


class TreeArrays:
    """Finds the conditions of a tree in many texts."""

    def __init__(self, tree: TermTree) -> None:
        tokens: dict[str, int] = {}
        self._rows = _Rows(tokens, [], [])
        roots = {
            tokens.setdefault(token, len(tokens)): self._rows.add(node, tree.alone)
            for token, node in tree.roots.items()
        }
        self._roots = np.full(max(len(tokens), 1), -1, np.int32)
        self._roots[list(roots)] = list(roots.values())
        self._nodes = np.array(self._rows.nodes, np.int64).reshape(-1)
        self._edges = _table(self._rows.edges)
        asked = [[(max(n, 1), j) for n, j in pairs] for pairs in tree.asked]
        self._asked = np.cumsum([0, *map(len, asked)], dtype=np.int64)
        self._conditions = np.array([pair for pairs in asked for pair in pairs], np.int64).ravel()
        # leave out tokens that no text can have, because the tokenizer would split them
        possible = {token: n for token, n in tokens.items() if tree.tokenizer.is_token(token)}
        self._numbering = numbering(tree.settings, tuple(possible))
        self._number = np.array([*possible.values(), -1], np.int32)

    def prepare(self, texts: Sequence[str]) -> Callable[[], Met]:
        """Return a function that does the rest of the work and may run in any thread."""
        number = self._numbering.prepare(texts)
        return lambda: self._walk(number())

    def _walk(self, numbered: Numbered) -> Met:
        tokens, sizes = numbered
        for start in range(0, len(tokens), BATCH):  # an index array is twice as large
            tokens[start : start + BATCH] = self._number[tokens[start : start + BATCH]]
        ends = np.cumsum(sizes, dtype=np.int64)
        stack = np.zeros(3 * self._rows.longest, np.int64)
        seen = np.full(len(self._asked) - 1, -1, np.int64)
        counts, state = np.zeros(len(sizes), np.int64), np.zeros(3, np.int64)
        out = np.zeros(len(self._conditions) + 20 * len(sizes), np.int32)
        while True:
            kernel(walk)(
                tokens,
                ends,
                self._roots,
                self._nodes,
                self._edges,
                self._asked,
                self._conditions,
                stack,
                seen,
                out,
                counts,
                state,
            )
            if state[1] == len(ends):
                return out[: state[2]], counts
            out = np.append(out, np.zeros_like(out))


def _table(edges: Sequence[tuple[int, int]]) -> Int64:
    """Return the edges as a hash table in the form that `join` uses."""
    size = 1 << (2 * len(edges) + 1).bit_length()
    table = np.full(2 * size, -1, np.int64)
    kernel(grow_pairs)(np.array([(-1, -1), *edges], np.int64).ravel(), table)
    return table


class CompiledLookup:
    """`ConditionLookup.blocks` for many documents at once."""

    def __init__(self, lookup: ConditionLookup) -> None:
        self._lookup = lookup
        trees = {name: tree for name, tree in lookup.trees.items() if tree.asked}
        self._fields = {name: TreeArrays(tree) for name, tree in trees.items() if _fits(tree)}
        self._plain = {name: tree for name, tree in trees.items() if name not in self._fields}

    def blocks(self, documents: Sequence[Document], threads: int) -> tuple[Lists, Lists]:
        """Return lists of the conditions in block YES and in block UNKNOWN, one per document."""
        yes, unknown = self._plainly(documents)
        jobs = self._jobs(documents)
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                yes += [task.result() for task in [pool.submit(job) for job in jobs]]
        else:
            yes += [job() for job in jobs]
        size = len(documents), len(self._lookup.conditions)
        return _lists(yes, *size), _lists(unknown, *size)

    def _jobs(self, documents: Sequence[Document]) -> Iterator[Callable[[], Pairs]]:
        for first, stop in _groups(documents):
            for name, arrays in self._fields.items():
                texts = [self._lookup.text_of(name, d) for d in documents[first:stop]]
                yield partial(_pairs, arrays.prepare(texts), first)

    def _plainly(self, documents: Sequence[Document]) -> tuple[list[Pairs], list[Pairs]]:
        """Look up what the kernels do not support: attributes, and terms of unusual length."""
        yes, unknown = [], []
        for d, document in enumerate(documents):
            met, missing = self._lookup.attribute_blocks(document)
            for name, tree in self._plain.items():
                met += tree.met(self._lookup.text_of(name, document))
            yes += [(d, j) for j in met]
            unknown += [(d, j) for j in missing]
        return [_columns(yes)], [_columns(unknown)]


def _fits(tree: TermTree) -> bool:
    return tree.longest <= LONGEST_TERM and tree.longest_step <= LONGEST_STEP


def _groups(documents: Sequence[Document]) -> Iterator[tuple[int, int]]:
    """Yield ranges of documents with about BATCH characters each."""
    first = size = 0
    for d, document in enumerate(documents):
        size += sum(map(len, document.texts.values()))
        if size >= BATCH or d + 1 == len(documents):
            yield first, d + 1
            first, size = d + 1, 0


def _pairs(work: Callable[[], Met], first: int) -> Pairs:
    conditions, counts = work()
    return np.repeat(np.arange(first, first + len(counts)), counts), conditions.astype(np.int64)


def _columns(pairs: list[tuple[int, int]]) -> Pairs:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _lists(parts: Sequence[Pairs], documents: int, conditions: int) -> Lists:
    """Return one ascending list per document."""
    keys = np.sort(np.concatenate([d * conditions + j for d, j in parts]))
    document, items = np.divmod(keys, max(conditions, 1))
    starts = np.searchsorted(document, np.arange(documents + 1))
    return Lists(starts.astype(np.int64), items.astype(np.int32))
