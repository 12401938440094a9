"""Rules about every document: scored, explained, saved, and said in a .shyp."""

import numpy as np
import pytest

from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import Always, AtLeast, Occurs
from boostext.model.file import read_model, write_model
from boostext.model.json_form import model_from_json, model_to_json
from boostext.model.model import Model, asked_conditions
from boostext.model.predict import Predictor
from boostext.model.shyp import read_shyp, shyp_schema, shyp_text
from boostext.reports.rules import rule_rows
from boostext.reports.terms import term_rows
from tests.model.models import rule, same

SILENT = [0.0, 0.0]


def model_of(*rules):
    return Model(labels=("x", "y"), multilabel=False, rules=rules)


PRIOR = rule(Always(), SILENT, SILENT, [0.5, -0.25])
WORD = rule(Occurs("text", ("a",)), SILENT, [0.1, 0.0], [1.0, -1.0])
AGE = rule(AtLeast("age", 3.0), [0.2, 0.2], [0.0, 0.1], [0.3, 0.0])
DOCUMENTS = [
    Document("1", {"text": "a b"}, (), attributes={"age": 5.0}),
    Document("2", {"text": ""}, ()),
    Document("3", {}, (), attributes={"age": 1.0}),
]


def test_it_is_none_of_the_conditions_of_a_model():
    assert asked_conditions(model_of(PRIOR, WORD, AGE)) == {WORD.condition, AGE.condition}


def test_its_votes_are_in_every_score():
    with_it = Predictor(model_of(PRIOR, WORD, AGE))
    without = Predictor(model_of(WORD, AGE))
    for document in DOCUMENTS:
        difference = with_it.score(document) - without.score(document)
        assert difference == pytest.approx([0.5, -0.25], abs=1e-15)


def test_its_votes_are_explained_and_add_up():
    predictor = Predictor(model_of(PRIOR, WORD, AGE))
    for document, (_, scores) in zip(DOCUMENTS, predictor.scores(DOCUMENTS), strict=True):
        rows = predictor.contributions(document)
        assert rows[0].condition == Always()
        assert np.sum([row.votes for row in rows], axis=0) == pytest.approx(scores, abs=1e-12)


def test_it_is_saved_and_read(tmp_path):
    model = model_of(PRIOR, WORD)
    write_model(model, tmp_path / "m.boostext")
    assert same(read_model(tmp_path / "m.boostext"), model)
    assert same(model_from_json(model_to_json(model)), model)


def test_it_is_listed_as_a_rule_but_as_no_term():
    model = model_of(PRIOR, WORD)
    first = rule_rows(model)[0]
    assert (first.condition, first.kind) == ("every document", "prior")
    assert [row.term for row in term_rows(model)] == ["a"]


def test_a_shyp_says_it_by_a_term_whose_blocks_vote_the_same(tmp_path):
    model = model_of(PRIOR, WORD)
    (tmp_path / "m.shyp").write_text(shyp_text(model), encoding="utf-8")
    again = read_shyp(str(tmp_path / "m.shyp"), shyp_schema(model))
    for document in DOCUMENTS[:2]:
        expected = Predictor(model).score(document)
        assert Predictor(again).score(document) == pytest.approx(expected, abs=1e-9)


def test_a_shyp_cannot_hold_it_alone():
    with pytest.raises(SettingsError, match="only rule is about no term"):
        shyp_text(model_of(PRIOR))
