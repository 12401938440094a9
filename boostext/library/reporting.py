"""The files of a report folder, and the outlier rows, for `train --report` and `inspect -o`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from boostext.arrays import Float64
from boostext.corpus.sources import BadRecords
from boostext.evaluation.margins import MarginRow, margin_rows
from boostext.evaluation.weights import label_signs
from boostext.library.judging import explained
from boostext.library.report_page import (
    SOURCES,
    audit_judged,
    learning_curves,
    page_reports,
    training_aliases,
    training_evidence,
    training_judged,
)
from boostext.model.model import Model
from boostext.reports.columns import Column, tsv_lines
from boostext.reports.coverage import Evidence, TermFacts, coverage_tsv, term_facts
from boostext.reports.doubts import doubt_rows
from boostext.reports.evaluation_files import margins_tsv
from boostext.reports.folder import ReportFolder
from boostext.reports.objections import with_objections
from boostext.reports.outliers import (
    OutlierRow,
    label_studio,
    near_duplicates,
    outlier_rows,
    outliers_tsv,
    tapered,
)
from boostext.reports.page.content import Content, Listing, Read, nothing_read
from boostext.reports.rules import (
    TraceRow,
    rule_rows,
    rules_tsv,
    text_field_count,
    trace_jsonl,
    trace_row,
)
from boostext.reports.terms import term_rows, terms_tsv
from boostext.training.audit import Audit
from boostext.training.crossval import CrossValidation
from boostext.training.cumulated import cumulated_shares
from boostext.training.curve import CurveRow, curve, term_counts
from boostext.training.members import condition_numbers, training_contributions, training_scores
from boostext.training.run import Prepared, Trained

EXPLAINED = 300
"""Outliers that come with the terms that object; the listing itself has every document."""


@dataclass(frozen=True, eq=False)
class Report:
    """What `write_training_report` is to write, and where.

    source: of the likely label errors, a key of OUTLIERS; audit: what `cv` goes by. cross: of the
    model's own settings, where there was one. title, read, retrain: of the page. checked: the ids
    that somebody has looked at before, with their labels; they are not listed again.
    """

    folder: ReportFolder
    source: str
    audit: Audit | None = None
    cross: CrossValidation | None = None
    title: str = ""
    read: Read = nothing_read
    retrain: str = ""
    checked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def write_training_report(report: Report, trained: Trained, bad: BadRecords) -> list[Path]:
    """Rules, terms, outliers, margins and the trace of a run, and the records that it left out;
    and all of it as a page.
    """
    evidence = training_evidence(trained)
    facts = term_facts(evidence, term_rows(trained.model), training_aliases(trained))
    reports = model_reports(trained.model, facts)
    rows = unchecked(OUTLIERS[report.source](trained, report.audit), report.checked)
    reports["outliers.tsv"] = outliers_tsv(rows, report.source)
    reports["outliers.label-studio.json"] = label_studio(rows[:EXPLAINED])
    margins = training_margins(trained, evidence)
    reports["margins.tsv"] = margins_tsv(margins)
    measure, points = curve(trained)
    reports["curve.tsv"] = curve_tsv(measure, points)
    reports["trace.jsonl"] = trace_jsonl(_trace(trained, measure, points))
    if trained.prepared.plan.data.skip_bad:
        reports["bad.tsv"] = bad_tsv(bad)
    content = Content(
        trained.model,
        report.title,
        evidence,
        facts,
        training_judged(trained, evidence, report.cross),
        _listing(report, trained, rows),
        margins,
        measure,
        learning_curves(points, report.cross),
        report.read,
    )
    reports |= page_reports(content)
    return report.folder.write(reports)


def unchecked(rows: list[OutlierRow], checked: Collection[str]) -> list[OutlierRow]:
    """Without the documents that somebody has looked at, ranks counted anew."""
    kept = (row for row in rows if row.id not in checked)
    return [replace(row, rank=rank) for rank, row in enumerate(kept, 1)] if checked else rows


def _listing(report: Report, trained: Trained, rows: list[OutlierRow]) -> Listing:
    audit, prepared = report.audit, trained.prepared
    judged = audit_judged(prepared.corpus, audit, prepared.multilabel) if audit else None
    return Listing(rows, SOURCES[report.source], judged, report.retrain, report.checked)


def training_margins(trained: Trained, evidence: Evidence) -> list[MarginRow]:
    """Of the documents that the model was learned from, with the bound."""
    prepared, model = trained.prepared, trained.model
    signs = label_signs(model, prepared.corpus)
    return margin_rows(model, evidence.scores, signs, prepared.weights, training=True)


BAD_COLUMNS: tuple[Column[tuple[str, str]], ...] = (
    Column("origin", lambda row: row[0], "The file and line of the record."),
    Column("message", lambda row: row[1], "What is wrong with it."),
)
"""The columns of bad.tsv"""


def bad_tsv(bad: BadRecords) -> Iterator[str]:
    """Lines of bad.tsv: where each record stands, and what is wrong with it."""
    rows = [(str(origin), message) for origin, message in bad.first]
    if bad.count > len(rows):
        rows.append(("", f"and {bad.count - len(rows)} more"))
    yield from tsv_lines(BAD_COLUMNS, rows)


def model_reports(model: Model, facts: Sequence[TermFacts] = ()) -> dict[str, Iterable[str]]:
    """Rules and terms; and, where there are documents, what the terms do in them."""
    rows = term_rows(model)
    reports: dict[str, Iterable[str]] = {
        "rules.tsv": rules_tsv(rule_rows(model), model.labels),
        "terms.tsv": terms_tsv(rows, model.labels),
    }
    if facts:
        reports["coverage.tsv"] = coverage_tsv(rows, facts)
    return reports


def weight_outliers(trained: Trained, found: Audit | None = None) -> list[OutlierRow]:
    """By weight under the tapered scores, from the lists of conditions: no text is read again."""
    return _weighed(trained, None)


def cumulated_outliers(trained: Trained, found: Audit | None = None) -> list[OutlierRow]:
    """By the weight over all rounds."""
    return _weighed(trained, cumulated_shares(trained))


def _weighed(trained: Trained, shares: Float64 | None) -> list[OutlierRow]:
    model, members, corpus = tapered(trained.model), trained.members, trained.prepared.corpus
    numbers = condition_numbers(trained.rounds)
    known = trained.prepared.known
    scores = training_scores(members, model, numbers, trained.prepared.start_of_all)
    rows = outlier_rows(model, corpus, scores, len(corpus), shares)
    examples = [row.example for row in rows[:EXPLAINED]]
    spoken = training_contributions(members, model, numbers, examples)
    if known is not None:
        spoken = (
            (known.contribution(example), *rest)
            for example, rest in zip(examples, spoken, strict=True)
        )
    told = with_objections(rows[:EXPLAINED], model, spoken)
    return with_duplicates([*told, *rows[EXPLAINED:]], trained.prepared)


def audited_outliers(trained: Trained, found: Audit | None) -> list[OutlierRow]:
    """By what was learned without the document."""
    assert found is not None, "the caller audits"
    return audit_listing(trained.prepared, found)


def audit_listing(prepared: Prepared, found: Audit) -> list[OutlierRow]:
    """Rows of an audit, the first with the terms that object."""
    rows = doubt_rows(prepared.corpus, prepared.multilabel, found.scores, found.chances)
    rows = [*explained(found, rows[:EXPLAINED]), *rows[EXPLAINED:]]
    return with_duplicates(rows, prepared)


def with_duplicates(rows: list[OutlierRow], prepared: Prepared) -> list[OutlierRow]:
    """The first rows with the documents that say nearly the same and have other labels."""
    told = [row.example for row in rows[:EXPLAINED]]
    found = near_duplicates(prepared.features, prepared.corpus, told)
    names = ([prepared.corpus.ids[i] for i in others] for others in found)
    first = [replace(row, duplicates=tuple(n)) for row, n in zip(rows, names, strict=False)]
    return [*first, *rows[EXPLAINED:]]


OUTLIERS: Mapping[str, Callable[[Trained, Audit | None], list[OutlierRow]]] = {
    "cv": audited_outliers,
    "weights": weight_outliers,
    "cumulated": cumulated_outliers,
}
"""--outliers -> the listing"""


def curve_columns(measure: str) -> tuple[Column[CurveRow], ...]:
    """The columns of curve.tsv."""
    return (
        Column("rounds", lambda row: row.round, "The number of rounds so far."),
        Column("terms", lambda row: row.terms, "The number of distinct conditions so far."),
        Column(f"train {measure}", lambda row: row.train, "The measure on the training data."),
        Column(
            f"valid {measure}",
            lambda row: row.valid,
            "The measure on the validation data; nan where it was not taken.",
        ),
    )


def curve_tsv(measure: str, rows: Sequence[CurveRow]) -> Iterator[str]:
    """Lines of curve.tsv; nan where a value was not taken."""
    yield from tsv_lines(curve_columns(measure), rows)


def _trace(trained: Trained, measure: str, rows: Sequence[CurveRow]) -> Iterator[TraceRow]:
    fields = text_field_count(trained.model)
    learned = {row.round: {measure: row.train} for row in rows}
    held = dict(trained.best.curve) if trained.best else {}
    for made, terms in zip(trained.rounds, term_counts(trained), strict=True):
        number = made.number
        valid = {measure: held[number]} if number in held else {}
        yield trace_row(made, fields, learned.get(number), valid, terms)
