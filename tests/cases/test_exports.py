"""Exports of annotation programs: the examples of docs/data-formats.md, and which answers count."""

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.settings import DataSettings

PAGE = (Path(__file__).parents[2] / "docs" / "data-formats.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ([\w-]+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = {name: (ending, text) for ending, name, text in BLOCK.findall(PAGE)}
BOTH = [("my bill is wrong", ("billing",)), ("we are moving house", ("moving", "complaint"))]
BY_NUMBER = [(text, labels) for (text, _), labels in zip(BOTH, [("2",), ("3", "5")], strict=True)]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def read(path, labelled=True, **settings):
    bad = BadRecords()
    found = read_documents([str(path)], DataSettings(**settings), bad, labelled)
    return [(document.texts["text"], document.labels) for document in found], bad


def example(folder, name):
    ending, text = EXAMPLES[name]
    path = folder / f"{name}.{ending}"
    path.write_text(text, encoding="utf-8")
    return path


# example -> program that is named, records left out and why, documents with --answers all
EXPORTS = {
    "label-studio": ("Label Studio", {"was_cancelled is true": 1}, 3),
    "label-studio-min": (r"Label Studio export \(JSON_MIN\)", {}, 2),
    "label-studio-csv": ("annotation", {}, 2),
    "doccano": ("doccano", {"is_confirmed is false": 1}, 3),
    "doccano-annotations": ("doccano", {}, 2),
    "prodigy": ("Prodigy", {"answer is reject": 1, "answer is ignore": 1}, 4),
    "argilla-1": ("Argilla", {"status is discarded": 1, "not annotated": 1}, 3),
    "argilla-2": ("Argilla", {"status is discarded": 1, "not annotated": 1}, 3),
    "spacy": ("spaCy", {}, 2),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_examples_of_exports_are_read_as_the_page_says(tmp_path, name):
    program, left_out, everything = EXPORTS[name]
    path = example(tmp_path, name)
    found, bad = read(path)
    assert found == (BY_NUMBER if name == "doccano-annotations" else BOTH)
    assert {reason.split(";")[0]: count for reason, count in bad.left_out.items()} == left_out
    assert any(re.search(f"read as (an? )?{program}", told) for told in bad.understood)
    assert len(read(path, answers="all")[0]) == everything


@pytest.mark.parametrize("name", [name for name in EXPORTS if name != "label-studio-csv"])
def test_an_export_is_the_same_as_lines_and_as_a_list(tmp_path, name):
    ending, text = EXAMPLES[name]
    records = json.loads(text) if ending == "json" else [*map(json.loads, text.splitlines())]
    lines, listed = tmp_path / "a.jsonl", tmp_path / "a.json"
    lines.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    listed.write_text(json.dumps(records, indent=2), encoding="utf-8")
    assert read(lines)[0] == read(listed)[0] == read(example(tmp_path, name))[0]


@pytest.mark.parametrize("name", ["label-studio", "prodigy", "doccano", "argilla-2"])
def test_every_command_tells_what_is_left_out_and_predict_leaves_out_nothing(tmp_path, name):
    path, model = example(tmp_path, name), tmp_path / "m"
    done = run("train", path, "-o", model, "--rounds", 2)
    assert done.exit_code == 0, done.output
    reason = next(iter(EXPORTS[name][1]))
    for command in (
        ["train", path, "-o", model, "--rounds", 2],
        ["check", path],
        ["evaluate", model, path],
        ["inspect", model, path],
        ["convert", path, tmp_path / "b.jsonl"],
    ):
        assert f"1 record left out: {reason}; --answers all reads them" in run(*command).output
    _, text = EXAMPLES[name]
    records = text.count('{"id"' if name != "prodigy" else '"text"')
    labels = run("predict", model, path, "--output", "labels", "-q").stdout.splitlines()
    assert len(labels) == (3 if name == "label-studio" else records)


REFUSED = {
    "answer": ["reject", "ignore"],
    "was_cancelled": ["true", "True", "1"],
    "is_confirmed": ["false", "False", "0"],
}
STATES = [(name, value) for name, values in REFUSED.items() for value in values]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize(("name", "value"), STATES)
def test_tables_of_annotations_leave_out_what_does_not_count(tmp_path, name, value, ending):
    path = tmp_path / f"a.{ending}"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, "excel" if ending == "csv" else "excel-tab")
        rows.writerows([["text", "label", name], ["a", "x", "accept"], ["b", "y", value]])
    found, bad = read(path)
    assert found == [("a", ("x",))]
    assert list(bad.left_out) == [f"{name} is {value.lower()}; --answers all reads them"]
    assert len(read(path, answers="all")[0]) == 2


def test_a_field_that_has_another_part_to_play_decides_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "answer": "reject"}\n', encoding="utf-8")
    assert read(path, label=("answer",))[0] == [("a", ("reject",))]
    assert read(path, label=("answer",), attribute=("answer",))[0] == [("a", ("reject",))]


