"""Models from one form into another: .boostext, .json, and the .shyp of other programs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from boostext.atomic import NOTHING, Kind, check_own, head_of, replacing
from boostext.errors import ModelError, SettingsError
from boostext.fields import ngram_range
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.json_form import JSON_FORM_LIMIT, model_from_json, model_to_json
from boostext.model.model import Model
from boostext.model.shyp import ICSIBOOST_TEXT
from boostext.model.stem_files import lost_in_shyp, read_stem_model, write_stem_model
from boostext.settings import DataSettings, TextSettings

LOG = logging.getLogger("boostext")


@dataclass(frozen=True)
class ModelOptions:
    """How models are read and written. accept_edits: also what was changed by hand.

    Of a .shyp, what it does not say: expert, ngrams are -N and -W; packed: one rule a condition.
    """

    expert: str
    ngrams: str
    multilabel: bool
    packed: bool
    accept_edits: bool = False

    def text(self) -> TextSettings:
        return replace(ICSIBOOST_TEXT, expert=self.expert, ngrams=ngram_range(self.ngrams))


def ending(path: str) -> str:
    return Path(path).suffix.lower()


def read_json(path: str, accept_edits: bool = False) -> Model:
    try:
        with Path(path).open("rb") as file:
            content = file.read(JSON_FORM_LIMIT + 1)
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be opened: {error.strerror}") from None
    try:
        return model_from_json(content, accept_edits)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def write_json(model: Model, path: str, kind: Kind | None) -> None:
    content = model_to_json(model)
    with replacing(path, kind) as file:
        file.write(content)


def read_shyp_model(path: str, settings: DataSettings, options: ModelOptions) -> Model:
    return read_stem_model(path, settings, options.text(), options.multilabel)


MODEL_READERS: dict[str, Callable[[str, DataSettings, ModelOptions], Model]] = {
    ".boostext": lambda path, settings, options: read_model(path, options.accept_edits),
    ".json": lambda path, settings, options: read_json(path, options.accept_edits),
    ".shyp": read_shyp_model,
}
"""ending -> reader"""

JSON_FILE = Kind("a boostext model", lambda head: head.startswith(b'{"format":"boostext model"'))
MODEL_WRITERS: dict[str, tuple[Kind, Callable[[Model, str, ModelOptions, Kind | None], None]]] = {
    ".boostext": (MODEL_FILE, lambda model, path, options, kind: write_model(model, path, kind)),
    ".json": (JSON_FILE, lambda model, path, options, kind: write_json(model, path, kind)),
    ".shyp": (
        NOTHING,
        lambda model, path, options, kind: write_stem_model(model, path, options.packed, kind),
    ),
}
"""ending -> what it may replace, writer"""


MODELS = {".boostext", ".shyp"}
"""Endings that are always those of models; .json may also be a list of documents."""


def holds_model(path: str) -> bool:
    return MODEL_FILE.owns(head_of(path)) or JSON_FILE.owns(head_of(path))


def convert_model(
    source: str,
    target_and_format: tuple[str, str | None],
    force: bool,
    settings: DataSettings,
    options: ModelOptions,
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
    model = MODEL_READERS[read](source, settings, options)
    if model.provenance.edited:
        LOG.warning("%s: was edited by hand, which the model says from now on", source)
    write(model, target, options, None if force else kind)
    if form == ".shyp":
        for loss in lost_in_shyp(model):
            LOG.warning(loss)
    return {"rule": len(model.rules), "label": len(model.labels)}
