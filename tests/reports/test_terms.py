"""terms.tsv and the strongest terms of a label."""

import pytest

from boostext.features.conditions import AtLeast
from boostext.reports.terms import label_terms, term_json, term_rows, terms_tsv
from tests.reports.models import calls_model, model_of, rule, table, term


def test_the_rules_of_a_term_are_one_row_with_its_counts_in_order():
    collect = term_rows(calls_model())[0]
    assert (collect.term, collect.rules, collect.first_round) == ("collect", 3, 1)
    assert [(level.condition, level.rules) for level in collect.levels] == [
        ("collect", 2),
        ("collect (>= 3)", 1),
    ]
    assert collect.levels[0].yes == pytest.approx([2.5, -1.5])


def test_influence_sums_the_difference_of_yes_and_no_over_labels_and_levels():
    # collect: yes - no is (2.5 + 0.5, -1.5 - 0.25); at least thrice: (-1, 0)
    collect, how, *_ = term_rows(calls_model())
    assert collect.influence == pytest.approx(3.0 + 1.75 + 1.0)
    assert collect.difference == pytest.approx([2.0, -1.75])
    assert how.influence == pytest.approx(0.9 + 1.6)


def test_rows_are_ranked_by_influence():
    rows = term_rows(calls_model())
    assert [row.rank for row in rows] == [1, 2, 3, 4]
    assert sorted((row.influence for row in rows), reverse=True) == [r.influence for r in rows]
    assert len(term_rows(calls_model(), 2)) == 2


def test_the_labels_a_term_speaks_of_most_are_named():
    collect = term_rows(calls_model())[0]
    assert (collect.strongest_for, collect.strongest_against) == ("Collect", "Rate")


def test_a_term_that_speaks_for_no_label_names_none():
    (row,) = term_rows(model_of(rule(term("um"), [0, 0], [-1, 0])))
    assert (row.strongest_for, row.strongest_against) == ("", "Collect")


def test_the_thresholds_of_a_column_are_one_row():
    model = model_of(
        rule(AtLeast("age", 30.0), [0, 0], [1, 0]), rule(AtLeast("age", 18.0), [0, 0], [0, 1])
    )
    (row,) = term_rows(model)
    assert (row.term, row.kind) == ("age", "number")
    assert [level.condition for level in row.levels] == ["age >= 18", "age >= 30"]


def test_the_strongest_terms_of_a_label_add_most_to_its_score():
    model = calls_model()
    rows = label_terms(term_rows(model), model.labels, top=2)
    assert [(row.label, row.rank, row.term) for row in rows] == [
        ("Collect", 1, "collect"),
        ("Rate", 1, "how ? is"),
        ("Rate", 2, "minutes"),
    ]
    assert rows[1].votes == pytest.approx(1.6)


def test_the_terms_against_a_label_come_strongest_first():
    model = calls_model()
    rows = label_terms(term_rows(model), model.labels, top=2, against=True)
    assert [row.term for row in rows if row.label == "Collect"] == ["how ? is", "minutes"]
    assert rows[0].votes == pytest.approx(-0.9)


def test_no_rules_give_no_terms():
    model = model_of()
    assert term_rows(model) == []
    assert label_terms([], model.labels, 3) == []


def test_tsv_and_json_name_the_differences_by_label():
    model = calls_model()
    rows = term_rows(model)
    head, first, *_ = table(terms_tsv(rows, model.labels))
    record = dict(zip(head, first, strict=True))
    assert record["levels"] == "2"
    assert record["difference:Rate"] == "-1.75"
    assert term_json(rows[0])["difference"] == {
        "Collect": pytest.approx(2.0),
        "Rate": pytest.approx(-1.75),
    }
    assert term_json(rows[0])["levels"][1]["yes"] == {"Collect": -1.0, "Rate": 0.0}
