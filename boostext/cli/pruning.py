"""The steps of `boostext prune`: read a model, make it smaller, save it, tell."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from boostext.atomic import check_writable
from boostext.cli.progress import Progress
from boostext.cli.reading import (
    announce_stdin,
    make_parent,
    spare,
    tell_bad,
    tell_corrections,
    tell_reading,
)
from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.corrections import Corrections
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import BoostextError
from boostext.evaluation.comparing import Comparison, compare
from boostext.fields import count
from boostext.library.signals import Stopped, stop_request, until_stopped
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.model import Model, asked_conditions
from boostext.model.prune import cut
from boostext.settings import RunSettings
from boostext.threads import usable_threads
from boostext.training.refit import fold_prices, refit
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
    corrections: Corrections
    valid: tuple[str, ...] = ()
    folds: int | None = None


@dataclass(frozen=True)
class Price:
    """What a smaller model costs. data: on which the measure was taken, in a word."""

    data: str
    measure: str
    before: float
    after: float
    won: int
    lost: int

    def __str__(self) -> str:
        return (
            f"{self.measure} on {self.data} data {self.before:.4f} before, {self.after:.4f} "
            f"after; documents won {self.won:,}, lost {self.lost:,}"
        )


def run(job: Job, talk: Talk) -> None:
    spare((job.model, *job.data, *job.valid, *job.corrections.paths), job.output)
    make_parent(job.output)
    kind = None if job.force else MODEL_FILE
    check_writable(job.output, kind)
    model = read_model(Path(job.model))
    small = _with_terms(job, model, talk) if job.terms else _with_rules(job, model)
    if model.calibration or (model.thresholds and model.thresholds != small.thresholds):
        talk.warn(
            "thresholds and chances that were fitted to all rules are left out; fit them again"
        )
    price = _fold_price(job, model, talk) if job.folds else _price(job, model, small, talk)
    write_model(small, job.output, kind)
    _show(job, small, price, talk)


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
    read = read_documents(job.data, reading.of, bad, labelled=not job.corrections)
    with stop_request() as stop:
        small = refit(
            job.corrections.applied(read, model.labels), model, job.terms, job.rules,
            RunSettings(threads=job.threads, checkpoint_every=0),
            Hooks(should_stop=stop),
        )  # fmt: skip
        if stop():
            raise Stopped(stop.signal_number, "stopped; nothing was written")
    tell_bad(bad, talk)
    tell_corrections(job.corrections, talk)
    return small


def _price(job: Job, model: Model, small: Model, talk: Talk) -> Price | None:
    """Of the whole model and the small one on the same documents; None where there are none.

    The training data are read again for it, unless they come from stdin and are gone.
    """
    paths, data = (job.valid, "validation") if job.valid else (job.data, "training")
    if not paths or (not job.valid and "-" in paths):
        return None
    reading, bad = Reading(model.data, job.overrides), BadRecords()
    announce_stdin(job.valid, talk)
    mended = bool(job.corrections) and not job.valid
    documents = read_documents(paths, reading.of, bad, labelled=not mended)
    if mended:
        documents = job.corrections.applied(documents, model.labels)
    with stop_request() as stop:
        found = compare(
            (model, small), until_stopped(documents, stop), job.threads or usable_threads()
        )
    if job.valid:
        tell_bad(bad, talk)
    if not found.first.examples:
        raise BoostextError(f"no labelled documents in {', '.join(paths)}")
    name = "micro-f1" if model.multilabel else "error"
    before, after = (report.measures[name] for report in (found.first, found.second))
    return Price(data, name, before, after, found.won, found.lost)


def _fold_price(job: Job, model: Model, talk: Talk) -> Price:
    """The mean measure of models that are learned, and pruned, without the part they label."""
    assert job.folds is not None
    reading = Reading(replace(model.data, known_types=()), job.overrides)
    read = read_documents(job.data, reading.of, BadRecords(), labelled=not job.corrections)
    settings = RunSettings(threads=job.threads, checkpoint_every=0)
    found: list[Comparison] = []
    progress = Progress("off" if talk.quiet else "auto")
    with stop_request() as stop:
        documents = list(until_stopped(job.corrections.applied(read, model.labels), stop))
        hooks = Hooks(should_stop=stop)
        try:
            for comparison in fold_prices(
                documents, model, job.folds, job.terms, job.rules, settings, hooks
            ):
                found.append(comparison)
                progress.tell(lambda: f"price told by {len(found)} of {job.folds} folds")
        finally:
            progress.finish()
        if stop():
            raise Stopped(stop.signal_number, "stopped; nothing was written")
    name = "micro-f1" if model.multilabel else "error"
    before = [comparison.first.measures[name] for comparison in found]
    after = [comparison.second.measures[name] for comparison in found]
    won = sum(comparison.won for comparison in found)
    lost = sum(comparison.lost for comparison in found)
    return Price("held-out", name, fmean(before), fmean(after), won, lost)


def _show(job: Job, small: Model, price: Price | None, talk: Talk) -> None:
    terms = len(asked_conditions(small))
    if job.as_json:
        facts = {"model": job.output, "rules": len(small.rules), "terms": terms}
        click.echo(json.dumps(facts | ({"price": asdict(price)} if price else {})))
    elif not talk.quiet:
        click.echo(f"{job.output}: {count(len(small.rules), 'rule')} over {count(terms, 'term')}")
        if price:
            click.echo(str(price))
