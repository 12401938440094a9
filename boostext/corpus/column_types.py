"""Decide whether a column of attribute values contains numbers or categories, by majority."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from boostext.corpus.documents import Attribute, Document
from boostext.corpus.spellings import cell_number, comma_number
from boostext.settings import COLUMN_KINDS

NUMBER, DECIMAL_COMMA, CATEGORY = COLUMN_KINDS

LEADING_ZERO = re.compile(r"\s*0[0-9]+\s*")
"""Digits that are a code rather than a number, such as a postal code or an article number."""
MANY = 10
"""Minimum number of distinct categories in a column that may be meant as numbers."""
MEASURED = re.compile(r"[^\w\s]{0,3}\s?[-+\u2212]?[0-9][0-9.,_'\s]*[^\d\s]{0,8}\s*|0x[0-9a-fA-F]+")
"""A number with a unit, a currency, or other characters between its digits."""
THOUSANDS = re.compile(r"\s*[-+]?[0-9]{1,3},[0-9]{3}\s*")
"""A number whose comma may be a decimal comma or separate thousands."""


@dataclass(frozen=True)
class ColumnType:
    """The type of a column.

    kind: NUMBER, DECIMAL_COMMA or CATEGORY. strays: number of values in a column of numbers that
    are not numbers; first_stray: the index of the first. ambiguous: the commas may separate
    thousands. doubt: the kind of note that says why many of the categories may be meant as numbers.
    """

    kind: str
    strays: int = 0
    first_stray: int = -1
    ambiguous: bool = False
    doubt: str = ""


def column_type(values: Sequence[Attribute]) -> ColumnType:
    """The type of a column. None is a missing value.

    A column contains numbers if more than half of its known values are numbers, and categories
    otherwise. Numbers may have a decimal comma if none of them has a decimal point. A column that
    contains codes such as 01234 is a column of categories.
    """
    strings = Counter(value for value in values if isinstance(value, str))
    if not strings:
        return ColumnType(NUMBER)
    numbers = [v for v in values if isinstance(v, int | float) and not math.isnan(v)]
    plain = [text for text in strings if cell_number(text) is not None]
    commas = [text for text in strings if comma_number(text) is not None]
    if any(map(LEADING_ZERO.fullmatch, strings)) or not (numbers or commas):
        return ColumnType(CATEGORY, doubt=_doubt(strings, plain))
    pointed = any(not float(n).is_integer() for n in numbers) or any("." in t for t in plain)
    kind = DECIMAL_COMMA if commas and not pointed else NUMBER
    good = {*plain, *(commas if kind == DECIMAL_COMMA else ())}
    strays = sum(count for text, count in strings.items() if text not in good)
    known = len(numbers) + strings.total()
    if 2 * (known - strays) <= known:
        return ColumnType(CATEGORY, doubt=_doubt(strings, plain))
    first = next((i for i, v in enumerate(values) if isinstance(v, str) and v not in good), -1)
    ambiguous = kind == DECIMAL_COMMA and all(map(THOUSANDS.fullmatch, commas))
    return ColumnType(kind, strays, first, ambiguous)


def _doubt(strings: Collection[str], plain: Sequence[str]) -> str:
    """The note for categories of which many are distinct and most are or contain a number."""
    codes = any(map(LEADING_ZERO.fullmatch, strings))
    if len(strings) < MANY or codes:
        return ""
    if 2 * len(plain) >= len(strings):
        return "number as text"
    measured = [text for text in strings if len(text) < 40 and MEASURED.fullmatch(text)]
    return "more than a number" if 2 * len(measured) > len(strings) else ""


def as_number(value: Attribute, kind: str) -> float | None:
    """The number in a cell of a column of numbers; None if it is not a number."""
    if isinstance(value, str):
        comma = comma_number(value) if kind == DECIMAL_COMMA else None
        return cell_number(value) if comma is None else comma
    return value


def typed(documents: Iterable[Document], kinds: Mapping[str, str]) -> Iterator[Document]:
    """Convert the values in columns of numbers, others to None. kinds: column -> its type."""
    for document in documents:
        texts = {
            name: as_number(value, kinds[name])
            for name, value in document.attributes.items()
            if isinstance(value, str) and kinds.get(name, CATEGORY) != CATEGORY
        }
        yield (
            replace(document, attributes={**document.attributes, **texts}) if texts else document
        )
