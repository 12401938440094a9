"""Which fields of a record mean what, and the checks every format shares."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from boostext.corpus.documents import Attribute
from boostext.corpus.sources import Source
from boostext.settings import DataSettings

DEFAULTS = DataSettings()
NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
"""A cell that is a number; 007, 1_000, inf and nan are categories."""
GREATEST_WEIGHT = 1e100


@dataclass(frozen=True)
class Roles:
    """The settings of fields, as the readers ask for them.

    texts: none where the records hold attributes only (`--text ""`). alternatives: the first
    label field present counts, else all do. id, weight: empty where no field has the role.
    required: names a record must have, beside texts and labels. labelled: labels must be there.
    """

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    alternatives: bool
    id: str
    weight: str
    required: frozenset[str]
    attributes: tuple[str, ...]
    label_sep: str
    labelled: bool

    @staticmethod
    def of(settings: DataSettings, labelled: bool) -> Roles:
        """A weight field that is also named as an attribute is an attribute, unless named twice."""
        weight_named = settings.weight != DEFAULTS.weight
        taken = settings.weight in settings.attribute and not weight_named
        named = {settings.id} - {DEFAULTS.id} | {settings.weight} - {DEFAULTS.weight}
        return Roles(
            texts=tuple(name for name in settings.text if name),
            labels=settings.label,
            alternatives=settings.label == DEFAULTS.label,
            id=settings.id,
            weight="" if taken else settings.weight,
            required=frozenset(named - {""}) if labelled else frozenset(),
            attributes=settings.attribute,
            label_sep=settings.label_sep,
            labelled=labelled,
        )

    def label_fields(self, found: Collection[str]) -> list[str]:
        """The label fields that are there and count, in the order of the settings."""
        present = [name for name in self.labels if name in found]
        return present[:1] if self.alternatives else present


def missing(what: str, option: str, wanted: Sequence[str], found: Iterable[str]) -> str:
    """Says what was looked for, what there is, and the nearest name."""
    names = [name for name in found if name]
    looked = " or ".join(map(shown, wanted))
    there = ", ".join(map(shown, names[:20])) + (", ..." if len(names) > 20 else "")
    near = [n for w in wanted for n in difflib.get_close_matches(w, names[:1000], 1)]
    hint = f"; did you mean {option} {near[0]}?" if near else f"; name it by {option}"
    return f"no {what} {looked} (there are: {there or 'none'}){hint}"


def shown(value: object, limit: int = 60) -> str:
    """A value quoted for a message: short, and nothing in it that moves a cursor."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def split_labels(value: str, separator: str) -> list[str]:
    """One label, or the parts between separators; a part keeps its spaces."""
    return value.split(separator) if separator else [value]


def label_set(labels: Iterable[str], source: Source, line: int) -> tuple[str, ...]:
    """Each label once, in the order given; an empty one is a fault."""
    distinct = tuple(dict.fromkeys(labels))
    if "" in distinct:
        raise source.fault(line, "an empty label; leave it out, or give it a name")
    return distinct


def checked_weight(value: float, source: Source, line: int) -> float:
    """A weight of 0 or more, small enough that no sum of weights is infinite."""
    if not 0 <= value <= GREATEST_WEIGHT:
        raise source.fault(
            line, f"weight is {value}; it must be a number from 0 to {GREATEST_WEIGHT}"
        )
    return value


def cell_number(cell: str) -> float | None:
    """The number a cell spells, as people write it, or None."""
    return float(cell) if NUMBER.fullmatch(cell.strip()) else None


def cell_attribute(cell: str) -> Attribute:
    """A number, a category, or None for an empty cell."""
    if not cell.strip():
        return None
    number = cell_number(cell)
    return cell if number is None or math.isinf(number) else number


def default_id(given: str, source: Source, number: int) -> str:
    """The id of a record; FILENAME:NUMBER where it gives none."""
    return given or f"{source.name}:{number}"
