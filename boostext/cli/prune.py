"""`boostext prune`: a model of fewer rules or terms."""

from __future__ import annotations

from typing import Any

import click

from boostext.cli.options import (
    SettingsCommand,
    corrections_options,
    force_option,
    json_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.talk import Talk


@click.command("prune", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...]")
@click.option("-o", "--output", required=True, metavar="MODEL2", help="The model file to write.")
@click.option(
    "--rules", type=click.IntRange(1), metavar="N",
    help="Keep the first N rules; with --terms, learn N before they are merged.",
)  # fmt: skip
@click.option(
    "--terms", type=click.IntRange(1), metavar="N",
    help="Keep the N most telling terms, and fit their votes anew on DATA, the training data.",
)  # fmt: skip
@click.option(
    "--valid", multiple=True, metavar="FILE",
    help="Labelled data to tell the price on: a measure before and after; repeat. With --terms "
    "alone it is told on DATA.",
)  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2), metavar="K",
    help="Tell the price by cross-validation on DATA, the training data: K times a model is "
    "learned without one part, pruned in the same way, and measured on that part.",
)  # fmt: skip
@force_option
@threads_option
@overriding_options
@corrections_options
@json_option
@talk_options
def command(
    model: str, data: tuple[str, ...], rules: int | None, terms: int | None, talk: Talk,
    **values: Any,
) -> None:  # fmt: skip
    """Make a model of fewer rules or terms.

    What it costs is told: a measure of both models, and the documents won and lost, on --valid
    files, by --folds, or else on the training data. The first N rules are the model that training
    with N rounds gives. For N terms the model's training data are needed: votes are fitted anew,
    and the rules of each term become one.

    \b
    Example:
      boostext prune calls.boostext calls.jsonl -o small.boostext --terms 100 --valid dev.jsonl
    """
    from boostext.cli.pruning import Job, run

    if rules is None and terms is None:
        raise click.UsageError("nothing to prune; give --rules N or --terms N")
    if terms is not None and not data:
        raise click.UsageError("--terms fits votes anew; name the model's training data as DATA")
    folds, valid = values["folds"], values["valid"]
    if folds and valid:
        raise click.UsageError("--folds and --valid both tell the price; give one of them")
    if folds and (not data or "-" in data):
        raise click.UsageError("--folds learns again; name the files of the training data as DATA")
    if terms is None and data and not folds:
        raise click.UsageError(
            "--rules alone needs no data; leave it out, or give --terms or --folds too"
        )
    run(Job(model, data, rules, terms, **values), talk)
