"""Split texts of any script into tokens. Kernels do the same for many texts at once.

A word is a run of letters, digits and their marks: `don't` is `don` `t`, `C-3PO` is `c` `3po`, and
`हिन्दी` is one word. Each Han ideograph and kana, and each letter of Thai, Lao, Khmer and Myanmar
with its marks, is a token of its own, so that n-grams find words in scripts without spaces. Joiners
and direction marks belong to a token only inside it. Marks without a letter, blanks, control
characters and unassigned characters separate tokens. Punctuation and symbols, including `_`,
separate tokens as well, or are tokens with the setting `punctuation`. Stop words are removed before
n-grams are formed, so that n-grams join the words around them.

With `token_pattern`, the tokens are instead the whole matches of a regular expression in the
normalized text without its last line end. The syntax is that of Python's `re`, so the meaning of
`\\w` depends on the Unicode version of Python. A pattern like `(a+)+b` can take exponential time on
a malicious text; a pattern that takes longer than PATIENCE allows on a text is an error.

With `analyzer=char` the tokens are the characters of the normalized text, in which each run of
white space is one blank and a blank is added at either end. Stop words are ignored.
"""

from __future__ import annotations

import contextlib
import functools
import re
import signal
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NoReturn

from boostext.errors import SettingsError
from boostext.features.normalize import normalize, normalize_aligned
from boostext.features.unicode_classes import class_letters
from boostext.settings import TextSettings

TOKENIZER_VERSION = 1

Span = tuple[int, int]

PATIENCE, PACE = 5.0, 1e6
"""Seconds that a pattern may take on any text, and characters that allow one second more."""

PIECE = 1 << 16
"""Characters of a long text that are split into words together, which bounds the memory."""

# x is a letter that is stacked below the one before; tokens never end with a joiner
_WORD = "w[wmkxj]*(?<!j)|[sx][mkxj]*(?<!j)"
_WORDS = re.compile(_WORD)
_WORDS_AND_MARKS = re.compile(_WORD + "|p[mkxj]*(?<!j)")
REPEATS = re.compile(r"[*+?{|]")
_NOT_BLANK = re.compile(r"\S+")
_BLANK = re.compile("[ \t\r\n]")


class Tokenizer:
    """Splits texts into tokens under the given settings, without stop words."""

    def __init__(self, settings: TextSettings) -> None:
        self.settings = settings
        self._spans = _span_finder(settings)
        self._words = not (settings.analyzer == "char" or settings.token_pattern)
        self._plain_words = self._words and not settings.punctuation

    @functools.cached_property
    def stop_words(self) -> frozenset[str]:
        """The tokens of all stop words: `don't` removes `don` and `t`. Empty for characters."""
        given = self.settings.stop_words if self.settings.analyzer == "word" else ()
        words = (self._all_tokens(word) for word in given)
        return frozenset(token for tokens in words for token in tokens)

    def tokens(self, text: str) -> list[str]:
        """Return tokens: Tokenizer(TextSettings()).tokens("Don't 3x!") is ["don", "t", "3x"]."""
        tokens = self._all_tokens(text)
        if not self.stop_words:
            return tokens
        return [token for token in tokens if token not in self.stop_words]

    def each(self, text: str) -> Iterator[str]:
        """Yield the same tokens one by one, for long texts whose list would take much memory."""
        for _, piece in self.pieces(text):
            if len(piece) <= 2 * PIECE:
                yield from self.tokens(piece)
                continue
            normal = normalize(piece, self.settings.lowercase)
            if self.settings.analyzer == "char":
                yield from fold_blanks(normal)
            else:
                spans = self._spans(normal)
                found = (normal[start:stop] for start, stop in spans)
                yield from (token for token in found if token not in self.stop_words)

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield parts of a text, with their places in it, whose tokens are those of the text.

        Words end at blanks. The matches of a pattern and characters need the text as a whole.
        """
        start = 0
        while self._words and len(text) - start > PIECE:
            blank = _BLANK.search(text, start + PIECE)
            if not blank:
                break
            yield start, text[start : blank.start()]
            start = blank.start()
        yield start, text[start:] if start else text

    def line(self, text: str) -> str:
        """Return the tokens joined by blanks.

        Plain words of ASCII text are found without a list of tokens, which saves memory.
        """
        normal = normalize(text, self.settings.lowercase) if self._plain_words else ""
        if not normal.isascii() or not normal or self.stop_words:
            tokens = self.each(text)
            parts = iter(lambda: " ".join(islice(tokens, PIECE)), "")
            return " ".join(parts)
        words = normal.encode("ascii").translate(_ascii_words())
        while b"  " in words:
            words = words.replace(b"  ", b" ")
        return words.strip().decode("ascii")

    def tokens_with_spans(self, text: str) -> list[tuple[str, int, int]]:
        """Return each token with its start and end in the original text.

        The blanks that are added at the ends for character n-grams have empty spans.
        """
        return list(self.each_with_span(text))

    def each_with_span(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the same one by one."""
        for place, piece in self.pieces(text):
            normal, begins, ends = normalize_aligned(piece, self.settings.lowercase)
            for token, start, stop in self._tokens_in(normal):
                if token not in self.stop_words:
                    begin = place + (begins[start] if start < len(begins) else len(piece))
                    yield token, begin, place + ends[stop - 1] if stop > start else begin

    def in_place(self, text: str) -> bytes | None:
        """Return the words of an ASCII text at their places, with blanks for all else.

        None if the text is not ASCII, or tokens are not plain words.
        """
        if not (self._plain_words and text.isascii()) or self.stop_words:
            return None
        return normalize(text, self.settings.lowercase).encode("ascii").translate(_ascii_words())

    def is_token(self, token: str) -> bool:
        """Whether a text can have this token; always True for patterns, where it is not known."""
        if self.settings.analyzer == "char":
            return len(token) == 1
        if token in self.stop_words:
            return False
        return bool(self.settings.token_pattern) or list(self._spans(token)) == [(0, len(token))]

    def _all_tokens(self, text: str) -> list[str]:
        normal = normalize(text, self.settings.lowercase)
        if self.settings.analyzer == "char":
            return list(fold_blanks(normal))
        if self._plain_words and normal.isascii():
            return normal.encode("ascii").translate(_ascii_words()).decode("ascii").split()
        return [normal[start:stop] for start, stop in self._spans(normal)]

    def _tokens_in(self, normal: str) -> Iterator[tuple[str, int, int]]:
        if self.settings.analyzer == "char":
            yield from _characters(normal)
        else:
            for start, stop in self._spans(normal):
                yield normal[start:stop], start, stop


