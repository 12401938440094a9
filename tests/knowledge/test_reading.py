"""The file of knowledge: what it may say, and the line of every mistake."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.errors import BoostextError, SettingsError
from boostext.knowledge.knowledge import Forbidden, KnowledgeRule, OneSided, When
from boostext.knowledge.reading import read_knowledge

WHOLE = """
labels: {Collect: 0.15, Rate: 0.1, Other: }
rules:
  - if: collect
    then: {Collect: 0.9}
  - if: {all: [how much, "long distance"], none: [collect]}
    then: Rate
    unless: [refund, credit]
forbid:
  - john
  - {term: "555", labels: [Rate]}
only: {refund: +Collect, cost: [-Other, +Rate]}
"""


def reading(tmp_path, text):
    path = tmp_path / "k.yaml"
    path.write_text(text, encoding="utf-8")
    return read_knowledge(path)


def test_a_whole_file(tmp_path):
    found = reading(tmp_path, WHOLE)
    assert found.labels == (("Collect", 0.15), ("Rate", 0.1), ("Other", None))
    assert found.rules == (
        KnowledgeRule(When(any=("collect",)), (("Collect", 0.9),)),
        KnowledgeRule(
            When(all=("how much", "long distance"), none=("collect",)),
            (("Rate", 0.9),),
            When(any=("refund", "credit")),
        ),
    )
    assert [told.line for told in found.rules] == [4, 6]
    assert found.forbid == (Forbidden("john"), Forbidden("555", ("Rate",)))
    assert found.only == (
        OneSided("refund", "Collect", 1),
        OneSided("cost", "Other", -1),
        OneSided("cost", "Rate", 1),
    )


MISTAKES = [
    ("rulse:\n  - if: a\n", 1, "did you mean 'rules'"),
    ("rules:\n  - if: a\n    than: B\n", 3, "did you mean 'then'"),
    ("rules:\n  - if: a\n", 2, "no `then:`"),
    ("rules:\n  - if: {any: [a], al: [b]}\n    then: B\n", 2, "did you mean 'all'"),
    ("rules:\n  - if: a\n    then: {B: 90}\n", 3, "expected a number from 0 to 1"),
    ("rules:\n  - if: a\n    then: {B: much}\n", 3, "the probability of B is much"),
    ("rules:\n  - if: a\n    then: [B, C]\n", 3, "expected LABEL, or {LABEL: 0.6"),
    ("rules:\n  - if: true\n    then: B\n", 2, "put it in quotes"),
    ("rules:\n  if: a\n", 2, "rules is a mapping; expected a list"),
    ("rules: []\nlabels: {A: 0.7, B: 0.6}\n", 2, "add up to 1.3"),
    ("only: {refund: Billing}\n", 1, "expected +LABEL"),
    ("forbid:\n- {labels: [A]}\n", 2, "names no `term:`"),
    ("rules:\n- if: a\n  then: B\nrules: []\n", 4, "a second time, after line 1"),
    ("rules: &a [b]\n", 1, "aliases"),
    ("rules: [\n", 2, "not YAML"),
    ("- a\n", 1, "expected `rules:`"),
    ("rules: [[[[[[[[[[a]]]]]]]]]]\n", 1, "nested too deep"),
    ("", 1, "expected `rules:`"),
]


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES, ids=[m[2] for m in MISTAKES])
def test_mistakes_are_told_with_file_line_and_what_is_meant(tmp_path, text, line, words):
    with pytest.raises(SettingsError, match=re.escape(words)) as told:
        reading(tmp_path, text)
    assert str(told.value).startswith(f"{tmp_path / 'k.yaml'}:{line}: ")


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("rules:if then{}[]-\n 0.9,ab&*!'\"labelsforbidonly+"), max_size=60))
def test_any_file_is_read_or_told(tmp_path_factory, text):
    with suppress(BoostextError):
        reading(tmp_path_factory.getbasetemp(), text)
