"""Errors against rounds and seconds: output codes and what S97 compares them with.

    python benchmarks/papers/s97_codes.py                     all sets, 500 rounds
    python benchmarks/papers/s97_codes.py glass vowel         some of them
    python benchmarks/papers/s97_codes.py --rounds 100

Schapire, Using output codes to boost multiclass learning problems (1997), section 3: AdaBoost.OC,
AdaBoost.M2, AdaBoost.M1, output codes without reweighting (ECOC), bagging and Arc-x4 on sets of
UCI, with rules of one condition (FindAttrTest there). Beside them real AdaBoost.MH, and rules of
several conditions for all labels at once (FindDecRule there). Test sets are the customary ones, or
a fifth of the documents; where a value is missing a rule has a vote of its own. M1 stops where no
rule is right on more than half of the weight, which with many labels is at once: what output codes
were made for.
"""

from __future__ import annotations

import sys

from common import Experiment, Point, corpus, options, percent, table

SETS = (
    "soybean", "glass", "audiology", "vehicle", "vowel", "segmentation", "splice", "satimage",
    "letter",
)  # fmt: skip
METHODS: dict[str, dict[str, object]] = {
    "oc": {"algorithm": "oc"},
    "oc climbed": {"algorithm": "oc", "coloring": "climbed"},
    "m2": {"algorithm": "m2"},
    "m1": {"algorithm": "m1"},
    "ecoc": {"algorithm": "ecoc"},
    "bagging": {"algorithm": "bagging"},
    "arc-x4": {"algorithm": "arc-x4"},
    "mh real": {"algorithm": "mh"},
    "decrules": {"algorithm": "decrules", "max_literals": 4},
}
"""The last two for comparison: boosting of all labels by one condition a round, and by several."""
SLOW = {"decrules": 3000}
"""Documents above which a method is left out."""
HEADS = ("set", "method", "rounds", "train error %", "test error %", "CPU s", "ms a round")


def main() -> None:
    given = options(__doc__, rounds=500, smoke=10, names=SETS)
    for name in given.names:
        rows = []
        experiment = Experiment(
            corpus(f"uci-{name}", given.most), smoothing="ss99", unknown="votes"
        )
        for method, settings in METHODS.items():
            if len(experiment.prepared.corpus) > SLOW.get(method, sys.maxsize):
                continue
            at = [n for n in SHOWN if n < given.rounds] + [given.rounds]
            rows += [row(name, method, point) for point in experiment.curve(at, **settings)]
        print(table(HEADS, rows) + "\n", flush=True)


SHOWN = (10, 100, 1000)


def row(name: str, method: str, point: Point) -> tuple[str, ...]:
    each = f"{1000 * point.seconds / point.round:.2f}" if point.round else ""
    return (
        name, method, str(point.round), percent(point.train), percent(point.test),
        f"{point.seconds:.2f}", each,
    )  # fmt: skip


if __name__ == "__main__":
    main()
