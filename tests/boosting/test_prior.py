"""The rule that looks at no document: what it votes, where it stands, and what it leaves alone."""

import numpy as np
import pytest
from hypothesis import given, settings

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Lists
from boostext.boosting.engines.choose import ENGINES
from boostext.boosting.rounds import Booster
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.features.conditions import YES, Always
from boostext.settings import BoostingSettings
from tests.boosting.bags import features_of
from tests.boosting.test_mh import problems

WITH_PRIOR = [name for name, row in ALGORITHMS.items() if row.prior]


def run(problem, engine="plain", **choices):
    documents, sets, k, numeric, categories, weights = problem
    features = features_of(documents, numeric, categories)
    booster = Booster(features, Lists.of(sets), k, weights, BoostingSettings(**choices), engine)
    return booster, list(booster.rounds())


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("abstain", [False, True])
def test_the_first_rule_votes_half_the_log_odds_of_each_label(engine, abstain):
    """SS99 Eq. 15 with all documents in one block: label 0 is on 3 of 4 documents."""
    if engine != "plain" and notice():
        pytest.skip(notice())
    problem = ([{"a"}, {"b"}, {"c"}, {"d"}], [[0], [0], [0], [1]], 2, (), (), np.ones(4))
    booster, made = run(problem, engine, prior_rule=True, abstain=abstain, rounds=1, smoothing=0.0)
    assert made[0].rule.condition == Always()
    assert made[0].rule.votes[YES] == pytest.approx([0.5 * np.log(3), -0.5 * np.log(3)])
    assert made[0].z == pytest.approx(2 * np.sqrt(3 / 16))  # 2 sum sqrt(W+ W-) over two labels
    assert booster.scores() == pytest.approx(np.tile(made[0].rule.votes[YES], (4, 1)))


@pytest.mark.parametrize("name", WITH_PRIOR)
@given(problem=problems())
@settings(max_examples=10, deadline=None)
def test_it_comes_first_and_lowers_the_bound(name, problem):
    documents, sets, k, numeric, categories, weights = problem
    if ALGORITHMS[name].one_label:
        sets = [[i % k] for i in range(len(sets))]
    if ALGORITHMS[name].coded and k < 2:
        return
    problem = (documents, sets, k, numeric, categories, weights)
    again = {"default_rule": False} if name == "slipper" else {}
    _, made = run(problem, algorithm=name, prior_rule=True, rounds=3, **again)
    assert all(r.rule.precondition or r.rule.condition != Always() for r in made[1:])
    if made and made[0].rule.condition == Always():
        assert made[0].z < 1 + 1e-9


def test_where_labels_are_in_balance_the_first_rule_is_about_a_term():
    problem = ([{"a"}, {"b"}], [[0], [1]], 2, (), (), np.ones(2))
    _, made = run(problem, prior_rule=True, rounds=2)
    assert made[0].rule.condition != Always()


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - set(WITH_PRIOR)))
def test_algorithms_that_cannot_have_it_say_so(name):
    with pytest.raises(SettingsError, match=f"{name} does not go with --prior-rule"):
        BoostingSettings(algorithm=name, prior_rule=True)


@given(problem=problems())
@settings(max_examples=20, deadline=None)
def test_replaying_it_leaves_the_state_of_finding_it(problem):
    whole, made = run(problem, prior_rule=True, rounds=4)
    documents, sets, k, numeric, categories, weights = problem
    features = features_of(documents, numeric, categories)
    choices = BoostingSettings(prior_rule=True, rounds=4)
    resumed = Booster(features, Lists.of(sets), k, weights, choices, "plain")
    again = list(resumed.rounds(replay=[r.rule for r in made[:1]]))
    assert [r.rule.votes.tolist() for r in again] == [r.rule.votes.tolist() for r in made]
    assert (whole.scores() == resumed.scores()).all()


@pytest.mark.parametrize("algorithm", ["mh", "mp"])
def test_the_prior_is_smoothed_by_one_pair_at_most(algorithm):
    """40 documents, 2 of them with the label: c = 1/2 ln((2 + 1)/(38 + 1)) in weights of pairs."""
    features = features_of([{"word"} if i % 2 else {"other"} for i in range(40)])
    sets = Lists.of([[0] if i < 2 else [] for i in range(40)])
    settings = BoostingSettings(algorithm=algorithm, prior_rule=True, smoothing="1/m")
    booster = Booster(features, Lists(sets.starts, sets.items), 3, np.ones(40), settings, "plain")
    made = next(booster.rounds())
    assert made.rule.votes[2, 0] == pytest.approx(0.5 * np.log(3 / 39))
