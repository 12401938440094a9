"""Normalize texts, and map characters of the result back to positions in the original text.

The normal form has no soft hyphens, has U+FFFD for lone surrogates, and is NFC; if lower case is
requested, it is applied and followed by NFC again. Unassigned characters of newer Unicode versions
are not changed, and the tokenizer skips them.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from boostext.features.unicode_classes import class_letters

_SURROGATE = re.compile("[\ud800-\udfff]")
_SOFT_HYPHEN = "\xad"
# a Hangul letter followed by a jamo with which it forms a syllable, or a longer syllable
_SYLLABLE = re.compile("[\u1100-\u1112][\u1161-\u1175]|[\uac00-\ud7a3\u1161-\u1175][\u11a8-\u11c2]")
_JOINING = re.compile("[\xad\u1161-\u1175\u11a8-\u11c2]")  # can join a group, as marks can
_PIECE = 1024
_BLANK = re.compile("[ \t\r\n]")


def normalize(text: str, lowercase: bool = True) -> str:
    """Return the normal form of a text: `normalize("Cafe\u0301")` is `"café"`."""
    if text.isascii():
        return text.lower() if lowercase else text
    return "".join(_normal(piece, lowercase) for piece in _pieces(text))


def _normal(piece: str, lowercase: bool) -> str:
    piece = _SURROGATE.sub("\ufffd", piece.replace(_SOFT_HYPHEN, ""))
    piece = unicodedata.normalize("NFC", piece)
    # subtle: lower case can give new pairs that compose (H + macron below has no composed capital)
    return unicodedata.normalize("NFC", piece.lower()) if lowercase else piece


def _pieces(text: str) -> Iterator[str]:
    """Yield pieces of some thousand characters, cut before a blank or, failing that, a letter.

    NFC takes quadratic time in the length of a run of marks. To bound the time for a text that
    consists of marks, a piece ends anywhere once it has twice the usual length.
    """
    start = 0
    while len(text) - start > _PIECE:
        blank = _BLANK.search(text, start + _PIECE, start + 2 * _PIECE)
        stop = blank.start() if blank else start + _letter(text[start : start + 2 * _PIECE])
        yield text[start:stop]
        start = stop
    yield text[start:]


def _letter(text: str) -> int:
    """Return where the second half can be cut without separating a letter from its marks."""
    return next((start for start in _starts(text) if start >= _PIECE), len(text))


def normalize_aligned(
    text: str, lowercase: bool = True
) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return the normal form, and the start and end in `text` of each of its characters.

    Characters that are composed, or that one character expands to, have the span of their group.
    """
    normal = normalize(text, lowercase)
    if len(normal) == len(text) and (text.isascii() or _in_place(text, lowercase)):
        return normal, range(len(text)), range(1, len(text) + 1)
    begins, ends = array("I"), array("I")
    for start, stop, length in _groups(text, lowercase):
        begins.extend([start] * length)
        ends.extend([stop] * length)
    return normal, begins, ends


def _in_place(text: str, lowercase: bool) -> bool:
    """Whether every group of characters keeps its length."""
    letters = "".join(sorted(set(text)))
    if not _JOINING.search(letters) and not {"m", "k"} & {*letters.translate(class_letters())}:
        return all(len(_normal(letter, lowercase)) == 1 for letter in letters)
    return all(stop - start == length for start, stop, length in _groups(text, lowercase))


def _groups(text: str, lowercase: bool) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and normalized length of each letter with its marks."""
    at = 0
    for piece in _pieces(text):
        bounds = [*_starts(piece), len(piece)]
        groups = [piece[start:stop] for start, stop in pairwise(bounds)]
        lengths = [len(_normal(group, lowercase)) for group in groups]
        stops = accumulate(map(len, groups), initial=at)
        for start, group, length in zip(stops, groups, lengths, strict=False):
            yield start, start + len(group), length
        at += len(piece)


def _starts(piece: str) -> list[int]:
    """Return where groups begin: at all characters but marks and jamo that join the one before.

    A soft hyphen between a letter and its mark is left out and therefore belongs to their group.
    """
    starts = []
    before = ""
    for i, (character, letter) in enumerate(
        zip(piece, piece.translate(class_letters()), strict=True)
    ):
        if character == _SOFT_HYPHEN:
            joins = i > 0
        else:
            joins = letter in "mk" or bool(_SYLLABLE.fullmatch(before + character))
            before = character
        if i == 0 or not joins:
            starts.append(i)
    return starts
