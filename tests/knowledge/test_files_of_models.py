"""`check --knowledge`, and a model written as a file of knowledge."""

import json
from dataclasses import replace

import numpy as np
import pytest

from boostext.errors import SettingsError
from boostext.knowledge.reading import read_knowledge
from boostext.model.predict import Predictor
from boostext.reports.knowledge import knowledge_file
from boostext.training.plan import Plan
from boostext.training.run import train
from tests.cli import conftest
from tests.training_data import documents

run = conftest.run


def test_a_model_as_knowledge_believes_what_it_learned(tmp_path):
    given = documents(200)
    model = train(given, Plan.of(rounds=60)).model
    path = tmp_path / "k.yaml"
    path.write_text("".join(knowledge_file(model, 8)), encoding="utf-8")
    known = read_knowledge(path)
    assert [label for label, _ in known.labels] == list(model.labels)
    assert 8 <= len(known.rules) <= 24
    bare = (replace(d, labels=(), labelled=False) for d in given)
    again = train(bare, Plan.of(knowledge=str(path))).model
    best = Predictor(again).batch_scores(given).argmax(axis=1)
    right = [model.labels[j] in d.labels for j, d in zip(best, given, strict=True)]
    assert np.mean(right) > 0.6  # a third by chance


def test_what_a_model_knew_is_written_first_and_comes_back(tmp_path):
    text = (
        'labels: {l0: 0.5, l1: , l2: }\nrules:\n- {if: {all: [own0x1, "no"]}, then: {l0: 0.7}, '
        'unless: [a b, "555"]}\nforbid: [{term: word1, labels: [l1, l2]}, word2]\n'
        "only: {own1x1: [+l1, -l2]}\n"
    )
    path, again = tmp_path / "k.yaml", tmp_path / "again.yaml"
    path.write_text(text, encoding="utf-8")
    model = train(documents(60), Plan.of(rounds=10, knowledge=str(path))).model
    again.write_text("".join(knowledge_file(model, 1)), encoding="utf-8")
    first, second = read_knowledge(path), read_knowledge(again)
    assert second.rules[:1] == first.rules
    assert (second.labels, second.forbid, second.only) == (first.labels, first.forbid, first.only)


def test_models_without_log_odds_are_told():
    with pytest.raises(SettingsError, match="not log odds"):
        list(knowledge_file(train(documents(30), Plan.of(rounds=2, algorithm="mr")).model, 3))


@pytest.fixture
def calls(tmp_path):
    rows = [("a", "collect please", "Collect"), ("b", "collect it", "Rate"), ("c", "how much", "")]
    path = tmp_path / "calls.jsonl"
    lines = [
        json.dumps({"id": i, "text": t, **({"labels": [label]} if label else {})})
        for i, t, label in rows
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    known = tmp_path / "k.yaml"
    known.write_text(
        "rules:\n- {if: collect, then: Collect}\n- {if: [how much, cost], then: Rat}\n",
        encoding="utf-8",
    )
    return path, known


def test_check_tells_how_rules_stand_beside_labels(run, calls):
    path, known = calls
    said = run("check", path, "--knowledge", known).stdout
    assert "line 2: collect -> Collect 0.9\n" in said
    assert "applies to 2 of 3 documents; of 2 with labels: Collect 50.0 %" in said
    assert "contradicted by 1: b" in said
    assert "line 3: no document has the label 'Rat', did you mean 'Rate'?" in said
    assert "no document has 'cost'" in said
    told = json.loads(run("check", path, "--knowledge", known, "--json").stdout)["knowledge"]
    assert told["rules"][0]["labels"] == {"Collect": {"probability": 0.9, "found": 0.5}}
    assert told["rules"][1]["holds"] == 1


def test_check_names_terms_of_restrictions_that_no_document_has(run, calls):
    path, known = calls
    known.write_text(
        "forbid: [how, colect, {term: jon, labels: [Rate]}]\n"
        "only: {much: +Rate,\n  refnd: -Rate}\n",
        encoding="utf-8",
    )
    said = run("check", path, "--knowledge", known).stdout
    told = json.loads(run("check", path, "--knowledge", known, "--json").stdout)["knowledge"]
    assert told["unknown_terms"] == [
        "line 1: no document has 'colect'",
        "line 1: no document has 'jon'",
        "line 3: no document has 'refnd'",
    ]
    assert all(f"  {message}\n" in said + "\n" for message in told["unknown_terms"])


def test_check_names_a_forbidden_attribute_that_no_document_has(run, tmp_path):
    path, known = tmp_path / "d.jsonl", tmp_path / "k.yaml"
    record = {"id": "a", "text": "red", "labels": ["A"], "attributes": {"color": "red", "age": 3}}
    path.write_text(json.dumps(record), encoding="utf-8")
    known.write_text("forbid: [color, colour, age]\n", encoding="utf-8")
    told = json.loads(run("check", path, "--knowledge", known, "--json").stdout)["knowledge"]
    assert told["unknown_terms"] == ["line 1: no document has 'colour', did you mean 'color'?"]


def test_check_refuses_a_model_to_start_from_that_is_not_there(run, calls):
    path, known = calls
    known.write_text("from: old.boostext\n", encoding="utf-8")
    done = run("check", path, "--knowledge", known)
    assert done.exit_code == 1
    assert "old.boostext: the model cannot be opened" in done.stderr


def test_inspect_prints_a_model_as_knowledge_and_what_it_knows(run, calls, tmp_path):
    path, known = calls
    known.write_text("rules:\n- {if: collect, then: Collect}\n", encoding="utf-8")
    model = tmp_path / "m.boostext"
    done = run("train", path, "-o", model, "--knowledge", known, "--rounds", 3)
    assert "knowledge: 1 rule, weight 1 a document, 1 document without labels" in done.stderr
    assert "collect -> Collect 0.9" in run("inspect", model).stdout
    again = tmp_path / "again.yaml"
    again.write_text(run("inspect", model, "--as-knowledge").stdout, encoding="utf-8")
    assert read_knowledge(again).rules[0] == read_knowledge(known).rules[0]
    explained = tmp_path / "one.txt"
    explained.write_text("collect call\n", encoding="utf-8")
    said = run("predict", model, explained, "--explain", 3).stdout
    assert said.splitlines()[2].startswith("  knowledge: collect")
