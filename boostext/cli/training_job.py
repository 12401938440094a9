"""The steps of `boostext train`: places checked first, then reading, learning, saving, telling."""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from boostext.atomic import Kind, check_own, check_writable
from boostext.cli.cross_validating import folds_told_by, found_words, told_by
from boostext.cli.progress import Line, Progress
from boostext.cli.reading import (
    announce_stdin,
    make_parent,
    spare,
    spare_reports,
    tell_bad,
    tell_corrections,
)
from boostext.cli.talk import Talk
from boostext.cli.tuning_job import TRIALS, Wish, corrected, read_all, table, tuned, wish
from boostext.compiled import notice, on_compile
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.features.selection import SYMBOLS
from boostext.fields import count
from boostext.library.config import write_config
from boostext.library.judging import audited
from boostext.library.reporting import Report, write_training_report
from boostext.library.rereading import rereading
from boostext.library.signals import StopRequest, stop_request
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.model import Model
from boostext.presets import PRESETS
from boostext.reports.folder import ReportFolder, report_folder
from boostext.training.columns import described, with_validation
from boostext.training.crossval import CrossValidation, remarks_before
from boostext.training.held_out import (
    check_held_out,
    finished,
    settled,
    wants_cross_validation,
)
from boostext.training.plan import Plan, command_line
from boostext.training.run import (
    Hooks,
    Moment,
    Prepared,
    Trained,
    check_patience,
    learn,
    prepare,
)
from boostext.training.sizes import sizes, sizes_of
from boostext.training.summary import (
    Summary,
    remarks,
    summary,
    training_json,
    warnings,
)


@dataclass(frozen=True)
class Job:
    """What one call of `boostext train` is to do."""

    data: tuple[str, ...]
    plan: Plan
    output: str
    report: str | None
    resume: bool
    progress: str
    as_json: bool
    corrections: Corrections = field(default_factory=Corrections)
    outliers: str = "auto"
    force: bool = False
    preset: str | None = None
    tune: bool = False
    budget: float | None = None
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def wish(self) -> Wish | None:
        """How to tune, if at all."""
        trials = Path(f"{self.output}.trials")
        found = wish(self.preset, self.tune, frozenset(self.given), self.budget, trials)
        if found is None and self.budget is not None:
            raise click.UsageError("--budget is for tuning; give --tune too, or --preset accurate")
        return found

    @property
    def replaces(self) -> Kind | None:
        """What the model may take the place of; None is anything."""
        return None if self.force else MODEL_FILE

    @property
    def checkpoint(self) -> Path:
        return Path(f"{self.output}.checkpoint")


def take_plan(values: dict[str, Any]) -> Plan:
    """Take the groups of settings out of a command's values."""
    names = ("data_settings", "text", "boosting", "known", "stop", "run")
    return Plan(*(values.pop(name) for name in names))


def plan_as_yaml(plan: Plan, preset: str | None, given: Mapping[str, str]) -> str:
    chosen = PRESETS[preset].settings if preset else ()
    return write_config(plan.groups, {**dict.fromkeys(chosen, f"preset {preset}"), **given})


def run(job: Job, talk: Talk) -> None:
    """Train, save, and tell; Stopped after saving where the user ended it."""
    check_inputs(job)
    with report_folder(job.report, not job.force) as folder, stop_request() as stop:
        prepare_places(job)
        old = starting_point(job, talk)
        bad = BadRecords()
        documents: list[Document] | None = None
        if job.wish:
            job, documents = with_tuned(job, job.wish, bad, stop, talk)
        elif job.preset:
            talk.say(f"chosen: {command_line(job.plan)}", whole=True)
        prepared = read(job.data, job.plan, bad, talk, job.progress, documents, job.corrections)
        prepared, found = settle(prepared, job.progress, talk)
        trained = finished(follow(job, prepared, old, stop, talk), found, talk.warn)
        save(job, trained, talk)
        stop.saved(stopped_words(job, trained))
        result = summary(trained)
        if folder:
            report = asked_report(job, folder, prepared, found, talk)
            write_training_report(report, trained, bad)
    show(job, trained, result, bad, talk)


def asked_report(
    job: Job, folder: ReportFolder, prepared: Prepared, cross: CrossValidation | None, talk: Talk
) -> Report:
    """What the report needs beside the trained model; the audit is done here."""
    progress = Progress("off" if talk.quiet else job.progress)
    try:
        source, audit = audited(job.outliers, prepared, folds_told_by(progress))
    finally:
        progress.finish()
    return Report(
        folder, source, audit, cross, Path(job.output).name,
        rereading(job.data, job.plan.reading, prepared.corpus), retraining(job, prepared.plan),
        job.corrections.labels,
    )  # fmt: skip


