"""Texts to token numbers, many at a time: tokens are numbered by their first occurrence.

Three ways, one for each kind of token; all give what `Tokenizer.tokens` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int32, Int64
from boostext.features.normalize import normalize
from boostext.features.text_kernels import PUNCTUATION, grow_tokens, kernel, tokenize
from boostext.features.tokenizer import Tokenizer, fold_blanks
from boostext.features.unicode_classes import class_letters
from boostext.settings import TextSettings

Numbered = tuple[Int32, Int64]
"""Token numbers of all texts, one after the other; and how many each text has."""


class Numbering(Protocol):
    """What tokens have which numbers. frozen: only given tokens have one, others are -1."""

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        """The rest of the work, which may be done in another thread, in the order of calls."""

    def known(self) -> int: ...
    def token(self, number: int) -> str: ...


class WordNumbers:
    """Words by the tokenizer's own rules: a table of hashed bytes, filled by a kernel."""

    def __init__(self, settings: TextSettings, given: Sequence[str] | None = None) -> None:
        self._lowercase = settings.lowercase
        self._classes = _classes(settings.punctuation)
        self._slots = np.zeros(1 << 13, np.int64)
        self._places = np.zeros(1 << 11, np.int64)
        self._store = np.zeros(1 << 14, np.uint8)
        # as the kernel wants it: byte, document, written, known, stop words, frozen
        self._state = np.zeros(6, np.int64)
        for token in sorted(Tokenizer(settings).stop_words):
            self._number([token])
        self._state[4] = self._state[3]
        for token in given or ():
            self._number([token])
        self._state[5] = given is not None

    def prepare(self, texts: Sequence[str]) -> Callable[[], Numbered]:
        encoded = [normalize(text, self._lowercase).encode("utf-8") for text in texts]
        return lambda: self._number_bytes(encoded)

    def _number(self, texts: Sequence[str]) -> Numbered:
        return self._number_bytes([text.encode("utf-8") for text in texts])

    def _number_bytes(self, encoded: Sequence[bytes]) -> Numbered:
        text = np.frombuffer(bytearray(b"".join(encoded)), np.uint8)
        ends = np.cumsum([len(item) for item in encoded], dtype=np.int64)
        # subtle: tokens need no blank between them where scripts have none; so one for each byte
        out = np.empty(len(text), np.int32)
        counts = np.zeros(len(encoded), np.int64)
        # subtle: with given tokens nothing else changes, so that threads may number at once
        state = self._state.copy() if self._state[5] else self._state
        state[:3] = 0
        while state[1] < len(encoded):
            kernel(tokenize)(text, ends, self._classes, self._slots, self._places, self._store,
                             out, counts, state)  # fmt: skip
            if state[1] < len(encoded):
                self._grow(len(text))
        return out[: state[2]].copy(), counts

    def _grow(self, room: int) -> None:
        known = int(self._state[3])
        if 4 * known >= len(self._slots):
            slots = np.zeros(4 * len(self._slots), np.int64)
            kernel(grow_tokens)(self._slots, slots)
            self._slots = slots
        if known + 1 >= len(self._places):
            self._places = np.append(self._places, np.zeros_like(self._places))
        if self._places[known] + room > len(self._store):
            self._store = np.append(self._store, np.zeros(len(self._store) + room, np.uint8))

    def known(self) -> int:
        return int(self._state[3] - self._state[4])

    def token(self, number: int) -> str:
        at = number + int(self._state[4])
        return bytes(self._store[self._places[at] : self._places[at + 1]]).decode("utf-8")


class PatternNumbers:
    """What a regular expression matches: strings, one for each occurrence while a text is read."""

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

    def known(self) -> int:
        return len(self._tokens)

    def token(self, number: int) -> str:
        return self._tokens[number]


class CharacterNumbers:
    """Characters of the folded text: a number for each code point seen."""

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
        codes = np.frombuffer("".join(folded).encode("utf-32-le"), np.uint32)
        return lambda: (self._number(codes), counts)

    def _number(self, codes: NDArray[np.uint32]) -> Int32:
        numbers = self._numbers[codes]
        if not self._frozen and (numbers < 0).any():
            self._learn("".join(map(chr, codes[numbers < 0].tolist())))
            numbers = self._numbers[codes]
        return numbers

    def known(self) -> int:
        return len(self._characters)

    def token(self, number: int) -> str:
        return self._characters[number]


def numbering(settings: TextSettings, given: Sequence[str] | None = None) -> Numbering:
    """given: the only tokens to number, in this order; else all are numbered as they come.

    Given tokens must be such that `Tokenizer.is_token`.
    """
    if settings.analyzer == "char":
        return CharacterNumbers(settings, given)
    return (PatternNumbers if settings.token_pattern else WordNumbers)(settings, given)


def _classes(punctuation: bool) -> NDArray[np.uint8]:
    """The kernel's class of every character; letters in the order of its constants."""
    numbers = bytes.maketrans(b"owsmkjp", bytes(range(7)))
    if not punctuation:
        numbers = numbers.replace(bytes([PUNCTUATION]), b"\0")
    classes = class_letters().encode("ascii").translate(numbers)
    return np.frombuffer(bytearray(classes), np.uint8)
