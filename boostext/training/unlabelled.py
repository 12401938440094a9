"""Leave out and count documents without a label if all others have one label each."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from boostext.corpus.documents import Document, Origin
from boostext.corpus.fasttext import PREFIX
from boostext.corpus.files import file_ending
from boostext.corpus.readers import ENDINGS
from boostext.corpus.roles import shown
from boostext.errors import BoostextError

IN_MEMORY = 1 << 26
"""Characters of waiting documents that are kept in memory; others go to a temporary file."""


@dataclass
class Unlabelled:
    """Leaves out documents without labels unless the task has several labels.

    A document with several labels shows that the task has several labels. Until there is one, all
    documents from the first without labels on have to wait. They are then passed on in their order;
    at the end of the data only those with a label are.

    count: number of documents left out. first: the origin of the first one. apart: gets the
    documents that are left out and those without a label field; None if they are not needed.
    """

    task: str
    count: int = 0
    first: Origin | None = None
    apart: Held | None = None
    _held: Held = field(default_factory=lambda: Held())

    def left_out(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents to learn from. BoostextError if none has a label."""
        several, labelled, read = self.task == "multi", False, 0
        for read, document in enumerate(documents, 1):  # noqa: B007
            if self.apart is not None and not document.labelled:
                self.apart.add(document)
                continue
            labelled = labelled or bool(document.labels)
            if self.task == "auto" and not several and len(document.labels) > 1:
                several = True
                yield from self._held
                self.count, self.first, self._held = 0, None, Held()
            if several or (document.labels and not self.count):
                yield document
                continue
            if not document.labels:
                self.count += 1
                self.first = self.first or document.origin
            if self.task == "auto":
                self._held.add(document)
            elif document.labels:
                yield document
            elif self.apart is not None:
                self.apart.add(document)
        if read and not labelled and self.apart is None:
            raise BoostextError(_without_labels(read, document))
        for document in self._held:
            if document.labels:
                yield document
            elif self.apart is not None:
                self.apart.add(document)


def _without_labels(count: int, last: Document) -> str:
    """The message if no document has a label."""
    told = f"none of the {count} documents has a label"
    if ENDINGS.get(file_ending(last.origin.path)) not in ("fasttext", "txt"):
        return f"{told}; name the field of the labels with --label"
    text = " ".join(last.texts.values())
    return (
        f"{told}: no line begins with {PREFIX}, nor does {last.origin}, {shown(text)}; expected "
        f"lines such as {shown(f'{PREFIX}billing my bill is wrong')}"
    )


class Held:
    """A sequence of documents, in memory and, if there are many, in a temporary file."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._size = 0
        self._file: IO[str] | None = None

    def add(self, document: Document) -> None:
        self._size += sum(map(len, document.texts.values()))
        if self._size <= IN_MEMORY:
            self._documents.append(document)
            return
        if self._file is None:
            self._file = _temporary()
        self._file.write(json.dumps(_plain(document)) + "\n")

    def __iter__(self) -> Iterator[Document]:
        yield from self._documents
        if self._file is not None:
            self._file.seek(0)
            yield from (_document(json.loads(line)) for line in self._file)
            self._file.close()


def _temporary() -> IO[str]:
    return tempfile.TemporaryFile("w+", prefix="boostext-", encoding="utf-8")


def _plain(document: Document) -> list[Any]:
    origin = document.origin
    return [
        document.id,
        dict(document.texts),
        document.labels,
        document.weight,
        dict(document.attributes),
        [origin.path, origin.line],
        document.labelled,
        {name: dict(words) for name, words in document.scored.items()},
    ]


def _document(plain: list[Any]) -> Document:
    id, texts, labels, weight, attributes, origin, labelled, scored = plain
    return Document(id, texts, tuple(labels), weight, attributes, Origin(*origin), labelled, scored)
