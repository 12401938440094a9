"""Prior knowledge: errors against labels, by knowledge alone, by data alone, and by both.

    python benchmarks/papers/tab_knowledge.py                    all corpora, five draws
    python benchmarks/papers/tab_knowledge.py calls --draws 1 --graphs DIR

Schapire, Rochery, Rahim & Gupta 2002, and Schapire's tutorial (TAB), "Need for prior, human
knowledge": with little data both together were far better than either, and as good as data alone
where there is much. They print graphs of call routing at How may I help you, which is not public.

The rules were written from the names of the labels. A draw is an order of the training documents;
the first so many keep their labels. Knowledge alone, and both, have the other documents without
labels, on which the rules teach a model; "rules alone" do not even have these. All have the default
settings of `train`, unless --preset or --rounds says otherwise. The error is the
share of test documents of which the best label is none of theirs. "labels needed" is the first
number of labels at which both reach the error of data alone at 500, between two sizes by a straight
line.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import PROJECT, Corpus, options, percent, table
from graphs import Line, graph
from tab_active import SMOKE_ROUNDS, labels_needed, read, test_error, without_labels

import boostext
from boostext.model.predict import Predictor

SIZES = (50, 100, 200, 500, 1000)
"""Labels; all of them come last."""
QUICK = (40, 80)
GOAL = 500
FILES = {
    "calls": PROJECT / "sample_data" / "calls.knowledge.yaml",
    "bbc-news": Path(__file__).parent / "knowledge" / "bbc-news.yaml",
    "20newsgroups": Path(__file__).parent / "knowledge" / "20newsgroups.yaml",
}
TASKS = {"calls": "multi"}


@dataclass(frozen=True)
class Errors:
    """Means over the draws: by rules alone, by rules and documents without labels, and at each size
    by data alone and by both.
    """

    rules: float
    knowledge: float
    data: Sequence[float]
    both: Sequence[float]


def main() -> None:
    given = options(
        __doc__,
        rounds=0,
        smoke=20,
        names=tuple(FILES),
        graphs=True,
        more={"--draws": {"type": int, "default": 5}, "--preset": {"choices": ["paper"]}},
    )
    settings = {"preset": given.preset} if given.preset else {}
    rounds = SMOKE_ROUNDS if given.smoke else given.rounds
    settings |= {"rounds": rounds} if rounds else {}
    rows, needs = [], []
    for name in given.names:
        found = read(name, given.most)
        sizes = [*(QUICK if given.smoke else SIZES), len(found.train)]
        errors = measured(found, sizes, 1 if given.smoke else given.draws, settings)
        rows += [
            (name, size, percent(errors.knowledge), percent(data), percent(both))
            for size, data, both in zip(map(str, sizes), errors.data, errors.both, strict=True)
        ]
        goal = errors.data[sizes.index(GOAL)] if GOAL in sizes else errors.data[-1]
        needed = labels_needed(sizes, errors.both, goal)
        told = "not reached" if needed is None else f"{needed:.0f}"
        needs.append((name, percent(errors.rules), percent(goal), told))
        if given.graphs:
            draw(Path(given.graphs), name, sizes[:-1], errors)
    print(table(("corpus", "labels", "knowledge alone", "data alone", "both"), rows))
    print()
    heads = ("corpus", "rules alone", f"error of data at {GOAL}", "labels needed by both")
    print(table(heads, needs))


def measured(
    found: Corpus, sizes: Sequence[int], draws: int, settings: Mapping[str, object]
) -> Errors:
    """All documents at once are the same in each draw."""
    ways = {"data": settings, "both": {**settings, "knowledge": str(FILES[found.name])}}
    errors: dict[str, list[list[float]]] = {way: [] for way in ways}
    for number in range(draws):
        order = np.random.default_rng(number).permutation(len(found.train)).tolist()
        for way, more in ways.items():
            errors[way].append([])
            for size in sizes:
                if size == sizes[-1] and number:
                    errors[way][-1].append(errors[way][0][-1])
                    continue
                others = order[size:] if way == "both" else []
                known = error(found, order[:size], others, **more)
                errors[way][-1].append(known)
                print(f"{found.name} {way} {number}: {size}, {known:.3f}", file=sys.stderr)
    means = {way: np.mean(rows, axis=0).tolist() for way, rows in errors.items()}
    every = range(len(found.train))
    rules, alone = (error(found, [], some, **ways["both"]) for some in (every[:1], every))
    return Errors(rules, alone, means["data"], means["both"])


def error(
    found: Corpus, chosen: Sequence[int], others: Sequence[int] = (), **more: object
) -> float:
    """Of the model of the chosen documents and of others without their labels."""
    documents = [found.train[i] for i in chosen]
    documents += [without_labels(found.train[i]) for i in others]
    task = TASKS.get(found.name, "single")
    model = boostext.train(documents, task=task, seed=0, **more).model.content
    return test_error(Predictor(model), found.test)


def draw(folder: Path, name: str, sizes: Sequence[int], errors: Errors) -> None:
    """Up to the last size but one: all documents are too many beside the others."""
    folder.mkdir(parents=True, exist_ok=True)
    across = list(map(float, sizes))
    lines = [
        Line("knowledge alone", [(x, errors.knowledge) for x in (across[0], across[-1])]),
        Line("data alone", list(zip(across, errors.data, strict=False))),
        Line("both", list(zip(across, errors.both, strict=False))),
    ]
    drawn = graph(f"{name}: prior knowledge", "labels", "test error", lines, (0, sizes[-1]))
    (folder / f"knowledge-{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
