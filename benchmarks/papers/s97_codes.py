"""Errors against rounds and seconds: output codes and what S97 compares them with.

    python benchmarks/papers/s97_codes.py                     four small sets, 100 rounds
    python benchmarks/papers/s97_codes.py letter satimage     some of the others
    python benchmarks/papers/s97_codes.py --ends              only what comes of it after all rounds
    python benchmarks/papers/s97_codes.py --rounds 500

Schapire 1997 (S97), s3: AdaBoost.OC, AdaBoost.M2, AdaBoost.M1, output codes without reweighting
(ECOC), bagging and Arc-x4 on sets of UCI, which its Figures 4 to 8 draw for three weak learners:
rules of one condition (FindAttrTest), of several (FindDecRule, here by entropy) and trees (C4.5
there, here of three levels by entropy). Labels are colored by even splits, as there. Beside them
real AdaBoost.MH. Test sets are the customary ones, or a fifth of the documents; where a value is
missing a rule has a vote of its own. M1 stops where no rule is right on more than half of the
weight, which with many labels is at once: what output codes were made for.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product

from common import Experiment, Point, corpus, options, percent, table

SETS = (
    "soybean",
    "glass",
    "vehicle",
    "vowel",
    "audiology",
    "segmentation",
    "splice",
    "satimage",
    "letter",
    "iris",
    "car",
    "hypothyroid",
)
SMALL = SETS[:4]
EVEN = {"coloring": "even"}
METHODS: dict[str, dict[str, object]] = {
    "oc": {"algorithm": "oc", **EVEN},
    "oc climbed": {"algorithm": "oc", "coloring": "climbed"},
    "m2": {"algorithm": "m2"},
    "m1": {"algorithm": "m1"},
    "ecoc": {"algorithm": "ecoc", **EVEN},
    "bagging": {"algorithm": "bagging"},
    "arc-x4": {"algorithm": "arc-x4"},
    "mh real": {"algorithm": "mh"},
}
"""The last for comparison: boosting of all labels at once."""
LEARNERS: dict[str, dict[str, object]] = {
    "stump": {},
    "rules": {"learner": "rules", "max_literals": 4, "index": "entropy"},
    "tree": {"learner": "tree", "tree_depth": 3, "index": "entropy"},
}
HEADS = (
    "set",
    "learner",
    "method",
    "rounds",
    "train error %",
    "test error %",
    "CPU s",
    "ms a round",
)


ENDS = {"--ends": {"action": "store_true", "help": "the errors of the last round alone"}}


def main() -> None:
    given = options(__doc__, rounds=100, smoke=10, names=SETS, more=ENDS)
    given.names = given.names if len(given.names) < len(SETS) else SMALL
    if given.ends:
        print(table(("set", "learner", *METHODS), list(ends(given))), flush=True)
        return
    for name in given.names:
        rows = []
        experiment = Experiment(
            corpus(f"uci-{name}", given.most), smoothing="ss99", unknown="votes"
        )
        at = [n for n in SHOWN if n < given.rounds] + [given.rounds]
        for (learner, grown), (method, settings) in product(LEARNERS.items(), METHODS.items()):
            curve = experiment.curve(at, **settings, **grown)
            rows += [row(name, learner, method, point) for point in curve]
        print(table(HEADS, rows) + "\n", flush=True)


def ends(given: Namespace) -> Iterator[tuple[str, ...]]:
    """For each set and learner the test errors in % of all methods, in their order, and after a
    stroke the training errors; with the rounds where these ended before they were all done.
    """
    for name in given.names:
        experiment = Experiment(
            corpus(f"uci-{name}", given.most), smoothing="ss99", unknown="votes"
        )
        for learner, grown in LEARNERS.items():
            last = [
                experiment.curve([given.rounds], **settings, **grown)[-1]
                for settings in METHODS.values()
            ]
            yield name, learner, *(end(point, given.rounds) for point in last)


def end(point: Point, rounds: int) -> str:
    if not point.round:
        return "none learned"
    after = f" ({point.round})" if point.round < rounds else ""
    return f"{percent(point.test)} / {percent(point.train)}{after}"


SHOWN = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def row(name: str, learner: str, method: str, point: Point) -> tuple[str, ...]:
    each = f"{1000 * point.seconds / point.round:.2f}" if point.round else ""
    return (
        name,
        learner,
        method,
        str(point.round),
        percent(point.train),
        percent(point.test),
        f"{point.seconds:.2f}",
        each,
    )


if __name__ == "__main__":
    main()
