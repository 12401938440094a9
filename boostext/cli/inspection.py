"""The steps of `boostext inspect`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from boostext.cli.cross_validating import folds_told_by
from boostext.cli.document_inspection import show_document, wanted_document
from boostext.cli.progress import Progress
from boostext.cli.reading import (
    announce_stdin,
    spare_reports,
    tell_bad,
    tell_corrections,
    tell_reading,
)
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.evaluation.folds import TooFewError
from boostext.fields import count, nearest
from boostext.library.data_outliers import DataOutliers, audited_data, data_outliers
from boostext.library.explanation import Explanation
from boostext.library.gathering import Gathered, data_content
from boostext.library.inspection import Inspection, inspection_reports
from boostext.library.rereading import rereading
from boostext.library.signals import stop_request
from boostext.library.term_listing import TermListing, Wish
from boostext.model.file import read_model
from boostext.model.model import Model
from boostext.model.predict import Predictor
from boostext.reports.distributions import margin_drawing
from boostext.reports.folder import ReportFolder, report_folder
from boostext.reports.knowledge_file import knowledge_file
from boostext.reports.layout import page_for, wrap
from boostext.reports.listings import label_term_list, outlier_list
from boostext.reports.prior import prior_lines
from boostext.reports.tables import rule_table
from boostext.reports.trees import dot, is_flat, tree_drawing
from boostext.threads import usable_threads


@dataclass(frozen=True)
class Job:
    """What one call of `boostext inspect` is to do."""

    model: str
    paths: tuple[str, ...]
    output: str | None
    top: int
    only_label: tuple[str, ...]
    threads: int
    overrides: dict[str, Any]
    as_json: bool
    source: str | None = None
    margins: bool = False
    dot: bool = False
    as_knowledge: bool = False
    term: tuple[str, ...] = ()
    grep: str | None = None
    terms_where: tuple[str, ...] = ()
    document: str | None = None
    force: bool = False
    corrections: Corrections = field(default_factory=Corrections)

    @property
    def wish(self) -> Wish:
        return Wish(self.term, self.grep, self.terms_where, self.only_label)

    @property
    def lists_terms(self) -> bool:
        return bool(self.term or self.terms_where or self.grep is not None)


def run(job: Job, talk: Talk) -> None:
    model = read_model(job.model)
    check_labels(job, model)
    if job.dot:
        sys.stdout.writelines(dot(model, job.top, label_numbers(job, model)))
        return
    if job.as_knowledge:
        sys.stdout.writelines(knowledge_file(model, job.top))
        return
    spare_reports((job.model, *job.paths, *job.corrections.paths), job.output)
    tell_reading(Reading(model.data, job.overrides), job.paths, talk)
    with report_folder(job.output, not job.force) as folder:
        if job.document is not None or job.lists_terms:
            look_at_some(job, model, folder, talk)
        else:
            look_at_all(job, model, folder, talk)


def look_at_all(job: Job, model: Model, folder: ReportFolder | None, talk: Talk) -> None:
    """Rules, terms, and what of the documents stands out."""
    gathered = Gathered(model, job.threads or usable_threads())
    found = outliers(job, model, gathered, talk) if job.paths else None
    margins = gathered.margins() if found and asked(job) else ()
    if folder:
        title, content = Path(job.model).name, None
        if found is not None:
            reading = Reading(model.data, job.overrides)
            read = rereading(job.paths, reading.of, gathered.evidence.corpus)
            content = data_content(gathered, title, found, margins, read)
        folder.write(inspection_reports(model, title, content, found))
    shown = Inspection.of(model, found, job.only_label, job.top, margins if job.margins else ())
    if job.as_json:
        click.echo(json.dumps(shown.to_dict(), ensure_ascii=False))
    else:
        draw(job, model, shown, talk)


def label_numbers(job: Job, model: Model) -> list[int]:
    """The labels asked for; none where all are. Votes of coded labels are about columns."""
    return [] if model.code else [model.labels.index(label) for label in job.only_label]


def check_labels(job: Job, model: Model) -> None:
    for label in job.only_label:
        if label not in model.labels:
            hint = nearest(label, model.labels) or "; inspect lists those it has"
            raise SettingsError(f"the model has no label {label!r}{hint}")


def look_at_some(job: Job, model: Model, folder: ReportFolder | None, talk: Talk) -> None:
    """One document, or some terms."""
    if job.document is not None and job.lists_terms:
        raise SettingsError(
            "--document does not go with --term, --grep and --terms-where; give one"
        )
    reading = Reading(model.data, job.overrides)
    if job.document is not None:
        document = wanted_document(job.document, job.paths, reading, model)
        labels = [model.labels.index(label) for label in job.only_label]
        said = Explanation.of(Predictor(model), document, labels, job.top)
        show_document(said, job.as_json, folder, talk)
        return
    bad = BadRecords()
    announce_stdin(job.paths, talk)
    documents = read_documents(job.paths, reading.of, bad, labelled=False) if job.paths else None
    show_terms(TermListing(model, documents, job.wish), job, talk)
    tell_bad(bad, talk)


def show_terms(listing: TermListing, job: Job, talk: Talk) -> None:
    if job.as_json:
        click.echo(json.dumps(listing.to_dict(), ensure_ascii=False))
        return
    talk.show_line(f"{len(listing.found.rows):,} of {listing.count:,} terms")
    for drawing in listing.drawings(job.top, page_for(sys.stdout)):
        talk.show(drawing)


def asked(job: Job) -> bool:
    """Whether anything needs the model's own scores of the documents."""
    return job.margins or bool(job.output)


