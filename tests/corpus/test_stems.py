"""Stems: what BoosTexter, icsiboost and C4.5 would read, and what breaks them."""

import contextlib
import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.corpus.readers import read_documents
from boostext.corpus.schema import (
    Column,
    Schema,
    escaped,
    kept_schema,
    parse_column,
    parse_schema,
    read_schema,
    schema_lines,
    unescaped,
    with_columns,
    with_schema,
)
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings, TextSettings

NAMES = "billing, moved.\ntext: text.\nminutes: continuous.\nregion: north, south.\n"


@pytest.fixture
def stem(tmp_path):
    """Writes calls.names and calls.data, and reads them."""

    def read(data, names=NAMES, labelled=True, **settings):
        (tmp_path / "calls.names").write_bytes(
            names if isinstance(names, bytes) else names.encode()
        )
        path = tmp_path / "calls.data"
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return list(read_documents([str(path)], DataSettings(**settings), labelled=labelled))

    return read


def schema_of(text, dialect="boostexter"):
    def fault(line, message):
        return DataError("x.names", line, message)

    return parse_schema(enumerate(text.split("\n"), 1), fault, dialect)


# The .names file ------------------------------------------------------------------------------


def test_reads_every_type_and_option():
    schema = schema_of(
        "| made by hand\n\nLA, LB.\n"
        "words: text:expert_type=sgram expert_length=3 cutoff=2 drop=^x no_unk=0.\n"
        "age: continuous.\ncolor: red, light blue, a:b.\nid:ignore.\ns: scored text.\nnote: text\n"
    )
    assert schema.labels == ("LA", "LB")
    assert schema.columns == (
        Column(
            "words",
            "text",
            (),
            (
                ("expert_type", "sgram"),
                ("expert_length", "3"),
                ("cutoff", "2"),
                ("drop", "^x"),
                ("no_unk", "0"),
            ),
        ),
        Column("age", "continuous"),
        Column("color", "nominal", ("red", "light blue", "a:b")),
        Column("id", "ignore"),
        Column("s", "scored text"),
        Column("note", "text"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "LA, LB.\nt: text.",
        "LA, LB. \nt: text.  \n",
        "LA,LB\r\nt:text\r\n",
        "\tLA ,LB .\n t : text .",
    ],
)
def test_white_space_and_final_dots_make_no_difference(text):
    assert schema_of(text) == Schema(("LA", "LB"), (Column("t", "text"),))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("LA, LA.\nt: text.", 1, "the label 'LA' occurs twice"),
        ("LA, , LB.\nt: text.", 1, "an empty label"),
        ("LA, LB.\nt: text.\nt: text.", 3, "declared twice"),
        ("LA, LB.\nt: texte.", 2, "did you mean text?"),
        ("LA, LB.\nt text.", 2, "expected NAME: TYPE"),
        ("LA, LB.\nc: red.", 2, "at least two values"),
        ("LA, LB.\nc: red, red.", 2, "the value 'red' occurs twice"),
        ("LA, LB.\nt: text: window=2.", 2, "expert_type, expert_length"),
        ("LA, LB.\nt: text: expert_length=-1.", 2, "expected a window of 1 to 32 words"),
        ("LA, LB.\nt: text: expert_length=99999999999.", 2, "expected a window"),
        ("LA, LB.\nt: text: expert_type=xgram.", 2, "expected ngram, fgram, sgram"),
        ("LA, LB.\nt: text: drop=(.", 2, "not a regular expression"),
        ("LA, LB.\nt: text: cutoff=x.", 2, "not a whole number"),
        ("", 0, "no labels"),
        ("LA, LB.", 0, "no columns"),
    ],
)
def test_what_is_wrong_in_a_names_file_is_told_with_its_line(text, line, says):
    with pytest.raises(DataError, match=r"x\.names") as error:
        schema_of(text)
    assert error.value.line == line
    assert says in error.value.message


def test_a_byte_order_mark_is_no_part_of_the_first_label(tmp_path):
    (tmp_path / "a.names").write_bytes(b"\xef\xbb\xbfLA, LB.\nt: text.\n")
    assert read_schema(str(tmp_path / "a.names"), DataSettings()).labels == ("LA", "LB")


def test_columns_with_options_have_text_settings_of_their_own():
    schema = schema_of(
        "LA, LB.\na: text: expert_type=sgram expert_length=3 cutoff=2.\n"
        "b: text: expert_type=fgram.\nc: text: drop=x no_unk=1.\nd: text.\n"
    )
    text = with_columns(TextSettings(ngrams=(1, 2)), schema)
    assert (text.of_field("a").expert, text.of_field("a").ngrams) == ("icsi-sparse", (1, 3))
    assert text.of_field("a").min_df == 2
    assert (text.of_field("b").expert, text.of_field("b").ngrams) == ("full", (1, 2))
    assert text.of_field("c").drop == "(^|#)unk(#|$)"  # icsiboost drops nothing more then
    assert text.of_field("d") == TextSettings(ngrams=(1, 2))


names = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1, max_size=6)


