"""Form the n-grams of a document from its tokens, in plain code, and plan this for kernels.

Each function in EXPERTS yields every occurrence, in the order in which the terms of a corpus are
numbered: by the position of the first token; at one position shorter spans first, then those with
more gaps, compared from the left (`a`, `a b`, `a ? c`, `a b c`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import TypeVar

from boostext.settings import TextSettings

Token = TypeVar("Token")
Term = tuple[Token | None, ...]
Offsets = tuple[int, ...]


def ngrams(tokens: Sequence[Token], low: int, high: int) -> Iterator[Term[Token]]:
    """Yield all runs of low to high tokens. For a b c and 1-2: a, a b, b, b c, c."""
    for start in range(len(tokens)):
        for stop in range(start + low, min(start + high, len(tokens)) + 1):
            yield tuple(tokens[start:stop])


def full_ngrams(tokens: Sequence[Token], low: int, high: int) -> Iterator[Term[Token]]:
    """Yield all runs of exactly high tokens; a text of one token keeps it, as icsiboost's fgram."""
    yield from ngrams(tokens, *((1, 1) if len(tokens) == 1 else (high, high)))


def sparse_ngrams(tokens: Sequence[Token], low: int, high: int) -> Iterator[Term[Token]]:
    """Yield all patterns of tokens and gaps (None) that span low to high positions, tokens at ends.

    For a b c and 1-3: a, a b, a ? c, a b c, b, b c, c. Source: BT00, sparse n-grams.
    """
    patterns = sparse_patterns(low, high)
    for start in range(len(tokens)):
        for pattern in patterns:
            if start + pattern[-1] < len(tokens):
                yield tuple(
                    tokens[start + offset] if offset in pattern else None
                    for offset in range(pattern[-1] + 1)
                )


def ordered_pairs(tokens: Sequence[Token], low: int, high: int) -> Iterator[Term[Token]]:
    """Yield tokens, and pairs of tokens less than high positions apart, without marking the gap.

    For a b c and 1-3: a, a b, a c, b, b c, c. low: the least span. Source: icsiboost's sgram.
    """
    for start, token in enumerate(tokens):
        if low == 1:
            yield (token,)
        for span in range(max(low, 2), high + 1):
            if start + span <= len(tokens):
                yield (token, tokens[start + span - 1])


def sparse_patterns(low: int, high: int) -> list[Offsets]:
    """Return positions of tokens: sparse_patterns(1, 3) is [(0,), (0, 1), (0, 2), (0, 1, 2)]."""
    found: list[Offsets] = [(0,)] if low == 1 else []
    for span in range(max(low, 2), high + 1):
        for inner in product((0, 1), repeat=span - 2):
            held = (1, *inner, 1)
            found.append(tuple(offset for offset in range(span) if held[offset]))
    return found


def spread(term: Term[str], expert: str, low: int, high: int) -> list[Offsets]:
    """Return the possible positions of a term's tokens, relative to the first: a ? c has (0, 2).

    Only a pair of `ordered_pairs` has several.
    """
    if expert == "icsi-sparse" and len(term) == 2:
        return [(0, span - 1) for span in range(max(low, 2), high + 1)]
    held = [offset for offset, token in enumerate(term) if token is not None]
    return [tuple(offset - held[0] for offset in held)] if held else []


def only_alone(term: Term[str], expert: str, high: int) -> bool:
    """Whether the term only counts in texts of a single token (see `full_ngrams`)."""
    return expert == "full" and high > 1 and len(term) == 1


EXPERTS: dict[str, Callable[[Sequence[Token], int, int], Iterator[Term[Token]]]] = {
    "ngram": ngrams,
    "full": full_ngrams,
    "sparse": sparse_ngrams,
    "icsi-sparse": ordered_pairs,
}


# Order of counting ---------------------------------------------------------------------------
#
# An n-gram is formed from two shorter ones that were counted before it. A term can occur in min_df
# documents only if the term without its last token and the term without its first token do. Each
# step therefore joins the remaining terms of two earlier steps.

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
