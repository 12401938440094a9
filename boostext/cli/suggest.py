"""`boostext suggest`: the documents of a pool that are most worth labeling next."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boostext.atomic import NOTHING, PAGE, Kind, check_writable, replacing
from boostext.cli.options import (
    SettingsCommand,
    force_option,
    overriding_options,
    talk_options,
    threads_option,
)
from boostext.cli.reading import (
    announce_stdin,
    some,
    spare,
    tell_bad,
    tell_reading,
)
from boostext.cli.talk import Talk
from boostext.errors import SettingsError
from boostext.fields import count

if TYPE_CHECKING:
    from boostext.reports.suggestions import Pool

ENDINGS = {".jsonl": "jsonl", ".csv": "csv", ".json": "label-studio", ".html": "html"}


@click.command("suggest", cls=SettingsCommand)
@click.argument("model")
@click.argument("pool", nargs=-1, required=True, metavar="POOL...")
@click.option(
    "-n", "--count", "wanted", type=click.IntRange(1), default=50, show_default=True, metavar="N",
    help="How many documents to suggest.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE",
    help="Write to FILE; its ending, .jsonl, .csv, .json or .html, says the format.  "
    "[default: stdout]",
)  # fmt: skip
@click.option(
    "--to", "target_format", type=click.Choice(list(ENDINGS.values())), default=None,
    help="Format of the suggestions: label-studio gives tasks to import there, html a page to "
    "label them on.  [default: by the ending of FILE, else jsonl]",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(["margin", "entropy", "votes", "random"]), default="margin",
    show_default=True,
    help="Measure of doubt: how close the best two scores are, or a score is to its threshold; "
    "the entropy of the probabilities; the disagreement of the model after several of its rounds; "
    "or none, for a random draw.",
)  # fmt: skip
@click.option(
    "--spread/--no-spread", default=True, show_default=True,
    help="Let documents wait that are nearly the same as one that is suggested, or in doubt for "
    "the same terms.",
)  # fmt: skip
@click.option(
    "--committee", multiple=True, metavar="MODEL",
    help="A further model that votes, with --by votes; repeat.",
)  # fmt: skip
@click.option(
    "--labels-from", multiple=True, metavar="FILE",
    help="Leave out documents that already have a label in FILE (CSV with the columns id and "
    "label, as the labeling page saves them); repeat.",
)  # fmt: skip
@click.option(
    "--include-labelled", is_flag=True,
    help="Suggest documents that have a label in POOL as well, such as to look at it again.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of a random draw.")
@force_option
@threads_option
@overriding_options
@talk_options
def command(model: str, pool: tuple[str, ...], talk: Talk, **values: Any) -> None:
    """Suggest which documents to label next.

    POOL are files or folders of documents, or - for stdin. Documents that have a label are left
    out; of the others, those are suggested whose labels the model doubts most, each with the
    likeliest labels and the terms that decide between them. Label them, and train again with
    `boostext train ... --labels-from FILE`.

    \b
    Examples:
      boostext suggest calls.boostext calls.jsonl -n 250 -o next.html
      boostext suggest calls.boostext calls.jsonl --by entropy --to csv > next.csv
    """
    run(Job(model, pool, **values), talk)


@dataclass(frozen=True)
class Job:
    """What one call of `boostext suggest` is to do."""

    model: str
    pool: tuple[str, ...]
    wanted: int
    output: str | None
    target_format: str | None
    by: str
    spread: bool
    committee: tuple[str, ...]
    labels_from: tuple[str, ...]
    include_labelled: bool
    seed: int
    force: bool
    threads: int
    overrides: dict[str, Any]

    @property
    def replaces(self) -> Kind | None:
        """Files that people fill in are theirs; a page holds nothing of its reader."""
        kind = PAGE if self.format == "html" else NOTHING
        return None if self.force else kind

    @property
    def format(self) -> str:
        """As said, else by the ending of the file, else JSONL."""
        if self.target_format:
            return self.target_format
        ending = Path(self.output).suffix.lower() if self.output else ".jsonl"
        if ending not in ENDINGS:
            raise SettingsError(
                f"the ending {ending or '(none)'} of {self.output} names no format; expected "
                f"{', '.join(ENDINGS)}, or say --to ({', '.join(ENDINGS.values())})"
            )
        return ENDINGS[ending]


def run(job: Job, talk: Talk) -> None:
    from boostext.corpus.alike import Reading
    from boostext.corpus.readers import read_documents
    from boostext.corpus.sources import BadRecords
    from boostext.model.file import read_model
    from boostext.model.predict import Predictor
    from boostext.reports.suggestions import FORMATS, Pool, measure, suggest
    from boostext.threads import usable_threads

    lines = FORMATS[job.format]
    if job.output:
        spare([*job.pool, job.model, *job.labels_from, *job.committee], job.output)
        check_writable(job.output, job.replaces)
    predictor = Predictor(read_model(job.model), job.threads or usable_threads())
    doubt = measure(job.by, predictor, [read_model(path) for path in job.committee], job.seed)
    announce_stdin(job.pool, talk)
    bad = BadRecords()
    reading = Reading(predictor.model.data, job.overrides)
    tell_reading(reading, job.pool, talk)
    documents = some(read_documents(job.pool, reading.of, bad, labelled=False), job.pool, bad)
    pool = Pool(documents, _labelled(job.labels_from), job.include_labelled)
    rows = suggest(pool, predictor, doubt, job.wanted, job.spread)
    _write(lines(rows, predictor.model, job.by), job.output, job.replaces)
    tell_bad(bad, talk)
    _tell(pool, len(rows), job, talk)


def _labelled(paths: Sequence[str]) -> set[str]:
    """The ids of documents that have a label in files of corrections."""
    from boostext.corpus.corrections import read_corrections

    return set(read_corrections(*paths).given)


def _write(lines: Iterable[str], output: str | None, kind: Kind | None) -> None:
    """To the file, whole or not at all; to stdout where none is named."""
    if output is None:
        for line in lines:
            sys.stdout.write(line)
        return
    with replacing(output, kind) as file:
        for line in lines:
            file.write(line.encode("utf-8", "backslashreplace"))


def _tell(pool: Pool, suggested: int, job: Job, talk: Talk) -> None:
    if pool.labelled:
        talk.say(f"{count(pool.labelled, 'document')} left out that already have a label")
    if pool.listed:
        talk.say(f"{count(pool.listed, 'document')} left out that have a label in --labels-from")
    where = f" written to {job.output}" if job.output else ""
    talk.say(f"{count(suggested, 'suggestion')} of {count(pool.open, 'document')}{where}")
    if not suggested:
        talk.warn("every document has a label already; there is nothing to suggest")
