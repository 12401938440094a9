"""Text layout for terminals and pipes: line widths, truncation, padding, wrapping, and bars.

Widths are measured in terminal cells: a CJK ideograph takes two, a combining mark none. Drawings
are rich `Text` objects, which keep styles separate from the text, so that text from the user is
never interpreted as markup.
"""

from __future__ import annotations

import math
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
    """The characters used in drawings.

    rising, hanging: bars of increasing size for positive and for negative votes, or empty if signed
    digits are used instead. Both have the same number of sizes, and come from the same Unicode
    block so that they have the same width. little: stands for negligible votes.
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
    """The line width, in cells, and the characters available to a drawing."""

    width: int = PIPE_WIDTH
    glyphs: Glyphs = UNICODE


def page_for(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Page:
    """Return the page for an output stream.

    The width is COLUMNS if it is set, otherwise the width of the terminal, or 80 if the stream is
    not a terminal; it is at least LEAST_WIDTH. Only ASCII characters are used if TERM is "dumb" or
    the encoding of the stream lacks the others.
    """
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
    """Return the width of a text in terminal cells."""
    return cell_len(text)


def shorten(text: str, width: int, page: Page) -> str:
    """Return the text as one line without control characters, of at most `width` cells.

    Truncated text ends in an ellipsis. A letter is never separated from its combining marks.
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
"""Joiners, the vowels AM of Thai and Lao, and skin tones, which extend the preceding cluster."""
_VIRAMA = 9  # combining class of signs that join consonants into one letter


def clusters(text: str) -> Iterator[str]:
    """Yield the characters of a text as perceived by users.

    A cluster is a letter with its marks, joiners, variation selectors and skin tones. Flags of two
    letters, Indic consonants joined by a virama, and syllables of jamo are also kept together.
    This follows the extended grapheme clusters of Unicode Annex 29.
    """
    start = 0
    for i in range(1, len(text)):
        if not _belongs(text, start, i):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def _belongs(text: str, start: int, i: int) -> bool:
    """Return whether character i extends the cluster text[start:i]."""
    before, char = text[i - 1], text[i]
    if char < "\u0300":  # these extend a cluster only after a joiner
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
    """Shorten or pad the text to exactly `width` cells; `right` aligns it to the right."""
    short = shorten(text, width, page)
    space = " " * (width - cell_len(short))
    return space + short if right else short + space


def cut_inside(text: str, width: int, page: Page) -> str:
    """Return one line of at most `width` cells, with the text truncated in the middle.

    Both ends are kept, so `installed_size >= 12000` and `installed_size >= 24000` stay distinct.
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
    """Arrange items on as few lines as possible, in order, with every line indented."""
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
    """Wrap a text at the width of the page; words longer than a line are truncated."""
    words = (Text(shorten(word, page.width, page)) for word in one_line(text).split(" "))
    return flow(words, page, gap=" ")


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: "1 document", or "2,000 documents" for a count of 2000."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def stack(drawings: Iterable[Text]) -> Text:
    """Stack drawings vertically and remove trailing spaces from every line."""
    drawing = Text("\n").join(list(drawings))
    lines = drawing.split("\n", allow_blank=True)
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


# Votes as bars -------------------------------------------------------------------------------


def bar(vote: float, full: float, width: int, glyphs: Glyphs) -> str:
    """Return a vote as a bar of `width` cells; `full` is the absolute vote of a full bar.

    Bars of positive votes are solid and become taller with the vote; bars of negative votes are
    shaded and become darker. They can thus be told apart without color. If the glyphs have no
    bars, the result is the sign and a digit from 1 to 9. A vote of 0 is blank, and one smaller than
    full / 16 is a dot.

    bar(+1.0, 2.0, 2, UNICODE) returns "▅▅"; bar(-1.0, 2.0, 2, UNICODE) returns "▒▒".
    """
    if vote == 0 or full <= 0:
        return " " * width
    share = min(abs(vote) / full, 1.0)
    if share < 1 / 16:
        return glyphs.little.center(width)
    levels = glyphs.rising if vote > 0 else glyphs.hanging
    if not levels:
        return f"{'+' if vote > 0 else '-'}{math.ceil(share * 9)}".center(width)
    return levels[math.ceil(share * len(levels)) - 1] * width


def bar_style(vote: float, full: float) -> str:
    """Return the style of the bar of a vote."""
    if full <= 0 or abs(vote) < full / 16:
        return QUIET
    return FOR if vote > 0 else AGAINST


def signed(vote: float) -> str:
    """Return a vote with its sign and two decimals, such as "+1.20"."""
    return f"{vote:+.2f}"
