"""Conversion of corpora and models to other formats, and export of models."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boostext.atomic import NOTHING, Kind, check_own, check_writable, head_of, replacing
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.readers import check_names, read_documents
from boostext.corpus.sources import BadRecords
from boostext.corpus.writers import write_documents
from boostext.errors import ModelError, SettingsError
from boostext.fields import count, ngram_range
from boostext.library.classifier import Classifier
from boostext.library.data import (
    Paths,
    corrections_of,
    overrides,
    report_corrections,
    report_reading,
)
from boostext.library.watch import Watch
from boostext.model.file import MODEL_FILE, read_model, write_model
from boostext.model.json_form import JSON_FORM_LIMIT, model_from_json, model_to_json
from boostext.model.model import Model
from boostext.model.shyp import ICSIBOOST_TEXT, lost_in_shyp, read_stem_model, write_stem_model
from boostext.settings import DataSettings, TextSettings

LOG = logging.getLogger("boostext")


@dataclass(frozen=True)
class ModelOptions:
    """Options for reading and writing models.

    accept_edits: accept models that were edited by hand. expert, ngrams, multilabel: properties of
    a .shyp that the file does not contain; the first two are the options -N and -W of icsiboost.
    packed: write a .shyp with a single rule for each condition.
    """

    expert: str = "ngram"
    ngrams: str = "1-1"
    multilabel: bool = False
    packed: bool = False
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
"""Maps endings of files to functions that read models."""

JSON_FILE = Kind("a boostext model", lambda head: head.startswith(b'{"format":"boostext model"'))
MODEL_WRITERS: dict[str, tuple[Kind, Callable[[Model, str, ModelOptions, Kind | None], None]]] = {
    ".boostext": (MODEL_FILE, lambda model, path, options, kind: write_model(model, path, kind)),
    ".json": (JSON_FILE, lambda model, path, options, kind: write_json(model, path, kind)),
    ".shyp": (
        NOTHING,
        lambda model, path, options, kind: write_stem_model(model, path, options.packed, kind),
    ),
}
"""Maps endings to the kind of file that may be replaced, and the function that writes models."""


MODELS = {".boostext", ".shyp"}
"""Endings that are used for models only; a .json file may also contain documents."""


def holds_model(path: str) -> bool:
    return MODEL_FILE.owns(head_of(path)) or JSON_FILE.owns(head_of(path))


def convert(
    source: str | Path,
    target: str | Path,
    *,
    to: str | None = None,
    force: bool = False,
    lossy: bool = False,
    safe_cells: bool = False,
    labels_from: Paths = (),
    new_labels: bool = False,
    options: ModelOptions | None = None,
    watch: Watch | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Convert a corpus or a model to another format, and return what `--json` prints.

    The formats follow from the endings of the names. to: format of the target, if it does not
    follow from its name. force: replace an existing file. lossy: change values that the format
    cannot represent. safe_cells: put an apostrophe before cells of CSV and TSV that a spreadsheet
    would treat as formulas. labels_from, new_labels: corrections of labels. options: options for
    models. reading: settings of the data by name. watch: receives the progress.
    """
    places, mended = (str(source), str(target)), corrections_of(labels_from, new_labels)
    settings = DataSettings(**overrides(reading))
    if MODELS & set(map(ending, places)) or holds_model(places[0]):
        if mended:
            raise SettingsError(
                "--labels-from applies to corpora; to use it for a model, train the model again"
            )
        facts = _convert_model(*places, to, force, settings, options or ModelOptions())
    else:
        how = {"lossy": lossy, "force": force, "safe_cells": safe_cells}
        settings_of_both = settings, replace(settings, format=to or "auto")
        facts = _convert_corpus(*places, *settings_of_both, mended, watch or Watch(), how)
    return {"source": places[0], "target": places[1], **facts}


def _convert_corpus(
    source: str,
    target: str,
    settings: DataSettings,
    written_as: DataSettings,
    mended: Corrections,
    watch: Watch,
    how: dict[str, bool],
) -> dict[str, int]:
    account = BadRecords()
    read = _with_named_fields(
        read_documents([source], settings, account, labelled=False), account, source
    )
    documents = watch.documents(mended.applied(read, every=True))
    written = write_documents(documents, target, written_as, **how)
    report_reading(account)
    report_corrections(mended)
    if written.replaced:
        LOG.warning(f"{count(written.replaced, 'document')} changed or left out to fit the format")
    if written.left_out:
        LOG.warning(f"left out, as the format lacks them: {', '.join(written.left_out)}")
    return {"document": written.count}


def _with_named_fields(
    documents: Iterable[Document], account: BadRecords, source: str
) -> Iterator[Document]:
    """Yield the documents, then raise DataError if no record has a field that was named."""
    yield from documents
    check_names(account, source)


def _convert_model(
    source: str,
    target: str,
    target_format: str | None,
    force: bool,
    settings: DataSettings,
    options: ModelOptions,
) -> dict[str, int]:
    """Convert a model, which is recognized by its content, whatever the name of the file."""
    form = f".{target_format}" if target_format else ending(target)
    if form not in MODEL_WRITERS:
        forms = [form[1:] for form in MODEL_WRITERS]
        raise SettingsError(
            f"{target}: {form[1:] or 'no ending'} is not a format of models; use one of "
            f"{', '.join(MODEL_WRITERS)}, or give {' or '.join(f'--to {form}' for form in forms)}"
        )
    kind, write = MODEL_WRITERS[form]
    check_own(target, None if force else kind)
    read = ".boostext" if MODEL_FILE.owns(head_of(source)) else ending(source)
    read = ".json" if JSON_FILE.owns(head_of(source)) else read
    if read not in MODEL_READERS:
        raise SettingsError(f"{source}: is not a model; expected a file written by boostext train")
    model = MODEL_READERS[read](source, settings, options)
    if model.provenance.edited:
        LOG.warning("%s: was edited by hand; this is recorded in the model", source)
    write(model, target, options, None if force else kind)
    if form == ".shyp":
        for loss in lost_in_shyp(model):
            LOG.warning(loss)
    return {"rule": len(model.rules), "label": len(model.labels)}


# Models that predict by themselves -------------------------------------------------------------


def export(
    model: Classifier,
    output: str | Path,
    *,
    to: str,
    title: str = "model",
    max_size: float = 5,
    force: bool = False,
) -> dict[str, Any]:
    """Write a model as a file that makes predictions by itself, and return what `--json` prints.

    to: "html", "javascript" or "python". title: name of the model in the file. max_size: maximum
    size of the model in the file, in megabytes; if the model is larger, only the most important
    conditions are included, and a warning is logged. force: replace any existing file, not only an
    earlier export.
    """
    from boostext.reports.portable.exports import EXPORTS  # jinja2 is slow to import

    if to not in EXPORTS:
        raise SettingsError(f"to is {to!r}; expected one of {', '.join(EXPORTS)}")
    kind, write = EXPORTS[to]
    kept = None if force else kind
    check_writable(output, kept)
    exported = write(model.content, title, int(max_size * 1_000_000))
    content = exported.text.encode("utf-8", "backslashreplace")
    with replacing(output, kept) as file:
        file.write(content)
    if exported.kept < exported.total:
        LOG.warning(
            f"{exported.kept:,} of {exported.total:,} conditions are included, the most important "
            "ones, so scores differ from those of the model; a larger maximum size includes more"
        )
    written = {"output": str(output), "bytes": len(content)}
    return {"model": title, **written, "kept": exported.kept, "conditions": exported.total}
