"""The steps of `boostext export`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click

from boostext.atomic import check_writable, replacing
from boostext.cli.reading import make_parent, spare
from boostext.cli.talk import Talk
from boostext.model.file import read_model
from boostext.reports.portable.exports import EXPORTS, Exported


@dataclass(frozen=True)
class Job:
    """What one call of `boostext export` is to do."""

    model: str
    target_format: str
    output: str
    max_size: float
    force: bool
    as_json: bool


def run(job: Job, talk: Talk) -> None:
    spare([job.model], job.output)
    make_parent(job.output)
    kind, write = EXPORTS[job.target_format]
    check_writable(job.output, None if job.force else kind)
    most_bytes = int(job.max_size * 1_000_000)
    exported = write(read_model(job.model), Path(job.model).name, most_bytes)
    content = exported.text.encode("utf-8", "backslashreplace")
    with replacing(job.output, None if job.force else kind) as file:
        file.write(content)
    _show(job, exported, len(content), talk)


def _show(job: Job, exported: Exported, size: int, talk: Talk) -> None:
    if exported.kept < exported.total:
        talk.warn(
            f"{exported.kept:,} of {exported.total:,} conditions are kept, those that matter most; "
            "scores differ from the model's, unless --max-size is greater"
        )
    if job.as_json:
        facts = {"model": job.model, "output": job.output, "bytes": size}
        click.echo(json.dumps(facts | {"kept": exported.kept, "conditions": exported.total}))
    elif not talk.quiet:
        click.echo(f"{job.output}: {size / 1000:,.0f} kB, {exported.kept:,} conditions")