def test_cancelled_annotations_do_not_count_where_fields_are_named(tmp_path):
    path = example(tmp_path, "label-studio")
    done = run("check", path, "--text", "data.text", "--label", "annotations.result.value.choices")
    assert "2 documents" in done.output
    assert "1 record left out: was_cancelled is true" in done.output


def test_one_question_of_several_is_read_by_its_name(tmp_path):
    task = json.loads(EXAMPLES["label-studio"][1])[0]
    result = task["annotations"][0]["result"]
    result.append({"from_name": "mood", "type": "choices", "value": {"choices": ["angry"]}})
    path = tmp_path / "a.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    found, bad = read(path)
    assert found == [("my bill is wrong", ("billing", "angry"))]
    assert any("several questions ('mood', 'topic')" in told for told in bad.understood)
    assert read(path, label=("mood",))[0] == [("my bill is wrong", ("angry",))]


def test_a_task_whose_text_cannot_be_told_names_the_fields(tmp_path):
    task = {"data": {"title": "a", "body": "b"}, "annotations": [{"result": []}]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    with pytest.raises(DataError, match=r"'data.title', 'data.body'"):
        read(path)
    found = list(read_documents([str(path)], DataSettings(text=("data.body",))))
    assert (found[0].texts, found[0].labels) == ({"data.body": "b"}, ())


def test_nothing_left_says_what_was_left_out(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "label": "x", "answer": "ignore"}\n', encoding="utf-8")
    done = run("train", path, "-o", tmp_path / "m")
    assert "left out: 1 (answer is ignore; --answers all reads them)" in done.output


ODD = [
    '{"data": {"text": "a"}, "annotations": [{"result": [{"value": 3}, 4]}]}',
    '{"data": {"text": "a"}, "annotations": [{"result": [{"value": {"choices": "x"}}]}]}',
    '{"data": {"text": 3}, "annotations": [null, {"result": {}}]}',
    '{"cats": [1, {"label": "a"}], "text": "a"}',
    '{"cats": {"a": "yes", "b": null}, "text": "a"}',
    '{"fields": {"text": "a"}, "responses": {"q": [3, {"value": null}]}}',
    '{"fields": {}, "responses": [{"values": 3}, {"values": {"q": 3}}]}',
    '{"text": "a", "q.responses": ["x"], "q.responses.status": null}',
    '{"text": "a", "answer": "accept", "accept": 3}',
    '{"text": "a", "annotations": [{"label": null, "user": 1}]}',
]


@pytest.mark.parametrize("record", ODD)
def test_an_odd_export_is_a_document_or_an_error(tmp_path, record):
    path = tmp_path / "a.jsonl"
    path.write_text(record, encoding="utf-8")
    documents, bad = [], BadRecords()
    documents = list(read_documents([str(path)], DataSettings(skip_bad=True), bad))
    assert len(documents) + bad.count + sum(bad.left_out.values()) == 1


def test_the_example_of_nested_fields_is_read_as_the_page_says(tmp_path):
    names = {"text": ("data.text",), "label": ("review.topic",)}
    (found,) = read_documents([str(example(tmp_path, "nested"))], DataSettings(**names))
    assert found.labels == ("billing", "complaint")


# Rasa and Vowpal Wabbit ----------------------------------------------------------------------


def found_in(path, **settings):
    return list(read_documents([str(path)], DataSettings(**settings)))


def test_rasa_data_are_read_with_the_lines_of_their_examples(tmp_path):
    path = example(tmp_path, "rasa")
    found = found_in(path)
    assert [(d.texts["text"], d.labels, d.origin.line) for d in found] == [
        ("my bill is wrong", ("billing",), 5),
        ("we are moving house", ("moving",), 12),
    ]
    assert run("train", path, "-o", tmp_path / "m", "--rounds", 2).exit_code == 0
    assert len(found_in(path, where=("labels=moving",))) == 1


BAD_YAML = [
    ("nlu: [&a {intent: x, examples: *a}]", "aliases"),
    ("rules: []", r"is not Rasa NLU data; expected a list of intents under 'nlu:'"),
    ("- a", "is not Rasa NLU data"),
    ("", "is not Rasa NLU data"),
    ("nlu: 3", "nlu is not a list"),
    ("nlu: [", "not YAML"),
    ("nlu: " + "[" * 500, "nested too deeply"),
    ("a: 1\n? - - nlu: b\n: c\n? {nlu: []}\n: d\n", "is not Rasa NLU data"),
]


@pytest.mark.parametrize(("text", "message"), BAD_YAML, ids=range(len(BAD_YAML)))
def test_yaml_that_is_no_rasa_data_is_one_error(tmp_path, text, message):
    path = tmp_path / "a.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        found_in(path)


def test_lines_of_vowpal_wabbit_are_read(tmp_path):
    path = example(tmp_path, "vowpal")
    one, two = found_in(path)
    assert (one.id, one.weight, one.labels) == ("a1", 2.0, ("billing",))
    assert one.texts == {"text": "my bill is wrong"}
    assert (two.texts, two.labels) == ({"text": "we are moving house"}, ("moving", "complaint"))
    assert two.scored == {"body values": {"minutes": 12.5}}
    (field,) = (d.texts for d in found_in(path, text=("body",), skip_bad=True))
    assert field == {"body": "moving house"}


@pytest.mark.parametrize(("line", "message"), [("x my bill", "no '|'"), ("1:0 2:1 | a", "costs")])
def test_a_bad_line_of_vowpal_wabbit_is_an_error(tmp_path, line, message):
    path = tmp_path / "a.vw"
    path.write_text(f"x | a\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"a\.vw:2: .*{re.escape(message)}"):
        found_in(path)


def test_lines_of_libsvm_are_numbers_by_their_index(tmp_path):
    one, two = found_in(example(tmp_path, "numbers"))
    assert (one.labels, one.scored, one.texts["text"]) == (
        ("1",),
        {"values": {"3": 0.5, "17": 2}},
        "",
    )
    assert (two.labels, two.scored) == (("-1", "2"), {"values": {"3": 0.25}})


@pytest.mark.parametrize("line", ["1 3", "1 3:x", "1 :3", "1 3:1 3:2"])
def test_a_bad_line_of_libsvm_is_an_error(tmp_path, line):
    path = tmp_path / "a.libsvm"
    path.write_text(f"1 qid:4 3:1\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.libsvm:2: .*(INDEX:VALUE|each index once)"):
        found_in(path)


# Records that are not like the first ----------------------------------------------------------

SLOTS = {"id": 1, "entities": [], "relations": []}


def lines(folder, *records, name="a.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_spacy_records_without_categories_are_not_annotated(tmp_path):
    path = lines(tmp_path, {"text": "a", "cats": {"x": 1.0}}, {"text": "b"})
    found, bad = read(path)
    assert (found, bad.left_out["not annotated"]) == ([("a", ("x",))], 1)
    assert [text for text, _ in read(path, labelled=False)[0]] == ["a", "b"]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_pairs_one_after_the_other_are_examples(tmp_path, name):
    pairs = [["a", {"cats": {"x": 1}}], ["b", {"entities": []}], ["c", {"cats": {"y": 1}}]]
    assert read(lines(tmp_path, *pairs, name=name))[0] == [("a", ("x",)), ("c", ("y",))]
    listed = tmp_path / "listed.json"
    listed.write_text(json.dumps(pairs), encoding="utf-8")
    assert read(listed)[0] == [("a", ("x",)), ("c", ("y",))]


def test_doccano_projects_of_slots_have_their_labels_in_a_list(tmp_path):
    records = {**SLOTS, "text": "a", "cats": ["x"]}, {**SLOTS, "text": "b", "cats": ["x", "y"]}
    found, bad = read(lines(tmp_path, *records))
    assert found == [("a", ("x",)), ("b", ("x", "y"))]
    assert any("doccano" in told for told in bad.understood)


def test_ratings_and_taxonomies_are_labels_and_marked_spans_are_not(tmp_path):
    def record(kind, value):
        result = {"from_name": "q", "type": kind, "value": value}
        return {"data": {"text": kind}, "annotations": [{"result": [result]}]}

    path = lines(
        tmp_path,
        record("rating", {"rating": 4}),
        record("taxonomy", {"taxonomy": [["a", "b"]]}),
        record("labels", {"start": 0, "end": 1, "labels": ["x"]}),
    )
    found, bad = read(path)
    assert found == [("rating", ("4",)), ("taxonomy", ("a/b",))]
    assert bad.left_out["not annotated"] == 1
    assert read(path, label=("q",))[0] == found
