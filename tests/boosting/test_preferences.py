"""Which rules are preferred - rare terms, new terms, few terms - in every algorithm and engine."""

import numpy as np
import pytest

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Lists
from boostext.boosting.choice import first_of_best, preferences
from boostext.boosting.rounds import Booster
from boostext.boosting.rules import Place
from boostext.boosting.votes import VOTES
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.features.conditions import Always, Occurs
from boostext.settings import BoostingSettings
from tests.boosting.test_engines import corpus

needs_numba = pytest.mark.skipif(bool(notice()), reason=notice())
PREFERRED = {"rarity": 1.3, "reuse": 0.6, "term_fraction": 0.7}


def data(seed=0, single=True):
    """60 documents, 3 labels, 25 words at two counts, a category with gaps and a number."""
    rng = np.random.default_rng(seed)
    return corpus(rng, 60, 3, 25, 0.2, single, unknown=True, numeric=1)


def booster(given, engine="plain", **choices):
    features, sets, k = given
    weights = np.ones(len(sets))
    return Booster(features, sets, k, weights, BoostingSettings(**choices), engine)


def options(name, rounds=25, **more):
    shrinks = {"shrinkage": 0.4} if ALGORITHMS[name].shrinks else {}
    return {"algorithm": name, "rounds": rounds, "code_length": 4, **PREFERRED, **shrinks, **more}


def test_a_rare_term_is_preferred_by_the_power_of_its_rarity():
    """ln(8/4) = ln 2, ln(8/1) = 3 ln 2, ln(8/8) = 0; the greatest counts as 1."""
    found = preferences(np.array([4, 1, 8]), 8, 2.0)
    np.testing.assert_allclose(found, [(1 / 3) ** 2, 1, 0])


def test_small_values_are_no_ties_where_preferences_are_small():
    preference = np.array([1e-13, 1e-13])
    assert first_of_best(np.array([0.1, 0.2]) * preference, preference) == 1
    assert first_of_best(np.array([0.2, 0.2 + 1e-14]) * preference, preference) == 0


@pytest.mark.parametrize(
    "name", [n for n, row in ALGORITHMS.items() if not row.colored and row.learners[0] == "stump"]
)
def test_the_rule_of_a_round_has_the_greatest_gain_times_preference(name):
    """Every gain from its own block weights, rarity and reuse as in their definitions."""
    given = data()
    made = booster(given, **options(name, rounds=8, term_fraction=1.0))
    voting, members = VOTES[ALGORITHMS[name].votes[made.settings.votes_name()]], made.members
    m, used = 60, np.zeros(len(members))
    sizes = np.array([len(members.yes(j)) for j in range(members.listed)])
    rareness = np.log(m / sizes)
    rare = np.ones(len(members))
    rare[: members.listed] = (rareness / rareness.max()) ** 1.3
    rounds = made.rounds()
    for _ in range(8):
        tables = [made._engine.block_weights(Place((), j)) for j in range(len(members))]
        gains = np.array([voting.gain(W, made._state.speaks) for W in tables])
        values = gains * rare * 0.6**used
        chosen = next(rounds, None)
        if chosen is None:
            assert gains[values.argmax()] <= 1e-11
            break
        assert values[chosen.condition] == pytest.approx(values.max(), abs=1e-12)
        used[chosen.condition] += 1


@needs_numba
@pytest.mark.parametrize("name", ["mh", "mo"])
@pytest.mark.parametrize("votes", ["real", "discrete"])
@pytest.mark.parametrize("more", [{}, {"terms": 7}, {"prior_rule": True}])
def test_engines_agree_on_what_is_preferred(name, votes, more):
    for abstain in (False, True) if ALGORITHMS[name].abstains else (False,):
        choices = options(name, rounds=60, votes=votes, abstain=abstain, **more)
        slow, fast = (booster(data(3), e, **choices) for e in ("plain", "incremental"))
        expected, found = list(slow.rounds()), list(fast.rounds())
        assert [r.condition for r in found] == [r.condition for r in expected]
        np.testing.assert_allclose(fast.scores(), slow.scores(), rtol=1e-8, atol=1e-8)


