"""Texts to tokens, for any script. The plain code; kernels do the same for many texts at once.

A word is a run of letters, digits and their marks: `don't` is `don` `t`, `C-3PO` is `c` `3po`;
`हिन्दी` is one word. Each Han ideograph and kana, and each letter of Thai, Lao, Khmer, Myanmar with
its marks, is a token of its own, so that n-grams find words where no spaces are. Joiners and
direction marks belong to a token only inside it. Marks without a letter, blanks, controls and
characters that are not assigned separate. Punctuation and symbols (`_` too) separate as well, or
are tokens by `punctuation`. Stop words are taken out first: n-grams run over their places.

Instead, `token_pattern` takes what a regular expression matches, as a whole, in the normalized
text, without its last line end. It is Python's `re`, so `\\w` depends on the Unicode version of the
Python in use. A pattern like `(a+)+b` would take for ever on a text made for it: one that takes
longer than PATIENCE on a text is refused.

With `analyzer=char` the tokens are the characters of the normalized text, runs of white space
folded to one blank, one blank at either end; stop words do not apply.
"""

from __future__ import annotations

import contextlib
import functools
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from boostext.errors import SettingsError
from boostext.features.normalize import normalize, normalize_aligned
from boostext.features.unicode_classes import class_letters
from boostext.settings import TextSettings

TOKENIZER_VERSION = 1

Span = tuple[int, int]

PATIENCE, PACE = 5.0, 1e6
"""Seconds that a pattern may take on any text, and characters for which it has a second more."""

# x is a letter put below the one before; tokens never end with a joiner
_WORD = "w[wmkxj]*(?<!j)|[sx][mkxj]*(?<!j)"
_WORDS = re.compile(_WORD)
_WORDS_AND_MARKS = re.compile(_WORD + "|p[mkxj]*(?<!j)")
REPEATS = re.compile(r"[*+?{|]")
_NOT_BLANK = re.compile(r"\S+")


class Tokenizer:
    """The tokens of a text under the given settings, stop words left out."""

    def __init__(self, settings: TextSettings) -> None:
        self.settings = settings
        self._spans = _span_finder(settings)
        self._plain_words = not (
            settings.analyzer == "char" or settings.token_pattern or settings.punctuation
        )

    @functools.cached_property
    def stop_words(self) -> frozenset[str]:
        """The tokens of all stop words: `don't` stops `don` and `t`; no characters."""
        given = self.settings.stop_words if self.settings.analyzer == "word" else ()
        words = (self._all_tokens(word) for word in given)
        return frozenset(token for tokens in words for token in tokens)

    def tokens(self, text: str) -> list[str]:
        """Tokenizer(TextSettings()).tokens("Don't 3x!") is ["don", "t", "3x"]."""
        tokens = self._all_tokens(text)
        if not self.stop_words:
            return tokens
        return [token for token in tokens if token not in self.stop_words]

    def line(self, text: str) -> str:
        """The tokens with a blank between them; of a long text in its own memory, not in that of a
        list of words.
        """
        normal = normalize(text, self.settings.lowercase) if self._plain_words else ""
        if not normal.isascii() or not normal or self.stop_words:
            return " ".join(self.tokens(text))
        words = normal.encode("ascii").translate(_ascii_words())
        while b"  " in words:
            words = words.replace(b"  ", b" ")
        return words.strip().decode("ascii")

    def tokens_with_spans(self, text: str) -> list[tuple[str, int, int]]:
        """Each token with where it begins and ends in the text as given (not as normalized).

        The blanks that pad a text for character n-grams have empty spans.
        """
        normal, begins, ends = normalize_aligned(text, self.settings.lowercase)
        found = []
        for token, start, stop in self._tokens_in(normal):
            if token not in self.stop_words:
                begin = begins[start] if start < len(begins) else len(text)
                found.append((token, begin, ends[stop - 1] if stop > start else begin))
        return found

    def is_token(self, token: str) -> bool:
        """Whether a text can have this token; only a pattern's cannot be told (True)."""
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
    """(text field, text) -> its tokens in one line: equal for texts that are equal to a learner."""
    tokenizers: dict[str, Tokenizer] = {}

    def read(field: str, text: str) -> str:
        if field not in tokenizers:
            tokenizers[field] = Tokenizer(settings.of_field(field))
        return tokenizers[field].line(text)

    return read


@functools.cache
def _ascii_words() -> bytes:
    """What separates words becomes a blank: a tenth of the time that the classes take."""
    letters = class_letters()[:128]
    return bytes(i if letter == "w" else 32 for i, letter in enumerate(letters)).ljust(256)


def fold_blanks(text: str) -> str:
    """`fold_blanks("a\\n b")` is `" a b "`; a text of blanks is "" ."""
    words = text.split()
    return f" {' '.join(words)} " if words else ""


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    """The characters of `fold_blanks(text)` with their spans in the text."""
    stop = 0
    for match in _NOT_BLANK.finditer(text):
        # the blank before the first word pads, whether or not the text begins with one
        yield " ", stop if stop else match.start(), match.start()
        yield from ((character, match.start() + i, match.start() + i + 1)
                    for i, character in enumerate(match.group()))  # fmt: skip
        stop = match.end()
    if stop:
        yield " ", stop, stop


def _span_finder(settings: TextSettings) -> Callable[[str], Iterable[Span]]:
    if settings.token_pattern:
        return _pattern_spans(re.compile(settings.token_pattern))
    return _class_spans(_WORDS_AND_MARKS if settings.punctuation else _WORDS)


def _pattern_spans(pattern: re.Pattern[str]) -> Callable[[str], Iterable[Span]]:
    def spans(text: str) -> Iterable[Span]:
        found = pattern.finditer(text.rstrip("\r\n"))
        return (match.span() for match in found if match.end() > match.start())

    def watched(text: str) -> Iterable[Span]:
        with _patient(pattern, text):
            return list(spans(text))

    # a pattern that repeats one thing only has no second way to match a text
    return watched if len(REPEATS.findall(pattern.pattern)) > 1 else spans


@contextlib.contextmanager
def _patient(pattern: re.Pattern[str], text: str) -> Iterator[None]:
    """SettingsError where the block takes longer on a text than any sound pattern does.

    A signal ends it in time, as `re` looks for signals while it works; in other threads than the
    main one, and on Windows, it is told after the text.
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


def _class_spans(pattern: re.Pattern[str]) -> Callable[[str], Iterable[Span]]:
    def spans(text: str) -> Iterable[Span]:
        letters = text.translate(class_letters()).replace("ks", "kx")
        return (match.span() for match in pattern.finditer(letters))

    return spans
