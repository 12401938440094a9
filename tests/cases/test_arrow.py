"""Parquet, Arrow, and data sets of Hugging Face: the same documents as in JSON."""

import contextlib
import datetime
import decimal
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus import arrow
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.library.data import table_records
from boostext.settings import DataSettings

resource = pytest.importorskip("resource")  # not on Windows
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

ROWS = [
    {"id": "a", "text": "my bill", "labels": ["x"], "meta": {"age": 3.5, "by": ["k"]}},
    {"id": "b", "text": "router", "labels": ["y", "z"], "meta": {"age": None, "by": []}},
]
BOTH = [("my bill", ("x",)), ("router", ("y", "z"))]
CLASSES = {
    "info": {
        "features": {
            "text": {"dtype": "string", "_type": "Value"},
            "label": {"names": ["neg", "pos"], "_type": "ClassLabel"},
        }
    }
}


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def write_file(table, path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)


WRITERS = {
    "a.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=1),
    "b.parquet": lambda table, path: parquet.write_table(table, path, compression="zstd"),
    "a.arrow": write_file,
    "b.arrow": write_stream,
    "a.feather": feather.write_feather,
    "b.feather": lambda table, path: feather.write_feather(table, path, "uncompressed"),
}


def read(path, bad=None, labelled=True, **settings):
    return list(read_documents([str(path)], DataSettings(**settings), bad, labelled))


def pairs(documents):
    return [(document.texts["text"], document.labels) for document in documents]


def written(folder, name, rows, metadata=None):
    table = pa.Table.from_pylist(rows)
    if metadata:
        table = table.replace_schema_metadata({"huggingface": json.dumps(metadata)})
    folder.mkdir(parents=True, exist_ok=True)
    WRITERS.get(name, write_stream)(table, folder / name)
    return folder / name


@pytest.mark.parametrize("name", WRITERS)
def test_tables_of_arrow_hold_the_documents_that_json_holds(tmp_path, name):
    path = written(tmp_path, name, ROWS)
    assert pairs(read(path)) == BOTH
    assert [str(document.origin) for document in read(path)] == [f"{path}:1", f"{path}:2"]
    found = read(path, attribute=("meta.age",), where=("meta.by=k",))
    assert [(document.id, document.attributes) for document in found] == [("a", {"meta.age": 3.5})]


@pytest.mark.parametrize("name", ["a.parquet", "b.arrow"])
def test_numbers_of_classes_are_read_as_their_names(tmp_path, name):
    rows = [{"text": "a", "label": 1}, {"text": "b", "label": 0}, {"text": "c", "label": -1}]
    bad = BadRecords()
    found = read(written(tmp_path, name, rows, CLASSES), bad)
    assert pairs(found) == [("a", ("pos",)), ("b", ("neg",)), ("c", ())]
    assert any("numbers in label are read as the class names" in told for told in bad.understood)
    several = {
        "info": {
            "features": {
                "labels": {
                    "_type": "Sequence",
                    "feature": {"names": ["u", "v"], "_type": "ClassLabel"},
                }
            }
        }
    }
    path = written(tmp_path, name, [{"text": "a", "labels": [0, 1]}], several)
    assert pairs(read(path)) == [("a", ("u", "v"))]


def test_the_example_of_the_page_is_read(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "data-formats.md").read_text(encoding="utf-8")
    _, lines = page.split("```jsonl parquet\n")
    rows = [json.loads(line) for line in lines.split("```")[0].splitlines()]
    assert pairs(read(written(tmp_path, "a.parquet", rows))) == [
        ("my bill is wrong", ("billing",)),
        ("we are moving house", ("moving", "complaint")),
    ]


def saved(folder, shards=2, state=None):
    """What datasets.Dataset.save_to_disk writes, with two rows in each of its files."""
    names = [f"data-{n:05}-of-{shards:05}.arrow" for n in range(shards)]
    for n, name in enumerate(names):
        written(folder, name, [{"text": f"{n}a", "label": 0}, {"text": f"{n}b", "label": 1}])
    (folder / "dataset_info.json").write_text(json.dumps(CLASSES["info"]), encoding="utf-8")
    state = state or {"_data_files": [{"filename": name} for name in names]}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return folder


def test_a_saved_data_set_of_hugging_face_is_read_with_its_names(tmp_path):
    assert pairs(read(saved(tmp_path / "d"))) == [
        ("0a", ("neg",)),
        ("0b", ("pos",)),
        ("1a", ("neg",)),
        ("1b", ("pos",)),
    ]


def test_a_saved_data_set_of_several_parts_names_them(tmp_path):
    for part in ("train", "test"):
        saved(tmp_path / "d" / part, 1)
    (tmp_path / "d" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}', "utf-8")
    with pytest.raises(DataError, match=r"several parts .*name one of: .*d/test, .*d/train"):
        read(tmp_path / "d")
    assert len(read(tmp_path / "d" / "train")) == 2


