"""Compare two models on the same labelled documents: measures and changed labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from boostext.arrays import Int32, Places
from boostext.corpus.documents import Document
from boostext.evaluation.report import LazyRows, Measuring, Report
from boostext.model.model import Model
from boostext.model.predict import BATCH, BATCH_SCORES, Predictor, decide

KEPT = 10_000
"""Maximum number of documents with changed labels that are kept, with the start of their text."""
SNIPPET = 200


@dataclass(frozen=True)
class Change:
    """A document to which the second model gives other labels.

    verdict: "won" if only the second model is right, "lost" if only the first is, "other" if
    neither is.
    """

    id: str
    origin: str
    wanted: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    verdict: str
    text: str


@dataclass(frozen=True)
class LabelChange:
    """Changes of one label. won: number of documents for which only the second model is right."""

    label: str
    documents: int
    won: int
    lost: int
    first_f1: float
    second_f1: float


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    changes: the first KEPT of `changed` documents; won and lost count all of them. p_value: the
    p-value of the two-sided sign test of won against lost.
    """

    first: Report
    second: Report
    changed: int
    won: int
    lost: int
    p_value: float
    labels: Sequence[LabelChange]
    changes: tuple[Change, ...]


VERDICTS = ("lost", "won", "other")


@dataclass
class _Counts:
    """Counts that are updated with each document."""

    changed: int = 0
    verdicts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    won: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    def take(self, document: Document, first: tuple[str, ...], second: tuple[str, ...]) -> None:
        wanted = set(document.labels)
        if set(first) == set(second):
            return
        right = (set(first) == wanted, set(second) == wanted)
        verdict = VERDICTS[right.index(True)] if any(right) else "other"
        self.changed += 1
        self.verdicts[verdict] += 1
        for label in set(first) ^ set(second):
            side = self.won if (label in second) == (label in wanted) else self.lost
            side[label] += 1
        if len(self.changes) < KEPT:
            text = next(filter(None, document.texts.values()), "")[:SNIPPET]
            self.changes.append(
                Change(
                    document.id, str(document.origin), document.labels, first, second, verdict, text
                )
            )


def compare(
    models: tuple[Model, Model], documents: Iterable[Document], threads: int = 1
) -> Comparison:
    """Compare two models. Documents without a label field are left out.

    Memory grows with the number of labels that a model does not know, not with that of documents.
    """
    predictors = [Predictor(model, threads) for model in models]
    measured = [Measuring(model) for model in models]
    counts = _Counts()
    size = min(BATCH, max(BATCH_SCORES // max(len(model.labels) for model in models), 1))
    labelled = (document for document in documents if document.labelled)
    for batch in iter(lambda: list(islice(labelled, size)), []):
        # one model after the other: scores for very many labels take much memory
        given = [
            list(_measure(*each, batch)) for each in zip(models, predictors, measured, strict=True)
        ]
        for document, first, second in zip(batch, *given, strict=True):
            counts.take(document, first, second)
    reports = (measured[0].report(), measured[1].report())
    won, lost = counts.verdicts["won"], counts.verdicts["lost"]
    return Comparison(
        reports[0],
        reports[1],
        counts.changed,
        won,
        lost,
        sign_test(won, lost),
        _labels(models, *reports, counts),
        tuple(sorted(counts.changes, key=_worst_first)),
    )


def _measure(
    model: Model, predictor: Predictor, measuring: Measuring, batch: Sequence[Document]
) -> Iterator[tuple[str, ...]]:
    """Measure the documents, and yield the labels that the model gives to each."""
    for document, scores in predictor.scores(batch):
        measuring.add(document, scores)
        yield tuple(model.labels[j] for j in decide(scores, model))


def _worst_first(change: Change) -> int:
    return VERDICTS.index(change.verdict)


def _labels(
    models: tuple[Model, Model], first: Report, second: Report, counts: _Counts
) -> LazyRows[LabelChange]:
    """The labels with the most changes first; equal ones in label order."""
    names = models[0].labels + tuple(first.unknown_labels)  # in the order of the reports' rows
    others = models[1].labels + tuple(second.unknown_labels)
    theirs: Sequence[int] | Int32 = range(len(names))
    only_there = np.zeros(0, np.int32)
    if names != others:
        theirs = Places(others).of(names)
        met = np.zeros(len(others), np.bool_)
        met[theirs[theirs >= 0]] = True
        only_there = np.flatnonzero(~met).astype(np.int32)

    def pair(number: int) -> tuple[int, int]:
        """The rows of a label in both reports; -1 if it is not there."""
        if number < len(names):
            return number, int(theirs[number])
        return -1, int(only_there[number - len(names)])

    order = _most_changed(counts, names, (others[j] for j in only_there))

    def change(place: int) -> LabelChange:
        i, j = pair(int(order[place]))
        before, after = first.labels[i] if i >= 0 else None, second.labels[j] if j >= 0 else None
        name = names[i] if i >= 0 else others[j]
        return LabelChange(
            name,
            max(row.support for row in (before, after) if row),
            counts.won[name],
            counts.lost[name],
            before.f1 if before else 0.0,
            after.f1 if after else 0.0,
        )

    return LazyRows(len(order), change)


def _most_changed(counts: _Counts, *names: Iterable[str]) -> Int32:
    """Return the places of the names, those with the most changes first; equal ones in order."""
    changes = counts.won + counts.lost
    found = np.fromiter(map(changes.__getitem__, chain(*names)), np.int32)
    changed = np.flatnonzero(found)
    first = changed[np.argsort(-found[changed], kind="stable")]
    others = np.arange(len(found), dtype=np.int32)[found == 0]
    return np.concatenate([first, others], dtype=np.int32)


def sign_test(won: int, lost: int) -> float:
    """The two-sided p-value of the exact form of McNemar's test.

    sign_test(1, 3) is 2 * (1 + 4) / 16 = 0.625. Source: McNemar 1947.
    """
    n, least = won + lost, min(won, lost)
    logs = (
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) - n * math.log(2)
        for i in range(least + 1)
    )
    return min(1.0, 2 * math.fsum(map(math.exp, logs)))
