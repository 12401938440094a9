"""Bytes to lines: compression, encodings, line ends, damage, and sizes without limit."""

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boostext.corpus import files
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings
from tests.corpus.reading import read, read_skipping, write

RECORD = '{"text": "große Ärger 😀", "labels": ["Müll"]}\n'
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_read_like_plain_ones(tmp_path, ending):
    packed = write(tmp_path, "a.jsonl" + ending, PACKERS[ending]((RECORD * 3).encode()))
    plain = write(tmp_path, "b.jsonl", RECORD * 3)
    texts = [d.texts for d in read(packed)]
    assert texts == [d.texts for d in read(plain)]
    assert len(texts) == 3


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_of_several_parts_read_to_the_end(tmp_path, ending):
    pack = PACKERS[ending]
    path = write(tmp_path, "a.jsonl" + ending, pack(RECORD.encode()) + pack(RECORD.encode() * 2))
    assert len(read(path)) == 3


def test_padding_between_the_streams_of_an_xz_file_is_read_over(tmp_path):
    part = lzma.compress(RECORD.encode())
    assert len(read(write(tmp_path, "a.jsonl.xz", part + b"\0" * 8 + part + b"\0" * 4))) == 2


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_cut_compressed_file_is_a_data_error(tmp_path, ending, share):
    content = os.urandom(20000).hex()
    whole = PACKERS[ending](json.dumps({"text": content, "label": "x"}).encode())
    path = write(tmp_path, "a.jsonl" + ending, whole[: int(len(whole) * share)])
    with pytest.raises(DataError, match=f"{ending} data, or is truncated or damaged"):
        read(path)


@pytest.mark.parametrize("ending", PACKERS)
def test_damage_in_the_middle_is_a_data_error_even_when_bad_records_are_skipped(tmp_path, ending):
    lines = (json.dumps({"text": os.urandom(500).hex(), "label": "x"}) for _ in range(300))
    whole = bytearray(PACKERS[ending]("\n".join(lines).encode()))
    middle = len(whole) // 2
    whole[middle : middle + 400] = b"\xff" * 400
    with pytest.raises(DataError, match="truncated or damaged"):
        read_skipping(write(tmp_path, "a.jsonl" + ending, bytes(whole)))


@pytest.mark.parametrize("ending", PACKERS)
def test_a_plain_file_with_the_ending_of_a_compression_is_a_data_error(tmp_path, ending):
    with pytest.raises(DataError, match=f"is not {ending} data"):
        read(write(tmp_path, "a.jsonl" + ending, RECORD))


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_without_its_ending_says_which_it_needs(tmp_path, ending):
    with pytest.raises(DataError, match=f"rename it to end in {ending}"):
        read(write(tmp_path, "a.jsonl", PACKERS[ending](RECORD.encode())))


def test_a_spreadsheet_with_the_name_of_a_table_says_to_save_it_as_csv(tmp_path):
    with pytest.raises(DataError, match="save it as CSV"):
        read(write(tmp_path, "a.csv", b"PK\x03\x04rest"))


def test_a_missing_file_is_named_with_its_nearest_neighbor(tmp_path):
    write(tmp_path, "train.jsonl", RECORD)
    with pytest.raises(DataError, match=r"trian\.jsonl: no such file; did you mean .*train\.jsonl"):
        read(str(tmp_path / "trian.jsonl"))


def test_a_missing_folder_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="folder does not exist"):
        read(str(tmp_path / "no" / "train.jsonl"))


def test_a_name_with_nul_is_a_data_error():
    with pytest.raises(DataError, match="cannot be read"):
        read("a\0.jsonl")


def test_a_folder_where_a_file_is_wanted_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="is a folder; expected a file"):
        read(str(tmp_path), format="jsonl")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything is readable here")
def test_a_forbidden_file_is_a_data_error(tmp_path):
    path = write(tmp_path, "a.jsonl", RECORD)
    Path(path).chmod(0)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read(path)


