"""Scored texts, words with a value each, from the data to predictions."""

import random
from dataclasses import replace

import numpy as np
import pytest

from boostext.corpus.documents import Document
from boostext.corpus.schema import SCORED, Column, Schema, with_schema
from boostext.errors import SettingsError
from boostext.features.conditions import LOWEST, AtLeast, spell
from boostext.library.report_page import training_evidence
from boostext.model.predict import Predictor
from boostext.model.shyp import shyp_text
from boostext.training.plan import Plan
from boostext.training.run import train


def drawn(count=120):
    """A high value of `bill` is of billing, that `house` is there at all is of moving."""
    draw = random.Random(3)
    for number in range(count):
        label = draw.choice(["billing", "moving", "other"])
        heard = {"uh": round(draw.random(), 1)}
        if label == "billing" or draw.random() < 0.5:
            heard["bill"] = round(draw.random() / 2 + 0.5 * (label == "billing"), 3)
        if label == "moving":
            heard["house"] = 1.0
        yield Document(f"d{number}", {"text": "hello"}, (label,), scored={"heard": heard})


def trained(documents, **chosen):
    return train(documents, Plan.of(**{"rounds": 8, "threads": 1, **chosen}))


def test_rules_ask_for_a_word_and_for_its_value():
    model = trained(drawn()).model
    asked = {rule.condition for rule in model.rules}
    assert AtLeast("heard:house", LOWEST) in asked
    assert any(c.column == "heard:bill" and 0.4 < c.threshold < 0.6 for c in asked)
    assert {"heard:house is known"} <= {spell(c) for c in asked}
    (scores,) = [s for _, s in Predictor(model).scores([Document("x", {"text": "hello"})])]
    assert not scores.any()  # nothing is known of it, and all rules abstain


@pytest.mark.parametrize("algorithm", ["mh", "mr", "oc", "slipper", "adtree", "trees", "mp"])
def test_training_predicts_what_it_learned_with_every_kind_of_rule(algorithm):
    made = trained(drawn(), algorithm=algorithm)
    predicted = np.array([scores for _, scores in Predictor(made.model).scores(drawn())])
    np.testing.assert_allclose(predicted, training_evidence(made).scores, rtol=0, atol=1e-12)
    assert predicted.any()


def test_words_are_numeric_attributes_where_missing_values_vote():
    """An attribute has the condition that it is known only there."""
    flat = [replace(d, attributes=d.word_values(), scored={}) for d in drawn()]
    ours, theirs = (trained(d, unknown="votes").model for d in (drawn(), flat))
    assert [r.condition for r in ours.rules] == [r.condition for r in theirs.rules]
    assert all((a.votes == b.votes).all() for a, b in zip(ours.rules, theirs.rules, strict=True))


def test_a_shyp_refuses_them():
    schema = Schema(("billing", "moving", "other"), (Column("heard", SCORED),))
    plan = Plan.of(rounds=8, threads=1)
    plan = replace(plan, data=with_schema(plan.data, schema))
    with pytest.raises(SettingsError, match=r"'heard:(bill|house)', a word of a scored text"):
        shyp_text(train(drawn(), plan).model)
