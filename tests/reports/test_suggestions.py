"""Which documents are suggested for labeling, and in which order."""

import hashlib
import json
import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.evaluation.doubt import best, committee_of, entropy, margin, vote_entropy
from boostext.features.conditions import Always
from boostext.model.predict import Predictor
from boostext.reports.html import shown
from boostext.reports.page.labeling import page
from boostext.reports.suggestions import Pool, deciding_terms, drawn, measure, suggest

from .models import model_of, rule, term

THREE = ("a", "b", "c")


def words_model(multilabel=False):
    """Each word votes for its label; what is not found says nothing."""
    silent = [0.0, 0.0, 0.0]
    return model_of(
        rule(term("apple"), silent, [2.0, 0.0, 0.0]),
        rule(term("bread"), silent, [0.0, 1.5, 0.0]),
        rule(term("cheese"), silent, [0.0, 0.0, 1.0]),
        rule(term("not"), silent, [-1.0, -1.0, -1.0]),
        labels=THREE,
        multilabel=multilabel,
    )


def texts(*given):
    return [Document(f"d{i}", {"text": text}) for i, text in enumerate(given)]


def suggested(documents, count, name="margin", spread=False, model=None, sample=0, seed=0):
    predictor = Predictor(model or words_model())
    doubt = measure(name, predictor, seed=seed)
    rows = suggest(documents, predictor, doubt, count, spread, sample, seed)
    return [row.document.id for row in rows]


# Measures against their formulas -------------------------------------------------------------


@given(arrays(float, (5, 3), elements=st.floats(-9, 9)))
def test_margin_is_the_distance_of_the_best_two_scores(scores):
    top = np.sort(scores, axis=1)
    assert -margin(scores, words_model()) == pytest.approx(top[:, -1] - top[:, -2])


@given(arrays(float, (5, 3), elements=st.floats(-9, 9)))
def test_margin_of_several_labels_is_the_least_distance_from_the_threshold(scores):
    assert -margin(scores, words_model(True)) == pytest.approx(np.abs(scores).min(axis=1))


@given(arrays(float, (5, 3), elements=st.floats(-9, 9)), st.booleans())
def test_best_is_the_difference_of_the_two_highest_scaled_probabilities(scores, several):
    likely = 1 / (1 + np.exp(-2 * scores))
    top = np.sort(likely / likely.sum(axis=1, keepdims=True), axis=1)
    assert -best(scores, words_model(several)) == pytest.approx(top[:, -1] - top[:, -2])


@given(arrays(float, (4, 3), elements=st.floats(-9, 9)))
def test_entropy_of_several_labels_adds_up_that_of_each(scores):
    def slow(row):
        probabilities = [1 / (1 + math.exp(-2 * f)) for f in row]
        return sum(-p * math.log(p) - (1 - p) * math.log1p(-p) for p in probabilities if 0 < p < 1)

    found = entropy(scores, words_model(True))
    assert found == pytest.approx([slow(row) for row in scores.tolist()], abs=1e-6)


@given(arrays(float, (4, 3), elements=st.floats(-9, 9)))
def test_entropy_of_one_label_is_that_of_chances_that_sum_to_one(scores):
    def slow(row):
        odds = [1 / (1 + math.exp(-2 * f)) for f in row]
        return sum(-p * math.log(p) for p in (o / sum(odds) for o in odds) if p)

    found = entropy(scores, words_model())
    assert found == pytest.approx([slow(row) for row in scores.tolist()], abs=1e-9)


def test_vote_entropy_is_greatest_where_members_are_evenly_divided():
    first = np.array([[1, 0], [1, 0], [1, 0]], bool)
    second = np.array([[1, 0], [0, 1], [0, 0]], bool)
    assert vote_entropy([first, second], False)[:2] == pytest.approx([0, math.log(2)])
    assert vote_entropy([first, second], True) == pytest.approx([0, 2 * math.log(2), math.log(2)])


def test_a_committee_is_the_model_after_some_of_its_rounds_and_in_the_end():
    members = committee_of(words_model())
    assert [len(member.rules) for member in members] == [2, 3, 4]
    whole = words_model()
    assert committee_of(whole)[-1].rules == whole.rules


def test_models_without_rules_have_a_committee_of_themselves():
    assert committee_of(model_of()) == [model_of()]


# The choice ----------------------------------------------------------------------------------


def test_the_documents_with_the_least_margin_come_first():
    pool = texts("apple", "apple bread", "bread cheese", "apple cheese", "apple bread not")
    assert suggested(pool, 3) == ["d1", "d2", "d4"]


def test_of_equal_doubt_the_earlier_document_comes_first():
    assert suggested(texts(*["apple bread"] * 5), 2) == ["d0", "d1"]


