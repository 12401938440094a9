"""Hold out validation documents from a stream, and keep groups of documents together."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from boostext.corpus.documents import Attribute, Document
from boostext.errors import BoostextError


@dataclass
class Holdout:
    """Passes training documents on and keeps the others; the same seed gives the same split.

    fraction: the share of each stratum, accurate to one document. A stratum is the documents with
    the same single label; all documents with no label or several are one stratum. The first
    document of a stratum is always for training, so that a label that occurs once is learned.
    group: an attribute; documents with the same value stay together, in the part of the first one,
    and the other documents keep the share.
    """

    fraction: float
    seed: int
    group: str = ""
    held: list[Document] = field(default_factory=list)

    def training(self, documents: Iterable[Document]) -> Iterator[Document]:
        if not self.fraction:
            yield from documents
            return
        strata: dict[str | None, _Stratum] = {}
        sides: dict[Attribute, bool] = {}
        for document in documents:
            label = document.labels[0] if len(document.labels) == 1 else None
            if label not in strata:
                strata[label] = _Stratum(self.fraction, _stream(self.seed, label))
            group = document.attributes.get(self.group) if self.group else None
            side = strata[label].takes_next(sides.get(group))
            if group is not None:
                sides[group] = side
            if side:
                self.held.append(document)
            else:
                yield document


def _stream(seed: int, label: str | None) -> random.Random:
    """Random numbers for one stratum, which do not depend on other labels in the data."""
    name = f"{seed} {'' if label is None else 'label ' + label}"
    return random.Random(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())


class _Stratum:
    """Draws documents so that their number stays within one of the expected number."""

    def __init__(self, fraction: float, draws: random.Random) -> None:
        self.fraction, self.draws = fraction, draws
        self.seen = self.taken = 0

    def takes_next(self, settled: bool | None = None) -> bool:
        """Whether the next document is held out. settled: the choice for its group, if made."""
        due = self.fraction * self.seen - self.taken
        takes = self.draws.random() < due if settled is None else settled
        self.seen += 1
        self.taken += takes
        return takes


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
