"""Compare two models on the same labelled documents: measures and changed labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from boostext.arrays import Int64, Scores
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
    first, second = (Predictor(model, threads) for model in models)
    one, other = (Measuring(model) for model in models)
    counts = _Counts()
    size = min(BATCH, max(BATCH_SCORES // max(len(model.labels) for model in models), 1))
    labelled = (document for document in documents if document.labelled)
    for batch in iter(lambda: list(islice(labelled, size)), []):
        pairs = zip(first.scores(batch), second.scores(batch), strict=True)
        for (document, f), (_, g) in pairs:
            counts.take(document, _names(models[0], f), _names(models[1], g))
            one.add(document, f)
            other.add(document, g)
    reports = (one.report(), other.report())
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


def _worst_first(change: Change) -> int:
    return VERDICTS.index(change.verdict)


def _names(model: Model, scores: Scores) -> tuple[str, ...]:
    return tuple(model.labels[j] for j in decide(scores, model))


def _labels(
    models: tuple[Model, Model], first: Report, second: Report, counts: _Counts
) -> LazyRows[LabelChange]:
    """The labels with the most changes first; equal ones in label order."""
    names = models[0].labels + tuple(first.unknown_labels)  # in the order of the reports' rows
    others = models[1].labels + tuple(second.unknown_labels)
    mine: Sequence[int] | Int64 = range(len(names))
    theirs = mine
    if names != others:
        at = {name: number for number, name in enumerate(others)}
        found = np.fromiter((at.pop(name, -1) for name in names), np.int64, len(names))
        more = np.array(list(at.values()), np.int64)
        mine = np.concatenate([np.arange(len(names)), np.full(len(more), -1)])
        theirs = np.concatenate([found, more])
        names += tuple(others[number] for number in more.tolist())
    changed = (counts.won[name] + counts.lost[name] for name in names)
    order = np.argsort(-np.fromiter(changed, np.int32, len(names)), kind="stable")

    def change(number: int) -> LabelChange:
        i, j = int(mine[order[number]]), int(theirs[order[number]])
        before, after = first.labels[i] if i >= 0 else None, second.labels[j] if j >= 0 else None
        name = names[order[number]]
        return LabelChange(
            name,
            max(row.support for row in (before, after) if row),
            counts.won[name],
            counts.lost[name],
            before.f1 if before else 0.0,
            after.f1 if after else 0.0,
        )

    return LazyRows(len(names), change)


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
