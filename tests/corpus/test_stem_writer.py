"""Stems written: what they hold comes back, what they cannot hold is told or counted."""

import contextlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.corpus.documents import Document
from boostext.corpus.readers import read_documents
from boostext.corpus.writers import write_documents
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings


def document(text="hello", labels=("LA",), **rest):
    return Document("d", {"text": text}, labels, **rest)


def written(folder, documents, lossy=False, name="calls.data", **settings):
    """The summary, and what is read again."""
    chosen = DataSettings(format="stem", **settings)
    summary = write_documents(documents, str(folder / name), chosen, lossy, force=True)
    return summary, list(read_documents([str(folder / name)], chosen))


def contents(documents):
    return [(d.texts, d.labels, d.attributes, d.scored) for d in documents]


def test_scored_texts_come_back(tmp_path):
    documents = [
        document(scored={"heard": {"a": 0.1, "b:c": -3.0}}),
        document(scored={"heard": {}}),
    ]
    _, again = written(tmp_path, documents)
    assert contents(again) == contents(documents)
    with pytest.raises(DataError, match="the word 'two words' of a scored text"):
        written(tmp_path, [document(scored={"heard": {"two words": 1.0}})], name="other.data")


def test_texts_numbers_categories_and_labels_come_back(tmp_path):
    documents = [
        document("wrong  bill\tnow", ("LB", "LA"), attributes={"age": 0.1, "color": "light blue"}),
        document("", ("LC",), attributes={"age": None, "color": None}),
        document("hi.", ("LA",), attributes={"age": -2e30, "color": "a:b"}),
    ]
    summary, again = written(tmp_path, documents)
    assert contents(again) == contents(documents)
    assert (summary.count, summary.replaced, summary.left_out) == (3, 0, ("ids",))
    assert (tmp_path / "calls.names").read_text("utf-8") == (
        "LA, LB, LC.\ntext: text.\nage: continuous.\ncolor: light blue, a:b.\n"
    )


texts = st.text(st.characters(codec="utf-8"), max_size=8)
labels = st.lists(texts.filter(bool), min_size=1, max_size=2, unique=True).map(tuple)
attributes = st.fixed_dictionaries(
    {
        "age": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "color": st.none() | texts,
    }
)


@pytest.mark.parametrize("dialect", ["boostexter", "jboost"])
@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(document, texts, labels, attributes=attributes), min_size=1, max_size=3))
def test_a_stem_reads_as_it_was_written_or_is_refused(tmp_path_factory, dialect, documents):
    folder = tmp_path_factory.mktemp("stem")
    with contextlib.suppress(DataError, SettingsError):
        _, again = written(folder, documents, names_dialect=dialect)
        assert contents(again) == contents(documents)


@pytest.mark.parametrize("dialect", ["boostexter", "jboost"])
@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(document, texts, labels, attributes=attributes), min_size=1, max_size=3))
def test_a_lossy_stem_has_a_line_a_document(tmp_path_factory, dialect, documents):
    folder = tmp_path_factory.mktemp("stem")
    with contextlib.suppress(SettingsError):  # names and values that make no .names
        summary, again = written(folder, documents, lossy=True, names_dialect=dialect)
        assert len(again) == summary.count == len(documents)


@pytest.mark.parametrize(
    ("bad", "says", "lossy"),
    [
        (document("a, b"), "commas in a text; --lossy writes ' ' for them", "a  b"),
        (document("a\nb"), "line ends or NULs in a text", "a b"),
        (document("a\0b"), "line ends or NULs in a text", "a b"),
        (document(" a"), "blanks around a text", "a"),
        (document("?"), "a lone ? as a text", ""),
        (document("|a"), "a bar before a text, a comment in icsiboost", "a"),
        (document("a", ("L A",)), "blanks in a label ('L A')", "a"),
        (document("a", ("L,A",)), "commas in a label ('L,A')", "a"),
        (document("a", weight=2.0), "weights", "a"),
        (document("a", attributes={"c": "x,y"}), "commas in a category", "a"),
    ],
)
def test_what_a_stem_cannot_hold_is_told_or_changed_and_counted(tmp_path, bad, says, lossy):
    with pytest.raises(DataError) as error:
        written(tmp_path, [bad])
    assert says in error.value.message
    assert list(tmp_path.iterdir()) == []
    summary, (again,) = written(tmp_path, [bad], lossy=True)
    assert again.texts["text"] == lossy
    assert summary.replaced == 1


def test_a_document_without_labels_is_left_out_on_request(tmp_path):
    with pytest.raises(DataError, match="a document without labels"):
        written(tmp_path, [document(labels=())])
    summary, again = written(tmp_path, [document(labels=()), document("b")], lossy=True)
    assert [d.texts["text"] for d in again] == ["b"]
    assert summary.replaced == 1


def test_jboost_holds_commas_dots_and_blanks(tmp_path):
    documents = [document(" well, yes. a\\b // c|", ("L.A,",), attributes={"c": "1,5"})]
    _, again = written(
        tmp_path, [*documents, document(attributes={"c": "x"})], names_dialect="jboost"
    )
    assert contents(again)[0] == contents(documents)[0]


def test_a_test_set_is_written_in_the_columns_of_its_training_set(tmp_path):
    written(tmp_path, [document(attributes={"age": 1.0}), document(labels=("LB",))])
    names = (tmp_path / "calls.names").read_bytes()
    _, again = written(tmp_path, [document("b")], name="calls.test")
    assert again[0].attributes == {"age": None}
    assert (tmp_path / "calls.names").read_bytes() == names


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (document(labels=("LX",)), "does not declare the label 'LX'"),
        (document(attributes={"size": 1.0}), "has no column 'size'"),
        (document(attributes={"age": "old"}), "declares numbers"),
        (Document("d", {"subject": "x"}, ("LA",)), "has no text column 'subject'"),
    ],
)
def test_what_does_not_fit_the_names_file_is_told(tmp_path, other, says):
    written(tmp_path, [document(attributes={"age": 1.0})])
    with pytest.raises(DataError, match=says):
        written(tmp_path, [other], name="calls.test")


def test_a_column_of_one_category_gets_a_second(tmp_path):
    _, again = written(tmp_path, [document(attributes={"c": "x"})])
    assert "c: x, other.\n" in (tmp_path / "calls.names").read_text("utf-8")
    assert again[0].attributes == {"c": "x"}


def test_adult_goes_to_jsonl_and_back(data_dir, tmp_path):
    source = str(data_dir / "adult" / "original" / "adult.test")
    documents = [replace(d, id="") for d in read_documents([source], DataSettings())][:2000]
    write_documents(documents, str(tmp_path / "adult.jsonl"), DataSettings(text=("",)))
    middle = read_documents([str(tmp_path / "adult.jsonl")], DataSettings(text=("",)))
    _, again = written(tmp_path, middle, name="again.data")
    assert contents(again) == contents(documents)
