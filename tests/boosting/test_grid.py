"""Every algorithm with every weak learner that it allows, against slow references."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.algorithms import ALGORITHMS, LEARNERS
from boostext.arrays import Lists
from boostext.boosting.codings import COLORINGS
from boostext.boosting.rounds import Booster
from boostext.errors import SettingsError
from boostext.features.conditions import NO, UNKNOWN, YES, Always
from boostext.settings import BoostingSettings
from tests.boosting import grid_papers as slow
from tests.boosting import papers
from tests.boosting.bags import features_of
from tests.boosting.test_growers import listed, uneven
from tests.boosting.test_mh import problems

E, ROUNDS = 0.01, 3
REAL = (slow.real_gain, slow.real_votes, "additive")
DISCRETE = (slow.discrete_gain, slow.discrete_votes, "")
SIGNS = {
    "mh": (slow.exponential, REAL),
    "mh discrete": (slow.exponential, DISCRETE),
    "logistic": (slow.logistic, REAL),
    "adaboost-r": (slow.exponential, (slow.real_gain, slow.margin_votes, "margin")),
    "mr": (slow.ranking, DISCRETE),
    "mr real": (slow.ranking, REAL),
    "mo": (slow.exponential, REAL),
    "mo discrete": (slow.exponential, DISCRETE),
    "logistic-codes": (slow.logistic, REAL),
}
"""Rows whose rules vote for and against every label or column, with loss, gain and votes."""
OTHERS = ("m1", "oc", "ecoc", "bagging", "arc-x4", "m2")
CELLS = [
    (name, learner)
    for name in (*SIGNS, *OTHERS)
    for learner in ALGORITHMS[name.split()[0]].learners
]
INDEXES = ("z", "gini", "entropy", "kearns-mansour")


def row_of(name, k):
    """Loss, view, gain, votes and kind of the slow reference."""
    if name == "m2":
        name = "mr"
    if name in SIGNS:
        loss, (gain, votes, kind) = SIGNS[name]
        return loss, slow.by_sign, gain, votes, kind
    plural = (slow.by_class, slow.plurality_gain_of(k), slow.plurality_votes, "classes")
    counted = (slow.by_class, slow.majority_gain_of(k), slow.majority_votes, "classes")
    return {
        "m1": (slow.of_example, *plural),
        "bagging": (slow.constant, *counted),
        "arc-x4": (slow.arc, *counted),
        "oc": (slow.wrong_labels, slow.by_color, slow.discrete_gain, slow.hedged_votes, ""),
        "ecoc": (slow.constant, slow.by_color, slow.discrete_gain, slow.color_votes, ""),
    }[name]


def base_of(name, Y, weights):
    """The first weights: of pairs, crucial pairs, wrong labels, or examples."""
    k, w = len(Y[0]), weights / weights.sum()
    if name in ("mr", "mr real", "m2"):
        ranked = [(y.count(1), y.count(-1)) for y in Y]
        total = sum(v for v, (a, b) in zip(w, ranked, strict=True) if a and b) or 1.0
        return [
            [(v / total / (a * b)) ** 0.5 if a and b else 0.0] * k
            for v, (a, b) in zip(w, ranked, strict=True)
        ]
    if name == "oc":
        return [[0.0 if s > 0 else v / (k - 1) for s in y] for v, y in zip(w, Y, strict=True)]
    if name in OTHERS:
        return [[v if s > 0 else 0.0 for s in y] for v, y in zip(w, Y, strict=True)]
    return [[v / k] * k for v in w]


def ours(name, learner, problem, seed, **choices):
    """Scores after each round; the colorings; the code."""
    documents, sets, k, numeric, categories, weights = problem
    algorithm, _, votes = name.partition(" ")
    if name == "mr real":
        choices["alpha"] = "bound"
    grown = {"grow_fraction": 1.0} if learner in ("rules", "conjunction") else {}
    settings_ = BoostingSettings(
        algorithm=algorithm,
        votes=votes or "auto",
        learner=learner,
        rounds=ROUNDS,
        smoothing=E,
        seed=seed,
        **grown,
        **choices,
    )
    colors = []

    def kept(confusion, rng, draw=COLORINGS["random"]):
        colors.append(draw(confusion, rng))
        return colors[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COLORINGS, "random", kept)
        features = features_of(documents, numeric, categories)
        booster = Booster(
            features, Lists.of(sets), k, weights, settings_, "plain", labels=list("abcdef")[:k]
        )
        scores = [booster.scores().copy() for _ in booster.rounds()]
    return scores, colors, booster.code


@pytest.mark.parametrize(("name", "learner"), CELLS)
@given(data=st.data(), seed=st.integers(0, 3), index=st.sampled_from(INDEXES))
@settings(max_examples=6, deadline=None)
def test_every_cell_of_the_grid_is_that_of_the_papers(name, learner, data, seed, index):
    """Scores after each round, on drawn corpora with unknown values, weights and several labels."""
    problem = uneven(data.draw(problems()))
    documents, sets, k, numeric, categories, weights = problem
    one_label = ALGORITHMS[name.split()[0]].one_label
    if one_label:
        k = max(k, 2)
        sets = [[(given[0] if given else i) % k] for i, given in enumerate(sets)]
        problem = documents, sets, k, numeric, categories, weights
    found, colors, code = ours(name, learner, problem, seed, index=index)
    Y = [[1 if label in given else -1 for label in range(k)] for given in sets]
    if code is not None:
        Y = [code[given[0]].tolist() for given in sets]
    made = papers.conditions(documents, numeric, categories)
    m = len(Y)

    def drawn(number, D):
        each = np.array(D).sum(axis=1)
        counts = np.random.default_rng([seed, number]).multinomial(m, each / each.sum()) / m
        return [[c if s > 0 else 0.0 for s in y] for c, y in zip(counts, Y, strict=True)]

    expected = slow.boost(
        row_of(name, k),
        learner,
        made,
        Y,
        base_of(name, Y, weights),
        E,
        ROUNDS,
        {"numeric_from": listed(problem)},
        [c.tolist() for c in colors] or None,
        index,
        drawn if name == "bagging" else None,
    )
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [n for n, row in ALGORITHMS.items() if row.learners == LEARNERS])
def test_a_learner_that_is_not_told_is_a_stump(name):
    assert BoostingSettings(algorithm=name).learner_name() == "stump"


PAIRS = {
    "decrules": ("mh", "rules"),
    "trees": ("mh", "tree"),
    "adtree": ("mh", "adtree"),
    "slipper": ("mh", "conjunction"),
    "decrules-r": ("adaboost-r", "rules"),
    "adtree-logistic": ("logistic", "adtree"),
}


@pytest.mark.parametrize("name", PAIRS)
@given(problem=problems())
@settings(max_examples=5, deadline=None)
def test_pairs_with_names_of_their_own_are_what_they_are_made_of(name, problem):
    documents, sets, k, numeric, categories, weights = problem
    algorithm, learner = PAIRS[name]
    both = []
    for choices in ({"algorithm": name}, {"algorithm": algorithm, "learner": learner}):
        booster = Booster(
            features_of(documents, numeric, categories),
            Lists.of(sets),
            k,
            weights,
            BoostingSettings(rounds=3, **choices),
            "plain",
        )
        assert list(booster.rounds()) is not None
        both.append(booster.scores())
    assert (both[0] == both[1]).all()


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"algorithm": "bagging", "learner": "adtree"}, "bagging goes with --learner stump or rul"),
        ({"algorithm": "trees", "learner": "rules"}, "trees goes with --learner tree, not with"),
        ({"algorithm": "mp", "learner": "tree"}, "mp goes with --learner auto, not with tree"),
        ({"learner": "tree", "abstain": True}, "mh --learner tree does not go with --abstain"),
        (
            {"learner": "rules", "tree_depth": 2},
            "does not go with --tree-depth; .* and --learner adtree or tree",
        ),
        ({"algorithm": "mh-kr", "index": "gini"}, "mh-kr does not go with --index"),
        ({"algorithm": "bagging", "resample": True}, "bagging does not go with --resample"),
    ],
)
def test_pairs_that_the_mathematics_does_not_allow_are_refused(choices, says):
    with pytest.raises(SettingsError, match=says):
        BoostingSettings(**choices)


def small():
    rng = np.random.default_rng(3)
    documents = [set(rng.choice(list("abcdefgh"), 4)) for _ in range(60)]
    sets = [[(("a" in d) + ("b" in d) + int(rng.random() < 0.4)) % 3] for d in documents]
    return features_of(documents), Lists.of(sets), 3, np.ones(60)


@pytest.mark.parametrize(("name", "learner"), list(product(("mh", "m2", "oc"), LEARNERS)))
def test_examples_may_be_drawn_by_their_weights(name, learner):
    """The same seed draws the same; votes and Z are those of all the data."""
    runs = []
    for seed in (0, 0, 1):
        booster = Booster(
            *small(),
            BoostingSettings(algorithm=name, learner=learner, resample=True, rounds=6, seed=seed),
            "plain",
        )
        made = list(booster.rounds())
        assert made
        assert all(0 < r.z <= 1 + 1e-12 for r in made)
        runs.append(booster.scores())
    assert (runs[0] == runs[1]).all()
    assert not (runs[0] == runs[2]).all()


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_conjunctions_may_be_kept_to_those_that_speak_for_one_label(data):
    """As SLIPPER's do (Cohen & Singer 1999): only the default rule may speak against it."""
    documents, sets, k, numeric, categories, weights = uneven(data.draw(problems()))
    label = data.draw(st.integers(0, k - 1))
    names = list("abcdef")[:k]
    booster = Booster(
        features_of(documents, numeric, categories),
        Lists.of(sets),
        k,
        weights,
        BoostingSettings(algorithm="slipper", rules_for=names[label], rounds=5),
        "plain",
        labels=names,
    )
    for made in booster.rounds():
        if made.rule.precondition or made.rule.condition != Always():
            assert made.rule.votes[YES, label] > 0
            assert not made.rule.votes[[UNKNOWN, NO]].any()


