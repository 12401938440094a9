"""Rules that stand under others, from documents to predictions, as all other rules."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from boostext.algorithms import ALGORITHMS
from boostext.boosting.rounds import ALL_TERMS
from boostext.errors import SettingsError
from boostext.features.conditions import Always
from boostext.model.file import read_model, write_model
from boostext.model.predict import Predictor
from boostext.model.prune import cut
from boostext.training.courses import marks_held_out
from boostext.training.crossval import cross_validate
from boostext.training.members import condition_numbers, training_contributions
from boostext.training.run import Hooks, prepare, train
from boostext.training.summary import model_scores
from tests.test_training import bytes_of, interrupted, noisy, plan_of

GROWN = [name for name, row in ALGORITHMS.items() if row.learners[0] != "stump"]
WAYS = [{}, {"unknown": "votes"}, {"unknown_categories": False}]


HELD = tuple(noisy(40, seed=2))


@cache
def validated(name, way):
    """Trained by one of the WAYS, and measured on HELD."""
    return train(noisy(several=True), plan_of(algorithm=name, rounds=10, **WAYS[way]), HELD)


@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: str(WAYS[way]))
@pytest.mark.parametrize("name", GROWN)
def test_training_validation_prediction_and_explanation_agree(name, way):
    trained = validated(name, way)
    model = trained.whole
    predictor = Predictor(model)
    documents = list(noisy(several=True))
    scores = np.array([score for _, score in predictor.scores(documents)])
    np.testing.assert_allclose(model_scores(trained), scores, rtol=1e-14, atol=1e-12)
    for document, score in zip(documents, scores, strict=True):
        said = np.sum([row.votes for row in predictor.contributions(document)], axis=0)
        np.testing.assert_allclose(said, score, rtol=1e-14, atol=1e-12)


@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: str(WAYS[way]))
@pytest.mark.parametrize("name", GROWN)
def test_scores_on_validation_data_are_those_of_prediction(name, way):
    trained = validated(name, way)
    rules = tuple(rule for made in trained.rounds for rule in made.rules)
    whole = dataclasses.replace(trained.model, rules=rules, round_sizes=())
    expected = np.array([score for _, score in Predictor(whole).scores(HELD)])
    known = trained.prepared.validation.sums_of(rules)
    np.testing.assert_allclose(known, expected, rtol=1e-14, atol=1e-12)


@pytest.mark.parametrize("name", GROWN)
def test_explaining_training_documents_needs_no_text(name):
    trained = train(noisy(), plan_of(algorithm=name, rounds=8))
    numbers = condition_numbers(trained.rounds)
    rows = training_contributions(trained.members, trained.model, numbers, range(90))
    for document, told in zip(noisy(), rows, strict=True):
        expected = Predictor(trained.model).contributions(document)
        assert [(r.condition, r.precondition, r.block, r.rounds) for r in told] == [
            (r.condition, r.precondition, r.block, r.rounds) for r in expected
        ]


@pytest.mark.parametrize("values", [{}, {"valid_fraction": 0.3, "patience": 15}], ids=str)
@pytest.mark.parametrize("name", GROWN)
def test_going_on_gives_the_bytes_of_a_run_without_a_break(tmp_path, name, values):
    more = {"shrinkage": 0.7} if ALGORITHMS[name].shrinks else {}
    plan = plan_of(algorithm=name, rounds=12, seed=3, reuse=0.9, **more, **values)
    whole = train(noisy(), plan)
    broken = interrupted(5, noisy(), plan)
    assert broken.whole.round_count == 5
    write_model(broken.whole, tmp_path / "half.boostext")
    resumed = train(noisy(), plan, old=read_model(tmp_path / "half.boostext"))
    assert bytes_of(resumed.model, tmp_path) == bytes_of(whole.model, tmp_path)


@pytest.mark.parametrize("name", GROWN)
def test_a_class_weight_is_the_documents_more_than_once(name):
    """Where no part is drawn at random. Weight 2 for `bill` is each of its documents twice."""
    values = {"algorithm": name, "rounds": 5, "smoothing": 0.01}
    if ALGORITHMS[name].learners[0] in ("conjunction", "rules"):
        values["grow_fraction"] = 1.0
    if ALGORITHMS[name].learners[0] == "parallel":
        # the first round leaves hardly any loss, and the smoothing of the rule without a condition
        # is at most 1/(mk)
        values.update(rounds=1, smoothing=1e-6)
    documents = list(noisy())
    twice = documents + [d for d in documents if d.labels == ("bill",)]
    weighted = train(documents, plan_of(**values, class_weight=["bill=2"])).model
    doubled = train(twice, plan_of(**values)).model
    assert [r.condition for r in weighted.rules] == [r.condition for r in doubled.rules]
    for one, other in zip(weighted.rules, doubled.rules, strict=True):
        np.testing.assert_allclose(one.votes, other.votes, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", GROWN)
def test_cross_validation_scores_held_out_documents_by_the_rules_of_their_fold(name):
    prepared = prepare(noisy(), plan_of(algorithm=name, rounds=4))
    result = cross_validate(prepared, folds=3)
    model = train(noisy(), plan_of(algorithm=name, rounds=4)).model
    documents = list(noisy())
    for fold in result.held:
        rules = tuple(rule for made in fold.rounds for rule in made.rules)
        of_fold = dataclasses.replace(model, rules=rules, round_sizes=())
        held = [documents[i] for i in fold.examples.tolist()]
        expected = np.array([score for _, score in Predictor(of_fold).scores(held)])
        np.testing.assert_allclose(fold.sums(4), expected, rtol=1e-14, atol=1e-12)


# A last round that updates the votes of all terms ------------------------------------------------

LAST = {"finish": 0.3, "reuse": 0.5, "rarity": 1.0, "abstain": True, "prior_rule": True}


@pytest.mark.parametrize("algorithm", ["mh", "logistic", "mp", "trees"])
def test_a_last_round_gives_the_same_bytes_after_a_break(tmp_path, algorithm):
    values = LAST if algorithm != "trees" else {"finish": 0.3}
    plan = plan_of(algorithm=algorithm, rounds=400, **values)
    whole = train(noisy(), plan)
    assert whole.model.provenance.stopped == ALL_TERMS
    assert whole.model.round_count < 400
    for first in (3, whole.model.round_count):
        broken = interrupted(first, noisy(), plan)
        write_model(broken.whole, tmp_path / "half.boostext")
        resumed = train(noisy(), plan, old=read_model(tmp_path / "half.boostext"))
        assert bytes_of(resumed.model, tmp_path) == bytes_of(whole.model, tmp_path)


def test_a_model_without_its_last_round_can_go_on_to_it(tmp_path):
    plan = plan_of(rounds=400, **LAST)
    whole = train(noisy(), plan).model
    before = cut(whole, whole.round_count - 1)
    assert len(before.rules) == before.round_count
    assert bytes_of(train(noisy(), plan, old=before).model, tmp_path) == bytes_of(whole, tmp_path)


def test_a_last_round_is_the_same_after_every_engine():
    one, other = (
        train(noisy(), plan_of(rounds=60, engine=engine, **LAST)).model
        for engine in ("plain", "incremental")
    )
    assert [rule.condition for rule in one.rules] == [rule.condition for rule in other.rules]
    for ours, theirs in zip(one.rules, other.rules, strict=True):
        np.testing.assert_allclose(ours.votes, theirs.votes, rtol=1e-9, atol=1e-12)


def test_a_last_round_that_came_too_early_is_not_resumed(tmp_path):
    """It was the last of fewer rounds than there are now."""
    early = train(noisy(), plan_of(rounds=5, **LAST)).model
    assert (early.round_count, early.provenance.stopped) == (5, ALL_TERMS)
    with pytest.raises(SettingsError, match="round 5 of the model is its last one"):
        train(noisy(), plan_of(rounds=9, **LAST), old=early)


def test_a_run_that_is_broken_off_after_its_last_round_is_complete(tmp_path):
    """Here, that round comes because none of the terms that are drawn for a round helps."""
    plan = plan_of(rounds=400, term_fraction=1e-9, **LAST)
    whole = train(noisy(), plan)
    assert whole.model.round_count == 2, "the prior rule and the last round"
    broken = interrupted(2, noisy(), plan).whole
    assert broken.provenance.stopped == ALL_TERMS
    resumed = train(noisy(), plan, old=broken)
    assert bytes_of(resumed.model, tmp_path) == bytes_of(whole.model, tmp_path)


def test_a_run_that_is_broken_off_in_its_last_round_goes_on_with_it(tmp_path):
    plan, asked = plan_of(rounds=400, **LAST), []
    whole = train(noisy(), plan)
    before = whole.model.round_count - 1

    def asks_again():
        """True once, as soon as nothing has been learned since the caller was asked before."""
        asked.append(len(seen))
        return asked.count(before) == 2

    seen = []
    broken = train(noisy(), plan, hooks=Hooks(on_round=seen.append, should_stop=asks_again))
    assert (broken.interrupted, broken.whole.round_count) == (True, before)
    assert broken.whole.provenance.stopped == "interrupted"
    resumed = train(noisy(), plan, old=broken.whole)
    assert bytes_of(resumed.model, tmp_path) == bytes_of(whole.model, tmp_path)


def test_a_last_round_uses_the_terms_of_the_rules_before_if_their_number_is_limited():
    model = train(noisy(), plan_of(rounds=40, terms=4, **LAST)).model
    conditions = [rule.condition for rule in model.rules if rule.condition != Always()]
    assert len(set(conditions)) == 4
    assert len(model.rules) > model.round_count, "each of them has a vote in the last round"


def test_a_last_round_is_measured_by_validation_and_by_cross_validation():
    plan = plan_of(rounds=40, **LAST)
    held = list(noisy(40, seed=2))
    trained = train(noisy(), plan, held)
    kept = trained.rounds[: trained.whole.round_count]
    known = trained.prepared.validation.sums_of([rule for made in kept for rule in made.rules])
    expected = np.array([score for _, score in Predictor(trained.whole).scores(held)])
    np.testing.assert_allclose(known, expected, rtol=1e-14, atol=1e-12)
    assert trained.rounds[-1].is_last
    prepared = prepare(noisy(), plan)
    result = cross_validate(prepared, folds=plan.stop.folds)
    ends = [fold.curve[-1][0] for fold in result.held]
    assert ends == [len(fold.rounds) for fold in result.held]
    marks = marks_held_out(prepared, enough=len(prepared.corpus))
    assert [mark.round for mark in marks] == sorted(set(ends)), "rounds before are not measured"


@pytest.mark.parametrize(
    "choices",
    [
        {"algorithm": "mo"},
        {"algorithm": "mr"},
        {"algorithm": "parallel"},
        {"algorithm": "adaboost-r"},
        {"votes": "discrete"},
    ],
    ids=str,
)
def test_a_last_round_needs_scores_that_are_log_odds(choices):
    with pytest.raises(SettingsError, match="does not go with --finish; use mh"):
        plan_of(finish=0.3, **choices)
