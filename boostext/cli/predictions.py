"""The steps of `boostext predict`: a stream of documents into a stream of results."""

from __future__ import annotations

import itertools
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostext.cli.reading import (
    announce_stdin,
    tell_bad,
    tell_reading,
    test_files,
)
from boostext.cli.results import FORMATS, TABLES, with_header
from boostext.cli.talk import Talk, is_terminal
from boostext.corpus.alike import Reading
from boostext.corpus.documents import Document, Origin
from boostext.corpus.lookalikes import alike_words
from boostext.corpus.readers import no_record_has, read_documents
from boostext.corpus.sources import BadRecords, SeenLabels
from boostext.errors import SettingsError
from boostext.fields import count
from boostext.library.results import Wanted, results_of
from boostext.library.signals import Stopped, stop_request, until_stopped
from boostext.model.file import read_model
from boostext.model.model import Model, asked_attributes
from boostext.model.predict import (
    BATCH,
    Predictor,
    has_chances,
)
from boostext.threads import usable_threads

LINES = 8
"""Rules that a page shows for each label, where nothing was said."""


@dataclass(frozen=True)
class Job:
    """What one call of `boostext predict` is to do."""

    model: str
    paths: tuple[str, ...]
    document: str | None
    output: str | None
    top: int | None
    all_scores: bool
    proba: bool
    threshold: float | None
    threshold_proba: float | None
    explain: int | None
    threads: int
    overrides: dict[str, Any]
    keep_columns: bool = False


def run(job: Job, talk: Talk) -> None:
    model = read_model(job.model)
    wanted = _wanted(job, model)
    bad = BadRecords()
    documents = _documents(job, model, bad, talk)
    told, prompt = 0, _is_interactive(job)
    with stop_request() as stop:
        documents = until_stopped(documents, stop)
        try:
            if job.keep_columns and _format(job) in TABLES:
                documents, wanted = _headed(documents, wanted, model)
            write = FORMATS[_format(job)](wanted, model, talk)
            predictor = Predictor(model, job.threads or usable_threads())
            batch = 1 if prompt else BATCH
            for result in results_of(predictor, documents, wanted, batch):
                write(result)
                told += 1
                if prompt:
                    sys.stdout.flush()
        except Stopped as stopped:
            message = f"stopped after {count(told, 'result')}"
            raise Stopped(stopped.signal_number, message) from None
        finally:
            sys.stdout.flush()  # results stand before what is said of them
    tell_bad(bad, talk)
    bad.unmet = {name for name in bad.unmet if ":" not in name}  # words of scored texts are rare
    if bad.unmet and bad.fields:
        told_of = no_record_has(bad, job.paths[0])
        talk.warn(f"{told_of}; rules that ask for it take it as unknown")
    if bad.seen and (alike := alike_words(bad.seen.counts, model.labels, "the model's")):
        talk.warn(f"labels of the data look like labels of the model; are they meant? {alike}")
    if bad.count or bad.blank_lines or (is_terminal(sys.stderr) and not job.document):
        talk.say(f"{count(told, 'result')}, one for each document")


def _headed(
    documents: Iterator[Document], wanted: Wanted, model: Model
) -> tuple[Iterator[Document], Wanted]:
    """The same documents; the columns of the table are those of the first."""
    first = next(documents, None)
    if first is None:
        return documents, wanted
    return itertools.chain([first], documents), with_header(wanted, first, model)


def _format(job: Job) -> str:
    return job.output or ("drawing" if job.explain else "jsonl")


def _wanted(job: Job, model: Model) -> Wanted:
    if job.explain and job.output not in (None, "jsonl", "html"):
        raise SettingsError(f"--explain does not go with --output {job.output}; use jsonl or html")
    if job.keep_columns and _format(job) not in (*TABLES, "jsonl"):
        shown = f"--output {job.output}" if job.output else "--explain without --output jsonl"
        raise SettingsError(f"--keep-columns does not go with {shown}; use jsonl, csv or tsv")
    for option in ("proba", "threshold_proba"):
        if getattr(job, option) and not has_chances(model):
            raise SettingsError(
                f"scores of {model.boosting.algorithm} are no log odds and give no probabilities; "
                f"leave out --{option.replace('_', '-')}, or train with --calibrate sigmoid"
            )
    is_page = job.output == "html"
    return Wanted(
        len(model.labels) if job.all_scores else job.top,
        job.all_scores,
        job.proba or (is_page and has_chances(model)),
        job.explain or (LINES if is_page else None),
        f"Labels by {Path(job.model).name}",
        job.keep_columns,
        job.threshold,
        job.threshold_proba,
    )


def _documents(job: Job, model: Model, bad: BadRecords, talk: Talk) -> Iterator[Document]:
    if job.document is not None:
        field = model.data.text[0]
        return iter([Document("text", {field: job.document}, origin=Origin("--document", 0))])
    announce_stdin(job.paths, talk)
    # whether annotators accepted a label is nothing to one who asks for labels
    overrides = {"answers": "all", **job.overrides}
    paths = test_files(job.paths)
    asked, labels = asked_attributes(model), job.output == "html"
    reading = Reading(model.data, overrides).for_prediction(asked, labels)
    tell_reading(reading, paths, talk)
    bad.seen = SeenLabels(Reading(model.data, overrides).of(paths[0]))
    return read_documents(paths, reading.of, bad, labelled=False, columns=job.keep_columns)


def _is_interactive(job: Job) -> bool:
    """Whether somebody may wait for each answer: stdin that is no file."""
    if "-" not in job.paths or sys.stdin is None:
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return True
