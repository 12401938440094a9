"""`boostext predict`: one result a document, in order, whatever the way in and out."""

import csv
import gzip
import io
import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.corpus.documents import Document
from boostext.library.results import Wanted, results_of
from boostext.model.file import read_model
from boostext.model.predict import Predictor
from boostext.reports.escape import read_tsv_field

from .conftest import records, write_jsonl


def lines_of(run, *arguments, **options):
    done = run("predict", *arguments, **options)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def predicted(run, *arguments, **options):
    return [json.loads(line) for line in lines_of(run, *arguments, **options)]


def test_every_document_has_one_result_in_order(run, model, corpus):
    results = predicted(run, model, corpus)
    assert [row["id"] for row in results] == [row["id"] for row in records()]
    assert all(len(row["labels"]) == 1 for row in results)
    assert all(set(row["scores"]) == set(row["labels"]) for row in results)


TRICKY = ["my bill", "", "  ", "BILL\tbill\nrepair", "ก็ไม่มีสัญญาณ", "a\u2028b \x85 c", "'\"; x"]


def test_the_same_text_has_the_same_score_by_every_way_in(run, model, tmp_path):
    predictor = Predictor(read_model(model))
    wanted = [predictor.score(Document("x", {"text": text})).tolist() for text in TRICKY]
    rows = [{"text": text} for text in TRICKY]
    jsonl = write_jsonl(tmp_path / "a.jsonl", rows)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(jsonl.read_bytes()))
    with (tmp_path / "c.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TRICKY)])
    ways = [
        predicted(run, model, jsonl, "--all-scores"),
        predicted(run, model, tmp_path / "b.jsonl.gz", "--all-scores"),
        predicted(run, model, tmp_path / "c.csv", "--all-scores"),
        predicted(run, model, "-", "--all-scores", input=jsonl.read_bytes()),
        [predicted(run, model, "--document", text, "--all-scores")[0] for text in TRICKY],
    ]
    labels = read_model(model).labels
    for way in ways:
        assert [[row["scores"][label] for label in labels] for row in way] == wanted


def test_scores_and_probabilities_have_names_of_their_own(run, model):
    [row] = predicted(run, model, "--document", "my bill", "--proba", "--all-scores")
    for label, score in row["scores"].items():
        assert row["probabilities"][label] == pytest.approx(1 / (1 + math.exp(-2 * score)))


def test_top_gives_scores_of_so_many_labels_greatest_first(run, model):
    [row] = predicted(run, model, "--document", "my bill", "--top", 2)
    scores = list(row["scores"].values())
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert row["labels"] == [next(iter(row["scores"]))]


def test_a_threshold_decides_what_is_given(run, several_model):
    text = ["--document", "apple bread"]
    assert predicted(run, several_model, *text)[0]["labels"] == ["a", "b"]
    assert predicted(run, several_model, *text, "--threshold", 1e9)[0]["labels"] == []
    everything = predicted(run, several_model, *text, "--threshold", -1e9)[0]
    assert everything["labels"] == ["a", "b", "c"]


def test_tsv_has_a_row_a_document_under_named_columns(run, several_model, several):
    head, *rows = lines_of(run, several_model, several, "--output", "tsv", "--top", 2)
    assert head.split("\t") == ["id", "labels", "label1", "score1", "label2", "score2"]
    assert len(rows) == 30
    assert rows[2].split("\t")[:2] == ["s2", "a|b"]


def test_csv_names_a_column_for_every_label(run, model, corpus):
    options = ["--output", "csv", "--all-scores", "--proba"]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines_of(run, model, corpus, *options)))))
    first = predicted(run, model, corpus, "--all-scores", "--proba")[0]
    assert rows[0]["id"] == "d0"
    for label, score in first["scores"].items():
        assert float(rows[0][f"score:{label}"]) == score
        assert float(rows[0][f"probability:{label}"]) == first["probabilities"][label]


def test_labels_alone_are_a_line_a_document(run, several_model, several):
    lines = lines_of(run, several_model, several, "--output", "labels")
    assert lines[:5] == ["a", "b", "a|b", "c", ""]
    best = lines_of(run, several_model, several, "--output", "labels", "--top", 2)
    assert all(line.count("|") == 1 for line in best)


NASTY = ["a b", "a,b", 'q"q', "tab\there", "x: y", "__label__z", "a|b", "back\\slash", "ярлык 🙂"]


