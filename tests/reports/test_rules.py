"""rules.tsv and the rows behind it."""

import json

import numpy as np
import pytest

from boostext.features.conditions import spell
from boostext.reports.escape import read_tsv_field
from boostext.reports.rules import rule_json, rule_rows, rules_tsv
from tests.reports.models import HOSTILE, calls_model, model_of, rule, table, term


def test_a_row_for_every_rule_in_the_order_learned():
    rows = rule_rows(calls_model())
    assert [row.number for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.condition for row in rows] == [
        "collect",
        "how ? is",
        "collect",
        "collect (>= 3)",
        "line = office",
        "minutes >= 2.5",
    ]
    assert [row.kind for row in rows] == ["term"] * 4 + ["category", "number"]
    assert [row.at_least for row in rows] == [1, 1, 1, 3, 1, 1]


def test_the_bound_is_the_product_of_z_so_far():
    rows = rule_rows(calls_model())
    assert [row.bound for row in rows] == pytest.approx([0.8, 0.4, 0.4, 0.2, 0.2, 0.2])
    assert rows[1].gain == pytest.approx(0.5)


def test_a_model_without_history_leaves_its_fields_empty():
    model = model_of(rule(term("a"), [0, 0], [1, -1]))
    (row,) = rule_rows(model)
    assert (row.gain, row.z, row.bound) == (None, None, None)
    assert table(rules_tsv([row], model.labels))[1][4:7] == ["", "", ""]


def test_every_column_of_votes_says_its_block_and_label():
    model = calls_model()
    head, first, *_, last = table(rules_tsv(rule_rows(model), model.labels))
    assert head == [
        "number",
        "condition",
        "kind",
        "at_least",
        "gain",
        "z",
        "bound",
        "no:Collect",
        "no:Rate",
        "yes:Collect",
        "yes:Rate",
        "unknown:Collect",
        "unknown:Rate",
    ]
    assert first[7:] == ["-0.5", "0.25", "2", "-1", "0", "0"]
    assert last[-2:] == ["0.05", "0"]


def test_unknown_has_columns_only_where_it_votes():
    model = model_of(rule(term("a"), [0, 0], [1, -1]))
    head = next(iter(table(rules_tsv(rule_rows(model), model.labels))))
    assert not [name for name in head if name.startswith("unknown")]


def test_hostile_labels_and_terms_stay_in_their_fields():
    model = model_of(rule(term(HOSTILE), [0], [1]), labels=(HOSTILE,))
    head, row = table(rules_tsv(rule_rows(model), model.labels))
    assert len(head) == len(row) == 9
    assert read_tsv_field(head[-1]) == f"yes:{HOSTILE}"
    assert read_tsv_field(row[1]) == spell(term(HOSTILE))


def test_several_text_fields_are_named():
    model = model_of(
        rule(term("free", field="subject"), [0, 0], [1, -1]), fields=("text", "subject")
    )
    assert rule_rows(model)[0].condition == "subject:free"


def test_json_names_blocks_and_labels_and_leaves_out_silent_ones():
    rows = rule_rows(calls_model())
    assert rule_json(rows[2])["votes"] == {"yes": {"Collect": 0.5, "Rate": -0.5}}
    assert set(rule_json(rows[5])["votes"]) == {"unknown", "no", "yes"}
    assert json.loads(json.dumps(rule_json(rows[0])))["bound"] == pytest.approx(0.8)


def test_the_limit_takes_the_first_rules():
    model = calls_model()
    few = rule_rows(model, 2)
    assert [row.number for row in few] == [1, 2]
    assert np.array_equal(few[1].yes, model.rules[1].votes[2])