@given(st.lists(st.sampled_from(["apple", "bread", "cheese", "not", "x"]), min_size=1, max_size=40))
def test_a_reserve_of_any_size_holds_the_same_as_sorting_all(words):
    pool = texts(*(" ".join(words[i : i + 3]) for i in range(len(words))))
    predictor = Predictor(words_model())
    doubts = [-float(margin(predictor.score(d)[None], predictor.model)[0]) for d in pool]
    order = sorted(range(len(pool)), key=lambda i: (doubts[i], i))
    assert suggested(pool, 5) == [f"d{i}" for i in order[:5]]


def test_near_duplicates_come_last():
    long = "we would like to order more bread and apple for the shop in the town"
    pool = texts("apple bread", "Bread, apple!", long, f"{long} now", "cheese", "x y")
    assert suggested(pool, 6, spread=True) == ["d5", "d0", "d2", "d4", "d1", "d3"]
    assert suggested(pool, 4, spread=False) == ["d5", "d0", "d1", "d2"]


def test_documents_that_represent_others_come_before_odd_ones():
    odd = "apple bread zebra quince"
    alike = [f"bread cheese please send w{i} more" for i in range(4)]
    certain = [f"apple k{i}" for i in range(35)]
    pool = texts(odd, *alike, *certain)
    assert suggested(pool, 1, spread=False) == ["d0"]
    assert suggested(pool, 2, spread=True) == ["d1", "d0"]


def test_near_duplicates_count_with_the_document_that_represents_them():
    long = "bread and cheese " + " ".join(f"w{i}" for i in range(60))
    certain = [f"apple k{i}" for i in range(34)]
    pool = texts("apple bread x", "apple bread y", *[f"{long} {i}" for i in "abcd"], *certain)
    assert suggested(pool, 2, spread=True) == ["d2", "d0"]
    assert sorted(suggested(pool, 40, spread=True)[-3:]) == ["d3", "d4", "d5"]


def test_ten_times_as_many_documents_are_candidates():
    odd = [f"apple bread a{i} b{i}" for i in range(3)]
    seven = [f"apple bread please send w{i}" for i in range(7)]
    long = " ".join(f"r{i}" for i in range(60))
    thirty = [f"apple bread {long} v{i}" for i in range(30)]
    pool = texts(*odd, *seven, *thirty, *[f"apple k{i}" for i in range(400)])
    (found,) = suggested(pool, 1, spread=True)
    assert int(found[1:]) in range(3, 10)


def test_documents_of_words_that_all_have_are_represented_by_their_equals():
    pool = texts("apple bread", "apple bread", "apple bread", "apple bread x")
    assert suggested(pool, 1, spread=True) == ["d0"]
    assert suggested(pool, 3, spread=True) == ["d0", "d3", "d1"]


def test_documents_of_equal_doubt_count_equally():
    rare = [f"lamp {letter}" for letter in "abc"]
    frequent = [f"the door there {letter}" for letter in "vwxyz"]
    assert suggested(texts(*rare, *frequent), 2, spread=True) == ["d3", "d0"]
    assert suggested(texts(*frequent, *rare), 2, spread=True) == ["d0", "d5"]


@pytest.mark.parametrize("count", [10**6, 10**9])
def test_more_documents_may_be_wanted_than_there_are(count):
    assert len(suggested(texts("apple", "apple bread", "x"), count, spread=True)) == 3


@pytest.mark.parametrize("part", [1, 2, 3, 50])
def test_many_documents_are_chosen_in_parts_without_near_duplicates(part, monkeypatch):
    monkeypatch.setattr("boostext.reports.suggestions.PART", part)
    pool = texts(*[f"apple bread w{i} v{i % 5}" for i in range(40)] * 2)
    for count in (1, 7, 39, 40):
        found = suggested(pool, count, spread=True)
        assert len(found) == len({int(name[1:]) % 40 for name in found}) == count
    assert sorted(suggested(pool, 80, spread=True)) == sorted(d.id for d in pool)


def test_documents_with_the_same_terms_of_the_model_are_no_duplicates():
    pool = texts("apple bread here", "apple bread there", "cheese")
    assert suggested(pool, 2, spread=True) == ["d0", "d1"]


def test_equal_attributes_are_near_duplicates():
    rows = [{"age": 3.0}, {"age": 3.0}, {"age": 4.0}, {}]
    pool = [Document(f"d{i}", {}, attributes=row) for i, row in enumerate(rows)]
    assert suggested(pool, 4, spread=True) == ["d0", "d2", "d3", "d1"]