def test_a_saved_data_set_may_not_name_files_elsewhere(tmp_path):
    folder = saved(tmp_path / "d", 1, {"_data_files": [{"filename": "../secret.arrow"}]})
    with pytest.raises(DataError, match=r"state.json: names files in other folders"):
        read(folder)


def test_every_command_reads_parquet(tmp_path):
    path = written(tmp_path, "a.parquet", [ROWS[0], {**ROWS[1], "labels": ["y"]}])
    model = tmp_path / "m"
    for command in (
        ["train", path, "-o", model, "--rounds", 2],
        ["predict", model, path],
        ["evaluate", model, path],
        ["inspect", model, path],
        ["check", path],
        ["convert", path, tmp_path / "b.jsonl"],
    ):
        done = CliRunner().invoke(main, list(map(str, command)))
        assert done.exit_code == 0, done.output
    assert pairs(read(tmp_path / "b.jsonl")) == [("my bill", ("x",)), ("router", ("y",))]


def test_values_that_json_lacks_become_text_or_numbers(tmp_path):
    row = {
        "text": b"bytes",
        "label": datetime.date(2024, 5, 2),
        "n": decimal.Decimal("1.5"),
        "t": datetime.datetime(2024, 5, 2, 10),
    }
    (found,) = read(written(tmp_path, "a.parquet", [row]), attribute=("n", "t"))
    assert (found.texts["text"], found.labels) == ("bytes", ("2024-05-02",))
    assert found.attributes == {"n": 1.5, "t": "2024-05-02T10:00:00"}


@pytest.mark.parametrize("kind", [pa.timestamp("ms"), pa.date64(), pa.timestamp("s", "Mars/Moon")])
def test_points_in_time_that_python_lacks_become_text(tmp_path, kind):
    values = pa.array([86_400_000 << 33, 0]).view(kind)
    nested = pa.ListArray.from_arrays([0, 1, 2], values)
    columns = {"text": ["a", "b"], "label": ["x", "y"], "t": values, "ts": nested}
    table = pa.table(columns)
    feather.write_feather(table, str(tmp_path / "a.feather"))
    stored = read(tmp_path / "a.feather", attribute=("t",))
    assert pairs(stored) == [("a", ("x",)), ("b", ("y",))]
    assert str(86_400_000 << 33) in stored[0].attributes["t"]
    assert str(86_400_000 << 33) in next(table_records(table))["ts"]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("share", [0.0, 0.4, 0.9])
def test_a_cut_file_is_one_error(tmp_path, name, share):
    path = written(tmp_path, name, [{"text": f"{n} " * 50, "label": "x"} for n in range(999)])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DataError, match=rf"{name}: cannot be read"):
        read(path)


def test_text_with_the_ending_of_parquet_is_one_error(tmp_path):
    (tmp_path / "a.parquet").write_text("text,label\na,b\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read: "):
        read(tmp_path / "a.parquet")


def test_a_wrong_ending_names_the_right_one(tmp_path):
    for name, other in (("a.parquet", "rename it to end in .parquet"), ("a.arrow", "in .arrow")):
        path = written(tmp_path, name, ROWS).rename(tmp_path / "b.csv")
        with pytest.raises(DataError, match=other):
            read(path)


def test_a_text_that_a_small_file_repeats_often_takes_little_memory(tmp_path):
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), ["x" * 2**20])
    table = pa.table({"text": column, "label": ["a"] * 3000})
    parquet.write_table(table, tmp_path / "a.parquet")
    before = pa.total_allocated_bytes()
    documents = read_documents([str(tmp_path / "a.parquet")], DataSettings())
    assert sum(len(document.texts["text"]) for document in documents) == 3000 * 2**20
    assert pa.default_memory_pool().max_memory() - before < 2**28


