"""What values mean as labels, weights, ids, attributes and texts: a row a case, in every format."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus.column_types import column_type
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.settings import DataSettings
from boostext.training.plan import Plan
from boostext.training.run import prepare, train

FORMATS = ("jsonl", "csv", "tsv")


@pytest.fixture
def run():
    """run("train", ...) in this process: exit_code, stdout, stderr."""
    try:
        runner = CliRunner(mix_stderr=False)
    except TypeError:  # click 8.2 and later keep them apart anyway
        runner = CliRunner()
    return lambda *arguments: runner.invoke(main, [str(argument) for argument in arguments])


def write(folder, records, format):
    """A file of records; in tables numbers and the like as JSON spells them, null as nothing."""
    path = folder / f"data.{format}"
    if format == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return str(path)
    names = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO(newline="")
    rows = csv.writer(out, delimiter="\t" if format == "tsv" else ",")
    rows.writerow(names)
    rows.writerows([_cell(record.get(name)) for name in names] for record in records)
    path.write_text(out.getvalue(), "utf-8")
    return str(path)


def _cell(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def read(folder, records, format, **settings):
    """The documents, and the kinds of what was guessed."""
    bad = BadRecords()
    path = write(folder, records, format)
    documents = list(read_documents([path], DataSettings(**settings), bad))
    return documents, [note.kind for note in bad.notes]


# Labels --------------------------------------------------------------------------------------

LABELS = {
    "a string": ("billing", ["billing"], []),
    "blanks inside": ("moved house", ["moved house"], []),
    "blanks around": (" billing ", ["billing"], ["blanks around a label"]),
    "nothing but blanks": ("  ", [], []),
    "nothing": ("", [], []),
    "null": (None, [], []),
    "a whole number": (1, ["1"], []),
    "zero": (0, ["0"], []),
    "a whole number as a float": (1.0, ["1"], ["whole number as label"]),
    "the same as text": ("1.0", ["1"], ["whole number as label"]),
    "minus nothing": ("-0.0", ["0"], ["whole number as label"]),
    "a fraction": (1.5, ["1.5"], []),
    "a version": ("1.10", ["1.10"], []),
    "a code": ("007", ["007"], []),
    "true": (True, ["true"], []),
    "false": (False, ["false"], []),
    **{
        f"a mark of a missing value: {mark}": (mark, [], ["missing label"])
        for mark in (
            "nan",
            "NaN",
            "NULL",
            "null",
            "None",
            "none",
            r"\N",
            "N/A",
            "n/a",
            "NA",
            "-",
            "--",
            "<NA>",
            "#N/A",
            "n.a.",
            " nan ",
        )
    },
    "a list": (["a", "b"], ["a", "b"], None),
    "an empty list": ([], [], None),
    "a list with blanks and null": (["a ", "", None, "nan"], ["a"], None),
    "a list of numbers": ([0, 2], ["0", "2"], None),
    "a list as Python prints it": ("['a', 'b']", ["a", "b"], ["list written as text"]),
    "a list with quotes inside": ("[\"it's\", 'b']", ["it's", "b"], ["list written as text"]),
    "a list as NumPy prints it": ("['a' 'b']", ["a", "b"], ["list written as text"]),
    "a tuple as Python prints it": ("('a', 'b')", ["a", "b"], ["list written as text"]),
    "a set as Python prints it": ("{'b', 'a'}", ["a", "b"], ["list written as text"]),
    "a list as JSON": ('["a","b"]', ["a", "b"], ["list written as text"]),
    "an empty list as text": ("[]", [], ["list written as text"]),
    "tags": ("<python><regex>", ["python", "regex"], ["list written as text"]),
    "one tag": ("<python>", ["python"], ["list written as text"]),
    "choices of annotators": ('{"choices": ["a", "b"]}', ["a", "b"], None),
    "cats of spaCy": ({"a": 1.0, "b": 0.0}, ["a"], None),
    "cats as Python prints them": ("{'a': True, 'b': False}", ["a"], ["list written as text"]),
    "an object with a name": ({"name": "bug", "color": "red"}, ["bug"], None),
    "objects with names": ([{"name": "bug"}, {"name": "new"}], ["bug", "new"], None),
    "a word in brackets": ("[Bug]", ["[Bug]"], ["label in brackets"]),
    "a word in round brackets": ("(a, b)", ["(a, b)"], []),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("value", "labels", "guessed"), LABELS.values(), ids=LABELS)
def test_a_label(tmp_path, format, value, labels, guessed):
    ((document,), kinds) = read(tmp_path, [{"text": "x y", "label": value}], format)
    assert list(document.labels) == labels
    assert guessed is None or kinds == guessed


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "value", [" a ", "1.0", "nan", "['a', 'b']", "<a><b>", "[a, b]", '{"choices": ["a"]}']
)
def test_a_label_as_it_stands(tmp_path, format, value):
    ((document,), kinds) = read(
        tmp_path, [{"text": "x", "label": value}], format, literal_labels=True
    )
    assert (document.labels, kinds) == ((value,), [])


REFUSED = {
    "a vector of 0 and 1": ([0, 1, 0], "label", "--literal-labels"),
    "a vector of floats": ([1.0, 0.0], "label", "--literal-labels"),
    "an unreadable list": ("[a, b]", "label", "--literal-labels"),
    "shares instead of yes or no": ({"a": 0.7, "b": 0.3}, "label", "--label"),
    "lists in a list": ([["a"], ["b"]], "label", "--label"),
    "a weight that is a word": ("heavy", "weight", "--weight"),
    "a weight that is true": (True, "weight", "--weight"),
    "a weight that is a list": ([1], "weight", "--weight"),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("value", "field", "option"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_guessed_is_refused_with_the_option(tmp_path, format, value, field, option):
    record = {"text": "x", "label": "a", field: value}
    with pytest.raises(DataError, match=option) as caught:
        read(tmp_path, [record], format)
    assert caught.value.line == (1 if format == "jsonl" else 2)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("cell", "separator", "labels"),
    [
        ("a;b", ";", ["a", "b"]),
        (" a ; b ", ";", ["a", "b"]),
        ("a;b;", ";", ["a", "b"]),
        ('"a;b";c', ";", ["a;b", "c"]),
        ('c;"say ""x"""', ";", ["c", 'say "x"']),
        ('"a, b", c', ", ", ["a, b", "c"]),
        ("a;nan;b", ";", ["a", "b"]),
        ('5" pipe;b', ";", ['5" pipe', "b"]),
    ],
)
def test_separators_respect_quotes_and_blanks(tmp_path, format, cell, separator, labels):
    ((document,), _) = read(tmp_path, [{"text": "x", "label": cell}], format, label_sep=separator)
    assert list(document.labels) == labels


