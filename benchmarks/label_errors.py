"""Wrong labels put into corpora on purpose: how well they are found, beside confident learning.

    python benchmarks/label_errors.py --data DIR [--corpus trec6 ...] [--noise uniform ...]
        [--per-label 25] [--documents 2500] [--seeds 3]

DIR holds CORPUS/train.jsonl.gz with {"text", "labels"} a line. A tenth of the documents gets a
wrong label: `uniform`, any other; `confused`, the label that logistic regression most often gives
in its place; `conditional`, drawn by how often each is given in its place; `by-class`, instead of
a tenth of all, a quarter of the documents of a third of the labels get the likeliest in its place.
--per-label cuts a corpus to so many documents of each label. With several labels a
document: `missing` loses one, `extra` gains one, drawn by how often each label is there; and
--documents cuts it to so many.

Ours: probabilities out of fold, as `boostext inspect --source cv`, in the order of the listing.
Theirs: self-confidence, normalized margin and, with one label a document, confidence-weighted
entropy of cleanlab on out-of-fold probabilities of logistic regression on TF-IDF with C 1 and C 10,
one against the rest for several labels. Both 5 folds. Figures: average precision of the ranking,
precision among as many documents as were changed, and seconds of CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from cleanlab.multilabel_classification import get_label_quality_scores as many
from cleanlab.rank import get_label_quality_scores as one
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from boostext.arrays import Lists
from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.evaluation.weights import given_signs
from boostext.reports.doubts import verdicts
from boostext.training.audit import audit
from boostext.training.plan import Plan
from boostext.training.run import Prepared, prepare

CORPORA = ("trec6", "banking77", "20newsgroups", "reuters-r90", "semeval2018-ec-en", "goemotions")
SHARE, FOLDS = 0.1, 5
Matrix = NDArray[np.float64]
Given = NDArray[np.bool_]


# Wrong labels --------------------------------------------------------------------------------


def uniform(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """Each chosen document gets any other label."""
    return _moved(given, np.ones((given.shape[1],) * 2), rng)


def confused(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """Each gets the label that is likeliest in place of its own."""
    confusion = _confusion(given, probabilities)
    return _moved(given, (confusion == confusion.max(axis=1, keepdims=True)) * 1.0, rng)


def conditional(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """Each gets another label by how likely that is in place of its own."""
    return _moved(given, _confusion(given, probabilities), rng)


def by_class(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """A quarter of the documents of a third of the labels get the likeliest in place of theirs."""
    k, likeliest = given.shape[1], _confusion(given, probabilities).argmax(axis=1)
    labels, changed = given.argmax(axis=1), given.copy()
    for old in rng.permutation(k)[: max(round(k / 3), 1)].tolist():
        mine = np.flatnonzero(labels == old)
        moved = rng.choice(mine, max(round(len(mine) / 4), 1), replace=False)
        changed[moved] = np.arange(k) == likeliest[old]
    return changed


def missing(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """Each of several labels loses one."""
    changed = given.copy()
    for i in _chosen(np.flatnonzero(given.sum(axis=1) > 0), len(given), rng):
        changed[i, rng.choice(np.flatnonzero(given[i]))] = False
    return changed


def extra(given: Given, probabilities: Matrix, rng: np.random.Generator) -> Given:
    """Each gains one, by how often labels are there."""
    changed, counts = given.copy(), given.sum(axis=0)
    for i in _chosen(np.arange(len(given)), len(given), rng):
        weights = np.where(given[i], 0, counts)
        changed[i, rng.choice(len(weights), p=weights / weights.sum())] = True
    return changed


NOISES: dict[str, Callable[[Given, Matrix, np.random.Generator], Given]] = {
    "uniform": uniform,
    "confused": confused,
    "conditional": conditional,
    "by-class": by_class,
    "missing": missing,
    "extra": extra,
}
FITTING = (("uniform", "confused", "conditional", "by-class"), ("missing", "extra"))
"""For documents of one label, and of several"""


def _chosen(among: NDArray[np.int64], m: int, rng: np.random.Generator) -> list[int]:
    return rng.choice(among, round(SHARE * m), replace=False).tolist()


def _confusion(given: Given, probabilities: Matrix) -> Matrix:
    """(k, k): mean probability of each label over the documents of another; 0 for its own."""
    sums = given.T.astype(float) @ probabilities
    np.fill_diagonal(sums, 0)
    return sums


def _moved(given: Given, weights: Matrix, rng: np.random.Generator) -> Given:
    changed = given.copy()
    for i in _chosen(np.arange(len(given)), len(given), rng):
        old = int(given[i].argmax())
        probabilities = weights[old].copy()
        probabilities[old] = 0
        changed[i] = False
        changed[i, rng.choice(len(probabilities), p=probabilities / probabilities.sum())] = True
    return changed


# The two sides -------------------------------------------------------------------------------


def ours(prepared: Prepared, given: Given, several: bool) -> Matrix:
    """(m,): the doubt of each document; least for one that is never held out."""
    sets = Lists.of(np.flatnonzero(row) for row in given)
    changed = replace(prepared, corpus=replace(prepared.corpus, label_sets=sets))
    odds = verdicts(audit(changed).probabilities, given_signs(changed.corpus), several).odds
    return np.where(np.isnan(odds), -np.inf, odds)


def logistic(texts: list[str], given: Given, several: bool, strength: float = 1.0) -> Matrix:
    """(m, k): probabilities out of fold. strength: C, the greater the less is regularized."""
    learner = LogisticRegression(max_iter=1000, C=strength)
    if several:
        # labels without an example in a training part get the probability 0
        model = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(learner))
        return np.asarray(
            cross_val_predict(
                model,
                texts,
                given.astype(int),
                method="predict_proba",
                cv=KFold(FOLDS, shuffle=True, random_state=0),
            )
        )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model, labels = make_pipeline(TfidfVectorizer(), learner), given.argmax(axis=1)
    return np.asarray(cross_val_predict(model, texts, labels, method="predict_proba", cv=folds))


def theirs(probabilities: Matrix, given: Given, several: bool) -> dict[str, Matrix]:
    """method -> (m,) doubt."""
    methods = ("self_confidence", "normalized_margin")
    if several:
        lists = [np.flatnonzero(row).tolist() for row in given]
        return {m: -many(lists, probabilities, method=m, adjust_pred_probs=False) for m in methods}
    labels = given.argmax(axis=1)
    weighted = "confidence_weighted_entropy"
    return {m: -one(labels, probabilities, method=m) for m in (*methods, weighted)}


# The table -----------------------------------------------------------------------------------


def figures(doubt: Matrix, wrong: Given) -> tuple[float, float]:
    """Average precision, and precision at the number of wrong ones."""
    found = wrong[np.argsort(-doubt, kind="stable")]
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    return float(precision[found].mean()), float(found[: found.sum()].mean())


def cut(documents: list[Document], per_label: int, rng: np.random.Generator) -> list[Document]:
    """So many documents of each label, where a document has one."""
    kept, seen = [], Counter[tuple[str, ...]]()
    for i in rng.permutation(len(documents)).tolist():
        if seen[documents[i].labels] < per_label:
            kept.append(documents[i])
        seen[documents[i].labels] += 1
    return kept


def timed(work: Callable[[], Matrix]) -> tuple[Matrix, float]:
    """What it gives, and the seconds of CPU that it took."""
    begun = time.process_time()
    return work(), time.process_time() - begun


def rows(
    name: str, asked: argparse.Namespace, options: dict[str, str], seed: int
) -> Iterator[dict]:
    path = str(asked.data / name / "train.jsonl.gz")
    plan, rng = Plan.of(**options).opened(None, set(options)), np.random.default_rng(seed)
    documents = list(read_documents([path], plan.data, BadRecords()))
    several = any(len(document.labels) != 1 for document in documents)
    noises = [noise for noise in asked.noise if noise in FITTING[several]]
    if asked.per_label and not several:
        documents = cut(documents, asked.per_label, rng)
    elif asked.documents:
        chosen = rng.permutation(len(documents))[: asked.documents]
        documents = [documents[i] for i in chosen]
    texts = [document.texts["text"] for document in documents]
    prepared = prepare(documents, plan)
    right = given_signs(prepared.corpus) > 0
    patterned = {"confused", "conditional", "by-class"} & {*noises}
    clean = logistic(texts, right, several) if patterned else right
    for noise in noises:
        given = NOISES[noise](right, clean * 1.0, rng)
        wrong = (given != right).any(axis=1)
        found, took = timed(partial(ours, prepared, given, several))
        sides = [("boostext cv", found, took)]
        for strength in (1.0, 10.0):
            probabilities, took = timed(partial(logistic, texts, given, several, strength))
            for method, doubt in theirs(probabilities, given, several).items():
                sides.append((f"C {strength:g} {method}", doubt, took))
        for side, doubt, seconds in sides:
            ap, at = figures(doubt, wrong)
            yield {
                "corpus": name,
                "noise": noise,
                "seed": seed,
                "wrong": int(wrong.sum()),
                "method": side,
                "average_precision": round(ap, 4),
                "precision_at_wrong": round(at, 4),
                "seconds": round(seconds, 1),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--corpus", nargs="+", default=list(CORPORA))
    parser.add_argument("--noise", nargs="+", choices=[*NOISES], default=[*NOISES])
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="of boostext")
    parser.add_argument("--per-label", type=int, default=0, help="documents of each label; 0: all")
    parser.add_argument("--documents", type=int, default=0, help="so many of them; 0: all")
    parser.add_argument("--seeds", type=int, default=1, help="how often, with other mistakes")
    parser.add_argument("--json", type=Path, help="also write the rows there, one a line")
    asked = parser.parse_args()
    options = dict(given.split("=", 1) for given in asked.set)
    print(f"{'corpus':14}{'noise':12}{'method':34}{'wrong':>6}{'AP':>8}{'P@wrong':>9}{'s':>7}")
    for name in asked.corpus:
        for seed in range(asked.seeds):
            for row in rows(name, asked, options, seed):
                show(row, asked.json)


def show(row: dict, path: Path | None) -> None:
    print(
        f"{row['corpus']:14}{row['noise']:12}{row['method']:34}{row['wrong']:>6}"
        f"{row['average_precision']:>8.3f}{row['precision_at_wrong']:>9.3f}{row['seconds']:>7.1f}"
    )
    sys.stdout.flush()
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
