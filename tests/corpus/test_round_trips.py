"""Corpora in scripts of many kinds go into every format that can be written, and back."""

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from boostext.corpus.readers import read_documents
from boostext.corpus.writers import WRITERS, write_documents
from boostext.settings import DataSettings

SAMPLES = Path(__file__).parents[2] / "sample_data"
CORPORA = {
    "calls": SAMPLES / "calls.test.jsonl",
    "tickets-ja": SAMPLES / "tickets-ja.test.jsonl",
    "thai": "truevoice-th/train.jsonl.gz",
    "english": "20newsgroups/train.jsonl.gz",
}
TARGETS = {
    "jsonl": "a.jsonl.gz",
    "json": "a.json",
    "csv": "a.csv",
    "tsv": "a.tsv.xz",
    "fasttext": "a.ft",
    "folders": "a/",
    "stem": "a.data",
}
PLAIN = ("fasttext", "folders", "stem")
"""Formats that hold one label without blanks, and texts without marks of their own."""


def test_every_format_that_is_written_has_its_row():
    assert TARGETS.keys() == WRITERS.keys()


def fitted(document, format):
    label = re.sub(r"\W", "-", document.labels[0])
    text = next(iter(document.texts.values()))
    words = " ".join(re.findall(r"\w+", text)) if format in PLAIN else text
    return replace(document, texts={"text": words}, labels=(label,), weight=1.0, attributes={})


@pytest.mark.parametrize("format", TARGETS)
@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_comes_back_the_same(tmp_path, request, name, format):
    path = CORPORA[name]
    path = path if isinstance(path, Path) else request.getfixturevalue("data_dir") / path
    if not path.exists():
        pytest.skip(f"no {path.name} here")
    read = read_documents([str(path)], DataSettings())
    labelled = (document for document in read if document.labels)
    documents = [fitted(document, format) for document in itertools.islice(labelled, 200)]
    target = f"{tmp_path}/{TARGETS[format]}"
    write_documents(documents, target, DataSettings())
    back = list(read_documents([target], DataSettings()))
    assert sorted((d.texts["text"], d.labels) for d in back) == sorted(
        (d.texts["text"], d.labels) for d in documents
    )
    if format not in PLAIN:
        assert [d.id for d in back] == [d.id for d in documents]
