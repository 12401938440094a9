"""What changes from one model to another, counted by hand on a few documents."""

import numpy as np
import pytest

from boostext.boosting.rules import Rule
from boostext.corpus.documents import Document
from boostext.evaluation.comparing import compare, sign_test
from boostext.features.conditions import Occurs
from boostext.model.model import Model
from boostext.reports.comparing import Compared, comparison_page, term_changes
from tests.reports.models import HOSTILE, model_of, rule, term

FIRST = model_of(rule(term("x"), [0, 1], [2, -1]), labels=("A", "B"))
SECOND = model_of(rule(term("y"), [0, 1], [2, -1]), labels=("A", "B"))
TEXTS = (("x", "A"), ("y", "A"), ("x y", "A"), ("x", "B"), ("z", "B"), ("y", "B"))
"""First gives A A's: x, x y, x; second: y, x y, y."""


def documents(texts=TEXTS):
    return [Document(f"d{n}", {"text": text}, (label,)) for n, (text, label) in enumerate(texts)]


def test_won_and_lost_are_counted_by_document_and_label():
    found = compare((FIRST, SECOND), documents())
    verdicts = {change.id: change.verdict for change in found.changes}
    assert verdicts == {"d0": "lost", "d1": "won", "d3": "won", "d5": "lost"}
    assert (found.changed, found.won, found.lost) == (4, 2, 2)
    assert [(row.label, row.documents, row.won, row.lost) for row in found.labels] == [
        ("A", 3, 2, 2),
        ("B", 3, 2, 2),
    ]
    assert found.first.measures["error"] == found.second.measures["error"] == 2 / 6
    assert [change.verdict for change in found.changes] == ["lost", "lost", "won", "won"]


def test_a_model_beside_itself_changes_nothing():
    found = compare((FIRST, FIRST), documents())
    assert (found.changed, found.p_value, found.changes) == (0, 1.0, ())
    assert term_changes(FIRST, FIRST) == []


@pytest.mark.parametrize(
    ("won", "lost", "p_value"), [(1, 3, 2 * 5 / 16), (0, 0, 1), (5, 5, 1), (10, 0, 2 / 1024)]
)
def test_luck_is_that_of_fair_coins(won, lost, p_value):
    assert sign_test(won, lost) == sign_test(lost, won) == pytest.approx(p_value)


def test_luck_does_not_overflow():
    assert sign_test(100_000, 99_000) == pytest.approx(0.025, abs=0.003)


def test_documents_without_a_label_field_are_left_out():
    given = [*documents(), Document("none", {"text": "x"}, (), labelled=False)]
    assert compare((FIRST, SECOND), given).first.examples == 6


def test_labels_of_one_model_alone_are_told():
    other = Model(("B", "C"), False, (Rule(Occurs("text", ("x",)), np.ones((3, 2))),))
    found = compare((FIRST, other), documents())
    assert {row.label for row in found.labels} == {"A", "B", "C"}
    one, two = Model(("C", "A", "B"), False, ()), Model(("D", "B", "E"), False, ())
    texts = (("x", "B"), ("x", "E"), ("x", "F"), ("x", "B"))
    rows = compare((one, two), documents(texts)).labels
    # by changes, then the labels of the first model, those it does not know, those of the second
    assert [(row.label, row.documents, row.won, row.lost) for row in rows] == [
        ("C", 0, 4, 0),
        ("D", 0, 0, 4),
        ("A", 0, 0, 0),
        ("B", 2, 0, 0),
        ("E", 1, 0, 0),
        ("F", 1, 0, 0),
    ]


def test_terms_that_differ_come_by_how_much():
    rows = term_changes(FIRST, model_of(rule(term("x"), [0, 1], [3, -1]), labels=("A", "B")))
    assert [(row.term, row.first, row.second) for row in rows] == [("x", 4.0, 5.0)]
    assert {(row.first, row.second) for row in term_changes(FIRST, SECOND)} == {
        (4.0, None),
        (None, 4.0),
    }


def test_a_page_of_hostile_names_stays_text():
    breakout = f"</script><script>alert(1)</script><img src=x>{HOSTILE}"
    model = model_of(rule(term(breakout), [0, 1], [2, -1]), labels=(breakout, "B"))
    found = compare((model, SECOND), [Document(breakout, {"text": f"y {breakout}"}, (breakout,))])
    compared = Compared((breakout, "second"), found, term_changes(model, SECOND))
    page = comparison_page(compared)
    assert page.count("<script") == 1
    assert "<img" not in page
    assert compared.to_dict()["changes"][0]["id"] == breakout