def test_label_names_come_out_as_they_went_in(run, tmp_path):
    rows = [{"text": f"w{n}", "labels": [name]} for n, name in enumerate(NASTY)] * 2
    data, path = write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m.boostext"
    done = run("train", data, "-o", path, "--rounds", 60, "-q")
    assert done.exit_code == 0, done.stderr
    assert [row["labels"][0] for row in predicted(run, path, data)] == NASTY * 2
    table = csv.DictReader(io.StringIO("\n".join(lines_of(run, path, data, "--output", "csv"))))
    assert [row["label1"] for row in table] == NASTY * 2
    _, *lines = lines_of(run, path, data, "--output", "tsv")
    assert [read_tsv_field(line.split("\t")[2]) for line in lines] == NASTY * 2


# Explanation ---------------------------------------------------------------------------------


def test_an_explanation_is_drawn_for_people(run, model):
    lines = lines_of(run, model, "--document", "my bill please", "--explain", 2)
    assert lines[0] == "text: billing"
    assert any("bill" in line and "+" in line for line in lines[2:])
    assert lines[-1].strip().startswith("score")


def test_an_explanation_as_json_adds_up_and_shows_the_words_as_found(run, model):
    [row] = predicted(run, model, "--document", "My BILL, please", "--explain", 2, "--json")
    for label, score in row["scores"].items():
        told = row["explanation"][label]
        votes = sum(rule["votes"] for rule in told["rules"])
        assert votes + told["rest"] == pytest.approx(score)
        assert len(told["rules"]) <= 2
    rules = row["explanation"]["billing"]["rules"]
    assert [rule["found"] for rule in rules if rule["condition"] == "bill"] == [["BILL"]]


def test_explanations_are_jsonl_or_drawn_and_nothing_else(run, model):
    done = run("predict", model, "--document", "x", "--explain", 1, "--output", "csv")
    assert done.exit_code == 2
    assert "use jsonl or html" in done.stderr


# Ways in -------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["x.jsonl", "--document", "a"]], ids=["none", "both"])
def test_there_is_one_way_in(run, model, arguments):
    done = run("predict", model, *arguments)
    assert done.exit_code == 2
    assert "expected DATA, - for stdin, or --document TEXT" in done.stderr


def test_stdin_is_read_only_where_a_dash_says_so(run, model, corpus):
    assert len(predicted(run, model, corpus, input=b"not JSON\n")) == 60


def test_each_line_of_a_pipe_is_answered_before_the_next_is_sent(start, model):
    child = start("predict", model, "-", stdin=subprocess.PIPE)
    for text in ("my bill", "moving house"):
        child.stdin.write(json.dumps({"text": text}) + "\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["labels"]
    child.stdin.close()
    assert child.wait() == 0
    child.stdout.close()
    child.stderr.close()


def test_labels_in_the_data_that_the_model_lacks_do_not_matter(run, model, tmp_path):
    data = write_jsonl(tmp_path / "d.jsonl", [{"text": "my bill", "labels": ["new"]}])
    assert predicted(run, model, data)[0]["labels"] == ["billing"]


def test_fields_are_those_of_the_model_unless_said(run, tmp_path):
    rows = [{"body": row["text"], "topic": row["labels"]} for row in records()]
    data, path = write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m.boostext"
    done = run("train", data, "-o", path, "--text", "body", "--label", "topic", "--rounds", 9, "-q")
    assert done.exit_code == 0, done.stderr
    assert len(predicted(run, path, data)) == 60
    renamed = write_jsonl(tmp_path / "e.jsonl", [{"message": row["body"]} for row in rows])
    missing = run("predict", path, renamed)
    assert missing.exit_code == 1
    assert "body" in missing.stderr


def test_how_files_are_written_is_not_taken_from_the_model(run, tmp_path, corpus):
    data, path = tmp_path / "d.csv", tmp_path / "m.boostext"
    text = "text;labels\nRechnung für Möbel;bill\nUmzug;move\n"
    data.write_bytes(text.encode("latin-1"))
    done = run(
        "train",
        data,
        "-o",
        path,
        "--encoding",
        "latin-1",
        "--delimiter",
        ";",
        "--format",
        "csv",
        "--rounds",
        3,
        "-q",
    )
    assert done.exit_code == 0, done.stderr
    new = write_jsonl(tmp_path / "n.jsonl", [{"text": "Rechnung"}])
    assert predicted(run, path, new)[0]["labels"] == ["bill"]


def test_blank_lines_give_no_result_and_are_told(run, model, tmp_path):
    data = tmp_path / "d.jsonl"
    data.write_text('\n{"id": "a", "text": "x"}\n\n{"id": "b", "text": "y"}\n\n', encoding="utf-8")
    done = run("predict", model, data)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "b"]
    assert "3 blank lines skipped" in done.stderr
    assert "2 results, one for each document" in done.stderr


