"""The questions that rules ask of a document. A condition names its term or column.

Blocks of every condition: UNKNOWN 0, NO 1, YES 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

UNKNOWN, NO, YES = 0, 1, 2
GAP = None
LOWEST = -sys.float_info.max
"""A threshold below all values: the condition is that there is a value."""


@dataclass(frozen=True, slots=True)
class Occurs:
    """The term occurs at least `at_least` times in the text field. A text is never unknown.

    term: tokens as normalized by the tokenizer; None is a gap (`person ? person`).
    For character n-grams one token, the n-gram itself.
    """

    field: str
    term: tuple[str | None, ...]
    at_least: int = 1


@dataclass(frozen=True, slots=True)
class Equals:
    """The attribute has this category; unknown where it is missing."""

    column: str
    value: str


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The numeric attribute is at or above the threshold; unknown where it is missing."""

    column: str
    threshold: float


@dataclass(frozen=True, slots=True)
class Always:
    """Every document is in block YES: what a rule says that looks at no document."""


Condition = Occurs | Equals | AtLeast | Always


@dataclass(frozen=True, slots=True)
class Known:
    """The prior knowledge, in explanations; no rule asks for it. rules: those that hold."""

    rules: tuple[str, ...]


class Literal(NamedTuple):
    """A condition and the block in which it must be for a rule to speak."""

    condition: Condition
    block: int


def spell(condition: Condition | Known, fields: int = 1) -> str:
    """A condition as people read it: `person ? person`, `subject:free`, `free (>= 3)`.

    fields: how many text fields the model has; with more than one the field is named.
    """
    match condition:
        case Occurs(field, term, at_least):
            words = " ".join("?" if token is None else _spell_token(token) for token in term)
            name = words if fields == 1 else f"{field}:{words}"
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


def spell_literal(literal: Literal, fields: int = 1) -> str:
    """`person`, `not person`, `free (< 3)`, `color != red`, `age < 30`, `age unknown`."""
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
    """A condition after its precondition: `wheat & not corn & price >= 3`."""
    parts = [spell_literal(literal, fields) for literal in precondition]
    if not (parts and isinstance(condition, Always)):
        parts.append(spell(condition, fields))
    return " & ".join(parts)


def _spell_token(token: str) -> str:
    """Blanks inside a token show as `·`; a real `·`, or `?` alone, gets a backslash."""
    return "\\?" if token == "?" else token.replace("·", "\\·").replace(" ", "·")
