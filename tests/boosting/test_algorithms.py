"""Every row of the table of algorithms: its bound, its refusals, and what it reduces to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Lists
from boostext.boosting import codings
from boostext.boosting.alphas import ALPHAS, Smoothing
from boostext.boosting.codings import COLORINGS
from boostext.boosting.losses import LOSSES, one_error_factor
from boostext.boosting.rounds import Booster
from boostext.boosting.votes import VOTES
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings
from tests.boosting.bags import bag, features_of


@st.composite
def one_label(draw):
    """Documents with exactly one of k labels each."""
    m, k = draw(st.integers(3, 12)), draw(st.integers(2, 4))
    documents = [draw(st.sets(st.sampled_from("abcdef"))) | {"z"} for _ in range(m)]
    labels = [draw(st.integers(0, k - 1)) for _ in range(m)]
    weights = np.array([draw(st.sampled_from([0.5, 1.0, 2.0])) for _ in range(m)])
    return documents, labels, k, weights


def booster_of(problem, **choices):
    documents, labels, k, weights = problem
    sets = Lists.of([[label] for label in labels])
    return Booster(features_of(documents), sets, k, weights, BoostingSettings(**choices), "plain")


def hamming_loss(scores, labels, weights):
    signs = np.where(np.arange(scores.shape[1]) == np.array(labels)[:, None], 1, -1)
    return (weights[:, None] * (signs * scores <= 0)).sum() / weights.sum() / scores.shape[1]


def ranking_loss(scores, labels, weights):
    """Share of (right, wrong) pairs out of order; a tie is a misordering."""
    own = scores[np.arange(len(labels)), labels][:, None]
    wrong = (scores >= own).sum(axis=1) - 1
    return (weights * wrong).sum() / weights.sum() / (scores.shape[1] - 1)


def error(scores, labels, weights):
    """Right only where the own label is ahead of half of all votes, as M1's theorem has it."""
    own = scores[np.arange(len(labels)), labels]
    return (weights * (2 * own <= scores.sum(axis=1))).sum() / weights.sum()


MEASURES = {"Hamming loss": hamming_loss, "ranking loss": ranking_loss, "error": error}
BOUNDED = [name for name, row in ALGORITHMS.items() if row.bounds and not row.coded]


@pytest.mark.parametrize("name", BOUNDED)
@given(problem=one_label(), seed=st.integers(0, 3))
@settings(max_examples=12, deadline=None)
def test_what_is_bounded_stays_below_the_product_of_z(name, problem, seed):
    """SS99 Theorems 3 and 6; CSS02; NN07 Theorem 1; for oc the weight of (example, wrong label)
    pairs out of order, which is the ranking loss; for m1 the error (TAB)."""
    _, labels, _, weights = problem
    booster = booster_of(problem, algorithm=name, rounds=6, seed=seed)
    measure = MEASURES[ALGORITHMS[name].bounds]
    for made in booster.rounds():
        assert measure(booster.scores(), labels, weights) <= made.bound * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("name", [n for n, row in ALGORITHMS.items() if row.coded])
@pytest.mark.parametrize("decoding", sorted(codings.DECODINGS))
@given(problem=one_label())
@settings(max_examples=20, deadline=None)
def test_codes_keep_the_bound_of_their_theorem(name, decoding, problem):
    """SS99 Theorem 5, with ties counted as errors."""
    _, labels, _, weights = problem
    booster = booster_of(problem, algorithm=name, rounds=4)
    for made in booster.rounds():
        value = codings.DECODINGS[decoding](booster.scores(), booster.code)
        own = value[np.arange(len(labels)), labels][:, None]
        wrong = (value <= own).sum(axis=1) > 1
        bound = codings.error_bound(booster.code, decoding, made.bound)
        assert (weights * wrong).sum() / weights.sum() <= bound * (1 + 1e-9)


