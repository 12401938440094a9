"""How numbers, lists, and yes or no are spelled where data holds them as text."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Sequence

MARKS = frozenset(
    ("nan", "null", "none", "na", "n/a", "n.a.", "<na>", "#n/a", r"\n", "nat", "-", "--")
)
"""What programs write for a missing value, in any case; a blank cell is missing, too."""

NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
"""A cell that is a number; 007, 1_000, inf and nan are none."""
COMMA_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+),[0-9]+")
"""A number with a decimal comma, and perhaps points between thousands."""

SIDE_BY_SIDE = re.compile(r"""(?<=['"])\s+(?=['"])""")
"""Between the strings of a list that NumPy printed."""
LONGEST_LITERAL = 100_000
"""Characters of a list in Python's notation; in JSON it may be longer."""

SWITCHES: dict[str, tuple[str, bool]] = {
    "1": ("number", True), "0": ("number", False), "1.0": ("number", True),
    "0.0": ("number", False), "true": ("truth", True), "false": ("truth", False),
    "t": ("t", True), "f": ("t", False), "yes": ("yes", True), "no": ("yes", False),
    "y": ("y", True), "n": ("y", False), "x": ("cross", True), "✓": ("cross", True),
    "✔": ("cross", True),
}  # fmt: skip
"""What a one-hot cell says -> the pair of words it belongs to, and whether the label is given."""


# Numbers --------------------------------------------------------------------------------------


def cell_number(cell: str) -> float | None:
    """The number a cell spells, as people write it, or None."""
    return float(cell) if NUMBER.fullmatch(cell.strip()) else None


def comma_number(cell: str) -> float | None:
    """The number a cell spells with a decimal comma, or None."""
    text = cell.strip()
    return float(text.replace(".", "").replace(",", ".")) if COMMA_NUMBER.fullmatch(text) else None


def number_text(value: int | float) -> str:
    """3.0 is "3", 0.5 is "0.5"."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return str(value) if isinstance(value, int) else repr(value)


def truth_text(value: object) -> str:
    """As JSON spells it."""
    return "true" if value else "false"


# Yes or no ------------------------------------------------------------------------------------


def is_switch(value: object) -> bool:
    """Whether a value says yes or no about its column; nothing says no."""
    return _switch(value) is not None


def switched(value: object) -> bool:
    """Whether a value that is a switch says yes."""
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
    """Whether the label columns of a record hold switches of one kind; None where all are blank."""
    found = [_switch(value) for value in values]
    pairs = {pair[0] for pair in found if pair is not None and pair[0]}
    if None in found or len(pairs) > 1:
        return False
    return True if pairs else None


def is_vector(value: Sequence[object]) -> bool:
    """Whether a list may be a place for each label with 0 or 1 in it."""
    return len(value) > 1 and all(
        isinstance(member, int | float) and member in (0, 1) for member in value
    )


def are_shares(values: Sequence[object]) -> bool:
    """Whether label columns hold numbers alone, of which one is below 0 or no whole one."""
    texts = [value if isinstance(value, str) else str(value) for value in values]
    numbers = [cell_number(text) for text in texts if text.strip()]
    found = [number for number in numbers if number is not None]
    return len(found) == len(numbers) and any(n < 0 or not n.is_integer() for n in found)


# Lists ----------------------------------------------------------------------------------------


def split_labels(text: str, separator: str) -> list[str]:
    """The parts between separators; in a part within double quotes separators are text."""
    if not separator:
        return [text]
    if '"' not in text:
        return text.split(separator)
    end = f"(?:{re.escape(separator)}|$)"
    part = re.compile(rf'\s*"((?:[^"]|"")*)"\s*{end}|(.*?){end}', re.DOTALL)
    found, place = [], 0
    while place < len(text):
        match = part.match(text, place)
        assert match is not None  # the second form takes any text
        found.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        place = match.end()
    return found + [""] * text.endswith(separator)


def parsed(text: str) -> object:
    """What a list or object written as text holds, by JSON or as Python prints it; else None."""
    try:
        found: object = json.loads(text)
        return found
    except (ValueError, RecursionError):
        pass
    if len(text) > LONGEST_LITERAL:
        return None
    if "," not in text:  # as NumPy prints arrays; Python would read their strings as one
        text = SIDE_BY_SIDE.sub(", ", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python frowns upon
            found = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return found
