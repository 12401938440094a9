"""Combine groups of counted terms into `Terms`, whose strings are only created when needed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from boostext.arrays import Int64
from boostext.features.counting import LOW, Group
from boostext.features.levels import ONE, ranks
from boostext.features.merge import joined_lists
from boostext.features.ngrams import Offsets, Term
from boostext.features.terms import Terms, as_term
from boostext.features.token_numbers import Numbering
from boostext.settings import TextSettings


class Spelling:
    """Maps term numbers, counted over all kept groups in order, to tokens."""

    def __init__(
        self, groups: Sequence[Group], numbering: Numbering, settings: TextSettings
    ) -> None:
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
        order=np.concatenate([_order(group, ranks(settings)) for group in kept]),
        span=np.repeat(spans, sizes).astype(np.int32),
        words=np.repeat(words, sizes).astype(np.int32),
        frequency=np.concatenate([group.frequency for group in kept]),
        conditions=joined_lists([group.conditions for group in kept]),
        tokens=tokens,
        distinct=numbering.known(),
    )


def _order(group: Group, ranks: int) -> Int64:
    place, layer = np.divmod(group.first, len(group.step.shifts))
    order: Int64 = place * ranks + np.array(group.step.rank, np.int64)[layer]
    return order
