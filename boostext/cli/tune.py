"""`boostext tune`: find good settings on the training data alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    learning_options,
    tuning_options,
    workers_option,
)
from boostext.cli.places import announce_stdin, check_output
from boostext.cli.talk import Talk


@click.command("tune", cls=SettingsCommand)
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option("-o", "--output", required=True, metavar="FILE", help="The YAML file to write.")
@tuning_options
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted tuning from FILE.trials, if it exists.",
)
@workers_option
@force_option
@corrections_options
@learning_options
def command(
    data: tuple[str, ...],
    output: str,
    preset: str | None,
    budget: float | None,
    resume: bool,
    force: bool,
    labels_from: tuple[str, ...],
    new_labels: bool,
    groups: list[Any],
    given: Mapping[str, str],
    progress: str,
    workers: str,
    as_json: bool,
    talk: Talk,
) -> None:
    """Find good settings on the training data alone.

    Models with several settings are trained on parts of DATA and measured on the others; the best
    go to FILE, for train --config FILE. Settings that you give are kept. Without --budget, twelve
    trials (or those of the preset) take at most 40 s of CPU time and 5 s per million characters.

    \b
    Example:
      boostext tune calls.jsonl -o calls.yaml --budget 10m
    """
    from boostext.atomic import replacing
    from boostext.cli.progress import watched
    from boostext.library.data import corrections_of
    from boostext.library.tasks import tune_with
    from boostext.library.tuning import SETTINGS, Tuning, table
    from boostext.training.plan import Plan, command_line

    trials = Path(f"{output}.trials")
    tuning = Tuning.wanted(preset, preset is None, frozenset(given), budget, trials)
    if tuning is None:
        raise click.UsageError(f"--preset {preset} has nothing to tune; give it to train")
    kind = None if force else SETTINGS
    check_output(output, kind, (*data, *labels_from))
    tuning.prepare(resume, force)
    announce_stdin(data, talk)
    with watched(talk, progress) as watch:
        mended = corrections_of(labels_from, new_labels)
        plan = Plan(*groups).opened(preset, given)
        chosen = tune_with(data, None, plan, tuning, mended, watch, workers)
        with replacing(output, kind) as file:
            file.write(chosen.to_yaml().encode("utf-8"))
        tuning.done()
    if as_json:
        talk.json({"config": output, **chosen.to_dict()})
    elif not talk.quiet:
        lines = [*table(chosen.found), f"{output}: {command_line(chosen.found.plan)}"]
        click.echo("\n".join(lines))
