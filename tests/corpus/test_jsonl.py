"""JSONL: what a record may hold, and a message of its own for everything else."""

import contextlib
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.corpus.readers import read_documents
from boostext.errors import DataError
from boostext.settings import DataSettings
from tests.corpus.reading import read, read_skipping, write


def one(folder, record, **settings):
    content = record if isinstance(record, str) else json.dumps(record)
    (document,) = read(write(folder, "a.jsonl", content + "\n"), **settings)
    return document


def test_a_full_record_keeps_everything_as_given(tmp_path):
    document = one(
        tmp_path,
        {
            "id": "x/1",
            "text": " A\tb\n",
            "labels": ["b", "a", "b"],
            "weight": 2.5,
            "attributes": {"age": 3, "city": "Ulm", "vip": True, "zip": None},
            "other": [1],
        },
    )
    assert document.id == "x/1"
    assert document.texts == {"text": " A\tb\n"}
    assert document.labels == ("b", "a")
    assert document.weight == 2.5
    assert document.attributes == {"age": 3.0, "city": "Ulm", "vip": "true", "zip": None}
    assert document.labelled


@pytest.mark.parametrize("value", ["{}", "[{}]", '[{}, "a"]'])
@pytest.mark.parametrize("field", ["label", "id", "text", "weight", "age"])
def test_a_whole_number_of_any_size_is_a_value_like_others(tmp_path, field, value):
    number = "9" * 400
    record = {"text": '"a"', "label": '"x"', field: value.format(number)}
    line = ", ".join(f'"{name}": {given}' for name, given in record.items())
    path = write(tmp_path, "a.jsonl", f"{{{line}}}\n")
    documents, bad = read_skipping(path, attribute=("age",) if field == "age" else ())
    assert len(documents) + bad.count == 1
    if value == "{}" and field == "label":
        assert documents[0].labels == (number,)


def test_a_label_may_be_a_string_and_is_not_split(tmp_path):
    assert one(tmp_path, {"text": "", "label": "a, b;c"}).labels == ("a, b;c",)
    assert one(tmp_path, {"text": "", "label": "a, b;c"}, label_sep=";").labels == ("a, b", "c")


def test_the_first_of_the_default_label_fields_counts(tmp_path):
    assert one(tmp_path, {"text": "", "label": "a", "labels": ["b"]}).labels == ("b",)


def test_all_label_fields_that_are_named_count(tmp_path):
    record = {"text": "", "x": "a", "y": ["b", "a"]}
    assert one(tmp_path, record, label=("x", "y")).labels == ("a", "b")


def test_default_ids_count_records_and_lines_count_lines(tmp_path):
    path = write(tmp_path, "a.jsonl", '\n{"text":"","labels":[]}\n \t\r\n{"text":"","labels":[]}')
    documents, bad = read_skipping(path)
    assert [d.id for d in documents] == ["a.jsonl:1", "a.jsonl:2"]
    assert [d.origin.line for d in documents] == [2, 4]
    assert bad.blank_lines == 2


def test_files_of_one_name_give_different_ids(tmp_path):
    (tmp_path / "x").mkdir()
    paths = [
        write(tmp_path, "a.jsonl", '{"text":"","labels":[]}'),
        write(tmp_path / "x", "a.jsonl", '{"text":"","labels":[]}'),
    ]
    ids = [d.id for d in read_documents(paths, DataSettings())]
    assert ids == [f"{paths[0]}:1", f"{paths[1]}:1"]


def test_several_text_fields_stay_apart_and_one_may_be_absent(tmp_path):
    record = {"body": "b", "labels": []}
    assert one(tmp_path, record, text=("subject", "body")).texts == {"body": "b"}
    record["subject"] = "s"
    texts = one(tmp_path, record, text=("subject", "body")).texts
    assert list(texts.items()) == [("subject", "s"), ("body", "b")]


def test_an_attribute_may_stand_beside_the_text(tmp_path):
    record = {"text": "", "labels": [], "weight": 80, "attributes": {"age": 3}}
    document = one(tmp_path, record, attribute=("weight",))
    assert document.attributes == {"age": 3.0, "weight": 80.0}
    assert document.weight == 1.0


