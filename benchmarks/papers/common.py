"""What the experiments share: corpora, errors while rules are learned, tables, options.

Corpora are folders with train.jsonl.gz and test.jsonl.gz below BOOSTEXT_DATA, or below the folder
../shared/data beside the project.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boostext.boosting.rounds import Booster
from boostext.boosting.rules import Round, Rule
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.evaluation.gold import Gold
from boostext.evaluation.measures import Monitor
from boostext.settings import DataSettings
from boostext.training.plan import Plan
from boostext.training.run import Prepared, prepare

PROJECT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BOOSTEXT_DATA") or PROJECT.parent / "shared" / "data")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents to learn from, and documents to count errors on."""

    name: str
    train: Sequence[Document]
    test: Sequence[Document]


def corpus(name: str, most: int | None = None) -> Corpus:
    """The corpus of this name below DATA; most: so many documents of each part, the first."""
    folder = DATA / name
    if not folder.is_dir():
        sys.exit(f"no {folder}; set BOOSTEXT_DATA to the folder that has {name}")
    return Corpus(name, *(documents(folder / f"{part}.jsonl.gz", most) for part in PARTS))


PARTS = ("train", "test")


def documents(path: Path, most: int | None = None) -> list[Document]:
    return list(itertools.islice(read_documents([str(path)], DataSettings()), most))


# Learning ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """After so many rounds: shares of wrong documents, and CPU seconds of all rounds so far."""

    round: int
    train: float
    test: float
    seconds: float


class Experiment:
    """One corpus read once, for any number of algorithms.

    text: settings of TextSettings, or any that hold for all algorithms. measure: what a Point
    tells for errors. Measuring costs no seconds of a Point, reading neither.
    """

    def __init__(self, given: Corpus, measure: str = "error", **text: Any) -> None:
        self.name, self.measure, self._text = given.name, measure, text
        plan = Plan.of(**text)
        self.prepared: Prepared = prepare(given.train, plan, given.test)

    def booster(self, **boosting: Any) -> Booster:
        """Settings of BoostingSettings and `engine`."""
        plan = Plan.of(threads=1, **{**self._text, **boosting})
        prepared, names = self.prepared, self.prepared.corpus.labels
        return Booster(
            prepared.features,
            prepared.corpus.label_sets,
            len(names),
            prepared.weights,
            plan.boosting,
            engine=plan.run.engine,
            labels=names,
        )

    def curve(self, at: Iterable[int], **boosting: Any) -> list[Point]:
        """Errors after the rounds `at`, ascending, and after the last if rules ran out before."""
        wanted = set(at)
        points = self.points(lambda number: number in wanted, rounds=max(wanted), **boosting)
        return [point for point, _ in points]

    def points(
        self, measured: Callable[[int], bool], **boosting: Any
    ) -> Iterator[tuple[Point, Booster]]:
        """Errors after each round that is `measured`, and after the last."""
        booster = self.booster(**boosting)
        errors, seconds, number = Errors(self.prepared, booster, self.measure), 0.0, 0
        for made, spent in timed(booster.rounds()):
            seconds, number = seconds + spent, made.number
            errors.add(made)
            if measured(number):
                yield Point(number, *errors.both(), seconds), booster
        if not measured(number):
            yield Point(number, *errors.both(), seconds), booster


class Errors:
    """Errors on both parts, kept up to date rule by rule."""

    def __init__(self, prepared: Prepared, booster: Booster, measure: str) -> None:
        if prepared.validation is None:
            raise ValueError("an experiment has documents to count errors on")
        names = prepared.corpus.labels
        self._booster, self._validation = booster, prepared.validation
        self._rules = list[Rule]()
        width = len(names) if booster.code is None else booster.code.shape[1]
        self._sums = np.zeros((len(prepared.validation), width))
        learned = Gold(names, len(names), prepared.corpus.label_sets)
        self._train = Monitor(measure, learned, prepared.multilabel)
        self._test = Monitor(measure, prepared.validation.gold, prepared.multilabel)

    def add(self, made: Round) -> None:
        self._rules += made.rules

    def both(self) -> tuple[float, float]:
        """Shares of wrong documents, those learned from and those not."""
        if self._rules:
            self._sums += self._validation.sums_of(self._rules)
            self._rules = []
        test = self._test.value(self._booster.decode(self._sums))
        return self._train.value(self._booster.label_scores()), test


def timed(rounds: Iterator[Round]) -> Iterator[tuple[Round, float]]:
    """Each round with the CPU seconds that it took."""
    while True:
        began = time.process_time()
        made = next(rounds, None)
        if made is None:
            return
        yield made, time.process_time() - began


# Telling -------------------------------------------------------------------------------------


def options(
    doc: str | None,
    rounds: int,
    smoke: int,
    names: Sequence[str] = (),
    graphs: bool = False,
    more: Mapping[str, Mapping[str, Any]] | None = None,
) -> argparse.Namespace:
    """--rounds and --smoke; `rounds` is then `smoke`, and `most` a small number of documents.

    names: what the experiment is on, all of it unless asked for by name; `smoke` takes the first.
    more: further options, with what argparse is told of each.
    """
    parser = parsed(doc, rounds)
    if names:
        parser.add_argument("names", nargs="*", choices=[*names, []], metavar="NAME", default=[])
    if graphs:
        parser.add_argument("--graphs", metavar="DIR", help="folder for graphs, made if need be")
    for option, told in (more or {}).items():
        parser.add_argument(option, **told)
    given = parser.parse_args()
    if names and not given.names:
        given.names = list(names[:1] if given.smoke else names)
    given.rounds = min(given.rounds, smoke) if given.smoke else given.rounds
    given.most = SMOKE if given.smoke else None
    return given


def parsed(doc: str | None, rounds: int) -> argparse.ArgumentParser:
    """A parser of --rounds and --smoke."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help=f"at most; {rounds} by default")
    parser.add_argument("--smoke", action="store_true", help="very little data: does it run?")
    return parser


SMOKE = 300


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown that reads as a table without it too; names to the left, numbers to the right."""
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    left = [any(cell[:1].isalpha() for cell in column[1:]) for column in columns]

    def line(row: Sequence[str]) -> str:
        places = zip(row, widths, left, strict=True)
        cells = (cell.ljust(w) if names else cell.rjust(w) for cell, w, names in places)
        return "| " + " | ".join(cells) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(heads), rule, *map(line, rows)])


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def until(last: int, most: int = 12) -> list[int]:
    """1, 2, 5, 10, 20, 50 ... and the last."""
    steps = [m * 10**e for e in range(7) for m in (1, 2, 5)]
    return [*[step for step in steps if step < last][-most:], last]
