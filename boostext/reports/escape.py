"""Text of the data made harmless: for fields of TSV, and on its way to a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

REPLACEMENT = "\ufffd"

_TSV = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_TSV_PATTERN = re.compile(r"[\\\t\n\r]")
_TSV_BACK = {escaped: char for char, escaped in _TSV.items()}

_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_TURNING = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    r"\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff"
)
_JOINED = r"[\u0300-\U0010ffff]"
_MISPLACED = (
    rf"(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"  # join nothing
    r"|(?<![0-9#*\u00a9-\U0010ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # vary nothing
    r"|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]"  # tag no flag
)


def visible(text: str, lines: bool = False) -> str:
    r"""Text that can neither steer a terminal nor hide anything in it.

    Control characters, marks that turn the direction of writing, invisible characters and halves
    of surrogate pairs become escapes such as `\x1b` and `\u202e`. Joiners, variation selectors and
    tags stay where they join, vary or tag something: Persian, Hindi and many emoji need them.
    lines: line ends and tabs stay too.
    """
    if text.isascii() and text.isprintable():
        return text
    return _hidden(lines).sub(_escaped, text)


@cache
def _hidden(lines: bool) -> re.Pattern[str]:
    """Compiled when first needed: plain texts never need it, and it takes as long as --help."""
    kept = r"(?!\n|\t|\r\n)" if lines else ""
    return re.compile(f"{kept}(?:[{_CONTROLS}{_TURNING}{_INVISIBLE}]|{_MISPLACED})")


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


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
    return "" if value is None else f"{value + 0.0:.9g}"  # 0 has no sign here


def one_line(text: str) -> str:
    """Text as one line of a listing: `visible`, with white space of any kind as one space."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return visible(" ".join(text.split()))


# Messages --------------------------------------------------------------------------------------

PATH = 200
"""The most characters of the path in a message; the others are for what is the matter."""
_PLACE = re.compile(r"""([^'"]*?)(:[0-9]+: )""")
"""PATH:LINE: at the beginning; what follows a quotation mark is a value, and no place."""


def shortened(message: str, length: int) -> str:
    """At most `length` characters: the place and the advice at the end stay, the middle goes."""
    if len(message) <= length:
        return message
    place = _PLACE.match(message)
    if place is None:
        return _without_middle(message, length)
    path, line = place.groups()
    if len(path) > PATH:
        path = "…" + path[1 - PATH :]
    left = length - len(path) - len(line)
    return path + line + _without_middle(message[place.end() :], left)


def _without_middle(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    end = length // 2
    return f"{text[: length - end - 1]}…{text[-end:]}"
