"""The steps of `boostext compare`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from boostext.atomic import PAGE, check_writable, replacing
from boostext.cli.reading import (
    announce_stdin,
    make_parent,
    spare,
    tell_bad,
    tell_reading,
    test_files,
)
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.evaluation.comparing import compare
from boostext.model.file import read_model
from boostext.model.model import Model
from boostext.reports.comparing import (
    Compared,
    comparison_drawing,
    comparison_page,
    term_changes,
)
from boostext.reports.layout import page_for
from boostext.settings import DataSettings
from boostext.threads import usable_threads


@dataclass(frozen=True)
class Job:
    """What one call of `boostext compare` is to do."""

    models: tuple[str, str]
    paths: tuple[str, ...]
    output: str | None
    force: bool
    top: int
    threads: int
    overrides: dict[str, Any]
    as_json: bool


def run(job: Job, talk: Talk) -> None:
    first, second = (read_model(path) for path in job.models)
    kind = None if job.force else PAGE
    if job.output:
        spare((*job.models, *job.paths), job.output)
        make_parent(job.output)
        check_writable(job.output, kind)
    announce_stdin(job.paths, talk)
    bad = BadRecords()
    paths, reading = test_files(job.paths), Reading(read_by_both(first, second), job.overrides)
    tell_reading(reading, paths, talk)
    documents = read_documents(paths, reading.of, bad)
    found = compare((first, second), documents, job.threads or usable_threads())
    tell_bad(bad, talk)
    if not found.first.examples:
        raise BoostextError(f"no labelled documents in {', '.join(job.paths)}")
    names = _names(job.models)
    compared = Compared(names, found, term_changes(first, second))
    if job.output:
        with replacing(job.output, kind) as file:
            file.write(comparison_page(compared).encode("utf-8", "backslashreplace"))
    if job.as_json:
        click.echo(json.dumps(compared.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        talk.show(comparison_drawing(compared, job.top, page_for(sys.stdout)))


def read_by_both(first: Model, second: Model) -> DataSettings:
    """Records as the first model reads them, with the fields that only the second asks for."""
    text = dict.fromkeys((*first.data.text, *second.data.text))
    attribute = dict.fromkeys((*first.data.attribute, *second.data.attribute))
    return replace(first.data, text=tuple(text), attribute=tuple(attribute))


def _names(paths: tuple[str, str]) -> tuple[str, str]:
    """Without their folders, unless they have the same name in two."""
    first, second = (Path(path).name for path in paths)
    return (first, second) if first != second else paths
