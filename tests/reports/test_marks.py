"""Words marked in texts of any script: no letter is cut, nothing else changes."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.reports.layout import clusters
from boostext.reports.marks import Mark, Piece, marked_pieces, showable


def shown(text, *spans, **options):
    """Marked parts in brackets."""
    pieces = marked_pieces(text, [Mark(*span) for span in spans], **options)
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in pieces)


def test_words_are_marked_where_they_stand():
    assert shown("call me collect", (0, 4), (8, 15)) == "[call] me [collect]"


def test_overlapping_marks_add_their_votes():
    pieces = marked_pieces("person to person", [Mark(0, 16, 1.0), Mark(7, 9, -0.25)])
    assert pieces == [
        Piece("person ", True, 1.0),
        Piece("to", True, 0.75),
        Piece(" person", True, 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("กำลัง", (0, 1), "[กำ]ลัง"),  # SARA AM belongs to its consonant
        ("ที่นี่", (0, 2), "[ที่]นี่"),  # vowel and tone stand over the consonant
        ("क्षमा", (0, 1), "[क्ष]मा"),  # consonants bound by a virama are one letter
        ("नमस्ते जी", (0, 6), "[नमस्ते] जी"),
        ("👩‍👩‍👧 ok", (0, 1), "[👩‍👩‍👧] ok"),  # a family is one sign
        ("👍🏽!", (0, 1), "[👍🏽]!"),  # with its skin tone
        ("🇹🇭🇮🇳", (0, 1), "[🇹🇭]🇮🇳"),  # a flag is two letters
        ("cafe\u0301 noir", (0, 4), "[cafe\u0301] noir"),
        ("\u1112\u1161\u11ab", (0, 1), "[\u1112\u1161\u11ab]"),  # jamo of one syllable
        ("مرحبا بكم", (0, 5), "[مرحبا] بكم"),
    ],
    ids=[
        "thai am",
        "thai tone",
        "conjunct",
        "hindi",
        "family",
        "skin",
        "flag",
        "accent",
        "jamo",
        "arabic",
    ],
)
def test_no_letter_is_cut(text, span, expected):
    assert shown(text, span) == expected


texts = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs",)),
        st.sampled_from("กำที่े्षक\u0301\u200d\u200c👩👧🏽🇹🇭\u202e\x00\n<&"),
    ),
    max_size=60,
)


@given(texts, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=5))
def test_pieces_give_back_the_text_whatever_is_marked(text, spans):
    marks = [Mark(*span) for span in spans]
    pieces = marked_pieces(text, marks)
    assert "".join(piece.text for piece in pieces) == showable(text)
    starts = {sum(len(c) for c in list(clusters(text))[:n]) for n in range(len(text) + 1)}
    place = 0
    for piece in pieces:
        assert place in starts
        place += len(piece.text)
    covered = {i for start, end in spans for i in range(start, min(end, len(text)))}
    marked = "".join("x" if p.marked else "." for p in pieces for _ in p.text)
    assert all(marked[i] == "x" for i in covered)


@given(texts)
def test_what_is_shown_cannot_turn_break_or_hide(text):
    harmless = showable(text)
    assert len(harmless) == len(text)
    for char in harmless:
        assert unicodedata.bidirectional(char) not in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI")
        assert unicodedata.category(char) not in ("Cc", "Cs")


def test_a_long_text_is_cut_around_what_speaks_most():
    text = "a" * 1000 + " collect " + "b" * 1000
    found = shown(text, (1001, 1008, 2.0), room=120)
    assert "[collect]" in found
    assert found.startswith("… ")
    assert found.endswith(" …")
    assert len(found) < 400


def test_ten_megabytes_are_cut_in_no_time():
    text = "word " * 2_000_000
    assert len(shown(text, (5_000_000, 5_000_004, 1.0), room=200)) < 600
