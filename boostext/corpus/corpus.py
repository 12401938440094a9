"""What training keeps of its documents once the texts have gone by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boostext.arrays import Float64, Lists
from boostext.corpus.documents import Attribute, Document, Origin


@dataclass(frozen=True)
class Corpus:
    """m examples without their texts.

    labels: the k label names in label order (sorted, unless an order was given).
    label_sets: m lists of label numbers, in the order given in the record.
    weights: (m,) as given, before any scaling. attributes: column -> m values.
    snippets: the first characters of each example's texts, for listings.
    digest: hex SHA-256 over ids, texts, labels, weights and attributes, in order.
    """

    ids: Sequence[str]
    origins: Sequence[Origin]
    labels: tuple[str, ...]
    label_sets: Lists
    weights: Float64
    attributes: dict[str, list[Attribute]]
    snippets: Sequence[str]
    digest: str

    def __len__(self) -> int:
        return len(self.ids)


__all__ = ["Corpus", "Document"]
