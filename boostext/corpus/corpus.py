"""The data about documents that training keeps after their texts have been read."""

from __future__ import annotations

import hashlib
import re
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists, Places
from boostext.corpus.documents import Attribute, Document, Origin, RemoteDocument

SNIPPET = 160
"""Maximum number of characters of a text in listings."""

UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the direction of text."""


@dataclass(frozen=True)
class Corpus:
    """m examples without their texts.

    labels: the k label names in label order (sorted, unless an order was given).
    label_sets: m lists of label numbers, in the order given in the record.
    weights: (m,), as given, before any scaling. attributes: column -> m values.
    scored: `column:word` of scored texts -> the documents that contain it, and its values there.
    snippets: the first characters of each example's texts, for listings.
    digest: hexadecimal SHA-256 over the digests of the documents (see `digest_of`).
    """

    ids: Sequence[str]
    origins: Sequence[Origin]
    labels: tuple[str, ...]
    label_sets: Lists
    weights: Float64
    attributes: dict[str, list[Attribute]]
    snippets: Sequence[str]
    digest: str
    scored: Mapping[str, tuple[Int32, Float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Origins(Sequence[Origin]):
    """Origins of documents, 12 bytes each. files: (m,), indices into `paths`; lines: (m,)."""

    paths: tuple[str, ...]
    files: Int32
    lines: Int64

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, j: int) -> Origin: ...
    @overload
    def __getitem__(self, j: slice) -> Origins: ...
    def __getitem__(self, j: int | slice) -> Origin | Origins:
        if isinstance(j, slice):
            return Origins(self.paths, self.files[j], self.lines[j])
        return Origin(self.paths[self.files[j]], int(self.lines[j]))


class CorpusBuilder:
    """Builds a Corpus from documents, one at a time. Only digests of their texts are kept."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._paths: dict[str, int] = {}
        self._files, self._lines = array("i"), array("q")
        self._labels: dict[str, int] = {}
        self._label_items, self._label_counts = array("i"), array("q")
        self._weights = array("d")
        self._attributes: dict[str, list[Attribute]] = {}
        self._categories: dict[str, str] = {}
        self._scored: dict[str, tuple[array[int], array[float]]] = {}
        self._snippets: list[str] = []
        self._hash = hashlib.sha256(b"boostext corpus 2\n")

    def __len__(self) -> int:
        return len(self._ids)

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Record each document, then pass it on."""
        for document in documents:
            self.add(document)
            yield document

    def add(self, document: Document) -> None:
        """Record one document."""
        self._ids.append(document.id)
        self._files.append(self._paths.setdefault(document.origin.path, len(self._paths)))
        self._lines.append(document.origin.line)
        for label in document.labels:
            self._label_items.append(self._labels.setdefault(label, len(self._labels)))
        self._label_counts.append(len(document.labels))
        self._weights.append(document.weight)
        self._snippets.append(snippet(document))
        self._add_attributes(document)
        self._hash.update(digest_of(document))

    def _add_attributes(self, document: Document) -> None:
        before = len(self._ids) - 1
        for name, number in document.word_values().items():
            documents, values = self._scored.setdefault(name, (array("i"), array("d")))
            documents.append(before)
            values.append(number)
        for name, value in document.attributes.items():
            column = self._attributes.get(name)
            if column is None:
                column = self._attributes[name] = [None] * before
            if isinstance(value, str):  # one copy of each category for all records
                value = self._categories.setdefault(value, value)
            column.append(value)
        for column in self._attributes.values():
            if len(column) == before:
                column.append(None)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels so far, in order of first occurrence."""
        return tuple(self._labels)

    def corpus(self, labels: Sequence[str] | None = None, more: Iterable[str] = ()) -> Corpus:
        """The corpus of the documents recorded so far.

        labels: names that come first and in this order, with or without examples, such as those
        of a model; all other names follow, sorted. By default all names are sorted.
        more: further names to include, with or without examples.
        """
        if isinstance(labels, str):
            raise TypeError("labels is one string; expected a sequence of names")
        given = tuple(labels or ())
        places = Places(given)
        if not places.distinct:
            given = tuple(dict.fromkeys(given))
        others = tuple({*self._labels, *more})
        strange = (name for name, j in zip(others, places.of(others), strict=True) if j < 0)
        names = given + tuple(sorted(strange))
        return Corpus(
            ids=tuple(self._ids),
            origins=Origins(tuple(self._paths), _copy(self._files), _copy(self._lines)),
            labels=names,
            label_sets=self._label_sets(names),
            weights=_copy(self._weights),
            attributes={name: list(column) for name, column in self._attributes.items()},
            snippets=tuple(self._snippets),
            digest=self._hash.hexdigest(),
            scored={name: (_copy(d), _copy(v)) for name, (d, v) in self._scored.items()},
        )

    def _label_sets(self, names: Sequence[str]) -> Lists:
        renumbered = Places(names).of(self._labels)
        starts = np.zeros(len(self._ids) + 1, np.int64)
        np.cumsum(self._label_counts, out=starts[1:])
        return Lists(starts, renumbered[_copy(self._label_items)])


def _copy(values: array[int] | array[float]) -> np.ndarray:
    """A copy of the values of a growing array."""
    return np.array(values)


def snippet(document: Document) -> str:
    """The beginning of the texts in one line, safe to print, with "…" if it was shortened."""
    line = " | ".join(filter(None, map(_first_words, document.texts.values())))
    if not (line.isascii() and line.isprintable()):
        line = UNSHOWABLE.sub("\ufffd", line)
    return line if len(line) <= SNIPPET else line[: SNIPPET - 1] + "…"


def _first_words(text: str) -> str:
    """The words at the beginning of a text, which is not split as a whole if it is long.

    Twice the length of a snippet is nearly always enough, four times for ordinary white space.
    """
    line = " ".join(text[: 2 * SNIPPET].split())
    return line if len(line) > SNIPPET else " ".join(text[: 4 * SNIPPET].split())


def digest_of(document: Document) -> bytes:
    """SHA-256 of everything in a document that training uses.

    The digest of a corpus is computed from these, so that documents can be read by several
    processes.
    """
    if isinstance(document, RemoteDocument):
        return document.digest
    return hashlib.sha256(fingerprint(document)).digest()


def fingerprint(document: Document) -> bytes:
    """Everything in a document that training uses, as bytes that no other document has.

    Every string is preceded by its length and every list by its count, so that content which moves
    from one field to the next changes the bytes. Numbers are 8-byte little-endian integers and
    doubles.
    """
    texts, attributes = document.texts, document.attributes
    parts = [_text(document.id), struct.pack("<d", document.weight)]
    parts.append(struct.pack("<qqq", len(texts), len(document.labels), len(attributes)))
    for name, text in texts.items():
        parts += (_text(name), _text(text))
    parts += map(_text, document.labels)
    for name, value in attributes.items():
        parts += (_text(name), _value(value))
    for name, words in document.scored.items():
        parts += (b"w", _text(name), struct.pack("<q", len(words)))
        for word, number in words.items():
            parts += (_text(word), _value(number))
    return b"".join(parts)


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return struct.pack("<q", len(data)) + data


def _value(value: Attribute) -> bytes:
    if value is None:
        return b"-"
    return b"s" + _text(value) if isinstance(value, str) else b"n" + struct.pack("<d", value)


__all__ = ["Corpus", "CorpusBuilder", "Document", "Origins"]
