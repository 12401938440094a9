"""A model's conditions in new documents, and where in the text they were found."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext import compiled
from boostext.corpus.documents import Document
from boostext.features import lookup as lookup_module
from boostext.features import tokenizer as tokenizer_module
from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.features.lookup import ConditionLookup, Spans
from boostext.features.tokenizer import Tokenizer
from boostext.settings import TextSettings
from tests.features.texts import any_texts


def found(text, term, **settings):
    """The pieces of the text where the term was found."""
    condition = Occurs("text", term)
    lookup = ConditionLookup([condition], TextSettings(**settings), ["text"])
    spans = lookup.find(Document("1", {"text": text}), condition)
    return [text[start:stop] for start, stop in spans]


SPARSE = {"expert": "sparse", "ngrams": (1, 3)}
CHARACTERS = {"analyzer": "char", "ngrams": (1, 4)}


@pytest.mark.parametrize(
    ("text", "term", "settings", "expected"),
    [
        ("The CAT sat. A cat!", ("cat",), {}, ["CAT", "cat"]),
        ("New\n York, new york", ("new", "york"), {"ngrams": (1, 2)}, ["New\n York", "new york"]),
        ("any other person", ("any", None, "person"), SPARSE, ["any", "person"]),
        ("any person", ("any", None, "person"), SPARSE, []),
        ("a x b", ("a", "b"), {"expert": "icsi-sparse", "ngrams": (1, 3)}, ["a", "b"]),
        ("İstanbul Cafe\u0301", ("café",), {}, ["Cafe\u0301"]),
        ("नमस्ते दुनिया", ("नमस्ते",), {}, ["नमस्ते"]),
        ("ภาษาไทย", ("ไ", "ท", "ย"), {"ngrams": (1, 3)}, ["ไทย"]),
        ("xx 👩\u200d👧 yy", ("👩",), {"punctuation": True}, ["👩"]),
        ("To  be", ("o b",), CHARACTERS, ["o  b"]),
        ("To be", (" to",), CHARACTERS, ["To"]),  # the blank before the text is not there
        ("one", ("one",), {"expert": "full", "ngrams": (1, 2)}, ["one"]),
        ("one two", ("one",), {"expert": "full", "ngrams": (1, 2)}, []),
        ("a stop b", ("a", "b"), {"ngrams": (1, 2), "stop_words": ("stop",)}, ["a stop b"]),
    ],
)
def test_terms_are_found_where_they_stand_in_the_text_as_given(text, term, settings, expected):
    assert found(text, term, **settings) == expected


@given(any_texts | st.text(st.characters(max_codepoint=127)), st.booleans(), st.booleans())
def test_tokens_of_a_whole_text_have_the_spans_of_the_tokenizer(text, lowercase, punctuation):
    tokenizer = Tokenizer(TextSettings(lowercase=lowercase, punctuation=punctuation))
    found = Spans.of(tokenizer, text)
    spans = zip(found.tokens, found.begins, found.ends, strict=True)
    assert list(spans) == tokenizer.tokens_with_spans(text)


@given(any_texts, st.sampled_from(["a", "b", "日", "ä"]), st.booleans())
def test_a_term_is_found_just_where_the_condition_holds(text, word, sparse):
    settings = TextSettings(expert="sparse" if sparse else "ngram", ngrams=(1, 3))
    for term in [(word,), ("a", word), ("a", None, word)]:
        lookup = ConditionLookup([Occurs("text", term)], settings, ["text"])
        document = Document("1", {"text": text})
        assert bool(lookup.find(document, Occurs("text", term))) == bool(
            len(lookup.blocks(document)[0])
        )


def test_attributes_are_compared_with_thresholds_and_values():
    conditions = [AtLeast("n", 2.0), AtLeast("n", 1.0), Equals("c", "7"), AtLeast("n", 3.0)]
    lookup = ConditionLookup(conditions, TextSettings(), [])

    def blocks(**attributes):
        return [part.tolist() for part in lookup.blocks(Document("1", {}, attributes=attributes))]

    assert blocks(n=2, c=7.0) == [[0, 1, 2], []]  # a number is the category it spells
    assert blocks(n=0.5, c="x") == [[], []]
    assert blocks(n="2") == [[], [0, 1, 2, 3]]  # a string is no number
    assert blocks(n=float("nan")) == [[], [0, 1, 2, 3]]


def test_a_condition_given_twice_is_answered_twice():
    conditions = [Occurs("text", ("a",)), Occurs("text", ("a",))]
    lookup = ConditionLookup(conditions, TextSettings(), ["text"])
    assert lookup.blocks(Document("1", {"text": "a"}))[0].tolist() == [0, 1]


def test_a_document_without_the_field_is_an_empty_text():
    lookup = ConditionLookup([Occurs("title", ("a",))], TextSettings(), ["title"])
    assert [part.tolist() for part in lookup.blocks(Document("1", {"text": "a"}))] == [[], []]


def test_a_small_prediction_and_a_small_extraction_import_no_numba():
    program = """