def retraining(job: Job, plan: Plan) -> str:
    """The command that learns the same once more, with the corrections that a page saves."""
    words = [*job.data, "-o", job.output, "--report", str(job.report)]
    plan = job.plan
    valid = [word for path in plan.stop.valid for word in ("--valid", path)]
    valid += [word for path in plan.known.unlabelled for word in ("--unlabelled", path)]
    valid += ["--knowledge", plan.known.knowledge] if plan.known.knowledge else []
    return shlex.join([
        *shlex.split(command_line(plan)), *words, *valid, "--labels-from", "corrections.csv"
    ])  # fmt: skip


def check_inputs(job: Job) -> None:
    """Nothing that is read may be written over."""
    known = job.plan.known
    inputs = (
        *job.data, *job.plan.stop.valid, *job.corrections.paths, *known.unlabelled,
        *([known.knowledge] if known.knowledge else []),
    )  # fmt: skip
    spare(inputs, job.output, job.checkpoint)
    spare_reports(inputs, job.report)


def prepare_places(job: Job) -> None:
    """Hours of training must not end at a place that cannot be written."""
    make_parent(job.output)
    check_writable(job.output, job.replaces)
    check_own(job.checkpoint, job.replaces)
    if job.wish:
        check_own(job.wish.trials, None if job.force else TRIALS)


def starting_point(job: Job, talk: Talk) -> Model | None:
    """The model that --resume goes on from."""
    if not job.resume:
        if job.checkpoint.exists():
            talk.say(f"{job.checkpoint} is from a run that did not end; --resume would go on there")
        return None
    for path in (job.checkpoint, Path(job.output)):
        if path.exists():
            old = read_model(path)
            talk.say(f"going on from {path}, {count(len(old.rules), 'rule')}")
            return old
    talk.say(f"neither {job.checkpoint} nor {job.output} is there; starting anew")
    return None


def with_tuned(
    job: Job, wanted: Wish, bad: BadRecords, stop: StopRequest, talk: Talk
) -> tuple[Job, list[Document]]:
    """The job with chosen settings, and the documents, which stay read."""
    documents = read_all(job.data, job.plan, bad, talk, job.progress, job.corrections)
    plan = described(job.data, job.plan)
    found = tuned(documents, plan, wanted, job.resume, stop, talk, job.progress)
    for line in table(found):
        talk.say(line)
    talk.say(f"chosen: {command_line(found.plan)}", whole=True)
    return dataclasses.replace(job, plan=found.plan), documents


def read(
    paths: tuple[str, ...], plan: Plan, bad: BadRecords, talk: Talk, mode: str = "auto",
    already: list[Document] | None = None, corrections: Corrections | None = None,
) -> Prepared:  # fmt: skip
    """Documents to features, with a word on what was found."""
    validates = bool(plan.stop.valid or plan.stop.valid_fraction)
    check_patience(plan, validates)
    check_held_out(plan, validates)
    given, plan = plan, with_validation(paths, plan)
    if plan != given:
        talk.say(f"validating on {', '.join(plan.stop.valid)}, found beside the stem")
    announce_stdin(plan.stop.valid if already else paths + plan.stop.valid, talk)
    talk.say(f"threads {plan.threads}, seed {plan.boosting.seed}")
    progress = Progress("off" if talk.quiet else mode)
    on_compile(lambda: announce_compiling(progress, talk))
    corrections = corrections or Corrections()
    documents = already or corrected(paths, plan, bad, corrections)
    valid = read_documents(plan.stop.valid, plan.data, bad) if plan.stop.valid else None
    try:
        prepared = prepare(progress.counting(documents), described(paths, plan), valid)
    finally:
        progress.finish()
    prepared = dataclasses.replace(
        prepared, plan=prepared.plan.as_read(bad), corrected=corrections.changed
    )
    if not already:
        tell_bad(bad, talk)
        tell_corrections(corrections, talk)
    if notice():
        talk.say(notice())
    talk.say(sizes(prepared))
    for remark in remarks(prepared):
        talk.say(remark)
    for warning in warnings(prepared):
        talk.warn(warning)
    return prepared


def announce_compiling(progress: Progress, talk: Talk) -> None:
    progress.finish()
    talk.say("compiling, which only the first run needs ...")


# Cross-validation ----------------------------------------------------------------------------


