"""Lines for terminals and pipes: how wide they may be, and text cut and filled to a width.

Widths count terminal cells: a CJK ideograph is two, a combining mark none. Drawings are rich
`Text`: styles are kept apart from the words, so no word of a user can become markup.
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

from boostext.reports.escape import one_line

PIPE_WIDTH, LEAST_WIDTH = 80, 40
FOR, AGAINST, HEAD, QUIET = "green", "red", "bold", "dim"


@dataclass(frozen=True)
class Glyphs:
    """rising, hanging: bars of rising size, for and against; empty where signed digits serve.

    Both have equal steps, and are of one block of Unicode, so that they are equally wide.
    """

    rising: str
    hanging: str
    little: str
    ellipsis: str
    arrow: str


UNICODE = Glyphs("▃▅█", "░▒▓", "·", "…", "→")
ASCII = Glyphs("", "", ".", "~", "->")


@dataclass(frozen=True)
class Page:
    """What a drawing may use: cells in a line, and which characters."""

    width: int = PIPE_WIDTH
    glyphs: Glyphs = UNICODE


def page_for(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Page:
    """COLUMNS if set, else the terminal's width, else 80; ASCII where nothing more is sure."""
    width = _columns(environ)
    if not width:
        width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns if stream.isatty() else 80
    dumb = environ.get("TERM") == "dumb"
    plain = dumb or not _encodes(stream.encoding or "ascii")
    return Page(max(width, LEAST_WIDTH), ASCII if plain else UNICODE)


def _columns(environ: Mapping[str, str]) -> int:
    text = environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def _encodes(encoding: str) -> bool:
    try:
        "".join((UNICODE.rising, UNICODE.hanging, UNICODE.ellipsis, UNICODE.arrow)).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def cells(text: str) -> int:
    """Terminal cells of a text."""
    return cell_len(text)


def shorten(text: str, width: int, page: Page) -> str:
    """One harmless line of at most `width` cells; what is cut off leaves an ellipsis.

    A letter is never parted from its marks.
    """
    line = one_line(text)
    if cell_len(line) <= width or width < 1:
        return line if width > 0 else ""
    kept, used = [], 0
    for cluster in clusters(line):
        used += cell_len(cluster)
        if used > width - 1:
            break
        kept.append(cluster)
    return "".join(kept) + page.glyphs.ellipsis


_JOINING = frozenset("\u200c\u200d\u0e33\u0eb3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, the vowels AM of Thai and Lao, skin tones: they belong to what stands before."""
_VIRAMA = 9  # the combining class of signs that bind consonants into one letter


def clusters(text: str) -> Iterator[str]:
    """Letters with the marks, joiners, variation selectors and skin tones that belong to them.

    Also kept whole: flags of two letters, Indic consonants bound by a virama, syllables of jamo.
    After Unicode Annex 29, extended grapheme clusters.
    """
    start = 0
    for i in range(1, len(text)):
        if not _belongs(text, start, i):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def _belongs(text: str, start: int, i: int) -> bool:
    """Whether character i goes with the cluster text[start:i]."""
    before, char = text[i - 1], text[i]
    if char < "\u0300":  # nothing below joins, but after a joiner
        return before == "\u200d" and not char.isascii()
    if before == "\u200d" or char in _JOINING or unicodedata.category(char)[0] == "M":
        return True
    if "\U000e0020" <= char <= "\U000e007f":
        return True
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return i - start == 1 and "\U0001f1e6" <= before <= "\U0001f1ff"
    if "\u1160" <= char <= "\u11ff":
        return "\u1100" <= before <= "\u11ff"
    return unicodedata.combining(before) == _VIRAMA and unicodedata.category(char) == "Lo"


def fit(text: str, width: int, page: Page, right: bool = False) -> str:
    """Shortened and filled up to exactly `width` cells."""
    short = shorten(text, width, page)
    space = " " * (width - cell_len(short))
    return space + short if right else short + space


def cut_inside(text: str, width: int, page: Page) -> str:
    """One line of at most `width` cells that keeps both ends: `installed_size >= 12000` and
    `installed_size >= 24000` stay different.
    """
    line = one_line(text)
    if cell_len(line) <= width:
        return line
    tail = ""
    for cluster in reversed(list(clusters(line[-4 * width :]))):
        if cell_len(cluster + tail) > (width - 1) // 2:
            break
        tail = cluster + tail
    return shorten(line, width - cell_len(tail), page) + tail


def flow(items: Iterable[Text], page: Page, indent: int = 0, gap: str = "  ") -> Text:
    """Items one after the other, as many in a line as go in; every line indented."""
    drawing, used = Text(" " * indent), indent
    for number, item in enumerate(items):
        if number and used + len(gap) + item.cell_len > page.width:
            drawing.append("\n" + " " * indent)
            used = indent
        elif number:
            drawing.append(gap)
            used += len(gap)
        drawing.append_text(item)
        used += item.cell_len
    return drawing


def wrap(text: str, page: Page) -> Text:
    """Words of a sentence in lines of the page; a word longer than a line is cut."""
    words = (Text(shorten(word, page.width, page)) for word in one_line(text).split(" "))
    return flow(words, page, gap=" ")


def plural(count: int, noun: str) -> str:
    """plural(1, "document") is "1 document", plural(2000, "document") is "2,000 documents"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def stack(drawings: Iterable[Text]) -> Text:
    """One below the other, without spaces at the ends of lines."""
    drawing = Text("\n").join(list(drawings))
    lines = drawing.split("\n", allow_blank=True)
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)
