"""outliers.tsv: the documents whose labels the rules object to."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boostext.evaluation.weights import document_log_weights, label_signs
from boostext.features.conditions import NO, UNKNOWN, YES, AtLeast, Equals
from boostext.model.predict import Contribution
from boostext.reports.escape import read_tsv_field
from boostext.reports.objections import with_objections
from boostext.reports.outliers import (
    Weighed,
    outlier_json,
    outlier_rows,
    outliers_tsv,
    tapered,
)
from tests.reports.models import HOSTILE, calls_model, corpus_of, model_of, rule, table, term

THREE = ("Collect", "Rate", "Other")
SINGLE = model_of(labels=THREE)
SEVERAL = model_of(labels=THREE, multilabel=True)


def rows_of(model, label_sets, scores, top=100, **given):
    corpus = corpus_of(label_sets, model.labels, **given)
    return outlier_rows(model, corpus, np.array(scores, float), top)


def test_a_rule_counts_less_the_later_it_came():
    votes = [(0.0, 0.0), (1.0, -1.0)]
    model = tapered(model_of(*(rule(term("a"), *votes) for _ in range(4))))
    assert [one.votes[YES, 0] for one in model.rules] == pytest.approx([1, 3 / 4, 2 / 4, 1 / 4])
    assert tapered(model_of()).rules == ()


def test_weight_is_base_times_the_sum_of_exponential_losses():
    scores, signs = np.array([[1.0, -2.0], [0.5, 0.5]]), np.array([[1, -1], [-1, 1]], np.int8)
    base = np.array([1.0, 3.0])
    expected = base * np.exp(-signs * scores).sum(axis=1)  # SS99 Figure 2, without the normalizer
    assert np.exp(document_log_weights(scores, signs, base)) == pytest.approx(expected)


@given(st.lists(st.floats(-1e5, 1e5), min_size=2, max_size=8))
def test_no_score_is_too_great_for_the_weights(values):
    scores = np.array([values])
    signs = np.ones(scores.shape, np.int8)
    assert np.isfinite(document_log_weights(scores, signs, np.ones(1))).all()


def test_the_heaviest_document_comes_first_and_shares_sum_to_one():
    rows = rows_of(SINGLE, [[0], [0], [1]], [[2, -2, -2], [-2, 2, -2], [0, 0.5, 0]])
    assert [(row.rank, row.example) for row in rows] == [(1, 1), (2, 2), (3, 0)]
    assert sum(row.share for row in rows) == pytest.approx(1)
    assert sum(row.weight for row in rows) / 3 == pytest.approx(1)


def test_equal_weights_keep_the_order_of_the_data():
    rows = rows_of(SINGLE, [[0]] * 3, [[1, 0, 0]] * 3, top=2)
    assert [row.example for row in rows] == [0, 1]


def test_a_document_of_no_weight_is_last():
    rows = rows_of(SINGLE, [[0], [0]], [[-9, 9, 0], [9, -9, 0]], weights=[0.0, 1.0])
    assert [row.example for row in rows] == [1, 0]
    assert rows[1].share == 0


def test_one_label_is_judged_by_its_lead():
    (row,) = rows_of(SINGLE, [[0]], [[-0.5, 1.0, -2.0]])
    assert (row.given, row.suggested, row.kind) == (("Collect",), ("Rate",), "wrong")
    assert row.margin == pytest.approx(-1.5)
    assert row.score == pytest.approx(1 / (1 + np.exp(-1.5)))


def test_agreeing_documents_score_below_a_half():
    (row,) = rows_of(SINGLE, [[1]], [[-0.5, 0.1, -2.0]])
    assert (row.kind, row.suggested) == ("agrees", ("Collect",))
    assert row.score < 0.5
    assert row.rival == "Collect"


def test_a_document_with_every_label_has_no_rival():
    (row,) = rows_of(SEVERAL, [[0, 1, 2]], [[1, 1, 1]])
    assert row.rival == ""


@pytest.mark.parametrize(
    ("given_labels", "scores", "kind", "suggested"),
    [
        ([0], [1, 1, -1], "missing", ("Collect", "Rate")),
        ([0, 1], [1, -1, -1], "extra", ("Collect",)),
        ([0], [-1, 1, -1], "wrong", ("Rate",)),
        ([0, 2], [1, -1, 0.5], "agrees", ("Collect",)),
        ([0], [0.1, -1, -2], "agrees", ("Rate",)),
        ([0], [2, -1, -2], "agrees", ("Collect", "Rate")),
    ],
)
def test_several_labels_may_be_missing_or_too_many(given_labels, scores, kind, suggested):
    (row,) = rows_of(SEVERAL, [given_labels], [scores])
    assert (row.kind, row.suggested) == (kind, suggested)
    signs = np.where(np.isin(range(3), given_labels), 1, -1)
    assert row.margin == pytest.approx((signs * scores).min())
    assert row.score == pytest.approx(1 / (1 + np.exp(2 * row.margin)))


def test_no_label_is_suggested_only_where_documents_without_one_are_in_the_data():
    low = [-1.0, -0.5, -2.0]
    assert rows_of(SEVERAL, [[0]], [low])[0].suggested == ("Rate",)
    rows = rows_of(SEVERAL, [[0], []], [low, [-5.0] * 3])
    assert (rows[0].suggested, rows[0].kind) == ((), "extra")


def test_the_rank_within_a_label_counts_only_its_documents():
    scores = [[-2, 2, 0], [2, -2, -2], [-1, 1, 0], [1, -3, 1]]
    rows = rows_of(SINGLE, [[0], [0], [0], [1]], scores)
    by_example = {row.example: (row.label_rank, row.label_count) for row in rows}
    assert by_example == {0: (1, 3), 1: (3, 3), 2: (2, 3), 3: (1, 1)}


def test_labels_the_model_does_not_know_are_given_labels_without_support():
    corpus = corpus_of([[0], [1]], ("Collect", "Zebra"))
    rows = outlier_rows(SINGLE, corpus, np.array([[2.0, -2, -2], [2.0, -2, -2]]))
    assert (rows[0].given, rows[0].suggested, rows[0].kind) == (("Zebra",), ("Collect",), "wrong")
    assert rows[0].score > 0.5 > rows[1].score


def test_every_row_has_id_origin_and_a_harmless_snippet():
    (row,) = rows_of(SINGLE, [[0]], [[0, 0, 0]], ids=["call-7"], snippets=["one\ntwo\x1b[2J"])
    assert (row.id, row.origin, row.snippet) == ("call-7", "calls.jsonl:1", r"one two\x1b[2J")


def spoken(condition, block, votes):
    return Contribution(condition, block, np.array(votes, float), (1,))


def test_terms_object_with_what_their_presence_adds_for_the_suggestion():
    # collect says (2.5, -1.5) present, (-0.5, 0.25) absent; the dispute is Collect minus Rate
    model = calls_model()
    (row,) = rows_of(model, [[1]], [[1.0, -1.0]])
    rows = with_objections([row], model, [[spoken(term("collect"), YES, [2.5, -1.5])]])
    (objection,) = rows[0].objections
    assert objection.term == "collect"
    assert objection.votes == pytest.approx((2.5 + 0.5) - (-1.5 - 0.25))


def test_what_speaks_for_the_given_labels_is_no_objection():
    model = calls_model()
    (row,) = rows_of(model, [[0]], [[-1.0, 1.0]])
    contributions = [
        spoken(term("collect"), YES, [2.5, -1.5]),
        spoken(term("how", None, "is"), NO, [-0.1, -0.1]),
        spoken(AtLeast("minutes", 2.5), NO, [-0.2, 0.2]),
        spoken(AtLeast("minutes", 2.5), UNKNOWN, [-0.2, 0.2]),
        spoken(Equals("line", "office"), YES, [0.0, 0.3]),
    ]
    (found,) = with_objections([row], model, [contributions])
    assert [one.term for one in found.objections] == ["minutes < 2.5", "line = office"]


def test_the_counts_of_a_term_object_together_and_only_the_strongest_are_kept():
    model = calls_model()
    (row,) = rows_of(model, [[1]], [[1.0, -1.0]])
    contributions = [
        spoken(term("collect"), YES, [2.5, -1.5]),
        spoken(term("collect", at_least=3), YES, [-1.0, 0.0]),
        spoken(Equals("line", "office"), YES, [0.3, 0.0]),
    ]
    (found,) = with_objections([row], model, [contributions], most=1)
    assert [one.term for one in found.objections] == ["collect"]
    assert found.objections[0].votes == pytest.approx(4.75 - 1.0)


def test_tsv_fields_are_the_named_columns_whatever_the_labels():
    model = model_of(labels=(HOSTILE, "b"), multilabel=True)
    rows = rows_of(model, [[0, 1]], [[-1, -1]], ids=[HOSTILE], snippets=[HOSTILE])
    head, fields = table(outliers_tsv(rows))
    record = dict(zip(head, fields, strict=True))
    assert read_tsv_field(record["id"]) == HOSTILE
    assert record["given"].endswith("|b")
    assert record["kind"] == "extra"


def test_json_has_named_fields_only():
    (row,) = rows_of(SINGLE, [[0]], [[0, 1, 0]])
    record = json.loads(json.dumps(outlier_json(row)))
    assert record["given"] == ["Collect"]
    assert record["suggested"] == ["Rate"]
    assert set(record) >= {"rank", "id", "score", "margin", "weight", "label_rank", "snippet"}


@pytest.mark.parametrize("model", [SINGLE, SEVERAL])
@settings(max_examples=30)
@given(data=st.data())
def test_documents_that_are_added_in_parts_have_the_same_rows(model, data):
    m = data.draw(st.integers(1, 6))
    least = 1 if model is SINGLE else 0
    sets = st.lists(st.sampled_from([0, 1, 2]), min_size=least, max_size=1 + least, unique=True)
    labels = [sorted(data.draw(sets)) for _ in range(m)]
    scores = data.draw(arrays(float, (m, 3), elements=st.sampled_from([-2.0, -0.5, 0.0, 1.0])))
    corpus = corpus_of(labels, model.labels)
    parts, signs = Weighed(model), label_signs(model, corpus)
    for i in range(m):
        parts.add(scores[i : i + 1], signs[i : i + 1], corpus.weights[i : i + 1])
    assert parts.rows(corpus, m) == outlier_rows(model, corpus, scores, m)
