"""Texts to tokens, for any script. The plain code; kernels do the same for many texts at once.

A word is a run of letters, digits and their marks: `don't` is `don` `t`, `C-3PO` is `c` `3po`;
`हिन्दी` is one word. Each Han ideograph and kana, and each letter of Thai, Lao, Khmer, Myanmar with
its marks, is a token of its own, so that n-grams find words where no spaces are. Joiners and
direction marks belong to a token only inside it. Marks without a letter, blanks, controls and
characters that are not assigned separate. Punctuation and symbols (`_` too) separate as well, or
are tokens by `punctuation`. Stop words are taken out first: n-grams run over their places.

Instead, `token_pattern` takes what a regular expression matches, as a whole, in the normalized
text, without its last line end. It is Python's `re`: a pattern like `(a+)+b` may take for ever on a
text made for it, and `\\w` depends on the Unicode version of the Python in use.

With `analyzer=char` the tokens are the characters of the normalized text, runs of white space
folded to one blank, one blank at either end; stop words do not apply.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator

from boostext.features.normalize import normalize, normalize_aligned
from boostext.features.unicode_classes import class_letters
from boostext.settings import TextSettings

TOKENIZER_VERSION = 1

Span = tuple[int, int]

# x is a letter put below the one before; tokens never end with a joiner
_WORD = "w[wmkxj]*(?<!j)|[sx][mkxj]*(?<!j)"
_WORDS = re.compile(_WORD)
_WORDS_AND_MARKS = re.compile(_WORD + "|p[mkxj]*(?<!j)")
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
        matches = pattern.finditer(text.rstrip("\r\n"))
        return (match.span() for match in matches if match.end() > match.start())

    return spans


def _class_spans(pattern: re.Pattern[str]) -> Callable[[str], Iterable[Span]]:
    def spans(text: str) -> Iterable[Span]:
        letters = text.translate(class_letters()).replace("ks", "kx")
        return (match.span() for match in pattern.finditer(letters))

    return spans