@pytest.mark.parametrize("mark", ["nan", "N/A", "None"])
def test_fasttext_labels_are_labels_like_any_other(tmp_path, mark):
    path = tmp_path / "a.ft"
    path.write_text(f"__label__{mark} x\n__label__a __label__1.0 y\n", "utf-8")
    documents = read_documents([str(path)], DataSettings())
    assert [d.labels for d in documents] == [(), ("a", "1")]


# One-hot columns -----------------------------------------------------------------------------

ONE_HOT = {
    "numbers": [(1, 0), (0, 1), (1, 1)],
    "floats": [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)],
    "truth": [(True, False), (False, True), (True, True)],
    "truth of pandas": [("True", "False"), ("False", "True"), ("True", "True")],
    "words": [("yes", "no"), ("no", "yes"), ("yes", "yes")],
    "letters": [("Y", "N"), ("N", "Y"), ("Y", "Y")],
    "crosses": [("x", ""), ("", "x"), ("x", "x")],
    "crosses and null": [("x", None), (None, "x"), ("x", "x")],
    "missing": [(1, "nan"), ("nan", 1), (1, 1)],
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("cells", ONE_HOT.values(), ids=ONE_HOT)
def test_one_hot_columns_give_their_names(tmp_path, format, cells):
    records = [{"text": "x", "a b": first, "c": second} for first, second in cells]
    documents, kinds = read(tmp_path, records, format, label=("a b", "c"))
    assert [d.labels for d in documents] == [("a b",), ("c",), ("a b", "c")]
    assert kinds == ["one-hot columns"]


