"""The steps of `boostext convert`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from boostext.atomic import replacing
from boostext.cli.reading import announce_stdin, count, make_parent, spare, tell_bad
from boostext.cli.talk import Talk
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.corpus.writers import write_documents
from boostext.errors import ModelError, SettingsError
from boostext.fields import ngram_range
from boostext.model.file import read_model, write_model
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


def convert(
    source: str,
    target: str,
    target_format: str | None,
    lossy: bool,
    settings: DataSettings,
    shyp: ShypOptions,
    as_json: bool,
    talk: Talk,
) -> None:
    spare([source], target)
    if target != "-":
        make_parent(target)
    if MODELS & {ending(source), ending(target)}:
        facts = convert_model(source, target, settings, shyp, talk)
    else:
        facts = convert_corpus(source, target, target_format, lossy, settings, talk)
    if as_json:
        click.echo(json.dumps({"source": source, "target": target, **facts}))
    else:
        told = ", ".join(count(number, noun) for noun, number in facts.items())
        talk.say(f"{target}: {told}")


def ending(path: str) -> str:
    return Path(path).suffix.lower()


def convert_corpus(
    source: str,
    target: str,
    target_format: str | None,
    lossy: bool,
    settings: DataSettings,
    talk: Talk,
) -> dict[str, int]:
    announce_stdin([source], talk)
    bad = BadRecords()
    documents = read_documents([source], settings, bad, labelled=False)
    written = write_documents(
        documents, target, replace(settings, format=target_format or "auto"), lossy
    )
    tell_bad(bad, talk)
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


def write_json(model: Model, path: str) -> None:
    content = model_to_json(model)
    with replacing(path) as file:
        file.write(content)


def read_shyp_model(path: str, settings: DataSettings, shyp: ShypOptions) -> Model:
    return read_stem_model(path, settings, shyp.text(), shyp.multilabel)


def write_shyp_model(model: Model, path: str, shyp: ShypOptions) -> None:
    write_stem_model(model, path, shyp.packed)


MODEL_READERS: dict[str, Callable[[str, DataSettings, ShypOptions], Model]] = {
    ".boostext": lambda path, settings, shyp: read_model(path),
    ".json": lambda path, settings, shyp: read_json(path),
    ".shyp": read_shyp_model,
}
"""ending -> reader"""

MODEL_WRITERS: dict[str, Callable[[Model, str, ShypOptions], None]] = {
    ".boostext": lambda model, path, shyp: write_model(model, path),
    ".json": lambda model, path, shyp: write_json(model, path),
    ".shyp": write_shyp_model,
}
"""ending -> writer"""


MODELS = {".boostext", ".shyp"}
"""Endings that are always those of models; .json may also be a list of documents."""


def convert_model(
    source: str, target: str, settings: DataSettings, shyp: ShypOptions, talk: Talk
) -> dict[str, int]:
    for path, known in ((source, MODEL_READERS), (target, MODEL_WRITERS)):
        if ending(path) not in known:
            raise SettingsError(
                f"{path} has not the ending of a model; expected one of {', '.join(known)}"
            )
    model = MODEL_READERS[ending(source)](source, settings, shyp)
    MODEL_WRITERS[ending(target)](model, target, shyp)
    if ending(target) == ".shyp":
        for loss in lost_in_shyp(model):
            talk.warn(loss)
    return {"rule": len(model.rules), "label": len(model.labels)}
