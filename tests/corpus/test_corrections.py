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
    found = read_corrections(written(tmp_path, "id,label\nd1,new\nd3,x\n"))
    documents = [Document("d1", {"text": "a"}, ("old", "other")), Document("d2", {}, ("old",))]
    assert [d.labels for d in found.applied(documents)] == [("new",), ("old",)]
    assert found.unmet == ["d3"]


def test_several_lines_are_several_labels_and_an_empty_one_is_none(tmp_path):
    found = read_corrections(written(tmp_path, "id,label\nd1,a\nd1,b\nd1,a\nd2,\n"))
    assert found.labels == {"d1": ("a", "b"), "d2": ()}


def test_quotes_byte_order_mark_line_ends_and_further_columns_are_taken(tmp_path):
    content = '\ufeffrank,label,id\r\n1,"a, ""b""\r\nc",d1\r\n\r\n'
    assert read_corrections(written(tmp_path, content)).labels == {"d1": ('a, "b"\r\nc',)}


def test_tabs_separate_where_the_name_says_so(tmp_path):
    assert read_corrections(written(tmp_path, "id\tlabel\nd1\ta,b\n", "fix.tsv")).labels == {
        "d1": ("a,b",)
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,label\n", ":1: no column id"),
        ("", ":1: no column id or label"),
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
