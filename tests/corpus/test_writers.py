"""Writing: what is written reads back the same, and what cannot be is an error or counted."""

import io
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from boostext.corpus import folder_writer
from boostext.corpus.documents import Document, Origin
from boostext.corpus.readers import read_documents
from boostext.corpus.writers import WRITERS, write_documents
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.settings import DataSettings
from tests.corpus.reading import read, write

HOSTILE = [
    "a b",
    "a,b",
    'a"b',
    '"',
    "a;b",
    "a\tb",
    "a:b",
    "__label__a",
    "😀",
    "ä",
    "a\u0308",
    " a ",
    "a\nb",
    "a\r\nb",
    "\r",
    "#",
    "=1+1",
    "'",
    "\\n",
    "null",
    "a\u2028b",
    "\0",
    "\ufeff",
    "1",
    ".",
    "..",
    "CON",
    "\u202ea",
    "[]",
    "{}",
    "|",
    "a\u00a0b",
    "\x85",
    "\x1c",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20), st.text(HOSTILE[5] + ' "\r\n'))
LABELS = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=10))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["age", "city, land", "größe"]), NUMBERS | TEXTS | st.none(), max_size=3
)
DOCUMENTS = st.lists(
    st.builds(
        Document,
        id=TEXTS.filter(bool),
        texts=st.fixed_dictionaries({"text": TEXTS}),
        labels=st.lists(LABELS, max_size=3, unique=True).map(tuple),
        weight=st.floats(0, 1e9),
        attributes=ATTRIBUTES,
        scored=st.dictionaries(
            TEXTS.map(lambda t: f"s{t}"), st.dictionaries(TEXTS, NUMBERS, max_size=3), max_size=2
        ).map(lambda found: {k: v for k, v in found.items() if v}),
        origin=st.builds(Origin, st.just("source"), st.integers(1, 99)),
    ),
    max_size=5,
)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def content(document, ignore=()):
    """What a document says, apart from where it was read."""
    held = {
        "id": document.id,
        "texts": dict(document.texts),
        "labels": document.labels,
        "weight": document.weight,
        "attributes": dict(document.attributes),
        "scored": {k: dict(v) for k, v in document.scored.items()},
    }
    return {name: value for name, value in held.items() if name not in ignore}


AS_THEY_STAND = {"literal_labels": True, "missing": ("",)}
"""Settings under which any label and text is held as it stands."""


def without_blank_categories(document):
    """Blank categories are missing values, and are not held as anything else."""
    known = {
        k: v for k, v in document.attributes.items() if not (isinstance(v, str) and not v.strip())
    }
    return replace(document, attributes=known)


def written(folder, name, documents, lossy=False, **chosen):
    path = f"{folder}/{os.urandom(8).hex()}{name}"
    return path, write_documents(documents, path, DataSettings(**chosen), lossy, force=True)


@QUICK
@given(documents=DOCUMENTS, ending=st.sampled_from(["", ".gz", ".bz2", ".xz"]))
def test_jsonl_holds_everything(tmp_path, documents, ending):
    documents = [without_blank_categories(document) for document in documents]
    path, summary = written(tmp_path, ".jsonl" + ending, documents, **AS_THEY_STAND)
    assert (summary.count, summary.replaced) == (len(documents), 0)
    assert [content(d) for d in read(path, **AS_THEY_STAND)] == [content(d) for d in documents]


@QUICK
@given(documents=DOCUMENTS, ending=st.sampled_from([".csv", ".tsv", ".csv.gz"]))
@example([Document("1", {"text": "a\rb"}), Document("2", {"text": ""})], ".csv")
def test_tables_hold_texts_ids_weights_and_one_label_of_any_kind(tmp_path, documents, ending):
    documents = [replace(d, labels=d.labels[:1], attributes={}, scored={}) for d in documents]
    path, _ = written(tmp_path, ending, documents, **AS_THEY_STAND)
    if documents:
        assert [content(d) for d in read(path, **AS_THEY_STAND)] == [content(d) for d in documents]


MEANT_OTHERWISE = [
    Document("1", {"text": "a"}, ("None",)),
    Document("1", {"text": "a"}, (" a",)),
    Document("1", {"text": "a"}, ("1.0",)),
    Document("1", {"text": "nan"}, ("a",)),
    Document("1", {"text": "a"}, ("a",), attributes={"n": "NULL"}),
]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".ft"])
@pytest.mark.parametrize("document", MEANT_OTHERWISE, ids=range(len(MEANT_OTHERWISE)))
def test_what_would_be_read_as_another_thing_is_not_written_without_a_word(
    tmp_path, document, ending
):
    if ending != ".ft" or document.labels != ("a",):
        assert refused(
            tmp_path, document, format={".jsonl": "jsonl", ".csv": "csv", ".ft": "fasttext"}[ending]
        )
    if ending == ".jsonl":
        path, _ = written(tmp_path, ending, [document], **AS_THEY_STAND)
        assert [content(d) for d in read(path, **AS_THEY_STAND)] == [content(document)]


