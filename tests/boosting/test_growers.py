"""Growers against slow references of their papers, and what each must reduce to."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Lists
from boostext.boosting.rounds import ALL_TERMS, Booster
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, Always
from boostext.settings import BoostingSettings
from tests.boosting import grown_papers, papers
from tests.boosting.bags import features_of
from tests.boosting.test_mh import name_of, problems

BLOCKS = {UNKNOWN: "unknown", NO: "no", YES: "yes"}
GROWN = [name for name, row in ALGORITHMS.items() if row.learners[0] != "stump"]


def uneven(problem):
    """The problem with weights that leave no two choices equal but those of equal conditions."""
    documents, sets, k, numeric, categories, weights = problem
    weights = weights * (1 + np.random.default_rng(len(documents)).random(len(weights)))
    return documents, sets, k, numeric, categories, weights


def run(problem, **choices):
    documents, sets, k, numeric, categories, weights = problem
    features = features_of(documents, numeric, categories)
    booster = Booster(features, Lists.of(sets), k, weights, BoostingSettings(**choices), "plain")
    return booster, list(booster.rounds())


def slow(problem, grow, rounds):
    documents, sets, k, numeric, categories, weights = problem
    Y = [[1 if label in given else -1 for label in range(k)] for given in sets]
    D = [[w / weights.sum() / k] * k for w in weights.tolist()]
    made = papers.conditions(documents, numeric, categories)
    return made, grown_papers.boost(grow, made, Y, D, rounds)


def listed(problem):
    """How many conditions are not thresholds."""
    documents, _, _, _, categories, _ = problem
    return len(papers.conditions(documents, (), categories))


def agree(rounds, expected, made, k):
    """Same places, same votes, same Z, round by round."""
    assert len(rounds) == len(expected)
    for ours, (rules, z) in zip(rounds, expected, strict=True):
        assert ours.z == pytest.approx(z, rel=1e-9)
        assert len(ours.rules) == len(rules)
        for rule, (body, j, votes) in zip(ours.rules, rules, strict=True):
            spelled = [(name_of(c), BLOCKS[block]) for c, block in rule.precondition]
            assert spelled == [(made[i][0], block) for i, block in body]
            if j == grown_papers.ALWAYS:
                assert rule.condition == Always()
            else:
                assert name_of(rule.condition) == made[j][0]
            for block, name in BLOCKS.items():
                wanted = votes.get(name, [0.0] * k)
                assert rule.votes[block] == pytest.approx(wanted, rel=1e-7, abs=1e-9)


E = 0.01
REFERENCES = {
    "adtree": ({}, lambda p: grown_papers.alternating_tree(E)),
    "adtree of depth 2": ({"tree_depth": 2}, lambda p: grown_papers.alternating_tree(E, 2)),
    "trees": ({"tree_depth": 2}, lambda p: grown_papers.decision_tree(E, 2)),
    "trees of depth 3": ({}, lambda p: grown_papers.decision_tree(E, 3)),
    "slipper": ({"grow_fraction": 1.0}, lambda p: grown_papers.slipper(E, 4, listed(p))),
    "slipper of 2 without default": (
        {"grow_fraction": 1.0, "max_literals": 2, "default_rule": False},
        lambda p: grown_papers.slipper(E, 2, listed(p), default=False),
    ),
    "decrules": ({"grow_fraction": 1.0}, lambda p: grown_papers.decision_rule(E, 4)),
    "decrules of one size": (
        {"grow_fraction": 1.0, "votes": "discrete"},
        lambda p: grown_papers.decision_rule(
            E, 4, grown_papers.gain_of_one_size, grown_papers.votes_of_one_size
        ),
    ),
    "mh-kr": ({"rules_per_round": 2}, lambda p: grown_papers.committee(E, 2)),
    "parallel": ({"updates": 6}, lambda p: grown_papers.parallel(E, 6, p[5] / p[5].sum())),
}


@pytest.mark.parametrize("name", REFERENCES)
@given(problem=problems())
@settings(max_examples=12, deadline=None)
def test_agrees_with_the_papers(name, problem):
    problem = uneven(problem)
    choices, reference = REFERENCES[name]
    _, rounds = run(problem, algorithm=name.split(" ")[0], rounds=4, smoothing=E, **choices)
    made, expected = slow(problem, reference(problem), 4)
    agree(rounds, expected, made, problem[2])


@pytest.mark.parametrize("threads", [2, 3, 50])
def test_products_of_several_threads_are_those_of_one(monkeypatch, threads):
    """Also if rows are empty, and if there are fewer rows than threads."""
    parallel = import_module("boostext.boosting.growers.parallel")
    monkeypatch.setattr(parallel, "THREADS_PAY", 0)
    rng = np.random.default_rng(3)
    for rows in (1, 7, 40):
        matrix = csr_array(rng.random((rows, 9)) * (rng.random((rows, 9)) < 0.3))
        dense = rng.random((9, 4))
        assert (parallel.product(matrix, dense, threads) == matrix @ dense).all()
    empty = csr_array((3, 9))
    assert (parallel.product(empty, dense, threads) == np.zeros((3, 4))).all()


@given(problem=problems(), rounds=st.integers(1, 5), share=st.sampled_from([1e-9, 0.6]))
@settings(max_examples=40, deadline=None)
def test_a_last_round_updates_all_votes_as_its_reference_does(problem, rounds, share):
    """It comes when enough of the loss is gone, when nothing helps, or as the last of `rounds`."""
    problem = uneven(problem)
    documents, sets, k, _, _, weights = problem
    made, first = slow(problem, grown_papers.committee(E, 1), rounds - 1)
    Y = [[1 if label in given else -1 for label in range(k)] for given in sets]
    D0 = D = [[w / weights.sum() / k] * k for w in weights.tolist()]
    expected, scores, left = [], [[0.0] * k for _ in documents], 1.0
    for rules, z in first:
        if left <= share:
            break
        D, _ = grown_papers.moved(rules, made, Y, D)
        grown_papers.add(rules, made, scores)
        expected.append((rules, z))
        left *= z
    shares = weights / weights.sum()
    last = grown_papers.last_round(made, Y, D0, D, scores, 6, shares, listed(problem))
    if last:
        expected.append((last, grown_papers.moved(last, made, Y, D)[1]))
    booster, found = run(problem, rounds=rounds, smoothing=E, finish=share, updates=6)
    agree(found, expected, made, k)
    assert booster.stopped == (ALL_TERMS if last else booster.row.stops)


def test_a_last_round_follows_any_number_of_rules_that_vote_on_both_sides(monkeypatch):
    problem = (
        [{f"t{n % 3}"} for n in range(12)],
        [[n % 3] for n in range(12)],
        3,
        (),
        (),
        np.ones(12),
    )
    few = run(problem, rounds=5, smoothing=E, finish=0.01, shrinkage=0.1)
    monkeypatch.setattr("boostext.boosting.engines.plain.MANY", 1)
    many = run(problem, rounds=5, smoothing=E, finish=0.01, shrinkage=0.1)
    assert few[0].stopped == many[0].stopped == ALL_TERMS
    np.testing.assert_allclose(few[0].scores(), many[0].scores(), rtol=1e-12)


@given(problem=problems(), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_slipper_prunes_as_its_paper_says(problem, seed):
    """The two parts are drawn by weight, with the seed and the number of the round."""
    problem = uneven(problem)

    def halves(number, D):
        order = np.random.default_rng([seed, number]).permutation(len(D))
        share = np.cumsum(np.array([sum(D[i]) for i in order]))
        growing = share <= 0.5 * share[-1]
        return sorted(order[growing].tolist()), sorted(order[~growing].tolist())

    _, rounds = run(
        problem, algorithm="slipper", rounds=3, smoothing=E, seed=seed, grow_fraction=0.5
    )
    made, expected = slow(problem, grown_papers.slipper(E, 4, listed(problem), halves), 3)
    agree(rounds, expected, made, problem[2])


@given(problem=problems())
@settings(max_examples=30, deadline=None)
def test_one_rule_a_label_is_boosting_each_label_alone(problem):
    """Esuli, Fagni & Sebastiani 2006: label l of `mp` is MH of one label, l or not."""
    documents, sets, k, numeric, categories, weights = uneven(problem)
    together, _ = run(
        (documents, sets, k, numeric, categories, weights), algorithm="mp", rounds=4, smoothing=E
    )
    for label in range(k):
        own = [[0] if label in given else [] for given in sets]
        alone, _ = run((documents, own, 1, numeric, categories, weights), rounds=4, smoothing=E)
        np.testing.assert_allclose(
            together.scores()[:, [label]], alone.scores(), rtol=1e-7, atol=1e-9
        )


def same_rules(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert (a.rule.condition, a.rule.precondition) == (b.rule.condition, b.rule.precondition)
        np.testing.assert_allclose(a.rule.votes, b.rule.votes, rtol=1e-9, atol=1e-12)
        assert a.z == pytest.approx(b.z, rel=1e-9)
        assert a.gain == pytest.approx(b.gain, rel=1e-9, abs=1e-15)


WORDS_ONLY = problems().map(lambda p: (*p[:3], (), (), p[5]))
STUMPS = {
    "adtree": ({"tree_depth": 1}, {"prior_rule": True}, problems()),
    "trees": ({"tree_depth": 1}, {}, problems()),
    "decrules": ({"max_literals": 1, "grow_fraction": 1.0}, {}, problems()),
    "mh-kr": ({"rules_per_round": 1}, {}, problems()),
    "slipper": (
        {"max_literals": 1, "grow_fraction": 1.0, "default_rule": False},
        {"abstain": True},
        WORDS_ONLY,  # of a number slipper may also ask whether it is below
    ),
}


@pytest.mark.parametrize("name", STUMPS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_with_one_condition_a_rule_it_is_boosting_of_stumps(name, data):
    choices, of_mh, drawn = STUMPS[name]
    problem = data.draw(drawn)
    _, grown = run(problem, algorithm=name, rounds=4, smoothing=E, **choices)
    _, stumps = run(problem, algorithm="mh", rounds=4, smoothing=E, **of_mh)
    same_rules(grown, stumps)


@given(problem=problems())
@settings(max_examples=25, deadline=None)
def test_rules_of_one_condition_by_margins_are_adaboost_r(problem):
    _, grown = run(
        problem, algorithm="decrules-r", max_literals=1, grow_fraction=1.0, rounds=4, smoothing=E
    )
    _, stumps = run(problem, algorithm="adaboost-r", rounds=4, smoothing=E)
    same_rules(grown, stumps)


@given(problem=problems(), votes=st.sampled_from(["real", "discrete"]))
@settings(max_examples=25, deadline=None)
def test_the_mean_of_rules_has_at_most_the_mean_of_their_z(problem, votes):
    """exp is convex; without smoothing Z of each rule is 1 minus its gain."""
    _, rounds = run(problem, algorithm="mh-kr", votes=votes, rounds=3, smoothing=0.0)
    for made in rounds:
        assert made.z <= 1 - made.gain + 1e-7  # a one-sided block keeps sqrt(1e-15) of its weight


@pytest.mark.parametrize("name", GROWN)
@given(problem=problems(), seed=st.integers(0, 2))
@settings(max_examples=8, deadline=None)
def test_replaying_leaves_the_state_of_finding(name, problem, seed):
    documents, sets, k, numeric, categories, weights = problem
    choices = {"algorithm": name, "rounds": 5, "seed": seed, "reuse": 0.9}
    whole, made = run(problem, **choices)
    features = features_of(documents, numeric, categories)
    resumed = Booster(features, Lists.of(sets), k, weights, BoostingSettings(**choices), "plain")
    done = made[:3]
    again = list(
        resumed.rounds(
            [rule for r in done for rule in r.rules],
            [len(r.rules) for r in done],
            [r.gain for r in done],
        )
    )
    assert (whole.scores() == resumed.scores()).all()
    assert [(r.z, r.gain) for r in again] == [(r.z, r.gain) for r in made]
    for first, second in zip(made, again, strict=True):
        assert first.places == second.places
        assert all(
            (a.votes == b.votes).all() for a, b in zip(first.rules, second.rules, strict=True)
        )


@pytest.mark.parametrize("name", [n for n in GROWN if "numeric" in ALGORITHMS[n].alpha])
@given(problem=problems())
@settings(max_examples=8, deadline=None)
def test_the_alpha_of_least_loss_is_no_worse_than_one(name, problem):
    """SS99 s3: Z is convex in alpha. The rules of the first round are the same."""
    _, own = run(problem, algorithm=name, rounds=1, smoothing=0)
    _, sized = run(problem, algorithm=name, rounds=1, smoothing=0, alpha="numeric")
    for a, b in zip(own, sized, strict=True):
        assert b.z <= a.z * (1 + 1e-9)


@pytest.mark.parametrize("name", [n for n in GROWN if n != "mp"])
def test_the_incremental_engine_is_refused(name):
    with pytest.raises(SettingsError, match=f"does not go with {name}"):
        Booster(
            features_of([{"a"}, {"b"}]),
            Lists.of([[0], [1]]),
            2,
            np.ones(2),
            BoostingSettings(algorithm=name),
            "incremental",
        )


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"algorithm": "mh", "tree_depth": 2}, "--tree-depth; adtree, adtree-logistic, trees do"),
        ({"algorithm": "trees", "max_literals": 2}, "trees does not go with --max-literals"),
        ({"algorithm": "decrules", "default_rule": False}, "--default-rule; slipper do"),
        ({"algorithm": "mh", "rules_per_round": 3}, "--rules-per-round; mh-kr do"),
        (
            {"algorithm": "mh", "updates": 3},
            "--updates; parallel, parallel-logistic do, and any with",
        ),
        ({"algorithm": "adtree", "abstain": True}, "adtree does not go with --abstain"),
    ],
)
def test_settings_that_an_algorithm_does_not_look_at_are_refused(choices, says):
    with pytest.raises(SettingsError, match=says):
        BoostingSettings(**choices)


@given(problem=problems())
@settings(max_examples=20, deadline=None)
def test_decision_rules_of_one_literal_are_stumps(problem):
    problem = uneven(problem)
    alone = {"algorithm": "decrules", "max_literals": 1, "grow_fraction": 1.0}
    _, rules = run(problem, rounds=4, **alone)
    _, stumps = run(problem, rounds=4)
    for a, b in zip(rules, stumps, strict=True):
        assert a.z == pytest.approx(b.z, rel=1e-9)
        assert a.gain == pytest.approx(b.gain, rel=1e-9)


def test_longer_decision_rules_learn_a_formula_of_conjunctions_better():
    """XD6 of NN07: three conjunctions of three attributes; training error falls with literals."""
    bits = np.random.default_rng(6).random((200, 10)) < 0.5
    right = bits[:, :9].reshape(-1, 3, 3).all(axis=2).any(axis=1)
    documents = [{f"a{j}" for j in np.flatnonzero(row)} for row in bits]
    problem = documents, [[int(label)] for label in right], 2, (), (), np.ones(200)
    errors = []
    for most in (1, 2, 3, 6):
        booster, _ = run(
            problem, algorithm="decrules", max_literals=most, grow_fraction=1.0, rounds=12
        )
        errors.append(float((booster.scores().argmax(axis=1) != right).mean()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == 0 < errors[1]