@given(problem=one_label())
@settings(max_examples=20, deadline=None)
def test_a_code_of_one_column_per_label_is_mh(problem):
    coded = booster_of(problem, algorithm="mo", coding="one-per-label", rounds=4)
    straight = booster_of(problem, algorithm="mh", rounds=4)
    for a, b in zip(coded.rounds(), straight.rounds(), strict=True):
        assert a.rule.condition == b.rule.condition
        np.testing.assert_allclose(a.rule.votes, b.rule.votes, rtol=1e-12)
    np.testing.assert_allclose(coded.scores(), straight.scores(), rtol=1e-12)


@given(problem=one_label())
@settings(max_examples=20, deadline=None)
def test_mr_of_two_labels_is_discrete_mh(problem):
    """With two labels the one pair of an example is its margin, twice; no block is in balance."""
    documents, labels, _, weights = problem
    weights = weights * (1 + np.random.default_rng(0).random(len(weights)))
    two = (documents, [label % 2 for label in labels], 2, weights)
    ranked = list(booster_of(two, algorithm="m2", rounds=4, smoothing=0).rounds())
    straight = list(booster_of(two, votes="discrete", rounds=4, smoothing=0).rounds())
    assert [r.rule.condition for r in ranked] == [r.rule.condition for r in straight]
    for a, b in zip(ranked, straight, strict=True):
        assert a.z == pytest.approx(b.z, rel=1e-9)


@given(problem=one_label(), seed=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_numeric_alpha_of_mr_is_never_worse_than_the_bound(problem, seed):
    bound = next(booster_of(problem, algorithm="mr", alpha="bound", smoothing=0).rounds(), None)
    numeric = next(booster_of(problem, algorithm="mr", alpha="numeric", smoothing=0).rounds(), None)
    if bound is not None:
        assert numeric.z <= bound.z * (1 + 1e-9)


def test_every_row_names_entries_of_the_tables():
    for row in ALGORITHMS.values():
        assert row.loss in LOSSES
        assert set(row.votes.values()) <= set(VOTES)
        assert set(row.alpha) <= {"own", "bound", *ALPHAS}
        assert set(row.real_alpha) <= {"own", "bound", "newton", "numeric"}


def test_settings_offer_every_coding_and_coloring():
    choices = {f.name: f.metadata["choices"] for f in BoostingSettings.fields()}
    assert set(choices["coloring"]) == set(COLORINGS)
    assert set(choices["coding"]) == set(codings.CODINGS)
    assert set(choices["decoding"]) == set(codings.DECODINGS)


@pytest.mark.parametrize("name", [n for n, row in ALGORITHMS.items() if row.one_label])
def test_several_labels_are_refused_where_the_paper_has_one(name):
    b = bag([("a", ["x", "y"]), ("b", ["y"])])
    with pytest.raises(SettingsError, match=f"{name} needs exactly one label per document"):
        Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(algorithm=name))


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"algorithm": "m1", "votes": "real"}, "m1 goes with --votes discrete"),
        ({"algorithm": "mr", "votes": "real", "alpha": "exact"}, "real goes with --alpha newton"),
        ({"algorithm": "m2", "alpha": "newton"}, "discrete goes with --alpha bound or exact"),
        (
            {"algorithm": "mh", "alpha": "exact"},
            "mh --votes real goes with --alpha auto or numeric, not",
        ),
        (
            {"algorithm": "trees", "alpha": "exact"},
            "trees --votes real goes with --alpha auto or numeric",
        ),
        ({"algorithm": "mo", "abstain": True}, "mo does not go with --abstain"),
        ({"algorithm": "m1", "start": "balanced"}, "m1 does not go with --start balanced"),
        ({"algorithm": "adaboost-r", "shrinkage": 0.5}, "does not go with --shrinkage"),
    ],
)
def test_combinations_outside_the_table_are_refused(choices, says):
    with pytest.raises(SettingsError, match=says):
        BoostingSettings(**choices)


