"""Weights of all terms at once, against the slow and plain way to the same."""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize

from boostext.corpus.documents import Document
from boostext.evaluation.folds import make_folds
from boostext.library.judging import explained_rows
from boostext.reports.doubts import doubt_rows
from boostext.training import term_weights
from boostext.training.audit import audit, effort
from boostext.training.run import prepare
from boostext.training.term_weights import (
    PENALTY,
    Examples,
    curvature,
    given_matrix,
    learned_weights,
    mean_one,
    term_matrix,
)
from tests.test_training import document, noisy, plan_of


def everything(documents, **values):
    """The prepared documents, their matrix, and all of them as examples."""
    prepared = prepare(documents, plan_of(**values))
    labels = len(prepared.corpus.labels)
    terms = term_matrix(prepared.features, labels)
    chosen = np.arange(len(documents))
    given = given_matrix(prepared.corpus.label_sets, chosen, labels)
    return prepared, terms, Examples(terms.rows, given, mean_one(prepared.weights))


def several(count):
    """Documents of which some have two labels, and some none."""
    for i, made in enumerate(noisy(count)):
        labels = [made.labels, (), ("further", *made.labels)][i % 3]
        yield dataclasses.replace(made, labels=labels)


def penalized_loss(flat, examples, start, multilabel):
    weights = flat.reshape(-1, examples.given.shape[1])
    scores = examples.rows.toarray().astype(float) @ weights + start
    if multilabel:
        losses = np.logaddexp(0, np.where(examples.given > 0, -scores, scores)).sum(axis=1)
    else:
        losses = np.logaddexp.reduce(scores, axis=1) - (scores * examples.given).sum(axis=1)
    return float(examples.weights @ losses + PENALTY / 2 * (flat**2).sum())


@pytest.mark.parametrize("make", [noisy, several])
def test_steps_lead_to_the_least_penalized_loss(make, monkeypatch):
    monkeypatch.setattr(term_weights, "STEPS", 400)
    monkeypatch.setattr(term_weights, "ENOUGH", -1.0)  # whatever held-out documents say
    draws = np.random.default_rng(0)
    documents = [dataclasses.replace(d, weight=draws.uniform(0.5, 2)) for d in make(40)]
    prepared, _, examples = everything(documents)
    bends = curvature(examples.rows, 3)
    found = learned_weights(examples, examples, bends, prepared.multilabel)
    rest = (examples, found.start.astype(float), prepared.multilabel)
    mine = penalized_loss(found.weights.astype(float).ravel(), *rest)
    least = minimize(penalized_loss, np.zeros(found.weights.size), args=rest, method="L-BFGS-B")
    assert mine == pytest.approx(least.fun, rel=1e-3)


@pytest.mark.parametrize("count", [20, 500])
def test_a_single_term_tells_nothing_about_errors(count):
    made = [Document(str(i), {"text": "hello"}, labels=("ab"[i % 2],)) for i in range(count)]
    found = audit(prepare(made, plan_of()))
    assert found.probabilities == pytest.approx(np.full((count, 2), 0.5), abs=0.01)


def test_curvature_is_that_of_the_two_steepest_directions():
    rows = everything(list(noisy(200)))[1].rows
    bends, values = curvature(rows, 1), np.linalg.svd(rows.toarray())[1] ** 2 / rows.shape[0]
    assert (bends.first, bends.second) == pytest.approx(values[:2], rel=0.1)
    assert np.linalg.norm(rows @ bends.direction) ** 2 / rows.shape[0] == pytest.approx(bends.first)
    assert bends.reach == pytest.approx((values[0] / values[1]) ** 0.5, rel=0.1)
    assert curvature(rows, 2).reach == 1  # too few documents for each of two labels