@pytest.mark.parametrize("format", FORMATS)
def test_blank_records_before_tell_nothing_and_others_are_labels(tmp_path, format):
    records = [{"text": "x", "a": None, "b": None}, {"text": "x", "a": 0, "b": 1}]
    documents, _ = read(tmp_path, records, format, label=("a", "b"))
    assert [d.labels for d in documents] == [(), ("b",)]
    records = [{"text": "x", "a": "red", "b": 1}, {"text": "x", "a": 0, "b": 1}]
    documents, _ = read(tmp_path, records, format, label=("a", "b"))
    assert [d.labels for d in documents] == [("red", "1"), ("0", "1")]


@pytest.mark.parametrize("format", FORMATS)
def test_one_hot_is_said_or_forbidden(tmp_path, format):
    records = [{"text": "x", "a": 1, "b": 0}, {"text": "x", "a": "tall", "b": 0}]
    with pytest.raises(DataError, match="--no-one-hot"):
        read(tmp_path, records, format, label=("a", "b"))
    documents, _ = read(tmp_path, records, format, label=("a", "b"), label_columns="labels")
    assert [d.labels for d in documents] == [("1", "0"), ("tall", "0")]
    documents, _ = read(tmp_path, records[:1], format, label=("a",), label_columns="one-hot")
    assert [d.labels for d in documents] == [("a",)]


def test_a_model_remembers_one_hot_columns(tmp_path, run):
    path = write(
        tmp_path, [{"text": "bill", "a": 1, "b": 0}, {"text": "box", "a": 0, "b": 1}], "csv"
    )
    model = tmp_path / "m"
    run("train", path, "--label", "a", "--label", "b", "-o", model, "--rounds", 3)
    late = write(
        tmp_path, [{"text": "bill", "a": "", "b": ""}, {"text": "box", "a": 0, "b": 1}], "tsv"
    )
    done = run("evaluate", model, late, "--json")
    assert json.loads(done.stdout)["unknown_labels"] == {}


# Weights, ids and texts ----------------------------------------------------------------------

VALUES = {
    "a weight as text": ("weight", "2.5", lambda d: d.weight == 2.5, []),
    "a weight that is missing": ("weight", None, lambda d: d.weight == 1, []),
    "a blank weight": ("weight", " ", lambda d: d.weight == 1, []),
    "a weight that is marked missing": (
        "weight",
        "NaN",
        lambda d: d.weight == 1,
        ["missing weight"],
    ),
    "an id that is a number": ("id", 7, lambda d: d.id == "7", []),
    "an id that is nothing but zero": ("id", 0, lambda d: d.id == "0", []),
    "an id that is a fraction": ("id", 7.5, lambda d: d.id == "7.5", []),
    "a missing id": ("id", None, lambda d: d.id.startswith("data."), []),
    "a text that is a number": ("text", 12, lambda d: d.texts["text"] == "12", []),
    "a text that is marked missing": (
        "text",
        "NaN",
        lambda d: d.texts["text"] == "",
        ["missing text"],
    ),
    "a text that holds a mark": ("text", "nan bread", lambda d: d.texts["text"] == "nan bread", []),
    "a blank text": ("text", " ", lambda d: d.texts["text"] == " ", []),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("field", "value", "holds", "guessed"), VALUES.values(), ids=VALUES)
def test_weights_ids_and_texts(tmp_path, format, field, value, holds, guessed):
    record = {"text": "x y", "label": "a", field: value}
    ((document,), kinds) = read(tmp_path, [record], format)
    assert holds(document)
    assert kinds == guessed