def test_codes_tell_all_labels_apart():
    rng = np.random.default_rng(0)
    for name, code in ((n, make(5, 12, rng)) for n, make in codings.CODINGS.items()):
        assert codings.least_distance(code) > 0, name
        assert set(np.unique(code)) == {-1, 1}


def test_exhaustive_code_asks_every_question_once():
    code = codings.exhaustive(4, 0, np.random.default_rng(0))
    assert code.shape == (4, 2**3 - 1)
    assert len({tuple(c) for c in code.T} | {tuple(-c) for c in code.T}) == 2 * 7


def test_a_code_of_ones_own_must_have_a_row_for_each_label():
    with pytest.raises(SettingsError, match="there is none for 'y'"):
        codings.given(["x=+-", "z=-+"], ["x", "y"])


def test_climbing_never_lowers_the_weight_of_pairs_in_two_colors():
    confusion = np.random.default_rng(1).random((6, 6))
    np.fill_diagonal(confusion, 0)

    def told_apart(colors):
        return confusion[colors[:, None] != colors].sum()

    for seed in range(10):
        start = COLORINGS["random"](confusion, np.random.default_rng(seed))
        climbed = COLORINGS["climbed"](confusion, np.random.default_rng(seed))
        assert told_apart(climbed) >= told_apart(start) - 1e-12


def test_bagging_draws_anew_each_round_and_by_the_seed():
    rng = np.random.default_rng(3)
    records = [
        (" ".join(rng.choice(list("abcdefgh"), 4)), ["x" if i % 3 else "y"]) for i in range(40)
    ]
    b = bag(records)

    def terms(seed):
        choices = BoostingSettings(algorithm="bagging", rounds=8, seed=seed)
        booster = Booster(b.features, b.label_sets, 2, b.weights, choices)
        return [r.rule.condition.term for r in booster.rounds()]

    assert terms(0) == terms(0)
    assert len({tuple(terms(seed)) for seed in range(4)}) > 1


def test_mr_has_nothing_to_learn_where_no_example_has_a_wrong_label():
    b = bag([("a", ["x", "y"]), ("b", ["x", "y"])])
    booster = Booster(b.features, b.label_sets, 2, b.weights, BoostingSettings(algorithm="mr"))
    with np.errstate(all="raise"):
        assert list(booster.rounds()) == []


