"""What to label next: errors against labels, suggested documents beside documents at random.

    python benchmarks/papers/tab_active.py                       all corpora, five draws
    python benchmarks/papers/tab_active.py trec6 --draws 1 --by margin --by entropy
    python benchmarks/papers/tab_active.py trec6 --by half       half by margin, half at random
    python benchmarks/papers/tab_active.py trec6 --sample 0      choose from all documents
    python benchmarks/papers/tab_active.py trec6 --by wrong --by even    by the hidden labels
    python benchmarks/papers/tab_active.py trec6 --kept 1000     errors on training documents
    python benchmarks/papers/tab_active.py trec6 --graphs DIR

Schapire's tutorial (TAB), "Active learning": on letter recognition and on call routing, choosing
the examples of least margin needed far fewer labels for an error than choosing at random. The
tutorial prints graphs, and no numbers that could be stood beside these.

All documents have labels here; one is hidden until the document is chosen. Every part begins with
the same documents at random. Models have the default settings of `train`, for letter with 400
rules, unless --rounds says otherwise. "labels needed" is the first number of labels at which the
error is at most that of so many random labels, between two measured steps by a straight line. The
errors of the larger corpora are told for 1,500 random labels as well as for those of the end. Other
ways to choose should be compared on training documents that are kept apart in each draw (--kept),
not on the test documents.

Two ways look at the hidden labels, to find out what a better choice could save. "wrong" takes
documents that the model gets wrong, out of as many at random as `suggest` looks at, and "even"
takes documents at random of the labels that were chosen least often.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from common import PROJECT, Corpus, corpus, documents, options, percent, table
from graphs import Line, graph

import boostext
from boostext.corpus.documents import Document
from boostext.model.predict import Predictor
from boostext.reports.suggestions import SAMPLE, measure, suggest, usual_sample


@dataclass(frozen=True)
class Course:
    """How many labels to begin with and to add, after how many more the error is measured, and
    the numbers of random labels whose error is to be reached, of which the last ends the course.
    """

    first: int
    step: int
    measured: int
    goals: tuple[int, ...]

    @property
    def counts(self) -> range:
        """The numbers of labels at which the error is measured."""
        return range(self.first, self.goals[-1] + 1, self.measured)


@dataclass(frozen=True)
class Way:
    """How models learn and documents are chosen. rounds: 0 for the default of `train`. sample:
    None for that of `suggest`.
    """

    rounds: int
    sample: int | None
    spread: bool


TEXTS = Course(100, 50, 200, (1500, 2500))
COURSES = {
    "calls": Course(100, 50, 50, (1000,)),
    "trec6": TEXTS,
    "banking77": TEXTS,
    "20newsgroups": TEXTS,
    "uci-letter": Course(500, 250, 250, (2500,)),
}
"""The sample calls, and corpora of BOOSTEXT_DATA"""
QUICK = Course(40, 20, 20, (60, 80))
SMOKE_ROUNDS = 20
RANDOM, HALF, WRONG, EVEN = "random", "half", "wrong", "even"
SETTINGS = {"uci-letter": {"rounds": 400}}


def main() -> None:
    given = options(
        __doc__,
        rounds=0,
        smoke=20,
        names=tuple(COURSES),
        graphs=True,
        more={
            "--by": {"action": "append", "choices": BY},
            "--draws": {"type": int, "default": 5},
            "--sample": {"type": int, "metavar": "N"},
            "--no-spread": {"action": "store_true"},
            "--kept": {"type": int, "metavar": "N", "default": 0},
        },
    )
    draws = 1 if given.smoke else given.draws
    way = Way(SMOKE_ROUNDS if given.smoke else given.rounds, given.sample, not given.no_spread)
    rows = []
    for name in given.names:
        course = QUICK if given.smoke else COURSES[name]
        found = read(name, given.most)
        curves = {
            by: np.mean(
                [_errors(found, by, course, draw, way, given.kept) for draw in range(draws)], axis=0
            )
            for by in (RANDOM, *(given.by or ["margin"]))
        }
        rows += list(_rows(name, course, curves))
        if given.graphs:
            _draw(Path(given.graphs), name, course.counts, curves)
    print(table(HEADS, rows))


BY = ["margin", "best", "entropy", "votes", HALF, WRONG, EVEN]
HEADS = ("corpus", "chosen", "random labels", "their error", "error", "labels needed", "share")


def read(name: str, most: int | None) -> Corpus:
    if name != "calls":
        return corpus(name, most)
    folder = PROJECT / "sample_data"
    parts = (documents(folder / f"calls.{part}.jsonl", most) for part in ("train", "test"))
    return Corpus(name, *parts)


def _errors(
    found: Corpus, by: str, course: Course, draw: int, way: Way, kept: int = 0
) -> list[float]:
    """The error at each of the measured numbers of labels, on so many training documents that are
    kept apart, or on the test documents if these are none.
    """
    if by == RANDOM:  # needs no model to choose
        course = replace(course, step=course.measured)
    order = np.random.default_rng(draw).permutation(len(found.train)).tolist()
    apart, order = order[:kept], order[kept:]
    test = [found.train[i] for i in apart] or found.test
    pool = [replace(without_labels(found.train[i]), id=str(i)) for i in order]
    chosen, waiting = pool[: course.first], pool[course.first :]
    errors, rng = [], np.random.default_rng(1000 + draw)
    for count in range(course.first, course.goals[-1] + 1, course.step):
        learned = [found.train[int(document.id)] for document in chosen]
        settings = {"rounds": way.rounds} if way.rounds else SETTINGS.get(found.name, {})
        predictor = Predictor(boostext.train(learned, seed=0, **settings).model.content)
        if count in course.counts:
            errors.append(test_error(predictor, test))
            print(f"{found.name} {by} {draw}: {count} labels, {errors[-1]:.3f}", file=sys.stderr)
        if by in (WRONG, EVEN):
            taken = _by_labels(found, chosen, waiting, predictor, by, course.step, rng)
        else:
            taken = _next(waiting, predictor, by, course.step, rng, way)
        chosen += taken
        names = {document.id for document in taken}
        waiting = [document for document in waiting if document.id not in names]
    return errors


def _next(
    waiting: Sequence[Document],
    predictor: Predictor,
    by: str,
    count: int,
    rng: np.random.Generator,
    way: Way,
) -> list[Document]:
    """The documents to label next."""
    if by == HALF:
        first = _next(waiting, predictor, "margin", count // 2, rng, way)
        names = {document.id for document in first}
        others = [document for document in waiting if document.id not in names]
        return [*first, *_next(others, predictor, RANDOM, count - len(first), rng, way)]
    seed = int(rng.integers(10**9))
    doubt = measure(by, predictor, seed=seed)
    spread = way.spread and by != RANDOM
    sample = usual_sample(predictor.model) if way.sample is None else way.sample
    rows = suggest(waiting, predictor, doubt, count, spread, sample, seed)
    return [row.document for row in rows]


def _by_labels(
    found: Corpus,
    chosen: Sequence[Document],
    waiting: Sequence[Document],
    predictor: Predictor,
    by: str,
    count: int,
    rng: np.random.Generator,
) -> list[Document]:
    """The documents to label next, for somebody who knows all labels."""
    mixed = [waiting[i] for i in rng.permutation(len(waiting)).tolist()]
    labels = {document.id: found.train[int(document.id)].labels for document in mixed}
    if by == WRONG:
        some, names = mixed[: SAMPLE * count], predictor.model.labels
        best = predictor.batch_scores(some).argmax(axis=1).tolist()
        right = [names[j] in labels[d.id] for j, d in zip(best, some, strict=True)]
        return [some[i] for i in np.argsort(right, kind="stable")[:count].tolist()]
    times = Counter(label for d in chosen for label in found.train[int(d.id)].labels)
    waits: dict[str, list[Document]] = {}
    for document in mixed:
        waits.setdefault(labels[document.id][0], []).append(document)
    taken = []
    for _ in range(count):
        label = min((label for label in waits if waits[label]), key=lambda name: times[name])
        times[label] += 1
        taken.append(waits[label].pop())
    return taken


def without_labels(document: Document) -> Document:
    """As it is before anybody has labeled it."""
    return replace(document, labels=(), labelled=False)


def test_error(predictor: Predictor, test: Sequence[Document]) -> float:
    """The share of documents of which the best label is none of theirs."""
    wrong = 0
    for found in predictor.batches(test):
        best = found.scores.argmax(axis=1).tolist()
        wrong += sum(
            predictor.model.labels[j] not in document.labels
            for j, document in zip(best, found.documents, strict=True)
        )
    return wrong / len(test)


def _rows(name: str, course: Course, curves: dict[str, np.ndarray]) -> Iterator[tuple[str, ...]]:
    for goal in course.goals:
        at = course.counts.index(goal)
        aim = float(curves[RANDOM][at])
        for by, errors in curves.items():
            needed = labels_needed(course.counts, errors.tolist(), aim)
            share = "" if needed is None else percent(needed / goal)
            told = "not reached" if needed is None else f"{needed:.0f}"
            yield (name, by, str(goal), percent(aim), percent(errors[at]), told, share)


def labels_needed(labels: Sequence[int], errors: Sequence[float], goal: float) -> float | None:
    """Labels at which the error first is `goal` or less; None where it never is."""
    for i, error in enumerate(errors):
        if error <= goal:
            if i == 0:
                return float(labels[0])
            before = errors[i - 1]
            return labels[i - 1] + (labels[i] - labels[i - 1]) * (before - goal) / (before - error)
    return None


def _draw(folder: Path, name: str, labels: Sequence[int], curves: dict[str, np.ndarray]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        Line(by, list(zip(map(float, labels), errors.tolist(), strict=True)))
        for by, errors in curves.items()
    ]
    drawn = graph(f"{name}: what to label next", "labels", "test error", lines, (0, labels[-1]))
    (folder / f"active-{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
