"""Inspection of models: rules, terms, likely label errors, and explanations of documents."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boostext.corpus.documents import Document
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation.folds import TooFewError
from boostext.evaluation.margins import MarginRow
from boostext.fields import count, nearest
from boostext.library.classifier import Classifier
from boostext.library.data import (
    Paths,
    can_be_read_again,
    corrections_of,
    model_data,
    reading_again,
)
from boostext.library.data_outliers import DataOutliers, audited_data, data_outliers
from boostext.library.gathering import Gathered, data_content
from boostext.library.judging import SOURCES, audited
from boostext.library.report_page import page_reports
from boostext.library.reporting import EXPLAINED, OUTLIERS, model_reports
from boostext.library.term_listing import TermListing, Wish
from boostext.library.training import Result
from boostext.library.watch import Watch
from boostext.model.model import Model, asked_conditions
from boostext.model.prior_form import prior_to_plain
from boostext.reports.columns import Rows
from boostext.reports.evaluation_files import margins_tsv
from boostext.reports.folder import ReportFolder, report_folder
from boostext.reports.knowledge import prior_lines
from boostext.reports.outliers import (
    OUTLIER_COLUMNS,
    OutlierRow,
    label_studio,
    outlier_json,
    outliers_tsv,
)
from boostext.reports.page.content import Content, Read, nothing_read
from boostext.reports.rules import RuleRow, rule_json, rule_rows
from boostext.reports.terms import LabelTerm, label_terms, term_rows
from boostext.threads import usable_threads

if TYPE_CHECKING:
    from rich.text import Text

    from boostext.reports.layout import Page

LOG = logging.getLogger("boostext")


@dataclass(frozen=True, eq=False)
class Inspection:
    """The result of `boostext.inspect`.

    rules: the first rules. speaking_for, speaking_against: the strongest terms for and against each
    label. found: the likely label errors of all documents, or None; outliers: the first of them.
    margins: the distribution of margins, if requested. top: maximum number of rows of each kind.
    only: the labels to show; empty for all.
    """

    model: Model
    rules: Sequence[RuleRow]
    speaking_for: Sequence[LabelTerm]
    speaking_against: Sequence[LabelTerm]
    outliers: Sequence[OutlierRow]
    found: DataOutliers | None
    margins: Sequence[MarginRow] = ()
    top: int = 10
    only: Sequence[str] = ()

    @property
    def wanted(self) -> list[int]:
        """The indices of the labels to show; empty for all, or if the model uses an output code."""
        return [] if self.model.code else [self.model.labels.index(label) for label in self.only]

    @staticmethod
    def of(
        model: Model,
        found: DataOutliers | None = None,
        labels: Sequence[str] = (),
        top: int = 10,
        margins: Sequence[MarginRow] = (),
    ) -> Inspection:
        """Collect the rows. labels: the labels to show; empty for all. top: rows of each kind."""
        terms = term_rows(model)
        wanted = [n for n, label in enumerate(model.labels) if label in labels]
        speaking_for, speaking_against = (
            [
                row
                for row in label_terms(terms, model.labels, top, against)
                if not labels or row.label in labels
            ]
            for against in (False, True)
        )
        rows = [] if found is None else [row for row in found.rows if concerns(row, labels)]
        rules = rules_of(model, wanted if labels else range(len(model.labels)), top)
        sides = speaking_for, speaking_against
        return Inspection(model, rules, *sides, rows[:top], found, margins, top, labels)

    def summary(self) -> list[str]:
        """Return the lines on the size of the model, its training data and its prior knowledge."""
        model, provenance = self.model, self.model.provenance
        records = (
            f"{count(len(model.rules), 'rule')} for {count(len(model.labels), 'label')}, learned "
            f"from {count(provenance.documents, 'document')}; {provenance.stopped}"
            f"{'; edited by hand' if provenance.edited else ''}"
        )
        return [records, *(prior_lines(model.prior) if model.prior else ())]

    def drawings(self, page: Page) -> Iterator[Text]:
        """Yield the parts of the output of `boostext inspect`."""
        # rich is slow to import, and only drawings need it
        from rich.text import Text

        from boostext.reports.evaluations import margin_drawing
        from boostext.reports.layout import wrap
        from boostext.reports.listings import label_term_list, outlier_list
        from boostext.reports.tables import rule_table
        from boostext.reports.trees import is_flat, tree_drawing

        for line in self.summary():
            yield wrap(line, page)
        if is_flat(self.model):
            yield rule_table(self.rules, page)
        else:
            yield tree_drawing(self.model, self.top, page, self.wanted)
        yield Text("")
        yield label_term_list(self.speaking_for, self.speaking_against, page)
        found = self.found
        if found is not None:
            yield Text("")
            yield outlier_list(self.outliers, page, len(found.rows), found.source)
            names = {"least": "minimum", "half": "median"}
            margins = (f"{names.get(name, name)} {m:+.2f}" for name, m in found.margins.items())
            yield wrap(f"margins of all documents: {', '.join(margins)}", page)
        if self.margins:
            yield Text("")
            yield margin_drawing(self.margins, page)

    def to_dict(self) -> dict[str, Any]:
        """Return what `boostext inspect --json` prints."""

        def records(rows: Sequence[LabelTerm]) -> list[dict[str, Any]]:
            return [{"label": row.label, "term": row.term, "votes": row.votes} for row in rows]

        result: dict[str, Any] = {
            "model": facts_of(self.model),
            "rules": [rule_json(row) for row in self.rules],
            "terms_for": records(self.speaking_for),
            "terms_against": records(self.speaking_against),
        }
        if self.found is not None:
            result["source"] = self.found.source
            result["outliers"] = [outlier_json(row) for row in self.outliers]
            result["margins"] = self.found.margins
        if self.margins:
            result["margin_distribution"] = [asdict(row) for row in self.margins]
        return result


def inspect(
    model: Classifier,
    data: Any = None,
    labels: Any = None,
    *,
    source: str | None = None,
    only: Sequence[str] = (),
    top: int = 10,
    margins: bool = False,
    folder: str | Path | ReportFolder | None = None,
    title: str = "model",
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    **reading: Any,
) -> Inspection:
    """Return the first rules, the strongest terms of each label, and likely label errors of `data`.

    source: "cv" or "weights", see `outliers`; by default "cv" if a folder is given, otherwise
    "weights". only: the labels to show; by default all. top: maximum number of rows of each kind.
    margins: include the distribution of margins. folder: where to write report.html and tables;
    title: title of that page. labels_from, new_labels, reading: as for `boostext.evaluate`. watch:
    receives the progress.
    """
    content, threads = model.content, model.threads or usable_threads()
    check_labels(content, only)
    with as_folder(folder) as place:
        found, gathered = None, Gathered(content, threads)
        wanted = margins or place is not None
        if data is not None:
            mended = corrections_of(labels_from, new_labels)
            documents: Iterable[Document] = model_data(content, data, labels, reading, mended)
            documents = gathered.watch(documents) if wanted else documents
            by_folds = source == "cv" or (source is None and place is not None)
            explained = max(EXPLAINED, top)
            found = found_in_data(
                content, documents, threads, by_folds, watch or Watch(), explained
            )
            if found.digest != content.provenance.digest:
                note = content.provenance.other_documents(len(found.rows))
                LOG.info(f"{note}; likely label errors show best on the training data")
        rows = gathered.margins() if found and wanted else ()
        if place is not None:
            page = None
            if found is not None:
                read = _reading_again(content, data, labels, reading, gathered)
                page = data_content(gathered, title, found, rows, read)
            place.write(inspection_reports(content, title, page, found))
    return Inspection.of(content, found, only, top, rows if margins else ())


def _reading_again(
    model: Model, data: Any, labels: Any, reading: Mapping[str, Any], gathered: Gathered
) -> Read:
    if not can_be_read_again(data, labels):
        return nothing_read
    return reading_again(
        lambda: model_data(model, data, labels, reading, labelled=labels is not None, again=True),
        gathered.evidence.corpus,
    )


@contextmanager
def as_folder(folder: str | Path | ReportFolder | None) -> Iterator[ReportFolder | None]:
    """Context manager that checks a folder for reports, unless the caller has checked it."""
    if isinstance(folder, ReportFolder):
        yield folder
        return
    with report_folder(folder) as place:
        yield place


def check_labels(model: Model, labels: Sequence[str]) -> None:
    """Raise SettingsError if the model does not have one of the labels."""
    for label in labels:
        if label not in model.labels:
            hint = nearest(label, model.labels) or "; inspect lists those it has"
            raise SettingsError(f"the model has no label {label!r}{hint}")


def outliers(
    result: Result | Classifier,
    data: Any = None,
    labels: Any = None,
    *,
    source: str = "auto",
    explained: int = EXPLAINED,
    labels_from: Paths = (),
    new_labels: bool = False,
    watch: Watch | None = None,
    **reading: Any,
) -> Rows[OutlierRow]:
    """Return one row for every document, the most likely label errors first.

    The documents are the training data of a result or, for a model, the labelled `data`.
    `row.example` is the index of the document in the data.

    source: "cv" uses a classifier that is trained without each document; "weights" uses the weight
    of the document after the last round of boosting, and "cumulated" its weight over all rounds
    (for results only); "auto" is "cv", unless that takes minutes. explained: number of rows, from
    the first, that have objections, supports and duplicates; the other rows have none, because
    these take most of the time. labels_from, new_labels, reading: for data, as for
    `boostext.evaluate`. watch: receives the progress. Raises SettingsError if there are too few
    documents for "cv".
    """
    watch = watch or Watch()
    if explained < 0:
        raise SettingsError(f"explained is {explained}; expected 0 or more")
    if isinstance(result, Result):
        if data is not None:
            raise TypeError(
                "a result has its own data; use outliers(result.model, data) for other data"
            )
        source, audit = audited(source, result.trained.prepared, watch.judging)
        return Rows(OUTLIERS[source](result.trained, audit, explained), OUTLIER_COLUMNS)
    if source not in SOURCES or source == "cumulated":
        raise SettingsError(f"source is {source!r}; expected one of auto, cv, weights")
    model, threads = result.content, result.threads or usable_threads()
    mended = corrections_of(labels_from, new_labels)
    documents = model_data(model, data, labels, reading, mended)
    found = found_in_data(model, documents, threads, source != "weights", watch, explained)
    return Rows(found.rows, OUTLIER_COLUMNS)


def found_in_data(
    model: Model,
    documents: Iterable[Document],
    threads: int,
    by_folds: bool,
    watch: Watch,
    explained: int = EXPLAINED,
) -> DataOutliers:
    """Find likely label errors by cross-validation (`by_folds`), or by boosting weight.

    explained: number of rows that come with the terms that are evidence.
    """
    if not by_folds:
        return data_outliers(model, documents, threads, explained)
    try:
        return audited_data(model, documents, threads, watch.judging, explained)
    except TooFewError:
        raise SettingsError(
            "too few documents for cross-validation; use --source weights, which ranks documents "
            "by their weight in this model"
        ) from None


def find_terms(
    model: Classifier,
    data: Any = None,
    *,
    term: Sequence[str] = (),
    grep: str | None = None,
    where: Sequence[str] = (),
    only: Sequence[str] = (),
    labels_from: Paths = (),
    new_labels: bool = False,
    **reading: Any,
) -> TermListing:
    """Return the terms of a model that meet all conditions, and their statistics on `data`.

    term: terms to show in detail, as they are written. grep: regular expression that the term
    matches. where: filters on columns, such as "documents>=10" or "label~^re". only: labels on
    which the term votes. labels_from, new_labels, reading: as for `boostext.evaluate`.
    """
    content = model.content
    check_labels(content, only)
    documents = None
    if data is not None:
        mended = corrections_of(labels_from, new_labels)
        documents = model_data(content, data, None, reading, mended, labelled=False)
    return TermListing(content, documents, Wish(tuple(term), grep, tuple(where), tuple(only)))


def find_document(model: Classifier, data: Any, id: str, **reading: Any) -> Document:
    """Return the document with the given id. reading: settings of the data by name.

    Raises BoostextError if there is none.
    """
    seen = 0
    documents = model_data(model.content, data, None, reading, labelled=False, again=True)
    for document in documents:
        if document.id == id:
            return document
        seen += 1
    raise BoostextError(
        f"none of the {seen:,} documents has the id {id!r}; without DATA, --document is the text "
        "itself"
    )


def inspection_reports(
    model: Model, title: str, content: Content | None, found: DataOutliers | None
) -> dict[str, Iterable[str]]:
    """Return the tables and the page by name, including those on documents if there are any.

    content: the content of the page, or None if there are no documents.
    """
    shown = Content(model, title) if content is None else content
    reports = model_reports(model, term_rows(model), shown.facts)
    if found is not None:
        reports["outliers.tsv"] = outliers_tsv(found.rows, found.source)
        reports["outliers.label-studio.json"] = label_studio(found.rows[:EXPLAINED])
        reports["margins.tsv"] = margins_tsv(shown.margins)
    return reports | page_reports(shown)


def rules_of(model: Model, wanted: Sequence[int], top: int) -> list[RuleRow]:
    """Return the first rules that vote on any of the labels, with their votes on these labels."""
    labels = tuple(model.labels[number] for number in wanted)
    chosen = np.array(wanted)
    rows = []
    for row in rule_rows(model):
        unknown, no, yes = (block[chosen] for block in (row.unknown, row.no, row.yes))
        if unknown.any() or no.any() or yes.any():
            rows.append(replace(row, labels=labels, unknown=unknown, no=no, yes=yes))
        if len(rows) == top:
            break
    return rows


def concerns(row: OutlierRow, labels: Sequence[str]) -> bool:
    """Return whether one of the labels is given or suggested, or no labels are specified."""
    return not labels or bool({*labels} & {*row.given, *row.suggested})


def facts_of(model: Model) -> dict[str, Any]:
    """Return the size of the model and how it was trained."""
    provenance = model.provenance
    facts = {
        "rules": len(model.rules),
        "conditions": len(asked_conditions(model)),
        "labels": list(model.labels),
        "multilabel": model.multilabel,
        "documents": provenance.documents,
        "stopped": provenance.stopped,
        "edited": provenance.edited,
        "command": provenance.command,
        "seed": model.boosting.seed,
        "version": provenance.version,
    }
    return facts | ({"knowledge": prior_to_plain(model.prior)} if model.prior else {})
