"""Convert many texts to token numbers; tokens are numbered by first occurrence.

There is one class for each kind of token. All give the tokens of `Tokenizer.tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64, give_back
from boostext.features.normalize import normalize
from boostext.features.text_kernels import PUNCTUATION, grow_tokens, kernel, tokenize
from boostext.features.tokenizer import PIECE, Tokenizer, fold_blanks
from boostext.features.unicode_classes import class_letters
from boostext.settings import TextSettings

Numbered = tuple[Int32, Int64]
"""The token numbers of all texts, concatenated, and the number of tokens of each text."""


class Numbering(Protocol):
    """Numbers tokens. If tokens are given, only those have numbers, and all others are -1."""

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        """Return a function for the rest of the work, which may run in another thread.

        If tokens are not given, the functions must run in the order of the calls.
        """

    def finish(self) -> None:
        """Free what only further tokens need."""

    def known(self) -> int: ...
    def token(self, number: int) -> str: ...


class WordNumbers:
    """Numbers words by the tokenizer's own rules, with a hash table that a kernel fills."""

    def __init__(self, settings: TextSettings, given: Sequence[str] | None = None) -> None:
        self._lowercase = settings.lowercase
        self._classes = _classes(settings.punctuation)
        self._slots = np.zeros(1 << 13, np.int64)
        self._places: Any = np.zeros(1 << 11, np.int64)  # of int32 at the end, if that is enough
        self._store = np.zeros(1 << 14, np.uint8)
        # the state of the kernel: byte, document, written, known, stop words, frozen
        self._state = np.zeros(6, np.int64)
        self._tokenizer = Tokenizer(settings)
        for token in sorted(self._tokenizer.stop_words):
            self._number(token)
        self._state[4] = self._state[3]
        for token in given or ():
            self._number(token)
        self._state[5] = given is not None

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        encoded, ends = bytearray(), []
        for text in texts:
            for _, piece in self._tokenizer.pieces(text):
                encoded += normalize(piece, self._lowercase).encode("utf-8")
            ends.append(len(encoded))
        return lambda: self._number_bytes(encoded, ends)

    def _number(self, token: str) -> None:
        encoded = bytearray(token.encode("utf-8"))
        self._number_bytes(encoded, [len(encoded)])

    def _number_bytes(self, encoded: bytearray, stops: Sequence[int]) -> Numbered:
        text, ends = np.frombuffer(encoded, np.uint8), np.array(stops, np.int64)
        # subtle: some scripts have no blanks between tokens, so each byte may be a token
        out = np.empty(len(text), np.int32)
        counts = np.zeros(len(ends), np.int64)
        # subtle: with given tokens the table does not change, so several threads may use it at once
        state = self._state.copy() if self._state[5] else self._state
        state[:3] = 0
        while state[1] < len(ends):
            kernel(tokenize)(
                text,
                ends,
                self._classes,
                self._slots,
                self._places,
                self._store,
                out,
                counts,
                state,
            )
            if state[1] < len(ends):
                self._grow(len(text) - int(state[0]))
        out.resize(int(state[2]), refcheck=False)  # in place: nothing else refers to it
        return out, counts

    def _grow(self, room: int) -> None:
        """Make room for another token, and in the store for so many more bytes."""
        known = int(self._state[3])
        if 4 * known >= len(self._slots):
            give_back(known)  # what reading took; this table may be the largest array of all
            slots = np.zeros(4 * len(self._slots), np.int64)
            kernel(grow_tokens)(self._slots, slots)
            self._slots = slots
        if known + 1 >= len(self._places):
            self._places = _longer(self._places, 2 * len(self._places))
        if self._places[known] + room > len(self._store):
            self._store = _longer(self._store, 2 * len(self._store) + room)

    def finish(self) -> None:
        known = int(self._state[3])
        self._slots = np.zeros(0, np.int64)
        self._store = self._store[: self._places[known]].copy()
        small = len(self._store) < 1 << 31
        self._places = self._places[: known + 1].astype(np.int32 if small else np.int64)

    def known(self) -> int:
        return int(self._state[3] - self._state[4])

    def token(self, number: int) -> str:
        at = number + int(self._state[4])
        return bytes(self._store[self._places[at] : self._places[at + 1]]).decode("utf-8")


