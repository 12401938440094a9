"""The steps of `boostext convert`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import click

from boostext.cli.reading import announce_stdin, make_parent, spare, tell_bad, tell_corrections
from boostext.cli.talk import Talk
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import check_names, read_documents
from boostext.corpus.sources import BadRecords
from boostext.corpus.writers import STDOUT, write_documents
from boostext.errors import SettingsError
from boostext.fields import count
from boostext.library.conversion import MODELS, ModelOptions, convert_model, ending, holds_model
from boostext.settings import DataSettings


@dataclass(frozen=True)
class Wanted:
    """How a corpus is read and written. target_format: None where the ending tells. force: over
    what is there already.
    """

    target_format: str | None
    lossy: bool
    force: bool
    settings: DataSettings
    corrections: Corrections


def convert(
    source: str, target: str, wanted: Wanted, options: ModelOptions, as_json: bool, talk: Talk
) -> None:
    spare([source, *wanted.corrections.paths], target)
    if target not in STDOUT:
        make_parent(target)
    if MODELS & {ending(source), ending(target)} or holds_model(source):
        if wanted.corrections:
            raise SettingsError("--labels-from is for corpora; a model learns from them by train")
        place = (target, wanted.target_format)
        facts = convert_model(source, place, wanted.force, wanted.settings, options)
    else:
        facts = convert_corpus(source, target, wanted, talk)
    if as_json:
        click.echo(json.dumps({"source": source, "target": target, **facts}))
    else:
        told = ", ".join(count(number, noun) for noun, number in facts.items())
        talk.say(f"{target}: {told}")


def _with_named_fields(
    documents: Iterable[Document], bad: BadRecords, source: str
) -> Iterator[Document]:
    """The documents; at their end DataError for a field that was named and no record has."""
    yield from documents
    check_names(bad, source)


def convert_corpus(source: str, target: str, wanted: Wanted, talk: Talk) -> dict[str, int]:
    announce_stdin([source], talk)
    bad = BadRecords()
    read = _with_named_fields(
        read_documents([source], wanted.settings, bad, labelled=False), bad, source
    )
    written = write_documents(
        wanted.corrections.applied(read, every=True), target,
        replace(wanted.settings, format=wanted.target_format or "auto"), wanted.lossy, wanted.force,
    )  # fmt: skip
    tell_bad(bad, talk)
    tell_corrections(wanted.corrections, talk)
    if written.replaced:
        talk.warn(f"{count(written.replaced, 'document')} changed or left out to fit the format")
    if written.left_out:
        talk.warn(f"the format does not hold {', '.join(written.left_out)}; left out")
    return {"document": written.count}