def test_stdin_is_jsonl_unless_said_otherwise(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RECORD.encode()), "utf-8"))
    (document,) = read("-")
    assert (document.id, str(document.origin)) == ("-:1", "-:1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"text,label\na,b\n"), "utf-8"))
    assert [d.labels for d in read("-", format="csv")] == [("b",)]


def test_a_byte_order_mark_before_a_quoted_header_is_no_part_of_it(tmp_path):
    path = write(tmp_path, "a.csv", b'\xef\xbb\xbf"text","label"\r\n"a","b"\r\n')
    assert [(dict(d.texts), d.labels) for d in read(path)] == [({"text": "a"}, ("b",))]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp037"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings_read_to_the_same_text(tmp_path, encoding, end):
    text = 'text,label\n"one\ntwo",b\nthree,c\n'.replace("\n", end)
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path = write(tmp_path, "a.csv", (mark + text).encode(encoding))
    documents = read(path, encoding=encoding)
    assert [d.texts["text"] for d in documents] == [f"one{end}two", "three"]
    assert [d.origin.line for d in documents] == [2, 4]


@pytest.mark.parametrize("mark", ["utf-16", "utf-32"])
def test_utf_16_read_as_utf_8_says_which_encoding_to_add(tmp_path, mark):
    with pytest.raises(DataError, match=f"add --encoding {mark}"):
        read(write(tmp_path, "a.jsonl", RECORD.encode(mark)))


def test_bytes_that_are_no_text_are_named_with_file_line_and_offset(tmp_path):
    good = '{"text": "é", "label": "x"}\n'.encode()
    bad = '{"text": "naïve", "label": "x"}\n'.encode("cp1252")
    path = write(tmp_path, "a.jsonl", good + bad)
    offset = len(good) + bad.index(b"\xef")
    with pytest.raises(DataError, match=rf"a\.jsonl:2: byte 0xEF at offset {offset} of") as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert [d.texts["text"] for d in read(path, encoding="cp1252")] == ["Ã©", "naïve"]


def test_half_a_utf_16_unit_is_named_with_line_and_offset(tmp_path):
    content = '{"text": "a", "label": "b"}\n'.encode("utf-16-le") * 2 + b"\x00\xd8\x41\x00"
    with pytest.raises(DataError, match=rf":3: byte 0x00 at offset {len(content) - 4} of"):
        read(write(tmp_path, "a.jsonl", content), encoding="utf-16-le")


def test_a_line_that_is_no_text_can_be_skipped_or_replaced(tmp_path):
    bad_line = '{"text": "naïve", "label": "x"}\n'.encode("cp1252")
    path = write(tmp_path, "a.jsonl", RECORD.encode() + bad_line + RECORD.encode())
    documents, bad = read_skipping(path)
    assert [d.origin.line for d in documents] == [1, 3]
    assert (bad.count, str(bad.first[0][0])) == (1, f"{path}:2")
    documents, bad = read_skipping(path, encoding_errors="replace")
    assert documents[1].texts["text"] == "na\ufffdve"
    assert (bad.count, bad.replaced) == (0, 1)


@pytest.mark.parametrize("encoding", ["utf-9", "hex", "rot13", "idna", "unicode_escape", ""])
def test_an_encoding_that_makes_no_text_of_bytes_is_refused(encoding):
    with pytest.raises(SettingsError, match="encoding is"):
        DataSettings(encoding=encoding)


def test_a_line_of_100_mb_is_one_document_where_that_is_allowed(tmp_path):
    text = "long line " * 10_000_000
    path = write(tmp_path, "a.jsonl", f'{{"text": "{text}", "label": "x"}}\n{RECORD}')
    start = time.monotonic()
    long, short = read(path, max_record=128)
    assert long.texts["text"] == text
    assert short.labels == ("Müll",)
    assert time.monotonic() - start < 10  # 0.5 s on the machine it was written on


LONG = json.dumps({"text": "x" * 2**20, "label": "y"})


def test_a_record_beyond_the_limit_is_a_data_error(tmp_path):
    for encoding in ("utf-8", "utf-16"):
        path = write(tmp_path, "a.jsonl", (RECORD + LONG).encode(encoding))
        with pytest.raises(DataError, match=r":2: a line of more than 1 MB;.* --max-record 4$"):
            read(path, encoding=encoding, max_record=1)
        assert len(read(path, encoding=encoding)) == 2


@pytest.mark.parametrize("name", ["a.jsonl", "a.ft", "a.csv"])
def test_lines_beyond_the_limit_are_skipped_like_other_bad_records(name, tmp_path):
    good = {"a.jsonl": RECORD, "a.ft": "__label__a b\n", "a.csv": "b,a\n"}[name]
    head = "text,label\n" if name == "a.csv" else ""
    path = write(tmp_path, name, head + good + LONG + "\n" + good + LONG)
    documents, bad = read_skipping(path, max_record=1)
    first = 3 if head else 2
    assert [document.origin.line for document in documents] == [first - 1, first + 1]
    assert [origin.line for origin, _ in bad.first] == [first, first + 2]


def test_long_records_of_other_formats_are_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"text": ["a", "x" * 2**20 + "x"], "label": ["a", "b"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    write(tmp_path, "a.json", f"[{RECORD},{LONG}]")
    (tmp_path / "folders" / "a").mkdir(parents=True)
    write(tmp_path / "folders" / "a", "b.txt", LONG)
    for name in ("a.parquet", "a.json", "folders"):
        with pytest.raises(DataError, match="of more than 1 MB"):
            read(str(tmp_path / name), max_record=1)


BOMB = """
import resource, sys
from boostext.corpus.readers import read_documents
from boostext.errors import DataError
from boostext.settings import DataSettings
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    list(read_documents([sys.argv[1]], DataSettings()))
except DataError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on memory")
def test_a_decompression_bomb_is_one_error_in_bounded_memory(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(40):
            file.write(b" " * 2**20)
    assert path.stat().st_size < 2**21
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "a line of more than 16 MB" in done.stdout, done.stderr


def test_an_xz_file_may_not_ask_for_any_memory_it_likes(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "XZ_MEMORY", 2**20)
    with pytest.raises(DataError, match="needs more than 1 MB of memory to be decompressed"):
        read(write(tmp_path, "a.jsonl.xz", lzma.compress(RECORD.encode(), preset=6)))