def test_without_a_terminal_nothing_is_said_of_a_plain_success(run, model, corpus):
    assert run("predict", model, corpus).stderr == ""


def test_at_a_terminal_reading_stdin_is_announced(run, model, monkeypatch, capsys):
    from boostext.cli import places
    from boostext.cli.talk import Talk

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    places.announce_stdin(["-"], Talk())
    assert "reading stdin" in capsys.readouterr().err
    places.announce_stdin(["x.jsonl"], Talk())
    assert capsys.readouterr().err == ""


def test_probabilities_are_refused_where_scores_are_shares_of_votes(run, corpus, tmp_path):
    path = tmp_path / "m.boostext"
    done = run("train", corpus, "-o", path, "--algorithm", "oc", "--rounds", 5, "-q")
    assert done.exit_code == 0, done.stderr
    assert run("predict", path, "--document", "x").exit_code == 0
    refused = run("predict", path, "--document", "x", "--proba")
    assert refused.exit_code == 2
    assert "are not log odds" in refused.stderr


@given(st.text(max_size=40))
def test_any_text_has_a_result(run, model, text):
    loaded = read_model(model)
    wanted, document = Wanted(None, True, False, None), Document("x", {"text": text})
    [result] = results_of(Predictor(loaded), [document], wanted)
    assert len(result.best) == 3


def test_plain_text_on_stdin_is_told_how_to_be_read(run, model):
    done = run("predict", model, "-", input="my bill is wrong\n")
    assert done.exit_code == 1
    assert "for plain texts, one per line, add --format lines" in done.stderr
    assert run("predict", model, "-", "--format", "lines", input="my bill\n").exit_code == 0


def test_safe_cells_begin_no_formula(run, tmp_path):
    """In predictions and in converted data alike; numbers with a sign stay numbers."""
    rows = [
        {"id": "=1+2", "text": "@a b", "labels": ["+x"]},
        {"id": "-2.5e3", "text": "c", "labels": ["-y"]},
    ]
    data, model = write_jsonl(tmp_path / "d.jsonl", rows), tmp_path / "m"
    assert run("train", data, "-o", model, "--rounds", 2, "-q").exit_code == 0
    for form, separator in (("csv", ","), ("tsv", "\t")):
        plain = run("predict", model, data, "--output", form, "--keep-columns").stdout
        safe = run(
            "predict", model, data, "--output", form, "--keep-columns", "--safe-cells"
        ).stdout
        cells = [line.split(separator) for line in safe.splitlines()]
        assert [line.split(separator) for line in plain.splitlines()][1][:1] == ["@a b"]
        assert cells[1][0] == "'@a b"
        assert [row[2] for row in cells[1:]] == ["'=1+2", "-2.5e3"]
        assert [row[3] for row in cells[1:]] == ["'+x", "'-y"]
        target = tmp_path / f"c.{form}"
        assert run("convert", data, target, "--safe-cells").exit_code == 0
        assert target.read_text("utf-8").splitlines()[1].split(separator) == [
            "'=1+2",
            "'@a b",
            "'+x",
        ]
    for arguments in (("predict", model, data), ("convert", data, tmp_path / "c.ft")):
        done = run(*arguments, "--safe-cells")
        assert done.exit_code == 2
        assert "--safe-cells is for cells of" in done.stderr


def test_the_scores_of_very_many_labels_are_written_in_parts(run, model, monkeypatch):
    arguments = ("predict", model, "--document", "my bill", "--all-scores", "--proba", "--json")
    whole = run(*arguments).stdout
    for module in ("boostext.library.results", "boostext.model.plain"):
        monkeypatch.setattr(f"{module}.PART", 2)
    assert run(*arguments).stdout == whole
    assert len(json.loads(whole)["scores"]) > 2


def test_a_page_shows_a_limited_number_of_labels(run, model, monkeypatch):
    arguments = ("predict", model, "--document", "my bill", "--all-scores", "--output", "html")
    assert "further labels" not in run(*arguments).stdout
    monkeypatch.setattr("boostext.reports.page.documents.MOST_SUMS", 1)
    assert "2 further labels; predict --output jsonl has" in run(*arguments).stdout
