"""`boostext.train(...)`: the whole training as one call from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from boostext.corpus.checked import checked
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import SettingsError
from boostext.model.model import Model
from boostext.presets import PRESETS, Preset
from boostext.training.columns import described
from boostext.training.held_out import learn_and_judge
from boostext.training.plan import Plan
from boostext.training.run import prepare
from boostext.training.tuning import tune

Data = Iterable[Document] | Iterable[str | Path]


def train(
    data: Data, valid: Data | None = None, preset: str | None = None, **settings: Any
) -> Model:
    """Learn a model from files or documents.

        model = boostext.train(["calls.jsonl"], rounds=300, ngrams="1-2", valid_fraction=0.1)

    data: paths of files and folders, or Document objects. valid: the same, to choose the number
    of rounds on. preset: readable, accurate or fast, for what settings do not say; the first two
    choose by trials on parts of the data. settings: the options of `boostext train` by name, as
    values or as text. Raises BoostextError and its children; TypeError for a single path outside
    a list, and for documents with parts of another type, such as one string for the labels.
    """
    if isinstance(data, str | Path) or isinstance(valid, str | Path):
        raise TypeError("one path; expected a list of paths, or documents")
    chosen = _preset(preset)
    plan = Plan.of(**{**chosen.settings, **settings})
    account = BadRecords()
    paths, documents = _documents(data, plan, account)
    held = None if valid is None else _documents(valid, plan, account)[1]
    plan = described(paths, plan)
    if chosen.search:
        documents = list(documents)
        plan = tune(documents, plan, chosen.search, given=settings).plan
    prepared = prepare(documents, plan, held)
    return learn_and_judge(replace(prepared, plan=prepared.plan.as_read(account))).model


def _preset(name: str | None) -> Preset:
    if name is not None and name not in PRESETS:
        raise SettingsError(f"preset is {name!r}; expected one of {', '.join(PRESETS)}")
    return PRESETS[name] if name else Preset("")


def _documents(data: Data, plan: Plan, account: BadRecords) -> tuple[list[str], Iterable[Document]]:
    """The paths, if there are any, and the documents."""
    items: Iterator[object] = iter(data)
    first = list(islice(items, 1))
    if not first or not isinstance(first[0], str | Path):
        return [], checked(chain(first, items))
    paths = list(chain(first, items))
    for path in paths:
        if not isinstance(path, str | Path):
            raise TypeError(f"a {type(path).__name__} among paths; expected paths, or documents")
    return list(map(str, paths)), read_documents(list(map(str, paths)), plan.reading, account)
