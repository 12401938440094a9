"""`boostext inspect` of some terms, of one document, and its page; predictions as a page."""

import json
import math

import pytest

from boostext.model.file import read_model


def told(run, *arguments):
    done = run("inspect", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


# Terms ---------------------------------------------------------------------------------------


def test_a_term_is_told_with_its_documents(run, model, corpus):
    [row] = told(run, model, corpus, "--term", "bill")["terms"]
    texts = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    having = [text["id"] for text in texts if "bill" in text["text"].split()]
    assert row["documents"] == len(having)
    assert row["share"] == len(having) / len(texts)
    assert row["precisions"]["billing"] == 1.0
    assert set(row["examples"]) <= set(having)


def test_the_words_of_a_term_are_marked_in_examples(run, model, corpus):
    shown = run("inspect", model, corpus, "--term", "bill").stdout
    assert "[+bill]" in shown
    assert "1 of " in shown


def test_examples_come_from_stdin_too(run, model, corpus):
    lines = corpus.read_text(encoding="utf-8")
    shown = run("inspect", model, "-", "--term", "bill", input=lines).stdout
    assert "[+bill]" in shown


def test_terms_are_found_by_pattern_and_by_columns(run, model, corpus):
    every = told(run, model, corpus, "--terms-where", "rank>=1")["terms"]
    some = told(run, model, corpus, "--grep", "^B", "--terms-where", "documents>=2")["terms"]
    assert [row["term"] for row in some] == [
        row["term"] for row in every if row["term"].startswith("b") and row["documents"] >= 2
    ]
    assert {row["column"] for row in every} == {"text"}


def test_without_data_terms_have_no_documents(run, model):
    [row] = told(run, model, "--term", "bill")["terms"]
    assert "documents" not in row
    done = run("inspect", model, "--terms-where", "documents>1")
    assert done.exit_code == 2
    assert "no column 'documents'" in done.stderr


def test_a_term_that_no_rule_asks_for_is_an_error(run, model):
    done = run("inspect", model, "--term", "bil")
    assert done.exit_code == 2
    assert "did you mean 'bill'?" in done.stderr


# One document --------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["id", "text"])
def test_the_sum_of_a_document_is_its_score(run, model, corpus, given):
    first = json.loads(corpus.read_text(encoding="utf-8").splitlines()[0])
    paths = [corpus] if given == "id" else []
    row = told(run, model, *paths, "--document", first[given])
    assert row["labels"] == first["labels"]
    assert set(row["explanation"]) == set(read_model(model).labels)
    for label in row["explanation"].values():
        votes = math.fsum(part["votes"] for part in label["sum"])
        assert votes == pytest.approx(label["score"], abs=1e-12)
        for part in label["sum"]:
            for field, start, end in part["spans"]:
                assert field == "text"
                assert first["text"][start:end].lower() in part["condition"]


def test_a_document_is_shown_with_marks_and_sums(run, model):
    shown = run("inspect", model, "--document", "My BILL please", "--only-label", "billing").stdout
    assert "[+BILL]" in shown
    assert shown.rstrip().splitlines()[-1].strip().startswith("score")


def test_an_id_that_is_not_there_is_an_error(run, model, corpus):
    done = run("inspect", model, corpus, "--document", "nobody")
    assert done.exit_code == 1
    assert "none of the 60 documents has the id 'nobody'" in done.stderr


def test_a_document_and_terms_are_not_asked_for_at_once(run, model):
    assert run("inspect", model, "--document", "x", "--term", "bill").exit_code == 2


def test_a_document_is_written_as_table_and_page(run, model, tmp_path):
    text = "<b>bill</b> ใบแจ้งหนี้ \u202e bill"
    assert run("inspect", model, "--document", text, "-o", tmp_path).exit_code == 0
    page = (tmp_path / "document.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;<mark>bill</mark>&lt;/b&gt;" in page
    assert "\u202e" not in page
    lines = (tmp_path / "explanation.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    spans = {row["condition"]: row["spans"] for row in rows if row["kind"] == "found"}
    last = text.rindex("bill")
    assert spans["bill"] == f"text:3-7|text:{last}-{last + 4}"


# Pages ---------------------------------------------------------------------------------------


def test_predictions_are_a_page(run, model, corpus):
    done = run("predict", model, corpus, "--output", "html")
    assert done.exit_code == 0
    assert done.stdout.count("<article ") == 60
    assert "<mark>" in done.stdout
    assert done.stdout.count("<script") == 1
    assert "in the data: " in done.stdout


def test_what_is_found_absent_and_unknown_adds_up(run, model):
    done = run("predict", model, "--document", "my bill", "--explain", 1, "--json", "--all-scores")
    row = json.loads(done.stdout)
    for label, score in row["scores"].items():
        parts = row["explanation"][label]["sum"]
        assert math.fsum(parts.values()) == pytest.approx(score, abs=1e-12)


def test_a_report_folder_has_the_page_and_what_it_leaves_out(run, model, corpus, tmp_path):
    done = run("inspect", model, corpus, "-o", tmp_path, "--source", "weights")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the training documents" in page
    assert "<mark>bill</mark>" in page
    for name in ("coverage.tsv", "confusions.tsv", "rules.tsv", "terms.tsv", "outliers.tsv"):
        assert (tmp_path / name).read_text(encoding="utf-8").count("\n") >= 1


def test_a_page_of_stdin_shows_beginnings_of_texts(run, model, corpus, tmp_path):
    lines = corpus.read_text(encoding="utf-8")
    done = run("inspect", model, "-", "-o", tmp_path, "--source", "weights", input=lines)
    assert done.exit_code == 0, done.stderr
    assert "please bill 0" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_validation_documents_are_what_a_report_measures(run, corpus, tmp_path):
    done = run(
        "train",
        corpus,
        "-o",
        tmp_path / "m",
        "--rounds",
        20,
        "--report",
        tmp_path / "r",
        "--valid-fraction",
        0.3,
        "--outliers",
        "weights",
        "-q",
    )
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "Measured on the validation documents:" in page
    assert '<span class="kind">(validation)</span>' in page
    assert "(training)" not in page


def test_figures_of_a_report_are_the_models_own(run, model, corpus, tmp_path):
    """Not those of the slower rules that look for label errors, which are named apart."""
    done = run("evaluate", model, corpus, "--json")
    error = json.loads(done.stdout)["measures"]["error"]
    done = run(
        "train",
        corpus,
        "-o",
        tmp_path / "m",
        "--rounds",
        20,
        "--report",
        tmp_path / "r",
        "--outliers",
        "cv",
        "--folds",
        2,
        "-q",
    )
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert f'error <span class="kind">(training)</span></dt><dd>{error:.4f}<' in page
    assert "not the model itself" in page


def test_cross_validation_of_the_models_own_settings_is_what_a_report_measures(
    run, corpus, tmp_path
):
    done = run(
        "train",
        corpus,
        "-o",
        tmp_path / "m",
        "--rounds",
        5,
        "--report",
        tmp_path / "r",
        "--outliers",
        "weights",
        "--folds",
        2,
        "--calibrate",
        "sigmoid",
        "-q",
    )
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "each scored by rules that were learned without it" in page
    assert ">held out</text>" in page


def test_a_word_is_found_however_it_is_typed_and_in_terms_of_letters(run, model, corpus, tmp_path):
    [row] = told(run, model, "--term", " Bill")["terms"]
    assert row["term"] == "bill"
    letters = tmp_path / "letters"
    run("train", corpus, "-o", letters, "--analyzer", "char", "--ngrams", "2-3", "--rounds", 30)
    first, *_ = (row["term"] for row in told(run, letters, "--grep", "^[a-z]+$")["terms"])
    found = [row["term"] for row in told(run, letters, "--term", f"q{first}q")["terms"]]
    assert first in found
    assert all(term.replace("\u00b7", "") in first for term in found)
    assert f"{len(found)} of" in run("inspect", letters, "--term", f"q{first}q").stdout
    assert run("inspect", model, "--term", f"q{first}q").exit_code != 0
