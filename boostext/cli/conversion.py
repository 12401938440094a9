"""The steps of `boostext convert`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from boostext.atomic import NOTHING, Kind, check_own, head_of, replacing
from boostext.cli.reading import (
    announce_stdin,
    count,
    make_parent,
    spare,
    tell_bad,
    tell_corrections,
)
from boostext.cli.talk import Talk
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import no_record_has, read_documents
from boostext.corpus.sources import BadRecords
from boostext.corpus.writers import STDOUT, write_documents
from boostext.errors import ModelError, SettingsError
from boostext.fields import ngram_range
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import Model
from boostext.model.plain import JSON_LIMIT
from boostext.model.shyp import ICSIBOOST_TEXT
from boostext.model.stem_files import lost_in_shyp, read_stem_model, write_stem_model
from boostext.settings import DataSettings, TextSettings


@dataclass(frozen=True)
class ShypOptions:
    """What a .shyp does not say. expert, ngrams: -N and -W; packed: one rule a condition."""

    expert: str
    ngrams: str
    multilabel: bool
    packed: bool

    def text(self) -> TextSettings:
        return replace(ICSIBOOST_TEXT, expert=self.expert, ngrams=ngram_range(self.ngrams))


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
    source: str, target: str, wanted: Wanted, shyp: ShypOptions, as_json: bool, talk: Talk
) -> None:
    spare([source, *wanted.corrections.paths], target)
    if target not in STDOUT:
        make_parent(target)
    if MODELS & {ending(source), ending(target)} or _holds_model(source):
        if wanted.corrections:
            raise SettingsError("--labels-from is for corpora; a model learns from them by train")
        place = (target, wanted.target_format)
        facts = convert_model(source, place, wanted.force, wanted.settings, shyp, talk)
    else:
        facts = convert_corpus(source, target, wanted, talk)
    if as_json:
        click.echo(json.dumps({"source": source, "target": target, **facts}))
    else:
        told = ", ".join(count(number, noun) for noun, number in facts.items())
        talk.say(f"{target}: {told}")


def ending(path: str) -> str:
    return Path(path).suffix.lower()


def _with_attributes(
    documents: Iterable[Document], bad: BadRecords, source: str
) -> Iterator[Document]:
    """The documents; at their end DataError for an attribute that was named and no record has."""
    yield from documents
    if bad.unmet and bad.fields:
        raise no_record_has(bad, source)


def convert_corpus(source: str, target: str, wanted: Wanted, talk: Talk) -> dict[str, int]:
    announce_stdin([source], talk)
    bad = BadRecords()
    read = _with_attributes(
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


# Models --------------------------------------------------------------------------------------


def read_json(path: str) -> Model:
    try:
        with Path(path).open("rb") as file:
            content = file.read(JSON_LIMIT + 1)
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be opened: {error.strerror}") from None
    try:
        return model_from_json(content)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def write_json(model: Model, path: str, kind: Kind | None) -> None:
    content = model_to_json(model)
    with replacing(path, kind) as file:
        file.write(content)


def read_shyp_model(path: str, settings: DataSettings, shyp: ShypOptions) -> Model:
    return read_stem_model(path, settings, shyp.text(), shyp.multilabel)


MODEL_READERS: dict[str, Callable[[str, DataSettings, ShypOptions], Model]] = {
    ".boostext": lambda path, settings, shyp: read_model(path),
    ".json": lambda path, settings, shyp: read_json(path),
    ".shyp": read_shyp_model,
}
"""ending -> reader"""

JSON_FILE = Kind("a boostext model", lambda head: head.startswith(b'{"format":"boostext model"'))
MODEL_WRITERS: dict[str, tuple[Kind, Callable[[Model, str, ShypOptions, Kind | None], None]]] = {
    ".boostext": (MODEL_FILE, lambda model, path, shyp, kind: write_model(model, path, kind)),
    ".json": (JSON_FILE, lambda model, path, shyp, kind: write_json(model, path, kind)),
    ".shyp": (
        NOTHING,
        lambda model, path, shyp, kind: write_stem_model(model, path, shyp.packed, kind),
    ),
}
"""ending -> what it may replace, writer"""


MODELS = {".boostext", ".shyp"}
"""Endings that are always those of models; .json may also be a list of documents."""


def _holds_model(path: str) -> bool:
    return MODEL_FILE.owns(head_of(path)) or JSON_FILE.owns(head_of(path))


def convert_model(
    source: str,
    target_and_format: tuple[str, str | None],
    force: bool,
    settings: DataSettings,
    shyp: ShypOptions,
    talk: Talk,
) -> dict[str, int]:
    """A model is known by its content, whatever its name; the form of the target by --to, too."""
    target, target_format = target_and_format
    form = f".{target_format}" if target_format else ending(target)
    if form not in MODEL_WRITERS:
        forms = [form[1:] for form in MODEL_WRITERS]
        raise SettingsError(
            f"{target}: {form[1:] or 'no ending'} is no format of a model; end the name in "
            f"{', '.join(MODEL_WRITERS)}, or say {' or '.join(f'--to {form}' for form in forms)}"
        )
    kind, write = MODEL_WRITERS[form]
    check_own(target, None if force else kind)
    read = ".boostext" if MODEL_FILE.owns(head_of(source)) else ending(source)
    read = ".json" if JSON_FILE.owns(head_of(source)) else read
    if read not in MODEL_READERS:
        raise SettingsError(f"{source}: is no model; expected one as train writes it")
    model = MODEL_READERS[read](source, settings, shyp)
    write(model, target, shyp, None if force else kind)
    if form == ".shyp":
        for loss in lost_in_shyp(model):
            talk.warn(loss)
    return {"rule": len(model.rules), "label": len(model.labels)}