@given(
    labels=st.lists(names, min_size=1, max_size=3, unique=True),
    columns=st.lists(names, min_size=1, max_size=3, unique=True),
    values=st.lists(names, min_size=2, max_size=3, unique=True),
    dialect=st.sampled_from(["boostexter", "jboost"]),
)
def test_a_schema_is_written_so_that_it_reads_the_same_or_refused(labels, columns, values, dialect):
    schema = Schema(
        tuple(labels),
        (Column(columns[0], "nominal", tuple(values)), *(Column(n, "text") for n in columns[1:])),
    )
    try:
        lines = schema_lines(schema, dialect)
    except SettingsError:
        return
    assert schema_of("\n".join(lines), dialect) == schema


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12))
def test_escapes_come_back(text):
    assert unescaped(escaped(text)) == text


def test_a_model_keeps_a_schema_with_commas_and_dots():
    schema = Schema(("a, b", "c."), (Column("x: y", "text"), Column("z", "nominal", ("1,5", "2."))))
    assert kept_schema(with_schema(DataSettings(), schema)) == schema


# The data ---------------------------------------------------------------------------------------


def test_reads_texts_numbers_categories_and_labels(stem):
    first, second = stem("Wrong  bill , 12.5 ,north, billing moved.\n?, ?, ?, moved\n")
    assert first.texts == {"text": "Wrong  bill"}
    assert first.attributes == {"minutes": 12.5, "region": "north"}
    assert first.labels == ("billing", "moved")
    assert (first.id, first.origin.line) == ("calls.data:1", 1)
    assert second.texts == {"text": ""}
    assert second.attributes == {"minutes": None, "region": None}


@pytest.mark.parametrize(
    ("line", "text", "labels"),
    [
        (", 1, north, billing.", "", ("billing",)),  # icsiboost takes the number for the text
        ("|a bar, 1, north, billing.", "|a bar", ("billing",)),  # and this for a comment
        ("a\tb, 1, north, billing.", "a\tb", ("billing",)),
        ("a  b, 1, north, billing.", "a  b", ("billing",)),
        ("a\0b, 1, north, billing.", "a\0b", ("billing",)),
        ("a, 1, north, billing. ", "a", ("billing",)),
        ("a, 1, north, billing .", "a", ("billing",)),
        ("a, 1, north, billing", "a", ("billing",)),
        ("a, 1, north, billing  billing.", "a", ("billing",)),
        ("a, 1, north, .", "a", ()),
        ('"a", 1, north, billing.', '"a"', ("billing",)),
        ("a, 1, north, billing.\r", "a", ("billing",)),
        ("\ufeffa, 1, north, billing.", "a", ("billing",)),
    ],
)
def test_what_breaks_other_readers_is_read(stem, line, text, labels):
    (document,) = stem(line + "\n")
    assert (document.texts["text"], document.labels) == (text, labels)


def test_a_label_with_spaces_is_read_where_it_stands_alone(stem):
    (document,) = stem("hello, new york.\n", names="new york, boston.\ntext: text.\n")
    assert document.labels == ("new york",)


def test_comments_and_blank_lines_are_no_records(stem):
    documents = stem("|1x3 Cross validator\n\n   \na, 1, north, billing.\n")
    assert [d.origin.line for d in documents] == [4]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("well, yes, 1, north, billing.", "5 columns; expected 3 ('text', 'minutes', 'region')"),
        ("a, 1, north", "3 columns; expected 3 ('text', 'minutes', 'region') and the labels"),
        ("a, one, north, billing.", "column 'minutes' is 'one'; expected a number, or ?"),
        ("a, nan, north, billing.", "expected a number"),
        ("a, 1e999, north, billing.", "expected a number"),
        ("a, , north, billing.", "expected a number"),
        ("a, 1, norht, billing.", "'norht', which the .names does not declare; did you mean"),
        ("a, 1, north, biling.", "the label 'biling', which the .names does not declare; did"),
        ("a, 1, north, billing,", "5 columns"),
    ],
)
def test_a_bad_line_is_told_with_its_place(stem, line, says):
    with pytest.raises(DataError) as error:
        stem("a, 1, north, billing.\n" + line + "\n")
    assert error.value.line == 2
    assert says in error.value.message


def test_bad_lines_are_left_out_on_request(stem, tmp_path):
    stem("a, 1, north, billing.\na, 1, east, billing.\nb, 2, south, moved.\n", skip_bad=True)
    bad = BadRecords()
    path = str(tmp_path / "calls.data")
    documents = list(read_documents([path], DataSettings(skip_bad=True), bad))
    assert [d.texts["text"] for d in documents] == ["a", "b"]
    assert bad.count == 1


def test_labels_may_be_missing_where_they_are_not_wanted(stem):
    (document,) = stem("a, 1, north\n", labelled=False)
    assert not document.labelled


def test_a_kept_schema_needs_no_names_file_and_judges_no_labels_and_values(stem, tmp_path):
    stem("a, 1, north, billing.\n")
    settings = with_schema(
        DataSettings(), read_schema(str(tmp_path / "calls.names"), DataSettings())
    )
    (tmp_path / "new.test").write_text("b, 2, east, unheard of.\n", "utf-8")
    (document,) = read_documents([str(tmp_path / "new.test")], settings)
    assert document.attributes == {"minutes": 2.0, "region": "east"}
    assert document.labels == ("unheard", "of")


