"""Documents to conditions: filters, order, merging, attributes, and what is said of nothing."""

import tracemalloc

import numpy as np
import pytest

from boostext import compiled
from boostext.arrays import Lists
from boostext.corpus.documents import Document, Origin
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.features.attributes import category, number
from boostext.features.conditions import Occurs, spell
from boostext.features.extract import extract
from boostext.features.merge import gather, gathered_in_place, joined_lists, merge, put
from boostext.settings import TextSettings
from tests.features.texts import documents


def table(features, fields=1):
    """Condition -> its documents, as people read them."""
    names = features.names
    return {spell(names[j], fields): features.yes[j].tolist() for j in range(len(names))}


def extracted(texts, **settings):
    return extract(documents(texts), TextSettings(**settings), ["text"])


def test_terms_come_in_order_of_first_occurrence():
    assert table(extracted(["b a b", "a", "c b a"])) == {"b": [0, 2], "a": [0, 1, 2], "c": [2]}


def test_terms_of_the_same_documents_are_one_and_the_simplest_names_them():
    features = extracted(["x y", "x y z", "z"], ngrams=(1, 2))
    assert table(features) == {"x": [0, 1], "y z": [1], "z": [1, 2]}
    assert [spell(alias) for alias in features.names.aliases(0)] == ["x y", "y"]


def test_counts_are_kept_where_they_ask_for_other_documents():
    features = extracted(["a", "a a", "a a a", "b b"], counts=(1, 2, 3, 9))
    assert table(features) == {"a": [0, 1, 2], "a (>= 2)": [1, 2], "a (>= 3)": [2], "b": [3]}


def test_few_wanted_occurrences_are_simpler_than_few_words():
    features = extracted(["a a b c", "a", "b", "c"], ngrams=(1, 2), counts=(1, 2))
    # `a (>= 2)`, `a a`, `a b` and `b c` hold for the first text only
    assert "a a" in table(features)
    assert "a (>= 2)" not in table(features)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"min_df": 2}, {"a", "b"}),
        ({"min_df": 0.6}, {"a"}),  # of 4 documents at least 2.4
        ({"max_df": 2}, {"b", "c"}),
        ({"max_df": 0.25}, {"c"}),
        ({"max_terms": 2}, {"a", "b"}),
        ({"max_terms": 2, "max_df": 2}, {"b", "c"}),
        ({"drop": "a|b"}, {"c"}),
    ],
)
def test_filters(settings, expected):
    assert set(table(extracted(["a b c", "a b", "a", ""], **settings))) == expected


def test_of_equally_frequent_terms_the_first_stay():
    features = extracted(["x a", "b", "x a", "c b"], max_terms=2)
    assert table(features) == {"x": [0, 2]}
    assert [spell(alias) for alias in features.names.aliases(0)] == ["a"]


def test_fields_come_in_the_order_given_and_keep_their_own_terms():
    given = [Document("1", {"body": "a b", "title": "b"}), Document("2", {"title": "a b"})]
    features = extract(given, TextSettings(), ["title", "body"])
    assert table(features, fields=2) == {"title:b": [0, 1], "title:a": [1], "body:a": [0]}


def test_attributes_are_categories_or_numbers():
    rows = [
        {"color": "red", "size": 3, "mixed": 1},
        {"color": "blue", "size": None, "mixed": "x"},
        {"size": 2.5, "mixed": float("nan")},
    ]
    given = [Document(str(i), {}, attributes=row) for i, row in enumerate(rows)]
    features = extract(given, TextSettings(), [], ["mixed", "size", "color", "absent"])
    # the colors are in the very same documents
    assert table(features) == {"mixed = 1": [0], "mixed = x": [1]}
    # `mixed` and `color` are unknown for the same document, and share its list
    assert [features.unknown[u].tolist() for u in features.unknown_list] == [[2], [2]]
    [size] = features.numeric
    assert size.name == "size"
    assert (size.documents.tolist(), size.known.tolist(), size.count) == ([0, 2], [3, 2.5], 3)


@pytest.mark.parametrize(
    ("value", "name", "size"),
    [
        (3.0, "3", 3.0),
        (0.5, "0.5", 0.5),
        (-2, "-2", -2.0),
        ("3", "3", np.nan),  # a string is no number, whatever it looks like
        (None, None, np.nan),
        (float("nan"), None, np.nan),
        (float("inf"), "inf", np.inf),
    ],
)
def test_attributes_as_categories_and_as_numbers(value, name, size):
    assert category(value) == name
    np.testing.assert_equal(number(value), size)


