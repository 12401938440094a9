"""Folders: the first folder is the label, names give the order, odd entries are faults."""

import gzip
import os

import pytest

from boostext.corpus.readers import read_documents
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings
from tests.corpus.reading import read, read_skipping, write


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "corpus"
    for label in ("sport", "Wirtschaft, lokal", "sport/a/deep"):
        (root / label).mkdir(parents=True)
    write(root / "sport", "10.txt", "ten\n")
    write(root / "sport", "9", "nine\r\n")
    write(root / "sport/a/deep", "1.txt.gz", gzip.compress(b"\xef\xbb\xbfone\n\n"))
    write(root / "Wirtschaft, lokal", "x", "")
    write(root / "sport", ".hidden", "h")
    return root


def test_documents_come_in_the_order_of_their_names(tree):
    documents = read(str(tree))
    assert [(d.id, d.labels, d.texts["text"]) for d in documents] == [
        ("Wirtschaft, lokal/x", ("Wirtschaft, lokal",), ""),
        ("sport/10.txt", ("sport",), "ten"),
        ("sport/9", ("sport",), "nine"),
        ("sport/a/deep/1.txt.gz", ("sport",), "one\n"),
    ]
    assert str(documents[1].origin) == str(tree / "sport/10.txt")


def test_a_file_beside_the_folders_of_labels_is_a_fault(tree):
    write(tree, "README", "read me")
    with pytest.raises(DataError, match=r"README: is not in the folder of a label"):
        read(str(tree))
    documents, bad = read_skipping(str(tree))
    assert (len(documents), bad.count) == (4, 1)
    with pytest.raises(DataError, match=r"README: is not in the folder of a label; .*--skip-bad"):
        read(str(tree), labelled=False)


def test_a_folder_of_texts_alone_is_read_where_labels_do_not_matter(tmp_path):
    write(tmp_path, "1.txt", "a")
    assert [d.labelled for d in read(str(tmp_path), labelled=False)] == [False]
    with pytest.raises(DataError, match=r"1.txt: is not in the folder of a label"):
        read(str(tmp_path))


def test_a_file_of_another_encoding_is_named_with_its_line(tree):
    path = write(tree / "sport", "b", b"a\n\xa3\n")
    with pytest.raises(DataError) as caught:
        read(str(tree))
    assert (caught.value.path, caught.value.line) == (path, 2)
    documents, bad = read_skipping(str(tree))
    assert (len(documents), bad.count) == (4, 1)


@pytest.mark.skipif(os.name == "nt", reason="needs links and pipes")
def test_links_and_pipes_never_hang_a_reading(tree):
    (tree / "linked").symlink_to(tree / "sport")
    (tree / "sport" / "loop").symlink_to(tree)
    (tree / "sport" / "nowhere").symlink_to(tree / "gone")
    os.mkfifo(tree / "sport" / "pipe")
    documents, bad = read_skipping(str(tree))
    assert {d.labels[0] for d in documents} == {"linked", "sport", "Wirtschaft, lokal"}
    assert {message for _, message in bad.first} == {"is not a regular file, or is a broken link"}


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_is_a_fault(tree):
    (tree / os.fsdecode(b"caf\xe9")).mkdir()
    (tree / os.fsdecode(b"caf\xe9") / "1").write_bytes(b"x")
    with pytest.raises(DataError, match=r"the name 'caf.' is not UTF-8"):
        read(str(tree))


def test_a_file_where_a_folder_is_wanted_is_an_error(tmp_path):
    with pytest.raises(DataError, match="expected a folder LABEL/FILE"):
        read(write(tmp_path, "a.jsonl", ""), format="folders")


def test_an_unknown_ending_lists_endings_and_formats(tmp_path):
    with pytest.raises(
        DataError, match=r"the ending \.xls does not determine a format; .*\.jsonl.*--format"
    ):
        read(write(tmp_path, "a.xls", ""))
    with pytest.raises(DataError, match=r"the ending \(none\)"):
        read(write(tmp_path, "data.gz", gzip.compress(b"")))


def test_several_inputs_are_read_one_after_the_other(tree, tmp_path):
    paths = [
        write(tmp_path, "A.JSONL", '{"text": "j", "label": "x"}'),
        str(tree),
        write(tmp_path, "b.ft", "__label__y f"),
    ]
    documents = list(read_documents(paths, DataSettings()))
    assert [documents[0].texts["text"], documents[-1].texts["text"]] == ["j", "f"]
    assert len(documents) == 6


def test_wrong_calls_are_told_at_once(tmp_path):
    with pytest.raises(TypeError, match="one string"):
        read_documents("a.jsonl", DataSettings())
    with pytest.raises(SettingsError, match="no data given"):
        read_documents([], DataSettings())
    with pytest.raises(SettingsError, match="more than once"):
        read_documents(["-", "-"], DataSettings())
    good = write(tmp_path, "a.jsonl", "")
    with pytest.raises(DataError, match="no such file"):
        read_documents([good, str(tmp_path / "gone.jsonl")], DataSettings())


def test_reading_streams(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"text": "j", "label": "x"}\nbad\n')
    documents = read_documents([path], DataSettings())
    assert next(documents).texts["text"] == "j"
    with pytest.raises(DataError):
        next(documents)
