"""Error, or micro-F1 for several labels, of boostext and its presets beside other classifiers.

    python benchmarks/accuracy.py                        every corpus of the folder BOOSTEXT_DATA
    python benchmarks/accuracy.py DIR ...                corpora: folders with train and test .jsonl
    python benchmarks/accuracy.py --only accurate DIR    one method; may be repeated
    python benchmarks/accuracy.py --smoke                few generated texts: does it run?
    python benchmarks/accuracy.py --json                 figures as JSON lines

Every method sees the training file alone; the test file is looked at once. Peers get the tokens of
boostext's tokenizer, and categories as tokens of their own; those not installed are left out.
Size: distinct terms for boostext, parameters that are not 0 for linear models.

The time of every method is that of a process of its own, from its start until the model that it
learned from the training file is on disk; the imports count. If svm-words and svm-pairs are
measured in the same run, each time is also divided by that of the more accurate one of them.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measure import MISSING, NotInstalledError, program

from boostext.features.tokenizer import Tokenizer
from boostext.settings import TextSettings

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 0


@dataclass(frozen=True)
class Part:
    """Token lists, texts and label sets of the documents of a file."""

    tokens: list[list[str]]
    texts: list[str]
    labels: list[list[str]]

    @property
    def single(self) -> bool:
        return all(len(given) == 1 for given in self.labels)


@dataclass(frozen=True)
class Figure:
    """value: error, or micro-F1 for several labels. size: None where nobody counts it.

    seconds, cpu: of the clock and of all cores, from the start of the program to the model on disk.
    times, cpu_times: these divided by those of the more accurate SVM of words or pairs, if known.
    """

    corpus: str
    method: str
    measure: str
    value: float
    seconds: float
    cpu: float
    size: int | None
    times: float | None = None
    cpu_times: float | None = None


def main() -> None:
    options = _options()
    if options.learn:
        learn_and_tell(options.learn, options.folders[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        places = [_generated(Path(folder))] if options.smoke else _places(options.folders)
        for place in places:
            svms: list[Figure] = []
            for name in sorted(options.only or METHODS, key=list(METHODS).index):
                figure = measured(place, name)
                if figure and name in SVMS:
                    svms.append(figure)
                if figure:
                    show(beside(figure, svms), options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", action="append", choices=list(METHODS), default=[])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--learn", choices=list(PEERS), help=argparse.SUPPRESS)
    return parser.parse_args()


def _places(given: Sequence[Path]) -> list[Path]:
    if given:
        return list(given)
    root = Path(os.environ.get("BOOSTEXT_DATA", BESIDE))
    found = sorted(p.parent for p in root.glob("*/test.jsonl*") if "uci-" not in str(p))
    return found or sys.exit(f"no corpora in {root}; name folders, or set BOOSTEXT_DATA")


def show(figure: Figure, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(figure)), flush=True)
        return
    size = "" if figure.size is None else f"{figure.size:,}"
    times = f"{figure.times:5.2f} {figure.cpu_times:5.2f} x SVM" if figure.times else ""
    print(
        f"{figure.corpus:<20} {figure.method:<12} {figure.measure:<9} {100 * figure.value:6.2f}"
        f"  {figure.seconds:7.1f} s  {figure.cpu:7.1f} s CPU  {times:17}  {size:>11}",
        flush=True,
    )


def measured(place: Path, name: str) -> Figure | None:
    try:
        return METHODS[name](place, name)
    except NotInstalledError as error:
        print(f"{place.name:<20} {name:<12} {error}", file=sys.stderr)
        return None


def beside(figure: Figure, svms: Sequence[Figure]) -> Figure:
    """The figure with its times as multiples of those of the more accurate SVM; as it is unless
    both have been measured.
    """
    if len(svms) < len(SVMS) or figure in svms:
        return figure
    best = min(svms, key=lambda svm: svm.value if svm.measure == "error" else -svm.value)
    return replace(figure, times=figure.seconds / best.seconds, cpu_times=figure.cpu / best.cpu)


# Corpora -------------------------------------------------------------------------------------


def read(folder: Path, part: str) -> Part:
    records = list(_records(_file(folder, part)))
    tokens, labels, texts = ([record[n] for record in records] for n in range(3))
    return Part(tokens, texts, labels)


def _file(folder: Path, part: str) -> Path:
    found = [path for path in sorted(folder.glob(f"{part}.jsonl*")) if path.is_file()]
    return found[0] if found else sys.exit(f"{folder} has no {part}.jsonl")


def _records(path: Path) -> Iterator[tuple[list[str], list[str], str]]:
    """Tokens, labels and text of each document; categories are tokens too."""
    tokenizer = Tokenizer(TextSettings())
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        for record in map(json.loads, file):
            named = (record.get("attributes") or {}).items()
            more = [f"{name}={value}" for name, value in named if isinstance(value, str)]
            labels = record.get("labels", record.get("label"))
            labels = [labels] if isinstance(labels, str) else list(dict.fromkeys(labels))
            yield tokenizer.tokens(record["text"]) + more, labels, record["text"]


def _generated(folder: Path) -> Path:
    """Few texts, in which words speak of labels."""
    draws = random.Random(SEED)
    place = folder / "generated"
    place.mkdir()
    for part, count in (("train", 150), ("test", 60)):
        with (place / f"{part}.jsonl").open("w", encoding="utf-8") as file:
            for number in range(count):
                label = number % 3
                words = [f"w{draws.randrange(40) + 15 * label}" for _ in range(12)]
                file.write(json.dumps({"text": " ".join(words), "labels": [f"l{label}"]}) + "\n")
    return place


# boostext ------------------------------------------------------------------------------------


def preset(place: Path, name: str) -> Figure:
    """A preset, or what follows from the data."""
    wanted = [] if name == "default" else ["--preset", name]
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model.boostext")
        command = [sys.executable, "-m", "boostext"]
        trained = program(
            [*command, "train", str(_file(place, "train")), "-o", model, *wanted, "-q", "--json"]
        )
        evaluated = program(
            [*command, "evaluate", model, str(_file(place, "test")), "-q", "--json"]
        )
    size = json.loads(trained.facts["stdout"])["terms"]
    measures = json.loads(evaluated.facts["stdout"])["measures"]
    measure = "error" if read(place, "train").single else "micro-f1"
    return Figure(place.name, name, measure, measures[measure], trained.seconds, trained.cpu, size)


# Peers ---------------------------------------------------------------------------------------


class Learned(NamedTuple):
    """What a peer learned. model: what it writes to disk, or a function that writes it to a path.
    find: labels of the documents of a part. size: see Figure.
    """

    model: Any
    find: Callable[[Part], list[list[str]]]
    size: int | None


def separate(place: Path, name: str) -> Figure:
    """A peer in a process of its own, which is timed until it tells that its model is on disk."""
    command = [sys.executable, __file__, "--learn", name, str(place)]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        written = process.stdout.readline()
        seconds = time.perf_counter() - begin
        rest = process.stdout.read()
    if process.returncode == MISSING:
        raise NotInstalledError("is left out")
    if process.returncode:
        raise RuntimeError(f"{name} ended with {process.returncode} on {place}")
    return Figure(place.name, name, seconds=seconds, **json.loads(written), **json.loads(rest))


def learn_and_tell(name: str, place: Path) -> None:
    """Learn, write the model, tell the CPU time, and then how good it is on the test file."""
    joblib = peer("joblib", "scikit-learn")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        learned = PEERS[name](read(place, "train"))
        learned.model(path) if callable(learned.model) else joblib.dump(learned.model, path)
        print(json.dumps({"cpu": sum(os.times()[:2])}), flush=True)
    test = read(place, "test")
    measure, value = judged(test, learned.find(test))
    print(json.dumps({"measure": measure, "value": value, "size": learned.size}))


def judged(test: Part, found: Sequence[Sequence[str]]) -> tuple[str, float]:
    """The name of the measure, and its value."""
    pairs = [(set(a), set(b)) for a, b in zip(found, test.labels, strict=True)]
    if test.single:
        return "error", sum(a != b for a, b in pairs) / len(pairs)
    right = sum(len(a & b) for a, b in pairs)
    return "micro-f1", 2 * right / max(sum(len(a) + len(b) for a, b in pairs), 1)


def peer(module: str, package: str) -> Any:
    """The module; without it, this process ends with the exit code that says so."""
    try:
        return importlib.import_module(module)
    except ImportError:
        print(f"{package} is not installed", file=sys.stderr)
        sys.exit(MISSING)


def _matrix(learn: Part, idf: bool, longest: int = 1) -> tuple[Any, Any, Callable[[Part], Any]]:
    """Of token n-grams: what makes the matrix, that of `learn`, and that of another part."""
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    kind = text.TfidfVectorizer if idf else text.CountVectorizer
    more = {"sublinear_tf": True} if idf else {}
    vectorizer = kind(analyzer=partial(_ngrams, longest=longest), min_df=2, **more)
    made = vectorizer.fit_transform(learn.tokens)
    return vectorizer, made, lambda part: vectorizer.transform(part.tokens)


def _letters(learn: Part) -> tuple[Any, Any, Callable[[Part], Any]]:
    """TF-IDF of 1 to 5 letters."""
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    vectorizer = text.TfidfVectorizer(
        analyzer="char", ngram_range=(1, 5), min_df=2, sublinear_tf=True
    )
    made = vectorizer.fit_transform(learn.texts)
    return vectorizer, made, lambda part: vectorizer.transform(part.texts)


def _few(learn: Part) -> tuple[Any, Any, Callable[[Part], Any]]:
    """TF-IDF of the 300 words that say most about the labels by chi-square."""
    choosing = peer("sklearn.feature_selection", "scikit-learn")
    vectorizer, made, of = _matrix(learn, idf=True)
    codes = peer("sklearn.preprocessing", "scikit-learn").MultiLabelBinarizer()
    target = codes.fit_transform(learn.labels)
    chosen = choosing.SelectKBest(choosing.chi2, k=min(300, made.shape[1])).fit(made, target)
    return (vectorizer, chosen), chosen.transform(made), lambda part: chosen.transform(of(part))


def _ngrams(tokens: list[str], longest: int) -> list[str]:
    return [
        " ".join(tokens[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(tokens) - length + 1)
    ]


def linear(
    make: Callable[[], Any], matrix: Callable[[Part], tuple[Any, Any, Callable[[Part], Any]]]
) -> Callable[[Part], Learned]:
    """One classifier for one label; for several, one for each label against the rest."""

    def run(learn: Part) -> Learned:
        terms, made, of = matrix(learn)
        if learn.single:
            chosen = make().fit(made, [given[0] for given in learn.labels])
            size = _size(chosen)
            return Learned((terms, chosen), lambda t: [[n] for n in chosen.predict(of(t))], size)
        multi = peer("sklearn.multiclass", "scikit-learn")
        codes = peer("sklearn.preprocessing", "scikit-learn").MultiLabelBinarizer()
        chosen = multi.OneVsRestClassifier(make()).fit(made, codes.fit_transform(learn.labels))

        def find(part: Part) -> list[list[str]]:
            return [list(found) for found in codes.inverse_transform(chosen.predict(of(part)))]

        return Learned((terms, codes, chosen), find, sum(_size(c) or 0 for c in chosen.estimators_))

    return run


def _size(chosen: Any) -> int | None:
    weights = getattr(chosen, "coef_", getattr(chosen, "feature_log_prob_", None))
    return None if weights is None else int(np.count_nonzero(weights))


def fasttext(learn: Part) -> Learned:
    """Words and pairs, 25 epochs, learning rate 0.5; several labels: those above 0.5."""
    module = peer("fasttext", "fasttext-wheel")
    names = sorted({label for given in learn.labels for label in given})
    number = {name: f"__label__{j}" for j, name in enumerate(names)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        rows = zip(learn.tokens, learn.labels, strict=True)
        lines = (" ".join([*(number[label] for label in given), *text]) for text, given in rows)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        model = module.train_supervised(
            str(path),
            epoch=25,
            lr=0.5,
            wordNgrams=2,
            verbose=0,
            seed=SEED,
            loss="softmax" if learn.single else "ova",
        )

    def find(part: Part) -> list[list[str]]:
        # subtle: `predict` of the wheel fails with NumPy 2, its inner function does not
        limits = (1, 0.0) if learn.single else (-1, 0.5)
        lines = (" ".join(text) + "\n" for text in part.tokens)
        tops = [model.f.predict(line, *limits, "strict") for line in lines]
        return [[names[int(name.removeprefix("__label__"))] for _, name in top] for top in tops]

    return Learned(model.save_model, find, None)


def trees(module: str, kind: str, **settings: Any) -> Callable[[Part], Learned]:
    """Boosted trees on bags of words, one label."""

    def run(learn: Part) -> Learned:
        if not learn.single:
            print("boosted trees are measured with one label only", file=sys.stderr)
            sys.exit(MISSING)
        make = getattr(peer(module, module), kind)
        terms, made, of = _matrix(learn, idf=False)
        names = sorted({given[0] for given in learn.labels})
        number = {name: j for j, name in enumerate(names)}
        target = [number[given[0]] for given in learn.labels]
        chosen = make(**settings).fit(made.astype(np.float32), target)

        def find(part: Part) -> list[list[str]]:
            return [[names[int(j)]] for j in chosen.predict(of(part).astype(np.float32))]

        return Learned((terms, chosen), find, None)

    return run


def _svc() -> Any:
    return peer("sklearn.svm", "scikit-learn").LinearSVC(random_state=SEED)


def _logistic() -> Any:
    return peer("sklearn.linear_model", "scikit-learn").LogisticRegression(C=10, max_iter=300)


def _bayes() -> Any:
    return peer("sklearn.naive_bayes", "scikit-learn").MultinomialNB(alpha=0.1)


SVMS = ("svm-words", "svm-pairs")
"""The methods with whose times others are compared."""
PEERS: dict[str, Callable[[Part], Learned]] = {
    "svm-words": linear(_svc, partial(_matrix, idf=True)),
    "svm-pairs": linear(_svc, partial(_matrix, idf=True, longest=2)),
    "svm-letters": linear(_svc, _letters),
    "svm-300": linear(_svc, _few),
    "logistic": linear(_logistic, partial(_matrix, idf=True)),
    "bayes": linear(_bayes, partial(_matrix, idf=False)),
    "fasttext": fasttext,
    "xgboost": trees("xgboost", "XGBClassifier", n_estimators=100, tree_method="hist", n_jobs=2),
    "lightgbm": trees("lightgbm", "LGBMClassifier", n_estimators=100, verbose=-1, n_jobs=2),
}
PRESETS = ("default", "paper", "readable", "accurate")
METHODS: dict[str, Callable[[Path, str], Figure]] = {
    **dict.fromkeys(SVMS, separate),
    **dict.fromkeys(PRESETS, preset),
    **dict.fromkeys([name for name in PEERS if name not in SVMS], separate),
}

if __name__ == "__main__":
    main()