import sys
from boostext.corpus.documents import Document
from boostext.features.conditions import Occurs
from boostext.features.extract import extract
from boostext.features.lookup import ConditionLookup
from boostext.settings import TextSettings
document = Document("1", {"text": "a b"})
extract([document] * 3, TextSettings(), ["text"])
ConditionLookup([Occurs("text", ("a",))], TextSettings(), ["text"]).batch([document] * 3)
sys.exit(str([name for name in ("numba", "scipy") if name in sys.modules]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr.strip() == "[]"


TEXT = "One two three. Don't stop, café 😀 one\ttwo cafe\u0301 日本 ONE\n" * 3


@pytest.mark.parametrize(
    "settings",
    [
        TextSettings(),
        TextSettings(ngrams=(1, 2), stop_words=("stop",)),
        TextSettings(punctuation=True, lowercase=False),
        TextSettings(token_pattern=r"\w+|\W"),
        TextSettings(analyzer="char", ngrams=(1, 3)),
    ],
    ids=range(5),
)
def test_a_long_text_is_read_in_pieces_and_has_the_same_terms(monkeypatch, settings):
    """A list of all its tokens would take thirty times its memory."""
    words = ("one", "café", "日", "two", "t", "nowhere", "e", "One")
    terms = [(word,) for word in words if settings.analyzer == "word" or len(word) == 1]
    terms += [("one", "two"), ("café", "日")] if settings.ngrams == (1, 2) else []
    terms += [("o n",), ("ne ",)] if settings.analyzer == "char" else []
    given = [Occurs("text", term, n) for term in terms for n in (1, 2, 7)]
    document = Document("1", {"text": TEXT})
    expected = ConditionLookup(given, settings, ["text"])
    yes = expected.blocks(document)[0].tolist()
    assert yes
    spans = [expected.find(document, condition) for condition in given]
    monkeypatch.setattr(lookup_module, "LONG", 10)
    monkeypatch.setattr(lookup_module, "MANY_TOKENS", 3)
    monkeypatch.setattr(lookup_module, "MANY_SEARCHES", 1)
    line = Tokenizer(settings).line(TEXT)
    monkeypatch.setattr(tokenizer_module, "PIECE", 7)
    assert Tokenizer(settings).line(TEXT) == line
    lookup = ConditionLookup(given, settings, ["text"])
    assert lookup.blocks(document)[0].tolist() == yes
    assert [lookup.find(document, condition) for condition in given] == spans
    monkeypatch.setattr(lookup_module, "LARGE", 0)
    monkeypatch.setattr(lookup_module, "SMALL", 0)
    assert lookup.batch([document])[0][0].tolist() == yes
    assert ("_compiled" in vars(lookup)) == (not compiled.notice())


def test_kernels_are_used_at_once_if_much_text_is_expected():
    lookup = ConditionLookup([Occurs("text", ("a",))], TextSettings(), ["text"])
    lookup.expect(lookup_module.LARGE)
    yes, _ = lookup.batch([Document(text, {"text": text}) for text in ("b a", "b", "a")])
    assert [row.tolist() for row in yes] == [[0], [], [0]]
    assert ("_compiled" in vars(lookup)) == (not compiled.notice())


def test_a_term_is_shown_at_its_first_places(monkeypatch):
    monkeypatch.setattr(lookup_module, "MOST_FOUND", 2)
    condition = Occurs("text", ("a",))
    lookup = ConditionLookup([condition], TextSettings(), ["text"])
    assert lookup.find(Document("1", {"text": "a b a a"}), condition) == [(0, 1), (4, 5)]
