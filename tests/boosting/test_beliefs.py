"""Boosting with prior knowledge: the objective, by the plain engine and the fast one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from boostext.arrays import Lists
from boostext.boosting.beliefs import Belief
from boostext.boosting.rounds import Booster
from boostext.compiled import notice
from boostext.features.conditions import NO, YES
from boostext.settings import BoostingSettings
from tests.boosting import grown_papers, knowledge_papers
from tests.boosting.bags import features_of

ENGINES = ["plain", *([] if notice() else ["incremental"])]
YES_OR_NO = {True: "yes", False: "no"}
LINK = {"mh": 2.0, "logistic": 1.0}


def drawn(seed, m=12, k=3, words=6):
    """Documents, label sets of any size, weights (0 where nobody labeled), and pi."""
    rng = np.random.default_rng(seed)
    documents = [{f"w{j}" for j in range(words) if rng.random() < 0.4} | {"all"} for _ in range(m)]
    sets = [sorted(rng.choice(k, rng.integers(0, k + 1), replace=False).tolist()) for _ in range(m)]
    weights = rng.integers(1, 4, m).astype(float)
    for i in np.flatnonzero(rng.random(m) < 0.3):
        sets[i], weights[i] = [], 0.0
    return documents, sets, weights, rng.uniform(0.01, 0.99, (m, k))


def booster(data, eta, engine="plain", **choices):
    documents, sets, weights, pi = data
    belief = Belief(pi, eta)
    chosen = BoostingSettings(**{"rounds": 8, "smoothing": 0.01, **choices})
    k = pi.shape[1]
    return Booster(
        features_of(documents), Lists.of(sets), k, weights, chosen, engine, belief=belief
    )


def reference(data, eta, algorithm, rounds, abstain, smoothing):
    documents, sets, weights, pi = data
    k = pi.shape[1]
    Y = [[1 if label in given else -1 for label in range(k)] for given in sets]
    rows = knowledge_papers.rows_of(Y, weights.tolist(), pi.tolist(), eta)
    f = (np.log(pi / (1 - pi)) / LINK[algorithm]).tolist()
    words = sorted(set().union(*documents))
    made = [(w, ["yes" if w in d else "no" for d in documents]) for w in words]
    return rows, *knowledge_papers.boost(algorithm, made, rows, f, rounds, abstain, smoothing)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("abstain", [False, True])
@pytest.mark.parametrize("algorithm", ["mh", "logistic"])
def test_rules_are_those_of_three_weighted_rows_a_document(algorithm, abstain, engine):
    if engine == "incremental" and algorithm == "logistic" and not abstain:
        pytest.skip("the fast engine learns logistic loss with rules that abstain")
    for seed, eta in [(1, 1.0), (2, 0.2), (3, 30.0), (4, 0.01)]:
        data = drawn(seed)
        _, rules, f = reference(data, eta, algorithm, 8, abstain, 0.01)
        run = booster(data, eta, engine, algorithm=algorithm, abstain=abstain)
        rounds = list(run.rounds())
        assert len(rounds) == len(rules) > 0
        for made, (word, votes, z) in zip(rounds, rules, strict=True):
            assert made.rule.condition.term == (word,)
            np.testing.assert_allclose(made.rule.votes[YES], votes["yes"], rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(made.rule.votes[NO], votes["no"], rtol=1e-9, atol=1e-9)
            assert made.z == pytest.approx(z, rel=1e-9)
        np.testing.assert_allclose(run.scores(), f, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rounds", [1, 4])
@pytest.mark.parametrize("eta", [1.0, 0.2, 30.0])
def test_a_last_round_is_that_of_three_weighted_rows_a_document(eta, rounds):
    """It descends the same objective, and starts from what is known and the rules before."""
    data = drawn(11)
    documents, _, weights, _ = data
    rows, _, f = reference(data, eta, "mh", rounds - 1, True, 0.01)
    made = [
        (word, [YES_OR_NO[word in documents[i]] for i, *_ in rows])
        for word in sorted(set().union(*documents))
    ]
    Y, D0 = [list(signs) for _, signs, _ in rows], [list(given) for *_, given in rows]
    total = sum(map(sum, D0))
    D0 = [[w / total for w in row] for row in D0]
    f = [f[i] for i, *_ in rows]
    pairs = [list(zip(*row, strict=True)) for row in zip(Y, D0, f, strict=True)]
    D = [[w * math.exp(-y * score) for y, w, score in row] for row in pairs]
    left = sum(map(sum, D))
    D = [[w / left for w in row] for row in D]
    told = (weights > 0).sum() + eta * len(documents)
    last = grown_papers.last_round(made, Y, D0, D, f, 6, [sum(row) for row in D0], len(made), told)
    run = booster(data, eta, rounds=rounds, abstain=True, finish=1e-9, updates=6)
    *_, found = run.rounds()
    assert found.is_last
    assert len(found.rules) == len(last)
    for rule, (_, j, votes) in zip(found.rules, last, strict=True):
        assert rule.condition.term == (made[j][0],)
        np.testing.assert_allclose(rule.votes[YES], votes["yes"], rtol=1e-7, atol=1e-9)
        assert not rule.votes[NO].any()
    assert found.z == pytest.approx(grown_papers.moved(last, made, Y, D)[1], rel=1e-8)
    assert found.z < 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.sampled_from(sorted(LINK)), st.booleans())
def test_the_objective_falls_in_every_round(seed, eta, algorithm, abstain):
    data = drawn(seed)
    if not data[2].any():
        return
    run = booster(data, eta, algorithm=algorithm, abstain=abstain, rounds=20)
    assert all(made.z < 1 for made in run.rounds())


def test_without_labels_nothing_is_learned_and_scores_are_those_of_the_knowledge():
    documents, sets, weights, pi = drawn(5)
    run = booster((documents, [[]] * len(sets), 0 * weights, pi), 1.0, algorithm="logistic")
    assert not list(run.rounds())
    np.testing.assert_allclose(run.scores(), np.log(pi / (1 - pi)), rtol=1e-12)


def test_much_weight_stays_with_the_knowledge():
    data = drawn(6)
    pi = data[3]
    far = [np.abs(1 / (1 + np.exp(-_scores(data, eta))) - pi).max() for eta in (0.1, 10.0, 1000.0)]
    assert far[0] > far[1] > far[2]
    assert far[2] < 0.01


def _scores(data, eta):
    run = booster(data, eta, algorithm="logistic", rounds=100)
    list(run.rounds())
    return run.scores()


@pytest.mark.parametrize("algorithm", sorted(LINK))
def test_many_rounds_reach_the_least_of_the_objective(algorithm):
    """Over all sums of votes on the words' presence and absence, as scipy finds it."""
    data = drawn(7, m=10, k=2, words=3)
    documents, _, _, pi = data
    rows, _, _ = reference(data, 0.5, algorithm, 0, False, 0.0)
    words = sorted(set().union(*documents) - {"all"})
    X = np.array([[1.0, *(float(w in d) for w in words)] for d in documents])
    f0 = np.log(pi / (1 - pi)) / LINK[algorithm]

    def value(theta):
        f = f0 + X @ theta.reshape(X.shape[1], -1)
        return knowledge_papers.objective(algorithm, rows, f.tolist())

    least = minimize(value, np.zeros(X.shape[1] * 2), method="BFGS", options={"gtol": 1e-7})
    run = booster(data, 0.5, algorithm=algorithm, rounds=400, smoothing=0.0)
    list(run.rounds())
    reached = knowledge_papers.objective(algorithm, rows, run.scores().tolist())
    assert reached == pytest.approx(least.fun, rel=1e-6)
    assert reached >= least.fun * (1 - 1e-9)


@pytest.mark.skipif(bool(notice()), reason=notice())
@pytest.mark.parametrize(
    ("algorithm", "abstain"), [("mh", False), ("mh", True), ("logistic", True)]
)
def test_the_fast_engine_agrees_over_many_rounds_and_labels(algorithm, abstain):
    data = drawn(8, m=150, k=9, words=40)
    choices = {"algorithm": algorithm, "abstain": abstain, "rounds": 120, "shrinkage": 0.5}
    runs = [booster(data, 0.3, engine, **choices) for engine in ("plain", "incremental")]
    plain, fast = (list(run.rounds()) for run in runs)
    assert [r.condition for r in plain] == [r.condition for r in fast]
    np.testing.assert_allclose([r.z for r in plain], [r.z for r in fast], rtol=1e-9)
    np.testing.assert_allclose(runs[0].scores(), runs[1].scores(), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(runs[0].weights(), runs[1].weights(), rtol=1e-7, atol=1e-15)
