"""Error, or micro-F1 for several labels, of boostext and its presets beside other classifiers.

    python benchmarks/accuracy.py                        every corpus of the folder BOOSTEXT_DATA
    python benchmarks/accuracy.py DIR ...                corpora: folders with train and test .jsonl
    python benchmarks/accuracy.py --only accurate DIR    one method; may be repeated
    python benchmarks/accuracy.py --smoke                few generated texts: does it run?
    python benchmarks/accuracy.py --json                 figures as JSON lines

Every method sees the training file alone; the test file is looked at once. Peers get the tokens of
boostext's tokenizer, and categories as tokens of their own; those not installed are left out.
Size: distinct terms for boostext, parameters that are not 0 for linear models.
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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boostext.features.tokenizer import Tokenizer
from boostext.settings import TextSettings

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 0


@dataclass(frozen=True)
class Corpus:
    """Token lists, texts and label sets of both parts, and the files."""

    name: str
    train: Path
    test: Path
    texts: tuple[list[list[str]], list[list[str]]]
    written: tuple[list[str], list[str]]
    labels: tuple[list[list[str]], list[list[str]]]

    @property
    def single(self) -> bool:
        return all(len(given) == 1 for part in self.labels for given in part)


@dataclass(frozen=True)
class Figure:
    """value: error, or micro-F1 for several labels. size: None where nobody counts it."""

    corpus: str
    method: str
    measure: str
    value: float
    seconds: float
    size: int | None


class MissingError(Exception):
    """A peer is not installed, or does not do this kind of corpus."""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        places = [_generated(Path(folder))] if options.smoke else _places(options.folders)
        for place in places:
            corpus = read(place)
            for name in options.only or METHODS:
                show(measured(corpus, name), options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", action="append", choices=list(METHODS), default=[])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _places(given: Sequence[Path]) -> list[Path]:
    if given:
        return list(given)
    root = Path(os.environ.get("BOOSTEXT_DATA", BESIDE))
    found = sorted(p.parent for p in root.glob("*/test.jsonl*") if "uci-" not in str(p))
    return found or sys.exit(f"no corpora in {root}; name folders, or set BOOSTEXT_DATA")


def show(figure: Figure | None, as_json: bool) -> None:
    if figure is None:
        return
    if as_json:
        print(json.dumps(asdict(figure)), flush=True)
        return
    size = "" if figure.size is None else f"{figure.size:,}"
    print(
        f"{figure.corpus:<20} {figure.method:<14} {figure.measure:<9} {100 * figure.value:6.2f}"
        f"  {figure.seconds:8.1f} s  {size:>12}",
        flush=True,
    )


def measured(corpus: Corpus, name: str) -> Figure | None:
    begin = time.perf_counter()
    try:
        value, size, seconds = METHODS[name](corpus)
    except MissingError as error:
        print(f"{corpus.name:<20} {name:<14} {error}", file=sys.stderr)
        return None
    seconds = seconds or time.perf_counter() - begin
    measure = "error" if corpus.single else "micro-f1"
    return Figure(corpus.name, name, measure, value, seconds, size)


# Corpora -------------------------------------------------------------------------------------


def read(folder: Path) -> Corpus:
    files = [_file(folder, part) for part in ("train", "test")]
    parts = [list(_records(file)) for file in files]
    texts, labels, written = (
        tuple([record[n] for record in part] for part in parts) for n in range(3)
    )
    return Corpus(folder.name, files[0], files[1], texts, written, labels)  # type: ignore[arg-type]


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

Result = tuple[float, int | None, float]
"""Value, size, seconds of training (0: all the time counts)."""


def preset(name: str = "") -> Callable[[Corpus], Result]:
    """By its name; without one what goes by the data."""
    wanted = ["--preset", name] if name else []

    def run(corpus: Corpus) -> Result:
        with tempfile.TemporaryDirectory() as folder:
            model = str(Path(folder) / "model.boostext")
            begin = time.perf_counter()
            told = _boostext("train", str(corpus.train), "-o", model, *wanted)
            seconds = time.perf_counter() - begin
            measures = _boostext("evaluate", model, str(corpus.test))["measures"]
        measure = "error" if corpus.single else "micro-f1"
        return measures[measure], told["terms"], seconds

    return run


def _boostext(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "boostext", *arguments, "-q", "--json"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# Peers ---------------------------------------------------------------------------------------


def peer(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingError(f"{package} is not installed") from None


def _matrices(corpus: Corpus, idf: bool, longest: int = 1) -> tuple[Any, Any]:
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    kind = text.TfidfVectorizer if idf else text.CountVectorizer
    more = {"sublinear_tf": True} if idf else {}
    vectorizer = kind(analyzer=lambda tokens: _ngrams(tokens, longest), min_df=2, **more)
    return vectorizer.fit_transform(corpus.texts[0]), vectorizer.transform(corpus.texts[1])


def _letters(corpus: Corpus) -> tuple[Any, Any]:
    """TF-IDF of 1 to 5 letters."""
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    vectorizer = text.TfidfVectorizer(
        analyzer="char", ngram_range=(1, 5), min_df=2, sublinear_tf=True
    )
    return vectorizer.fit_transform(corpus.written[0]), vectorizer.transform(corpus.written[1])


def _few(corpus: Corpus) -> tuple[Any, Any]:
    """TF-IDF of the 300 words that say most about the labels by chi-square."""
    choosing = peer("sklearn.feature_selection", "scikit-learn")
    learn, test = _matrices(corpus, idf=True)
    codes = peer("sklearn.preprocessing", "scikit-learn").MultiLabelBinarizer()
    target = codes.fit_transform(corpus.labels[0])
    chosen = choosing.SelectKBest(choosing.chi2, k=min(300, learn.shape[1])).fit(learn, target)
    return chosen.transform(learn), chosen.transform(test)


def _ngrams(tokens: list[str], longest: int) -> list[str]:
    return [
        " ".join(tokens[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(tokens) - length + 1)
    ]


def linear(
    make: Callable[[], Any], matrices: Callable[[Corpus], tuple[Any, Any]]
) -> Callable[[Corpus], Result]:
    """One classifier for one label; for several, one for each label against the rest."""

    def run(corpus: Corpus) -> Result:
        begin = time.perf_counter()
        learn, test = matrices(corpus)
        if corpus.single:
            chosen = make().fit(learn, [given[0] for given in corpus.labels[0]])
            seconds = time.perf_counter() - begin
            return single(corpus, list(chosen.predict(test))), _size(chosen), seconds
        multi = peer("sklearn.multiclass", "scikit-learn")
        codes = peer("sklearn.preprocessing", "scikit-learn").MultiLabelBinarizer()
        chosen = multi.OneVsRestClassifier(make()).fit(learn, codes.fit_transform(corpus.labels[0]))
        seconds = time.perf_counter() - begin
        given = [list(found) for found in codes.inverse_transform(chosen.predict(test))]
        return several(corpus, given), sum(_size(c) or 0 for c in chosen.estimators_), seconds

    return run


def _size(chosen: Any) -> int | None:
    weights = getattr(chosen, "coef_", getattr(chosen, "feature_log_prob_", None))
    return None if weights is None else int(np.count_nonzero(weights))


def single(corpus: Corpus, found: Sequence[str]) -> float:
    gold = [given[0] for given in corpus.labels[1]]
    return float(np.mean([a != b for a, b in zip(found, gold, strict=True)]))


def several(corpus: Corpus, found: Sequence[Sequence[str]]) -> float:
    pairs = [(set(a), set(b)) for a, b in zip(found, corpus.labels[1], strict=True)]
    right = sum(len(a & b) for a, b in pairs)
    return 2 * right / max(sum(len(a) + len(b) for a, b in pairs), 1)


def fasttext(corpus: Corpus) -> Result:
    """Words and pairs, 25 epochs, learning rate 0.5; several labels: those above 0.5."""
    module = peer("fasttext", "fasttext-wheel")
    names = sorted({label for given in corpus.labels[0] for label in given})
    number = {name: f"__label__{j}" for j, name in enumerate(names)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        rows = zip(corpus.texts[0], corpus.labels[0], strict=True)
        lines = (" ".join([*(number[label] for label in given), *text]) for text, given in rows)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        begin = time.perf_counter()
        model = module.train_supervised(
            str(path),
            epoch=25,
            lr=0.5,
            wordNgrams=2,
            verbose=0,
            seed=SEED,
            loss="softmax" if corpus.single else "ova",
        )
        seconds = time.perf_counter() - begin
    # subtle: `predict` of the wheel fails with NumPy 2, its inner function does not
    lines = [" ".join(text) + "\n" for text in corpus.texts[1]]
    if corpus.single:
        tops = [model.f.predict(line, 1, 0.0, "strict") for line in lines]
        found = [names[int(top[0][1].removeprefix("__label__"))] if top else "" for top in tops]
        return single(corpus, found), None, seconds
    tops = [model.f.predict(line, -1, 0.5, "strict") for line in lines]
    given = [[names[int(name.removeprefix("__label__"))] for _, name in top] for top in tops]
    return several(corpus, given), None, seconds


def trees(module: str, kind: str, **settings: Any) -> Callable[[Corpus], Result]:
    """Boosted trees on bags of words, one label."""

    def run(corpus: Corpus) -> Result:
        if not corpus.single:
            raise MissingError("is measured with one label only")
        make = getattr(peer(module, module), kind)
        begin = time.perf_counter()
        learn, test = _matrices(corpus, idf=False)
        names = sorted({given[0] for given in corpus.labels[0]})
        number = {name: j for j, name in enumerate(names)}
        target = [number[given[0]] for given in corpus.labels[0]]
        chosen = make(**settings).fit(learn.astype(np.float32), target)
        seconds = time.perf_counter() - begin
        found = [names[int(j)] for j in chosen.predict(test.astype(np.float32))]
        return single(corpus, found), None, seconds

    return run


def _svc() -> Any:
    return peer("sklearn.svm", "scikit-learn").LinearSVC(random_state=SEED)


def _logistic() -> Any:
    return peer("sklearn.linear_model", "scikit-learn").LogisticRegression(C=10, max_iter=300)


def _bayes() -> Any:
    return peer("sklearn.naive_bayes", "scikit-learn").MultinomialNB(alpha=0.1)


METHODS: dict[str, Callable[[Corpus], Result]] = {
    "default": preset(),
    "paper": preset("paper"),
    "readable": preset("readable"),
    "accurate": preset("accurate"),
    "svm-words": linear(_svc, partial(_matrices, idf=True)),
    "svm-pairs": linear(_svc, partial(_matrices, idf=True, longest=2)),
    "svm-letters": linear(_svc, _letters),
    "svm-300": linear(_svc, _few),
    "logistic": linear(_logistic, partial(_matrices, idf=True)),
    "bayes": linear(_bayes, partial(_matrices, idf=False)),
    "fasttext": fasttext,
    "xgboost": trees("xgboost", "XGBClassifier", n_estimators=100, tree_method="hist", n_jobs=2),
    "lightgbm": trees("lightgbm", "LGBMClassifier", n_estimators=100, verbose=-1, n_jobs=2),
}

if __name__ == "__main__":
    main()