def test_a_null_text_is_an_empty_one_and_told(tmp_path):
    ((document,), kinds) = read(tmp_path, [{"text": None, "label": "a"}], "jsonl")
    assert (document.texts, kinds) == ({"text": ""}, ["missing text"])


def test_marks_can_be_taken_back_and_added(tmp_path):
    records = [{"text": "None", "label": "none"}, {"text": "?", "label": "?"}]
    documents, kinds = read(tmp_path, records, "csv", missing=("",))
    assert [(d.texts["text"], d.labels) for d in documents] == [("None", ("none",)), ("?", ("?",))]
    assert kinds == []
    documents, _ = read(tmp_path, records, "csv", missing=("?",))
    assert [d.labels for d in documents] == [(), ()]


# Columns -------------------------------------------------------------------------------------


def column(folder, values, format="csv", label=("a", "b"), **settings):
    """The prepared training of documents that have these values as their attribute `n`."""
    records = [
        {"text": f"w{i % 2}", "n": value, "label": label[i % 2]} for i, value in enumerate(values)
    ]
    path = write(folder, records, format)
    plan = Plan.of(attribute=("n",), rounds=2, **settings)
    return prepare(read_documents([path], plan.reading), plan)


NUMERIC = {
    "numbers": ([1, 2.5, 3, 4], 4, []),
    "numbers with marks of missing values": (["1", "n/a", "3", "", "4"], 3, []),
    "numbers with a stray text": (["1", "2", "about 3", "4"], 3, ["text for a number"]),
    "decimal commas": (["1,5", "2,25", "3", "4,0"], 4, []),
    "decimal commas and points between thousands": (["1.234,5", "2,25", "3", "4,0"], 4, []),
    "decimal commas with a stray text": (["1,5", "2,5", "soon", "4"], 3, ["text for a number"]),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("values", "known", "guessed"), NUMERIC.values(), ids=NUMERIC)
def test_a_column_that_is_mostly_numbers_is_numeric(tmp_path, format, values, known, guessed):
    if format == "jsonl":
        values = [float(v) if isinstance(v, str) and v.isdigit() else v for v in values]
    prepared = column(tmp_path, values, format)
    (numbers,) = prepared.features.numeric
    assert len(numbers.known) == known
    assert [note.kind for note in prepared.notes] == guessed
    assert all(note.first.line for note in prepared.notes)


CATEGORIES = {
    "words": ["north", "south", "north", "east"],
    "mostly words": ["north", "1", "south", "2", "west"],
    "as many words as numbers": ["north", "1", "south", "2"],
    "dates": ["2024-01-05", "2024-01-06", "2024-02-01", "2024-03-01"],
    "codes with leading zeros": ["01234", "90210", "10001", "60601"],
    "times": ["12:30", "13:00", "9:15", "10:00"],
}


@pytest.mark.parametrize("values", CATEGORIES.values(), ids=CATEGORIES)
def test_a_column_that_is_not_mostly_numbers_has_categories(tmp_path, values):
    prepared = column(tmp_path, values)
    assert prepared.features.numeric == ()
    assert [note.kind for note in prepared.notes] == []


def test_the_type_of_a_column_may_be_said(tmp_path):
    zips = ["90210", "10001", "60601", "90210"]
    assert len(column(tmp_path, zips).features.numeric) == 1
    assert column(tmp_path, zips, attribute_type=("n=category",)).features.numeric == ()
    mixed = ["north", "1", "south", "2"]
    assert len(column(tmp_path, mixed, attribute_type=("n=number",)).features.numeric) == 1


@pytest.mark.parametrize(
    ("spell", "kind"),
    [
        *((t, "more than a number") for t in ("{} min", "{}%", "${}.00", "\u2212{}", "1 {:03}")),
        ("s{}", ""),
        ("0{}", ""),
    ],
)
def test_columns_that_may_be_meant_as_numbers_are_told(spell, kind):
    assert column_type([spell.format(i) for i in range(10, 30)]).doubt == kind


