"""The conditions that rules test on a document. A condition names its term or column.

The blocks of every condition are UNKNOWN 0, NO 1 and YES 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from boostext.text_settings import LETTERS

UNKNOWN, NO, YES = 0, 1, 2
GAP = None
LOWEST = -sys.float_info.max
"""A threshold below all values: the condition tests whether there is a value."""


@dataclass(frozen=True, slots=True)
class Occurs:
    """The term occurs at least `at_least` times in the text field. It is never unknown.

    term: tokens as normalized by the tokenizer; None is a gap (`person ? person`).
    A character n-gram is a single token.
    """

    field: str
    term: tuple[str | None, ...]
    at_least: int = 1


@dataclass(frozen=True, slots=True)
class Equals:
    """The attribute has this category; unknown if the attribute is missing."""

    column: str
    value: str


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The numeric attribute is at or above the threshold; unknown if the attribute is missing."""

    column: str
    threshold: float


@dataclass(frozen=True, slots=True)
class Always:
    """Every document is in block YES: the condition of rules that apply to all documents."""


Condition = Occurs | Equals | AtLeast | Always


@dataclass(frozen=True, slots=True)
class Known:
    """The prior knowledge, in explanations only; rules never use it. rules: those that hold."""

    rules: tuple[str, ...]


class Literal(NamedTuple):
    """A condition and the block that a document must be in for a rule to apply."""

    condition: Condition
    block: int


def spell(condition: Condition | Known, fields: int = 1) -> str:
    """Return a condition in readable form: `person ? person`, `subject:free`, `free (>= 3)`,
    `letters:fre`.

    fields: the number of text fields of the model; if there are several, the field is named.
    """
    match condition:
        case Occurs(field, term, at_least):
            words = " ".join("?" if token is None else _spell_token(token) for token in term)
            name = field_prefix(field, fields) + words
            return name if at_least == 1 else f"{name} (>= {at_least})"
        case Equals(column, value):
            return f"{column} = {value}"
        case AtLeast(column, threshold) if threshold == LOWEST:
            return f"{column} is known"
        case AtLeast(column, threshold):
            return f"{column} >= {threshold:.12g}"
        case Always():
            return "every document"
        case Known(rules):
            return f"knowledge: {'; '.join(rules) or 'no rule holds'}"


def field_prefix(field: str, fields: int) -> str:
    """Return what comes before a term to name its field, or "" for words of the only text field.

    fields: the number of text fields of the model.
    """
    if fields == 1:
        return "letters:" if field.endswith(LETTERS) else ""
    return f"{field}:"


def spell_literal(literal: Literal, fields: int = 1) -> str:
    """Return `person`, `not person`, `free (< 3)`, `color != red`, `age < 30` or `age unknown`."""
    condition, block = literal
    if block == YES:
        return spell(condition, fields)
    if block == UNKNOWN:
        return f"{_column(condition)} unknown"
    match condition:
        case Occurs(field, term, at_least) if at_least > 1:
            return f"{spell(Occurs(field, term), fields)} (< {at_least})"
        case Equals(column, value):
            return f"{column} != {value}"
        case AtLeast(column, threshold) if threshold != LOWEST:
            return f"{column} < {threshold:.12g}"
    return f"not {spell(condition, fields)}"


def _column(condition: Condition) -> str:
    return condition.column if isinstance(condition, Equals | AtLeast) else spell(condition)


def spell_rule(
    precondition: Sequence[Literal], condition: Condition | Known, fields: int = 1
) -> str:
    """Return a condition after its precondition: `wheat & not corn & price >= 3`."""
    parts = [spell_literal(literal, fields) for literal in precondition]
    if not (parts and isinstance(condition, Always)):
        parts.append(spell(condition, fields))
    return " & ".join(parts)


def _spell_token(token: str) -> str:
    """Show blanks in a token as `·`; put a backslash before a real `·` and before a lone `?`."""
    return "\\?" if token == "?" else token.replace("·", "\\·").replace(" ", "·")
