"""Files of report folders, and rows of likely label errors, for `train` and `inspect`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from boostext.arrays import Float64
from boostext.corpus.sources import BadRecords
from boostext.evaluation.margins import MarginRow, margin_rows
from boostext.evaluation.weights import label_signs
from boostext.library.judging import explained_rows
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
from boostext.reports.terms import TermRow, term_rows, terms_tsv
from boostext.training.audit import Audit
from boostext.training.crossval import CrossValidation
from boostext.training.history import CurveRow, cumulated_shares, curve, term_counts
from boostext.training.members import condition_numbers, training_contributions, training_scores
from boostext.training.run import Prepared, Trained

EXPLAINED = 300
"""Number of rows that have objections; the listing contains every document."""


@dataclass(frozen=True, eq=False)
class Report:
    """What `write_training_report` writes, and where.

    source: how likely label errors are found, a key of OUTLIERS; audit: the result of "cv". cross:
    the cross-validation with the settings of the model, if there was one. title, read, retrain: for
    the page. checked: labels by id of documents that have been checked, which are not listed again.
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
    """Write rules, terms, likely label errors, margins, the trace of the run, and the page.

    Records that were left out are listed as well. Returns the paths of the files.
    """
    evidence = training_evidence(trained)
    terms = term_rows(trained.model)
    facts = term_facts(evidence, terms, training_aliases(trained))
    reports = model_reports(trained.model, terms, facts)
    # documents that were checked before are not listed, so that others take their places
    explained = EXPLAINED + len(report.checked)
    rows = unchecked(OUTLIERS[report.source](trained, report.audit, explained), report.checked)
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
    """Return the rows without documents that have been checked, with new ranks."""
    kept = (row for row in rows if row.id not in checked)
    return [replace(row, rank=rank) for rank, row in enumerate(kept, 1)] if checked else rows


def _listing(report: Report, trained: Trained, rows: list[OutlierRow]) -> Listing:
    audit, prepared = report.audit, trained.prepared
    judged = audit_judged(prepared.corpus, audit, prepared.multilabel) if audit else None
    return Listing(rows, SOURCES[report.source], judged, report.retrain, report.checked)


def training_margins(trained: Trained, evidence: Evidence) -> list[MarginRow]:
    """Return the distribution of margins on the training data, with its bounds."""
    prepared, model = trained.prepared, trained.model
    signs = label_signs(model, prepared.corpus)
    return margin_rows(model, evidence.scores, signs, prepared.weights, training=True)


BAD_COLUMNS: tuple[Column[tuple[str, str]], ...] = (
    Column("origin", lambda row: row[0], "The file and line of the record."),
    Column("message", lambda row: row[1], "What is wrong with it."),
)
"""Columns of bad.tsv."""


def bad_tsv(bad: BadRecords) -> Iterator[str]:
    """Yield the lines of bad.tsv: the location of each bad record, and the error."""
    rows = [(str(origin), message) for origin, message in bad.first]
    if bad.count > len(rows):
        rows.append(("", f"and {bad.count - len(rows)} more"))
    yield from tsv_lines(BAD_COLUMNS, rows)


def model_reports(
    model: Model, rows: Sequence[TermRow], facts: Sequence[TermFacts] = ()
) -> dict[str, Iterable[str]]:
    """Return the tables of rules and terms and, if there are documents, of coverage.

    rows: all terms of the model.
    """
    reports: dict[str, Iterable[str]] = {
        "rules.tsv": rules_tsv(rule_rows(model), model.labels),
        "terms.tsv": terms_tsv(rows, model.labels),
    }
    if facts:
        reports["coverage.tsv"] = coverage_tsv(rows, facts)
    return reports


def weight_outliers(
    trained: Trained, found: Audit | None = None, explained: int = EXPLAINED
) -> list[OutlierRow]:
    """Return the rows by weight with the tapered scores; texts are not read again."""
    return _weighed(trained, None, explained)


def cumulated_outliers(
    trained: Trained, found: Audit | None = None, explained: int = EXPLAINED
) -> list[OutlierRow]:
    """Return the rows by weight over all rounds."""
    return _weighed(trained, cumulated_shares(trained), explained)


def _weighed(trained: Trained, shares: Float64 | None, explained: int) -> list[OutlierRow]:
    model, members, corpus = tapered(trained.model), trained.members, trained.prepared.corpus
    numbers = condition_numbers(trained.rounds)
    known = trained.prepared.known
    scores = training_scores(members, model, numbers, trained.prepared.start_of_all)
    rows = outlier_rows(model, corpus, scores, len(corpus), shares)
    examples = [row.example for row in rows[:explained]]
    contributions = training_contributions(members, model, numbers, examples)
    if known is not None:
        contributions = (
            (known.contribution(example), *rest)
            for example, rest in zip(examples, contributions, strict=True)
        )
    first = with_objections(rows[:explained], model, contributions)
    return with_duplicates([*first, *rows[explained:]], trained.prepared, explained)


def audited_outliers(
    trained: Trained, found: Audit | None, explained: int = EXPLAINED
) -> list[OutlierRow]:
    """Return the rows by cross-validation."""
    assert found is not None, "the caller audits"
    return audit_listing(trained.prepared, found, explained)


def audit_listing(prepared: Prepared, found: Audit, explained: int = EXPLAINED) -> list[OutlierRow]:
    """Return the rows of an audit. explained: how many come with the terms that are evidence."""
    rows = doubt_rows(prepared.corpus, prepared.multilabel, found.scores, found.probabilities)
    rows = [*explained_rows(found, rows[:explained]), *rows[explained:]]
    return with_duplicates(rows, prepared, explained)


def with_duplicates(rows: list[OutlierRow], prepared: Prepared, explained: int) -> list[OutlierRow]:
    """Return the rows; the first `explained` have their near duplicates with other labels."""
    examples = [row.example for row in rows[:explained]]
    found = near_duplicates(prepared.features, prepared.corpus, examples)
    names = ([prepared.corpus.ids[i] for i in others] for others in found)
    first = [replace(row, duplicates=tuple(n)) for row, n in zip(rows, names, strict=False)]
    return [*first, *rows[explained:]]


OUTLIERS: Mapping[str, Callable[[Trained, Audit | None, int], list[OutlierRow]]] = {
    "cv": audited_outliers,
    "weights": weight_outliers,
    "cumulated": cumulated_outliers,
}
"""Maps each value of --outliers to the function that returns the rows."""


def curve_columns(measure: str) -> tuple[Column[CurveRow], ...]:
    """Return the columns of curve.tsv."""
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
    """Yield the lines of curve.tsv; nan stands for values that were not computed."""
    yield from tsv_lines(curve_columns(measure), rows)


def _trace(trained: Trained, measure: str, rows: Sequence[CurveRow]) -> Iterator[TraceRow]:
    fields = text_field_count(trained.model)
    learned = {row.round: {measure: row.train} for row in rows}
    held = dict(trained.best.curve) if trained.best else {}
    for made, terms in zip(trained.rounds, term_counts(trained), strict=True):
        number = made.number
        valid = {measure: held[number]} if number in held else {}
        yield trace_row(made, fields, learned.get(number), valid, terms)
