"""`boostext inspect`: rules, terms, and the labels that look wrong."""

import json

import pytest

from boostext.algorithms import ALGORITHMS
from boostext.model.file import read_model

from .conftest import records, write_jsonl


@pytest.fixture(scope="module")
def mislabelled(tmp_path_factory):
    """The corpus with one label exchanged."""
    rows = list(records())
    rows[6] = {**rows[6], "labels": ["repair"]}  # a text about billing
    return write_jsonl(tmp_path_factory.mktemp("wrong") / "calls.jsonl", rows)


@pytest.fixture(scope="module")
def wrong_model(run, mislabelled):
    path = mislabelled.parent / "m.boostext"
    done = run("train", mislabelled, "-o", path, "--rounds", 30, "-q")
    assert done.exit_code == 0, done.stderr
    return path


def inspected(run, *arguments):
    done = run("inspect", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_rules_and_strongest_terms_are_shown(run, model):
    shown = run("inspect", model, "--top", 3).stdout
    assert "25 rules for 3 labels, learned from 60 documents; all rounds" in shown
    for label in ("billing", "moving", "repair"):
        assert f"\n{label}\n" in shown


def test_json_tells_the_rules_of_the_model(run, model):
    told = inspected(run, model, "--top", 1000)
    rules = read_model(model).rules
    assert len(told["rules"]) == len(rules) == told["model"]["rules"]
    first = told["rules"][0]
    assert first["votes"]["yes"] == dict(
        zip(told["model"]["labels"], rules[0].votes[2].tolist(), strict=True)
    )
    assert first["condition"] == rules[0].condition.term[0]
    assert "outliers" not in told


def test_a_label_alone_can_be_looked_at(run, model):
    told = inspected(run, model, "--only-label", "moving")
    assert {row["label"] for row in told["terms_for"]} == {"moving"}
    assert all(set(votes) == {"moving"} for row in told["rules"] for votes in row["votes"].values())


def test_an_unknown_label_is_told_with_the_nearest(run, model):
    done = run("inspect", model, "--only-label", "moving ")
    assert done.exit_code == 2
    assert "did you mean 'moving'?" in done.stderr


def test_the_exchanged_label_comes_first_with_what_was_meant(run, wrong_model, mislabelled):
    told = inspected(run, wrong_model, mislabelled, "--top", 5)
    first = told["outliers"][0]
    assert (first["id"], first["given"], first["suggested"]) == ("d6", ["repair"], ["billing"])
    assert first["score"] > 0.5
    assert any(spoken["term"] == "wrong" or spoken["votes"] > 0 for spoken in first["objections"])
    assert len(told["outliers"]) == 5
    assert list(told["margins"].values()) == sorted(told["margins"].values())


def test_outliers_are_those_that_training_reports(run, mislabelled, tmp_path):
    path, report = tmp_path / "m.boostext", tmp_path / "report"
    done = run("train", mislabelled, "-o", path, "--rounds", 30, "--report", report, "-q")
    assert done.exit_code == 0
    assert run("inspect", path, mislabelled, "-o", tmp_path / "again").exit_code == 0
    for name in ("rules.tsv", "terms.tsv", "outliers.tsv"):
        assert (tmp_path / "again" / name).read_bytes() == (report / name).read_bytes()


def test_other_data_than_that_of_training_is_spoken_of(run, wrong_model, mislabelled, corpus):
    said = "not the very documents the model was trained on"
    assert said in run("inspect", wrong_model, corpus).stderr
    assert said not in run("inspect", wrong_model, mislabelled).stderr


def test_outliers_of_one_label(run, wrong_model, mislabelled):
    told = inspected(run, wrong_model, mislabelled, "--only-label", "repair", "--top", 100)
    assert told["outliers"]
    assert all("repair" in row["given"] + row["suggested"] for row in told["outliers"])


def test_labels_that_the_model_lacks_are_outliers_not_errors(run, model, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", [{"id": "n", "text": "my bill", "labels": ["new"]}])
    assert inspected(run, model, data)["outliers"][0]["given"] == ["new"]


def test_data_with_few_of_the_labels_make_a_report_by_cross_validation(run, model, tmp_path):
    """The audit knows only the labels of the data, and the model more of them, or others."""
    rows = [
        {"id": f"{label}{n}", "text": f"my {label} {n}", "labels": [label]}
        for n in range(5)
        for label in ("bill", "new")
    ]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    done = run("inspect", model, data, "-o", tmp_path / "page", "--source", "cv")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "page/report.html").read_text("utf-8")
    assert "a logistic regression on the terms" in page


def test_a_report_never_takes_the_place_of_what_is_read(run, model, tmp_path):
    data = write_jsonl(tmp_path / "trace.jsonl", [{"text": "my bill", "labels": ["billing"]}])
    copy = tmp_path / "rules.tsv"
    copy.write_bytes(model.read_bytes())
    for given in ([model, data], [copy, data]):
        done = run("inspect", *given, "-o", tmp_path)
        assert done.exit_code == 2
        assert "would be written over" in done.stderr
    assert copy.read_bytes() == model.read_bytes()


def test_outliers_need_labels(run, model, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", [{"text": "my bill"}])
    done = run("inspect", model, data)
    assert done.exit_code == 1
    assert f"{data}:1: " in done.stderr


def test_a_model_without_rules_can_be_inspected(run, tmp_path):
    rows = [{"text": "same", "labels": [label]} for label in "ab"]
    data, path = write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m.boostext"
    assert run("train", data, "-o", path, "-q").exit_code == 0
    done = run("inspect", path, data)
    assert done.exit_code == 0, done.stderr
    assert "0 rules for 2 labels" in done.stdout
    assert inspected(run, path, data)["rules"] == []


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_every_algorithm_can_be_inspected_evaluated_and_explained(run, mislabelled, algorithm):
    path = mislabelled.parent / f"{algorithm}.boostext"
    trained = run("train", mislabelled, "-o", path, "--algorithm", algorithm, "--rounds", 5, "-q")
    assert trained.exit_code == 0, trained.stderr
    for command in (
        ("inspect", path, mislabelled),
        ("evaluate", path, mislabelled),
        ("predict", path, "--document", "the bill is wrong", "--explain", 2),
    ):
        done = run(*command)
        assert done.exit_code == 0, (command, done.stderr)
        assert done.stdout
