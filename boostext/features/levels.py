"""In which order n-grams are counted: each from two shorter ones that are counted before.

A term can be in min_df documents only if the term without its last token and the term without its
first are; so a step joins the survivors of two earlier steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from boostext.features.ngrams import Offsets, sparse_patterns
from boostext.settings import TextSettings

ONE: Offsets = (0,)


@dataclass(frozen=True)
class Step:
    """Terms whose tokens stand at `places`: those at `left` here, with those at `right` further on.

    shifts: how much further; several where the gap is not marked. kept: whether they become
    conditions, or only help to make longer ones. rank: order among terms at the same position,
    one for each shift.
    """

    places: Offsets
    left: Offsets
    right: Offsets
    shifts: tuple[int, ...]
    rank: tuple[int, ...]
    kept: bool = True


def steps(settings: TextSettings) -> list[list[Step]]:
    """The steps beyond single tokens, by number of tokens: those of a list may run at once."""
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
    """How many terms, at most, begin at one position: ranks are below."""
    return 2 ** settings.ngrams[1] if settings.expert == "sparse" else settings.ngrams[1] + 1


def keeps_tokens(settings: TextSettings) -> bool:
    """Whether single tokens are conditions (for `full`: see `only_alone`)."""
    low, high = settings.ngrams
    return high == 1 or (low == 1 if settings.expert != "full" else True)


def _runs(high: int) -> list[Offsets]:
    return [tuple(range(length)) for length in range(1, high + 1)]


def _only(step: Step, kept: bool) -> Step:
    return Step(step.places, step.left, step.right, step.shifts, step.rank, kept)
