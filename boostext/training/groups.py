"""Documents that belong together, as all calls of one caller: taken out of the attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from boostext.corpus.documents import Attribute, Document
from boostext.errors import BoostextError


@dataclass
class Groups:
    """Keeps each document's value of a field, which is then no attribute to learn from.

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
        """(m,), None where a document has no value; BoostextError where none has one."""
        if not self.name:
            return None
        if all(value is None for value in self._found):
            raise BoostextError(
                f"no document has the field {self.name!r} that --group names; mend the name"
            )
        return tuple(self._found)
