"""What a record of any input format becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Attribute = float | str | None
"""A number, a category, or None where the value is missing."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document was read: path as given ("-" is stdin), 1-based first line (0: the file)."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Document:
    """One example as read: nothing normalized, labels in the order given, no label twice.

    texts: text field -> text, in the order of the fields; a missing field is absent.
    id: as given, else "FILENAME:NUMBER"; labelled is False where the record has no label field.
    scored: scored texts, column -> word -> its value.
    columns: the fields of the record as they stand there, without the one called id that the id
    says again; None unless the reading was asked for them and the format has records.
    """

    id: str
    texts: Mapping[str, str]
    labels: tuple[str, ...] = ()
    weight: float = 1.0
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    origin: Origin = Origin("-", 0)
    labelled: bool = True
    scored: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    columns: Mapping[str, object] | None = None

    def word_values(self) -> dict[str, float]:
        """Every word of the scored texts, spelled `column:word` as conditions spell it."""
        return {
            f"{name}:{word}": value for name, words in self.scored.items()
            for word, value in words.items()
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told(Document):
    """A document whose texts stayed where it was read, and what is told of it instead.

    digest: see corpus.digest_of. characters: of all texts. part, place: where it is to be found
    again.
    """

    digest: bytes = b""
    characters: int = 0
    part: int = 0
    place: int = 0
