"""The document, into which a record of any input format is converted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

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

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, (self.path, self.line)


TEXT = 600
"""Bytes of a document for each of its texts, besides those of the text: its share of the objects
that hold the names, labels and origin.
"""


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

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(len(text) + TEXT for text in self.texts.values())

    def __reduce__(self) -> tuple[Any, ...]:
        # several times as fast as what dataclasses with slots do
        return type(self), _VALUES[type(self)](self)

    def word_values(self) -> dict[str, float]:
        """Every word of the scored texts -> its value. Words are written `column:word`, as in
        conditions.
        """
        return {
            f"{name}:{word}": value
            for name, words in self.scored.items()
            for word, value in words.items()
        }


@dataclass(frozen=True, slots=True)
class RemoteDocument(Document):
    """A document without its texts, which stay in the process that read them.

    digest: see corpus.digest_of. characters: number of characters of all texts. part, place: the
    part of the data, and the index in it, where the document can be found again.
    """

    digest: bytes = b""
    characters: int = 0
    part: int = 0
    place: int = 0


_VALUES: dict[type[Document], Callable[[Document], tuple[Any, ...]]] = {
    kind: attrgetter(*(each.name for each in fields(kind))) for kind in (Document, RemoteDocument)
}
"""Returns the values of all fields, in order."""