def test_numbers_as_texts_of_json_are_told(tmp_path, run):
    records = [{"text": "x", "n": str(i), "label": "ab"[i > 9]} for i in range(20)]
    path = write(tmp_path, records, "jsonl")
    done = run("train", path, "-o", tmp_path / "m", "--attribute", "n", "--rounds", 2)
    assert "texts that spell numbers are read as categories: 'n: 0' (20" in done.stderr
    words = ("--attribute-type", "n=number", "--force")
    done = run("train", path, "-o", tmp_path / "m", "--attribute", "n", "--rounds", 2, *words)
    assert "1 numeric column" in done.stderr
    assert "categories" not in done.stderr


def test_commas_that_may_part_thousands_are_not_guessed(tmp_path):
    values = ["1,234", "12,500", "3,000", "7"]
    with pytest.raises(DataError, match=r":2: .*--attribute-type n=decimal-comma"):
        column(tmp_path, values)
    (numbers,) = column(tmp_path, values, attribute_type=("n=decimal-comma",)).features.numeric
    assert numbers.known.min() == 1.234


def test_a_model_reads_decimal_commas_as_its_training_data_had_them(tmp_path):
    records = [{"text": "w", "n": f"{i},5", "label": "ab"[i > 9]} for i in range(20)]
    path = write(tmp_path, records, "csv")
    plan = Plan.of(attribute=("n",), rounds=3)
    model = train(read_documents([path], plan.reading), plan).model
    assert model.data.known_types == ("n=decimal-comma",)
    bad = BadRecords()
    late = write(tmp_path, [{"text": "w", "n": "3,5"}, {"text": "w", "n": "many"}], "tsv")
    documents = list(read_documents([late], model.data, bad, labelled=False))
    assert [d.attributes["n"] for d in documents] == [3.5, None]
    assert [(note.kind, note.first.line) for note in bad.notes] == [("text for a number", 3)]


@pytest.mark.parametrize("format", FORMATS)
def test_an_attribute_that_no_record_has_is_refused(tmp_path, format):
    with pytest.raises(DataError, match=r"'minuts' .*there are.* did you mean .*minutes"):
        read(tmp_path, [{"text": "x", "minutes": 1, "label": "a"}], format, attribute=("minuts",))


def test_convert_refuses_an_attribute_that_no_record_has(tmp_path, run):
    path, target = (
        write(tmp_path, [{"text": "x", "n": 1, "label": "a"}], "jsonl"),
        tmp_path / "b.csv",
    )
    done = run("convert", path, target, "--attribute", "m")
    assert (done.exit_code, "no record has the attribute 'm'" in done.stderr) == (1, True)
    assert not target.exists()


@pytest.mark.parametrize("option", ["label", "id", "weight"])
@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_convert_and_check_refuse_a_field_that_no_record_has(tmp_path, run, option, format):
    path = write(tmp_path, [{"text": "x", "label": "a"}], format)
    for words in (("convert", path, tmp_path / "b.json"), ("check", path)):
        done = run(*words, f"--{option}", "labe")
        assert done.exit_code == 1, done.output
        assert "'labe' (there are: 'text', 'label')" in done.stderr
    assert not (tmp_path / "b.json").exists()


def test_predict_tells_of_an_attribute_that_no_record_has(tmp_path, run):
    records = [{"text": "x", "n": i, "label": "ab"[i > 4]} for i in range(10)]
    path, model = write(tmp_path, records, "jsonl"), tmp_path / "m"
    assert run("train", path, "-o", model, "--attribute", "n", "--rounds", 3).exit_code == 0
    (tmp_path / "o").mkdir()
    other = write(tmp_path / "o", [{"text": "x", "N": 3}], "jsonl")
    done = run("predict", model, other)
    assert (done.exit_code, len(done.stdout.splitlines())) == (0, 1)
    assert "no record has the attribute 'n'" in done.stderr
    assert "no record" not in run("predict", model, path).stderr


