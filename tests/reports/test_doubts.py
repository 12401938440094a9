"""Rows of labels in doubt, from probabilities given by hand."""

import itertools
import json
import time
import tracemalloc

import numpy as np
import pytest

from boostext.corpus.documents import Document
from boostext.evaluation.weights import given_signs
from boostext.features.extract import extract
from boostext.reports.doubts import (
    STRENGTHS,
    class_thresholds,
    doubt_of,
    doubt_rows,
    label_noise,
    likely_errors,
    mistake_rates,
    mistake_shares,
    verdicts,
)
from boostext.reports.outliers import label_studio, near_duplicates
from boostext.settings import TextSettings
from tests.reports.models import HOSTILE, corpus_of

LABELS = ("a", "b", "rare")


def rows_of(label_sets, probabilities, multilabel=False, **given):
    probabilities = np.array(probabilities, float)
    scores = np.log(np.maximum(probabilities, 1e-9))
    corpus = corpus_of(label_sets, LABELS, **given)
    return doubt_rows(corpus, multilabel, scores, probabilities)


def test_doubt_is_the_chance_that_another_label_was_mistaken_for_the_given_one(monkeypatch):
    given = [[0]] * 3 + [[1]] * 3 + [[0]]
    probabilities = np.array(
        [[0.75, 0.125, 0.125]] * 3 + [[0.125, 0.75, 0.125]] * 3 + [[0.05, 0.9, 0.05]]
    )
    signs = given_signs(corpus_of(given, LABELS))
    # the surest 2 of 7 are the last, likely b, and one of a: a mistake of b in 2, and one half more
    rates = mistake_rates(probabilities, signs > 0)
    common = (1 + 0.5) / (2 + 1)
    weights = [(rate - wrong) / (common - rate) for rate, wrong in zip(rates, (0, 1), strict=False)]
    assert weights == pytest.approx([weights[0]] * 2)
    assert np.abs(STRENGTHS / weights[0] - 1).min() < 1e-6
    assert rates[2] == pytest.approx(common)
    monkeypatch.setattr("boostext.reports.doubts.PASSES", 0)  # errors go to all labels alike
    odds = verdicts(probabilities, signs, False).odds
    assert odds[6] == pytest.approx(np.log((0.9 * rates[1] + 0.05 * rates[2]) / 2 / (0.05 / 2)))
    assert doubt_of(odds)[6] == pytest.approx(1 / (1 + np.exp(-odds[6])))


def test_the_same_chance_is_more_in_doubt_where_the_likely_label_is_often_mistaken_for_the_given():
    likely = 0.125 + 0.625 * np.eye(3)
    sure = np.repeat(likely, 9, axis=0).tolist()
    confused = [[0.8, 0.1, 0.1]] * 5  # a most surely, given as b
    asked = [[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]]  # likely a, likely rare; both given as b
    given = [[0]] * 9 + [[1]] * 9 + [[2]] * 9 + [[1]] * 5 + [[1]] * 2
    probabilities = np.array(sure + confused + asked)
    odds = verdicts(probabilities, given_signs(corpus_of(given, LABELS)), False).odds
    assert odds[-2] > odds[-1]


def test_mistakes_that_nobody_saw_go_anywhere_alike():
    given = np.eye(3, dtype=bool)
    shares = mistake_shares(0.1 + 0.7 * np.eye(3), given, np.zeros(3))
    assert shares == pytest.approx(0.5 * (1 - np.eye(3)))


@pytest.mark.parametrize(("patterned", "share"), [(True, 0.9), (False, 0.3)])
def test_a_pattern_is_believed_as_far_as_each_mistake_is_foretold_by_the_others(patterned, share):
    """40 documents that are surely of label 0, each given as another."""
    k = 11
    labels = np.ones(40, int) if patterned else 1 + np.arange(40) % (k - 1)
    probabilities = np.tile(np.where(np.arange(k) == 0, 0.9, 0.01), (40, 1))
    shares = mistake_shares(probabilities, np.arange(k) == labels[:, None], np.full(40, 0.9))
    assert shares[:, 0].sum() == pytest.approx(1)
    assert (shares[1, 0] > share) == patterned


