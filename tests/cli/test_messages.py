"""Messages are single lines of bounded length, with the place and the advice."""

import json

import pytest

from boostext.cli.talk import LINE

LONG = "ab " * 33_333 + "z"
GOOD = "".join(
    json.dumps({"id": f"d{n}", "text": f"t{n % 2}", "label": f"l{n % 2}"}) + "\n" for n in range(8)
)

DEEP = "/".join(["folder" * 20] * 6) + "/last.jsonl"

# name of a file, its content, the command, how a line begins, and how it ends
CASES = {
    "a label of JSONL": (
        "b.jsonl",
        json.dumps({"text": "a", "label": LONG}) + "\n",
        ("train", "d.jsonl", "--valid", "b.jsonl", "-o", "m", "--rounds", "2"),
        "Warning: 1 validation document",
        "they count as errors",
    ),
    "a label of fastText": (
        "b.txt",
        f"__label__{'x' * 100_000} a\n__label__y b\n" * 3,
        ("train", "d.jsonl", "--valid", "b.txt", "-o", "m", "--rounds", "2"),
        "Warning: 6 validation documents have",
        "they count as errors",
    ),
    "a label of corrections": (
        "c.csv",
        f"id,label\nd1,{LONG}\n",
        ("train", "d.jsonl", "-o", "m", "--labels-from", "c.csv"),
        "Error: c.csv:2: no document has the label 'ab ab",
        "or allow new labels with --new-labels",
    ),
    "an id of corrections": (
        "c.csv",
        f"id,label\n{LONG},l1\n",
        ("check", "d.jsonl", "--labels-from", "c.csv"),
        "Warning: c.csv: 1 id that no document has: 'ab ab",
        "ab z'",
    ),
    "a weight of JSONL": (
        "b.jsonl",
        json.dumps({"text": "a", "label": "x", "weight": LONG}) + "\n",
        ("train", "b.jsonl", "-o", "m", "--weight", "weight"),
        "Error: b.jsonl:1: 'weight' is 'ab",
        "or name another field with --weight",
    ),
    "a column of CSV": (
        "b.csv",
        f"{LONG},{LONG}2\na,x\n",
        ("train", "b.csv", "-o", "m"),
        "Error: b.csv:1: no column 'labels' or 'label'",
        "reads the first row as data)",
    ),
    "a value of YAML": (
        "c.yaml",
        f"seed: 1\nrounds: {LONG}\n",
        ("train", "d.jsonl", "--config", "c.yaml"),
        "Error: c.yaml:2: rounds is 'ab",
        "expected a whole number up to 999,999,999, or auto",
    ),
    "an option": (
        "d.jsonl",
        GOOD,
        ("train", "d.jsonl", "--smoothing", LONG),
        "Error: smoothing is 'ab",
        "or one of 1/m, ss99, bt00",
    ),
    "a path that cannot be": (
        "d.jsonl",
        GOOD,
        ("train", "folder/" * 5_000 + "last.jsonl", "-o", "m"),
        "Error: folder/",
        "/last.jsonl: File name too long",
    ),
    "a path and a line": (
        DEEP,
        GOOD + "{\n",
        ("train", DEEP, "-o", "m"),
        "Error: …",
        "if objects span lines, add --format json",
    ),
    "a path, a line and a value": (
        DEEP.replace("last.jsonl", "c.csv"),
        f"id,label\nd1,{LONG}\n",
        ("train", "d.jsonl", "-o", "m", "--labels-from", DEEP.replace("last.jsonl", "c.csv")),
        "Error: …",
        "or allow new labels with --new-labels",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_no_message_is_longer_than_a_line_may_be(case, run, tmp_path, monkeypatch):
    name, content, arguments, begins, ends = case
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.jsonl").write_text(GOOD, "utf-8")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content, "utf-8")
    lines = run(*arguments).stderr.splitlines()
    assert max(map(len, lines)) <= LINE == 500
    assert [line for line in lines if line.startswith(begins) and line.endswith(ends)], lines


def test_the_end_of_a_long_path_stays_with_its_line(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / DEEP).parent.mkdir(parents=True)
    (tmp_path / DEEP).write_text(GOOD + "{\n", "utf-8")
    for arguments in (("-o", "m"), ("-o", "m", "--skip-bad", "--rounds", "2")):
        assert "folder/last.jsonl:9: not JSON" in run("train", DEEP, *arguments).stderr


def test_what_looks_like_a_place_in_a_value_is_none(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("train", "--smoothing", f"{LONG}:7: {LONG}")
    assert done.stderr.startswith("Error: smoothing is 'ab ab")


def test_a_short_message_stays_as_it_is(run):
    assert "…" not in run("train", "none.jsonl", "-o", "m").stderr
