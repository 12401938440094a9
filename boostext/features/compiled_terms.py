"""Count the terms of a text field with compiled kernels; equivalent to `terms.PlainCounter`.

Texts are converted to token numbers as they are added; n-grams are then formed from these numbers,
level by level. No string is stored per occurrence; the strings of terms are only created when they
are needed. Memory grows with the terms that pass min_df, their postings, and the spool of
`counting.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import accumulate

import numpy as np

from boostext.arrays import Int32, Int64, concatenated, give_back
from boostext.features.counting import LOW, NO_DOCUMENTS, Group, Spool, Stream, count_terms
from boostext.features.merge import joined_lists
from boostext.features.ngrams import ONE, Offsets, Term
from boostext.features.terms import Terms, as_term
from boostext.features.token_numbers import Numbered, Numbering, numbering
from boostext.settings import TextSettings

BATCH = 1 << 20
"""Number of characters that are converted to token numbers together."""


class CompiledCounter:
    """Collects the terms of a text field, one text after the other."""

    def __init__(self, settings: TextSettings, threads: int = 1) -> None:
        self.settings = settings
        self._threads = threads
        self._numbering = numbering(settings)
        self._spool = Spool()
        self._sizes: list[Int64] = []
        self._texts: list[str] = []
        self._waiting = 0
        # subtle: a single worker, so that batches are numbered in the order in which they are added
        self._worker = ThreadPoolExecutor(1) if threads > 1 else None
        self._running: Future[Numbered] | None = None

    def add(self, text: str) -> None:
        self._texts.append(text)
        self._waiting += len(text) + 1
        if self._waiting >= BATCH:
            self._number()

    def _number(self) -> None:
        work = self._numbering.prepare(self._texts)
        self._texts, self._waiting = [], 0
        if self._worker is None:
            self._keep(*work())
        else:
            self._collect()
            self._running = self._worker.submit(work)

    def _collect(self) -> None:
        if self._running is not None:
            self._keep(*self._running.result())
            self._running = None

    def _keep(self, numbers: Int32, sizes: Int64) -> None:
        self._spool.append(numbers)
        self._sizes.append(sizes)

    def finish(self, least: float) -> Terms:
        """Return the terms that occur in at least `least` documents."""
        self._number()
        self._collect()
        if self._worker is not None:
            self._worker.shutdown()
        self._numbering.finish()
        sizes = np.concatenate(self._sizes)
        tokens = self._spool.finish()
        give_back(self._numbering.known())
        groups = count_terms(
            Stream(tokens, np.cumsum(sizes, dtype=np.int64)),
            self.settings,
            self._numbering.known(),
            least,
            self._threads,
        )
        return joined(groups, self._numbering, self.settings, len(tokens))


class Spelling:
    """Maps term numbers, counted over all kept groups in order, to tokens."""

    def __init__(
        self, groups: Sequence[Group], numbering: Numbering, settings: TextSettings
    ) -> None:
        none = np.zeros(0, np.int64)  # only the keys are needed
        groups = [
            replace(group, order=none, frequency=none, documents=NO_DOCUMENTS) for group in groups
        ]
        self._kept = [group for group in groups if group.step.kept]
        self._ends = list(accumulate(len(group.keys) for group in self._kept))
        # the groups that longer terms refer to; of two with single tokens, the later is complete
        self._parts = {group.step.places: group for group in groups}
        self._numbering = numbering
        self._characters = settings.analyzer == "char"

    def __call__(self, t: int) -> Term[str]:
        g = bisect_right(self._ends, t)
        group = self._kept[g]
        tokens = self._tokens(group, t - (self._ends[g - 1] if g else 0))
        places = group.step.places
        term: list[str | None] = [None] * (places[-1] + 1)
        for place, token in zip(places, tokens, strict=True):
            term[place] = self._numbering.token(token)
        return as_term(tuple(term), self._characters)

    def _tokens(self, group: Group, t: int) -> list[int]:
        """Return the token numbers, which are found from the last to the first."""
        tokens: list[int] = []
        while group.step.places != ONE:
            left, right = divmod(int(group.keys[t]), LOW + 1)
            tokens.append(self._last(group.step.right, right))
            group, t = self._parts[group.step.left], left
        return [int(group.keys[t]), *reversed(tokens)]

    def _last(self, places: Offsets, t: int) -> int:
        while places != ONE:
            group = self._parts[places]
            t = int(group.keys[t]) & LOW
            places = group.step.right
        return int(self._parts[ONE].keys[t])


def joined(
    groups: Sequence[Group], numbering: Numbering, settings: TextSettings, tokens: int
) -> Terms:
    """Return the kept groups as the terms of a field with `tokens` tokens."""
    kept = [group for group in groups if group.step.kept]
    sizes = [len(group.keys) for group in kept]
    spans = [group.step.places[-1] + 1 for group in kept]
    words = [len(group.step.places) for group in kept]
    return Terms(
        spell=Spelling(groups, numbering, settings),
        order=concatenated([group.order for group in kept], np.int64),
        span=np.repeat(np.array(spans, np.int16), sizes),
        words=np.repeat(np.array(words, np.int16), sizes),
        frequency=concatenated([group.frequency for group in kept], np.int64),
        listed=_numbers(kept, len(settings.counts), "listed"),
        equal=_numbers(kept, len(settings.counts), "equal"),
        conditions=joined_lists([group.documents.lists for group in kept]),
        tokens=tokens,
        distinct=numbering.known(),
    )


def _numbers(groups: Sequence[Group], counts: int, name: str) -> Int64:
    """Return `listed` or `equal` of all groups, with the terms counted over all of them."""
    before = accumulate((len(group.keys) * counts for group in groups), initial=0)
    parts: list[Int64] = []
    for group, start in zip(groups, before, strict=False):
        numbers = getattr(group.documents, name)
        parts.append(numbers + start if start else numbers)
    return concatenated(parts, np.int64)
