"""AdaBoost.MH against a slow reference, its bound, and its smaller promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.boosting.losses import STARTS
from boostext.boosting.rounds import ALL_ROUNDS, Booster
from boostext.boosting.votes import real_votes
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, AtLeast, Equals, Occurs
from boostext.settings import BoostingSettings
from boostext.training.crossval import Sums
from tests.boosting import papers
from tests.boosting.bags import bag, features_of

WORDS = "abcdef"


@st.composite
def problems(draw):
    """Documents, label sets, a numeric and a categorical column with gaps, example weights."""
    m, k = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    documents = [draw(st.sets(st.sampled_from(WORDS))) for _ in range(m)]
    documents[0] = documents[0] | {"a"}
    sets = [sorted(draw(st.sets(st.integers(0, k - 1)))) for _ in range(m)]
    number = st.one_of(st.just(float("nan")), st.integers(0, 5).map(float))
    numeric = (("n", [draw(number) for _ in range(m)]),)
    kind = st.sampled_from([None, "u", "v"])
    categories = (("c", [draw(kind) for _ in range(m)]),)
    weights = [draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in range(m)]
    return documents, sets, k, numeric, categories, np.array(weights)


FORMS = [("real", False), ("real", True), ("discrete", False), ("discrete", True)]


def name_of(condition, below=False):
    """below: the rule speaks below the threshold alone."""
    match condition:
        case AtLeast(column, value) if below:
            return (column, "below", value)
        case Occurs(_, (word,)):
            return word
        case Equals(column, value) | AtLeast(column, value):
            return (column, value)


def run(problem, **choices):
    documents, sets, k, numeric, categories, weights = problem
    features = features_of(documents, numeric, categories)
    booster = Booster(features, Lists.of(sets), k, weights, BoostingSettings(**choices), "plain")
    return booster, list(booster.rounds())


@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@given(problem=problems(), shrinkage=st.sampled_from([1.0, 0.5]))
@settings(max_examples=25, deadline=None)
def test_agrees_with_the_papers(votes, abstain, problem, shrinkage):
    documents, sets, k, numeric, categories, weights = problem
    booster, made = run(
        problem, votes=votes, abstain=abstain, rounds=4, smoothing=0.01, shrinkage=shrinkage
    )
    Y = [[1 if label in given else -1 for label in range(k)] for given in sets]
    D = [[w / weights.sum() / k] * k for w in weights]
    conditions = papers.conditions(documents, numeric, categories)
    conditions = papers.one_sided(conditions, numeric) if abstain else conditions
    expected, scores = papers.mh(conditions, Y, D, 4, votes, abstain, 0.01, shrinkage)
    below = [abstain and bool(r.rule.votes[NO].any()) for r in made]
    names = [name_of(r.rule.condition, side) for r, side in zip(made, below, strict=True)]
    assert names == [name for name, _, _ in expected]
    for ours, side, (_, c, z) in zip(made, below, expected, strict=True):
        blocks = ("unknown", "yes", "no") if side else ("unknown", "no", "yes")
        for block, name in zip((UNKNOWN, NO, YES), blocks, strict=True):
            np.testing.assert_allclose(ours.rule.votes[block], c[name], rtol=1e-9, atol=1e-9)
        assert ours.z == pytest.approx(z, rel=1e-9)
    np.testing.assert_allclose(booster.scores(), scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@given(problem=problems(), smoothing=st.sampled_from(["1/m", "ss99", "bt00", 0.0]))
@settings(max_examples=25, deadline=None)
def test_hamming_loss_is_below_the_product_of_z_in_every_round(votes, abstain, problem, smoothing):
    """SS99 Theorem 3, with weighted examples; a score of 0 counts as loss."""
    documents, sets, k, numeric, categories, weights = problem
    signs = np.array([[1 if label in given else -1 for label in range(k)] for given in sets])
    share = (weights / weights.sum() / k)[:, None]
    choices = BoostingSettings(votes=votes, abstain=abstain, smoothing=smoothing, rounds=8)
    features = features_of(documents, numeric, categories)
    booster = Booster(features, Lists.of(sets), k, weights, choices, "plain")
    for made in booster.rounds():
        assert (share * (signs * booster.scores() <= 0)).sum() <= made.bound * (1 + 1e-9)
        assert made.z <= 1 + 1e-9


@given(problem=problems())
@settings(max_examples=15, deadline=None)
def test_a_weight_of_two_is_the_document_twice(problem):
    documents, sets, k, _, _, _ = problem
    m = len(documents)
    doubled = (documents + documents[:1], sets + sets[:1], k, (), (), np.ones(m + 1))
    weighted = (documents, sets, k, (), (), np.r_[2.0, np.ones(m - 1)])
    _, twice = run(doubled, rounds=3, smoothing=0.01)
    _, heavy = run(weighted, rounds=3, smoothing=0.01)
    for a, b in zip(twice, heavy, strict=True):
        assert a.z == pytest.approx(b.z, rel=1e-9)


def test_balanced_start_gives_the_right_label_half_of_the_weight():
    """SS99 s7.2: 1/(2m) on the right label, 1/(2m(k-1)) on each wrong one."""
    b = bag([("a", ["x"]), ("b", ["y"]), ("c", ["z"]), ("a b", ["x"])])
    start = STARTS["balanced"](b.weights, b.label_sets, 3)
    assert start.example[0] * start.positive == pytest.approx(1 / (2 * 4))
    assert start.example[0] * start.negative == pytest.approx(1 / (2 * 4 * 2))


def test_balanced_start_refuses_several_labels():
    b = bag([("a", ["x", "y"]), ("b", ["y"])])
    with pytest.raises(SettingsError, match="exactly one label"):
        STARTS["balanced"](b.weights, b.label_sets, 2)


def test_stops_when_no_condition_helps():
    """Words that say nothing: after one rule for the prior nothing is left to gain."""
    b = bag([("a", ["x"]), ("a", ["y"]), ("b", ["x"]), ("b", ["y"])])
    booster = Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(rounds=50))
    made = list(booster.rounds())
    assert len(made) == 0
    assert booster.stopped == "no condition helps"


def test_runs_all_rounds_when_there_is_something_to_gain():
    b = bag([("a c", ["x"]), ("b c", ["y"]), ("a", ["x"]), ("b", ["y"])])
    booster = Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(rounds=3))
    assert len(list(booster.rounds())) == 3
    assert booster.stopped == ALL_ROUNDS


def test_real_vote_is_half_the_log_odds():
    W = np.zeros((3, 2, 1))
    W[YES, :, 0] = 0.1, 0.2
    W[NO, :, 0] = 0.4, 0.3
    votes = real_votes(W, np.array([0.0, 1.0, 1.0]), 0.0).votes
    assert votes[YES, 0] == pytest.approx(0.5 * np.log(0.2 / 0.1))
    assert votes[NO, 0] == pytest.approx(0.5 * np.log(0.3 / 0.4))
    assert votes[UNKNOWN, 0] == 0


def test_without_smoothing_votes_stay_finite_on_separable_data():
    b = bag([("a", ["x"]), ("b", ["y"])])
    settings = BoostingSettings(rounds=200, smoothing=0.0)
    booster = Booster(b.features, b.label_sets, 2, b.weights, settings)
    for made in booster.rounds():
        assert np.isfinite(made.rule.votes).all()
    assert np.isfinite(booster.scores()).all()


def test_replaying_rules_gives_the_state_of_finding_them():
    b = bag([("a c", ["x"]), ("b c", ["y"]), ("a d", ["x"]), ("b a", ["y"]), ("d", ["x"])])
    settings = BoostingSettings(rounds=8)
    whole = Booster(b.features, b.label_sets, 2, b.weights, settings)
    made = list(whole.rounds())
    resumed = Booster(b.features, b.label_sets, 2, b.weights, settings)
    again = list(resumed.rounds(replay=[r.rule for r in made[:3]]))
    for first, second in zip(made, again, strict=True):
        assert first.rule.condition == second.rule.condition
        assert (first.rule.votes == second.rule.votes).all()
        assert (first.z, first.gain) == (second.z, second.gain)
    assert (whole.scores() == resumed.scores()).all()


def test_a_share_of_the_conditions_is_eligible_and_the_seed_decides_which():
    b = bag([("a c e", ["x"]), ("b c f", ["y"]), ("a d", ["x"]), ("b a", ["y"]), ("d e", ["x"])])

    def chosen(seed):
        settings = BoostingSettings(rounds=6, term_fraction=0.4, seed=seed)
        booster = Booster(b.features, b.label_sets, 2, b.weights, settings)
        return [r.rule.condition for r in booster.rounds()]

    assert chosen(1) == chosen(1)
    assert len({tuple(chosen(seed)) for seed in range(6)}) > 1


def test_reuse_spreads_the_rules_over_more_terms():
    rng = np.random.default_rng(0)
    records = [
        (
            " ".join(rng.choice(list("abcdefghijklmnopqrst"), 4)),
            ["x" if rng.random() < 0.5 else "y"],
        )
        for _ in range(60)
    ]
    b = bag(records)
    plain = Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(rounds=20))
    wide = Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(rounds=20, reuse=0.1))
    distinct = [len({r.rule.condition for r in booster.rounds()}) for booster in (plain, wide)]
    assert distinct[1] > distinct[0]


@pytest.mark.parametrize("unknown", ["abstains", "votes"])
def test_a_silent_rule_may_speak_below_a_threshold(unknown):
    """It is spelled as the threshold, with its vote in block NO: replayed, kept alone, and asked of
    documents it is the same.
    """
    ages = [10.0, 20.0, 25.0, 60.0, 70.0, 80.0, float("nan")]
    sets = Lists.of([[0], [0], [0], [1], [0], [1], [1]])
    features = features_of([set()] * len(ages), (("age", ages),))
    choices = BoostingSettings(abstain=True, unknown=unknown, rounds=6, smoothing=0.01)

    def booster(rounds=6):
        return Booster(features, sets, 2, np.ones(7), replace(choices, rounds=rounds), "plain")

    first = booster()
    made = list(first.rounds())
    below = [r.rule for r in made if r.rule.votes[NO].any()]
    assert below
    assert not any(rule.votes[YES].any() for rule in below)
    assert AtLeast("age", 42.5) in [rule.condition for rule in below]

    again = booster()
    replayed = list(again.rounds([r.rule for r in made[:3]]))
    assert [r.z for r in replayed] == [r.z for r in made]
    assert (again.scores() == first.scores()).all()

    sums = Sums.of(features, first.members)
    for each in made:
        sums.add(each)
    np.testing.assert_allclose(sums.value(), first.scores(), rtol=1e-12)

    kept = booster()
    kept.keep_only({rule.condition for rule in below[:1]})
    assert {r.rule.condition for r in kept.rounds()} == {below[0].condition}
