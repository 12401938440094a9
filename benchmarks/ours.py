"""Pieces of boostext's own work, each for a process by itself, by names that `child` takes."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from collections.abc import Iterator
from typing import Any

from watch import Watch, resident, watched

SHARE = 2000
"""Rounds over which building an engine is shared out."""


def documents(path: str) -> dict[str, Any]:
    """All documents of a file, which is all that reading costs."""
    from boostext.corpus.readers import read_documents
    from boostext.settings import DataSettings

    with watched() as told:
        found = sum(1 for _ in read_documents([path], DataSettings()))
    return told | {"documents": found}


def text_to_matrix(
    path: str, ngrams: tuple[int, int], min_df: int, threads: int, streamed: bool = False
) -> dict[str, Any]:
    """Texts to conditions. streamed: the file is read meanwhile, else the texts lie in memory.

    terms, found: with their postings, before equal conditions became one; columns, postings: after.
    """
    import numpy as np

    from boostext.features.extract import extract
    from boostext.settings import TextSettings

    settings = TextSettings(ngrams=tuple(ngrams), min_df=min_df)
    load_kernels()
    found = _documents(path)
    taken = found if streamed else list(found)
    with watched() as told:
        features = extract(taken, settings, ("text",), (), threads)
    alike = np.array([1 + len(features.names.aliases(j)) for j in range(len(features.names))])
    sizes = np.diff(features.yes.starts)
    told |= {"terms": int(alike.sum()), "found": int(alike @ sizes), "columns": len(sizes)}
    return told | {"postings": int(sizes.sum()), "tokens": features.token_count}


def rounds(
    path: str,
    ngrams: tuple[int, int],
    min_df: int,
    rounds: int,
    engine: str,
    threads: int,
    merged: bool = True,
    options: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Rounds of real MH, or what `options` of boosting make of it; `each` and `each_cpu` are what
    one costs, building the engine included.

    merged: conditions that hold alike are one column, as training has it.
    """
    from boostext.boosting.rounds import Booster
    from boostext.features.conditions import spell
    from boostext.settings import BoostingSettings

    load_kernels()
    loaded = resident()
    prepared = _prepared(path, ngrams, min_df, merged)
    settings = BoostingSettings(rounds=rounds, smoothing="ss99", **(options or {}))
    corpus, watch, made = prepared.corpus, Watch(), []
    with watched() as told:
        watch.mark()
        booster = Booster(
            prepared.features,
            corpus.label_sets,
            len(corpus.labels),
            prepared.weights,
            settings,
            engine,
            threads,
        )
        watch.mark()
        for one in booster.rounds():
            made.append(one)
            if len(made) == 1:  # the first may build what the others use
                watch.mark()
        watch.mark()
    (building, building_cpu), (first, first_cpu), (rest, rest_cpu) = watch.laps()
    others = max(len(made) - 1, 1)
    told["each"] = (building + first) / SHARE + rest / others
    told["each_cpu"] = (building_cpu + first_cpu) / SHARE + rest_cpu / others
    told |= {
        "loaded": loaded,
        "made": len(made),
        "rules": [spell(one.rule.condition) for one in made[:5]],
    }
    told |= {"columns": len(prepared.features.yes), "documents": len(corpus)}
    return told | {"postings": len(prepared.features.yes.items), "labels": len(corpus.labels)}


def changes(path: str, ngrams: tuple[int, int], min_df: int, rounds: int) -> dict[str, Any]:
    """Means over the rounds: documents whose weights a rule changes, and their postings."""
    import numpy as np

    from boostext.boosting.rounds import Booster
    from boostext.settings import BoostingSettings

    prepared = _prepared(path, ngrams, min_df, merged=True)
    load_kernels()
    corpus, lists = prepared.corpus, prepared.features.yes
    terms_of = np.bincount(lists.items, minlength=len(corpus))
    booster = Booster(
        prepared.features,
        corpus.label_sets,
        len(corpus.labels),
        prepared.weights,
        BoostingSettings(rounds=rounds, smoothing="ss99"),
        "incremental",
        1,
    )
    began = time.process_time()
    made = list(booster.rounds())
    each = (time.process_time() - began) / len(made)
    yes = [lists[one.condition] for one in made]
    changed = [(len(one), int(terms_of[one].sum())) for one in yes]
    whole = len(corpus), int(terms_of.sum())  # the block with more documents stays as it is
    least = [min(one, (whole[0] - one[0], whole[1] - one[1])) for one in changed]
    documents, touched = np.mean(least, axis=0).tolist()
    return {
        "changed": documents,
        "touched": touched,
        "each": each,
        "documents": len(corpus),
        "postings": len(lists.items),
        "columns": len(lists),
        "labels": len(corpus.labels),
    }


def kernels() -> dict[str, Any]:
    """Make or load every kernel; `importing` is what numba's own import took, if it was needed."""
    from boostext.compiled import notice

    began = time.perf_counter()
    notice()  # imports numba if nothing is cached
    importing = time.perf_counter() - began if "numba" in sys.modules else 0.0
    with watched() as told:
        told["kernels"] = load_kernels()
    told["importing"] = importing
    return told


def load_kernels() -> int:
    """Compile all kernels of the package, or load them from the cache; how many there are."""
    import boostext
    from boostext.compiled import compiled, kernels_of

    count = 0
    for module in pkgutil.walk_packages(boostext.__path__, "boostext."):
        if "kernels" in module.name.rpartition(".")[2]:
            for function, signature in kernels_of(importlib.import_module(module.name)).items():
                compiled(function, signature)
                count += 1
    return count


def _documents(path: str) -> Iterator[Any]:
    from boostext.corpus.readers import read_documents
    from boostext.settings import DataSettings

    return read_documents([path], DataSettings())


def _prepared(path: str, ngrams: tuple[int, int], min_df: int, merged: bool) -> Any:
    from boostext.features import extract as extraction
    from boostext.training.plan import Plan
    from boostext.training.run import prepare

    if not merged:
        extraction.merge = _unmerged
    return prepare(_documents(path), Plan.of(ngrams=tuple(ngrams), min_df=min_df))


def _unmerged(lists: Any, unknown_list: Any, simplicity: Any, place: Any) -> Any:
    """As features.merge.merge, but each condition stays a column of its own."""
    import numpy as np

    from boostext.features.merge import Merged

    order = np.argsort(place)
    return Merged(order, order, np.arange(1, len(order) + 1), np.ones(len(order), np.int64))


OURS = {
    "documents": documents,
    "text_to_matrix": text_to_matrix,
    "rounds": rounds,
    "kernels": kernels,
}
