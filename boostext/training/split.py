"""Holding out validation documents while a stream goes by."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from boostext.corpus.documents import Attribute, Document


@dataclass
class Holdout:
    """Lets the training documents through and keeps the others, the same for the same seed.

    fraction: of each stratum, within one document. A stratum is the documents with one and the
    same label; all documents with another number of labels are one stratum. The first document
    of a stratum is always for training, so a label seen once is learned.
    group: the attribute by whose value documents stay together: where the first of them goes, all
    do, and the share is kept by those that are free.
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
    """Random numbers of one stratum: other labels in the data do not change them."""
    name = f"{seed} {'' if label is None else 'label ' + label}"
    return random.Random(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())


class _Stratum:
    """Takes each document with the chance that keeps the number taken next to its due."""

    def __init__(self, fraction: float, draws: random.Random) -> None:
        self.fraction, self.draws = fraction, draws
        self.seen = self.taken = 0

    def takes_next(self, settled: bool | None = None) -> bool:
        """Whether the next document is held out; settled: what its group says."""
        due = self.fraction * self.seen - self.taken
        takes = self.draws.random() < due if settled is None else settled
        self.seen += 1
        self.taken += takes
        return takes
