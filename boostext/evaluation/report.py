"""Compute all measures of a model on labelled data, as plain data."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Scores
from boostext.corpus.checks import lookalikes
from boostext.corpus.documents import Document
from boostext.evaluation.calibration import BINS, Calibration, equal_size
from boostext.evaluation.decided import Decided, confusions, precision_recall
from boostext.evaluation.gold import Booleans, Gold, gold_of, share
from boostext.evaluation.measures import MEASURES, Scored, Tally
from boostext.model.model import Model
from boostext.model.predict import decisions, link_of

Key = TypeVar("Key", str, tuple[str, str])

Measured = tuple[Tally, Counter[tuple[str, str]]]
"""The sums for some documents, and their confusions."""

CELLS = 1 << 20
"""Number of (example, label) pairs that are measured at a time."""


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
    labels: tuple[LabelRow, ...]
    confusions: tuple[ConfusionRow, ...]
    calibration: tuple[Bin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert to values that JSON can represent; NaN becomes None."""
        return {name: _plain(value) for name, value in dataclasses.asdict(self).items()}


def evaluate(
    model: Model,
    scored: Iterable[tuple[Document, Scores]],
    threshold: float | None = None,
    bins: str = "equal-width",
    chance: float | None = None,
) -> Report:
    """Measure documents with their scores (k,), as returned by `Predictor.scores`.

    threshold, chance: see `decisions`. bins: the bins of the calibration curve, a key of BINNINGS.
    Memory does not grow with the number of documents.
    """

    def measured(documents: list[Document], scores: Scores) -> Measured:
        gold = gold_of(model.labels, (document.labels for document in documents))
        given = decisions(scores, model, threshold, chance)
        return _tally(model, scores, gold, given), confusions(scores, gold, given)

    tally, pairs = measured([], np.zeros((0, len(model.labels))))
    unlabelled = 0
    for documents, scores in _pieces(scored, max(1, CELLS // len(model.labels))):
        labelled = np.array([is_judged(document, model) for document in documents])
        unlabelled += int((~labelled).sum())
        kept = [document for document in documents if is_judged(document, model)]
        more, more_pairs = measured(kept, scores[labelled])
        tally += more
        pairs.update(more_pairs)
    return _report(model, tally, pairs, unlabelled, bins)


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


def _pieces(
    scored: Iterable[tuple[Document, Scores]], size: int
) -> Iterator[tuple[list[Document], Scores]]:
    documents: list[Document] = []
    rows: list[Scores] = []
    for document, scores in scored:
        # the texts are no longer needed
        documents.append(dataclasses.replace(document, texts={}))
        rows.append(scores)
        if len(rows) >= size:
            yield documents, np.stack(rows)
            documents, rows = [], []
    if rows:
        yield documents, np.stack(rows)


def _report(
    model: Model,
    tally: Tally,
    pairs: Counter[tuple[str, str]],
    unlabelled: int,
    bins: str = "equal-width",
) -> Report:
    sums = tally.decided
    return Report(
        examples=sums.examples,
        unlabelled=unlabelled,
        without_labels=sums.examples - sums.labelled,
        without_pairs=sums.examples - tally.ranked.paired,
        unknown_examples=sums.strange_examples,
        unknown_labels=dict(_by_count(sums.strange)),
        alike_labels=lookalikes(sums.strange, model.labels),
        multilabel=model.multilabel,
        measures={name: measure.value(tally) for name, measure in MEASURES.items()},
        baseline=_baseline(model.labels, sums),
        labels=tuple(_label_rows(model.labels, sums)),
        confusions=tuple(ConfusionRow(*pair, count) for pair, count in _by_count(pairs)),
        calibration=tuple(BINNINGS[bins](tally.calibration)),
    )


def _by_count(counts: Counter[Key]) -> list[tuple[Key, int]]:
    """Sorted by descending count, then by name, so that the order is deterministic."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _label_rows(labels: tuple[str, ...], sums: Decided) -> Iterator[LabelRow]:
    """The model's labels in label order, then unknown ones by their number of examples."""
    rates = precision_recall(*(a.astype(np.float64) for a in (sums.tp, sums.fp, sums.fn)))
    columns = [a.tolist() for a in (sums.tp + sums.fn, sums.tp, sums.fp, sums.fn, *rates)]
    for label, *numbers in zip(labels, *columns, strict=True):
        yield LabelRow(label, True, *numbers)
    for label, count in _by_count(sums.strange):
        yield LabelRow(label, False, count, 0, 0, count, 0.0, 0.0, 0.0)


def _baseline(labels: tuple[str, ...], sums: Decided) -> Baseline | None:
    """The baseline; None if no example has a label."""
    support = Counter(dict(zip(labels, (sums.tp + sums.fn).tolist(), strict=True))) + sums.strange
    if not support:
        return None
    label, most = _by_count(support)[0]
    f1 = 2 * most / (sums.examples + support.total())
    return Baseline(label, 1 - most / sums.labelled, f1)


def _equal_width(sums: Calibration) -> Iterator[Bin]:
    rows = zip(sums.count.tolist(), sums.chance.tolist(), sums.happened.tolist(), strict=True)
    for number, (count, chance, happened) in enumerate(rows):
        low, high = number / BINS, (number + 1) / BINS
        yield Bin(low, high, count, share(chance, count), share(happened, count))


def _equal_size(sums: Calibration) -> Iterator[Bin]:
    for low, high, count, chance, happened in equal_size(sums):
        yield Bin(low, high, round(count), share(chance, count), share(happened, count))


BINNINGS: dict[str, Callable[[Calibration], Iterator[Bin]]] = {
    "equal-width": _equal_width,
    "equal-size": _equal_size,
}
"""The bins of the calibration curve: of equal width, or with about equal numbers of pairs."""


def _plain(value: Any) -> Any:
    """Convert nested values of any kind to plain data."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