def test_a_random_draw_follows_its_seed():
    pool = texts(*["apple"] * 30)
    first, again, other = (suggested(pool, 9, "random", seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 9


def test_a_sample_of_the_pool_follows_its_seed_and_keeps_the_order_of_the_pool():
    pool = texts(*["apple"] * 50)
    first, again, other = (suggested(pool, 5, sample=3, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert all(len({*found}) == 5 for found in (first, other))
    assert [document.id for document in drawn(pool, 50, 1)] == [document.id for document in pool]
    assert len(drawn(pool, 60, 1)) == 50


def test_the_most_uncertain_documents_of_the_sample_come_first():
    pool = texts(*["apple"] * 20, *["apple bread"] * 10)
    taken = {document.id for document in drawn(pool, 12, 4)}
    uncertain = [f"d{i}" for i in range(20, 30) if f"d{i}" in taken]
    certain = [f"d{i}" for i in range(20) if f"d{i}" in taken]
    assert suggested(pool, 6, sample=2, seed=4) == [*uncertain, *certain][:6]


@given(st.integers(0, 9))
def test_every_document_is_as_likely_to_be_in_a_sample(start):
    pool, seeds = texts(*"abcdefghij"), range(200 * start, 200 * start + 200)
    times = Counter(document.id for seed in seeds for document in drawn(pool, 5, seed))
    assert all(60 <= times[document.id] <= 140 for document in pool)


def test_documents_with_a_label_and_empty_ones_are_left_out_and_counted():
    documents = [
        Document("a", {"text": "apple"}, labels=("a",)),
        Document("b", {"text": "bread"}),
        Document("c", {"text": "cheese"}),
        Document("d", {"text": " \n", "subject": ""}),
        Document("e", {"text": ""}, attributes={"age": 7.0}),
    ]
    pool = Pool(documents, {"c"})
    assert suggested(pool, 9) == ["e", "b"]
    assert (pool.labelled, pool.listed, pool.empty, pool.open) == (1, 1, 1, 2)


def test_a_pool_without_documents_gives_nothing():
    assert suggested([], 5, spread=True) == []


def test_the_reasons_are_the_terms_that_decide():
    predictor = Predictor(words_model())
    (row,) = suggest(texts("apple bread x"), predictor, measure("margin", predictor), 1)
    assert [(r.term, r.label, r.votes) for r in row.reasons] == [
        ("apple", "a", 2.0),
        ("bread", "b", 1.5),
    ]
    assert row.given == ("a",)
    assert [label for label, _ in row.guesses] == ["a", "b", "c"]


def test_a_committee_needs_the_same_labels_and_votes():
    predictor = Predictor(words_model())
    with pytest.raises(SettingsError, match="--by votes"):
        measure("margin", predictor, [words_model()])
    with pytest.raises(SettingsError, match="other labels"):
        measure("votes", predictor, [model_of()])


def test_a_single_stage_is_no_committee_and_needs_other_models():
    once = model_of(rule(term("apple"), [0.0] * 3, [2.0, 0.0, 0.0]), labels=THREE)
    with pytest.raises(SettingsError, match=r"1 round.*--committee"):
        measure("votes", Predictor(once))
    doubt = measure("votes", Predictor(once), [words_model()])
    (found,) = Predictor(once).batches(texts("bread"))
    assert doubt(found) == pytest.approx([math.log(2)])


def test_probabilities_of_one_label_sum_to_1():
    (row,) = suggest(texts("apple not"), Predictor(words_model()), lambda _: np.ones(1), 1)
    odds = [1 / (1 + math.exp(-2 * score)) for score in (1.0, -1.0, -1.0)]
    expected = [one / sum(odds) for one in odds]
    assert [likely for _, likely in row.guesses] == pytest.approx(expected)
    (row,) = suggest(texts("apple not"), Predictor(words_model(True)), lambda _: np.ones(1), 1)
    assert [likely for _, likely in row.guesses] == pytest.approx(odds)


def test_votes_on_every_document_are_no_reason():
    always = rule(Always(), [0.0] * 3, [3.0, 0.0, 0.0])
    model = model_of(always, rule(term("apple"), [0.0] * 3, [2.0, 0.0, 0.0]), labels=THREE)
    reasons = [row.condition for row in deciding_terms(*texts("apple"), 0, 1, Predictor(model))]
    assert reasons == [term("apple")]


def test_members_that_know_their_labels_in_another_order_vote_for_the_same():
    turned = model_of(rule(term("apple"), [0.0] * 3, [0.0, 0.0, 2.0]), labels=("c", "b", "a"))
    predictor = Predictor(words_model())
    doubt = measure("votes", predictor, [turned])
    (found,) = predictor.batches(texts("apple"))
    assert doubt(found) == pytest.approx([0.0])


# The page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 2, 9])
def test_the_page_holds_all_labels_and_the_form_of_those_that_are_shown_otherwise(
    piece, monkeypatch
):
    monkeypatch.setattr("boostext.reports.page.labeling.PIECE", piece)
    labels = ("a", "b" * 100, "</script>\x1b[2J\u202e")
    model = model_of(rule(term("apple"), [0.0] * 3, [2.0, 1.0, 0.0]), labels=labels)
    predictor = Predictor(model)
    rows = suggest(texts("apple"), predictor, measure("margin", predictor, seed=0), 1, False)
    (data,) = re.findall(r'id="data">(.*?)</script>', "".join(page(rows, model)), re.DOTALL)
    held = json.loads(data)
    assert held["labels"] == list(labels)
    assert held["short"] == {"1": shown(labels[1]), "2": "</script>\\x1b[2J\\u202e"}
    names = "\0".join([*labels, "d0"])
    assert held["key"] == hashlib.sha256(names.encode("utf-8")).hexdigest()[:32]
