"""Texts of users, made harmless: for fields of TSV, and for one line of a terminal or listing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

REPLACEMENT = "\ufffd"

_TSV = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_TSV_PATTERN = re.compile(r"[\\\t\n\r]")
_TSV_BACK = {escaped: char for char, escaped in _TSV.items()}

# Format characters that scripts need: joiners, and the visible signs of Arabic, Syriac and Kaithi.
_NEEDED = frozenset(
    "\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
    "\U000110bd\U000110cd"
)
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")
_HARMFUL = ("Cc", "Cf", "Cs")


def tsv_field(text: str) -> str:
    r"""One field: tab, newline, return and backslash become \t \n \r \\, nothing else changes."""
    return _TSV_PATTERN.sub(lambda match: _TSV[match[0]], text)


def read_tsv_field(field: str) -> str:
    """The inverse of `tsv_field`."""
    return re.sub(r"\\[\\tnr]", lambda match: _TSV_BACK[match[0]], field)


def tsv_names(names: Iterable[str]) -> str:
    r"""Several names in one field: joined by `|`, a `|` of their own is written `\|`."""
    return "|".join(tsv_field(name).replace("|", "\\|") for name in names)


def tsv_number(value: float | None) -> str:
    """Nine significant digits; nothing where the number is not known."""
    return "" if value is None else f"{value:.9g}"


def one_line(text: str) -> str:
    """Text that cannot move a cursor, reorder a line, or break it.

    White space of any kind becomes one space. Control characters, marks that turn the direction
    of writing, and lone surrogates become U+FFFD; characters nobody sees are dropped. Joiners
    stay: Persian, Hindi and many emoji need them.
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return "".join(map(_harmless, " ".join(text.split())))


def _harmless(char: str) -> str:
    if char.isprintable() or char in _NEEDED:
        return char
    if char in _INVISIBLE:
        return ""
    return REPLACEMENT if unicodedata.category(char) in _HARMFUL else char
