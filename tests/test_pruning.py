"""Fewer rules or terms: a model cut, merged or fitted anew, and the curve to choose by."""

from dataclasses import replace

import numpy as np
import pytest

from boostext.errors import BoostextError
from boostext.features.conditions import Always
from boostext.library.reporting import curve_tsv
from boostext.model.model import asked_conditions, check_model
from boostext.model.predict import Predictor
from boostext.model.prune import cut, influential, merged
from boostext.training.history import curve
from boostext.training.plan import Plan
from boostext.training.refit import refit
from boostext.training.run import train
from tests.training_data import documents

CHOICES = {"threads": 1, "abstain": True, "prior_rule": True, "reuse": 0.5}


def trained(rounds=40, docs=None, **more):
    return train(docs or documents(), Plan.of(rounds=rounds, **{**CHOICES, **more}))


def scores(model, docs):
    return np.array([found for _, found in Predictor(model).scores(docs)])


def test_the_first_rules_are_the_model_of_so_many_rounds():
    whole, short = trained().model, trained(rounds=15).model
    small = cut(whole, 15)
    check_model(small)
    assert small.history == short.history
    assert [r.condition for r in small.rules] == [r.condition for r in short.rules]
    np.testing.assert_array_equal(scores(small, documents()), scores(short, documents()))


def test_rounds_of_several_rules_are_cut_whole():
    whole = trained().model
    small = cut(type(whole)(**{**vars(whole), "round_sizes": (3, 1, *(2,) * 18)}), 3)
    assert len(small.rules) == 6
    assert small.round_sizes == (3, 1, 2)


def test_thresholds_fitted_to_all_rules_go_and_the_one_of_the_settings_stays():
    several = documents(several=True)
    model = trained(docs=several, threshold=-0.25).model
    tuned = type(model)(**{**vars(model), "thresholds": (0.1, 0.2, 0.3)})
    assert cut(tuned, 5).thresholds == (-0.25,) * 3
    assert model.thresholds == (-0.25,) * 3
    assert trained(threshold=-0.25).model.thresholds == (), "one label has no use for it"


def test_merged_rules_say_the_same():
    model = trained(rounds=80).model
    small = merged(model)
    check_model(small)
    # the prior rule has no condition
    assert len(small.rules) == len(asked_conditions(model)) + 1 < 80
    np.testing.assert_allclose(scores(small, documents()), scores(model, documents()), atol=1e-12)
    assert np.prod(small.history.z) == pytest.approx(np.prod(model.history.z))


def test_the_most_influential_terms_lowered_the_bound_most():
    model = trained(rounds=80).model
    kept = influential(model, 5)
    assert kept[0] == Always()
    worth = {}
    for rule, z in zip(model.rules, model.history.z, strict=True):
        worth[rule.condition] = worth.get(rule.condition, 0) - np.log(z)
    others = [w for condition, w in worth.items() if condition not in kept]
    assert len(kept) == 6
    assert min(worth[c] for c in kept[1:]) >= max(others)


def test_a_refit_asks_for_no_other_terms_and_lowers_the_bound_of_those():
    docs = documents()
    model = trained(rounds=80).model
    small = refit(docs, model, 6, rounds=60)
    check_model(small)
    used = {rule.condition for rule in small.rules}
    assert used <= set(influential(model, 6))
    assert len(small.rules) <= 7
    assert small.boosting.terms == 6
    dropped = [r for r in model.rules if r.condition in used]
    left = sum(r.votes[2] for r in dropped if r.condition == Always())
    assert left.shape == (3,)
    assert np.prod(small.history.z) < 1
    right = lambda m: sum(  # noqa: E731
        m.labels[s.argmax()] in d.labels for d, s in zip(docs, scores(m, docs), strict=True)
    )
    only = type(model)(**{**vars(model), "rules": tuple(dropped)})
    assert right(small) >= right(only)


def test_a_refit_on_other_documents_is_refused():
    with pytest.raises(BoostextError, match="not the very documents"):
        refit(documents(seed=1), trained().model, 3)


def test_a_refit_says_that_the_digest_of_an_earlier_model_is_another():
    docs, model = list(documents()), trained().model
    model = replace(model, provenance=replace(model.provenance, digest="0" * 64))
    with pytest.raises(BoostextError, match="an earlier version of boostext wrote the model"):
        refit(docs, model, 3)
    with pytest.raises(BoostextError, match=r"\(\d+ documents, where it learned from \d+\); name"):
        refit(docs[1:], model, 3)


def test_terms_of_rules_with_preconditions_do_not_stand_alone():
    model = trained().model
    guarded = type(model.rules[0])(
        model.rules[0].condition, model.rules[0].votes, 1.0, ((model.rules[1].condition, 2),)
    )
    model = replace(model, rules=(guarded, *model.rules[1:]))
    with pytest.raises(BoostextError, match="use --rules instead"):
        influential(model, 3)
    with pytest.raises(BoostextError, match="use --rules instead"):  # as after a refit
        merged(model)


def test_the_curve_is_that_of_models_with_fewer_rounds():
    docs = documents()
    found = trained(rounds=25, docs=docs)
    measure, rows = curve(found)
    assert measure == "error"
    assert rows[-1].round == 25
    for row in rows:
        model = cut(found.model, row.round)
        wrong = [
            model.labels[s.argmax()] not in d.labels
            for d, s in zip(docs, scores(model, docs), strict=True)
        ]
        assert row.train == pytest.approx(np.mean(wrong))
        assert row.terms == len(asked_conditions(model))
    lines = list(curve_tsv(measure, rows))
    assert lines[0] == "rounds\tterms\ttrain error\tvalid error\n"
    assert len(lines) == 1 + len(rows)
