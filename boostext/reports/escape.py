"""Escaping of text from the data: for TSV fields and for terminals; shortening of messages."""

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
    r"\ufff0-\ufffb"
)
_FAR_INVISIBLE = r"\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff"
_SUSPICIOUS = rf"{_CONTROLS}{_TURNING}{_INVISIBLE}\u200c\u200d\ufe00-\ufe0f\U00010000-\U0010ffff"
"""Characters that could have to be escaped. All that are beyond 16 bits belong to them, because
`re` is several times as fast without exceptions among these.
"""
_JOINED = r"[\u0300-\U0010ffff]"
_MISPLACED = (
    rf"(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"  # joiners that join nothing
    r"|(?<![0-9#*\u00a9-\U0010ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # unused selectors
    r"|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]"  # tags outside flags
)


def visible(text: str, lines: bool = False) -> str:
    r"""Escape characters that could control a terminal or hide text in it.

    Control characters, marks that change the direction of text, invisible characters and lone
    surrogates are replaced by escapes such as `\x1b` and `\u202e`. Joiners, variation selectors and
    tags are kept if they affect a neighboring character, as they do in Persian, Hindi and many
    emoji. lines: whether line ends and tabs are kept as well.
    """
    if text.isascii() and text.isprintable():
        return text
    return _hidden(lines).sub(_escaped, text) if _suspicious().search(text) else text


@cache
def _suspicious() -> re.Pattern[str]:
    """A pattern for texts in which nothing is escaped; it is much faster than that of `_hidden`."""
    return re.compile(f"[{_SUSPICIOUS}]")


@cache
def _hidden(lines: bool) -> re.Pattern[str]:
    """Compile the pattern when it is first needed, because that takes as long as all of --help."""
    kept = r"(?!\n|\t|\r\n)" if lines else ""
    return re.compile(f"{kept}(?:[{_CONTROLS}{_TURNING}{_INVISIBLE}{_FAR_INVISIBLE}]|{_MISPLACED})")


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def tsv_field(text: str) -> str:
    r"""Escape a TSV field: tab, newline, return and backslash are written as \t, \n, \r and \\."""
    if text.isprintable() and "\\" not in text:
        return text
    return _TSV_PATTERN.sub(lambda match: _TSV[match[0]], text)


def read_tsv_field(field: str) -> str:
    """Return the text of an escaped TSV field, the inverse of `tsv_field`."""
    return re.sub(r"\\[\\tnr]", lambda match: _TSV_BACK[match[0]], field)


def tsv_names(names: Iterable[str]) -> str:
    r"""Return several names as one TSV field, joined by `|`; a `|` in a name is written as `\|`."""
    return "|".join([tsv_field(name).replace("|", "\\|") for name in names])


def tsv_number(value: float | None) -> str:
    """Return a number with nine significant digits, or "" for None."""
    return "" if value is None else f"{value + 0.0:.9g}"  # adding 0.0 turns -0.0 into 0.0


def one_line(text: str) -> str:
    """Return a text as one line: escaped by `visible`, and with single spaces for white space."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return visible(" ".join(text.split()))


# Messages --------------------------------------------------------------------------------------

PATH = 200
"""Maximum number of characters of a path in a message."""
_PLACE = re.compile(r"""([^'"]*?)(:[0-9]+: )""")
"""Matches PATH:LINE: at the beginning of a message; it contains no quoted value."""


def shortened(message: str, length: int) -> str:
    """Shorten a message to `length` characters.

    The location at the beginning and the end of the message, which says what to do, are kept.
    """
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