@needs_numba
def test_engines_agree_where_reuse_has_worn_all_preferences_down():
    choices = {"rounds": 300, "reuse": 0.3, "shrinkage": 0.05, "terms": 5}
    slow, fast = (booster(data(4), e, **choices) for e in ("plain", "incremental"))
    expected = [r.condition for r in slow.rounds()]
    assert [r.condition for r in fast.rounds()] == expected
    assert len(set(expected)) == 5
    assert len(expected) == 300


def losses(name, made, sets):
    """(loss, factor on the bound) by the name in the algorithm's row."""
    f = made.scores()
    signs = np.full((len(sets), 3), -1)
    for i in range(len(sets)):
        signs[i, sets[i]] = 1
    own = np.array([f[i, sets[i][0]] for i in range(len(sets))])[:, None]
    if ALGORITHMS[name].bounds == "ranking loss":
        return ((f >= own) & (signs < 0)).sum(axis=1).mean() / 2, 1
    if ALGORITHMS[name].bounds == "error":  # k - 1 wrong labels share the weight
        return ((f >= own) & (signs < 0)).any(axis=1).mean(), 2 if name == "oc" else 1
    return (np.sign(f) != signs).mean(), 1


BOUNDED = [n for n in ALGORITHMS if ALGORITHMS[n].bounds and not ALGORITHMS[n].coded]


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("more", [{}, {"terms": 4}])
def test_bounds_hold_whatever_is_preferred(name, more):
    given = data(5)
    made = booster(given, **options(name, **more))
    bound = 1.0
    for each in made.rounds():
        bound = each.bound
        loss, factor = losses(name, made, given[1])
        assert loss <= bound * factor * (1 + 1e-9)
    assert bound < 1


def test_rules_return_to_the_first_terms_once_all_are_spent():
    rounds = list(booster(data(), rounds=80, terms=6).rounds())
    spent = [r.condition for r in rounds]
    assert len(set(spent)) == 6
    assert len(rounds) == 80
    sixth = max(spent.index(c) for c in set(spent))
    assert [r.condition for r in booster(data(), rounds=sixth + 1).rounds()] == spent[: sixth + 1]


def test_a_replayed_run_spends_the_same_terms():
    whole = list(booster(data(), rounds=30, terms=5, reuse=0.5).rounds())
    again = booster(data(), rounds=30, terms=5, reuse=0.5)
    continued = list(again.rounds([r.rule for r in whole[:12]]))
    assert [r.condition for r in continued] == [r.condition for r in whole]


def test_only_kept_conditions_are_asked():
    made = booster(data(), rounds=20)
    kept = [made.members.condition(j) for j in (3, 8, 11)]
    made.keep_only([*kept, Always()])
    assert {r.condition for r in made.rounds()} <= {3, 8, 11}


def test_a_kept_condition_that_the_data_lacks_is_an_error():
    with pytest.raises(SettingsError, match="cannot use: nowhere"):
        booster(data()).keep_only([Occurs("text", ("nowhere",))])


def test_nothing_left_to_prefer_ends_the_run():
    """A word in all documents has rarity ln(m/m) = 0: it is never chosen."""
    features, sets, k = data()
    everywhere = features.yes.starts[0:2], np.arange(60)
    only = Lists(np.array([0, 60]), everywhere[1].astype(np.int32))
    alone = type(features)(60, features.names, only, np.array([-1], np.int32), Lists.of([]))
    made = booster((alone, sets, k), rounds=5, rarity=1.0)
    assert list(made.rounds()) == []
    assert made.stopped == "no condition helps"


def test_the_prior_rule_is_not_shrunk():
    made = [next(booster(data(), prior_rule=True, shrinkage=s).rounds()) for s in (1.0, 0.25)]
    np.testing.assert_array_equal(made[0].rule.votes, made[1].rule.votes)


def test_one_rule_a_label_counts_reuse_for_each_label():
    """With a factor near 0 no label comes back to a term; another label may still take it."""
    given = data(6, single=False)
    made = booster(given, algorithm="mp", rounds=6, reuse=1e-6, term_fraction=1.0)
    pairs = [
        (place.condition, label)
        for each in made.rounds()
        for rule, place in each.placed
        for label in np.flatnonzero(rule.votes.any(axis=0)).tolist()
    ]
    assert len(pairs) == len(set(pairs)) == 18
    assert len({condition for condition, _ in pairs}) < 18
