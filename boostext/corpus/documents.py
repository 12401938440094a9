"""The document, into which a record of any input format is converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Attribute = float | str | None
"""A number, a category, or None if the value is missing."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document was read: its path as given ("-" is stdin) and its first line.

    line: 1-based; 0 stands for the file as a whole.
    """

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Document:
    """One example as it was read: not normalized, labels in the given order, no label twice.

    texts: text field -> text, in the order of the fields; a missing field is absent.
    id: as given, or "FILENAME:NUMBER". labelled: False if the record has no label field.
    scored: scored texts, column -> word -> its value.
    columns: the unchanged fields of the record, without a field `id` that only repeats the id; None
    unless they were requested and the format has records.
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
        """Every word of the scored texts -> its value. Words are written `column:word`, as in
        conditions.
        """
        return {
            f"{name}:{word}": value for name, words in self.scored.items()
            for word, value in words.items()
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told(Document):
    """A document without its texts, which stay in the process that read them.

    digest: see corpus.digest_of. characters: number of characters of all texts. part, place: the
    part of the data, and the index in it, where the document can be found again.
    """

    digest: bytes = b""
    characters: int = 0
    part: int = 0
    place: int = 0
