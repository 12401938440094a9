"""One spelling for each text, and the way back from its characters to the text as given.

Normal form: soft hyphens left out, half surrogate pairs as U+FFFD, NFC, lower case (if asked), NFC
again. Unassigned characters of newer Unicode versions are left alone (the tokenizer skips them).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import accumulate, pairwise

from boostext.features.unicode_classes import class_letters

_SURROGATE = re.compile("[\ud800-\udfff]")
_SOFT_HYPHEN = "\xad"
# a Hangul letter and the jamo that it makes a syllable with, or a longer one
_SYLLABLE = re.compile("[\u1100-\u1112][\u1161-\u1175]|[\uac00-\ud7a3\u1161-\u1175][\u11a8-\u11c2]")
_JOINING = re.compile("[\xad\u1161-\u1175\u11a8-\u11c2]")  # beside marks, what can join a group
_PIECE = 1024
_BLANK = re.compile("[ \t\r\n]")


def normalize(text: str, lowercase: bool = True) -> str:
    """The normal form of a text: `normalize("Cafe\u0301")` is `"café"`."""
    if text.isascii():
        return text.lower() if lowercase else text
    return "".join(_normal(piece, lowercase) for piece in _pieces(text))


def _normal(piece: str, lowercase: bool) -> str:
    piece = _SURROGATE.sub("\ufffd", piece.replace(_SOFT_HYPHEN, ""))
    piece = unicodedata.normalize("NFC", piece)
    # subtle: lower case can make new pairs that compose (H + macron below has no composed capital)
    return unicodedata.normalize("NFC", piece.lower()) if lowercase else piece


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of some thousand characters, cut before a blank, or else a letter.

    NFC takes the square of the length of a run of marks; a text of nothing else must not stop us,
    so at twice its length a piece ends anywhere.
    """
    start = 0
    while len(text) - start > _PIECE:
        blank = _BLANK.search(text, start + _PIECE, start + 2 * _PIECE)
        stop = blank.start() if blank else start + _letter(text[start : start + 2 * _PIECE])
        yield text[start:stop]
        start = stop
    yield text[start:]


def _letter(text: str) -> int:
    """Where the second half may be cut without parting a letter from its marks."""
    return next((start for start in _starts(text) if start >= _PIECE), len(text))


def normalize_aligned(text: str, lowercase: bool = True) -> tuple[str, list[int], list[int]]:
    """The normal form, and for each of its characters where it begins and ends in `text`.

    Characters that were composed, or that come from one, share the place of the whole group.
    """
    normal = normalize(text, lowercase)
    if len(normal) == len(text) and (text.isascii() or _in_place(text, lowercase)):
        return normal, list(range(len(text))), list(range(1, len(text) + 1))
    begins: list[int] = []
    ends: list[int] = []
    for start, stop, length in _groups(text, lowercase):
        begins += [start] * length
        ends += [stop] * length
    return normal, begins, ends


def _in_place(text: str, lowercase: bool) -> bool:
    """Whether every group of characters keeps its length."""
    letters = "".join(sorted(set(text)))
    if not _JOINING.search(letters) and not {"m", "k"} & {*letters.translate(class_letters())}:
        return all(len(_normal(letter, lowercase)) == 1 for letter in letters)
    return all(stop - start == length for start, stop, length in _groups(text, lowercase))


def _groups(text: str, lowercase: bool) -> Iterator[tuple[int, int, int]]:
    """Start, end and normal length of each letter with its marks."""
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
    """Where a group begins: anywhere but at a mark, or at a jamo that the letter before takes in.

    A soft hyphen between a letter and its mark is left out, and so belongs to their group.
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
