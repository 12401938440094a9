"""Data as people hold it: each row is a file that used to be misread, or refused without help."""

import bz2
import gzip
import io
import json
import lzma
import sys

import pytest
from click.testing import CliRunner

from boostext.cli import main
from boostext.corpus import json_values
from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings


def run(*arguments, input=None):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input)


def read(path, labelled=True, bad=None, **settings):
    return list(read_documents([str(path)], DataSettings(**settings), bad, labelled))


def pairs(documents):
    return [(document.texts["text"], document.labels) for document in documents]


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


TWO = [("my bill", ("x",)), ("router", ("y",))]
A, B = '{"text":"my bill","label":"x"}', '{"text": "router", "label": "y"}'
PRETTY = json.dumps(json.loads(f"[{A},{B}]"), indent=2)
NESTED_LINES = A.replace(",", ",\n\n ") + "\n" + B.replace(",", " ,\n\t")

JSON_TEXTS = {
    "a list on one line": f"[{A},{B}]",
    "a list, an object a line": f"[\n  {A},\n  {B}\n]\n",
    "a pretty-printed list": PRETTY,
    "pretty-printed objects": PRETTY[1:-1].replace("},", "}"),
    "pretty-printed objects with commas": PRETTY[1:-1],
    "objects over lines without indent": NESTED_LINES,
    "lines that end with commas": f"{A},\n{B},\n",
    "the lines of a list without its brackets": f"{A},\n{B}\n",
    "objects glued together": A + B,
    "objects glued by spaces and commas": f"{A} ,{B}",
    "two lists, one after the other": f"[{A}]\n[{B}]",
    "two lists glued": f"[{A}][{B}]",
    "a mark at the begin": f"\ufeff[{A},{B}]",
    "files with marks joined": f"\ufeff{A}\n\ufeff{B}\n",
    "lists with marks joined": f"\ufeff[{A}]\n\ufeff[{B}]\n",
    "a JSON text sequence": f"\x1e{A}\n\x1e{B}\n",
    "CRLF and blank lines": f"\r\n[\r\n\r\n{A},\r\n\r\n{B}\r\n]\r\n",
}


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.xz"])
@pytest.mark.parametrize("text", JSON_TEXTS.values(), ids=JSON_TEXTS)
def test_json_is_read_however_its_objects_stand(tmp_path, text, ending):
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(ending[-3:], bytes)
    path = write(tmp_path, f"a{ending}", pack(text.encode()))
    assert pairs(read(path)) == TWO