def test_the_end_of_a_text_is_not_taken_for_a_label(stem, tmp_path):
    stem("a, LA.\n", names="LA, LB.\nt: text.\n")
    settings = with_schema(
        DataSettings(), read_schema(str(tmp_path / "calls.names"), DataSettings())
    )
    (tmp_path / "new.test").write_text("well\nwell, yes\n", "utf-8")
    with pytest.raises(DataError, match="a text contains a comma") as error:
        list(read_documents([str(tmp_path / "new.test")], settings, labelled=False))
    assert error.value.line == 2


@pytest.mark.parametrize("ending", ["", ".names", ".data"])
def test_a_stem_and_its_names_file_mean_its_data(stem, tmp_path, ending):
    stem("a, 1, north, billing.\n")
    (document,) = read_documents([str(tmp_path / f"calls{ending}")], DataSettings())
    assert document.texts == {"text": "a"}


def test_data_may_be_compressed(stem, tmp_path):
    stem("a, 1, north, billing.\n")
    data = tmp_path / "calls.data"
    (tmp_path / "calls.data.gz").write_bytes(gzip.compress(data.read_bytes()))
    (document,) = read_documents([str(tmp_path / "calls.data.gz")], DataSettings())
    assert document.labels == ("billing",)


def test_a_missing_names_file_is_told(tmp_path):
    path = tmp_path / "calls.data"
    path.write_text("a, billing.\n", "utf-8")
    with pytest.raises(DataError, match=r"no .*calls.names that describes .*; give --names FILE"):
        list(read_documents([str(path)], DataSettings()))


SCORED = "LA, LB.\ni: ignore.\ns: scored text.\nt: text.\n"


def test_ignored_columns_are_read_over_and_scored_texts_are_words_with_values(stem):
    (document,) = stem("x, a .5 b -1e2  a .25, hello, LA.\n", names=SCORED)
    assert document.texts == {"t": "hello"}
    assert document.attributes == {}
    assert document.scored == {"s": {"a": 0.5, "b": -100.0}}  # of two the greater
    (document,) = stem("x, ?, hello, LA.\n", names=SCORED)
    assert document.scored == {"s": {}}


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("a", "ends with 'a'"),
        ("a 1 b", "ends with 'b'"),
        ("a b", "has 'b' after the word 'a'"),
        ("a inf", "has 'inf' after"),
        ("a 1e999", "has '1e999' after"),
        ("1 2 x y", "has 'y' after"),
    ],
)
def test_a_scored_text_needs_a_number_after_each_word(stem, cell, message):
    with pytest.raises(DataError, match=f"calls.data:1: .*'s' {message}.*WORD NUMBER"):
        stem(f"x, {cell}, hello, LA.\n", names=SCORED)


def test_jboost_has_escapes_and_comments(stem):
    (document,) = stem(
        "// a comment\nwell\\, yes\\. back\\\\slash http://x, 1\\.5, moved\\.house.\n",
        names="billing, moved\\.house. // labels\ntext: text.\nminutes: continuous.\n",
        names_dialect="jboost",
    )
    assert document.texts == {"text": "well, yes. back\\slash http://x"}
    assert document.attributes == {"minutes": 1.5}
    assert document.labels == ("moved.house",)


def test_numbers_have_32_bits_on_request(stem):
    (exact,) = stem("a, 0.1, north, billing.\n")
    (rounded,) = stem("a, 0.1, north, billing.\n", single_precision=True)
    assert exact.attributes["minutes"] == 0.1
    assert rounded.attributes["minutes"] == 0.100000001490116119384765625  # strtof("0.1")


@given(st.binary(max_size=60))
def test_any_bytes_give_documents_or_one_error(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("stem")
    (folder / "a.names").write_text(NAMES, "utf-8")
    (folder / "a.data").write_bytes(content)
    (folder / "b.names").write_bytes(content)
    (folder / "b.data").write_text("a, 1, north, billing.\n", "utf-8")
    for stem in "ab":
        path = str(folder / f"{stem}.data")
        with contextlib.suppress(DataError):
            list(read_documents([path], DataSettings(), labelled=False))


def test_reads_the_whole_of_uci_adult(data_dir):
    folder = data_dir / "adult" / "original"
    counts = [
        sum(1 for _ in read_documents([str(folder / name)], DataSettings()))
        for name in ("adult.data", "adult.test")
    ]
    assert counts == [32561, 16281]  # adult.names says so


def test_very_many_values_are_read_in_linear_time():
    """Each was once compared with all others, which takes ten seconds here."""
    line = "color: " + ", ".join(f"v{n}" for n in range(30_000))
    before = time.process_time()
    assert len(parse_column(line).values) == 30_000
    assert time.process_time() - before < 2
    with pytest.raises(ValueError, match="the value 'v7' occurs twice"):
        parse_column(f"{line}, v7")