class PatternNumbers:
    """Numbers the matches of a regular expression, one string for each while a text is read."""

    def __init__(self, settings: TextSettings, given: Sequence[str] | None = None) -> None:
        self._tokenizer = Tokenizer(settings)
        self._numbers: dict[str, int] = {}
        self._tokens: list[str] = []
        self._frozen = given is not None
        for token in given or ():
            self._add(token)

    def _add(self, token: str) -> int:
        self._tokens.append(token)
        return self._numbers.setdefault(token, len(self._numbers))

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        rows = [np.array(self._row(self._tokenizer.tokens(text)), np.int32) for text in texts]
        counts = np.array([len(row) for row in rows], np.int64)
        return lambda: (np.concatenate([np.zeros(0, np.int32), *rows]), counts)

    def _row(self, tokens: Sequence[str]) -> list[int]:
        numbers = self._numbers
        if self._frozen:
            return [numbers.get(token, -1) for token in tokens]
        return [numbers[token] if token in numbers else self._add(token) for token in tokens]

    def finish(self) -> None:
        self._numbers = {}

    def known(self) -> int:
        return len(self._tokens)

    def token(self, number: int) -> str:
        return self._tokens[number]


class CharacterNumbers:
    """Numbers the characters of the folded text, by code point."""

    def __init__(self, settings: TextSettings, given: Sequence[str] | None = None) -> None:
        self._lowercase = settings.lowercase
        self._numbers = np.full(0x110000, -1, np.int32)
        self._characters: list[str] = []
        self._frozen = given is not None
        self._learn("".join(given or ()))

    def _learn(self, characters: str) -> None:
        for character in dict.fromkeys(characters):
            self._numbers[ord(character)] = len(self._characters)
            self._characters.append(character)

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        folded = [fold_blanks(normalize(text, self._lowercase)) for text in texts]
        counts = np.array([len(text) for text in folded], np.int64)
        return lambda: (self._number_all("".join(folded)), counts)

    def _number_all(self, text: str) -> Int32:
        numbers = np.empty(len(text), np.int32)
        for start in range(0, len(text), PIECE):
            codes = np.frombuffer(text[start : start + PIECE].encode("utf-32-le"), np.uint32)
            numbers[start : start + PIECE] = self._number(codes)
        return numbers

    def _number(self, codes: NDArray[np.uint32]) -> Int32:
        numbers = self._numbers[codes]
        if not self._frozen and (numbers < 0).any():
            self._learn("".join(map(chr, codes[numbers < 0].tolist())))
            numbers = self._numbers[codes]
        return numbers

    def finish(self) -> None:
        self._numbers = np.zeros(0, np.int32)

    def known(self) -> int:
        return len(self._characters)

    def token(self, number: int) -> str:
        return self._characters[number]


def numbering(settings: TextSettings, given: Sequence[str] | None = None) -> Numbering:
    """Return the numbering for the settings.

    given: the only tokens to number, in this order; otherwise all tokens are numbered by first
    occurrence. `Tokenizer.is_token` must hold for each given token.
    """
    if settings.analyzer == "char":
        return CharacterNumbers(settings, given)
    return (PatternNumbers if settings.token_pattern else WordNumbers)(settings, given)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return a copy with zeros behind it, which take no memory before they are written to."""
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return longer


def _classes(punctuation: bool) -> NDArray[np.uint8]:
    """Return the class of every character as the kernel numbers them."""
    numbers = bytes.maketrans(b"owsmkjp", bytes(range(7)))
    if not punctuation:
        numbers = numbers.replace(bytes([PUNCTUATION]), b"\0")
    classes = class_letters().encode("ascii").translate(numbers)
    return np.frombuffer(bytearray(classes), np.uint8)
