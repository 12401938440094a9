"""Boosting under noise: discrete AdaBoost, real AdaBoost.MH and AdaBoost_R, after NN07.

    python benchmarks/papers/nn07_noise.py                    all sets, 100 rounds
    python benchmarks/papers/nn07_noise.py xd6 --graphs DIR   also margin distributions, as SVG

Nock & Nielsen, A real generalization of discrete AdaBoost (2007), section 4: even digits of a
broken seven-segment display, alone and with 17 attributes that say nothing (LEDeven, LEDeven+17),
a Boolean formula of three conjunctions of three (XD6), and UCI sets of two classes and of several.
Noise is in the training data: segments of the display that are wrong (and wrong in the test data
too), or labels that are. Rules have one condition, or are conjunctions of at most r literals.
Errors are means over several draws; `best` is the error of who knows the generator. Test labels are
right except for the display, whose test digits are as broken as the others.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from common import Corpus, Experiment, corpus, options, percent, table
from graphs import Line, graph

from boostext.corpus.documents import Document
from boostext.evaluation.margins import margins, tanh_margins

NOISES = (0.0, 0.1, 0.2, 0.3, 0.4)
LEARNED, TESTED, DRAWS = 300, 1000, 3
SEGMENTS = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010",
            "1111111", "1111011")  # fmt: skip
"""of the digits 0 to 9: top, two below, middle, two below, bottom"""

GROWN: dict[str, Any] = {"grow_fraction": 1.0}
METHODS: dict[str, dict[str, Any]] = {
    "discrete": {"algorithm": "mh", "votes": "discrete"},
    "real MH": {"algorithm": "mh", "votes": "real"},
    "AdaBoost_R": {"algorithm": "adaboost-r"},
    "discrete, r = 2": {"algorithm": "decrules", "votes": "discrete", "max_literals": 2, **GROWN},
    "real MH, r = 2": {"algorithm": "decrules", "votes": "real", "max_literals": 2, **GROWN},
    "AdaBoost_R, r = 2": {"algorithm": "decrules-r", "max_literals": 2, **GROWN},
}
GRAPHED = 0.2
"""The noise of the graphs."""


@dataclass(frozen=True)
class Source:
    """draw: noise, generator -> a corpus. best: noise -> the least error there can be."""

    draw: Callable[[float, random.Random], Corpus]
    best: Callable[[float], float] | None = None


def main() -> None:
    given = options(__doc__, rounds=100, smoke=5, names=list(SOURCES), graphs=True)
    noises, draws = (NOISES[::2], 1) if given.smoke else (NOISES, DRAWS)
    heads = ("set", "method", *(f"noise {100 * noise:.0f} %" for noise in noises))
    for name in given.names:
        rows = measured(name, noises, draws, given.rounds, given.graphs)
        print(table(heads, rows) + "\n", flush=True)


def measured(
    name: str, noises: Sequence[float], draws: int, rounds: int, graphs: str | None
) -> list[tuple[str, ...]]:
    """A row of errors for each method, and the graphs."""
    source = SOURCES[name]
    results: dict[str, list[float]] = {method: [] for method in METHODS}
    for noise in noises:
        drawn = [source.draw(noise, random.Random(f"{name} {seed}")) for seed in range(draws)]
        experiments = [Experiment(one, smoothing="ss99") for one in drawn]
        for method, settings in METHODS.items():
            ends = [one.curve([rounds], **settings)[-1] for one in experiments]
            results[method].append(mean(end.test for end in ends))
        if noise == GRAPHED and graphs:
            draw_margins(Path(graphs), name, experiments[0], rounds)
    if source.best:
        results["best"] = [source.best(noise) for noise in noises]
    return [(name, method, *map(percent, errors)) for method, errors in results.items()]


# Sources -------------------------------------------------------------------------------------


def attributes(bits: Sequence[bool]) -> dict[str, str]:
    return {f"a{number}": "yes" if bit else "no" for number, bit in enumerate(bits)}


def display(idle: int, noise: float, rng: random.Random) -> Corpus:
    """Whether the digit is even; each segment is wrong by the chance of the noise."""

    def one(_: bool) -> Document:
        digit = rng.randrange(10)
        bits = [(segment == "1") != (rng.random() < noise) for segment in SEGMENTS[digit]]
        bits += [rng.random() < 0.5 for _ in range(idle)]
        return document(bits, digit % 2 == 0)

    return made("display", one)


def best_of_display(noise: float) -> float:
    """The rarer parity of each pattern of segments, summed over all patterns."""
    wrong = 0.0
    for pattern in itertools.product("01", repeat=7):
        chance = [0.0, 0.0]
        for digit, segments in enumerate(SEGMENTS):
            broken = sum(a != b for a, b in zip(pattern, segments, strict=True))
            chance[digit % 2] += noise**broken * (1 - noise) ** (7 - broken) / 10
        wrong += min(chance)
    return wrong


def xd6(noise: float, rng: random.Random) -> Corpus:
    """Three conjunctions of three attributes each, and one attribute that says nothing."""

    def one(learned: bool) -> Document:
        bits = [rng.random() < 0.5 for _ in range(10)]
        right = any(all(bits[first : first + 3]) for first in (0, 3, 6))
        return document(bits, right != (learned and rng.random() < noise))

    return made("xd6", one)


def document(bits: Sequence[bool], label: bool) -> Document:
    return Document("", {}, ("+" if label else "-",), attributes=attributes(bits))


def made(name: str, one: Callable[[bool], Document]) -> Corpus:
    parts = ((LEARNED, True), (TESTED, False))
    documents = [
        [replace(one(learned), id=f"{part}-{number}") for number in range(count)]
        for part, (count, learned) in enumerate(parts)
    ]
    return Corpus(name, *documents)


def uci(name: str, noise: float, rng: random.Random) -> Corpus:
    """A UCI set; the chance of the noise gives a training document another label."""
    read = corpus(f"uci-{name}")
    labels = sorted({document.labels for document in read.train})

    def noisy(document: Document) -> Document:
        others = [label for label in labels if label != document.labels]
        wrong = rng.random() < noise
        return replace(document, labels=rng.choice(others)) if wrong else document

    return replace(read, train=[noisy(document) for document in read.train])


def _uci(name: str) -> Source:
    return Source(lambda noise, rng: uci(name, noise, rng))


SOURCES = {
    "ledeven": Source(lambda noise, rng: display(0, noise, rng), best_of_display),
    "ledeven+17": Source(lambda noise, rng: display(17, noise, rng), best_of_display),
    "xd6": Source(xd6, lambda noise: 0.0),
    "heart-c": _uci("heart-c"),
    "labor": _uci("labor"),
    "vote": _uci("vote"),
    "vehicle": _uci("vehicle"),
}

# Margins -------------------------------------------------------------------------------------


def draw_margins(folder: Path, name: str, experiment: Experiment, rounds: int) -> None:
    """Shares of (document, label) pairs up to each margin, by both definitions."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, list[Line]] = {"tanh": [], "votes": []}
    for method in ("discrete", "real MH", "AdaBoost_R"):
        booster = experiment.booster(rounds=rounds, **METHODS[method])
        total = sum(float(np.abs(made.rule.votes).max()) for made in booster.rounds())
        signs = signs_of(experiment)
        scores = booster.scores()
        kinds["tanh"].append(distribution(method, tanh_margins(scores, signs)))
        kinds["votes"].append(distribution(method, margins(scores, signs, total)))
    titles = {"tanh": "tanh(Y f / 2)", "votes": "Y f / sum of greatest votes"}
    for kind, lines in kinds.items():
        title = f"{name}, noise {percent(GRAPHED)} %, {rounds} rounds"
        drawing = graph(title, titles[kind], "share of pairs at or below", lines, (-1, 1))
        path = folder / f"{name}-{kind}.svg"
        path.write_text(drawing, encoding="utf-8")


def signs_of(experiment: Experiment) -> Any:
    sets, k = experiment.prepared.corpus.label_sets, len(experiment.prepared.corpus.labels)
    signs = np.full((len(sets), k), -1, np.int8)
    signs[np.repeat(np.arange(len(sets)), np.diff(sets.starts)), sets.items] = 1
    return signs


def distribution(name: str, values: Any) -> Line:
    thetas = np.linspace(-1, 1, 201)
    ranked = np.sort(values, axis=None)
    shares = np.searchsorted(ranked, thetas + 1e-12, side="right") / len(ranked)
    return Line(name, list(zip(thetas.tolist(), shares.tolist(), strict=True)))


if __name__ == "__main__":
    main()
