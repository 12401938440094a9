"""The order in which n-grams are counted: each is formed from two shorter ones counted before it.

A term can occur in min_df documents only if the term without its last token and the term without
its first token do. Each step therefore joins the remaining terms of two earlier steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from boostext.features.ngrams import Offsets, sparse_patterns
from boostext.settings import TextSettings

ONE: Offsets = (0,)


@dataclass(frozen=True)
class Step:
    """Terms with tokens at `places`, formed from a term at `left` and one further on at `right`.

    shifts: the distance between the two; several if the gap is not marked. kept: whether the terms
    become conditions; otherwise they only help to form longer terms. rank: for each shift, the
    order among the terms at the same position.
    """

    places: Offsets
    left: Offsets
    right: Offsets
    shifts: tuple[int, ...]
    rank: tuple[int, ...]
    kept: bool = True


def steps(settings: TextSettings) -> list[list[Step]]:
    """Return the steps beyond single tokens by number of tokens; each list may run in parallel."""
    low, high = settings.ngrams
    if settings.expert == "icsi-sparse":
        spans = tuple(range(max(low, 2), high + 1))
        pairs = Step((0, 1), ONE, ONE, tuple(span - 1 for span in spans), spans)
        return [[pairs]] if spans else []
    patterns = sparse_patterns(1, high) if settings.expert == "sparse" else _runs(high)
    made = [
        Step(p, p[:-1], tuple(at - p[1] for at in p[1:]), (p[1],), (rank,), p[-1] + 1 >= low)
        for rank, p in enumerate(patterns)
        if len(p) > 1
    ]
    if settings.expert == "full":
        made = [_only(step, step.places[-1] + 1 == high) for step in made]
    made.sort(key=lambda step: len(step.places))
    return [list(group) for _, group in groupby(made, key=lambda step: len(step.places))]


def ranks(settings: TextSettings) -> int:
    """Return an upper bound on the number of terms at one position; all ranks are below it."""
    return 2 ** settings.ngrams[1] if settings.expert == "sparse" else settings.ngrams[1] + 1


def keeps_tokens(settings: TextSettings) -> bool:
    """Whether single tokens are conditions. For the expert `full`, see `only_alone`."""
    low, high = settings.ngrams
    return high == 1 or (low == 1 if settings.expert != "full" else True)


def _runs(high: int) -> list[Offsets]:
    return [tuple(range(length)) for length in range(1, high + 1)]


def _only(step: Step, kept: bool) -> Step:
    return Step(step.places, step.left, step.right, step.shifts, step.rank, kept)
