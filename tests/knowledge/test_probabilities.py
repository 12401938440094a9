"""Rules that fire, to probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.corpus.documents import Document
from boostext.features.conditions import AtLeast, Equals, Occurs
from boostext.knowledge.knowledge import Knowledge, KnowledgeRule, When
from boostext.knowledge.probabilities import LEAST, label_shares, probabilities
from boostext.knowledge.terms import Firing, conditions_of
from boostext.settings import TextSettings

LABELS = ("A", "B", "C", "D")
KNOWN = Knowledge(
    (("A", 0.15), ("B", 0.1)),
    (
        KnowledgeRule(When(any=("a",)), (("A", 0.9),)),
        KnowledgeRule(When(any=("b",)), (("B", 0.6), ("C", 0.3))),
        KnowledgeRule(When(any=("a",)), (("A", 0.95),)),
    ),
)


def pi(fired, multilabel=False, knowledge=KNOWN, labels=LABELS):
    return probabilities(knowledge, labels, multilabel, np.array([fired], bool))[0]


def test_shares_that_are_not_said_are_equal_parts_of_the_rest():
    assert label_shares(KNOWN, LABELS) == pytest.approx([0.15, 0.1, 0.375, 0.375])
    assert label_shares(Knowledge(), LABELS) == pytest.approx([0.25] * 4)


def test_a_rule_alone_makes_its_labels_as_likely_as_it_says():
    assert pi([1, 0, 0]) == pytest.approx([0.9, 0.1 * 0.1 / 0.85, *[0.1 * 0.375 / 0.85] * 2])
    assert pi([0, 1, 0])[1:3] == pytest.approx([0.6, 0.3])
    assert pi([0, 1, 0], multilabel=True) == pytest.approx([0.15, 0.6, 0.3, 0.375])


def test_rules_that_hold_together_add_up_in_log_odds():
    """Naive Bayes: p(l) times p(l | rule) / p(l) for each rule."""
    shares = label_shares(KNOWN, LABELS)
    expected = pi([1, 0, 0]) * pi([0, 1, 0]) / shares
    assert pi([1, 1, 0]) == pytest.approx(expected / expected.sum())

    def odds(p):
        return np.log(p / (1 - p))

    both = odds(pi([1, 0, 0], True)) + odds(pi([0, 0, 1], True)) - odds(shares)
    assert odds(pi([1, 0, 1], True)) == pytest.approx(np.minimum(both, odds(1 - LEAST)))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans())
def test_chances_are_never_certain_and_sum_to_1_with_one_label_a_text(seed, k, multilabel):
    rng = np.random.default_rng(seed)
    labels = [str(j) for j in range(k)]
    rules = [
        KnowledgeRule(
            When(any=("x",)), ((str(rng.integers(k)), float(rng.choice([0, 0.001, 0.9, 1]))),)
        )
        for _ in range(6)
    ]
    fired = rng.integers(0, 2, (20, 6)).astype(bool)
    found = probabilities(Knowledge(rules=tuple(rules)), labels, multilabel, fired)
    assert (found >= LEAST * (1 - 1e-9)).all()
    assert (found <= 1 - LEAST + 1e-12).all()
    if not multilabel and k > 1:
        assert found.sum(axis=1) == pytest.approx(np.ones(20))
    one = probabilities(Knowledge(rules=tuple(rules)), labels, multilabel, fired[3:4])
    assert one.tolist() == found[3:4].tolist()


def test_terms_are_spelled_as_inspect_prints_them():
    def asked(term, fields=("text",), **settings):
        return conditions_of(term, TextSettings(**settings), fields)

    assert asked("How much") == (Occurs("text", ("how", "much")),)
    assert asked("person ? person") == (Occurs("text", ("person", None, "person")),)
    assert asked("free (>= 3)") == (Occurs("text", ("free",), 3),)
    assert asked("free", ("subject", "body")) == (
        Occurs("subject", ("free",)),
        Occurs("body", ("free",)),
    )
    assert asked("subject:free", ("subject", "body")) == (Occurs("subject", ("free",)),)
    assert asked("color = red") == (Equals("color", "red"),)
    assert asked("age >= 30") == (AtLeast("age", 30.0),)
    assert asked("!!!") == ()
    assert asked("the fee", stop_words=("the",)) == (Occurs("text", ("fee",)),)
    assert asked("refund", analyzer="char") == (Occurs("text", ("refund",)),)


def test_rules_hold_where_terms_of_any_length_are_and_others_are_not():
    rules = (
        KnowledgeRule(When(any=("how much", "cost")), (("A", 0.9),)),
        KnowledgeRule(When(all=("long distance", "to"), none=("collect",)), (("A", 0.9),)),
        KnowledgeRule(When(any=("to",)), (("A", 0.9),), unless=When(all=("long", "collect"))),
    )
    texts = ["How much is it", "a long distance call to", "much how to", "long collect to", ""]
    firing = Firing(rules, TextSettings(), ("text",))
    fired = firing.fired([Document(str(i), {"text": text}) for i, text in enumerate(texts)])
    assert fired.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert firing.counts["cost"] == 0
    assert firing.counts[rules[0]] == 1