def bombs(folder):
    """Small files that take 128 MB and more, each in another way."""
    text = pa.table({"text": ["x" * 2**27], "label": ["a"]})
    parquet.write_table(text, folder / "text.parquet", compression="zstd", use_dictionary=False)
    feather.write_feather(text, folder / "text.arrow", compression="zstd")
    nothing = pa.ListArray.from_arrays(
        pa.array([0, 2**21], pa.int32()), pa.nulls(2**21, pa.int64())
    )
    named = pa.table({"text": ["x"], "label": ["a"], "more": nothing})
    parquet.write_table(named, folder / "nothing.parquet", compression="zstd")
    one = pa.DictionaryArray.from_arrays(pa.array([0] * 256, pa.int32()), ["x" * 2**19])
    more = pa.ListArray.from_arrays([0, 256], one)
    repeated = pa.table({"text": ["x"], "label": ["a"], "more": more})
    feather.write_feather(repeated, folder / "repeated.arrow", compression="zstd")
    return sorted(folder.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what memory a process has")
def test_a_small_file_that_takes_much_memory_is_refused_before_it_does(tmp_path):
    assert "boostext.cli.program" in sys.modules, "there is a limit for the command line alone"
    files, limits = bombs(tmp_path), resource.getrlimit(resource.RLIMIT_DATA)
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())  # the other pools keep memory of earlier tests
    try:
        most = pa.default_memory_pool().max_memory()
        for path in files:
            with pytest.raises(DataError, match=r"more than \d+ MB.*--max-record"):
                read(path, max_record=1)
            assert resource.getrlimit(resource.RLIMIT_DATA) == limits
        assert pa.default_memory_pool().max_memory() <= max(most, 2**26)
    finally:
        pa.set_memory_pool(before)


@pytest.mark.parametrize(
    ("values", "length"),
    [
        (pa.array(["ab", "c", None]), 3 + 3),
        (pa.array([b"abc"]), 1 + 3),
        (pa.array([["a", "bb"], None, ["x"]]), 3 + 3 + 4),
        (pa.array([[1.0, 2.0]], pa.list_(pa.float64(), 2)), 1 + 2),
        (pa.array([[("k", "vvv")]], pa.map_(pa.string(), pa.string())), 1 + 2 + 4),
        (pa.array([[("k", "v")], [("k", "vv")]], pa.map_(pa.string(), pa.string()))[1:], 1 + 2 + 3),
        (pa.array([{"a": "xx", "b": [1, 2]}, None]), 2 + (2 + 2) + (2 + 2)),
        (pa.DictionaryArray.from_arrays(pa.array([0] * 5), ["abc"]), 5 + 15),
        (pa.DictionaryArray.from_arrays(pa.array([0] * 5), pa.array([7])), 5),
    ],
)
def test_the_length_of_values_is_known_before_they_are_converted(values, length):
    assert arrow._length(values) == length


def test_a_program_that_uses_the_library_gets_no_limit(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "boostext.cli.program", raising=False)
    monkeypatch.setattr(resource, "setrlimit", lambda *given: pytest.fail("a limit was set"))
    assert pairs(read(written(tmp_path, "a.parquet", ROWS))) == BOTH


def test_what_a_parquet_file_says_of_its_sizes_is_heeded_without_a_limit(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "boostext.cli.program", raising=False)
    monkeypatch.setattr(arrow._Memory, "MORE", 0)
    many = {"text": ["x y " * 99] * 15_000, "label": ["a"] * 15_000, "mask": [[1] * 9] * 15_000}
    usual = {"use_dictionary": False, "compression": "gzip"}
    pages = {**usual, "data_page_size": 2**30, "write_batch_size": 2**20}
    tables = {
        "usual": (pa.table(many), usual),
        "one text": (pa.table({"text": ["x" * 2**23], "label": ["a"]}), usual),
        "one page": (pa.table({**many, "text": ["x" * 400] * 15_000}), pages),
    }
    for name, (table, options) in tables.items():
        parquet.write_table(table, tmp_path / "a.parquet", **options)
        if name == "usual":
            assert len(read(tmp_path / "a.parquet", max_record=1)) == 15_000
            continue
        with pytest.raises(DataError, match=r"more than 4 MB.*--max-record 4"):
            read(tmp_path / "a.parquet", max_record=1)


def test_a_parquet_file_whose_index_is_damaged_does_not_end_the_process(tmp_path):
    """pyarrow ends it if it is asked for what this file says of its columns."""
    path = written(tmp_path, "a.parquet", ROWS)
    content, rng = path.read_bytes(), random.Random(0)
    index = int.from_bytes(content[-8:-4], "little")
    for _ in range(300):
        altered = bytearray(content)
        altered[-8 - rng.randrange(1, index)] = rng.randrange(256)
        path.write_bytes(altered)
        with contextlib.suppress(DataError):
            read(path)


def test_tables_are_read_where_no_limit_may_be_set(tmp_path, monkeypatch):
    def refuse(*given):
        raise PermissionError

    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert pairs(read(written(tmp_path, "a.parquet", ROWS))) == BOTH


def test_two_threads_do_not_take_the_limit_of_the_other_one_for_their_own(tmp_path):
    path = written(tmp_path, "a.parquet", ROWS)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(read, [path] * 64))
    assert all(documents == found[0] for documents in found)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch):
    path = written(tmp_path, "a.parquet", ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"need pyarrow.*pip install 'boostext\[arrow\]'"):
        read(path)
