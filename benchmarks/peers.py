"""The same work by others, each in a process by itself; imports do not count."""

from __future__ import annotations

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import corpora
from measure import NotInstalledError
from watch import watched

TOKEN = r"(?u)\b\w+\b"
"""Words of one letter count too, as they do in boostext: both then meet as many tokens."""


def peer(module: str, package: str) -> Any:
    """The module, or NotInstalledError with the name of the package."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise NotInstalledError(package) from None


def records(path: str) -> dict[str, Any]:
    """The records of JSONL or CSV, by the standard library."""
    with watched() as told, Path(path).open(encoding="utf-8", newline="") as file:
        rows = map(json.loads, file) if path.endswith("jsonl") else csv.DictReader(file)
        found = sum(1 for _ in rows)
    return told | {"documents": found}


def count_vectorizer(
    path: str, ngrams: tuple[int, int], min_df: int, streamed: bool = False
) -> dict[str, Any]:
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    found = corpora.texts(Path(path))
    taken = found if streamed else list(found)
    with watched() as told:
        vectorizer = text.CountVectorizer(
            ngram_range=tuple(ngrams), min_df=min_df, token_pattern=TOKEN
        )
        matrix = vectorizer.fit_transform(taken)
    return told | {"terms": matrix.shape[1], "postings": int(matrix.nnz)}


def tfidf_svc(path: str) -> dict[str, Any]:
    """TF-IDF and LinearSVC with their defaults, texts in memory to fitted."""
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    svm = peer("sklearn.svm", "scikit-learn")
    texts, labels = list(corpora.texts(Path(path))), corpora.first_labels(Path(path))
    with watched() as told:
        matrix = text.TfidfVectorizer().fit_transform(texts)
        svm.LinearSVC().fit(matrix, labels)
    return told


def xgboost(path: str, rounds: int, threads: int) -> dict[str, Any]:
    """Trees by histogram for every label; from texts in memory, by counts of words."""
    module = peer("xgboost", "xgboost")
    texts, labels = _texts_and_numbers(path)
    with watched() as told:
        data = module.DMatrix(_bag(texts), label=labels, nthread=threads)
        wanted = {
            "objective": "multi:softprob",
            "num_class": max(labels) + 1,
            "tree_method": "hist",
            "nthread": threads,
        }
        module.train(wanted, data, rounds)
    return told


def lightgbm(path: str, rounds: int, threads: int) -> dict[str, Any]:
    module = peer("lightgbm", "lightgbm")
    texts, labels = _texts_and_numbers(path)
    with watched() as told:
        data = module.Dataset(_bag(texts).astype("float32"), label=labels)
        wanted = {
            "objective": "multiclass",
            "num_class": max(labels) + 1,
            "num_threads": threads,
            "verbosity": -1,
        }
        module.train(wanted, data, rounds)
    return told


def adaboost(path: str, rounds: int) -> dict[str, Any]:
    """AdaBoost.SAMME with stumps; `each` is what one costs, the bag of words not included."""
    ensemble = peer("sklearn.ensemble", "scikit-learn")
    texts, labels = _texts_and_numbers(path)
    matrix = _bag(texts)
    with watched() as told:
        ensemble.AdaBoostClassifier(n_estimators=rounds).fit(matrix, labels)
    return told | {"each": told["seconds"] / rounds}


def _texts_and_numbers(path: str) -> tuple[list[str], list[int]]:
    names = corpora.first_labels(Path(path))
    places = {name: number for number, name in enumerate(sorted(set(names)))}
    return list(corpora.texts(Path(path))), [places[name] for name in names]


def _bag(texts: list[str]) -> Any:
    text = peer("sklearn.feature_extraction.text", "scikit-learn")
    return text.CountVectorizer(token_pattern=TOKEN).fit_transform(texts)


def fasttext_model(path: str, model: str) -> dict[str, Any]:
    """A model of single words with fastText's defaults."""
    module = peer("fasttext", "fasttext-wheel")
    with watched() as told:
        module.train_supervised(path, verbose=0, thread=1).save_model(model)
    return told


PEERS = {
    "records": records,
    "count_vectorizer": count_vectorizer,
    "tfidf_svc": tfidf_svc,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "adaboost": adaboost,
    "fasttext_model": fasttext_model,
}