def token_reader(settings: TextSettings) -> Callable[[str, str], str]:
    """Return a function (text field, text) that gives the tokens in one line.

    The lines are equal for texts that are equal to a learner.
    """
    tokenizers: dict[str, Tokenizer] = {}

    def read(field: str, text: str) -> str:
        if field not in tokenizers:
            tokenizers[field] = Tokenizer(settings.of_field(field))
        return tokenizers[field].line(text)

    return read


@functools.cache
def _ascii_words() -> bytes:
    """Map separators of words to blanks; this takes a tenth of the time of regular expressions."""
    letters = class_letters()[:128]
    return bytes(i if letter == "w" else 32 for i, letter in enumerate(letters)).ljust(256)


def fold_blanks(text: str) -> str:
    """Fold white space: `fold_blanks("a\\n b")` is `" a b "`; a text of blanks gives ""."""
    words = text.split()
    return f" {' '.join(words)} " if words else ""


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the characters of `fold_blanks(text)` with their spans in the text."""
    stop = 0
    for match in _NOT_BLANK.finditer(text):
        # the blank before the first word is padding: its span is empty, even after white space
        yield " ", stop if stop else match.start(), match.start()
        yield from (
            (character, match.start() + i, match.start() + i + 1)
            for i, character in enumerate(match.group())
        )
        stop = match.end()
    if stop:
        yield " ", stop, stop


def _span_finder(settings: TextSettings) -> Callable[[str], Iterable[Span]]:
    if settings.token_pattern:
        pattern = re.compile(settings.token_pattern)
        # a pattern with a single repetition cannot match a text in several ways
        many = len(REPEATS.findall(pattern.pattern)) > 1
        return functools.partial(_watched_spans if many else _pattern_spans, pattern)
    # partial functions, unlike closures, can be pickled
    return functools.partial(_class_spans, _WORDS_AND_MARKS if settings.punctuation else _WORDS)


def _pattern_spans(pattern: re.Pattern[str], text: str) -> Iterable[Span]:
    found = pattern.finditer(text.rstrip("\r\n"))
    return (match.span() for match in found if match.end() > match.start())


def _watched_spans(pattern: re.Pattern[str], text: str) -> Iterable[Span]:
    flat = array("I")
    with _patient(pattern, text):
        for span in _pattern_spans(pattern, text):
            flat.extend(span)
    return zip(flat[::2], flat[1::2], strict=True)


@contextlib.contextmanager
def _patient(pattern: re.Pattern[str], text: str) -> Iterator[None]:
    """Raise SettingsError if the block takes much longer on a text than patterns usually do.

    A signal interrupts the block, because `re` checks for signals while it works. In threads other
    than the main thread, and on Windows, the error is raised after the block has finished.
    """
    seconds, began = PATIENCE + len(text) / PACE, time.perf_counter()

    def ring(*about: object) -> NoReturn:
        raise SettingsError(
            f"token-pattern {pattern.pattern[:100]!r} takes more than {seconds:.1f} s on one text, "
            f"which begins with {text[:40]!r}; change it so that a text can be matched in one way "
            "only, such as a+b for (a+)+b"
        )

    alarms = (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "setitimer")
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )
    if not alarms:
        yield
        if time.perf_counter() - began > seconds:
            ring()
        return
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _class_spans(pattern: re.Pattern[str], text: str) -> Iterable[Span]:
    letters = text.translate(class_letters()).replace("ks", "kx")
    return (match.span() for match in pattern.finditer(letters))
