"""Plain and compiled code give the same conditions, in the same order, of any texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext import compiled
from boostext.corpus.documents import Document
from boostext.errors import BoostextError
from boostext.features.compiled_terms import CompiledCounter
from boostext.features.conditions import LOWEST, Always, AtLeast, Equals, Occurs, spell
from boostext.features.extract import extract_with
from boostext.features.lookup import ConditionLookup
from boostext.features.lookup_batch import CompiledLookup
from boostext.features.terms import PlainCounter
from boostext.settings import TextSettings
from tests.features.texts import any_texts, documents

pytestmark = pytest.mark.skipif(bool(compiled.notice()), reason=compiled.notice())

SETTINGS = st.builds(
    TextSettings,
    ngrams=st.sampled_from([(1, 1), (1, 3), (2, 3), (4, 4)]),
    expert=st.sampled_from(["ngram", "sparse", "full", "icsi-sparse"]),
    counts=st.sampled_from([(1,), (1, 2, 3), (2, 5)]),
    min_df=st.sampled_from([1, 2, 0.4]),
    max_df=st.sampled_from([1.0, 0.7]),
    max_terms=st.sampled_from([0, 5]),
    lowercase=st.booleans(),
    punctuation=st.booleans(),
    stop_words=st.sampled_from([(), ("a", "don't", "日本")]),
    token_pattern=st.sampled_from(["", "", r"[^ ]+", r"\w+|$"]),
) | st.builds(
    TextSettings,
    analyzer=st.just("char"),
    ngrams=st.sampled_from([(1, 1), (2, 5)]),
    min_df=st.sampled_from([1, 2]),
    lowercase=st.booleans(),
    stop_words=st.sampled_from([(), ("a", "日本")]),
)


def described(features):
    """All that a matrix says, for comparison; matrices hold arrays and cannot be compared."""
    names = features.names
    return {
        "names": [names[j] for j in range(len(names))],
        "aliases": [names.aliases(j) for j in range(len(names))],
        "yes": [features.yes[j].tolist() for j in range(len(names))],
        "types": (features.yes.starts.dtype, features.yes.items.dtype),
        "tokens": features.token_count,
    }


def result(counter, texts, settings):
    """What extraction gives, or the message of its error."""
    try:
        return described(extract_with({"text": counter}, documents(texts), settings, ()))
    except BoostextError as error:
        return str(error)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def same(request):
    """Runs both twins on texts, compares what they say, and returns it."""

    def compare(texts, settings):
        plain = result(PlainCounter(settings), texts, settings)
        assert result(CompiledCounter(settings, request.param), texts, settings) == plain
        return plain

    return compare


@settings(max_examples=60, deadline=None)
@given(st.lists(any_texts, max_size=8), SETTINGS)
def test_twins_agree_on_any_texts(texts, settings):
    plain = result(PlainCounter(settings), texts, settings)
    assert result(CompiledCounter(settings), texts, settings) == plain


@pytest.mark.parametrize("expert", ["ngram", "sparse", "full", "icsi-sparse"])
def test_twins_agree_when_tables_grow_and_batches_split(same, expert, monkeypatch):
    monkeypatch.setattr("boostext.features.compiled_terms.BATCH", 1000)
    monkeypatch.setattr("boostext.features.counting.STRETCH", 500)
    rng = np.random.default_rng(1)
    words = rng.zipf(1.3, size=(120, 50)) % 9000
    texts = [" ".join(f"w{number}" for number in row) for row in words]
    found = same(texts, TextSettings(expert=expert, ngrams=(1, 4), counts=(1, 2, 999_999_999)))
    assert len(found["names"]) >= 100


def test_many_different_words_grow_every_table(same):
    texts = [" ".join(f"w{i}" for i in range(j, j + 3000)) for j in range(0, 6000, 1500)]
    assert same(texts, TextSettings(ngrams=(1, 2)))["tokens"] == 4 * 3000


def test_twins_agree_when_memory_is_short(same, monkeypatch):
    monkeypatch.setattr("boostext.features.counting.IN_MEMORY", 64)
    texts = ["the cat sat on the mat", "", "a cat on a mat", "on the mat"] * 5
    assert same(texts, TextSettings(ngrams=(1, 3), expert="sparse"))["tokens"] == 70


@settings(max_examples=50, deadline=None)
@given(st.lists(any_texts, min_size=1, max_size=6), SETTINGS)
def test_lookup_finds_what_extraction_found(texts, settings):
    try:
        features = extract_with({"text": PlainCounter(settings)}, documents(texts), settings, ())
    except BoostextError:
        return
    names = [features.names[j] for j in range(len(features.names))]
    lookup = ConditionLookup(names, settings, ["text"])
    yes = [lookup.blocks(document)[0].tolist() for document in documents(texts)]
    expected = [[] for _ in texts]
    for j in range(len(names)):
        for d in features.yes[j].tolist():
            expected[d].append(j)
    assert yes == expected, [spell(name) for name in names]
    found, _ = CompiledLookup(lookup).blocks(documents(texts), 1)
    assert [found[d].tolist() for d in range(len(texts))] == expected


def both_lookups(conditions, text_settings, batch, threads=1):
    """YES and UNKNOWN of each document, which both twins must say."""
    lookup = ConditionLookup(conditions, text_settings, ["text"])
    plain = [[part.tolist() for part in lookup.blocks(document)] for document in batch]
    yes, unknown = CompiledLookup(lookup).blocks(batch, threads)
    assert [[yes[d].tolist(), unknown[d].tolist()] for d in range(len(batch))] == plain
    return plain


@pytest.mark.parametrize("threads", [1, 2])
def test_lookups_agree_on_attributes_fields_and_batches(threads, monkeypatch):
    monkeypatch.setattr("boostext.features.lookup_batch.BATCH", 50)
    conditions = [
        Occurs("text", ("cat",)),
        Equals("color", "red"),
        AtLeast("age", 30.0),
        Always(),
        Occurs("title", ("cat", "sat")),
        Occurs("text", ("cat",), 2),
        AtLeast("age", LOWEST),
    ]
    attributes = [{"color": "red", "age": 30}, {"color": 3}, {"age": "old"}, {}]
    batch = [
        Document(str(i), {"text": "a cat, a cat" * (i % 3), "title": "Cat sat"}, attributes=a)
        for i, a in enumerate(attributes * 10)
    ]
    blocks = both_lookups(conditions, TextSettings(), batch, threads)
    assert blocks[1] == [[0, 3, 4, 5], [2, 6]]


@pytest.mark.parametrize("strange", [("a", "b"), ("b", *[None] * 70, "a"), tuple("a" * 1200)])
def test_lookups_agree_on_terms_that_no_text_can_have(strange):
    terms = [
        ("Big",),
        ("don't",),
        ("a", "", "b"),
        ("the",),
        ("a",),
        strange,
        (None, "a"),
        (None,),
        (),
        ("a", None, "b"),
        ("a", None),
        ("a",),
    ]
    conditions = [Occurs("text", term, n) for term in terms for n in (0, 1, 3)]
    texts = ["Big don't the a x b", "b " + "x " * 70 + "a", "a " * 1200, "", "a"]
    blocks = both_lookups(conditions, TextSettings(stop_words=("the",)), documents(texts))
    # the last text has only the term `a`: given twice, and twice with a gap that stands for nothing
    assert blocks[-1][0] == [12, 13, 18, 19, 30, 31, 33, 34]


def test_many_texts_are_looked_through_by_kernels(monkeypatch):
    for name in ("SMALL", "LARGE"):
        monkeypatch.setattr(f"boostext.features.lookup.{name}", 10)
    lookup = ConditionLookup([Occurs("text", ("b",))], TextSettings(), ["text"])
    monkeypatch.setattr(lookup, "_numbers", None)  # the plain way is not taken
    yes, _ = lookup.batch(documents(["a b", "a", "b b b b b b b"]))
    assert [yes[d].tolist() for d in range(3)] == [[0], [], [0]]


def test_fields_are_counted_apart():
    fields = [Document("1", {"a": "x y", "b": "x"}), Document("2", {"b": "y"})]
    counters = {name: CompiledCounter(TextSettings()) for name in "ab"}
    features = extract_with(counters, fields, TextSettings(), ())
    names = [spell(features.names[j], fields=2) for j in range(len(features.names))]
    aliases = [spell(c, fields=2) for c in features.names.aliases(0)]
    # a:x, a:y and b:x hold for the first document only; the first stands for them
    assert (names, aliases) == (["a:x", "b:y"], ["a:y", "b:x"])
