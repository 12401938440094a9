"""Corrections of labels: id,label as editors write it, and what cannot be used."""

import pytest

from boostext.corpus.corrections import read_corrections
from boostext.corpus.documents import Document
from boostext.errors import DataError


def written(tmp_path, content, name="fix.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return str(path)


def test_documents_get_the_labels_of_their_id_alone(tmp_path):
    found = read_corrections(written(tmp_path, "id,label\nd1,new\nd3,x\n"), new_labels=True)
    documents = [Document("d1", {"text": "a"}, ("old", "other")), Document("d2", {}, ("old",))]
    assert [d.labels for d in found.applied(documents)] == [("new",), ("old",)]
    assert found.unmet == ["d3"]


def test_several_lines_are_several_labels_and_an_empty_one_is_none(tmp_path):
    found = read_corrections(written(tmp_path, "id,label\nd1,a\nd1,b\nd1,a\nd2,\n"))
    assert found.labels == {"d1": ("a", "b"), "d2": ()}


def test_quotes_byte_order_mark_line_ends_and_further_columns_are_taken(tmp_path):
    content = '\ufeffrank,label,id\r\n1,"a, ""b""\r\nc",d1\r\n\r\n'
    assert read_corrections(written(tmp_path, content)).labels == {"d1": ('a, "b"\r\nc',)}


def test_a_new_label_is_refused_after_the_last_document(tmp_path):
    path = written(tmp_path, "id,label\nd1,old\nd2,olt\n")
    documents = [Document(f"d{n}", {"text": "a"}, ("old",)) for n in (1, 2, 3)]
    passed = read_corrections(path).applied(documents)
    assert [next(passed).id for _ in documents] == ["d1", "d2", "d3"]
    with pytest.raises(DataError, match=r":3: no document has the label 'olt', did you mean 'old'"):
        next(passed)
    assert list(read_corrections(path).applied(documents, ["olt"]))  # a model may know it


@pytest.mark.parametrize(
    ("name", "content", "labels"),
    [
        ("p.csv", 'id,labels,label1\n"d,1",a|b\\|c|d\\\\,a\n', {"d,1": ("a", "b|c", "d\\")}),
        ("p.tsv", "id\tlabels\nd\\t1\ta\\n|b\n", {"d\t1": ("a\n", "b")}),
        ("p.csv", "id,labels\nd1,\n", {"d1": ()}),
        ("p.jsonl", '{"id": "d1", "labels": ["a", "b|c"], "scores": {}}\n', {"d1": ("a", "b|c")}),
        ("p.jsonl", '{"id": "d1", "label": "a"}\n\n', {"d1": ("a",)}),
        ("o.tsv", "rank\tid\tgiven\tsuggested\n1\td1\ta\tb|c\n", {"d1": ("b", "c")}),
        ("c.csv", "id,label,decision\nd1,,corrected\n", {"d1": ()}),
        ("s.csv", "id,text,label,likeliest\nd1,t,,a\nd2,t,b,a\n", {"d2": ("b",)}),
    ],
)
def test_what_the_commands_write_is_read_back(tmp_path, name, content, labels):
    assert read_corrections(written(tmp_path, content, name)).labels == labels


def test_of_several_files_the_last_counts_and_that_is_told(tmp_path):
    first = written(tmp_path, "id,label\nd1,a\nd2,a\n", "1.csv")
    second = written(tmp_path, "id,label\nd1,b\nd2,a\n", "2.csv")
    found = read_corrections(first, second)
    assert found.labels == {"d1": ("b",), "d2": ("a",)}
    assert found.overruled == ["d1"]


@pytest.mark.parametrize(
    "record", ["[]", '{"id": 1, "label": "a"}', '{"id": "a"}', '{"id": "a", "labels": [1]}']
)
def test_a_record_that_is_no_correction_is_told_with_its_line(tmp_path, record):
    with pytest.raises(DataError, match=":2: expected"):
        read_corrections(written(tmp_path, "\n" + record + "\n", "p.jsonl"))


def test_tabs_separate_where_the_name_says_so(tmp_path):
    assert read_corrections(written(tmp_path, "id\tlabel\nd1\ta,b\n", "fix.tsv")).labels == {
        "d1": ("a,b",)
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,label\n", ":1: no column id"),
        ("", ":1: no column id, or none of label"),
        ("id,label\nd1\n", ":2: 1 fields; expected 2"),
        (b"id,label\nd1,\xff\n", ":2: not UTF-8"),
        ('id,label\nd1,"a\n', "not CSV"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line(tmp_path, content, message):
    with pytest.raises(DataError, match=message):
        read_corrections(written(tmp_path, content))


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(DataError, match="cannot read the corrections"):
        read_corrections(str(tmp_path / "none.csv"))


def test_documents_without_a_label_field_are_left_out_unless_a_correction_names_them(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("id,label\nb,x\n", encoding="utf-8")
    pool = [Document(name, {"text": name}, labelled=False) for name in "abc"]
    corrections = read_corrections(str(path))
    assert [d.id for d in corrections.applied(pool)] == ["b"]
    assert corrections.left_out == 2
    assert "2 documents without any label left out" in corrections.summary()
    kept = read_corrections(str(path)).applied(pool, every=True)
    assert [d.id for d in kept] == ["a", "b", "c"]