def test_a_label_that_no_document_has_cannot_be_spoken_for():
    features, sets, k, weights = small()
    choices = BoostingSettings(algorithm="slipper", rules_for="x")
    with pytest.raises(SettingsError, match="no document has the label 'x' of --rules-for; there"):
        Booster(features, sets, k, weights, choices, labels=["a", "b", "c"])


@given(problem=problems())
@settings(max_examples=25, deadline=None)
def test_conservative_alpha_shares_the_silent_weight(problem):
    """SS99 s3.3: 1/2 ln((W+ + W0/2) / (W- + W0/2)); Z is then no less than with the best alpha."""
    documents, sets, k, numeric, categories, weights = uneven(problem)
    made = {}
    for alpha in ("conservative", "numeric"):
        booster = Booster(
            features_of(documents, numeric, categories),
            Lists.of(sets),
            k,
            weights,
            BoostingSettings(votes="discrete", abstain=True, alpha=alpha, smoothing=0, rounds=1),
            "plain",
        )
        D = booster.weights().copy()
        signs = np.array([[1 if x in given else -1 for x in range(k)] for given in sets])
        made[alpha] = next(booster.rounds(), None)
    if made["conservative"] is None:
        return
    h = np.sign(booster.scores())
    right, wrong, silent = (D[part].sum() for part in (signs * h > 0, signs * h < 0, h == 0))
    if wrong + silent / 2 > 1e-12:
        wanted = 0.5 * np.log((right + silent / 2) / (wrong + silent / 2))
        assert made["conservative"].rule.alpha == pytest.approx(wanted, rel=1e-9)
        assert made["conservative"].z >= made["numeric"].z * (1 - 1e-9)