def test_of_an_object_of_attributes_those_are_taken_that_are_named(tmp_path):
    record = {"text": "x", "label": "a", "attributes": {"n": 5, "tags": ["a"]}}
    ((document,), _) = read(tmp_path, [record], "jsonl", attribute=("", "n"))
    assert document.attributes == {"n": 5}


@pytest.mark.parametrize("shares", [("0.9", "0.1"), ("-1", "1")])
def test_columns_of_shares_are_no_labels(tmp_path, shares):
    records = [{"text": "x", "a": shares[0], "b": shares[1]}]
    with pytest.raises(DataError, match="--literal-labels if the numbers are labels"):
        read(tmp_path, records, "csv", label=("a", "b"))
    ((document,), _) = read(tmp_path, records, "csv", label=("a", "b"), literal_labels=True)
    assert document.labels == shares


# Documents without labels --------------------------------------------------------------------


def labelled(folder, labels, format="jsonl"):
    records = [{"text": f"word{i}", "label": label} for i, label in enumerate(labels)]
    return write(folder, records, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("none", ["", None, "nan"])
@pytest.mark.parametrize("task", ["auto", "single"])
def test_documents_without_labels_are_left_out_of_single_label_tasks(tmp_path, format, none, task):
    plan = Plan.of(rounds=2, task=task)
    path = labelled(tmp_path, ["a", none, "b", none, "a"], format)
    prepared = prepare(read_documents([path], plan.data), plan)
    (tmp_path / "other").mkdir()
    without = labelled(tmp_path / "other", ["a", "b", "a"], format)
    other = prepare(read_documents([without], plan.data), plan)
    assert (prepared.multilabel, len(prepared.corpus)) == (False, 3)
    assert prepared.unlabelled.count == 2
    assert prepared.unlabelled.first.line == (2 if format == "jsonl" else 3)
    assert len(prepared.features.yes) == len(other.features.yes) == 3


@pytest.mark.parametrize("late", [["a", "b"], "['a', 'b']"])
def test_documents_without_labels_stay_in_their_places_where_others_have_several(tmp_path, late):
    plan = Plan.of(rounds=2)
    path = labelled(tmp_path, ["a", "", "b", late])
    prepared = prepare(read_documents([path], plan.data), plan)
    assert prepared.multilabel
    assert prepared.unlabelled.count == 0
    assert [id.rpartition(":")[2] for id in prepared.corpus.ids] == ["1", "2", "3", "4"]


def test_held_documents_go_to_a_file_where_they_are_many(tmp_path, monkeypatch):
    monkeypatch.setattr("boostext.training.examples.IN_MEMORY", 10)
    plan = Plan.of(rounds=2)
    labels = ["", *(["a", "b"] * 10)]
    path = labelled(tmp_path, labels)
    few = prepare(read_documents([path], plan.data), plan)
    monkeypatch.undo()
    assert few.corpus.digest == prepare(read_documents([path], plan.data), plan).corpus.digest
    assert len(few.corpus) == 20


# What commands say ---------------------------------------------------------------------------

NAN = [{"text": f"w{i} v", "label": label} for i, label in enumerate(["x", "y", "nan", " x", None])]


@pytest.mark.parametrize("format", FORMATS)
def test_guesses_are_told_by_every_command(tmp_path, run, format):
    path, model = write(tmp_path, NAN, format), tmp_path / "m"
    trained = run("train", path, "-o", model, "--rounds", 3)
    assert "2 of 5 documents have no label and are left out" in trained.stderr
    assert "--task multi" in trained.stderr
    calls = [
        ("check", path),
        ("crossval", path, "--rounds", 3, "--folds", 2),
        ("evaluate", model, path),
        ("convert", path, tmp_path / "out.jsonl"),
    ]
    for call in [trained, *(run(*call) for call in calls)]:
        assert call.exit_code == 0, call.stderr
        said = call.stderr + call.stdout
        assert said.count("labels that mark a missing value are read as no label: 'nan'") == 1
        assert said.count('--missing ""') == 1


def test_weights_that_nobody_asked_for_are_told(tmp_path, run):
    records = [{"text": "a b", "label": "x", "weight": 72}, {"text": "c", "label": "y"}]
    path, model = write(tmp_path, records, "csv"), tmp_path / "m"
    done = run("train", path, "-o", model, "--rounds", 2)
    assert "weights from the field 'weight', 1 to 72; --weight '' uses none" in done.stderr
    done = run("train", path, "-o", model, "--rounds", 2, "--json")
    assert json.loads(done.stdout)["weights"] == {"field": "weight", "least": 1.0, "greatest": 72.0}
    done = run("train", path, "-o", model, "--rounds", 2, "--weight", "")
    assert "weights from" not in done.stderr


def test_attributes_that_nobody_asked_for_are_told(tmp_path, run):
    records = [{"text": f"w{i}", "label": "ab"[i], "attributes": {"n": i}} for i in range(2)]
    path, model = write(tmp_path, records, "jsonl"), tmp_path / "m"
    done = run("train", path, "-o", model, "--rounds", 2)
    assert "attributes from the records: 'n'; --attribute '' uses none" in done.stderr
    done = run("train", path, "-o", model, "--rounds", 2, "--attribute", "")
    assert "numeric column" not in done.stderr


def test_check_says_what_a_column_is_taken_for_and_fails_where_nothing_can_be_read(tmp_path, run):
    records = [{"text": "x", "label": "a", "n": n} for n in ("1", "2", "many", "4")]
    done = run("check", write(tmp_path, records, "csv"), "--attribute", "n")
    assert "read as numbers, 1 text read as unknown, the first at" in done.stdout
    assert "data.csv:4: many" in done.stdout
    done = run("check", write(tmp_path, [{"text": "x", "label": [0, 1]}], "jsonl"))
    assert done.exit_code == 1
    assert "no record can be read" in done.stderr


@pytest.mark.parametrize("none", [None, "", "NULL"])
def test_documents_without_labels_are_no_misses_of_a_model_of_one_label(tmp_path, run, none):
    model = tmp_path / "m"
    run("train", labelled(tmp_path, ["a", "b", "a"]), "-o", model, "--rounds", 3)
    (tmp_path / "test").mkdir()
    test = labelled(tmp_path / "test", ["a", "b", none], "csv")
    report = json.loads(run("evaluate", model, test, "--json").stdout)
    assert (report["examples"], report["unlabelled"]) == (2, 1)


# The page that describes it ------------------------------------------------------------------

PAGE = Path(__file__).parent.parent.parent / "docs" / "data-formats.md"


def rows_of_labels():
    """Values of the first table of the page that stand in code, and the labels beside them."""
    table = PAGE.read_text("utf-8").split("As a label:\n")[1].split("As a weight")[0]
    for line in table.strip().splitlines()[2:]:
        values, read_as = line.split("|")[1:3]
        labels = re.findall("`([^`]+)`", read_as.split(";")[0].split(", reported")[0])
        if "refused" in read_as or "--label-sep" in values:
            continue
        for value in re.findall("`([^`]+)`", values):
            yield value, labels


@pytest.mark.parametrize(("value", "labels"), list(rows_of_labels()))
def test_the_page_says_what_a_label_is(tmp_path, value, labels):
    written = value[1:-1] if value.startswith('"') and value.endswith('"') else None
    try:
        value = json.loads(value)
    except ValueError:  # in quotes within quotes, or a bare mark of a missing value
        value = value if written is None else written
    ((document,), _) = read(tmp_path, [{"text": "x", "label": value}], "jsonl")
    assert sorted(document.labels) == sorted(labels)


def test_the_page_shows_one_hot_columns_as_they_are_read(tmp_path):
    block = re.search(r"```csv one-hot\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    path = tmp_path / "calls.csv"
    path.write_text(block[1], "utf-8")
    settings = DataSettings(label=("billing", "tech"))
    documents = read_documents([str(path)], settings)
    assert [d.labels for d in documents] == [("billing",), ("tech",), ("billing", "tech")]
