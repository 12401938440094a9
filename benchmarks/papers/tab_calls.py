"""Call routing as in Schapire's tutorial: the rule table, the outliers, the calibration curve.

    python benchmarks/papers/tab_calls.py
    python benchmarks/papers/tab_calls.py --rounds 300

Schapire's tutorial (TAB): calls to a telephone operator, 15 labels. The calls here are those of
sample_data/, written for this project; 30 of their labels are wrong on purpose, which tells how
good the outliers are. The tutorial prints no numbers for these three.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

import numpy as np
from common import PROJECT, documents, options, table
from rich.console import Console

from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document
from boostext.evaluation.report import Report, evaluate
from boostext.model.model import Model
from boostext.model.predict import Predictor
from boostext.reports.evaluations import reliability_drawing
from boostext.reports.layout import page_for
from boostext.reports.outliers import OutlierRow, outlier_rows, tapered
from boostext.reports.rules import rule_rows
from boostext.reports.tables import rule_table
from boostext.training.held_out import learn_and_judge
from boostext.training.plan import Plan
from boostext.training.run import prepare

SHOWN, LISTED = 15, (30, 60)


def main() -> None:
    given = options(__doc__, rounds=500, smoke=20)
    folder = PROJECT / "sample_data"
    train, test = (documents(folder / f"calls.{part}.jsonl", given.most) for part in PARTS)
    plan = Plan.of(rounds=given.rounds, expert="sparse", ngrams="1-3", calibrate="sigmoid")
    trained = learn_and_judge(prepare(train, plan))
    model = trained.model
    report = evaluate(model, Predictor(model).scores(test))
    page = page_for(sys.stdout)
    console = Console(width=page.width, highlight=False)
    print(f"The first {SHOWN} of {len(model.rules)} rules\n", flush=True)
    console.print(rule_table(rule_rows(model)[:SHOWN], page))
    print("\nOutliers: training calls that weigh most\n")
    rows = outliers(model, train)
    print(table(OUTLIERS, [told(row) for row in rows[:SHOWN]]))
    print("\n" + table(FOUND, found(rows)))
    print("\nCalibration on the test calls: how often labels of a probability were right\n")
    console.print(reliability_drawing(report.calibration, page))
    print("\n" + table(MEASURES, measures(report)))


PARTS = ("train", "test")
OUTLIERS = ("rank", "id", "given", "suggested", "call")
FOUND = ("outliers read", "wrong labels among them", "right one suggested", "wrong labels in all")
MEASURES = ("measure", "test")


def outliers(model: Model, train: Sequence[Document]) -> list[OutlierRow]:
    """By weight over all rounds."""
    faded, builder = tapered(model), CorpusBuilder()
    scores = [scored for _, scored in Predictor(faded).scores(builder.watch(train))]
    return outlier_rows(faded, builder.corpus(model.labels), np.array(scores), max(LISTED))


def told(row: OutlierRow) -> tuple[str, ...]:
    suggested = row.suggested if row.kind != "agrees" else (row.rival,)
    return str(row.rank), row.id, ", ".join(row.given), ", ".join(suggested), row.snippet[:60]


def found(rows: Sequence[OutlierRow]) -> list[tuple[str, ...]]:
    """How many of the labels planted wrong are among the first outliers."""
    with (PROJECT / "sample_data" / "planted.tsv").open(encoding="utf-8", newline="") as lines:
        planted = {row["id"]: row["right"] for row in csv.DictReader(lines, delimiter="\t")}
    counts = []
    for most in LISTED:
        met = [row for row in rows[:most] if row.id in planted]
        named = sum(planted[row.id] in {*row.suggested, row.rival} for row in met)
        counts.append((str(most), str(len(met)), str(named), str(len(planted))))
    return counts


def measures(report: Report) -> list[tuple[str, str]]:
    names = ("one-error", "micro-f1", "log-loss", "brier", "ece")
    return [(name, f"{report.measures[name]:.4f}") for name in names]


if __name__ == "__main__":
    main()
