"""`boostext.train(...)`: the whole training as one call from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.errors import SettingsError
from boostext.model.model import Model
from boostext.presets import PRESETS, Preset
from boostext.training.columns import described
from boostext.training.held_out import learn_and_judge
from boostext.training.plan import Plan
from boostext.training.run import prepare
from boostext.training.tuning import tune

Data = Iterable[Document] | Sequence[str | Path]


def train(
    data: Data, valid: Data | None = None, preset: str | None = None, **settings: Any
) -> Model:
    """Learn a model from files or documents.

        model = boostext.train(["calls.jsonl"], rounds=300, ngrams="1-2", valid_fraction=0.1)

    data: paths of files and folders, or Document objects. valid: the same, to choose the number
    of rounds on. preset: readable, accurate or fast, for what settings do not say; the first two
    choose by trials on parts of the data. settings: the options of `boostext train` by name, as
    values or as text. Raises BoostextError and its children; TypeError for a single path outside
    a list.
    """
    if isinstance(data, str | Path) or isinstance(valid, str | Path):
        raise TypeError("one path; expected a list of paths, or documents")
    chosen = _preset(preset)
    plan = Plan.of(**{**chosen.settings, **settings})
    paths, documents = _documents(data, plan)
    held = None if valid is None else _documents(valid, plan)[1]
    plan = described(paths, plan)
    if chosen.search:
        documents = list(documents)
        plan = tune(documents, plan, chosen.search, given=settings).plan
    return learn_and_judge(prepare(documents, plan, held)).model


def _preset(name: str | None) -> Preset:
    if name is not None and name not in PRESETS:
        raise SettingsError(f"preset is {name!r}; expected one of {', '.join(PRESETS)}")
    return PRESETS[name] if name else Preset("")


def _documents(data: Data, plan: Plan) -> tuple[list[str], Iterable[Document]]:
    """The paths, if there are any, and the documents."""
    if not isinstance(data, Sequence) or not data or isinstance(data[0], Document):
        return [], data  # type: ignore[return-value]  # what is no path is a document
    paths = [str(path) for path in data]
    return paths, read_documents(paths, plan.reading)
