"""Errors against rounds: discrete AdaBoost.MR, discrete and real AdaBoost.MH.

    python benchmarks/papers/ss99_letter.py               letters, 1,000 rounds of each
    python benchmarks/papers/ss99_letter.py --rounds 100
    python benchmarks/papers/ss99_letter.py trec6         questions of six classes, as texts

The experiments of Schapire & Singer 1999 (SS99). Its Figure 10 is of texts of six classes from AP
news (s10), which are not free: questions of six classes stand in for them, and what can be compared
is the order of the three methods. For the letters, test errors on the customary 16,000 / 4,000 of
UCI's letter-recognition, beside those that SS99 prints.
"""

from __future__ import annotations

from common import Experiment, Point, corpus, options, percent, table, until

CORPORA = {"letter": "uci-letter", "trec6": "trec6", "r8": "reuters-r8"}
COMMON = {"smoothing": "ss99"}
METHODS: dict[str, dict[str, str]] = {
    "discrete MR": {"algorithm": "mr", "alpha": "bound"},
    "discrete MH": {"algorithm": "mh", "votes": "discrete"},
    "real MH": {"algorithm": "mh", "votes": "real"},
}
PRINTED = {
    100: {"discrete MR": 0.341, "discrete MH": 0.304, "real MH": 0.223},
    1000: {"discrete MR": 0.197, "discrete MH": 0.176, "real MH": 0.164},
}
"""rounds -> method -> test error"""
ALLOWED = {"discrete MR": 0.025, "discrete MH": 0.025, "real MH": 0.02}
"""above what is printed"""
HEADS = (
    "corpus",
    "method",
    "rounds",
    "train error %",
    "test error %",
    "printed",
    "within",
    "CPU s",
)


def main() -> None:
    given = options(__doc__, rounds=1000, smoke=10, names=list(CORPORA))
    given.names = given.names if len(given.names) < len(CORPORA) else ["letter"]
    at = sorted({*until(given.rounds), *(n for n in PRINTED if n <= given.rounds)})
    rows = []
    for name in given.names:
        experiment = Experiment(corpus(CORPORA[name], given.most))
        for method, settings in METHODS.items():
            curve = experiment.curve(at, **COMMON, **settings)
            rows += [row(name, method, point) for point in curve]
    print(table(HEADS, rows))


def row(name: str, method: str, point: Point) -> tuple[str, ...]:
    printed = PRINTED.get(point.round, {}).get(method) if name == "letter" else None
    within = ""
    if printed is not None:
        most = printed + ALLOWED[method]
        within = f"{'yes' if point.test <= most else 'NO'} ({percent(most)})"
    return (
        name,
        method,
        str(point.round),
        percent(point.train),
        percent(point.test),
        percent(printed),
        within,
        f"{point.seconds:.1f}",
    )


if __name__ == "__main__":
    main()
