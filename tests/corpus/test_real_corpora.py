"""Real corpora, in the forms people hold them, read as their descriptions say."""

import time

import pytest

from boostext.corpus.readers import read_documents
from boostext.settings import DataSettings

# path, settings, documents and labels as counted by the sets' own descriptions
CORPORA = [
    ("20newsgroups/train.jsonl.gz", {}, 11314, 20),
    ("banking77/original/train.csv", {"label": ("category",)}, 10003, 77),
    (
        "sms-spam/original/sms.tsv",
        {"header": False, "quotes": False, "text": ("2",), "label": ("1",)},
        5574,
        2,
    ),
    (
        "goemotions/original/train.tsv",
        {"header": False, "quotes": False, "text": ("1",), "label": ("2",), "label_sep": ","},
        43410,
        28,
    ),
    ("cooking/original/cooking.stackexchange.txt", {}, 15404, 736),
    ("bbc-news/original/bbc", {"encoding": "cp1252"}, 2225, 5),
]


@pytest.mark.parametrize(
    ("name", "settings", "documents", "labels"), CORPORA, ids=[row[0] for row in CORPORA]
)
def test_corpora_read_whole(data_dir, name, settings, documents, labels):
    if not (data_dir / name).exists():
        pytest.skip(f"no {name} here")
    found = list(read_documents([str(data_dir / name)], DataSettings(**settings)))
    assert len(found) == documents
    assert len({label for document in found for label in document.labels}) == labels


def test_a_corpus_of_11000_mails_is_read_in_about_a_second(data_dir):
    path = data_dir / "20newsgroups" / "train.jsonl.gz"
    if not path.exists():
        pytest.skip("no 20newsgroups here")
    start = time.process_time()
    assert sum(1 for _ in read_documents([str(path)], DataSettings())) == 11314
    assert time.process_time() - start < 2  # 0.2 s where it was written
