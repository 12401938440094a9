"""What stays of documents that went by: numbers, names, snippets and a digest."""

import hashlib
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boostext.arrays import Places
from boostext.corpus.corpus import CorpusBuilder
from boostext.corpus.documents import Document, Origin

DOCUMENTS = [
    Document("1", {"text": "one"}, ("b", "a"), 2.0, {"n": 1.5}, Origin("x", 3)),
    Document("2", {"text": "two"}, (), 1.0, {}, Origin("y", 0)),
    Document("3", {"text": "three"}, ("c", "b"), 0.0, {"m": "k", "n": None}, Origin("x", 9)),
]


def corpus_of(documents, labels=None):
    builder = CorpusBuilder()
    assert list(builder.watch(documents)) == list(documents)
    return builder.corpus(labels)


def label_names(corpus):
    return [tuple(corpus.labels[n] for n in numbers) for numbers in corpus.label_sets]


def test_a_corpus_holds_what_its_documents_say():
    corpus = corpus_of(DOCUMENTS)
    assert len(corpus) == 3
    assert list(corpus.ids) == ["1", "2", "3"]
    assert corpus.labels == ("a", "b", "c")
    assert label_names(corpus) == [("b", "a"), (), ("c", "b")]
    np.testing.assert_array_equal(corpus.weights, [2.0, 1.0, 0.0])
    assert corpus.attributes == {"n": [1.5, None, None], "m": [None, None, "k"]}
    assert list(corpus.origins) == [d.origin for d in DOCUMENTS]
    assert corpus.origins[-1] == Origin("x", 9)
    assert list(corpus.origins[1:]) == [Origin("y", 0), Origin("x", 9)]
    assert list(corpus.snippets) == ["one", "two", "three"]


def test_given_labels_come_first_in_their_order_and_new_ones_follow_sorted():
    corpus = corpus_of(DOCUMENTS, labels=["z", "c"])
    assert corpus.labels == ("z", "c", "a", "b")
    assert label_names(corpus) == [("b", "a"), (), ("c", "b")]
    with pytest.raises(TypeError, match="one string"):
        CorpusBuilder().corpus("abc")


def test_a_corpus_of_nothing_is_one():
    corpus = corpus_of([])
    assert (len(corpus), corpus.labels, len(corpus.label_sets)) == (0, (), 0)


def test_a_corpus_stays_as_it_was_when_its_builder_goes_on():
    builder = CorpusBuilder()
    builder.add(DOCUMENTS[0])
    before = builder.corpus()
    builder.add(DOCUMENTS[2])
    assert len(before) == 1
    assert before.attributes == {"n": [1.5]}
    assert len(builder.corpus()) == 2


def test_the_digest_is_sha_256_over_those_of_documents_with_length_prefixed_fields():
    def text(value):
        return struct.pack("<q", len(value.encode())) + value.encode()

    one = hashlib.sha256(
        text("1")
        + struct.pack("<d", 2.0)
        + struct.pack("<qqq", 1, 2, 1)
        + text("text")
        + text("one")
        + text("b")
        + text("a")
        + text("n")
        + b"n"
        + struct.pack("<d", 1.5)
    ).digest()
    expected = hashlib.sha256(b"boostext corpus 2\n" + one).hexdigest()
    assert corpus_of(DOCUMENTS[:1]).digest == expected


CHANGES = [
    {"id": "2"},
    {"texts": {"text": "one "}},
    {"texts": {"txet": "one"}},
    {"labels": ("a", "b")},
    {"labels": ("ba",)},
    {"weight": 1.0},
    {"attributes": {"n": "1.5"}},
    {"attributes": {"n": None}},
    {"texts": {"text": "on", "e": ""}},
    {"attributes": {}},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_any_change_of_the_content_changes_the_digest_and_the_place_does_not(change):
    digest = corpus_of(DOCUMENTS).digest
    first, *others = DOCUMENTS
    assert corpus_of([replace(first, **change), *others]).digest != digest
    assert corpus_of([replace(first, origin=Origin("elsewhere", 1)), *others]).digest == digest
    assert corpus_of([*others, first]).digest != digest


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.text()), max_size=3))
@example([{"a": "some text", "b": "\r"}])
def test_snippets_are_short_single_lines_that_move_no_cursor(texts):
    for snippet in corpus_of([Document("1", fields) for fields in texts]).snippets:
        assert len(snippet) <= 160
        assert snippet.split() == snippet.split(" ") or not snippet
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066" for c in snippet)


def test_snippets_show_the_beginnings_and_say_when_there_is_more():
    long, short, two = corpus_of(
        [
            Document("1", {"text": "a  b\n" * 100}),
            Document("2", {"text": "\x1b[31m\u202eab"}),
            Document("3", {"x": "a", "y": "", "z": "b"}),
        ]
    ).snippets
    assert long == ("a b " * 40)[:159] + "…"
    assert short == "\ufffd[31m\ufffdab"
    assert two == "a | b"


NAMES = st.lists(st.sampled_from(("a", "b", "c", "", "\ud800", "\0", "ab")), max_size=8)


@given(NAMES, NAMES, st.booleans())
def test_places_are_those_of_index_also_where_hashes_are_equal(names, asked, collide):
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr("boostext.arrays.hash", len, raising=False)
        places = Places(names)
        found = places.of(iter(asked)).tolist()
        assert places.distinct == (len(set(names)) == len(names))
    assert found == [names.index(name) if name in names else -1 for name in asked]


def test_labels_that_are_given_twice_come_once():
    assert corpus_of(DOCUMENTS, ("c", "z", "c")).labels == ("c", "z", "a", "b")
