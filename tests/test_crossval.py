"""Cross-validation: what is held out is not learned from, and nothing else decides."""

import dataclasses
import random

import numpy as np
import pytest

import boostext
from boostext.errors import BoostextError, SettingsError
from boostext.evaluation.calibration import targets
from boostext.evaluation.report import evaluate
from boostext.model.predict import Predictor
from boostext.reports.doubts import doubt_rows, verdicts
from boostext.training.audit import audit, probabilities
from boostext.training.crossval import cross_validate, remarks_before
from boostext.training.held_out import finished, learn_and_judge, settled
from boostext.training.history import cumulated_shares
from boostext.training.plan import Plan
from boostext.training.run import learn, prepare, train
from tests.test_training import LABELS, document, noisy, plan_of

ALGORITHMS = [
    {},
    {"abstain": True},
    {"algorithm": "logistic"},
    {"votes": "discrete"},
    {"unknown": "votes"},
    {"algorithm": "mo"},
    {"algorithm": "adaboost-r"},
]


@pytest.mark.parametrize("values", ALGORITHMS)
def test_held_out_scores_are_those_of_a_model_that_never_saw_them(values):
    draws = random.Random(0)  # weights leave no ties, which the order of the documents would decide
    documents = [dataclasses.replace(d, weight=0.5 + draws.random()) for d in noisy(60)]
    plan = plan_of(rounds=12, **values)
    found = cross_validate(prepare(documents, plan), folds=3)
    scores = found.scores(12)
    for fold in found.held:
        held = {int(i) for i in fold.examples}
        learned = [d for i, d in enumerate(documents) if i not in held]
        predictor = Predictor(train(learned, plan).model)
        for i in held:
            assert scores[i] == pytest.approx(predictor.score(documents[i]), abs=1e-9)


def test_fewer_rounds_are_the_first_of_more():
    prepared = prepare(list(noisy(60)), plan_of(rounds=20))
    short = dataclasses.replace(prepared, plan=plan_of(rounds=8))
    assert (cross_validate(prepared).scores(8) == cross_validate(short).scores(8)).all()


def test_fading_scores_are_the_mean_over_the_rounds():
    found = cross_validate(prepare(list(noisy(60)), plan_of(rounds=10)))
    mean = np.mean([found.scores(t) for t in range(1, 11)], axis=0)
    assert found.scores(10, fading=True) == pytest.approx(mean, abs=1e-12)


def test_threads_change_nothing():
    documents = list(noisy(60))
    one, three = (cross_validate(prepare(documents, plan_of(rounds=15, threads=n))) for n in (1, 3))
    assert (one.scores(15) == three.scores(15)).all()
    assert one.curve == three.curve


def test_scores_of_several_splits_are_averaged():
    prepared = prepare(list(noisy(60)), plan_of(rounds=10))
    both = cross_validate(prepared, splits=2).scores(10)
    seeds = (
        cross_validate(dataclasses.replace(prepared, plan=plan_of(rounds=10, seed=seed))).scores(10)
        for seed in (0, 1)
    )
    assert both == pytest.approx(sum(seeds) / 2, abs=1e-12)


def test_the_curve_is_mean_and_spread_over_the_folds_and_the_best_is_its_first_least():
    found = cross_validate(prepare(list(noisy(90)), plan_of(rounds=30)), folds=4)
    for point in found.curve:
        values = [dict(fold.curve)[point.round] for fold in found.held]
        assert point.mean == pytest.approx(np.mean(values))
        assert point.spread == pytest.approx(np.std(values))
        assert (point.low, point.high) == (min(values), max(values))
    least = min(point.mean for point in found.curve)
    assert found.best == next(p.round for p in found.curve if p.mean == least)


def test_a_label_of_one_document_is_said_before_and_its_document_has_no_scores():
    documents = [*noisy(30), document(31, "alone", ("once",))]
    prepared = prepare(documents, plan_of(rounds=5))
    assert any("'once' (1)" in told for told in remarks_before(prepared))
    scores = cross_validate(prepared).scores(5)
    assert np.isnan(scores[30]).all()
    assert not np.isnan(scores[:30]).any()


def test_too_many_folds_are_refused_before_any_rule():
    with pytest.raises(SettingsError, match="folds is 9, but there are 6 documents"):
        cross_validate(
            prepare(list(noisy(6)), plan_of()), 9, on_round=lambda *_: pytest.fail("a rule")
        )


def test_a_run_can_be_stopped():
    told = []
    found = cross_validate(
        prepare(list(noisy(60)), plan_of(rounds=50)),
        on_round=lambda done, _: told.append(done),
        should_stop=lambda: len(told) >= 10,
    )
    assert max(len(fold.rounds) for fold in found.held) < 50


# Groups --------------------------------------------------------------------------------------


def grouped():
    for number, made in enumerate(noisy(60)):
        yield dataclasses.replace(made, attributes={"caller": f"c{number // 6}"})


def test_a_group_is_held_out_together_and_not_learned_from():
    prepared = prepare(grouped(), plan_of(group="caller"))
    assert "caller" not in prepared.corpus.attributes
    found = cross_validate(prepared, groups=prepared.groups)
    folds = found.splits[0].of.reshape(10, 6)
    assert (folds == folds[:, :1]).all()


