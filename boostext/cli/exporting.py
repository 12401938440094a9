"""The steps of `boostext export`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from boostext.atomic import replacing
from boostext.cli.reading import make_parent, spare
from boostext.cli.talk import Talk
from boostext.model.file import read_model
from boostext.reports.portable.exports import EXPORTS


def export(
    path: str, target_format: str, output: str, max_size: float, as_json: bool, talk: Talk
) -> None:
    spare([path], output)
    make_parent(output)
    exported = EXPORTS[target_format](read_model(path), Path(path).name, int(max_size * 1_000_000))
    content = exported.text.encode("utf-8", "backslashreplace")
    with replacing(output) as file:
        file.write(content)
    if exported.kept < exported.total:
        talk.warn(
            f"{exported.kept:,} of {exported.total:,} conditions are kept, those that matter most; "
            "scores differ from the model's, unless --max-size is greater"
        )
    if as_json:
        facts = {"model": path, "output": output, "bytes": len(content)}
        click.echo(json.dumps(facts | {"kept": exported.kept, "conditions": exported.total}))
    elif not talk.quiet:
        click.echo(f"{output}: {len(content) / 1000:,.0f} kB, {exported.kept:,} conditions")
