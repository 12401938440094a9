"""Compute all measures of a model on labelled data, as plain data."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar, overload

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Scores
from boostext.corpus.checks import lookalikes
from boostext.corpus.documents import Document
from boostext.evaluation.calibration import BINS, Calibration, equal_size
from boostext.evaluation.decided import Decided, confusions
from boostext.evaluation.gold import Booleans, Gold, gold_of, share
from boostext.evaluation.measures import MEASURES, Scored, Tally
from boostext.model.model import Model
from boostext.model.predict import decisions, link_of

Key = TypeVar("Key", str, tuple[str, str])
Row = TypeVar("Row", covariant=True)

Measured = tuple[Tally, Counter[tuple[str, str]]]
"""The sums for some documents, and their confusions."""

CELLS, PIECE = 1 << 20, 10_000
"""Number of (example, label) pairs, and of examples, that are measured at a time."""


class LazyRows(Sequence[Row]):
    """Rows that are made when they are asked for, as a million of them take much memory.

    count: their number. make: returns the row with a number.
    """

    def __init__(self, count: int, make: Callable[[int], Row]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        found = range(self._count)[place]
        return self._make(found) if isinstance(found, int) else tuple(map(self._make, found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:]) if self._count <= SHOWN else f"<{self._count:,} rows>"


SHOWN = 1000
"""Maximum number of rows that the representation of LazyRows shows."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label. support: number of examples with it. known: whether the model has it."""

    label: str
    known: bool
    support: int
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class ConfusionRow:
    """The number of examples with one label for which the model gives another one instead."""

    missed: str
    given: str
    examples: int


@dataclass(frozen=True)
class Bin:
    """Probabilities from low to high: their number, their mean, and the share of true ones."""

    low: float
    high: float
    count: int
    probability: float
    frequency: float


@dataclass(frozen=True)
class Baseline:
    """The measures if every example got the most frequent label of this data."""

    label: str
    one_error: float
    micro_f1: float


@dataclass(frozen=True)
class Report:
    """All measures of a model on labelled data.

    examples: number of measured examples. unlabelled: number of records that were left out, because
    they have no label field or, if every document has one label, no label.
    without_labels: number of examples with an empty label set, which one-error, coverage and
    average precision leave out. without_pairs: number of examples with no label or all labels,
    which ranking loss leaves out. unknown_labels: label that the model does not know -> number of
    examples with it; each is a false negative. unknown_examples: number of examples with any such
    label. alike_labels: such a label -> the similar label of the model. measures: by the names of
    MEASURES, NaN without examples. confusions: most frequent first.
    """

    examples: int
    unlabelled: int
    without_labels: int
    without_pairs: int
    unknown_examples: int
    unknown_labels: dict[str, int]
    alike_labels: dict[str, str]
    multilabel: bool
    measures: dict[str, float]
    baseline: Baseline | None
    labels: Sequence[LabelRow]
    confusions: Sequence[ConfusionRow]
    calibration: Sequence[Bin]

    def to_dict(self, rows: Callable[[Iterable[Any]], Any] = list) -> dict[str, Any]:
        """Convert to values that JSON can represent; NaN becomes None.

        rows: the form of sequences of rows; `iter` gives iterators, which take no memory.
        """
        parts = [(part.name, getattr(self, part.name)) for part in dataclasses.fields(self)]
        return {
            name: rows(map(_plain, value)) if isinstance(value, Sequence) else _plain(value)
            for name, value in parts
        }


def evaluate(
    model: Model,
    scored: Iterable[tuple[Document, Scores]],
    threshold: float | None = None,
    bins: str = "equal-width",
    probability: float | None = None,
) -> Report:
    """Measure documents with their scores (k,), as returned by `Predictor.scores`.

    threshold, probability: see `decisions`. bins: the bins of the calibration curve, a key of
    BINNINGS. Memory grows with the number of labels that the model does not know, not with that of
    documents.
    """
    measuring = Measuring(model, threshold, probability)
    for document, scores in scored:
        measuring.add(document, scores)
    return measuring.report(bins)