def test_a_group_that_nobody_has_is_an_error():
    with pytest.raises(BoostextError, match="no document has the field 'caller'"):
        prepare(list(noisy(12)), plan_of(group="caller"))


# What held-out documents decide --------------------------------------------------------------


def test_rounds_auto_is_training_with_the_best_number(monkeypatch):
    monkeypatch.setattr("boostext.training.held_out.MOST_ROUNDS", 40)
    documents, plan = list(noisy(60)), Plan.of(rounds="auto", threads=1, rarity=1.0)
    assert plan.boosting.rounds == 0
    prepared, found = settled(prepare(documents, plan))
    model = learn(prepared).model
    assert len(model.rules) == model.boosting.rounds == found.best
    assert f"--rounds {found.best}" in model.provenance.command


def test_rounds_auto_goes_with_no_validation_data():
    with pytest.raises(SettingsError, match="leave out --valid"):
        settled(prepare(list(noisy(60)), plan_of(rounds="auto", valid_fraction=0.2)))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_chances_are_nearer_to_what_happens(method):
    plan = plan_of(rounds=40, calibrate=method)
    model = learn_and_judge(prepare(list(noisy(300, flips=0.4)), plan)).model
    test = list(noisy(600, seed=9, flips=0.4))

    def ece(model):
        return evaluate(model, Predictor(model).scores(test)).measures["ece"]

    assert len(model.calibration) == 3
    assert ece(model) < ece(dataclasses.replace(model, calibration=()))


def test_validation_data_calibrate_where_there_are_any():
    plan = plan_of(rounds=40, calibrate="sigmoid", valid_fraction=0.3)
    trained = learn_and_judge(prepare(list(noisy(120)), plan))
    held = trained.prepared.validation
    curve = trained.model.calibration[0]
    true = held.gold.matrix[:, 0]
    # the intercept makes the mean chance that of the smoothed targets
    scores = held.sums_of(trained.model.rules)[:, 0]
    assert curve(scores).mean() == pytest.approx(targets(true).mean(), abs=1e-6)


def test_labels_with_too_few_documents_to_calibrate_are_told():
    documents = [*noisy(90), *(document(91 + n, f"rare{n}", ("seldom",)) for n in range(3))]
    prepared, found = settled(prepare(documents, plan_of(calibrate="isotonic")))
    told = []
    finished(learn(prepared), found, told.append)
    assert "'seldom' (3)" in told[0]


def test_thresholds_are_tuned_on_documents_that_are_held_out():
    plan = plan_of(tune_thresholds="f1", rounds=20)
    model = learn_and_judge(prepare(list(noisy(120, several=True)), plan)).model
    assert len(model.thresholds) == 3
    assert any(model.thresholds)


def test_thresholds_are_refused_where_documents_have_one_label():
    with pytest.raises(SettingsError, match="leave out --tune-thresholds"):
        settled(prepare(list(noisy(60)), plan_of(tune_thresholds="f1")))


def test_training_from_python_cross_validates_too():
    model = boostext.train(
        list(noisy(60)), rounds=15, calibrate="sigmoid", folds=3, threads=1
    ).model
    assert len(model.content.calibration) == len(LABELS)


# Labels in doubt -----------------------------------------------------------------------------


def planted():
    """Documents, and the numbers of 6 of them whose labels were changed on purpose."""
    documents = list(noisy(120, flips=0.0))
    wrong = list(range(0, 120, 20))
    for i in wrong:
        other = LABELS[(LABELS.index(documents[i].labels[0]) + 1) % 3]
        documents[i] = dataclasses.replace(documents[i], labels=(other,))
    return documents, wrong


def test_planted_labels_come_first_by_what_was_learned_without_them():
    documents, wrong = planted()
    prepared = prepare(documents, plan_of(rounds=40))
    found = audit(prepared)
    rows = doubt_rows(prepared.corpus, False, found.scores, found.probabilities)
    assert len({row.example for row in rows[:6]} & set(wrong)) >= 4
    assert all(row.kind == "wrong" for row in rows[:4])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("multilabel", [True, False])
def test_documents_never_held_out_have_no_chances_and_disturb_no_other(multilabel):
    scores = np.random.default_rng(1).normal(size=(40, 3))
    given = np.eye(3, dtype=bool)[np.arange(40) % 3]
    alone = probabilities(scores[1:], given[1:], multilabel)
    scores[0] = np.nan
    found = probabilities(scores, given, multilabel)
    assert np.isnan(found[0]).all()
    assert found[1:] == pytest.approx(alone)
    assert multilabel or found[1:].sum(axis=1) == pytest.approx(1)
    odds = verdicts(found, np.where(given, 1, -1), multilabel).odds
    assert np.isnan(odds[0])
    assert not np.isnan(odds[1:]).any()


def test_planted_labels_are_heavy_over_all_rounds():
    documents, wrong = planted()
    shares = cumulated_shares(train(documents, plan_of(rounds=40)))
    assert shares.sum() == pytest.approx(1)
    assert len(set(np.argsort(-shares)[:6].tolist()) & set(wrong)) >= 5