def settle(prepared: Prepared, mode: str, talk: Talk) -> tuple[Prepared, CrossValidation | None]:
    """Whatever the plan leaves to cross-validation, with progress and a word on what came of it."""
    progress = Progress("off" if talk.quiet else mode)
    for remark in remarks_before(prepared) if wants_cross_validation(prepared) else ():
        talk.say(remark)
    try:
        settled_plan, found = settled(prepared, told_by(progress))
    finally:
        progress.finish()
    if found is not None:
        talk.say(found_words(found))
    return settled_plan, found


# Learning ------------------------------------------------------------------------------------


def follow(
    job: Job, prepared: Prepared, old: Model | None, stop: StopRequest, talk: Talk
) -> Trained:
    """Learn, with progress, checkpoints, and an ear for signals."""
    progress = Progress("off" if talk.quiet else job.progress)
    line = Line(prepared, progress)

    def after(moment: Moment) -> None:
        stop.patient = True  # there is something to save now
        line.after(moment)

    hooks = Hooks(after, stop, lambda model: write_model(model, job.checkpoint, job.replaces))
    try:
        return learn(prepared, hooks, old)
    finally:
        progress.finish()


# The end -------------------------------------------------------------------------------------


def save(job: Job, trained: Trained, talk: Talk) -> None:
    """The model; and, where it was stopped, all rules so far beside it, for --resume."""
    write_model(trained.model, job.output, job.replaces)
    if trained.interrupted and len(trained.whole.rules) > len(trained.model.rules):
        write_model(trained.whole, job.checkpoint, job.replaces)
    else:
        job.checkpoint.unlink(missing_ok=True)
    if job.wish and not trained.interrupted:
        job.wish.trials.unlink(missing_ok=True)


def stopped_words(job: Job, trained: Trained) -> str:
    """What to say where a signal ends the run once the model is saved."""
    if trained.interrupted:
        return (
            f"stopped after round {len(trained.rounds)}; {job.output} holds the model so far, "
            f"{count(len(trained.model.rules), 'rule')}; --resume goes on"
        )
    kept = f"stopped; {job.output} holds the model, which is complete"
    return f"{kept}; the report was not written" if job.report else kept


def show(job: Job, trained: Trained, result: Summary, bad: BadRecords, talk: Talk) -> None:
    if not len(trained.prepared.corpus):
        talk.say("no document has a label: the model is the knowledge alone")
    elif not result.rounds:
        talk.warn(
            f"{result.stopped}: the model has no rule, and all its scores are 0; boostext check "
            f"lists texts that are the same to training and have other labels{symbols(job.plan)}"
        )
    elif not result.helps:
        talk.warn(
            f"the model is not better than always answering {result.majority!r} "
            f"({result.measure} {result.baseline:.4f})"
        )
    if job.as_json:
        click.echo(
            json.dumps(
                {"model": job.output, **training_json(trained, result, bad)}, ensure_ascii=False
            )
        )
    elif not talk.quiet:
        click.echo("\n".join(lines(job, result)))


def symbols(plan: Plan) -> str:
    """That there may be more in the texts than was learned from."""
    words = plan.text.analyzer == "word" and not plan.text.token_pattern
    return f"; {SYMBOLS}" if words and not plan.text.punctuation else ""


def lines(job: Job, result: Summary) -> list[str]:
    """The result for people."""
    rounds = count(result.rules, "rule")
    if result.rules != result.rounds:
        rounds += f" in {count(result.rounds, 'round')}"
    if result.rounds != result.rounds_done:
        rounds += f" of {result.rounds_done}"
    training = f"{result.measure} on the training data {result.training:.4f}"
    told = [f"{job.output}: {rounds} over {count(result.terms, 'condition')}; {result.stopped}"]
    if result.validation == result.validation:
        training += f", on validation data {result.validation:.4f}"
    if not math.isnan(result.baseline):
        told.append(f"{training}; always {result.majority!r}: {result.baseline:.4f}")
    told += [f"{name} {loss:.4f}, its bound {most:.4f}" for name, loss, most in result.bounds]
    return told + ([f"report: {job.report}"] if job.report else [])


def dry_run(paths: tuple[str, ...], plan: Plan, as_json: bool, talk: Talk) -> None:
    """Read everything, learn nothing, write nothing."""
    with stop_request():
        show_sizes(read(paths, plan, BadRecords(), talk), as_json)


def show_sizes(prepared: Prepared, as_json: bool) -> None:
    facts = sizes_of(prepared)
    if as_json:
        click.echo(json.dumps(facts))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}  {value:>13,}")
