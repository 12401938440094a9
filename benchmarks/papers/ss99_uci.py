"""Confidence-rated votes and ranking losses on sets of UCI: SS99 Figures 6 to 9.

    python benchmarks/papers/ss99_uci.py                     all sets, 100 rounds
    python benchmarks/papers/ss99_uci.py glass vote --rounds 1000

Schapire & Singer 1999 (SS99) draw a point for each of 16 sets after several numbers of rounds: the
errors of real against discrete AdaBoost.MH, and of discrete AdaBoost.MH against discrete
AdaBoost.MR. They print no numbers; what they say of them is that votes with a confidence lower the
training error much faster, most of all in the first rounds, and that the test error follows except
where it overfits. Here are the errors, and how often the first of two is the lower.
"""

from __future__ import annotations

from collections.abc import Sequence

from common import Experiment, Point, corpus, options, percent, table

SETS = (
    "audiology",
    "car",
    "credit-g",
    "glass",
    "heart-c",
    "hypothyroid",
    "iris",
    "labor",
    "mushroom",
    "segmentation",
    "soybean",
    "spambase",
    "splice",
    "vehicle",
    "vote",
    "vowel",
    "satimage",
    "letter",
)
METHODS: dict[str, dict[str, str]] = {
    "real MH": {"algorithm": "mh", "votes": "real"},
    "discrete MH": {"algorithm": "mh", "votes": "discrete"},
    "discrete MR": {"algorithm": "mr", "votes": "discrete"},
}
DUELS = (("real MH", "discrete MH"), ("discrete MH", "discrete MR"))
SHOWN = (10, 100, 1000)
HEADS = ("set", "method", "rounds", "train error %", "test error %")
WINS = ("first against second", "rounds", "lower in training", "higher", "lower in test", "higher")


def main() -> None:
    given = options(__doc__, rounds=100, smoke=10, names=SETS)
    at = [n for n in SHOWN if n < given.rounds] + [given.rounds]
    found: dict[tuple[str, str], list[Point]] = {}
    for name in given.names:
        experiment = Experiment(
            corpus(f"uci-{name}", given.most), smoothing="ss99", unknown="votes"
        )
        for method, settings in METHODS.items():
            found[name, method] = experiment.curve(at, **settings)
    print(table(HEADS, [row(*key, p) for key, curve in found.items() for p in curve]))
    print("\n" + table(WINS, [wins(found, duel, n) for duel in DUELS for n in range(len(at))]))


def row(name: str, method: str, point: Point) -> tuple[str, ...]:
    return name, method, str(point.round), percent(point.train), percent(point.test)


def wins(
    found: dict[tuple[str, str], list[Point]], duel: Sequence[str], number: int
) -> tuple[str, ...]:
    """Sets on which the first is better, and worse; a curve that ended early keeps its last."""
    names = dict.fromkeys(name for name, _ in found)
    pairs = [[last(found[name, method], number) for method in duel] for name in names]
    counts = []
    for part in ("train", "test"):
        gaps = [getattr(a, part) - getattr(b, part) for a, b in pairs]
        counts += [sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)]
    rounds = max(point.round for pair in pairs for point in pair)
    return (" : ".join(duel), str(rounds), *map(str, counts))


def last(curve: Sequence[Point], number: int) -> Point:
    return curve[min(number, len(curve) - 1)]


if __name__ == "__main__":
    main()
