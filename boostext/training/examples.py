"""From documents to examples: what is held out, groups, one label or several, and weights.

Documents without a label are left out and counted if all others have one label each.
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, Any

import numpy as np

from boostext.arrays import Float64, Int64
from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.fasttext import PREFIX
from boostext.corpus.files import file_ending
from boostext.corpus.readers import ENDINGS
from boostext.corpus.roles import shown
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.fields import label_factor
from boostext.settings import BoostingSettings


def label_counts(corpus: Corpus) -> Int64:
    """(m,): number of labels of each example."""
    return np.diff(corpus.label_sets.starts)


def is_multilabel(corpus: Corpus, settings: BoostingSettings) -> bool:
    """Whether any example has no label or several, unless the setting `task` determines it.

    Raises DataError at the first such example if `task` is single.
    """
    others = np.flatnonzero(label_counts(corpus) != 1)
    if settings.task == "single" and len(others):
        first = int(others[0])
        names = [corpus.labels[j] for j in corpus.label_sets[first]]
        origin = corpus.origins[first]
        raise DataError(
            origin.path,
            origin.line,
            f"{len(names)} labels ({', '.join(names) or 'none'}) although task is single; "
            "expected one label, or train with --task multi",
        )
    return settings.task == "multi" or (settings.task == "auto" and len(others) > 0)


def example_weights(corpus: Corpus, settings: BoostingSettings) -> Float64:
    """(m,): the given weights times the class weight of the example's labels (mean of several).

    balanced: the class weight is m / (k * weight of the label's examples), so that the examples of
    all labels have the same total weight. Raises BoostextError if all weights are 0.
    """
    factors = _factors(corpus, settings.class_weight)
    counts = label_counts(corpus)
    sums = np.zeros(len(corpus))
    examples = np.repeat(np.arange(len(corpus)), counts)
    np.add.at(sums, examples, factors[corpus.label_sets.items])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), 1.0)
    weights: Float64 = corpus.weights * means
    if not (weights > 0).any():
        raise BoostextError(
            "every document has weight 0; give a positive weight to some, or choose another "
            "--weight or --class-weight"
        )
    return weights


def _factors(corpus: Corpus, given: Sequence[str]) -> Float64:
    """(k,): the class weight of each label."""
    factors = np.ones(len(corpus.labels))
    if "balanced" in given:
        return _balanced(corpus)
    number = {label: j for j, label in enumerate(corpus.labels)}
    for label, factor in map(label_factor, given):
        if label not in number:
            raise SettingsError(
                f"class-weight names the label {label!r}, which no document has; "
                f"labels are {', '.join(map(repr, corpus.labels[:10]))}"
            )
        factors[number[label]] = factor
    return factors


def _balanced(corpus: Corpus) -> Float64:
    totals = np.zeros(len(corpus.labels))
    weights = np.repeat(corpus.weights, label_counts(corpus))
    np.add.at(totals, corpus.label_sets.items, weights)
    with np.errstate(divide="ignore"):
        return np.where(totals > 0, totals.sum() / (len(totals) * totals), 0.0)


# Held-out documents and groups ---------------------------------------------------------------


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


# Documents without labels --------------------------------------------------------------------

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
    problem = f"none of the {count} documents has a label"
    if ENDINGS.get(file_ending(last.origin.path)) not in ("fasttext", "txt"):
        return f"{problem}; name the field of the labels with --label"
    text = " ".join(last.texts.values())
    return (
        f"{problem}: no line begins with {PREFIX}, nor does {last.origin}, {shown(text)}; expected "
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
