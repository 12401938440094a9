"""What is measured: each row runs our work and a peer's by turns, and gives figures."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import corpora
from corpora import Corpus
from figures import Figure, alone, compared
from measure import Run, by_turns, child, program

BOOSTEXT = [sys.executable, "-m", "boostext"]
PREDICT = Path(__file__).with_name("fasttext_predict.py")


@dataclass(frozen=True)
class Bench:
    """How to measure. few: repetitions of what takes minutes. folder: for corpora and models."""

    folder: Path
    repeats: int
    few: int
    threads: int
    smoke: bool = False

    def corpus(self, name: str) -> Corpus:
        return corpora.corpus(name, self.folder, self.smoke)

    def rounds(self, number: int) -> int:
        return min(number, 30) if self.smoke else number


Row = Callable[[Bench], Iterator[Figure]]


@dataclass(frozen=True)
class Terms:
    """A corpus and the terms made of it."""

    name: str
    corpus: str
    ngrams: tuple[int, int] = (1, 1)
    min_df: int = 1

    def arguments(self, bench: Bench) -> dict[str, object]:
        path = str(bench.corpus(self.corpus).train)
        return {"path": path, "ngrams": self.ngrams, "min_df": self.min_df}


WORDS = Terms("20newsgroups words", "20newsgroups")
NGRAMS = Terms("20newsgroups 1-3-grams, min_df 2", "20newsgroups", (1, 3), 2)
DEBIAN = Terms("debian-section-en words", "debian-section-en")
CLINC = Terms("clinc150 1-2-grams", "clinc150", (1, 2))
TREC = Terms("trec6 words", "trec6")
BANKING = Terms("banking77 words", "banking77")


# Rounds --------------------------------------------------------------------------------------


def rounds_by_label(terms: Terms, least: float, plain: int, bench: Bench) -> Iterator[Figure]:
    """1,000 rounds of a rule for each label, against so many of the plain engine."""
    run = partial(child, "rounds", **terms.arguments(bench), threads=1, options={"algorithm": "mp"})
    sides = [
        partial(run, rounds=bench.rounds(1000), engine="incremental"),
        partial(run, rounds=plain, engine="plain"),
    ]
    ours, theirs = by_turns(sides, bench.repeats)
    _check_same_rules(ours[0], theirs[0])
    work = f"1,000 rounds, a rule for each label, {terms.name}"
    yield compared(work, "plain engine", ours, theirs, "each", least)


def recomputed(algorithm: str, terms: Terms, least: float | None, bench: Bench) -> Iterator[Figure]:
    """Rounds with weights that rules do not update: searches compiled, or the plain engine."""
    options = {"algorithm": algorithm}
    run = partial(child, "rounds", **terms.arguments(bench), threads=1, options=options)
    count = bench.rounds(40)
    sides = [partial(run, rounds=count, engine=name) for name in ("auto", "plain")]
    ours, theirs = by_turns(sides, bench.repeats)
    _check_same_rules(ours[0], theirs[0])
    work = f"40 rounds of {algorithm}, {terms.name}"
    yield compared(work, "plain engine", ours, theirs, "each", least)


def rounds(terms: Terms, least: float, plain: int, bench: Bench) -> Iterator[Figure]:
    """2,000 rounds against so many of the plain engine, with and without merging before."""
    run = partial(child, "rounds", **terms.arguments(bench), threads=1)
    sides = [
        partial(run, rounds=bench.rounds(2000), engine="incremental"),
        partial(run, rounds=plain, engine="plain", merged=False),
        partial(run, rounds=plain, engine="plain"),
    ]
    ours, unmerged, merged = by_turns(sides, bench.repeats)
    _check_same_rules(ours[0], merged[0])
    work = f"2,000 rounds, {terms.name}"
    note = f"{ours[0].facts['columns']:,} columns, {ours[0].facts['labels']} labels"
    yield compared(work, "plain engine", ours, unmerged, "each", least, note)
    yield compared(work, "plain engine on merged columns", ours, merged, "each", None, note)


def _check_same_rules(ours: Run, plain: Run) -> None:
    if ours.facts["rules"] != plain.facts["rules"]:
        raise RuntimeError(f"rules differ: {ours.facts['rules']} and {plain.facts['rules']}")


def logistic(terms: Terms, most: float, bench: Bench) -> Iterator[Figure]:
    """Silent rules of logistic loss against those of exponential loss."""
    run = partial(
        child,
        "rounds",
        **terms.arguments(bench),
        rounds=bench.rounds(1000),
        threads=1,
        engine="incremental",
    )
    options = {"abstain": True, "prior_rule": True}
    losses = [partial(run, options={"algorithm": name, **options}) for name in ("logistic", "mh")]
    ours, mh = by_turns(losses, bench.repeats)
    work = f"1,000 rounds of logistic loss, abstaining, {terms.name}"
    yield compared(work, "exponential loss", ours, mh, "each", 1 / most)


def threads(terms: Terms, least: float, bench: Bench) -> Iterator[Figure]:
    """Rounds with two threads against one."""
    run = partial(
        child, "rounds", **terms.arguments(bench), rounds=bench.rounds(1000), engine="incremental"
    )
    two, one = by_turns([partial(run, threads=2), partial(run, threads=1)], bench.repeats)
    yield compared(f"2 threads, rounds, {terms.name}", "1 thread", two, one, "each", least)


# Reading -------------------------------------------------------------------------------------


def reading(ending: str, peer: str, bench: Bench) -> Iterator[Figure]:
    """Documents of a file against its records alone, as the standard library gives them."""
    path = bench.folder / f"reading.{ending}"
    program([*BOOSTEXT, "convert", str(bench.corpus("clinc150").train), str(path), "--force"])
    sides = [partial(child, work, path=str(path)) for work in ("documents", "records")]
    ours, theirs = by_turns(sides, bench.repeats)
    note = f"{ours[0].facts['documents']:,} documents"
    yield compared(f"reading {ending}, clinc150", peer, ours, theirs, "seconds", 0.15, note)


# Text to matrix ------------------------------------------------------------------------------


def matrix(terms: Terms, faster: float, bench: Bench) -> Iterator[Figure]:
    """Time with the texts in memory."""
    ours = partial(child, "text_to_matrix", **terms.arguments(bench))
    sides = [
        partial(ours, threads=1),
        partial(ours, threads=bench.threads),
        partial(child, "count_vectorizer", **terms.arguments(bench)),
    ]
    one, several, peer = by_turns(sides, bench.repeats)
    work = f"text to matrix, {terms.name}"
    note = f"{one[0].facts['terms']:,} terms, CountVectorizer {peer[0].facts['terms']:,}"
    many = f"{work}, {bench.threads} threads"
    yield compared(f"{work}, 1 thread", "CountVectorizer", one, peer, "seconds", faster, note)
    yield compared(many, "CountVectorizer", several, peer, "seconds", None)


def memory(terms: Terms, smaller: float, bench: Bench) -> Iterator[Figure]:
    """Peak of the whole process, the texts streamed from the file to both."""
    arguments = {**terms.arguments(bench), "streamed": True}
    sides = [
        partial(child, "text_to_matrix", **arguments, threads=bench.threads),
        partial(child, "count_vectorizer", **arguments),
    ]
    ours, peer = by_turns(sides, bench.few)
    note = f"of it {ours[0].facts['start']:.0f} and {peer[0].facts['start']:.0f} MB after imports"
    work = f"text to matrix, {terms.name}, peak memory"
    yield compared(work, "CountVectorizer", ours, peer, "peak", smaller, note)


# Whole programs ------------------------------------------------------------------------------


def _train(bench: Bench, model: Path, path: Path, options: Sequence[str] = ()) -> Run:
    """2,000 rules over single words, as the rows say, not what goes by the data."""
    words = ("--preset", "paper")
    command = [*BOOSTEXT, "train", str(path), "-o", str(model), "-q", *words, *options]
    return program([*command, "--rounds", str(bench.rounds(2000))])


def train_svc(bench: Bench) -> Iterator[Figure]:
    """Our whole process, start-up included, against theirs from texts in memory to fitted."""
    path = bench.corpus("20newsgroups").train
    sides = [
        partial(_train, bench, bench.folder / "svc.boostext", path),
        partial(child, "tfidf_svc", path=str(path)),
    ]
    ours, peer = by_turns(sides, bench.repeats)
    work = "boostext train, 20newsgroups words, 2,000 rounds, file to file"
    note = "start-up, reading and writing counted in ours only"
    yield compared(work, "TF-IDF + LinearSVC, text to fitted", ours, peer, "seconds", 1, note)


def train_trees(peer: str, against: str, least: float | None, bench: Bench) -> Iterator[Figure]:
    """Our whole process against 100 trees for every label, texts in memory to fitted."""
    path = bench.corpus("20newsgroups").train
    trees = 3 if bench.smoke else 100
    sides = [
        partial(_train, bench, bench.folder / f"{peer}.boostext", path),
        partial(child, peer, path=str(path), rounds=trees, threads=bench.threads),
    ]
    ours, theirs = by_turns(sides, bench.few)
    work = "boostext train, 20newsgroups words, 2,000 rounds, file to file"
    yield compared(work, against, ours, theirs, "seconds", least)


def adaboost(bench: Bench) -> Iterator[Figure]:
    """A round each; theirs has one stump a round as ours."""
    arguments = WORDS.arguments(bench)
    ours = partial(child, "rounds", **arguments, rounds=bench.rounds(2000), engine="incremental")
    peer = partial(child, "adaboost", path=arguments["path"], rounds=3)
    one, theirs = by_turns([partial(ours, threads=1), peer], bench.few)
    work = "2,000 rounds, 20newsgroups words"
    yield compared(work, "AdaBoostClassifier, 3 stumps", one, theirs, "each", None)


def predict(bench: Bench) -> Iterator[Figure]:
    """Whole processes: model and texts from files, labels to a file."""
    corpus = bench.corpus("20newsgroups")
    model, peer_model = bench.folder / "predict.boostext", bench.folder / "predict.ft.bin"
    _train(bench, model, corpus.train)
    command = [*BOOSTEXT, "predict", str(model), str(corpus.test_lines), "--output", "labels"]
    ours = partial(program, command)
    child("fasttext_model", path=str(corpus.train_lines), model=str(peer_model))
    output = str(bench.folder / "labels.txt")
    peer = [sys.executable, str(PREDICT), str(peer_model), str(corpus.test_lines), output]
    mine, theirs = by_turns([ours, partial(program, peer)], bench.repeats)
    work = "boostext predict, 20newsgroups test, 2,000 rounds, file to file"
    note = "whole processes, start-up counted in both"
    yield compared(work, "fastText's predict", mine, theirs, "seconds", 1, note)


def report(bench: Bench) -> Iterator[Figure]:
    """What --report adds to a training on 20,000 documents, its cross-validation included."""
    corpus = bench.corpus("20newsgroups")
    data = bench.folder / "report.jsonl"
    some = corpora.repeated((corpus.train, corpus.test), data, 400 if bench.smoke else 20_000)
    plain = partial(_train, bench, bench.folder / "report.boostext", data)
    full = partial(plain, options=("--report", str(bench.folder / "report")))
    with_it, without = by_turns([full, plain], bench.few)
    added = [
        Run(a.seconds - b.seconds, a.cpu - b.cpu, a.peak)
        for a, b in zip(with_it, without, strict=True)
    ]
    work = f"the report of {some:,} documents, 2,000 rounds"
    yield alone(f"{work}, beyond training", added, "seconds", 20)
    yield alone(f"{work}, peak memory", added, "peak", 1500)


# Compiling -----------------------------------------------------------------------------------


def compiling(bench: Bench) -> Iterator[Figure]:
    """All kernels with an empty cache, and again."""
    first, second = [], []
    for _ in range(bench.few):
        with tempfile.TemporaryDirectory(dir=bench.folder) as cache:
            env = {"NUMBA_CACHE_DIR": cache}
            first.append(child("kernels", env))
            second.append(child("kernels", env))
    count = first[0].facts["kernels"]
    note = f"besides {first[0].facts['importing']:.2f} s for importing numba in the first run"
    yield alone(f"{count} kernels, first run (nothing cached)", first, "seconds", 10)
    yield alone(f"{count} kernels, second run", second, "seconds", 0.15, note)


ROWS: dict[str, Row] = {
    "rounds-words": partial(rounds, WORDS, 60, 12),
    "rounds-ngrams": partial(rounds, NGRAMS, 200, 5),
    "rounds-debian": partial(rounds, DEBIAN, 45, 8),
    "rounds-clinc": partial(rounds, CLINC, 40, 12),
    "rounds-trec": partial(rounds, TREC, 4, 100),
    "by-label-words": partial(rounds_by_label, WORDS, 20, 12),
    "by-label-banking": partial(rounds_by_label, BANKING, 20, 30),
    "mr-words": partial(recomputed, "mr", WORDS, 5),
    "m2-words": partial(recomputed, "m2", WORDS, 5),
    "adaboost-r-words": partial(recomputed, "adaboost-r", WORDS, 5),
    "oc-words": partial(recomputed, "oc", WORDS, None),
    "logistic-words": partial(logistic, WORDS, 2.5),
    "adaboost": adaboost,
    "train-svc": train_svc,
    "train-xgboost": partial(train_trees, "xgboost", "xgboost hist, 100 trees a label", 20),
    "train-lightgbm": partial(train_trees, "lightgbm", "lightgbm, 100 trees a label", None),
    "matrix-ngrams": partial(matrix, NGRAMS, 10),
    "memory-ngrams": partial(memory, NGRAMS, 2),
    "matrix-words": partial(matrix, WORDS, 4),
    "predict": predict,
    "report": report,
    "reading-jsonl": partial(reading, "jsonl", "json.loads of each line"),
    "reading-csv": partial(reading, "csv", "csv.DictReader"),
    "threads-ngrams": partial(threads, NGRAMS, 1.4),
    "threads-debian": partial(threads, DEBIAN, 1.4),
    "threads-words": partial(threads, WORDS, 0.95),
    "threads-clinc": partial(threads, CLINC, 0.95),
    "compiling": compiling,
}
"""name on the command line -> the row"""

SMOKE = (
    "rounds-words",
    "adaboost",
    "train-svc",
    "train-xgboost",
    "matrix-ngrams",
    "memory-ngrams",
    "predict",
    "report",
    "reading-csv",
    "threads-words",
    "compiling",
)
"""every kind of row once"""
