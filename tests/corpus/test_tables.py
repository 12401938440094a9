"""CSV and TSV: RFC 4180, columns by name or number, and a fault for every ragged row."""

import pytest

from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings
from tests.corpus.reading import read, read_skipping, write


def rows(folder, content, name="a.csv", **settings):
    return read(write(folder, name, content), **settings)


def test_quotes_separators_and_line_ends_inside_fields_are_text(tmp_path):
    content = 'text,label\n"He said ""no"",\r\nthen\n\nleft",x\n plain  ,"y, z"\n'
    first, second = rows(tmp_path, content)
    assert first.texts["text"] == 'He said "no",\r\nthen\n\nleft'
    assert (second.texts["text"], second.labels) == (" plain  ", ("y, z",))


def test_a_record_has_the_number_of_its_first_line(tmp_path):
    content = 'text,label\n"a\n\nb",x\n\n"c\r\nd",y\n"e",z'
    documents = rows(tmp_path, content)
    assert [d.origin.line for d in documents] == [2, 6, 8]
    assert [d.id for d in documents] == ["a.csv:1", "a.csv:2", "a.csv:3"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_row(tmp_path, end):
    documents = rows(tmp_path, end.join(["text,label", "a,b", '"c",d', ""]))
    assert [(d.texts["text"], d.labels) for d in documents] == [("a", ("b",)), ("c", ("d",))]


def test_line_ends_may_be_mixed(tmp_path):
    documents = rows(tmp_path, 'text,label\r\na,b\n"c\rd\ne",f\r\ng,h\ri,j\n')
    assert [d.texts["text"] for d in documents] == ["a", "c\rd\ne", "g", "i"]


def test_blank_lines_are_left_out_and_counted(tmp_path):
    documents, bad = read_skipping(write(tmp_path, "a.csv", 'text,label\n\na,b\n\n\n"",""\n\n'))
    assert [d.texts["text"] for d in documents] == ["a", ""]
    assert documents[1].labels == ()
    assert bad.blank_lines == 4


def test_a_field_of_10_mb_is_one_text(tmp_path):
    text = 'word, "x"\n' * 1_000_000
    quoted = text.replace('"', '""')
    documents = rows(tmp_path, f'text,label\n"{quoted}",a\nshort,b\n')
    assert documents[0].texts["text"] == text
    assert (documents[1].texts["text"], documents[1].origin.line) == ("short", 1_000_003)


def test_nul_is_text(tmp_path):
    (document,) = rows(tmp_path, 'text,label\n"a\0b",c\0d\n')
    assert (document.texts["text"], document.labels) == ("a\0b", ("c\0d",))


@pytest.mark.parametrize(
    ("name", "settings", "separator"),
    [
        ("a.tsv", {}, "\t"),
        ("a.csv", {"delimiter": ";"}, ";"),
        ("a.csv", {"delimiter": r"\t"}, "\t"),
        ("a.txt", {"format": "tsv"}, "\t"),
        ("a.tsv", {"format": "csv"}, ","),
    ],
)
def test_the_ending_or_the_settings_say_the_separator_and_nothing_is_guessed(
    tmp_path, name, settings, separator
):
    content = f"text{separator}label\na|b{separator}c\n"
    (document,) = rows(tmp_path, content, name, **settings)
    assert (document.texts["text"], document.labels) == ("a|b", ("c",))


def test_a_delimiter_is_one_character():
    with pytest.raises(SettingsError, match="expected one character"):
        DataSettings(delimiter="||")


def test_label_cells_are_split_only_when_asked_and_lose_outer_blanks(tmp_path):
    content = "text,labels\na,x; y;x\nb,\n"
    assert [d.labels for d in rows(tmp_path, content)] == [("x; y;x",), ()]
    assert [d.labels for d in rows(tmp_path, content, label_sep=";")] == [("x", "y"), ()]
    assert [d.labels for d in rows(tmp_path, content, label_sep="; ")] == [("x", "y;x"), ()]


def test_several_label_columns_are_gathered_and_empty_cells_are_no_label(tmp_path):
    content = "a,text,b\nx,t,y\n,t,y\n,t,\ny,t,y\n"
    documents = rows(tmp_path, content, label=("b", "a"))
    assert [d.labels for d in documents] == [("y", "x"), ("y",), (), ("y",)]


def test_columns_go_by_name_or_by_number(tmp_path):
    content = "Gruß an alle,7,topic\nhello,3,x\n"
    by_number = rows(tmp_path, content, text=("1",), label=("3",), attribute=("2",))
    by_name = rows(tmp_path, content, text=("Gruß an alle",), label=("topic",), attribute=("7",))
    assert by_number[0].texts == {"1": "hello"}
    assert by_number[0].attributes == {"2": 3.0}
    assert by_name[0].texts == {"Gruß an alle": "hello"}
    assert by_name[0].attributes == {"7": 3.0}


def test_a_table_without_header_has_numbered_columns(tmp_path):
    settings = {"header": False, "text": ("2",), "label": ("1",)}
    documents = rows(tmp_path, "ham,hello\nspam,win\n", **settings)
    assert [(d.texts["2"], d.labels[0], d.origin.line) for d in documents] == [
        ("hello", "ham", 1),
        ("win", "spam", 2),
    ]
    assert rows(tmp_path, "", **settings) == []


def test_quotes_are_text_where_the_settings_say_so(tmp_path):
    content = 'text\tlabel\n"open\tx\nsay "hi"\ty\n'
    documents = rows(tmp_path, content, "a.tsv", quotes=False)
    assert [d.texts["text"] for d in documents] == ['"open', 'say "hi"']


def test_ids_weights_and_attributes_come_from_their_columns(tmp_path):
    content = "id,text,label,weight,age,zip,city,\n7,a,x,2.5,3e1,01234,Ulm,\n,b,y,, ,-4,,z\n"
    first, second = rows(tmp_path, content, attribute=("age", "zip", "city"))
    assert (first.id, first.weight) == ("7", 2.5)
    assert first.attributes == {"age": 30.0, "zip": "01234", "city": "Ulm"}
    assert (second.id, second.weight) == ("a.csv:2", 1.0)
    assert second.attributes == {"age": None, "zip": -4.0, "city": None}


@pytest.mark.parametrize("cell", ["1_000", "inf", "Infinity", "0x10", "007", "1e999", "٣"])
def test_only_what_people_write_as_a_number_is_one(tmp_path, cell):
    (document,) = rows(tmp_path, f"text,label,n\na,b,{cell}\n", attribute=("n",))
    assert document.attributes == {"n": cell}


def test_prediction_needs_no_label_column(tmp_path):
    (document,) = rows(tmp_path, "text\nhello\n", labelled=False, label=("topic",), id="key")
    assert (document.labelled, document.labels) == (False, ())


HEADERS = [
    ("", {}, "is empty; expected a header"),
    ("text,label,text\n", {}, "'text' more than once"),
    ("txt,label\n", {}, "no column 'text' .there are: 'txt', 'label'.; did you mean --text txt"),
    (
        "text,category\n",
        {},
        "no column 'labels' or 'label' .*name the right one with --label",
    ),
    ("text,a\n", {"label": ("a", "b")}, "no column 'b'"),
    ("text,label\n", {"text": ("3",)}, "no column '3'"),
    ("text,label\n", {"attribute": ("age",)}, "no column 'age' .*--attribute"),
    ("text,label\n", {"id": "key"}, "no column 'key' .*--id"),
    ("text,label\n", {"weight": "w"}, "no column 'w' .*--weight"),
    ("\u202e" * 500 + ",label\n", {}, r"there are: '\\u202e"),
]


@pytest.mark.parametrize(("content", "settings", "message"), HEADERS, ids=range(len(HEADERS)))
def test_a_header_that_does_not_do_stops_the_reading(tmp_path, content, settings, message):
    path = write(tmp_path, "a.csv", content)
    with pytest.raises(DataError, match=message) as caught:
        read_skipping(path, **settings)
    assert caught.value.line == (1 if content else 0)
    assert "\u202e" not in str(caught.value)


ROWS = [
    ("a\n", "1 columns; expected the 3 of the header .'text', 'label', 'weight'"),
    ("a,b,1,d\n", "4 columns; expected the 3"),
    ('"a"b,c,1\n', "',' expected after '\"'; .* --no-quotes"),
    ('"a\n,b,1\n', "a quote that opens here is never closed"),
    ("a,b,x\n", "'weight' is 'x'; expected a number"),
    ("a,b,-1\n", "weight is -1.0"),
]


@pytest.mark.parametrize(("row", "message"), ROWS, ids=range(len(ROWS)))
def test_a_bad_row_is_named_by_its_first_line_or_skipped(tmp_path, row, message):
    path = write(tmp_path, "a.csv", f'text,label,weight\n"a\nb",c,1\n{row}')
    with pytest.raises(DataError, match=message) as caught:
        read(path, label_sep=";")
    assert caught.value.line == 4
    documents, bad = read_skipping(path, label_sep=";")
    assert ([d.labels for d in documents], bad.count) == ([("c",)], 1)


def test_rows_after_a_skipped_one_are_read(tmp_path):
    content = 'text,label\n"a"b,c\nd\n,\ne,f\n'
    documents, bad = read_skipping(write(tmp_path, "a.csv", content))
    assert ([d.id for d in documents], bad.count) == (["a.csv:3", "a.csv:4"], 2)


def test_bytes_that_are_no_text_spoil_only_their_row(tmp_path):
    content = b'text,label\n"a\n\xff",b\nc,d\n'
    documents, bad = read_skipping(write(tmp_path, "a.csv", content))
    assert [d.labels for d in documents] == [("d",)]
    assert [(origin.line, message[:9]) for origin, message in bad.first] == [(3, "byte 0xFF")]


def test_an_open_quote_does_not_swallow_memory(tmp_path):
    path = write(tmp_path, "a.csv", 'text,label\na,b\n"c,d\n' + "e,f\n" * 2**18)
    with pytest.raises(DataError, match=r":3: a record of more than .*; is a quote left open\?"):
        read(path, max_record=1)


def test_an_open_quote_does_not_take_a_step_for_each_of_millions_of_lines(tmp_path):
    path = write(tmp_path, "a.csv", 'text,label\na,b\n"c,d\n' + "\n" * 2**16)
    with pytest.raises(DataError, match=r":3: a record of more than 65,536 lines or of more than"):
        read(path, max_record=1)
    below = write(tmp_path, "b.csv", 'text,label\n"' + "\n" * 2**15 + '",b\n')
    assert len(read(below, max_record=1)[0].texts["text"]) == 2**15