def refused(folder, document, **chosen):
    """Whether the format says it cannot hold a document."""
    try:
        written(folder, "", [document], **chosen)
    except DataError:
        return True
    return False


@QUICK
@given(documents=DOCUMENTS, separator=st.sampled_from([";", ", ", "|", ";;"]))
def test_tables_hold_what_they_do_not_refuse(tmp_path, documents, separator):
    for document in documents:
        chosen = {"format": "csv", "label_sep": separator}
        if not refused(tmp_path, document, **chosen):
            path, _ = written(tmp_path, "", [document], **chosen)
            (back,) = read(path, attribute=tuple(document.attributes), **chosen)
            assert content(back) == content(document)


@QUICK
@given(documents=DOCUMENTS, format=st.sampled_from(["fasttext", "folders"]))
def test_fasttext_and_folders_hold_what_they_do_not_refuse(tmp_path, documents, format):
    for document in documents:
        document = replace(document, weight=1.0, attributes={}, scored={})
        if not refused(tmp_path, document, format=format):
            path, summary = written(tmp_path, "", [document], format=format)
            (back,) = read(path, format=format)
            assert content(back, {"id"}) == content(document, {"id"})
            assert "ids" in summary.left_out


@QUICK
@given(documents=DOCUMENTS, format=st.sampled_from(sorted({*WRITERS} - {"stem"})))
def test_lossy_writing_changes_documents_and_counts_them_and_the_result_reads(
    tmp_path, documents, format
):
    path, summary = written(tmp_path, "", documents, lossy=True, format=format)
    exact = [d for d in documents if not refused(tmp_path, d, format=format)]
    assert summary.replaced == len(documents) - len(exact)
    back = read(path, format=format)
    assert len(exact) <= len(back) <= len(documents)


REFUSED = [
    (".ft", {"labels": ("a b",)}, "white space in a label ('a b'); --lossy writes _"),
    (".ft", {"texts": {"text": "a\nb"}}, "line ends in a text"),
    (".ft", {"texts": {"text": "a __label__b"}}, "a text with __label__ in it"),
    (".ft", {"texts": {"text": ""}, "labels": ()}, "an empty text without labels"),
    (".ft", {"weight": 2.0}, "weights"),
    (".ft", {"attributes": {"n": 1.0}}, "attributes"),
    (".ft", {"scored": {"n": {"a": 1.0}}}, "scored texts"),
    (".csv", {"scored": {"n": {"a": 1.0}}}, "scored texts"),
    (".ft", {"texts": {"a": "x", "b": "y"}}, "several text fields"),
    (".csv", {"labels": ("a", "b")}, "several labels without --label-sep"),
    (".csv", {"attributes": {"n": "7"}}, "the category '7' of 'n', which reads as a number"),
    ("/", {"labels": ("a/b",)}, "the label 'a/b' as the name of a folder"),
    ("/", {"labels": ("a~",)}, "the label 'a~' as the name of a folder"),
    ("/", {"labels": ("Thumbs.db",)}, "the label 'Thumbs.db' as the name of a folder"),
    ("/", {"labels": (".a",)}, "the label '.a' as the name of a folder"),
    ("/", {"labels": ("a", "b")}, "several labels"),
    ("/", {"labels": ()}, "a document without labels"),
    ("/", {"texts": {"text": "a\r"}}, "a text that ends in CR"),
]