def test_of_several_labels_one_may_be_needless_or_missing_or_both():
    signs = given_signs(corpus_of([[0], [0, 1], [1]], LABELS))
    probabilities = np.array([[0.9, 0.2, 0.1], [0.6, 0.7, 0.1], [0.8, 0.3, 0.1]])
    left_out, added = label_noise(probabilities, signs > 0)
    needless = (1 - probabilities) / probabilities * added / (1 - left_out)
    missing = probabilities / (1 - probabilities) * left_out / (1 - added)
    none, few = needless[1].take([0, 1]).max(), missing[0, 1:].max()
    odds = np.exp(verdicts(probabilities, signs, True).odds)
    seen, independent = np.array([0, 2, 1, 0]), np.zeros(4)
    for row in probabilities:
        for size in itertools.product([0, 1], repeat=3):
            independent[sum(size)] += np.prod(np.where(size, row, 1 - row))
    ratio = (seen + 1) / (independent + 1)
    fewer, more = ratio[[0, 2]] / ratio[1]
    one, two = needless[0, 0], few
    assert odds[0] == pytest.approx(one * fewer + two * more + one * two)
    one, two, (fewer, more) = none, missing[1, 2], ratio[[1, 3]] / ratio[2]
    assert odds[1] == pytest.approx(one * fewer + two * more + one * two)


def test_a_second_label_is_in_doubt_if_nearly_all_documents_have_one():
    def rank(others):
        """The rank of the document with a dubious second label, among those that may lack one."""
        sets = [*others, [0, 1]]
        probabilities = np.tile([0.6, 0.3, 0.1], (len(sets), 1))
        rows = rows_of(sets, probabilities, multilabel=True)
        return next(row.rank for row in rows if row.example == len(others))

    assert rank([[0]] * 19) == 1
    assert rank([[0, 1, 2]] * 10 + [[0, 2]] * 9) > 1