def outliers(job: Job, model: Model, gathered: Gathered, talk: Talk) -> DataOutliers:
    announce_stdin(job.paths, talk)
    bad = BadRecords()
    reading = Reading(model.data, job.overrides)
    read = read_documents(job.paths, reading.of, bad, labelled=not job.corrections)
    documents: Iterable[Document] = job.corrections.applied(read, model.labels)
    if asked(job):
        documents = gathered.watch(documents)
    threads = job.threads or usable_threads()
    if job.source == "cv" or (job.source is None and job.output):
        with stop_request():
            found = audited_or_refused(model, documents, threads, talk)
    else:
        found = data_outliers(model, documents, threads)
    tell_bad(bad, talk)
    tell_corrections(job.corrections, talk)
    if found.digest != model.provenance.digest:
        talk.say(f"{model.provenance.other_documents}; outliers tell most on the training data")
    return found


def audited_or_refused(
    model: Model, documents: Iterable[Document], threads: int, talk: Talk
) -> DataOutliers:
    progress = Progress("off" if talk.quiet else "auto")
    try:
        return audited_data(model, documents, threads, folds_told_by(progress))
    except TooFewError:
        raise SettingsError(
            "too few documents to learn rules without each of them; --source weights goes by the "
            "weight of a document in this model"
        ) from None
    finally:
        progress.finish()


def draw(job: Job, model: Model, shown: Inspection, talk: Talk) -> None:
    page, said = page_for(sys.stdout), model.provenance
    first = (
        f"{count(len(model.rules), 'rule')} for {count(len(model.labels), 'label')}, learned from "
        f"{count(said.documents, 'document')}; {said.stopped}{'; edited by hand' * said.edited}"
    )
    talk.show(wrap(first, page))
    for line in prior_lines(model.prior) if model.prior else ():
        talk.show(wrap(line, page))
    if is_flat(model):
        talk.show(rule_table(shown.rules, page))
    else:
        talk.show(tree_drawing(model, job.top, page, label_numbers(job, model)))
    talk.show_line("")
    talk.show(label_term_list(shown.speaking_for, shown.speaking_against, page))
    if shown.found is not None:
        talk.show_line("")
        found = shown.found
        talk.show(outlier_list(shown.outliers, page, len(found.rows), found.source))
        shares = ", ".join(f"{name} {value:+.2f}" for name, value in shown.found.margins.items())
        talk.show(wrap(f"margins of all documents: {shares}", page))
    if shown.margins:
        talk.show_line("")
        talk.show(margin_drawing(shown.margins, page))
