"""Texts of users cannot break a field, a line or a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.reports.escape import one_line, read_tsv_field, tsv_field, tsv_names, tsv_number


@given(st.text())
def test_a_tsv_field_comes_back(text):
    assert read_tsv_field(tsv_field(text)) == text


@given(st.text())
def test_a_tsv_field_stays_in_its_field(text):
    assert not set("\t\n\r") & set(tsv_field(text))


def test_tsv_escapes_are_the_documented_four():
    assert tsv_field("a\tb\nc\rd\\n e") == r"a\tb\nc\rd\\n e"


def test_names_in_one_field_are_told_apart():
    assert tsv_names(["a|b", "c"]) == r"a\|b|c"
    assert tsv_names([]) == ""


def test_an_unknown_number_is_an_empty_field():
    assert tsv_number(None) == ""
    assert tsv_number(1 / 3) == "0.333333333"


@given(st.text(st.characters()))
def test_one_line_moves_no_cursor_and_turns_no_text(text):
    line = one_line(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in line)
    assert not any(unicodedata.bidirectional(char) in _TURNING for char in line)
    assert one_line(line) == line


_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n\twords ", "two words"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("ab\u202edc", r"ab\u202edc"),
        ("soft\u00adhy\ufeffphen", r"soft\xadhy\ufeffphen"),
        ("\ud800", r"\ud800"),
        ("a\u200db x\u200c \ufe0f", r"a\u200db x\u200c \ufe0f"),
        ("❤️ 1️⃣ 🏴\U000e0067\U000e0062\U000e007f", "❤️ 1️⃣ 🏴\U000e0067\U000e0062\U000e007f"),
        ("a\U000e0041\U0001d173", r"a\U000e0041\U0001d173"),
        ("नहीं क्\u200dष", "नहीं क्\u200dष"),
        ("👩\u200d🔬 สวัสดี", "👩\u200d🔬 สวัสดี"),
    ],
)
def test_one_line_keeps_what_scripts_need(text, line):
    assert one_line(text) == line
