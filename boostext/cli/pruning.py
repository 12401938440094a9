"""The steps of `boostext prune`: read a model, make it smaller, save it, tell."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from boostext.atomic import check_writable
from boostext.cli.reading import announce_stdin, count, make_parent, spare, tell_bad, tell_reading
from boostext.cli.signals import Stopped, stop_request
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.model import Model, asked_conditions
from boostext.model.prune import cut
from boostext.settings import RunSettings
from boostext.training.refit import refit
from boostext.training.run import Hooks


@dataclass(frozen=True)
class Job:
    """What one call of `boostext prune` is to do."""

    model: str
    data: tuple[str, ...]
    rules: int | None
    terms: int | None
    output: str
    force: bool
    threads: int
    overrides: dict[str, Any]
    as_json: bool


def run(job: Job, talk: Talk) -> None:
    spare(job.data, job.output)
    make_parent(job.output)
    kind = None if job.force else MODEL_FILE
    check_writable(job.output, kind)
    model = read_model(Path(job.model))
    small = _with_terms(job, model, talk) if job.terms else _with_rules(job, model)
    if model.calibration or (model.thresholds and model.thresholds != small.thresholds):
        talk.warn(
            "thresholds and chances that were fitted to all rules are left out; fit them again"
        )
    write_model(small, job.output, kind)
    _show(job, small, talk)


def _with_rules(job: Job, model: Model) -> Model:
    assert job.rules is not None
    if job.rules > model.round_count:
        raise BoostextError(
            f"{job.model} has {count(model.round_count, 'rule')}, fewer than {job.rules}"
        )
    return cut(model, job.rules)


def _with_terms(job: Job, model: Model, talk: Talk) -> Model:
    assert job.terms is not None
    # subtle: the digest of the training data is of values as they came, before types were known
    reading = Reading(replace(model.data, known_types=()), job.overrides)
    announce_stdin(job.data, talk)
    tell_reading(reading, job.data, talk)
    bad = BadRecords()
    with stop_request() as stop:
        small = refit(
            read_documents(job.data, reading.of, bad), model, job.terms, job.rules,
            RunSettings(threads=job.threads, checkpoint_every=0),
            Hooks(should_stop=stop),
        )  # fmt: skip
        if stop():
            raise Stopped(stop.signal_number, "stopped; nothing was written")
    tell_bad(bad, talk)
    return small


def _show(job: Job, small: Model, talk: Talk) -> None:
    terms = len(asked_conditions(small))
    if job.as_json:
        click.echo(json.dumps({"model": job.output, "rules": len(small.rules), "terms": terms}))
    elif not talk.quiet:
        click.echo(f"{job.output}: {count(len(small.rules), 'rule')} over {count(terms, 'term')}")
