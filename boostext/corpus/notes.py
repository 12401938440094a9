"""Count the guesses made while reading. Each kind is reported once, with an option to change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from boostext.corpus.documents import Origin

EXAMPLES = 3
"""Maximum number of distinct values that are kept for each kind of guess."""

KINDS = {
    "missing label": (
        "labels that mark a missing value are read as no label",
        '--missing "" keeps them',
    ),
    "missing text": (
        "texts that are missing are read as empty",
        '--missing "" keeps those that are words',
    ),
    "missing weight": (
        "weights that mark a missing value are read as 1",
        '--weight "" uses no weights',
    ),
    "missing attribute": (
        "attributes that mark a missing value are read as unknown",
        '--missing "" keeps them as categories',
    ),
    "text for a number": (
        "texts where a number was expected are read as unknown",
        "train with --attribute-type NAME=category if the column contains categories",
    ),
    "number as text": (
        "texts that spell numbers are read as categories",
        "--attribute-type NAME=number reads them as numbers",
    ),
    "more than a number": (
        "values that contain more than a number are read as categories",
        "write only the numbers if they are meant, or add --attribute-type NAME=category",
    ),
    "whole number as label": (
        "labels that are whole numbers are read without a decimal point, 1.0 as 1",
        "--literal-labels keeps them unchanged",
    ),
    "blanks around a label": (
        "labels are read without the spaces around them",
        "--literal-labels keeps them",
    ),
    "list written as text": (
        "labels written as a list are read as the labels in it",
        "--literal-labels takes them unchanged",
    ),
    "labels inside an object": (
        "objects are read as the labels they hold",
        "--label names another field",
    ),
    "label in brackets": (
        "labels in brackets that are not a list are taken unchanged",
        "--label-sep splits labels",
    ),
    "no id": (
        "ids that are neither text nor number are replaced by the file name and a number",
        "--id names another field",
    ),
    "header over numbered columns": (
        "the first row is read as the names of the columns, although these are given by number",
        "--no-header reads it as data",
    ),
    "one-hot columns": (
        "the names of columns that contain only 0 and 1, or no and yes, are the labels",
        "--no-one-hot reads their cells as labels",
    ),
}
"""kind of guess -> what is done, and how the user can change it"""


@dataclass
class Note:
    """The number of guesses of one kind, the origin of the first, and the first distinct values."""

    kind: str
    first: Origin
    count: int = 0
    values: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        done, option = KINDS[self.kind]
        values = ", ".join(_shown(value) for value in self.values[:EXAMPLES])
        more = ", ..." if len(self.values) > EXAMPLES else ""
        return f"{done}: {values}{more} ({self.count:,}, the first at {self.first}); {option}"

    def to_dict(self) -> dict[str, object]:
        """Convert to values that JSON can represent."""
        return {
            "kind": self.kind,
            "count": self.count,
            "first": str(self.first),
            "values": self.values[:EXAMPLES],
        }


@dataclass
class Notes:
    """The guesses made while reading, in order of the first one of each kind."""

    kinds: dict[str, Note] = field(default_factory=dict)

    def add(self, kind: str, value: str, origin: Origin, count: int = 1) -> None:
        """Count one guess, or `count` equal ones."""
        note = self.kinds.setdefault(kind, Note(kind, origin))
        note.count += count
        if len(note.values) <= EXAMPLES and value not in note.values:
            note.values.append(value)

    def join(self, other: Notes) -> None:
        """Add the guesses of the next part of the data."""
        for note in other:
            for value in note.values or [""]:
                self.add(note.kind, value, note.first, 0)
            self.kinds[note.kind].count += note.count

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def __iter__(self) -> Iterator[Note]:
        return iter(self.kinds.values())


def _shown(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:57] + "...")
