"""A model as the two files of BoosTexter and icsiboost, STEM.shyp and STEM.names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from boostext.atomic import NOTHING, Kind, replacing
from boostext.corpus.schema import read_schema
from boostext.corpus.stems import is_file, names_file
from boostext.errors import SettingsError
from boostext.model.model import Model
from boostext.model.shyp import ICSIBOOST_TEXT, names_text, read_shyp, shyp_schema, shyp_text
from boostext.settings import DataSettings, TextSettings


def read_stem_model(
    path: str,
    settings: DataSettings | None = None,
    text: TextSettings = ICSIBOOST_TEXT,
    multilabel: bool = False,
) -> Model:
    """Read the model in STEM.shyp, with the .names next to it or the one named in the settings."""
    chosen = settings or DataSettings()
    schema = read_schema(names_file(path, chosen), chosen)
    return read_shyp(path, schema, text, multilabel)


def write_stem_model(
    model: Model, path: str, packed: bool = False, kind: Kind | None = None
) -> None:
    """Write STEM.shyp, and STEM.names unless one with the same content exists.

    kind: the kind of file that STEM.shyp may replace; None allows any file.

    Raises SettingsError if the format cannot represent the model or another STEM.names exists.
    """
    content = shyp_text(model, packed)
    names = str(Path(path).with_suffix(".names"))
    kept = is_file(names)
    if kept and read_schema(names, DataSettings()) != shyp_schema(model):
        raise SettingsError(
            f"{names} is there already and says something else; write the model to another folder "
            "or name"
        )
    with ExitStack() as both:
        if not kept:
            both.enter_context(replacing(names, NOTHING)).write(names_text(model).encode("utf-8"))
        both.enter_context(replacing(path, kind)).write(content.encode("utf-8"))


def lost_in_shyp(model: Model) -> Iterator[str]:
    """Yield a message for each part of the model that a .shyp does not represent."""
    if any(
        (own := model.text.of_field(name)).lowercase or own.token_pattern != "[^ ]+"
        for name in model.data.text
        if name
    ):
        yield (
            "icsiboost splits texts at spaces and keeps their case: give it texts whose tokens are "
            "those of this model, with single spaces between"
        )
    if model.thresholds:
        yield "the tuned thresholds are left out; icsiboost gives labels with a score above 0"
