"""`boostext convert`: corpora and models in other forms, nothing lost unsaid."""

import json

import pytest

from boostext.corpus.readers import read_documents
from boostext.settings import DataSettings

from .conftest import records, write_jsonl


def test_a_corpus_goes_to_csv_and_back(run, corpus, tmp_path):
    assert run("convert", corpus, tmp_path / "c.csv").exit_code == 0
    assert run("convert", tmp_path / "c.csv", tmp_path / "d.jsonl").exit_code == 0
    there = list(read_documents([str(tmp_path / "d.jsonl")], DataSettings()))
    assert [(d.id, d.texts["text"], d.labels) for d in there] == [
        (row["id"], row["text"], tuple(row["labels"])) for row in records()
    ]


@pytest.mark.parametrize("target", ["c.tsv", "c.ft", "c.csv.gz", "folder/"])
def test_the_ending_says_the_format(run, corpus, tmp_path, target):
    done = run("convert", corpus, f"{tmp_path}/{target}", "--lossy")
    assert done.exit_code == 0, done.stderr
    assert "60 documents" in done.stderr
    assert (tmp_path / target).exists()


def test_what_the_format_cannot_hold_is_an_error_with_its_line(run, several, tmp_path):
    done = run("convert", several, tmp_path / "c.csv")
    assert done.exit_code == 1
    assert f"Error: {several}:3: " in done.stderr
    assert not (tmp_path / "c.csv").exists()
    lossy = run("convert", several, tmp_path / "c.csv", "--lossy")
    assert lossy.exit_code == 0
    assert "Warning: " in lossy.stderr


def test_a_separator_lets_csv_hold_several_labels(run, several, tmp_path):
    done = run("convert", several, tmp_path / "c.csv", "--label-sep", ";")
    assert done.exit_code == 0, done.stderr
    back = run("convert", tmp_path / "c.csv", tmp_path / "d.jsonl", "--label-sep", ";", "--json")
    assert json.loads(back.stdout)["document"] == 30
    first = [json.loads(line)["labels"] for line in (tmp_path / "d.jsonl").open(encoding="utf-8")]
    assert first[2] == ["a", "b"]


def test_a_model_goes_to_json_and_back_to_the_same_bytes(run, model, tmp_path):
    done = run("convert", model, tmp_path / "m.json")
    assert done.exit_code == 0, done.stderr
    assert "25 rules, 3 labels" in done.stderr
    assert json.loads((tmp_path / "m.json").read_bytes())["rules"]
    assert run("convert", tmp_path / "m.json", tmp_path / "m.boostext").exit_code == 0
    assert (tmp_path / "m.boostext").read_bytes() == model.read_bytes()


def test_a_model_is_a_file_and_not_stdout(run, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for target in ("-", "/dev/stdout"):
        done = run("convert", model, target, "--to", "json")
        assert (done.exit_code, done.stdout) == (1, "")
        assert f"Error: {target}: " in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_was_edited_is_taken_where_that_is_said(run, model, corpus, tmp_path):
    run("convert", model, tmp_path / "m.json")
    words = json.loads((tmp_path / "m.json").read_bytes())
    words["rules"][0]["votes"]["yes"][0] += 1
    (tmp_path / "m.json").write_text(json.dumps(words, indent=1), encoding="utf-8")
    edited = tmp_path / "edited.boostext"
    done = run("convert", tmp_path / "m.json", edited)
    assert done.exit_code == 1
    assert "--accept-edits" in done.stderr
    done = run("convert", tmp_path / "m.json", edited, "--accept-edits")
    assert "was edited by hand" in done.stderr
    assert "; edited by hand" in run("inspect", edited).stdout
    assert json.loads(run("inspect", edited, "--json").stdout)["model"]["edited"] is True
    done = run("train", corpus, "-o", edited, "--preset", "paper", "--rounds", 30, "--resume")
    assert (
        "cannot resume because something has changed: the model was edited by hand" in done.stderr
    )


@pytest.mark.parametrize(
    ("content", "said"), [(b"{}", "m.json: "), (b"\xff", "m.json: "), (b"[" * 9999, "m.json: ")]
)
def test_json_that_is_no_model_is_one_clear_error(run, tmp_path, content, said):
    (tmp_path / "m.json").write_bytes(content)
    done = run("convert", tmp_path / "m.json", tmp_path / "m.boostext")
    assert done.exit_code == 1
    assert said in done.stderr
    assert not (tmp_path / "m.boostext").exists()


def test_a_model_is_not_written_as_a_corpus(run, model, tmp_path):
    done = run("convert", model, tmp_path / "m.csv")
    assert done.exit_code == 2
    assert "is not a format of models" in done.stderr


def test_a_file_is_not_converted_onto_itself(run, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", records(3))
    before = data.read_bytes()
    assert run("convert", data, data).exit_code == 2
    assert data.read_bytes() == before


def test_a_corpus_can_be_printed(run, several):
    done = run("convert", several, "-")
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()][:2] == ["s0", "s1"]
