"""The sample data are what their scripts write, and what their README says."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent.parent / "sample_data"
SCRIPTS = {
    "make_calls.py": ("calls.train.jsonl", "calls.test.jsonl", "planted.tsv"),
    "make_tickets_ja.py": ("tickets-ja.train.jsonl", "tickets-ja.test.jsonl"),
}
SIZES = {
    "calls.train.jsonl": 2000,
    "calls.test.jsonl": 500,
    "tickets-ja.train.jsonl": 300,
    "tickets-ja.test.jsonl": 80,
}


def records(name):
    lines = (SAMPLES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def planted():
    with (SAMPLES / "planted.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_writes_the_very_files_that_are_kept(script, tmp_path):
    subprocess.run([sys.executable, SAMPLES / script, tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == set(SCRIPTS[script])
    for name in SCRIPTS[script]:
        assert (tmp_path / name).read_bytes() == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_ids(name):
    ids = [record["id"] for record in records(name)]
    assert len(ids) == len(set(ids)) == SIZES[name]


@pytest.mark.parametrize("name", ["calls", "tickets-ja"])
def test_training_and_test_data_share_no_id_and_have_the_same_labels(name):
    train, test = records(f"{name}.train.jsonl"), records(f"{name}.test.jsonl")
    assert not {r["id"] for r in train} & {r["id"] for r in test}
    names = [{label for r in part for label in r["labels"]} for part in (train, test)]
    assert names[0] == names[1]


@pytest.mark.parametrize("name", ["calls.train.jsonl", "calls.test.jsonl"])
def test_a_few_calls_have_two_labels_and_the_rest_one(name):
    sizes = Counter(len(record["labels"]) for record in records(name))
    assert set(sizes) == {1, 2}
    assert 0.05 <= sizes[2] / sizes.total() <= 0.08


def test_tickets_have_none_one_or_several_labels():
    sizes = Counter(len(record["labels"]) for record in records("tickets-ja.train.jsonl"))
    assert set(sizes) == {0, 1, 2, 3}
    assert sum(sizes[n] for n in (2, 3)) / sizes.total() == pytest.approx(0.3, abs=0.05)


def test_calls_are_skewed_over_fifteen_labels():
    counts = Counter(label for r in records("calls.train.jsonl") for label in r["labels"])
    assert len(counts) == 15
    assert counts.most_common(1)[0][1] > 10 * min(counts.values())


def test_planted_labels_stand_in_the_training_data():
    given = {record["id"]: record["labels"] for record in records("calls.train.jsonl")}
    assert len(planted()) == 30
    for row in planted():
        assert given[row["id"]] == [row["given"]]
        assert row["given"] != row["right"]


def test_readme_lists_every_file():
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    for path in SAMPLES.iterdir():
        if path.is_file() and path.name not in ("README.md", "grammar.py"):
            assert f"`{path.name}`" in readme
