"""Compare two models on the same labelled documents: measures and changed labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from boostext.arrays import Scores
from boostext.corpus.documents import Document
from boostext.evaluation.report import Report, evaluate
from boostext.model.model import Model
from boostext.model.predict import Predictor, decide

BATCH = 512
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

    changes: the first KEPT of `changed` documents; won and lost count all of them. chance: the
    p-value of the two-sided sign test of won against lost.
    """

    first: Report
    second: Report
    changed: int
    won: int
    lost: int
    chance: float
    labels: tuple[LabelChange, ...]
    changes: tuple[Change, ...]


VERDICTS = ("lost", "won", "other")


@dataclass
class _Counts:
    """Counts that are updated with each document."""

    changed: int = 0
    verdicts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    labels: dict[str, dict[str, int]] = field(default_factory=dict)
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
            held = self.labels.setdefault(label, {"won": 0, "lost": 0})
            held["won" if (label in second) == (label in wanted) else "lost"] += 1
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

    Memory grows by one row of scores for each document.
    """
    first, second = (Predictor(model, threads) for model in models)
    counts = _Counts()
    kept: tuple[list[Scored], list[Scored]] = ([], [])
    labelled = (document for document in documents if document.labelled)
    for batch in iter(lambda: list(islice(labelled, BATCH)), []):
        pairs = zip(first.scores(batch), second.scores(batch), strict=True)
        for (document, f), (_, g) in pairs:
            counts.take(document, _names(models[0], f), _names(models[1], g))
            bare = Document(document.id, {}, document.labels)
            kept[0].append((bare, f))
            kept[1].append((bare, g))
    reports = [evaluate(model, rows) for model, rows in zip(models, kept, strict=True)]
    won, lost = counts.verdicts["won"], counts.verdicts["lost"]
    return Comparison(
        reports[0],
        reports[1],
        counts.changed,
        won,
        lost,
        sign_test(won, lost),
        tuple(_labels(reports, counts)),
        tuple(sorted(counts.changes, key=_worst_first)),
    )


Scored = tuple[Document, Scores]


def _worst_first(change: Change) -> int:
    return VERDICTS.index(change.verdict)


def _names(model: Model, scores: Scores) -> tuple[str, ...]:
    return tuple(model.labels[j] for j in decide(scores, model))


def _labels(reports: Sequence[Report], counts: _Counts) -> Iterator[LabelChange]:
    """The labels with the most changes first; equal ones in label order."""
    rows = [{row.label: row for row in report.labels} for report in reports]
    names = list(dict.fromkeys((*rows[0], *rows[1])))
    names.sort(key=lambda name: -sum(counts.labels.get(name, {}).values()))
    for name in names:
        before, after = (row.get(name) for row in rows)
        changed = counts.labels.get(name, {"won": 0, "lost": 0})
        yield LabelChange(
            name,
            max(row.support for row in (before, after) if row),
            changed["won"],
            changed["lost"],
            before.f1 if before else 0.0,
            after.f1 if after else 0.0,
        )


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
