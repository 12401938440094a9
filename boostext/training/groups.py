"""Groups of documents that belong together, such as all calls of one caller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from boostext.corpus.documents import Attribute, Document
from boostext.errors import BoostextError


@dataclass
class Groups:
    """Stores the group of each document, and removes the field from the attributes.

    name: of the field; "" for none.
    """

    name: str
    _found: list[Attribute] = field(default_factory=list)

    def taken(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents without the field."""
        if not self.name:
            yield from documents
            return
        for document in documents:
            self._found.append(document.attributes.get(self.name))
            others = {k: v for k, v in document.attributes.items() if k != self.name}
            yield replace(document, attributes=others)

    def values(self) -> tuple[Attribute, ...] | None:
        """(m,): the groups, None for documents without one; BoostextError if none has one."""
        if not self.name:
            return None
        if all(value is None for value in self._found):
            raise BoostextError(
                f"no document has the field {self.name!r} that --group names; correct the name"
            )
        return tuple(self._found)
