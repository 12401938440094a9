"""`boostext train`: learn a model from labelled documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import boostext
from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    given_settings,
    learning_options,
    tuning_options,
    workers_option,
)
from boostext.cli.places import announce_stdin, spare_reports
from boostext.cli.talk import Talk
from boostext.fields import count
from boostext.presets import PRESETS

if TYPE_CHECKING:
    from boostext.library.training import Result
    from boostext.library.tuning import Tuning
    from boostext.training.plan import Plan


@click.command("train", cls=SettingsCommand)
@click.argument("data", nargs=-1, metavar="DATA...")
@click.option("-o", "--output", metavar="MODEL", help="The model file to write.")
@click.option(
    "--report",
    metavar="DIR",
    help="Folder for report.html and tables: rules, terms, likely label errors, and the measures "
    "after each round.",
)
@tuning_options
@click.option(
    "--tune",
    is_flag=True,
    help="First try several settings on parts of the training data, and choose the best ones.",
)
@click.option(
    "--outliers",
    type=click.Choice(["auto", "cv", "weights", "cumulated"]),
    default="auto",
    show_default=True,
    help="How the report finds likely label errors: by a classifier that is trained without the "
    "document (cv), by the weight of the document after the last round (weights), or by its "
    "weight over all rounds (cumulated). auto is cv, unless that takes minutes.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted training from MODEL.checkpoint or MODEL, if one exists.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only read the data, and show its size and the memory that training would need.",
)
@click.option(
    "--print-config",
    is_flag=True,
    help="Only print all settings as YAML, with the origin of each as a comment. Settings that "
    "depend on the data need DATA.",
)
@workers_option
@force_option
@corrections_options
@learning_options
def command(
    data: tuple[str, ...],
    output: str | None,
    dry_run: bool,
    print_config: bool,
    groups: list[Any],
    **values: Any,
) -> None:
    """Learn a model from labelled documents.

    DATA are files (such as .jsonl, .csv, .tsv or fastText, also compressed as .gz, .bz2 or .xz),
    folders, or - for stdin. Ctrl-C ends the training after the current round and saves the model so
    far.

    \b
    Example:
      boostext train calls.jsonl -o calls.boostext --ngrams 1-2 --report out
    """
    from boostext.training.plan import Plan

    plan = Plan(*groups).opened(values["preset"], values["given"])
    if print_config:
        click.echo(_settings(data, plan, values["preset"], values["given"]), nl=False)
    elif not data:
        raise click.UsageError("no data; name labelled files, or - for stdin")
    elif dry_run:
        _dry_run(data, plan, **values)
    elif not output:
        raise click.UsageError("no place for the model; give it with -o MODEL")
    else:
        _train(data, plan, output, **values)


def _train(
    data: tuple[str, ...],
    plan: Plan,
    output: str,
    report: str | None,
    preset: str | None,
    budget: float | None,
    tune: bool,
    outliers: str,
    resume: bool,
    force: bool,
    labels_from: tuple[str, ...],
    new_labels: bool,
    given: Mapping[str, str],
    progress: str,
    workers: str,
    as_json: bool,
    talk: Talk,
) -> None:
    """Train, save the model, and write the report. Raises Stopped if the user stopped the run."""
    from boostext.cli.progress import watched
    from boostext.library import training
    from boostext.library.data import corrections_of
    from boostext.model.file import MODEL_FILE
    from boostext.reports.folder import report_folder

    tuning = _tuning(output, preset, tune, given, budget)
    mended = corrections_of(labels_from, new_labels)
    place = training.ModelPlace(output, None if force else MODEL_FILE)
    spare_reports((*data, *labels_from), report, place.output, place.checkpoint)
    announce_stdin((*data, *plan.stop.valid), talk)
    with report_folder(report, not force) as folder, watched(talk, progress) as watch:
        place.check()
        old = place.start(resume)
        if tuning is not None:
            tuning.prepare(resume, force)
        work: dict[str, Any] = {"old": old, "tuning": tuning, "corrections": mended}
        work |= {"watch": watch, "reports": bool(report)}
        with (
            place.keeping() as work["checkpoint"],
            training.working(workers, plan, rules=tuning is None) as work["workers"],
        ):
            result = training.run(data, None, plan, **work)
            place.save(result.trained)
            if tuning is not None and not result.interrupted:
                tuning.done()
            watch.stop.saved(_stopped(output, report, result))
            summary = result.summary
            if folder:
                left_open = None if tuning else plan
                shown: dict[str, Any] = {"title": Path(output).name, "watch": watch}
                shown["retrain"] = _again(result, left_open, (*data, "-o", output), report)
                shown |= {"checked": mended.labels, "workers": work["workers"]}
                boostext.report(result, folder, source=outliers, **shown)
    for doubt in result.doubts():
        talk.warn(doubt)
    if as_json:
        talk.json({"model": output, **result.to_dict()})
    elif not talk.quiet:
        click.echo("\n".join([*summary.lines(output), *([f"report: {report}"] if report else [])]))


def _again(
    result: Result, left_open: Plan | None, arguments: tuple[str, ...], report: str | None
) -> str:
    """Return the command that trains again.

    left_open: a plan whose open settings are not fixed, because other settings may be better after
    labels are corrected.
    """
    from boostext.training.plan import retrain_line

    done = result.trained.prepared.plan
    if left_open is not None:
        plan = left_open
        done = replace(done, text=plan.text, boosting=plan.boosting, open=plan.open)
    return retrain_line(done, [*arguments, "--report", str(report)])


def _settings(
    data: tuple[str, ...], plan: Plan, preset: str | None, given: Mapping[str, str]
) -> str:
    """Return all settings as YAML, with their origins.

    Without data, settings that depend on the data are only comments.
    """
    from boostext.library.config import write_config
    from boostext.library.training import decided_by

    sources = dict.fromkeys(PRESETS[preset].settings if preset else (), f"preset {preset}")
    if preset:
        plan = replace(plan, open=frozenset())
    elif data:
        plan, chosen = decided_by(data, plan)
        sources |= dict.fromkeys(chosen, "chosen by the data")
    return write_config(plan.groups, {**sources, **given}, plan.open)


def _dry_run(
    data: tuple[str, ...],
    plan: Plan,
    preset: str | None,
    given: Mapping[str, str],
    labels_from: tuple[str, ...],
    new_labels: bool,
    progress: str,
    workers: str,
    as_json: bool,
    talk: Talk,
    **others: Any,
) -> None:
    """Read the data and show its size; nothing is learned or written."""
    from boostext.cli.progress import watched
    from boostext.library.training import sizes

    announce_stdin((*data, *plan.stop.valid), talk)
    mended: dict[str, Any] = {"labels_from": labels_from, "new_labels": new_labels}
    mended |= {"workers": workers, **given_settings(plan.groups, given)}
    with watched(talk, progress) as watch:
        facts = sizes(data, preset=preset, watch=watch, **mended)
    if as_json:
        talk.json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}  {value:>13,}")


def _tuning(
    output: str, preset: str | None, tune: bool, given: Mapping[str, str], budget: float | None
) -> Tuning | None:
    """Return how settings are chosen first, or None."""
    from boostext.library.tuning import Tuning

    trials = Path(f"{output}.trials")
    found = Tuning.wanted(preset, tune, frozenset(given), budget, trials)
    if found is None and budget is not None:
        raise click.UsageError("--budget is for tuning; give --tune too, or --preset accurate")
    return found


def _stopped(output: str, report: str | None, result: Result) -> str:
    """Return the message if a signal ended the run after the model was saved."""
    if result.interrupted:
        return (
            f"stopped after round {len(result.trained.rounds)}; {output} contains the model "
            f"so far, {count(len(result.model.content.rules), 'rule')}; --resume continues"
        )
    kept = f"stopped; {output} contains the complete model"
    return f"{kept}; the report was not written" if report else kept