def test_documents_with_very_many_labels_take_little_time_and_memory():
    k = 3000
    given = np.zeros((400, k), bool)
    given[np.arange(400), np.arange(400) % 7] = given[0] = True
    probabilities = np.full((400, k), 0.01)
    begun = time.process_time()
    tracemalloc.start()
    found = verdicts(probabilities, np.where(given, 1, -1).astype(np.int8), True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.isfinite(found.odds).all()
    assert most < 12 * probabilities.nbytes
    assert time.process_time() - begun < 20


def test_the_only_label_of_a_document_is_replaced_and_a_second_one_removed():
    label_sets = [[0]] * 40 + [[1]] * 40 + [[0], [0, 1]]
    likely = [[0.9, 0.05, 0.05]] * 40 + [[0.05, 0.9, 0.05]] * 40
    probabilities = [*likely, [0.02, 0.4, 0.1], [0.9, 0.45, 0.1]]
    rows = {row.example: row for row in rows_of(label_sets, probabilities, multilabel=True)}
    assert [rows[i].suggested for i in (80, 81)] == [("b",), ("a",)]
    rows = {r.example: r for r in rows_of([*label_sets, []], [*probabilities, [0.1] * 3], True)}
    assert rows[80].suggested == (), "other documents have no label either"


def test_as_many_rows_are_flagged_as_have_sure_changes_the_first_ones():
    label_sets = [[0]] * 40 + [[0, 1]] + [[1]] * 40 + [[0]]
    likely = [[0.9, 0.05, 0.05]] * 40 + [[0.9, 0.3, 0.1]] + [[0.05, 0.9, 0.05]] * 40
    rows = rows_of(label_sets, [*likely, [0.4, 0.9, 0.1]], multilabel=True)
    assert [(row.example, row.kind) for row in rows[:2]] == [(40, "extra"), (81, "agrees")]
    assert [row.suggested for row in rows[:2]] == [("a",), ("a", "b")]


def test_labels_are_left_out_at_one_rate_and_added_by_their_frequency():
    given = np.zeros((1000, 2), bool)
    given[:500, 0] = given[:100, 1] = True
    left_out, added = label_noise(np.where(given, 0.9, 0.1), given)
    assert left_out == pytest.approx((0.1 * 1400 + 0.5) / (0.9 * 600 + 0.1 * 1400 + 1))
    assert added == pytest.approx(0.5 * np.array([500.5, 100.5]) / 1001)


def test_without_other_labels_nothing_is_in_doubt():
    odds = verdicts(np.ones((3, 1)), np.ones((3, 1), np.int8), False).odds
    assert doubt_of(odds) == pytest.approx([0, 0, 0])


def test_rows_come_by_their_score():
    probabilities = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    for multilabel in (False, True):
        scores = [
            row.score for row in rows_of([[i % 3] for i in range(60)], probabilities, multilabel)
        ]
        assert scores == sorted(scores, reverse=True)
        assert 0 <= scores[-1] < scores[0] <= 1


def test_the_threshold_of_a_class_is_its_mean_chance_where_it_is_given():
    given = given_signs(corpus_of([[0], [0], [1]], LABELS)) > 0
    probabilities = np.array([[0.9, 0.1, 0], [0.5, 0.5, 0], [0.2, 0.8, 0]])
    assert class_thresholds(probabilities, given) == pytest.approx([0.7, 0.8, 1.0])


def test_a_rare_label_of_low_chances_is_no_alarm_by_that_alone():
    # plain argmax would call all three "rare" wrong; "a" is not as sure there as it usually is
    probabilities = [[0.95, 0.04, 0.01]] * 4 + [[0.6, 0.1, 0.3]] * 3
    rows = rows_of([[0]] * 4 + [[2]] * 3, probabilities)
    rare = [row for row in rows if row.given == ("rare",)]
    assert len(rare) == 3
    assert all(row.kind == "agrees" for row in rare)
    assert all(row.rival == "a" for row in rare)


def test_a_sure_other_label_is_suggested():
    probabilities = [[0.9, 0.05, 0.05]] * 4 + [[0.97, 0.02, 0.01]]
    first = rows_of([[0]] * 4 + [[1]], probabilities)[0]
    assert (first.example, first.kind, first.suggested) == (4, "wrong", ("a",))
    assert dict(first.scores) == pytest.approx({"b": 0.02, "a": 0.97})


@pytest.mark.parametrize(
    ("given", "row", "kind", "suggested"),
    [
        ([0], [0.9, 0.95, 0.01], "missing", ("a", "b")),
        ([0, 1], [0.9, 0.001, 0.01], "extra", ("a",)),
        ([0], [0.001, 0.95, 0.01], "wrong", ("b",)),
        ([0], [0.99, 0.3, 0.01], "agrees", ("a", "b")),
        ([0], [0.2, 0.1, 0.01], "agrees", ("b",)),
    ],
)
def test_several_labels_may_be_missing_or_too_many(given, row, kind, suggested):
    others = [[0], [1], [0], [1], [2]]
    probabilities = [[0.9, 0.1, 0.1], [0.1, 0.9, 0.1]] * 2 + [[0.1, 0.1, 0.9]]
    rows = rows_of([*others, given], [*probabilities, row], multilabel=True)
    (mine,) = [found for found in rows if found.example == 5]
    assert (mine.kind, mine.suggested) == (kind, suggested)


@pytest.mark.parametrize("multilabel", [False, True])
def test_the_margin_is_that_of_the_listing_by_weight(multilabel):
    label_sets, probabilities = (
        [[0], [1, 2], [0, 2]],
        [[0.9, 0.8, 0.1], [0.6, 0.7, 0.2], [0.3, 0.2, 0.9]],
    )
    rows = rows_of(label_sets, probabilities, multilabel)
    scores, signs = np.log(probabilities), given_signs(corpus_of(label_sets, LABELS))
    leads = [min(f[s > 0]) - max(f[s < 0]) for f, s in zip(scores, signs, strict=True)]
    wanted = (scores * signs).min(axis=1) if multilabel else leads
    assert [row.margin for row in rows] == pytest.approx([wanted[row.example] for row in rows])


def test_documents_without_chances_are_left_out():
    rows = rows_of([[0], [2]], [[0.9, 0.05, 0.05], [np.nan] * 3])
    assert [row.example for row in rows] == [0]


def test_a_document_of_no_weight_comes_last():
    rows = rows_of([[0], [0]], [[0.1, 0.8, 0.1], [0.9, 0.05, 0.05]], weights=[0.0, 1.0])
    assert [row.example for row in rows] == [1, 0]


def test_places_count_within_the_given_label():
    probabilities = [[0.2, 0.8, 0], [0.9, 0.1, 0], [0.3, 0.7, 0]]
    places = {r.example: (r.label_rank, r.label_count) for r in rows_of([[0]] * 3, probabilities)}
    assert places == {0: (1, 3), 2: (2, 3), 1: (3, 3)}


def test_with_one_label_another_is_suggested_on_every_row_and_the_likely_errors_are_flagged():
    sure = [[0.9, 0.07, 0.03]] * 4 + [[0.1, 0.85, 0.05]] * 4
    probabilities = [*sure, [0.6, 0.1, 0.3], [0.97, 0.02, 0.01]]
    rows = {row.example: row for row in rows_of([[0]] * 4 + [[1]] * 4 + [[0], [1]], probabilities)}
    suggested = [rows[i].suggested for i in (0, 4, 8, 9)]
    assert suggested == [("b",), ("a",), ("rare",), ("a",)]
    assert [row.rank for row in rows.values() if row.kind == "wrong"] == [1]
    assert rows[9].rank == 1


def test_likely_errors_are_counted_by_class_thresholds_and_scaled_to_all_documents():
    given = np.eye(2, dtype=bool)[[0] * 5 + [1] * 5]
    probabilities = np.array(
        [[0.9, 0.1]] * 2 + [[0.1, 0.9]] + [[0.55, 0.45]] * 2 + [[0.2, 0.8]] * 5
    )
    # the threshold of label 0 is 0.6: of its five documents two agree, one does not, two are unsure
    assert likely_errors(probabilities, given) == pytest.approx(5 * 1 / 3)


def test_label_studio_gets_tasks_with_the_suggestion_as_prediction():
    rows = rows_of(
        [[0]] * 3 + [[1]],
        [[0.9, 0.1, 0]] * 3 + [[0.95, 0.05, 0]],
        snippets=["x", "y", "z", HOSTILE],
    )
    tasks = json.loads("".join(label_studio(rows)))
    assert len(tasks) == 4
    first = tasks[0]
    assert first["data"]["given"] == ["b"]
    (result,) = first["predictions"][0]["result"]
    assert (result["type"], result["from_name"], result["to_name"]) == ("choices", "label", "text")
    assert result["value"] == {"choices": ["a"]}


def test_no_rows_are_an_empty_list_of_tasks():
    assert json.loads("".join(label_studio([]))) == []


def test_nearly_the_same_text_with_other_labels_is_named():
    texts = ["call my mother now", "call my mother now please", "call my mother now", "other words"]
    corpus = corpus_of([[0], [0], [1], [1]], LABELS)
    documents = [Document(str(i), {"text": text}) for i, text in enumerate(texts)]
    features = extract(documents, TextSettings(), ["text"])
    assert near_duplicates(features, corpus, [0, 2, 3]) == [[2], [0], []]