@pytest.mark.parametrize("text", JSON_TEXTS.values(), ids=JSON_TEXTS)
def test_json_on_stdin_is_read_too(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
    assert pairs(read("-")) == TWO


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_json_in_other_encodings_is_read(tmp_path, encoding):
    path = write(tmp_path, "a.json", JSON_TEXTS["a pretty-printed list"].encode(encoding))
    assert pairs(read(path, encoding=encoding)) == TWO


def test_every_command_reads_a_json_list(tmp_path):
    path, model = write(tmp_path, "a.json", f"[{A},{B}]"), tmp_path / "m"
    assert run("train", path, "-o", model, "--rounds", 2).exit_code == 0
    told = [json.loads(line) for line in run("predict", model, path).stdout.splitlines()]
    assert [row["labels"] for row in told] == [["x"], ["y"]]
    for command in (["evaluate", model], ["inspect", model], ["check"]):
        assert run(*command, path).exit_code == 0
    assert run("convert", path, tmp_path / "b.csv").exit_code == 0
    assert pairs(read(tmp_path / "b.csv")) == TWO
    assert run("convert", tmp_path / "b.csv", tmp_path / "c.json").exit_code == 0
    assert pairs(read(tmp_path / "c.json")) == TWO


BAD_JSON = [
    ('[{"text": "a", "label": "x"}, {"text" "b"}]', r"a\.json:1: record 2: not JSON: .*column 39"),
    (f"[{A},\n{A}", r"a\.json:1: the list that begins here never ends"),
    (f'[{A},\n{{"text": "b"', r"a\.json:2: record 2: not JSON"),
    (f'[{A},\n{{"text": "b', r"a\.json:2: record 2: .*Unterminated string starting at column 10"),
    ("[" * 100_000, r"a\.json:1: record 1: JSON nested too deeply"),
    (f'[{A}, "text"]', r"a\.json:1: record 2: expected an object .*, found a string"),
    (f"[{A}, 17]", r"record 2: expected an object .*, found a number"),
    (f'[{A}, {{"label": "x", "label": "y"}}]', r"record 2: not JSON: .*'label' occurs twice"),
    (f'[{A},\n\n{{"text": [3], "label": "x"}}]', r"a\.json:3: record 2: 'text' is"),
    (f"[{A}] and more", r"a\.json:1: record 2: not JSON"),
    ('{"data": {"note": "a"}, "label": "x"}', r"there are: 'data', 'data.note', 'label'"),
]


@pytest.mark.parametrize(("text", "message"), BAD_JSON, ids=range(len(BAD_JSON)))
def test_bad_json_is_one_error_with_its_line_and_record(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(write(tmp_path, "a.json", text))
    assert len(str(caught.value)) < len(str(tmp_path)) + 500


def test_records_before_the_bad_one_are_given_first(tmp_path):
    documents = read_documents([str(write(tmp_path, "a.json", f"[{A},{B}, oh"))], DataSettings())
    assert pairs([next(documents), next(documents)]) == TWO
    with pytest.raises(DataError):
        next(documents)


def test_bad_records_of_a_list_are_left_out_when_asked(tmp_path):
    text = f'[{A}, 7, {{"text": "a", "text": "b"}}, {{"text": {{}}, "label": "x"}}, {B}]'
    bad = BadRecords()
    assert pairs(read(write(tmp_path, "a.json", text), bad=bad, skip_bad=True)) == TWO
    assert bad.count == 3


def test_records_of_every_size_meet_the_ends_of_what_is_in_memory(tmp_path):
    texts = [letter * size for size in range(0, 700_000, 41_777) for letter in ("é", '"', "\\")]
    records = [{"text": text, "label": "x", "n": -1.5e-300, "ok": True} for text in texts]
    for indent in (None, 1):
        path = write(tmp_path, "a.json", json.dumps(records, indent=indent, ensure_ascii=False))
        assert [document.texts["text"] for document in read(path)] == texts


def test_a_value_of_many_small_ones_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_values, "LARGE", 2**18)
    with pytest.raises(DataError, match=r"a\.json:1: one JSON value of .* holds millions"):
        read(write(tmp_path, "a.json", '{"text": "", "n": [' + "[]," * 2**18))
    with pytest.raises(DataError, match=r"a\.jsonl:1: one JSON value of .* holds millions"):
        read(write(tmp_path, "a.jsonl", '{"text": "", "n": [' + "[]," * 2**18 + "[]]}"))


# Nested fields -------------------------------------------------------------------------------

NESTED = {
    "one level": ({"data": {"text": "a b"}, "label": "x"}, {"text": "data.text"}),
    "two levels": ({"d": {"e": {"t": "a b"}}, "label": "x"}, {"text": "d.e.t"}),
    "a field whose name holds the dot": (
        {"data.text": "a b", "data": {"text": "no"}, "label": "x"},
        {"text": "data.text"},
    ),
    "a part whose name holds a dot": ({"a.b": {"c": "a b"}, "label": "x"}, {"text": "a.b.c"}),
    "a list of one": ({"turns": [{"said": "a b"}], "label": "x"}, {"text": "turns.said"}),
    "labels below lists": (
        {"text": "a b", "annotations": [{"result": [{"value": {"choices": ["x"]}}]}]},
        {"label": "annotations.result.value.choices"},
    ),
    "a label below an object": ({"text": "a b", "meta": {"topic": "x"}}, {"label": "meta.topic"}),
}


@pytest.mark.parametrize(("record", "names"), NESTED.values(), ids=NESTED)
def test_a_dotted_name_leads_into_a_record(tmp_path, record, names):
    path = write(tmp_path, "a.jsonl", json.dumps(record))
    (document,) = read(path, **{name: (field,) for name, field in names.items()})
    assert (list(document.texts.values()), document.labels) == (["a b"], ("x",))


def test_ids_weights_and_attributes_may_be_nested_too(tmp_path):
    record = {"text": "a", "label": "x", "meta": {"id": 7, "w": 2, "age": 3}}
    path = write(tmp_path, "a.jsonl", json.dumps(record))
    (found,) = read(path, id="meta.id", weight="meta.w", attribute=("meta.age",))
    assert (found.id, found.weight, found.attributes) == ("7", 2.0, {"meta.age": 3.0})


def test_several_texts_below_a_list_are_joined_and_several_labels_are_several(tmp_path):
    record = {"turns": [{"said": "a", "by": "x"}, {"said": "b", "by": "y"}]}
    path = write(tmp_path, "a.jsonl", json.dumps(record))
    (found,) = read(path, text=("turns.said",), label=("turns.by",))
    assert (found.texts, found.labels) == ({"turns.said": "a\nb"}, ("x", "y"))


def test_a_path_that_leads_nowhere_names_the_nearest(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"data": {"text": "a"}, "label": "x"}')
    with pytest.raises(DataError, match=r"no field 'data.txt' .*did you mean --text data.text\?"):
        read(path, text=("data.txt",))
    with pytest.raises(DataError, match=r"no field 'text' .*did you mean --text data.text\?"):
        read(path)


def test_nested_fields_work_in_every_command(tmp_path):
    records = [{"data": {"text": t, "id": t}, "tag": {"is": y}} for t, (y,) in TWO]
    path = write(tmp_path, "a.jsonl", "\n".join(map(json.dumps, records)))
    names = ("--text", "data.text", "--label", "tag.is")
    model = tmp_path / "m"
    assert run("train", path, "-o", model, "--rounds", 2, *names).exit_code == 0
    told = [json.loads(line) for line in run("predict", model, path).stdout.splitlines()]
    assert [row["labels"] for row in told] == [["x"], ["y"]]
    assert run("evaluate", model, path).exit_code == 0
    assert "x" in run("check", path, *names).stdout
    assert run("convert", path, tmp_path / "b.jsonl", *names).exit_code == 0
    assert pairs(read(tmp_path / "b.jsonl")) == TWO


# --where -------------------------------------------------------------------------------------

KEPT = json.dumps(
    [
        {"text": "1", "label": "x", "lang": "en", "n": 1, "ok": True, "meta": {"by": ["a", "b"]}},
        {"text": "2", "label": "x", "lang": "de", "n": 2.0, "ok": False, "meta": {"by": ["b"]}},
        {"text": "3", "label": "y", "lang": None, "n": 3.5, "ok": True, "meta": {"by": []}},
    ]
)

WHERE = [
    (["lang=en"], "1"),
    (["lang!=en"], "23"),
    (["lang="], "3"),
    (["lang!="], "12"),
    (["lang=en", "lang=de"], "12"),
    (["lang!=en", "lang!=de"], "3"),
    (["n=1"], "1"),
    (["n=2"], "2"),
    (["n=2.0"], "2"),
    (["n=3.5"], "3"),
    (["ok=true"], "13"),
    (["ok=true", "n!=1"], "3"),
    (["meta.by=b"], "12"),
    (["meta.by!=a"], "23"),
    (["meta.by="], "3"),
    (["label=y"], "3"),
    (["lang=a=b"], ""),
]


@pytest.mark.parametrize(("where", "kept"), WHERE, ids=lambda value: str(value))
def test_where_keeps_the_records_of_which_it_is_true(tmp_path, where, kept):
    bad = BadRecords()
    found = read(write(tmp_path, "a.json", KEPT), bad=bad, where=tuple(where))
    assert "".join(document.texts["text"] for document in found) == kept
    assert sum(bad.left_out.values()) == 3 - len(kept)


SAME_ROWS = {
    "a.jsonl": '{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}',
    "a.csv": "text,label\na,x\nb,y\n",
    "a.tsv": "text\tlabel\na\tx\nb\ty\n",
    "a.ft": "__label__x a\n__label__y b\n",
    "a.txt": "__label__x a\n__label__y b\n",
    "f/x/1.txt": "a",
    "f/y/2.txt": "b",
    "s.names": "x, y.\ntext: text.\n",
    "s.data": "a, x.\nb, y.\n",
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.ft", "a.txt", "f", "s.data"])
def test_where_works_in_every_format(tmp_path, name):
    for file, content in SAME_ROWS.items():
        write(tmp_path, file, content)
    (found,) = read(tmp_path / name, where=("label=y",))
    assert found.texts["text"] == "b"
    with pytest.raises(DataError, match=r"no (field|column) 'lable' .*did you mean --where label"):
        read(tmp_path / name, where=("lable=y",))


def test_where_works_in_every_command_and_is_told(tmp_path):
    path = write(tmp_path, "a.csv", "text,label,part\nmy bill,x,1\nrouter,y,1\nodd,z,2\n")
    model, where = tmp_path / "m", ("--where", "part=1")
    done = run("train", path, "-o", model, "--rounds", 2, *where)
    assert "1 record left out: --where part=1" in done.output
    assert "2 documents, 2 labels" in done.output
    assert len(run("predict", model, path, *where).stdout.splitlines()) >= 2
    assert "z" not in run("evaluate", model, path, *where).output
    assert run("inspect", model, path, *where).exit_code == 0
    assert "labels (2)" in run("check", path, *where).output
    run("convert", path, tmp_path / "b.jsonl", *where)
    assert pairs(read(tmp_path / "b.jsonl")) == TWO


def test_a_condition_that_is_none_is_a_usage_error(tmp_path):
    for where in ("lang", "=en", "!=en", ""):
        with pytest.raises(SettingsError, match="expected FIELD=VALUE or FIELD!=VALUE"):
            DataSettings(where=(where,))


# Files that were joined ----------------------------------------------------------------------

MARK = "\ufeff"
JOINED = {
    "a.txt": f"{MARK}__label__x a\n__label__y b\n{MARK}__label__x c\n",
    "a.ft": f"__label__x a\n__label__y b\r\n{MARK}__label__x c",
    "a.csv": f"{MARK}text,label\na,x\nb,y\n{MARK}text,label\nc,x\n",
    "b.csv": "text,label\na,x\nb,y\ntext,label\nc,x\n",
    "c.csv": f'"text","label"\n"a","x"\nb,y\n{MARK}"text","label"\n"c",x\n',
    "d.csv": f"{MARK}text,label\na,x\n{MARK}b,y\nc,x\n",
    "a.tsv": f"{MARK}text\tlabel\na\tx\nb\ty\n{MARK}text\tlabel\nc\tx\n",
    "a.jsonl": f'{MARK}{{"text": "a", "label": "x"}}\n{{"text": "b", "label": "y"}}\n'
    f'{MARK}{{"text": "c", "label": "x"}}\n',
}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gz", "bz2"])
@pytest.mark.parametrize("name", JOINED)
def test_files_that_were_joined_read_like_the_files(tmp_path, name, pack):
    ending = {gzip.compress: ".gz", bz2.compress: ".bz2"}.get(pack, "")
    path = write(tmp_path, name + ending, pack(JOINED[name].encode()))
    assert pairs(read(path)) == [("a", ("x",)), ("b", ("y",)), ("c", ("x",))]


def test_a_header_that_stands_there_again_is_told(tmp_path):
    path = write(tmp_path, "a.csv", JOINED["a.csv"])
    for command in (["check", path], ["train", path, "-o", tmp_path / "m", "--rounds", 1]):
        assert f"1 record left out: the header of {path} once more" in run(*command).output


def test_a_header_in_another_order_is_refused(tmp_path):
    path = write(tmp_path, "a.csv", "text,label\na,x\nlabel,text\nx,c\n")
    with pytest.raises(DataError, match=r":3: a header with its columns in another order"):
        read(path)


# Spreadsheets --------------------------------------------------------------------------------

SEPARATED = {
    "sep= in the first line": ("a.csv", "sep=;\ntext;label\nmy bill;x\nrouter;y\n"),
    "sep= in quotes, with a mark": (
        "a.csv",
        '\ufeff"sep=|"\r\ntext|label\r\nmy bill|x\r\nrouter|y',
    ),
    "sep= that says what is usual": ("a.csv", "sep=,\ntext,label\nmy bill,x\nrouter,y\n"),
    "semicolons": ("a.csv", "text;label\nmy bill;x\nrouter;y\n"),
    "semicolons and commas": ("a.csv", 'text;label;"a,b"\nmy bill;x;1,5\nrouter;y;2,5\n'),
    "tabs": ("a.csv", "text\tlabel\nmy bill\tx\nrouter\ty\n"),
    "commas in .tsv": ("a.tsv", "text,label\nmy bill,x\nrouter,y\n"),
}


@pytest.mark.parametrize(("name", "content"), SEPARATED.values(), ids=SEPARATED)
def test_separators_of_spreadsheets_are_found_and_told(tmp_path, name, content):
    bad = BadRecords()
    assert pairs(read(write(tmp_path, name, content), bad=bad)) == TWO
    assert any("columns are separated by" in told for told in bad.understood)


def test_a_delimiter_that_is_given_wins(tmp_path):
    path = write(tmp_path, "b.csv", "sep=;\ntext;label\nmy bill;x\nrouter;y\n")
    assert pairs(read(path, delimiter=";")) == TWO
    with pytest.raises(DataError, match=r"one column, 'text;label'"):
        read(write(tmp_path, "a.csv", "text;label\nmy bill;x\n"), delimiter=",")


def test_separators_of_numbered_columns_are_found_and_told(tmp_path):
    numbered = {"header": False, "text": ("1",), "label": ("2",)}
    bad = BadRecords()
    path = write(tmp_path, "a.csv", "my bill;x\nrouter;y\n")
    found = read(path, bad=bad, **numbered)
    assert [(d.texts["1"], d.labels) for d in found] == TWO
    assert any("';', as its first lines show" in told for told in bad.understood)


def test_a_model_of_numbered_columns_finds_the_separator_of_new_data(tmp_path):
    train = write(tmp_path, "a.tsv", "my bill\tx\nrouter\ty\n" * 3)
    assert (
        run(
            "train",
            train,
            "--no-header",
            "--text",
            1,
            "--label",
            2,
            "-o",
            tmp_path / "m",
            "--rounds",
            2,
        ).exit_code
        == 0
    )
    new = write(tmp_path, "b.csv", "my bill;x\nrouter;y\n")
    done = run("predict", tmp_path / "m", new, "--keep-columns")
    assert json.loads(done.stdout.splitlines()[0])["1"] == "my bill"
    told = done.stderr
    assert "b.csv: read without a header, as the training data were; add --header" in told
    assert "not with --no-header" not in told


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_names_its_encoding(tmp_path, encoding):
    for name, content in (("a.csv", "text,label\nmy bill,x\nrouter,y\n"), ("a.jsonl", f"{A}\n{B}")):
        path = write(tmp_path, name, content.encode(encoding))
        with pytest.raises(DataError, match=f"add --encoding {encoding}$"):
            read(path)
        assert pairs(read(path, encoding=encoding)) == TWO
