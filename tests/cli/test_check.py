"""`boostext check`: what is in the data, bad records included."""

import json

import pytest

from .conftest import write_jsonl

ROWS = [
    {"id": "1", "text": "my bill", "labels": ["Billing"]},
    {"id": "2", "text": "My  bill", "labels": ["moving"]},
    {"id": "2", "text": "new flat", "labels": ["moving"]},
    {"id": "4", "text": "", "labels": []},
    {"id": "5", "text": "bills", "labels": ["billing"]},
]


@pytest.fixture
def data(tmp_path):
    path = write_jsonl(tmp_path / "d.jsonl", ROWS)
    path.write_text(path.read_text("utf-8") + "\n{broken\n", encoding="utf-8")
    return path


def checked(run, *arguments):
    done = run("check", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_findings_as_json(run, data):
    found = checked(run, data)
    assert found["documents"] == 5
    assert found["labels"] == {"moving": 2, "Billing": 1, "billing": 1}
    assert found["alike_labels"] == [{"Billing": 1, "billing": 1}]
    assert found["bad_count"] == 1
    assert found["blank_lines"] == 1
    assert found["conflicts"]["count"] == 1
    assert found["duplicate_ids"]["count"] == 1
    assert found["empty_texts"]["count"] == 1


def test_findings_for_people(run, data):
    done = run("check", data)
    assert done.exit_code == 0
    for words in (
        "5 documents",
        "labels (3)",
        "look alike",
        "'Billing' (1), 'billing' (1)",
        "1 bad record",
        f"{data}:7:",
        "the same id: 1 group of 2 documents",
        "the same text with different labels: 1 group of 2 documents",
        "1 document with no label: 4",
        "1 document with an empty text: 4",
        "1 line skipped: blank",
        "with only one document: 'Billing'",
    ):
        assert words in done.stdout, words


def test_clean_data_has_no_complaints(run, corpus):
    lines = run("check", corpus).stdout.splitlines()
    assert not any(word in line for line in lines for word in ("bad", "differ"))


def test_test_data_is_compared(run, data, tmp_path):
    rows = [
        {"id": "1", "text": "MY BILL", "labels": ["new"]},
        {"id": "9", "text": "other", "labels": ["moving"]},
    ]
    test = write_jsonl(tmp_path / "t.jsonl", rows)
    found = checked(run, data, "--test", test)["comparison"]
    assert found["unseen_labels"] == {"new": 1}
    assert found["same_ids"] == 1
    assert found["same_texts"]["documents"] == 1
    shown = run("check", data, "--test", test).stdout
    assert "labels without a training document: 'new' (1)" in shown
    assert "texts in both sets: 1 group" in shown


def test_long_lists_are_cut_and_say_so(run, tmp_path):
    rows = [{"text": f"t{n}", "labels": [f"l{n}"]} for n in range(30)]
    shown = run("check", write_jsonl(tmp_path / "d.jsonl", rows), "--top", 5).stdout
    assert "and 25 rarer labels" in shown


def test_no_data_is_a_matter_of_usage(run):
    assert run("check").exit_code == 2


def test_data_cannot_steer_the_terminal(run, tmp_path):
    rows = [{"id": "a\x1b[2J", "text": "x\x1b[31m", "labels": ["l\x1b]0;t\x07"]}] * 2
    assert "\x1b" not in run("check", write_jsonl(tmp_path / "d.jsonl", rows)).stdout
