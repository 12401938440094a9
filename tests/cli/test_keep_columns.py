"""`predict --keep-columns`: the fields of the input beside the result, which is data again."""

import csv
import io
import json

import pytest

from boostext.corpus.readers import read_documents
from boostext.library.results import names_beside
from boostext.settings import DataSettings

from .conftest import write_jsonl


@pytest.fixture
def rows():
    return [
        {"key": 1, "text": 'an "apple", please', "id": "s1", "labels": ["b"], "meta": {"n": [1]}},
        {"key": 2, "text": "bread\r and\n\tapple", "id": "s2", "labels": ["a", "b"], "meta": None},
        {"key": 3, "text": "\ufeffcheese", "id": "s3", "labels": [], "meta": "x"},
    ]


def kept(run, model, data, *options, **given):
    done = run("predict", model, data, "--keep-columns", *options, **given)
    assert done.exit_code == 0, done.stderr
    return done


def results(run, model, data, *options, **given):
    lines = kept(run, model, data, *options, **given).stdout.split("\n")
    return [json.loads(line) for line in lines if line]


def table(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_the_fields_stand_before_the_result(run, several_model, rows, tmp_path):
    data = write_jsonl(tmp_path / "a.jsonl", rows)
    found = results(run, several_model, data)
    plain = run("predict", several_model, data).stdout.splitlines()
    names = ["key", "text", "input_labels", "meta", "id", "labels", "scores"]
    for row, given, bare in zip(found, rows, plain, strict=True):
        assert list(row) == names
        assert row["input_labels"] == given["labels"]
        assert {name: row[name] for name in ("key", "text", "meta")}.items() <= given.items()
        assert {name: row[name] for name in ("id", "labels", "scores")} == json.loads(bare)


def test_a_table_has_the_columns_of_the_input_in_their_order(run, several_model, tmp_path):
    data = tmp_path / "a.csv"
    data.write_text("n,text,n,labels,id\n1,apple,2,x,d1\n3,bread,4,,\n", encoding="utf-8")
    head, first, second = table(kept(run, several_model, data, "--output", "csv").stdout)
    assert head == ["n", "text", "n_3", "input_labels", "id", "labels", "label1", "score1"]
    assert first[:6] == ["1", "apple", "2", "x", "d1", "a"]
    assert second[:6] == ["3", "bread", "4", "", "a.csv:2", "b"]
    lines = kept(run, several_model, data, "--output", "tsv").stdout.splitlines()
    assert lines[1].split("\t")[:6] == first[:6]


def test_a_field_called_id_that_is_not_the_id_is_kept(run, several_model, tmp_path):
    data = write_jsonl(tmp_path / "a.jsonl", [{"id": 5, "key": "k", "text": "apple"}])
    [row] = results(run, several_model, data, "--id", "key")
    assert (row["input_id"], row["key"], row["id"]) == (5, "k", "k")


def test_names_that_clash_get_one_that_is_free():
    fields = ["labels", "input_labels", "text"]
    found = names_beside(fields, ["id", "labels"])
    assert found == {
        "labels": "input_input_labels",
        "input_labels": "input_labels",
        "text": "text",
    }
    assert list(found) == fields


@pytest.mark.parametrize(
    ("output", "options"), [("jsonl", ()), ("csv", ("--label-sep", "|"))], ids=["jsonl", "csv"]
)
def test_the_output_is_data_again(run, several_model, rows, tmp_path, output, options):
    data, again = write_jsonl(tmp_path / "a.jsonl", rows * 4), tmp_path / f"p.{output}"
    text = kept(run, several_model, data, "--output", output).stdout
    again.write_bytes(text.encode())
    settings = DataSettings(label=("labels",), label_sep="|" if options else "")
    found = list(read_documents([str(again)], settings))
    assert [list(document.texts.values()) for document in found] == [[r["text"]] for r in rows * 4]
    assert [document.id for document in found] == [r["id"] for r in rows * 4]
    given = run("predict", several_model, data).stdout.splitlines()
    assert [list(d.labels) for d in found] == [json.loads(line)["labels"] for line in given]
    assert any(len(document.labels) == 2 for document in found)
    assert run("check", again, "--label", "labels", *options).exit_code == 0
    target = tmp_path / "next.boostext"
    done = run("train", again, "--label", "labels", *options, "-o", target, "--rounds", 3)
    assert done.exit_code == 0, done.stderr
    assert run("predict", target, again).exit_code == 0


def test_predicted_labels_of_an_export_win_over_its_annotations(run, several_model, tmp_path):
    chosen = {"from_name": "topic", "value": {"choices": ["cheese-label"]}}
    tasks = [
        {"id": 1, "data": {"text": "apple"}, "annotations": [{"result": [chosen]}]},
        {"id": 2, "data": {"text": "bread"}, "annotations": []},
    ]
    data, again = tmp_path / "tasks.json", tmp_path / "p.jsonl"
    data.write_text(json.dumps(tasks), encoding="utf-8")
    text = kept(run, several_model, data).stdout
    again.write_text(text, encoding="utf-8")
    first = json.loads(text.splitlines()[0])
    assert list(first) == ["data", "annotations", "id", "labels", "scores"]
    found = list(read_documents([str(again)], DataSettings()))
    assert [(d.texts["text"], d.labels) for d in found] == [("apple", ("a",)), ("bread", ("b",))]


def test_columns_of_arrow_files(run, several_model, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"text": ["apple", "bread"], "tags": [["x"], []], "n": [1, None]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    found = results(run, several_model, tmp_path / "a.parquet")
    assert [[row[name] for name in columns] for row in found] == [
        ["apple", ["x"], 1],
        ["bread", [], None],
    ]


def test_formats_without_records_give_their_texts(run, several_model, tmp_path):
    (tmp_path / "a.txt").write_text("apple\nbread\n", encoding="utf-8")
    (tmp_path / "a.ft").write_text("__label__a apple\n", encoding="utf-8")
    found = results(run, several_model, tmp_path / "a.txt")
    assert [(row["text"], row["id"]) for row in found] == [
        ("apple", "a.txt:1"),
        ("bread", "a.txt:2"),
    ]
    assert results(run, several_model, tmp_path / "a.ft")[0]["text"] == "apple"
    done = run("predict", several_model, "--document", "apple", "--keep-columns")
    assert json.loads(done.stdout)["text"] == "apple"


def test_fields_that_the_first_record_lacks_are_told_of_a_table(run, several_model, tmp_path):
    texts = [{"text": "apple"}, {"text": "bread", "more": 1}, {"text": "bread", "most": 2}]
    data = write_jsonl(tmp_path / "a.jsonl", texts)
    done = kept(run, several_model, data, "--output", "csv")
    assert [row[0] for row in table(done.stdout)] == ["text", "apple", "bread", "bread"]
    assert done.stderr.count("is not in the first record") == 1
    assert "a.jsonl:2: the field 'more'" in done.stderr
    assert "is not in the first record" not in kept(run, several_model, data).stderr


def test_a_table_without_documents_has_a_header(run, several_model, tmp_path):
    (tmp_path / "a.csv").write_text("text,n\n", encoding="utf-8")
    done = kept(run, several_model, tmp_path / "a.csv", "--output", "csv")
    assert done.stdout == "id,labels,label1,score1\n"


@pytest.mark.parametrize("output", [("--output", "labels"), ("--output", "html"), ("--explain", 2)])
def test_outputs_without_fields_refuse_them(run, several_model, several, output):
    done = run("predict", several_model, several, "--keep-columns", *output)
    assert done.exit_code != 0
    assert "use jsonl, csv or tsv" in done.stderr


def test_documents_carry_no_fields_unless_asked(several):
    assert all(d.columns is None for d in read_documents([str(several)], DataSettings()))
    asked = next(read_documents([str(several)], DataSettings(), columns=True))
    assert asked.columns == {"text": "apple", "labels": ["a"]}


# Labels that look like one of the model ------------------------------------------------------


ALIKE = "look like labels of the model"


def test_labels_of_the_data_that_look_like_one_of_the_model_are_told_once(run, model, tmp_path):
    labels = ["Billing", ["mo\u200bving", "repair"], "Billing", "other", "billing", None]
    data = write_jsonl(tmp_path / "a.jsonl", [{"text": "bill", "label": x} for x in labels])
    (tmp_path / "a.csv").write_text("text,label\nbill,BILLING\nbill,repair\n", encoding="utf-8")
    done = run("predict", model, data)
    [line] = [line for line in done.stderr.splitlines() if ALIKE in line]
    assert "'Billing' (2) looks like the model's 'billing'" in line
    assert r"'mo\u200bving' (1) looks like the model's 'moving'" in line
    assert "other" not in line
    assert "'BILLING' (1)" in run("predict", model, tmp_path / "a.csv").stderr
    (tmp_path / "a.ft").write_text("__label__Repair dead phone\n", encoding="utf-8")
    assert "'Repair' (1)" in run("predict", model, tmp_path / "a.ft").stderr


def test_a_nested_label_is_looked_at_where_the_call_names_it(run, model, tmp_path):
    data = write_jsonl(tmp_path / "a.jsonl", [{"text": "bill", "gold": {"topic": "Repair"}}])
    assert "'Repair' (1)" in run("predict", model, data, "--label", "gold.topic").stderr
    assert ALIKE not in run("predict", model, data).stderr


def test_labels_may_hold_anything(run, model, corpus, tmp_path):
    odd = [{"x": [1, [2]]}, True, 1e400, "[a, b", [[None]], "", "x" * 5000]
    data = write_jsonl(tmp_path / "a.jsonl", [{"text": "bill", "labels": x} for x in odd])
    done = run("predict", model, data)
    assert done.exit_code == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(odd)
    assert done.stderr == ""
    assert run("predict", model, corpus).stderr == ""
