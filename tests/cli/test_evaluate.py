"""`boostext evaluate`: measures, what the model cannot know, and thresholds."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.evaluation.gold import gold_of
from boostext.evaluation.thresholds import tuned_thresholds
from boostext.model.file import read_model

from .conftest import write_jsonl


def evaluated(run, *arguments):
    done = run("evaluate", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_measures_labels_confusions_and_the_baseline_are_told(run, model, corpus):
    done = run("evaluate", model, corpus)
    assert done.exit_code == 0
    for word in (
        "60 documents, one label each",
        "error",
        "macro-f1",
        "billing",
        "for every document",
    ):
        assert word in done.stdout


def test_the_error_is_the_share_of_wrong_predictions(run, model, tmp_path):
    rows = [
        {"text": "my bill", "labels": ["billing"]},
        {"text": "my bill", "labels": ["moving"]},
        {"text": "moving house", "labels": ["moving"]},
        {"text": "moving house", "labels": ["new label"]},
    ]
    report = evaluated(run, model, write_jsonl(tmp_path / "d.jsonl", rows))
    assert report["examples"] == 4
    assert report["measures"]["error"] == 0.5
    assert report["unknown_labels"] == {"new label": 1}


def test_labels_that_the_model_lacks_are_misses_and_told(run, model, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", [{"text": "my bill", "labels": ["new"]}])
    done = run("evaluate", model, data)
    assert done.exit_code == 0
    assert "'new' (1)" in done.stdout


def test_of_very_many_labels_that_the_model_lacks_some_are_named(run, model, tmp_path):
    rows = [{"text": "my bill", "labels": [f"new{n:03}"]} for n in range(130)]
    done = run("evaluate", model, write_jsonl(tmp_path / "d.jsonl", rows))
    assert "'new099' (1) and 30 further labels" in " ".join(done.stdout.split())


def test_strict_makes_an_unknown_label_an_error_with_its_line(run, model, tmp_path):
    rows = [{"text": "x", "labels": ["billing"]}, {"text": "y", "labels": ["moving", "new"]}]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    done = run("evaluate", model, data, "--strict")
    assert done.exit_code == 1
    assert done.stderr.startswith(f"Error: {data}:2: the model does not know the label 'new'")
    assert done.stdout == ""


def test_data_without_documents_is_an_error(run, model, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", [])
    done = run("evaluate", model, data)
    assert done.exit_code == 1
    assert "no labelled documents" in done.stderr


def test_confusions_can_be_left_out(run, model, tmp_path):
    rows = [{"text": "my bill", "labels": ["moving"]}]
    data = write_jsonl(tmp_path / "d.jsonl", rows)
    assert "predicted instead" in run("evaluate", model, data).stdout
    assert "predicted instead" not in run("evaluate", model, data, "--confusions", 0).stdout


# Thresholds ----------------------------------------------------------------------------------


def test_tuned_thresholds_are_kept_in_the_second_model(run, several_model, several, tmp_path):
    path = tmp_path / "tuned.boostext"
    before = evaluated(run, several_model, several)
    report = evaluated(run, several_model, several, "--tune-thresholds", "-o", path)
    assert len(read_model(path).thresholds) == 3
    assert read_model(several_model).thresholds == ()
    assert evaluated(run, path, several)["measures"] == report["measures"]
    assert report["measures"]["macro-f1"] >= before["measures"]["macro-f1"]


@pytest.mark.parametrize("arguments", [["--tune-thresholds"], ["-o", "x"]], ids=str)
def test_tuning_and_its_place_go_together(run, several_model, several, arguments):
    done = run("evaluate", several_model, several, *arguments)
    assert done.exit_code == 2
    assert "go together" in done.stderr


def test_a_model_of_one_label_has_no_thresholds(run, model, corpus, tmp_path):
    done = run("evaluate", model, corpus, "--tune-thresholds", "-o", tmp_path / "m")
    assert done.exit_code == 2
    assert "only models with several labels have thresholds" in done.stderr


def f1(scores, true, threshold):
    given = scores > threshold
    total = given.sum() + true.sum()
    return 2 * (given & true).sum() / total if total else 0.0


rows = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=12)


@given(rows)
def test_no_threshold_has_a_greater_f1_than_the_tuned_one(pairs):
    scores = np.array([[float(score)] for score, _ in pairs])
    true = np.array([flag for _, flag in pairs])
    gold = gold_of(["a"], [["a"] if flag else [] for flag in true])
    [threshold] = tuned_thresholds(scores, gold)
    others = np.arange(-4, 4, 0.5)
    best = max(f1(scores[:, 0], true, other) for other in others)
    assert f1(scores[:, 0], true, threshold) == pytest.approx(best)
    if not true.any():
        assert threshold == 0.0


def test_the_calibration_curve_may_have_bins_of_equal_size(run, model, corpus):
    bins = evaluated(run, model, corpus, "--bins", "equal-size")["calibration"]
    assert sum(row["count"] for row in bins) == 60
    assert all(row["count"] for row in bins)
    drawn = run("evaluate", model, corpus, "--reliability", "--bins", "equal-size")
    assert "frequency" in drawn.stdout
