"""Recognize numbers, lists, and yes or no in data that represents them as text."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Sequence

MARKS = frozenset(
    ("nan", "null", "none", "na", "n/a", "n.a.", "<na>", "#n/a", r"\n", "nat", "-", "--")
)
"""Strings that programs write for a missing value, ignoring case. A blank cell is also missing."""

NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
"""Matches a cell that is a number; 007, 1_000, inf and nan are not numbers."""
COMMA_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),[0-9]+")
"""Matches a number with a decimal comma, and possibly with points between thousands."""

SIDE_BY_SIDE = re.compile(r"""(?<=['"])\s+(?=['"])""")
"""Matches the space between strings in a list that was printed by NumPy."""
LONGEST_LITERAL = 100_000
"""Maximum number of characters of a list in Python's notation. Lists in JSON may be longer."""

SWITCHES: dict[str, tuple[str, bool]] = {
    "1": ("number", True),
    "0": ("number", False),
    "1.0": ("number", True),
    "0.0": ("number", False),
    "true": ("truth", True),
    "false": ("truth", False),
    "t": ("t", True),
    "f": ("t", False),
    "yes": ("yes", True),
    "no": ("yes", False),
    "y": ("y", True),
    "n": ("y", False),
    "x": ("cross", True),
    "✓": ("cross", True),
    "✔": ("cross", True),
}
"""text of a one-hot cell -> the pair of words it belongs to, and whether the label is present"""


# Numbers --------------------------------------------------------------------------------------


def cell_number(cell: str) -> float | None:
    """The number in a cell, or None if it does not contain one."""
    return float(cell) if NUMBER.fullmatch(cell.strip()) else None


def comma_number(cell: str) -> float | None:
    """The number with a decimal comma in a cell, or None if it does not contain one."""
    text = cell.strip()
    return float(text.replace(".", "").replace(",", ".")) if COMMA_NUMBER.fullmatch(text) else None


def number_text(value: int | float) -> str:
    """The shortest decimal text of a number: 3.0 is "3", 0.5 is "0.5"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return str(value) if isinstance(value, int) else repr(value)


def truth_text(value: object) -> str:
    """A Boolean value in JSON's notation."""
    return "true" if value else "false"


# Yes or no ------------------------------------------------------------------------------------


def is_switch(value: object) -> bool:
    """Whether a value means yes or no for its column. An empty value means no."""
    return _switch(value) is not None


def switched(value: object) -> bool:
    """Whether a value that means yes or no means yes."""
    found = _switch(value)
    return found is not None and found[1]


def _switch(value: object) -> tuple[str, bool] | None:
    if isinstance(value, str):
        text = value.strip().casefold()
        return SWITCHES.get(text) if text and text not in MARKS else ("", False)
    if value is None or value != value:
        return "", False
    if isinstance(value, bool | int | float):
        return ("number", value == 1) if value in (0, 1) else None
    return None


def looks_one_hot(values: Sequence[object]) -> bool | None:
    """Whether all label columns contain the same kind of yes or no; None if all are blank."""
    found = [_switch(value) for value in values]
    pairs = {pair[0] for pair in found if pair is not None and pair[0]}
    if None in found or len(pairs) > 1:
        return False
    return True if pairs else None


def is_vector(value: Sequence[object]) -> bool:
    """Whether a list may be an indicator vector with 0 or 1 for each label."""
    return len(value) > 1 and all(
        isinstance(member, int | float) and member in (0, 1) for member in value
    )


def are_shares(values: Sequence[object]) -> bool:
    """Whether label columns contain only numbers, one of which is negative or not whole."""
    texts = [value if isinstance(value, str) else str(value) for value in values]
    numbers = [cell_number(text) for text in texts if text.strip()]
    found = [number for number in numbers if number is not None]
    return len(found) == len(numbers) and any(n < 0 or not n.is_integer() for n in found)


# Lists ----------------------------------------------------------------------------------------


def split_labels(text: str, separator: str) -> list[str]:
    """The parts between separators. Separators within double quotes are part of the text."""
    if not separator:
        return [text]
    if '"' not in text:
        return text.split(separator)
    end = f"(?:{re.escape(separator)}|$)"
    part = re.compile(rf'\s*"((?:[^"]|"")*)"\s*{end}|(.*?){end}', re.DOTALL)
    found, place = [], 0
    while place < len(text):
        match = part.match(text, place)
        assert match is not None  # the second alternative matches any text
        found.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        place = match.end()
    return found + [""] * text.endswith(separator)


def parsed(text: str) -> object:
    """The value of a list or object in the notation of JSON or Python; None for other text."""
    try:
        found: object = json.loads(text)
        return found
    except (ValueError, RecursionError):
        pass
    if len(text) > LONGEST_LITERAL:
        return None
    if "," not in text:  # printed by NumPy; Python would concatenate the strings
        text = SIDE_BY_SIDE.sub(", ", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            found = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return found
