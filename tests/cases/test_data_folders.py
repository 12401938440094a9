"""Folders: of data files, of texts, and what is neither."""

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.settings import DataSettings

LINE = '{"text": "%s", "label": "x"}\n'


def folder_of(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def texts(path, labelled=True, bad=None, **settings):
    found = read_documents([str(path)], DataSettings(**settings), bad, labelled)
    return [document.texts["text"] for document in found]


READ = {
    "shards": ({"part-1.jsonl": LINE % "b", "part-0.jsonl": LINE % "a"}, ["a", "b"]),
    "tables": ({"1.csv": "text,label\na,x\n", "2.csv": "text,label\nb,x\n"}, ["a", "b"]),
    "several formats": ({"1.csv": "text,label\na,x\n", "2.json": f"[{LINE % 'b'}]"}, ["a", "b"]),
    "files that speak about the data": (
        {"a.jsonl": LINE % "a", "README.md": "read", "LICENSE": "", "dataset_infos.json": "{}"},
        ["a"],
    ),
    "a folder below": (
        {"data/train-0.jsonl": LINE % "a", "data/train-1.jsonl": LINE % "b"},
        ["a", "b"],
    ),
    "clutter": (
        {
            "a.jsonl": LINE % "a",
            "a.jsonl~": "",
            ".b.jsonl": "",
            "Thumbs.db": "",
            "desktop.ini": "",
            "__MACOSX/._a.jsonl": "",
        },
        ["a"],
    ),
    "texts": ({"x/1.txt": "a", "y/2.txt": "b"}, ["a", "b"]),
    "texts and clutter": (
        {
            "x/1.txt": "a",
            "x/1.txt~": "no",
            "x/Thumbs.db": "no",
            "DESKTOP.INI": "no",
            "__MACOSX/x/._1.txt": "no",
        },
        ["a"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), READ.values(), ids=READ)
def test_folders_are_read_as_what_they_hold(tmp_path, files, expected):
    assert texts(folder_of(tmp_path / "f", files)) == expected


REFUSED = {
    "parts by file": (
        {"train.csv": "", "test.csv": ""},
        r"several parts of a data set: test \(.*test.csv\), train",
    ),
    "parts by folder": ({"train/a.jsonl": "", "test/a.jsonl": ""}, r"several parts of a data set"),
    "parts by shard": (
        {"data/train-00000-of-00001.jsonl": "", "data/validation-0.jsonl": ""},
        r"several parts .*train .*validation .*name the files of one",
    ),
    "data files among texts": (
        {"a.jsonl": LINE % "a", "x/1.txt": "a"},
        r"data files \('a.jsonl'\) and others \('1.txt'\)",
    ),
    "a text beside the labels": ({"notes.txt": "a", "x/1.txt": "a"}, "the folder of a label"),
}


@pytest.mark.parametrize(("files", "message"), REFUSED.values(), ids=REFUSED)
def test_mixtures_are_refused_by_every_command(tmp_path, files, message):
    folder = folder_of(tmp_path / "f", files)
    for labelled in (True, False):
        with pytest.raises(DataError, match=message):
            texts(folder, labelled)


def test_each_file_is_a_text_where_the_format_says_so(tmp_path):
    folder = folder_of(tmp_path / "f", {"x/a.json": "my text", "y/b.csv": "yours"})
    assert texts(folder, format="folders") == ["my text", "yours"]


def test_commands_tell_that_a_folder_holds_data_files(tmp_path):
    folder = folder_of(tmp_path / "f", READ["shards"][0])
    done = CliRunner().invoke(main, ["check", str(folder)])
    assert f"{folder}: read as its data files (2)" in done.output
    assert "2 documents" in done.output


def test_check_reports_what_training_refuses(tmp_path):
    folder = folder_of(tmp_path / "f", {"README.md": "a", "x/1.txt": "a"})
    done = CliRunner().invoke(main, ["check", str(folder)])
    assert "README.md: is not in the folder of a label" in done.output
    bad = BadRecords()
    assert texts(folder, bad=bad, skip_bad=True) == ["a"]
    assert bad.count == 1
