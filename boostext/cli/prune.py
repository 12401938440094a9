"""`boostext prune`: reduce a model to fewer rules or terms."""

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
from boostext.cli.places import announce_stdin, check_output
from boostext.cli.talk import Talk
from boostext.fields import MOST, count


@click.command("prune", cls=SettingsCommand)
@click.argument("model")
@click.argument("data", nargs=-1, metavar="[DATA...]")
@click.option("-o", "--output", required=True, metavar="MODEL2", help="The model file to write.")
@click.option(
    "--rules",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Keep the first N rules. With --terms, the number of rules that are learned before "
    "merging.",
)
@click.option(
    "--terms",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Keep the N most important terms, and fit their votes again on DATA, which must be the "
    "training data of the model.",
)
@click.option(
    "--valid",
    multiple=True,
    metavar="FILE",
    help="Labelled data on which both models are measured. Repeat it for several files. By "
    "default, --terms measures on DATA.",
)
@click.option(
    "--folds",
    type=click.IntRange(2, MOST),
    metavar="K",
    help="Measure the cost of pruning by cross-validation on DATA, the training data: for each "
    "of K folds, a model is trained on the others, pruned in the same way, and measured.",
)
@force_option
@threads_option
@overriding_options
@corrections_options
@json_option
@talk_options
def command(
    model: str,
    data: tuple[str, ...],
    output: str,
    rules: int | None,
    terms: int | None,
    valid: tuple[str, ...],
    folds: int | None,
    force: bool,
    threads: int,
    reading: dict[str, Any],
    as_json: bool,
    talk: Talk,
) -> None:
    """Reduce a model to fewer rules or terms.

    The first N rules of a model are the same as a model that was trained with N rounds. To keep the
    N most important terms, the training data of the model is needed: their votes are fitted again,
    and the rules of each term are merged into one. The command shows the cost: a measure of both
    models, and the number of documents won and lost, on the files of --valid, by cross-validation
    with --folds, or otherwise on the training data.

    \b
    Example:
      boostext prune calls.boostext calls.jsonl -o small.boostext --terms 100 --valid dev.jsonl
    """
    from boostext.cli.progress import watched
    from boostext.library.classifier import Classifier
    from boostext.library.pruning import prune
    from boostext.model.file import MODEL_FILE, write_model

    _check(data, rules, terms, valid, folds)
    kind = None if force else MODEL_FILE
    check_output(output, kind, (model, *data, *valid, *reading["labels_from"]))
    announce_stdin((*data, *valid), talk)
    with watched(talk) as watch:
        found = prune(
            Classifier.load(model, threads),
            rules=rules,
            terms=terms,
            data=data or None,
            valid=valid or None,
            folds=folds,
            watch=watch,
            **reading,
        )
    write_model(found.model.content, output, kind)
    size = found.to_dict()
    if as_json:
        talk.json({"model": output, **size})
    elif not talk.quiet:
        click.echo(f"{output}: {count(size['rules'], 'rule')} over {count(size['terms'], 'term')}")
        if found.price:
            click.echo(str(found.price))


def _check(
    data: tuple[str, ...],
    rules: int | None,
    terms: int | None,
    valid: tuple[str, ...],
    folds: int | None,
) -> None:
    """Raise UsageError if options contradict each other."""
    if rules is None and terms is None:
        raise click.UsageError("nothing to prune; give --rules N or --terms N")
    if terms is not None and not data:
        raise click.UsageError("--terms fits votes anew; name the model's training data as DATA")
    if folds and valid:
        raise click.UsageError("--folds and --valid both tell the price; give one of them")
    if folds and (not data or "-" in data):
        raise click.UsageError("--folds learns again; name the files of the training data as DATA")
    if terms is None and data and not folds:
        raise click.UsageError(
            "--rules alone needs no data; leave it out, or give --terms or --folds too"
        )