@pytest.mark.parametrize(("ending", "change", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_a_format_cannot_hold_names_the_record_and_writes_nothing(
    tmp_path, ending, change, message
):
    good = Document("1", {"text": "a"}, ("x",), origin=Origin("data.jsonl", 7))
    bad = replace(good, origin=Origin("data.jsonl", 8), **change)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        written(tmp_path, ending, [good, bad, good])
    assert (caught.value.path, caught.value.line) == ("data.jsonl", 8)
    assert list(tmp_path.iterdir()) == []
    _, summary = written(tmp_path, ending, [good, bad, bad], lossy=True)
    assert (summary.count, summary.replaced) == (3, 2)


def test_a_bad_record_read_while_writing_leaves_the_old_file(tmp_path):
    source = write(tmp_path, "a.jsonl", '{"text": "a", "label": "b"}\nbad\n')
    target = write(tmp_path, "b.csv", "old")
    with pytest.raises(DataError, match=r"a\.jsonl:2"):
        write_documents(read_documents([source], DataSettings()), target, force=True)
    assert Path(target).read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl", "b.csv"]


def test_a_file_can_be_rewritten_in_place(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"label": "b",  "text": "ä"}\n')
    write_documents(read_documents([path], DataSettings()), path, force=True)
    assert Path(path).read_text("utf-8") == '{"id": "a.jsonl:1", "text": "ä", "labels": ["b"]}\n'


def test_tables_have_one_column_for_each_thing_and_letters_as_they_are(tmp_path):
    documents = [
        Document("1", {"subject": "é, x"}, ("b",), attributes={"n": 1.0}),
        Document("2", {"body": 'say "x"\n', "subject": ""}, (), 0.5, {"m": "k", "n": None}),
    ]
    path, _ = written(tmp_path, ".csv", documents, text=("subject", "body"))
    assert Path(path).read_text("utf-8") == (
        'id,subject,body,label,weight,n,m\n1,"é, x",,b,1.0,1.0,\n2,,"say ""x""\n",,0.5,,k\n'
    )
    path, _ = written(tmp_path, ".tsv", documents[:1], label_sep=";", text=("subject",))
    assert Path(path).read_text("utf-8") == "id\ttext\tlabels\tn\n1\té, x\tb\t1.0\n"


def test_the_only_text_field_is_written_as_text(tmp_path):
    path, _ = written(tmp_path, ".jsonl", [Document("1", {"2": "a"})], text=("2",))
    assert read(path)[0].texts == {"text": "a"}


@pytest.mark.parametrize(
    ("ending", "document", "message"),
    [
        (".csv", Document("1", {"text": ""}, attributes={"text": "x"}), "two columns .* 'text'"),
        (".csv", Document("1", {"text": ""}, attributes={"": "x"}), "would have no name"),
        (".jsonl", Document("1", {"text": "", "id": ""}), "text field is called 'id'"),
    ],
)
def test_names_that_would_clash_are_refused(tmp_path, ending, document, message):
    with pytest.raises(DataError, match=message):
        written(tmp_path, ending, [document])


def test_documents_read_without_labels_are_written_without(tmp_path):
    source = write(tmp_path, "a.txt", "one\ntwo\n")
    for ending in (".jsonl", ".csv", ".ft", "/"):
        path, summary = written(tmp_path, ending, read(source, labelled=False))
        back = read(path, labelled=False)
        assert [d.texts["text"] for d in back] == ["one", "two"]
        assert summary.replaced == 0


def test_folders_take_file_names_from_plain_ids(tmp_path):
    ids = ["sport/1.txt", "2", "2", "a/b/3.gz", "../x", "ä"]
    documents = [Document(id, {"text": id}, ("sport",)) for id in ids]
    path, _ = written(tmp_path, "/", documents)
    assert sorted(p.name for p in Path(path, "sport").iterdir()) == [
        "0000003-2.txt",
        "0000006.txt",
        "1.txt",
        "2.txt",
        "3.gz.txt",
        "x.txt",
    ]


def test_a_folder_with_something_in_it_is_not_written_over(tmp_path):
    document = Document("1", {"text": "a"}, ("x",))
    with pytest.raises(DataError, match="is there already"):
        write_documents([document], write(tmp_path, "a", ""), DataSettings(format="folders"))
    with pytest.raises(DataError, match="is there already"):
        write_documents([document], str(tmp_path))
    (tmp_path / "empty").mkdir()
    write_documents([document], str(tmp_path / "empty"))
    assert (tmp_path / "empty/x/1.txt").read_bytes() == b"a\n"


def test_a_folder_that_its_umask_keeps_from_being_read_is_not_left_behind(tmp_path, monkeypatch):
    def closed(folder):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(folder_writer, "_opened", closed)
    monkeypatch.setattr(folder_writer.shutil, "rmtree", lambda *_, **__: None)  # it cannot look in
    document = Document("a", {"text": "one"}, ("x",), origin=Origin("d", 1))
    with pytest.raises(DataError, match="cannot be written: Permission denied"):
        write_documents([document], f"{tmp_path}/out/", DataSettings())
    assert list(tmp_path.iterdir()) == []


def test_the_same_documents_make_the_same_compressed_bytes(tmp_path):
    for ending in (".jsonl.gz", ".jsonl.bz2", ".jsonl.xz"):
        paths = [written(tmp_path, ending, [Document("1", {"text": "a"})])[0] for _ in range(2)]
        assert Path(paths[0]).read_bytes() == Path(paths[1]).read_bytes()


def test_stdout_takes_jsonl_unless_said_otherwise(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
    write_documents([Document("1", {"text": "ä"}, ("x",))], "-")
    write_documents([Document("1", {"text": "ä"}, ("x",))], "-", DataSettings(format="fasttext"))
    assert out.getvalue().decode() == ('{"id": "1", "text": "ä", "labels": ["x"]}\n__label__x ä\n')


@pytest.mark.parametrize("name", ["a.txt", "a.parquet", "a", "a.gz"])
def test_an_ending_without_a_writer_lists_the_formats(tmp_path, name):
    with pytest.raises(SettingsError, match=r"end the name in \.jsonl"):
        write_documents([], str(tmp_path / name))


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path):
    for path in (tmp_path / "no" / "a.jsonl", tmp_path / "no" / "folder"):
        with pytest.raises(BoostextError, match=r"folder .* does not exist|cannot be written"):
            write_documents([], str(path) + "/" * (path.suffix == ""))


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".ft", "/"])
def test_half_a_character_is_a_fault_of_its_document(tmp_path, ending):
    documents = [Document("1", {"text": "\ud800"}, ("x",), origin=Origin("api", 3))]
    with pytest.raises(DataError, match=r"^api:3: holds half of a character"):
        written(tmp_path, ending, documents)
