"""The files of a report folder, and the outlier rows, for `train --report` and `inspect -o`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from boostext.corpus.sources import BadRecords
from boostext.model.model import Model
from boostext.reports.escape import tsv_field
from boostext.reports.folder import write_reports
from boostext.reports.objections import with_objections
from boostext.reports.outliers import OutlierRow, outlier_rows, outliers_tsv, tapered
from boostext.reports.rules import rule_rows, rules_tsv, text_field_count
from boostext.reports.terms import term_rows, terms_tsv
from boostext.reports.trace import TraceRow, trace_jsonl, trace_row
from boostext.reports.training import condition_numbers, training_contributions, training_scores
from boostext.training.run import Trained

EXPLAINED = 300
"""Outliers that come with the terms that object; the listing itself has every document."""


def write_training_report(folder: Path, trained: Trained, bad: BadRecords) -> list[Path]:
    """Rules, terms, outliers and the trace of a run, and the records that it left out."""
    reports = model_reports(trained.model)
    rows = training_outliers(trained, len(trained.prepared.corpus))
    reports["outliers.tsv"] = outliers_tsv(rows)
    reports["trace.jsonl"] = trace_jsonl(_trace(trained))
    if trained.prepared.plan.data.skip_bad:
        reports["bad.tsv"] = bad_tsv(bad)
    return write_reports(folder, reports)


def bad_tsv(bad: BadRecords) -> Iterator[str]:
    """Lines of bad.tsv: where each record stands, and what is wrong with it."""
    yield "origin\tmessage\n"
    for origin, message in bad.first:
        yield f"{tsv_field(str(origin))}\t{tsv_field(message)}\n"
    if bad.count > len(bad.first):
        yield f"\tand {bad.count - len(bad.first)} more\n"


def model_reports(model: Model) -> dict[str, Iterable[str]]:
    """Reports that need no data."""
    return {
        "rules.tsv": rules_tsv(rule_rows(model), model.columns),
        "terms.tsv": terms_tsv(term_rows(model), model.columns),
    }


def training_outliers(trained: Trained, top: int) -> list[OutlierRow]:
    """From the lists of conditions that training has: no text is read again."""
    model, members = tapered(trained.model), trained.members
    numbers = condition_numbers(trained.rounds)
    scores = training_scores(members, model, numbers)
    rows = outlier_rows(model, trained.prepared.corpus, scores, top)
    examples = [row.example for row in rows[:EXPLAINED]]
    spoken = training_contributions(members, model, numbers, examples)
    return [*with_objections(rows[:EXPLAINED], model, spoken), *rows[EXPLAINED:]]


def _trace(trained: Trained) -> Iterator[TraceRow]:
    fields = text_field_count(trained.model)
    measured = dict(trained.best.curve) if trained.best else {}
    name = trained.best.monitor.name if trained.best else ""
    for made in trained.rounds:
        number = made.number
        valid = {name: measured[number]} if number in measured else {}
        yield trace_row(made, fields, valid=valid)