class Measuring:
    """The measures of documents that are added one by one. Parameters are as for `evaluate`."""

    def __init__(
        self, model: Model, threshold: float | None = None, probability: float | None = None
    ) -> None:
        self._model, self._threshold, self._chance = model, threshold, probability
        self._size = min(max(1, CELLS // len(model.labels)), PIECE)
        self._labels: list[tuple[str, ...]] = []
        self._scores: list[Scores] = []
        self._tally, self._pairs = self._measured()
        self._unlabelled = 0

    def add(self, document: Document, scores: Scores) -> None:
        """Add a document with its scores (k,)."""
        if not is_judged(document, self._model):
            self._unlabelled += 1
            return
        self._labels.append(document.labels)
        self._scores.append(scores)
        if len(self._labels) >= self._size:
            self._take()

    def report(self, bins: str = "equal-width") -> Report:
        """Return the measures of all documents that were added."""
        self._take()
        return _report(self._model, self._tally, self._pairs, self._unlabelled, bins)

    def _take(self) -> None:
        """Add the piece that is complete to the sums."""
        if self._labels:
            more, pairs = self._measured()
            self._tally += more
            self._pairs.update(pairs)
            self._labels = []

    def _measured(self) -> Measured:
        match self._scores:
            case []:
                scores = np.zeros((0, len(self._model.labels)))
            case [alone]:
                scores = alone[None]  # not a copy, which may be large
            case several:
                scores = np.stack(several)
        self._scores = []
        gold = gold_of(self._model.labels, self._labels)
        given = decisions(scores, self._model, self._threshold, self._chance)
        pairs = confusions(scores, gold, given)
        return _tally(self._model, scores, gold, given), pairs


def is_judged(document: Document, model: Model) -> bool:
    """Whether the right labels are known. An empty set counts only if there may be several."""
    return document.labelled and (model.multilabel or bool(document.labels))


def report_of(model: Model, scores: Scores, gold: Gold, given: Booleans | None = None) -> Report:
    """Measure documents with scores (m, k). given: (m, k), by default from `decisions`."""
    given = decisions(scores, model) if given is None else given
    return _report(model, _tally(model, scores, gold, given), confusions(scores, gold, given), 0)


def _tally(model: Model, scores: Scores, gold: Gold, given: Booleans) -> Tally:
    signed = ALGORITHMS[model.boosting.algorithm].signed
    link, curves = link_of(model), model.calibration
    return Scored(scores, gold, given, model.multilabel, link, curves, signed).tally()


def _report(
    model: Model,
    tally: Tally,
    pairs: Counter[tuple[str, str]],
    unlabelled: int,
    bins: str = "equal-width",
) -> Report:
    sums = tally.decided
    strange, confused = _by_count(sums.strange), _by_count(pairs)
    known = len(model.labels)
    return Report(
        examples=sums.examples,
        unlabelled=unlabelled,
        without_labels=sums.examples - sums.labelled,
        without_pairs=sums.examples - tally.ranked.paired,
        unknown_examples=sums.strange_examples,
        unknown_labels={label: sums.strange[label] for label in strange},
        alike_labels=lookalikes(sums.strange, model.labels),
        multilabel=model.multilabel,
        measures={name: measure.value(tally) for name, measure in MEASURES.items()},
        baseline=_baseline(model.labels, sums),
        labels=LazyRows(known + len(strange), partial(_label_row, model.labels, strange, sums)),
        confusions=LazyRows(len(confused), partial(_confusion_row, confused, pairs)),
        calibration=tuple(BINNINGS[bins](tally.calibration)),
    )


def _by_count(counts: Counter[Key]) -> list[Key]:
    """The keys by descending count, then by name, so that the order is deterministic."""
    keys = sorted(counts)
    keys.sort(key=counts.__getitem__, reverse=True)  # stable, and without a tuple for each key
    return keys


def _label_row(
    labels: tuple[str, ...], strange: Sequence[str], sums: Decided, number: int
) -> LabelRow:
    """The model's labels in label order, then unknown ones by their number of examples."""
    if number >= len(labels):
        label = strange[number - len(labels)]
        count = sums.strange[label]
        return LabelRow(label, False, count, 0, 0, count, 0.0, 0.0, 0.0)
    tp, fp, fn = (int(counts[number]) for counts in (sums.tp, sums.fp, sums.fn))
    precision, recall = tp / max(tp + fp, 1), tp / max(tp + fn, 1)
    f1 = 2 * tp / max(2 * tp + fp + fn, 1)
    return LabelRow(labels[number], True, tp + fn, tp, fp, fn, precision, recall, f1)


def _confusion_row(
    confused: Sequence[tuple[str, str]], counts: Counter[tuple[str, str]], number: int
) -> ConfusionRow:
    return ConfusionRow(*confused[number], counts[confused[number]])


def _baseline(labels: tuple[str, ...], sums: Decided) -> Baseline | None:
    """The baseline; None if no example has a label."""
    support, strange = sums.tp + sums.fn, sums.strange
    most = max(int(support.max()), max(strange.values(), default=0))
    if not most:
        return None
    first = [labels[number] for number in np.flatnonzero(support == most).tolist()]
    label = min(chain(first, (label for label, count in strange.items() if count == most)))
    f1 = 2 * most / (sums.examples + int(support.sum()) + strange.total())
    return Baseline(label, 1 - most / sums.labelled, f1)


def _equal_width(sums: Calibration) -> Iterator[Bin]:
    rows = zip(sums.count.tolist(), sums.probability.tolist(), sums.happened.tolist(), strict=True)
    for number, (count, probability, happened) in enumerate(rows):
        low, high = number / BINS, (number + 1) / BINS
        yield Bin(low, high, count, share(probability, count), share(happened, count))


def _equal_size(sums: Calibration) -> Iterator[Bin]:
    for low, high, count, probability, happened in equal_size(sums):
        yield Bin(low, high, round(count), share(probability, count), share(happened, count))


BINNINGS: dict[str, Callable[[Calibration], Iterator[Bin]]] = {
    "equal-width": _equal_width,
    "equal-size": _equal_size,
}
"""The bins of the calibration curve: of equal width, or with about equal numbers of pairs."""


def _plain(value: Any) -> Any:
    """Convert nested values of any kind to plain data."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