def test_an_attribute_that_is_an_object_is_a_scored_text(tmp_path):
    record = {"text": "", "labels": [], "attributes": {"heard": {"a": 1, "b": None}}, "n": {"c": 2}}
    document = one(tmp_path, record, attribute=("n",))
    assert (document.attributes, document.scored) == ({}, {"heard": {"a": 1.0}, "n": {"c": 2.0}})


def test_a_scored_text_needs_a_number_for_each_word(tmp_path):
    for value in ("x", [1], {}, True):
        record = {"text": "", "labels": [], "attributes": {"heard": {"a": value}}}
        with pytest.raises(DataError, match=r"a.jsonl:1: 'heard:a' is .*expected a number"):
            one(tmp_path, record)


def test_records_of_attributes_alone_are_read_when_no_text_is_named(tmp_path):
    record = {"attributes": {"age": 3}, "label": "x"}
    assert one(tmp_path, record, text=("",)).texts == {}
    with pytest.raises(DataError, match="no field 'text'"):
        one(tmp_path, record)


def test_prediction_needs_no_labels_ids_or_weights(tmp_path):
    named = {"label": ("topic",), "id": "key", "weight": "w", "labelled": False}
    document = one(tmp_path, {"text": "a"}, **named)
    assert not document.labelled
    assert (document.id, document.labels, document.weight) == ("a.jsonl:1", (), 1.0)
    assert one(tmp_path, {"text": "a", "topic": None}, **named).labelled is False
    assert one(tmp_path, {"text": "a", "topic": "x"}, **named).labels == ("x",)


def test_nul_and_line_separators_are_text(tmp_path):
    text = "a\0b\u2028c\u0085d\x1ce"
    record = json.dumps({"text": text, "labels": [text]}, ensure_ascii=False)
    document = one(tmp_path, record)
    assert (document.texts["text"], document.labels) == (text, (text,))


BAD = [
    ("{", "not JSON: .* at column 2"),
    ('{"text": "a"', "not JSON"),
    ('{"text": "a", "text": "b", "labels": []}', "the name 'text' occurs twice"),
    ("[" * 100_000, "nested too deeply"),
    ('{"text": "a", "labels": [], "n": ' + "9" * 5000 + "}", "a whole number of more than 4,300"),
    ('{"digits": "a", "digits": "b", "labels": []}', "the name 'digits' occurs twice"),
    ('{"text": "a", "labels": []', "at column 27; expected an object"),
    ('{"text": "a", "labels": [], "weight": 1e101}', r"weight is 1e\+101; .* from 0 to 1e\+100"),
    ("[]", "expected an object like {...}, found a list"),
    ("null", "found null"),
    ('"text"', "found a string"),
    ('{"txet": "a", "labels": []}', "there are: 'txet', 'labels'.; did you mean --text txet"),
    ('{"text": ["a"], "labels": []}', "'text' is a list"),
    ('{"text": "a", "topic": "x"}', "no field 'labels' or 'label' .there are: 'text', 'topic'"),
    ('{"text": "a", "lable": "x"}', "did you mean --label lable"),
    ('{"text": "a", "labels": [0, 1, 0]}', "numbers may be labels or show .*--literal-labels"),
    ('{"text": "a", "label": {"a": 0.5}}', "'label' is an object with 'a': '0.5'; .*--label"),
    ('{"text": "a", "label": "[a, b]"}', "looks like a list .*--literal-labels"),
    ('{"text": "a", "labels": [["a"]]}', "'labels' is a list that"),
    ('{"text": "a", "labels": [], "id": true}', "'id' is true or false; expected a string .*--id"),
    ('{"text": "a", "labels": [], "weight": "much"}', "'weight' is 'much'; expected a number"),
    ('{"text": "a", "labels": [], "weight": -1}', "weight is -1.0; it must be"),
    ('{"text": "a", "labels": [], "weight": 1e999}', "weight is inf"),
    ('{"text": "a", "labels": [], "weight": 1' + "0" * 400 + "}", "more than 308 digits"),
    ('{"text": "a", "labels": [], "attributes": []}', "'attributes' is a list"),
    ('{"text": "a", "labels": [], "attributes": {"x": [1]}}', "'x' is a list; expected a number"),
    ('{"text": "a", "labels": [], "attributes": {"x": -1e999}}', "'x' is infinite"),
    ('{"text": "\\ud83d", "labels": []}', r"\\ud83d is half of a character"),
    ('{"text": "", "labels": ["\\uDE00\\ud83d"]}', "half of a character"),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=range(len(BAD)))
