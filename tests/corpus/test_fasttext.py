"""fastText lines, plain lines, and .txt files that may be either."""

import pytest

from boostext.errors import DataError
from tests.corpus.reading import read, read_skipping, write


def pairs(documents):
    return [(d.labels, d.texts["text"]) for d in documents]


def test_labels_stand_before_the_text_which_is_kept_as_it_is(tmp_path):
    content = "__label__a __label__b-c,  two  spaces \r\n__label__a\n\t__label__x\t__label__x y\n"
    documents = read(write(tmp_path, "a.ft", content))
    assert pairs(documents) == [(("a", "b-c,"), " two  spaces "), (("a",), ""), (("x",), "y")]


def test_a_label_ends_only_where_fasttext_ends_it(tmp_path):
    (document,) = read(write(tmp_path, "a.ft", "__label__a\u00a0b\u2028c text\n"))
    assert pairs([document]) == [(("a\u00a0b\u2028c",), "text")]


def test_a_line_without_label_is_a_document_without_labels(tmp_path):
    path = write(tmp_path, "a.ft", "__label__a x\nno label\n")
    documents = read(path)
    assert pairs(documents) == [(("a",), "x"), ((), "no label")]
    assert all(d.labelled for d in documents)
    assert [d.labelled for d in read(path, labelled=False)] == [True, False]


@pytest.mark.parametrize(
    ("line", "message"),
    [("text __label__a", "must come before it"), ("__label__a b __label__c", "come before")],
)
def test_what_cannot_be_meant_is_a_fault(tmp_path, line, message):
    path = write(tmp_path, "a.ft", f"__label__a x\n{line}\n")
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert caught.value.line == 2
    documents, bad = read_skipping(path)
    assert (len(documents), bad.count) == (1, 1)


def test_a_txt_file_is_what_its_first_filled_line_says(tmp_path):
    path = write(tmp_path, "a.txt", "\ufeff\n\n __label__a x\ny\n")
    assert pairs(read(path)) == [(("a",), "x"), ((), "y")]
    path = write(tmp_path, "b.txt", "\nx\n\n__label__a y\r\nz")
    documents = read(path, labelled=False)
    assert [(d.id, d.origin.line, d.texts["text"]) for d in documents] == [
        ("b.txt:1", 2, "x"),
        ("b.txt:2", 4, "__label__a y"),
        ("b.txt:3", 5, "z"),
    ]
    assert not any(d.labelled for d in documents)


def test_plain_text_cannot_teach(tmp_path):
    with pytest.raises(DataError, match="plain text has no labels") as caught:
        read(write(tmp_path, "a.txt", "\nx\n"))
    assert caught.value.line == 2
    with pytest.raises(DataError, match="have no labels"):
        read(write(tmp_path, "a.txt", "x\n"), format="lines")


def test_an_empty_txt_file_holds_no_documents(tmp_path):
    assert read(write(tmp_path, "a.txt", "")) == read(write(tmp_path, "b.txt", "\n \n")) == []


def test_the_text_goes_by_the_name_of_the_text_field(tmp_path):
    path = write(tmp_path, "a.ft", "__label__a x\n")
    assert read(path, text=("body",))[0].texts == {"body": "x"}
