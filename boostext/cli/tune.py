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
)
from boostext.cli.talk import Talk


@click.command("tune", cls=SettingsCommand)
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option("-o", "--output", required=True, metavar="FILE", help="The YAML file to write.")
@tuning_options
@click.option("--resume", is_flag=True, help="Go on from FILE.trials, if it is there.")
@force_option
@corrections_options
@learning_options
def command(
    data: tuple[str, ...], preset: str | None, budget: float | None, given: Mapping[str, str],
    talk: Talk, **values: Any,
) -> None:  # fmt: skip
    """Find good settings on the training data alone.

    Settings compete on parts of DATA that they are not learned from; the best go into FILE, for
    train --config FILE. What you say yourself is kept and not tried. Without --budget there are
    twelve trials, or those of the preset.

    \b
    Example:
      boostext tune calls.jsonl -o calls.yaml --budget 10m
    """
    from boostext.cli import training_job, tuning_job

    plan = training_job.take_plan(values)
    trials = Path(f"{values['output']}.trials")
    wanted = tuning_job.wish(preset, preset is None, frozenset(given), budget, trials)
    if wanted is None:
        raise click.UsageError(f"--preset {preset} has nothing to tune; give it to train")
    tuning_job.run(tuning_job.Job(data, plan, wanted, **values), talk)
