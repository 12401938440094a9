"""Boosting under noise: discrete AdaBoost, real AdaBoost.MH and AdaBoost_R.

    python benchmarks/papers/nn07_noise.py                    all sets, 100 rounds
    python benchmarks/papers/nn07_noise.py xd6 --graphs DIR   also margin distributions, as SVG
    python benchmarks/papers/nn07_noise.py xd6 --rounds 1000  the rounds of the paper's effect
    python benchmarks/papers/nn07_noise.py --margins          margins alone, without the errors

Nock & Nielsen 2007 (NN07), s4: even digits of a broken seven-segment display, alone and with 17
attributes that say nothing (LEDeven, LEDeven+17), a Boolean formula of three conjunctions of three
(XD6), and UCI sets of two classes and of several. Noise is in the training data: segments of the
display that are wrong (and wrong in the test data too), or labels that are. Rules have one
condition, or are conjunctions of at most r literals. Errors are means over several draws; `best` is
the error of who knows the generator. Test labels are right except for the display, whose test
digits are as broken as the others. Figures 4 to 6 there draw the margins of test documents, by its
Eq. 9, for rules of at most six literals and noise of 10 to 40 %: real AdaBoost is sure of the wrong
label, AdaBoost_R is not, and neither is who knows the generator. The second table has these
margins; its test labels are as noisy as those learned from.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from common import Corpus, Experiment, corpus, options, percent, table
from graphs import Line, graph

from boostext.arrays import Float64
from boostext.corpus.documents import Document
from boostext.evaluation.margins import tanh_margins

NOISES = (0.0, 0.1, 0.2, 0.3, 0.4)
LEARNED, TESTED, DRAWS = 300, 1000, 3
SEGMENTS = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)
"""of the digits 0 to 9: top, two below, middle, two below, bottom"""

GROWN: dict[str, Any] = {"grow_fraction": 1.0}
METHODS: dict[str, dict[str, Any]] = {
    "discrete": {"algorithm": "mh", "votes": "discrete"},
    "real MH": {"algorithm": "mh", "votes": "real"},
    "AdaBoost_R": {"algorithm": "adaboost-r"},
    "discrete, r = 2": {"algorithm": "decrules", "votes": "discrete", "max_literals": 2, **GROWN},
    "real MH, r = 2": {"algorithm": "decrules", "votes": "real", "max_literals": 2, **GROWN},
    "AdaBoost_R, r = 2": {"algorithm": "decrules-r", "max_literals": 2, **GROWN},
    "discrete, r = 6": {"algorithm": "decrules", "votes": "discrete", "max_literals": 6, **GROWN},
    "real MH, r = 6": {"algorithm": "decrules", "votes": "real", "max_literals": 6, **GROWN},
    "AdaBoost_R, r = 6": {"algorithm": "decrules-r", "max_literals": 6, **GROWN},
}
MARGINS = ("discrete, r = 6", "real MH, r = 6", "AdaBoost_R, r = 6")
THETAS = (-0.9, -0.5, 0.0)
MARGIN_HEADS = ("set", "noise %", "method", *(f"margins up to {t:g}, %" for t in THETAS))


@dataclass(frozen=True)
class Source:
    """draw: noise, generator, whether test labels are noisy too -> a corpus.

    best: noise -> the least error there can be. sure: noise -> chances and margins of who knows the
    generator, as pairs.
    """

    draw: Callable[[float, random.Random, bool], Corpus]
    best: Callable[[float], float] | None = None
    sure: Callable[[float], list[tuple[float, float]]] | None = None


def main() -> None:
    more = {"--margins": {"action": "store_true", "help": "the table of margins alone"}}
    given = options(__doc__, rounds=100, smoke=5, names=list(SOURCES), graphs=True, more=more)
    noises, draws = (NOISES[::2], 1) if given.smoke else (NOISES, DRAWS)
    heads = ("set", "method", *(f"noise {100 * noise:.0f} %" for noise in noises))
    for name in given.names:
        if not given.margins:
            rows = measured(name, noises, draws, given.rounds)
            print(table(heads, rows) + "\n", flush=True)
        shares = margin_rows(name, [n for n in noises if n], given.rounds, given.graphs)
        print(table(MARGIN_HEADS, shares) + "\n", flush=True)


def measured(name: str, noises: Sequence[float], draws: int, rounds: int) -> list[tuple[str, ...]]:
    """A row of errors for each method."""
    source = SOURCES[name]
    results: dict[str, list[float]] = {method: [] for method in METHODS}
    for noise in noises:
        seeds = [random.Random(f"{name} {seed}") for seed in range(draws)]
        drawn = [source.draw(noise, seed, False) for seed in seeds]
        experiments = [Experiment(one, smoothing="ss99") for one in drawn]
        for method, settings in METHODS.items():
            ends = [one.curve([rounds], **settings)[-1] for one in experiments]
            results[method].append(mean(end.test for end in ends))
    if source.best:
        results["best"] = [source.best(noise) for noise in noises]
    return [(name, method, *map(percent, errors)) for method, errors in results.items()]


# Sources -------------------------------------------------------------------------------------


def attributes(bits: Sequence[bool]) -> dict[str, str]:
    return {f"a{number}": "yes" if bit else "no" for number, bit in enumerate(bits)}


def display(idle: int, noise: float, rng: random.Random, noisy: bool = True) -> Corpus:
    """Whether the digit is even; each segment is wrong by the chance of the noise."""

    def one(_: bool) -> Document:
        digit = rng.randrange(10)
        bits = [(segment == "1") != (rng.random() < noise) for segment in SEGMENTS[digit]]
        bits += [rng.random() < 0.5 for _ in range(idle)]
        return document(bits, digit % 2 == 0)

    return made("display", one)


def best_of_display(noise: float) -> float:
    """The rarer parity of each pattern of segments, summed over all patterns."""
    return sum(min(probability) for probability in parities(noise))


def sure_of_display(noise: float) -> list[tuple[float, float]]:
    """Each parity of each pattern with tanh(Y H / 2), H the log odds: the chance of Y less that of
    the other, as a share of both.
    """
    pairs = []
    for even, odd in parities(noise):
        margin = (even - odd) / max(even + odd, 1e-300)
        pairs += [(even, margin), (odd, -margin)]
    return pairs


def parities(noise: float) -> Iterator[list[float]]:
    """The chances of both parities for each pattern of segments."""
    for pattern in itertools.product("01", repeat=7):
        probability = [0.0, 0.0]
        for digit, segments in enumerate(SEGMENTS):
            broken = sum(a != b for a, b in zip(pattern, segments, strict=True))
            probability[digit % 2] += noise**broken * (1 - noise) ** (7 - broken) / 10
        yield probability


def xd6(noise: float, rng: random.Random, noisy: bool = False) -> Corpus:
    """Three conjunctions of three attributes each, and one attribute that says nothing."""

    def one(learned: bool) -> Document:
        bits = [rng.random() < 0.5 for _ in range(10)]
        right = any(all(bits[first : first + 3]) for first in (0, 3, 6))
        return document(bits, right != ((learned or noisy) and rng.random() < noise))

    return made("xd6", one)


def sure_of_labels(noise: float) -> list[tuple[float, float]]:
    """The label of the formula has a chance of 1 - noise, wherever one looks."""
    return [(1 - noise, 1 - 2 * noise), (noise, 2 * noise - 1)]


def document(bits: Sequence[bool], label: bool) -> Document:
    return Document("", {}, ("+" if label else "-",), attributes=attributes(bits))


def made(name: str, one: Callable[[bool], Document]) -> Corpus:
    parts = ((LEARNED, True), (TESTED, False))
    documents = [
        [replace(one(learned), id=f"{part}-{number}") for number in range(count)]
        for part, (count, learned) in enumerate(parts)
    ]
    return Corpus(name, *documents)


def uci(name: str, noise: float, rng: random.Random, noisy: bool = False) -> Corpus:
    """A UCI set; the chance of the noise gives a training document another label, and a test
    document too where `noisy` is set.
    """
    read = corpus(f"uci-{name}")
    labels = sorted({document.labels for document in read.train})

    def changed(document: Document) -> Document:
        others = [label for label in labels if label != document.labels]
        wrong = rng.random() < noise
        return replace(document, labels=rng.choice(others)) if wrong else document

    test = [changed(document) for document in read.test] if noisy else read.test
    return replace(read, train=[changed(document) for document in read.train], test=test)


def _uci(name: str) -> Source:
    return Source(lambda noise, rng, noisy: uci(name, noise, rng, noisy))


SOURCES = {
    "ledeven": Source(partial(display, 0), best_of_display, sure_of_display),
    "ledeven+17": Source(partial(display, 17), best_of_display, sure_of_display),
    "xd6": Source(xd6, lambda noise: 0.0, sure_of_labels),
    "heart-c": _uci("heart-c"),
    "labor": _uci("labor"),
    "vote": _uci("vote"),
    "vehicle": _uci("vehicle"),
}

# Margins -------------------------------------------------------------------------------------


def margin_rows(
    name: str, noises: Sequence[float], rounds: int, graphs: str | None
) -> list[tuple[str, ...]]:
    """Shares of test documents up to each margin of THETAS, and the graphs."""
    source, rows = SOURCES[name], []
    for noise in noises:
        experiment = Experiment(
            source.draw(noise, random.Random(f"{name} 0"), True), smoothing="ss99"
        )
        kinds = {method: test_margins(experiment, rounds, method) for method in MARGINS}
        lines = [distribution(method, values) for method, values in kinds.items()]
        for method, values in kinds.items():
            rows.append(shares(name, noise, method, [float((values <= t).mean()) for t in THETAS]))
        if source.sure:
            known = source.sure(noise)
            best = [sum(c for c, margin in known if margin <= t) for t in THETAS]
            rows.append(shares(name, noise, "best", best))
            lines.append(Line("best", steps(known)))
        if graphs:
            draw_margins(Path(graphs), f"{name}-{round(100 * noise)}", lines, rounds)
    return rows


def shares(name: str, noise: float, method: str, values: Sequence[float]) -> tuple[str, ...]:
    return name, f"{100 * noise:.0f}", method, *map(percent, values)


def test_margins(experiment: Experiment, rounds: int, method: str) -> Float64:
    """tanh(Y f / 2) of every test document and label."""
    validation = experiment.prepared.validation
    assert validation is not None, "an experiment has test documents"
    booster = experiment.booster(rounds=rounds, **METHODS[method])
    rules = [rule for made in booster.rounds() for rule in made.rules]
    signs = np.where(validation.gold.matrix, 1, -1).astype(np.int8)
    return tanh_margins(validation.sums_of(rules), signs)


def steps(known: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    thetas = np.linspace(-1, 1, 201).tolist()
    return [(theta, sum(c for c, margin in known if margin <= theta)) for theta in thetas]


def draw_margins(folder: Path, name: str, lines: Sequence[Line], rounds: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    title = f"{name} % noise, {rounds} rounds, test documents"
    drawing = graph(title, "tanh(Y f / 2)", "share of pairs at or below", lines, (-1, 1))
    (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")


def distribution(name: str, values: Any) -> Line:
    thetas = np.linspace(-1, 1, 201)
    ranked = np.sort(values, axis=None)
    shares = np.searchsorted(ranked, thetas + 1e-12, side="right") / len(ranked)
    return Line(name, list(zip(thetas.tolist(), shares.tolist(), strict=True)))


if __name__ == "__main__":
    main()
