"""Terms by themselves: counted by hand on six documents."""

import numpy as np
import pytest

from boostext.features.conditions import UNKNOWN, YES, AtLeast, Literal
from boostext.model.predict import scores_found
from boostext.reports.coverage import (
    coverage_tsv,
    evidence_of,
    example_documents,
    scores_by_round,
    term_facts,
)
from boostext.reports.terms import term_rows

from .models import corpus_of, model_of, rule, table, term

LABELS = ("A", "B")
NONE = np.zeros(0, np.int32)
WHERE = {
    term("x"): [0, 1, 2],
    term("y"): [1, 2, 3],
    term("x", at_least=2): [0],
    term("z"): [5],
}


def find(condition):
    return np.array(WHERE[condition], np.int32), NONE


@pytest.fixture
def evidence():
    """A A B B A B; x in 0 1 2, y in 1 2 3, z in 5."""
    model = model_of(
        rule(term("x"), [0, 0], [2, -1]),
        rule(term("y"), [-0.5, 0.25], [0, 1]),
        rule(term("x", at_least=2), [0, 0], [0.5, 0]),
        rule(term("z"), [0, 0], [0, 0.1]),
        labels=LABELS,
    )
    snippets = ["long text of x", "x y", "xy too", "y", "nothing", "z"]
    corpus = corpus_of([[0], [0], [1], [1], [0], [1]], LABELS, snippets=snippets)
    return evidence_of(model, corpus, find)


@pytest.fixture
def facts(evidence):
    rows = term_rows(evidence.model)
    return {fact.term: fact for fact in term_facts(evidence, rows)}


def test_documents_and_precision_are_those_of_the_lowest_level(facts):
    assert facts["x"].documents == 3
    assert facts["x"].share == 3 / 6
    assert (facts["x"].majority, facts["x"].majority_share) == ("A", pytest.approx(2 / 3))
    assert facts["y"].precisions.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_terms_that_fire_together_are_told_by_their_jaccard_index(facts):
    [other] = facts["x"].together
    assert (other.term, other.both) == ("y", 2)
    assert other.alike == pytest.approx(2 / 4)  # 1 2 of 0 1 2 3
    assert facts["z"].together == ()


def test_aliases_are_told_up_to_some(evidence):
    rows = term_rows(evidence.model)
    same = [term(f"alias{n}") for n in range(7)]
    facts = term_facts(evidence, rows, lambda condition: same)
    assert facts[0].aliases == tuple(f"alias{n}" for n in range(5))
    assert facts[0].alias_count == 7


def test_examples_are_short_and_end_with_one_that_contradicts(evidence, facts):
    assert example_documents(evidence, facts["x"]) == [1, 0, 2]  # 2 is of label B


def test_a_term_under_a_precondition_counts_only_where_that_holds():
    guarded = rule(term("y"), [0, 0], [1, 0])
    guarded = type(guarded)(guarded.condition, guarded.votes, 1.0, (Literal(term("x"), YES),))
    model = model_of(guarded, labels=LABELS)
    evidence = evidence_of(model, corpus_of([[0]] * 6, LABELS), find)
    [fact] = term_facts(evidence, term_rows(model))
    assert fact.where.tolist() == [1, 2]


def test_scores_are_sums_of_votes(evidence):
    # document 2: x yes, y yes, x twice no, z no
    assert evidence.scores[2].tolist() == pytest.approx([2 + 0, -1 + 1])
    # document 4: nothing but what y says when it is absent
    assert evidence.scores[4].tolist() == pytest.approx([-0.5, 0.25])


def test_scores_by_round_end_with_the_scores(evidence):
    rounds = list(scores_by_round(evidence))
    assert [number for number, _ in rounds] == [1, 2, 3, 4]
    assert rounds[-1][1] == pytest.approx(evidence.scores)


def test_unknown_values_have_their_own_vote():
    model = model_of(rule(AtLeast("n", 1.0), [1, 0], [0, 1], unknown=[5, 5]), labels=LABELS)
    scores = scores_found(model, lambda c: (np.array([0]), np.array([2])), 3)
    assert scores.tolist() == [[0, 1], [1, 0], [5, 5]]
    assert UNKNOWN == 0


def test_the_table_has_a_line_for_each_term(evidence, facts):
    rows = term_rows(evidence.model)
    lines = table(coverage_tsv(rows, [facts[row.term] for row in rows]))
    assert lines[0][5:9] == ["for_label", "precision", "majority", "majority_share"]
    assert [line[1] for line in lines[1:]] == [row.term for row in rows]
    assert all(len(line) == len(lines[0]) for line in lines)


def test_nothing_is_counted_in_no_documents():
    model = model_of(rule(term("x"), [0, 0], [1, 0]), labels=LABELS)
    empty = evidence_of(model, corpus_of([], LABELS), lambda c: (NONE, NONE))
    [fact] = term_facts(empty, term_rows(model))
    assert (fact.documents, fact.share, fact.majority) == (0, 0.0, "")