@given(problem=one_label(), seed=st.integers(0, 3), coloring=st.sampled_from(sorted(COLORINGS)))
@settings(max_examples=30, deadline=None)
def test_output_codes_without_reweighting_never_change_an_examples_weight(problem, seed, coloring):
    """S97 s3: of every round the condition of least error on the two colors, by the examples'
    own weights; a label gets 1 where the rule names its color."""
    documents, labels, k, weights = problem
    problem = documents, labels, k, weights * (1 + np.random.default_rng(0).random(len(weights)))
    weights = problem[3] / problem[3].sum()
    booster = booster_of(problem, algorithm="ecoc", rounds=3, seed=seed, coloring=coloring)
    words = sorted(set().union(*documents))
    drawn = []

    def kept(confusion, rng, draw=COLORINGS[coloring]):
        drawn.append(draw(confusion, rng))
        return drawn[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(COLORINGS, coloring, kept)
        made = list(booster.rounds())
    scores = np.zeros((len(documents), k))
    for colors, found in zip(drawn, made, strict=False):
        errors, saying = [], []
        for word in words:
            names, wrong = {}, 0.0
            for inside in (False, True):
                heavy = sum(
                    weights[i] * colors[labels[i]]
                    for i, words_here in enumerate(documents)
                    if (word in words_here) == inside
                )
                total = sum(weights[i] for i, d in enumerate(documents) if (word in d) == inside)
                names[inside] = 1 if heavy > 1e-10 * total else -1
                wrong += (total - abs(heavy)) / 2
            errors.append(wrong)
            saying.append(names)
        best = next(n for n, e in enumerate(errors) if e <= min(errors) + 1e-9)
        ours = words.index(found.rule.condition.term[0])
        assert errors[ours] == pytest.approx(errors[best], abs=1e-9)
        for i, here in enumerate(documents):
            scores[i] += colors == saying[ours][words[ours] in here]
    np.testing.assert_allclose(booster.scores(), scores)


def test_an_alpha_beyond_sixteen_is_found_and_one_of_a_perfect_rule_is_smoothed():
    """Of weight 1, 1e-17 is wrong: alpha = 1/2 ln(1e17) = 19.57; with nothing wrong
    1/2 ln((1 + e) / e)."""
    D, signs = np.array([[1.0], [1e-17]]), np.array([[1], [1]], np.int8)
    for h, e, wanted in (([1, -1], 0.01, 0.5 * np.log(1e17)), ([1, 1], 0.01, 0.5 * np.log(101))):
        votes = np.array(h, float)[:, None]

        def slope(alpha, votes=votes):
            return float((D * signs * votes * np.exp(-alpha * signs * votes)).sum())

        alpha = ALPHAS["numeric"](D, signs, votes, slope, Smoothing(e))
        assert alpha == pytest.approx(wanted, rel=1e-9)


@given(problem=one_label(), e=st.sampled_from([0.001, 0.05, 1.0]))
@settings(max_examples=25, deadline=None)
def test_real_votes_have_the_least_smoothed_loss_already(problem, e):
    """SS99 s4.2: e is a loss of each vote, so that a numeric alpha of leaves is 1."""
    for name in ("trees", "adtree", "slipper"):
        sized = booster_of(problem, algorithm=name, rounds=2, smoothing=e, alpha="numeric")
        plain = booster_of(problem, algorithm=name, rounds=2, smoothing=e)
        for a, b in zip(sized.rounds(), plain.rounds(), strict=True):
            for ours, own in zip(a.rules, b.rules, strict=True):
                np.testing.assert_allclose(ours.votes, own.votes, rtol=1e-6, atol=1e-9)


def test_scores_that_are_no_log_odds_have_no_link():
    """Losses of codes and ranks are none; AdaBoost_R's: 1 / (1 + exp(-f)), NN07 Eqs. 24-25."""
    links = {name: row.link for name, row in ALGORITHMS.items()}
    assert {name for name, link in links.items() if not link} == {
        "mr",
        "m2",
        "mo",
        "logistic-codes",
        "oc",
        "ecoc",
        "m1",
        "bagging",
        "arc-x4",
    }
    assert links["adaboost-r"] == links["decrules-r"] == links["logistic"] == 1
    assert links["mh"] == links["trees"] == 2


@pytest.mark.parametrize(
    "name", [n for n, row in ALGORITHMS.items() if row.bounds and not row.coded]
)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_one_error_keeps_its_bound(name, data):
    """SS99 s7 and s9; S97 Theorem 1. Ties are errors here."""
    row = ALGORITHMS[name]
    documents, labels, k, _ = data.draw(one_label())
    sets = [[label] for label in labels]
    start = data.draw(st.sampled_from(["uniform", "balanced"])) if row.balanced else "uniform"
    if not row.one_label and start == "uniform":
        sets = [sorted({*own, *data.draw(st.sets(st.integers(0, k - 1)))}) for own in sets]
    learner = data.draw(st.sampled_from(row.learners)) if len(row.learners) > 1 else "auto"
    factor = one_error_factor(row, start, k)
    booster = Booster(
        features_of(documents),
        Lists.of(sets),
        k,
        np.ones(len(sets)),
        BoostingSettings(algorithm=name, learner=learner, start=start, rounds=4),
        "plain",
    )
    for made in booster.rounds():
        wrong = 0
        for scores, own in zip(booster.scores(), sets, strict=True):
            others = np.delete(scores, own)
            wrong += len(others) > 0 and others.max() >= scores[own].max()
        if factor is not None:
            assert wrong / len(sets) <= factor * made.bound * (1 + 1e-9)