def test_every_fault_has_its_message_and_line(tmp_path, line, message):
    path = write(tmp_path, "a.jsonl", '{"text":"","labels":[]}\n' + line)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert len(str(caught.value)) < len(path) + 500


def test_bad_records_are_left_out_counted_and_listed_when_skipped(tmp_path):
    lines = ["x", *(line for line, _ in BAD), '{"text": "good", "label": "y"}']
    documents, bad = read_skipping(write(tmp_path, "a.jsonl", "\n".join(lines)))
    assert [d.id for d in documents] == [f"a.jsonl:{len(lines)}"]
    assert bad.count == len(lines) - 1 == len(bad.first)
    assert [origin.line for origin, _ in bad.first] == list(range(1, len(lines)))


def test_pairs_of_surrogates_are_one_character(tmp_path):
    assert one(tmp_path, '{"text": "\\ud83d\\ude00", "labels": []}').texts["text"] == "😀"


def test_half_characters_are_replaced_when_asked(tmp_path):
    line = '{"text": "a\\ud83d", "labels": ["\\udc00"], "attributes": {"\\ud800": "\\ud800"}}'
    document = one(tmp_path, line, encoding_errors="replace")
    assert (document.texts["text"], document.labels) == ("a\ufffd", ("\ufffd",))
    assert document.attributes == {"\ufffd": "\ufffd"}


def test_a_named_field_that_is_missing_is_a_fault(tmp_path):
    for option in ("id", "weight"):
        with pytest.raises(DataError, match=f"no field 'key' .*--{option}"):
            one(tmp_path, {"text": "", "labels": []}, **{option: "key"})


def test_an_attribute_in_two_places_is_a_fault(tmp_path):
    record = {"text": "", "labels": [], "age": 1, "attributes": {"age": 2}}
    with pytest.raises(DataError, match="both a field of the record and in"):
        one(tmp_path, record, attribute=("age",))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(["text", "label", "labels", "id", "weight", "attributes"])


@given(st.lists(st.dictionaries(NAMES, JSON) | JSON, max_size=4))
def test_any_json_gives_documents_or_faults_with_a_line(tmp_path_factory, records):
    records = [{"text": "", "labels": []}, *records]  # the first decides how the file is read
    content = "\n".join(map(json.dumps, records))
    documents, bad = read_skipping(write(tmp_path_factory.getbasetemp(), "any.jsonl", content))
    assert len(documents) + bad.count == len(records)
    assert all(document.labelled and "" not in document.labels for document in documents)
    assert all(document.weight >= 0 for document in documents)
    assert all(origin.line for origin, _ in bad.first)


@given(st.binary(max_size=200))
def test_any_bytes_give_documents_or_a_data_error_in_every_format(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp(), "any.bin", content)
    for format in ("jsonl", "csv", "tsv", "fasttext", "lines"):
        for encoding in ("utf-8", "utf-16", "cp1252", "gb18030"):
            with contextlib.suppress(DataError):
                documents, bad = read_skipping(
                    path, labelled=False, format=format, encoding=encoding
                )
                assert len(documents) + bad.count <= len(content)


def test_a_line_is_not_kept_while_its_document_is_used(tmp_path):
    """The text of a document is a copy; together with the line it would take twice the memory."""
    path, size = tmp_path / "d.jsonl", 1 << 20
    path.write_text(json.dumps({"text": "a" * size, "label": "l"}) + "\n" * 2, encoding="utf-8")
    tracemalloc.start()
    reading = read_documents([str(path)], DataSettings())
    document = next(reading)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(document.texts["text"]) == size
    assert size < held < 1.8 * size
