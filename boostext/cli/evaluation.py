"""The steps of `boostext evaluate`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import click
import numpy as np

from boostext.arrays import Scores
from boostext.atomic import Kind, check_writable
from boostext.cli.reading import (
    announce_stdin,
    make_parent,
    spare,
    tell_bad,
    tell_corrections,
    tell_reading,
    test_files,
)
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.lookalikes import spelled
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.evaluation.gold import gold_of
from boostext.evaluation.report import Report, evaluate, is_judged
from boostext.evaluation.thresholds import tuned_thresholds
from boostext.fields import nearest
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.model import Model
from boostext.model.predict import Predictor, has_chances
from boostext.reports.distributions import reliability_drawing
from boostext.reports.evaluations import confusion_list, evaluation_summary, label_table
from boostext.reports.layout import page_for, stack
from boostext.threads import usable_threads


@dataclass(frozen=True)
class Job:
    """What one call of `boostext evaluate` is to do."""

    model: str
    paths: tuple[str, ...]
    strict: bool
    threshold: float | None
    threshold_proba: float | None
    confusions: int
    tune_thresholds: bool
    output: str | None
    force: bool
    threads: int
    overrides: dict[str, Any]
    as_json: bool
    corrections: Corrections
    reliability: bool = False
    bins: str = "equal-width"

    @property
    def replaces(self) -> Kind | None:
        """What the model may take the place of; None is anything."""
        return None if self.force else MODEL_FILE


@dataclass
class Kept:
    """What tuning needs of every labelled document."""

    labels: list[tuple[str, ...]] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)


def run(job: Job, talk: Talk) -> None:
    model = read_model(job.model)
    check_job(job, model)
    announce_stdin(job.paths, talk)
    bad, kept = BadRecords(), Kept()
    paths, reading = test_files(job.paths), Reading(model.data, job.overrides)
    tell_reading(reading, paths, talk)
    read = read_documents(paths, reading.of, bad, labelled=not job.corrections)
    documents = job.corrections.applied(read, model.labels)
    scored = Predictor(model, job.threads or usable_threads()).scores(documents)
    if job.strict:
        scored = strictly(scored, model)
    if job.tune_thresholds:
        scored = keeping(scored, model, kept)
    report = evaluate(model, scored, job.threshold, job.bins, job.threshold_proba)
    tell_bad(bad, talk)
    tell_corrections(job.corrections, talk)
    if not report.examples:
        raise BoostextError(
            f"no labelled documents in {', '.join(job.paths)}; name the field of the labels by "
            "--label"
        )
    if job.output:
        model = tuned(job, model, kept)
        talk.say(f"{job.output}: thresholds tuned; the measures below are with them")
        pairs = zip(kept.labels, kept.scores, strict=True)
        again = ((Document("", {}, labels), s) for labels, s in pairs)
        report = evaluate(model, again, bins=job.bins)
    show(job, report, talk)


def check_job(job: Job, model: Model) -> None:
    """Whether the model can do it, before any data is read."""
    if job.threshold_proba is not None and not has_chances(model):
        raise SettingsError(
            f"scores of {model.boosting.algorithm} are no log odds and give no probabilities; "
            "leave out --threshold-proba, or train with --calibrate sigmoid"
        )
    if not job.output:
        return
    if not model.multilabel:
        raise SettingsError(
            f"{job.model} gives one label a document, the one of greatest score; thresholds are "
            "for models of several labels"
        )
    spare((*job.paths, *job.corrections.paths), job.output)
    make_parent(job.output)
    check_writable(job.output, job.replaces)


def strictly(
    scored: Iterable[tuple[Document, Scores]], model: Model
) -> Iterator[tuple[Document, Scores]]:
    """The same, up to the first document with a label that the model cannot give."""
    known = set(model.labels)
    for document, scores in scored:
        strange = [label for label in document.labels if label not in known]
        if strange:
            raise DataError(
                document.origin.path, document.origin.line,
                f"the model does not know the label {spelled(strange[0])}"
                f"{nearest(strange[0], model.labels)}; mend it, or leave out --strict to count it "
                "as a miss",
            )  # fmt: skip
        yield document, scores


def keeping(
    scored: Iterable[tuple[Document, Scores]], model: Model, kept: Kept
) -> Iterator[tuple[Document, Scores]]:
    for document, scores in scored:
        if is_judged(document, model):
            kept.labels.append(document.labels)
            kept.scores.append(scores)
        yield document, scores


def tuned(job: Job, model: Model, kept: Kept) -> Model:
    """The model with thresholds, written."""
    gold = gold_of(model.labels, kept.labels)
    better = replace(model, thresholds=tuned_thresholds(np.stack(kept.scores), gold))
    write_model(better, str(job.output), job.replaces)
    return better


def show(job: Job, report: Report, talk: Talk) -> None:
    if job.as_json:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False))
        return
    page = page_for(sys.stdout)
    parts = [evaluation_summary(report, page), label_table(report.labels, page)]
    if job.reliability:
        parts.append(reliability_drawing(report.calibration, page))
    if job.confusions:
        parts.append(confusion_list(report.confusions, page, job.confusions))
    for number, part in enumerate(parts):
        talk.show(part if number == 0 else stack([part]))