def test_conditions_with_other_unknown_documents_are_not_merged():
    given = [Document("1", {"text": "w"}, attributes={"c": "v"}), Document("2", {})]
    assert table(extract(given, TextSettings(), ["text"], ["c"])) == {"w": [0], "c = v": [0]}


def test_nothing_left_says_what_each_filter_left():
    with pytest.raises(SettingsError) as caught:
        extracted(["a b", "c c"], min_df=2, max_df=0.9)
    assert str(caught.value) == (
        "no terms are left: documents 2 -> tokens 4 -> different tokens 3 -> terms with min-df 2: 0"
        " -> with max-df 0.9: 0 -> with counts 1: 0; loosen the first that gives 0"
    )


def test_texts_without_a_token_say_so_and_where_they_are():
    empty = [Document("1", {"text": "?!"}, origin=Origin("data.jsonl", 1))]
    with pytest.raises(DataError, match=r"^data.jsonl: .*documents 1 -> tokens 0; no text has"):
        extract(empty, TextSettings(), ["text"])


def test_no_documents_say_so():
    with pytest.raises(BoostextError, match="no documents"):
        extract([], TextSettings(), ["text"])


def test_attributes_alone_are_enough():
    given = [Document("1", {"text": ""}, attributes={"n": 1.0})]
    features = extract(given, TextSettings(), ["text"], ["n"])
    assert (len(features.names), len(features.numeric)) == (0, 1)


def test_one_name_is_not_a_list_of_names():
    with pytest.raises(TypeError, match="lists of names"):
        extract(documents(["a"]), TextSettings(), "text")


@pytest.mark.skipif(bool(compiled.notice()), reason="plain code counts in dictionaries")
def test_the_memory_for_a_term_that_one_document_has_is_small():
    """There are no lists for the counts that no document reaches."""
    text = " ".join(f"x{number:x}" for number in range(80_000))
    made = [Document("a", {"text": text}), Document("b", {"text": "other"})]
    settings = TextSettings(counts=(1, 2, 3, 5, 8), min_df=1)
    extract(made, settings, ["text"])  # the kernels are loaded
    tracemalloc.start()
    found = extract(made, settings, ["text"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.names) == 2
    assert peak < 180 * 80_000


def test_documents_are_read_once_as_a_stream():
    assert table(extract(iter(documents(["a", "b"])), TextSettings(), ["text"])) == {
        "a": [0],
        "b": [1],
    }


def test_lists_that_only_share_a_hash_stay_apart(monkeypatch):
    lists = [[0, 1], [2, 3], [0, 1], [0, 2], [2, 3], [1]]
    monkeypatch.setattr(
        "boostext.features.merge._hashes", lambda lists, unknown: np.zeros(len(lists), np.int64)
    )
    numbers = np.arange(6, dtype=np.int32)
    merged = merge(Lists.of(lists), np.full(6, -1, np.int32), [numbers], np.arange(6))
    assert merged.representatives.tolist() == [0, 1, 3, 5]
    assert [sorted(merged.group(j)) for j in range(4)] == [[0, 2], [1, 4], [3], [5]]


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_merging_does_not_depend_on_the_size_of_its_steps(block, monkeypatch):
    monkeypatch.setattr("boostext.features.merge.BLOCK", block)
    texts = ["a b c", "b c", "a", "d e f", "e f d"]
    assert table(extracted(texts)) == {"a": [0, 2], "b": [0, 1], "d": [3, 4]}


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_lists_are_put_together_and_chosen_in_place(block, monkeypatch):
    monkeypatch.setattr("boostext.features.merge.BLOCK", block)
    first, second = Lists.of([[0, 1, 2], [], [2]]), Lists.of([[3, 7], [4, 5, 6, 7]])
    items, ends = np.empty(10, np.int32), np.array([0, 4, 9, 9], np.int64)
    put(first, np.array([1, 2, 3]), items, ends)
    put(second, np.array([1, 0]), items, ends[:2])
    assert ends.tolist() == [4, 9, 9, 10]
    assert items.tolist() == [4, 5, 6, 7, 0, 1, 2, 3, 7, 2]
    which = np.array([0, 2, 4])
    expected = gather(joined_lists([first, second]), which)
    found = gathered_in_place(joined_lists([first, second]), which)
    assert found.starts.tolist() == expected.starts.tolist()
    assert found.items.tolist() == expected.items.tolist() == [0, 1, 2, 2, 4, 5, 6, 7]


@pytest.mark.parametrize("spelled", ["?", "a·b", "x y"])
def test_tokens_that_look_like_gaps_or_blanks_are_spelled_apart(spelled):
    shown = {"?": r"\?", "a·b": r"a\·b", "x y": "x·y"}
    assert spell(Occurs("text", (spelled, None, "z"))) == f"{shown[spelled]} ? z"
