"""Highlighting of words in a text, as pieces for HTML that never split a visible character."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from boostext.reports.escape import REPLACEMENT
from boostext.reports.layout import clusters


@dataclass(frozen=True)
class Mark:
    """A span of the original text to highlight, in characters, with its votes for a label."""

    start: int
    end: int
    votes: float = 0.0


@dataclass(frozen=True)
class Piece:
    """A piece of text that is safe to display.

    marked: whether it is highlighted. votes: sum of the votes of all marks that cover it.
    """

    text: str
    marked: bool = False
    votes: float = 0.0


def marked_pieces(text: str, marks: Iterable[Mark], room: int = 1 << 40) -> list[Piece]:
    """Split a text into marked and unmarked pieces.

    Marks are extended to whole grapheme clusters, so that accents, vowel signs and parts of emoji
    are never separated. The votes of overlapping marks are added.

    room: approximate number of characters to show. Longer texts are reduced to the surroundings of
    the marks with the largest absolute votes, and "…" stands for the omitted parts.
    """
    kept = list(marks)
    pieces: list[Piece] = []
    before = 0
    for start, end in _windows(len(text), kept, room):
        if start > before:
            pieces.append(Piece("… "))
        pieces += _pieces(text, start, end, kept)
        before = end
    if before < len(text):
        pieces.append(Piece(" …"))
    return pieces


def _windows(length: int, marks: Sequence[Mark], room: int) -> Iterator[tuple[int, int]]:
    """Yield the spans to show: all of the text, its beginning, or the surroundings of marks."""
    if length <= room:
        yield 0, length
        return
    if not marks:
        yield 0, room
        return
    loud = sorted(marks, key=lambda mark: (-abs(mark.votes), mark.start))
    wide = max(room // min(len(loud), 3), 40)
    around = sorted(
        (max(0, mark.start - wide // 3), min(length, mark.start + wide)) for mark in loud[:3]
    )
    start, end = around[0]
    for first, last in around[1:]:
        if first <= end:
            end = max(end, last)
            continue
        yield start, end
        start, end = first, last
    yield start, end


def _pieces(text: str, start: int, end: int, marks: Sequence[Mark]) -> Iterator[Piece]:
    """Yield the pieces of text[start:end], which is extended to whole grapheme clusters."""
    low, high = max(0, start - 64), min(len(text), end + 64)
    edges: Sequence[int] = range(low, high + 1)
    if not text[low:high].isascii():  # in ASCII, every character is a cluster
        edges = list(accumulate((len(c) for c in clusters(text[low:high])), initial=low))
    first, last = _down(edges, start), _up(edges, end)
    inside = [m for m in marks if m.start < last and m.end > first and m.end > m.start]
    spans = [
        (max(_down(edges, m.start), first), min(_up(edges, m.end), last), m.votes) for m in inside
    ]
    cuts = sorted({first, last, *(s for s, _, _ in spans), *(e for _, e, _ in spans)})
    for a, b in pairwise(cuts):
        over = [votes for s, e, votes in spans if s <= a and b <= e]
        yield Piece(showable(text[a:b]), bool(over), sum(over))


def _down(edges: Sequence[int], place: int) -> int:
    return edges[max(bisect_right(edges, place) - 1, 0)]


def _up(edges: Sequence[int], place: int) -> int:
    return edges[min(bisect_left(edges, place), len(edges) - 1)]


_SPACES = frozenset("\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def showable(text: str) -> str:
    """Replace characters that could disturb the display, one by one, so the length stays the same.

    White space becomes spaces, and control characters, including those for text direction, become
    U+FFFD. Joiners are kept, because Persian, Hindi and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_SHOWN)


def _character(char: str) -> str:
    if char in _SPACES:
        return " "
    if char in "\u200c\u200d" or char.isprintable():
        return char
    if "\U000e0020" <= char <= "\U000e007f":  # tags, as in the flag of Wales
        return char
    harmful = unicodedata.category(char) in ("Cc", "Cs") or char in _TURNING
    return REPLACEMENT if harmful else char


class _Shown(dict[int, str]):
    """How each character is shown; an argument of `str.translate`, which adds what it needs."""

    def __missing__(self, code: int) -> str:
        shown = _character(chr(code))
        if len(self) < MOST_SHOWN:
            self[code] = shown
        return shown


_SHOWN = _Shown()
MOST_SHOWN = 10_000
"""The number of characters for which it is kept how they are shown."""
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


__all__ = ["Mark", "Piece", "marked_pieces", "showable"]