def test_rows_are_of_length_1_over_terms_of_two_documents_and_intervals_of_numbers():
    documents = [
        Document(
            str(i),
            {"text": f"once{i} both {'even' * (i % 2)}"},
            ("ab"[i % 2],),
            attributes={"age": i},
        )
        for i in range(40)
    ]
    _, terms, _ = everything(documents)
    assert np.sqrt((terms.rows.toarray() ** 2).sum(axis=1)) == pytest.approx(np.ones(40))
    names = [terms.name(j, 1) for j in range(terms.rows.shape[1])]
    assert {"both", "even"} <= set(names)
    assert not any(name.startswith("once") for name in names)
    intervals = [j for j, name in enumerate(names) if name.startswith("age")]
    assert len(intervals) == term_weights.BINS
    assert ((terms.rows[:, intervals].toarray() > 0).sum(axis=1) == 1).all()
    assert names[intervals[0]] == "age < 1.5"
    assert names[intervals[1]] == "age >= 1.5, < 4.5"


def test_of_too_many_terms_the_most_frequent_are_kept(monkeypatch):
    everywhere = np.diff(everything(list(noisy(60)))[1].rows.tocsc().indptr)
    monkeypatch.setattr(term_weights, "WEIGHTS", 6)
    prepared, terms, _ = everything(list(noisy(60)))
    kept = 6 // len(prepared.corpus.labels)
    assert terms.rows.shape[1] == kept
    counts = np.diff(terms.rows.tocsc().indptr)
    assert sorted(counts) == sorted(everywhere)[-kept:]


@pytest.mark.parametrize("make", [noisy, several])
def test_threads_change_nothing_in_an_audit(make):
    one, three = (audit(prepare(list(make(60)), plan_of(threads=n))) for n in (1, 3))
    assert (one.scores == three.scores).all()
    assert (one.probabilities == three.probabilities).all()


def test_an_audit_tells_folds_and_begins_none_when_it_is_asked_to_stop():
    prepared, told = prepare(list(noisy(60)), plan_of(threads=1)), []
    asked = effort(prepared)
    audit(prepared, lambda done, total: told.append((done, total)))
    assert told == [(n + 1, asked.folds * asked.splits) for n in range(len(told))]
    assert len(told) == asked.folds * asked.splits
    found = audit(prepared, should_stop=lambda: True)
    assert np.isnan(found.scores).all()


def test_a_document_is_judged_by_the_others_alone():
    """Its scores are those of weights that were learned without it, over all of its splits."""
    prepared = prepare(list(noisy(60)), plan_of(splits=7))
    found, labels = audit(prepared), len(prepared.corpus.labels)
    terms, total = term_matrix(prepared.features, labels), 0.0
    for number in range(7):
        cut = make_folds(prepared.corpus.label_sets, 5, number)
        sides = []
        for chosen in (cut.learned(int(cut.of[7])), cut.held(int(cut.of[7]))):
            given = given_matrix(prepared.corpus.label_sets, chosen, labels)
            sides.append(Examples(terms.rows[chosen], given, mean_one(prepared.weights[chosen])))
        total = (
            total
            + learned_weights(*sides, curvature(terms.rows, labels), False).scores(terms.rows[[7]])[
                0
            ]
        )
    assert found.scores[7] == pytest.approx(total / 7 / 2, abs=1e-5)


def test_objections_are_terms_of_the_document_that_speak_for_the_rival():
    wrong = document(60, "red apple red fruit", ("vegetable",))
    documents = [
        *(document(i, f"red apple fruit {i % 7}", ("fruit",)) for i in range(30)),
        *(document(i, f"green leek root {i % 7}", ("vegetable",)) for i in range(30, 60)),
        wrong,
    ]
    prepared = prepare(documents, plan_of())
    found = audit(prepared)
    rows = doubt_rows(prepared.corpus, False, found.scores, found.probabilities)
    first = explained_rows(found, rows[:1])[0]
    assert (first.example, first.rival) == (60, "fruit")
    assert first.objections
    assert {objection.term for objection in first.objections} <= {"red", "apple", "fruit"}
    assert all(objection.votes > 0 for objection in first.objections)
