"""Engines find the same rules: the plain one, straight from the formulas, and the fast one."""

import gzip
import json
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.algorithms import ALGORITHMS
from boostext.arrays import Lists
from boostext.boosting import gains
from boostext.boosting.choice import Eligible
from boostext.boosting.engines import by_label, choose, layout, rows, thresholds
from boostext.boosting.engines import threads as threads_module
from boostext.boosting.engines import weights as weights_module
from boostext.boosting.engines.arrays import CHANGED, WORK
from boostext.boosting.engines.incremental import IncrementalEngine
from boostext.boosting.engines.kernels_weights import ROOM, STEPS
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.recomputing import RecomputingEngine
from boostext.boosting.engines.search import Search
from boostext.boosting.rounds import Booster
from boostext.compiled import compiled, notice
from boostext.corpus.documents import Document
from boostext.errors import SettingsError
from boostext.features.conditions import Equals, Occurs
from boostext.features.extract import extract
from boostext.features.matrix import FeatureMatrix, NumericColumn
from boostext.settings import BoostingSettings, TextSettings
from tests.boosting.bags import Names, bag, features_of

needs_numba = pytest.mark.skipif(bool(notice()), reason=notice())
FORMS = [(votes, abstain) for votes in ("real", "discrete") for abstain in (False, True)]


def corpus(rng, m, k, terms, density, single, unknown=False, numeric=0):
    """Random documents whose terms speak of labels; counts nest; some columns have gaps."""
    sizes = np.ones(m, int) if single else rng.integers(0, k + 1, m)
    sets = [sorted(rng.choice(k, size, replace=False).tolist()) for size in sizes]
    has = np.zeros((m, k), bool)
    for example, labels in enumerate(sets):
        has[example, labels] = True
    lists, unknown_list, names = [], [], []
    for t in range(terms):
        likes = rng.random(k) < 0.4
        p = density * np.where(has[:, likes].any(axis=1), 3, 0.5)
        inside = rng.random(m) < np.minimum(p, 0.95)
        counts = np.where(inside, rng.integers(1, 4, m), 0)
        for c in (1, 2):
            lists.append(np.flatnonzero(counts >= c).tolist())
            names.append(Occurs("text", (f"t{t}",), c))
            unknown_list.append(-1)
    gaps = []
    if unknown:
        values = rng.integers(-1, 3, m)
        gaps.append(np.flatnonzero(values < 0).tolist())
        for v in range(3):
            lists.append(np.flatnonzero(values == v).tolist())
            names.append(Equals("color", str(v)))
            unknown_list.append(0)
    columns = []
    for c in range(numeric):
        values = rng.integers(0, 8, m).astype(float) + [len(s) for s in sets]
        values[rng.random(m) < 0.2] = np.nan
        is_word = bool(rng.random() < 0.5)
        columns.append(replace(NumericColumn.of(f"n{c}", values), is_word=is_word))
    features = FeatureMatrix(
        m,
        Names(names),
        Lists.of(lists),
        np.asarray(unknown_list, np.int32),
        Lists.of(gaps),
        tuple(columns),
    )
    return features, Lists.of(sets), k


def boosted(data, weights, engine, threads=1, replay=(), **choices):
    features, sets, k = data
    booster = Booster(features, sets, k, weights, BoostingSettings(**choices), engine, threads)
    return booster, list(booster.rounds(replay))


def agree(data, weights, **choices):
    """Run both engines; their rules, votes, Z, scores and weights agree. Returns the fast run."""
    plain, expected = boosted(data, weights, "plain", **choices)
    fast, made = boosted(data, weights, "incremental", **choices)
    assert [r.rule.condition for r in made] == [r.rule.condition for r in expected]
    for ours, theirs in zip(made, expected, strict=True):
        np.testing.assert_allclose(ours.rule.votes, theirs.rule.votes, rtol=1e-9, atol=1e-9)
        assert ours.z == pytest.approx(theirs.z, rel=1e-9)
        assert ours.gain == pytest.approx(theirs.gain, rel=1e-7, abs=1e-9)
    np.testing.assert_allclose(fast.scores(), plain.scores(), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(fast.weights(), plain.weights(), rtol=1e-7, atol=1e-12)
    assert fast.stopped == plain.stopped
    return fast, made


CLEAR = (features_of([{"a"}, {"b"}]), Lists.of([[0], [1]]), 2)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    single = draw(st.booleans())
    k = draw(st.integers(2 if single else 1, 6))
    m = draw(st.integers(2, 60))
    data = corpus(
        rng,
        m,
        k,
        draw(st.integers(1, 25)),
        draw(st.sampled_from([0.02, 0.1, 0.4])),
        single,
        draw(st.booleans()),
        draw(st.integers(0, 2)),
    )
    weights = draw(st.sampled_from([np.ones(m), rng.integers(0, 4, m) + np.eye(m)[0]]))
    return data, weights, single


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@given(
    problem=problems(),
    smoothing=st.sampled_from(["1/m", "ss99", 0.01]),
    start=st.sampled_from(["uniform", "balanced"]),
    unknown=st.sampled_from(["abstains", "votes"]),
    shrinkage=st.sampled_from([1.0, 0.3]),
    search=st.sampled_from(
        [{}, {"term_fraction": 0.4}, {"rarity": 1.5, "reuse": 0.5}, {"prior_rule": True}]
    ),
)
@settings(max_examples=25, deadline=None)
def test_the_fast_engine_finds_the_rules_of_the_plain_one(
    votes, abstain, problem, smoothing, start, unknown, shrinkage, search
):
    data, weights, single = problem
    agree(
        data,
        weights,
        rounds=12,
        votes=votes,
        abstain=abstain,
        smoothing=smoothing,
        start=start if single else "uniform",
        unknown=unknown,
        shrinkage=shrinkage,
        **search,
    )


RECOMPUTED = (
    {"algorithm": "mr", "votes": "real"},
    {"algorithm": "mr", "votes": "discrete"},
    {"algorithm": "m2"},
    {"algorithm": "adaboost-r"},
    {"algorithm": "logistic"},
    {"algorithm": "logistic-codes"},
    {"algorithm": "oc"},
    {"algorithm": "ecoc"},
    {"algorithm": "mh", "resample": True},
    {"algorithm": "mh", "alpha": "numeric", "abstain": True},
)
"""Settings whose weights are not updated by rules; searches for their rules are compiled."""


@needs_numba
@pytest.mark.parametrize("choices", RECOMPUTED, ids=lambda c: "-".join(map(str, c.values())))
@given(
    problem=problems(),
    unknown=st.sampled_from(["abstains", "votes"]),
    search=st.sampled_from([{}, {"term_fraction": 0.4}, {"rarity": 1.5, "reuse": 0.5}]),
    threads=st.sampled_from([1, 3]),
)
@settings(max_examples=8, deadline=None)
def test_compiled_searches_find_the_rules_of_the_plain_engine(
    choices, problem, unknown, search, threads
):
    data, weights, single = problem
    if not single and ALGORITHMS[choices["algorithm"]].one_label:
        sets = Lists.of(
            [
                [int(labels[0]) if len(labels) else 0]
                for labels in map(data[1].__getitem__, range(len(data[1])))
            ]
        )
        data = (data[0], sets, data[2])
    choices = {**choices, **search, "rounds": 8, "unknown": unknown}
    plain, expected = boosted(data, weights, "plain", **choices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choose, "SMALL", -1)
        fast, made = boosted(data, weights, "auto", threads, **choices)
    assert isinstance(fast._engine, RecomputingEngine)
    assert [r.rule.condition for r in made] == [r.rule.condition for r in expected]
    for ours, theirs in zip(made, expected, strict=True):
        np.testing.assert_array_equal(ours.rule.votes, theirs.rule.votes)
    np.testing.assert_array_equal(fast.scores(), plain.scores())
    assert fast.stopped == plain.stopped


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@given(
    problem=problems(),
    start=st.sampled_from(["uniform", "balanced"]),
    unknown=st.sampled_from(["abstains", "votes"]),
    shrinkage=st.sampled_from([1.0, 0.3]),
    search=st.sampled_from(
        [
            {},
            {"term_fraction": 0.4},
            {"rarity": 1.5, "reuse": 0.5},
            {"prior_rule": True},
            {"terms": 3},
        ]
    ),
)
@settings(max_examples=15, deadline=None)
def test_rules_of_one_label_are_those_of_the_plain_engine(
    votes, abstain, problem, start, unknown, shrinkage, search
):
    data, weights, single = problem
    fast, made = agree(
        data,
        weights,
        algorithm="mp",
        rounds=12,
        votes=votes,
        abstain=abstain,
        unknown=unknown,
        start=start if single else "uniform",
        shrinkage=shrinkage,
        **search,
    )
    assert type(fast._engine) is by_label.LabelEngines
    again = Booster(*data, weights, fast.settings, "incremental", threads=3)
    known = made[: len(made) // 2]
    rules = [rule for r in known for rule in r.rules]
    replayed = list(again.rounds(rules, [len(r.rules) for r in known]))
    assert [(r.z, [rule.condition for rule in r.rules]) for r in replayed] == [
        (r.z, [rule.condition for rule in r.rules]) for r in made
    ]
    assert np.array_equal(again.scores(), fast.scores())
    assert np.array_equal(again.weights(), fast.weights())


@needs_numba
@given(
    problem=problems(),
    prior=st.booleans(),
    unknown=st.sampled_from(["abstains", "votes"]),
    shrinkage=st.sampled_from([1.0, 0.3]),
)
@settings(max_examples=20, deadline=None)
def test_silent_rules_of_logistic_loss_are_those_of_the_plain_engine(
    problem, prior, unknown, shrinkage
):
    data, weights, _ = problem
    agree(
        data,
        weights,
        algorithm="logistic",
        abstain=True,
        rounds=12,
        prior_rule=prior,
        unknown=unknown,
        shrinkage=shrinkage,
    )


@needs_numba
@pytest.mark.parametrize(("single", "rounds"), [(True, 2000), (False, 1000)])
def test_the_fast_engine_follows_the_plain_one_for_thousands_of_rounds(single, rounds):
    rng = np.random.default_rng(5)
    data = corpus(rng, 300, 4, 40, 0.1, single)
    agree(data, np.ones(300), rounds=rounds)


@needs_numba
@pytest.mark.parametrize("name", ["trec6", "semeval2018-ec-en", "debian-section-en"])
def test_the_fast_engine_follows_the_plain_one_on_real_texts(data_dir, name):
    with gzip.open(data_dir / name / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in islice(lines, 1000)]
    labels = sorted({label for record in records for label in record["labels"]})
    documents = [Document(r["id"], {"text": r["text"]}, tuple(r["labels"])) for r in records]
    features = extract(documents, TextSettings(counts=(1, 2)), ["text"])
    sets = Lists.of([[labels.index(label) for label in r["labels"]] for r in records])
    agree((features, sets, len(labels)), np.ones(len(records)), rounds=200)


@needs_numba
@pytest.mark.parametrize(
    ("votes", "abstain", "rounds"),
    [
        ("real", False, 10_000),
        ("real", True, 2000),
        ("discrete", False, 2000),
        ("discrete", True, 2000),
    ],
)
def test_separable_data_stay_finite_for_ten_thousand_rounds(votes, abstain, rounds):
    b = bag([("a c", ["x"]), ("b c", ["y"]), ("a d", ["x"]), ("b d", ["z"])])
    data = (b.features, b.label_sets, 3)
    booster, made = boosted(
        data, b.weights, "incremental", rounds=rounds, votes=votes, abstain=abstain
    )
    assert np.isfinite(booster.scores()).all()
    assert np.isfinite(booster.weights()).all()
    assert all(np.isfinite(r.rule.votes).all() and np.isfinite(r.z) for r in made)
    assert booster.weights().sum() == pytest.approx(1)


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@pytest.mark.parametrize("numeric", [0, 1])
def test_threads_do_not_change_a_byte(votes, abstain, numeric, monkeypatch):
    monkeypatch.setattr(threads_module, "SPLIT", 0)
    data = corpus(np.random.default_rng(1), 200, 5, 60, 0.1, False, numeric > 0, numeric)
    choices = {"rounds": 60, "votes": votes, "abstain": abstain}
    one, first = boosted(data, np.ones(200), "incremental", threads=1, **choices)
    for threads in (2, 3, 8):
        many, second = boosted(data, np.ones(200), "incremental", threads=threads, **choices)
        assert_same_bits(one, first, many, second)


@needs_numba
def test_parts_of_a_search_find_what_one_search_of_all_terms_finds(monkeypatch):
    monkeypatch.setattr(threads_module, "SPLIT", 0)
    data = corpus(np.random.default_rng(5), 500, 4, 100, 0.1, False)
    found = []
    for threads in (1, 3):
        booster, _ = boosted(data, np.ones(500), "incremental", threads=threads, rounds=20)
        search = booster._engine.search
        assert search.find(np.ones(len(search.members)), Eligible(0, 1.0))
        changed = search.weights.changes
        search.move(3, search.vote(3))
        search.found.counts[[CHANGED, WORK]] = 0
        misses, expected = search.parts.rows.arrays.misses.copy(), int(changed.count[0])
        search.update()
        assert (search.parts.rows.arrays.misses == misses).all()  # nothing was searched
        assert search.found.counts[CHANGED] == (expected if threads > 1 else 0)
        assert (search.found.counts[WORK] > expected) == (threads > 1)
        found.append([search.found.near_bounds[0], search.parts.rows.arrays.bounds.of_term])
    for one, many in zip(*found, strict=True):
        assert one.tolist() == many.tolist()
        assert one.any()


@needs_numba
@pytest.mark.parametrize("late", [0.001, 0.02, None])
def test_rounds_do_not_wait_for_threads_that_come_late_or_never(late, monkeypatch):
    monkeypatch.setattr(threads_module, "SPLIT", 0)
    begin = threads_module.Worker.begin

    def begin_late(worker, work):
        def wait_first():
            time.sleep(late)
            work()

        if late is not None:
            begin(worker, wait_first)

    monkeypatch.setattr(threads_module.Worker, "begin", begin_late)
    data = corpus(np.random.default_rng(3), 2000, 6, 300, 0.05, False)
    one, first = boosted(data, np.ones(2000), "incremental", threads=1, rounds=300)
    many, second = boosted(data, np.ones(2000), "incremental", threads=3, rounds=300)
    assert_same_bits(one, first, many, second)


@needs_numba
@pytest.mark.parametrize("rounds", [1, 30, 79])
def test_replaying_leaves_the_bits_of_finding(rounds, monkeypatch):
    monkeypatch.setattr(weights_module, "LASTS", 25)
    data = corpus(np.random.default_rng(2), 150, 4, 50, 0.1, True, True, 1)
    whole, made = boosted(data, np.ones(150), "incremental", rounds=80)
    known = [r.rule for r in made[:rounds]]
    resumed, again = boosted(data, np.ones(150), "incremental", replay=known, rounds=80)
    assert_same_bits(whole, made, resumed, again)


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
def test_scores_and_weights_are_those_of_the_rounds_so_far(votes, abstain):
    """Though several are learned at once."""
    features, sets, k = corpus(np.random.default_rng(8), 80, 3, 30, 0.1, False)
    choices = BoostingSettings(rounds=30, votes=votes, abstain=abstain)
    fast, plain = (
        Booster(features, sets, k, np.ones(80), choices, engine)
        for engine in ("incremental", "plain")
    )
    waiting = set()
    for ours, theirs in zip(fast.rounds(), plain.rounds(), strict=True):
        assert ours.rule.condition == theirs.rule.condition
        np.testing.assert_allclose(fast.scores(), plain.scores(), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fast.weights(), plain.weights(), rtol=1e-7, atol=1e-12)
        waiting.add(len(fast._engine._played))
    assert max(waiting) > 1


def assert_same_bits(one, first, other, second):
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        assert a.rule.condition == b.rule.condition
        assert (a.rule.votes.tobytes(), a.z, a.gain) == (b.rule.votes.tobytes(), b.z, b.gain)
    assert one.scores().tobytes() == other.scores().tobytes()
    assert one.weights().tobytes() == other.weights().tobytes()


@needs_numba
def test_no_round_allocates_terms_x_labels():
    rng = np.random.default_rng(3)
    m, k, terms = 400, 60, 4000
    data = corpus(rng, m, k, terms // 2, 0.01, True)
    features, sets, _ = data
    booster = Booster(features, sets, k, np.ones(m), BoostingSettings(rounds=120), "incremental")
    made = booster.rounds()
    for _ in range(80):  # by then all that win or nearly do have rows
        next(made)
    tracemalloc.start()
    for _ in made:
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(features.yes) * k * 4  # the least: one float32 each


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
def test_rows_that_find_no_room_only_cost_time(votes, abstain, monkeypatch):
    data = corpus(np.random.default_rng(4), 150, 5, 60, 0.1, False, True)
    choices = {"rounds": 60, "votes": votes, "abstain": abstain}
    roomy, made = boosted(data, np.ones(150), "incremental", **choices)
    monkeypatch.setattr(rows, "MOST_BYTES", 0)
    without, again = boosted(data, np.ones(150), "incremental", **choices)
    assert_same_bits(roomy, made, without, again)


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
def test_rows_given_up_early_and_often_only_cost_time(votes, abstain, monkeypatch):
    data = corpus(np.random.default_rng(4), 150, 5, 60, 0.1, False, True)
    choices = {"rounds": 60, "votes": votes, "abstain": abstain}
    lasting, made = boosted(data, np.ones(150), "incremental", **choices)
    for name, value in (("CHECK_AFTER", 3), ("RECENT", 1), ("MANY_UNUSED", 0)):
        monkeypatch.setattr(rows, name, value)
    fleeting, again = boosted(data, np.ones(150), "incremental", **choices)
    assert_same_bits(lasting, made, fleeting, again)


@needs_numba
@pytest.mark.parametrize("deep", [1e-300, 1.0])
def test_weights_that_move_far_are_looked_at_and_computed_anew_if_deep(deep, monkeypatch):
    """A separable corpus with hardly any smoothing, whose votes are as great as they get."""
    monkeypatch.setattr(weights_module, "MOST_SPREAD", 30)
    monkeypatch.setattr(weights_module, "DEEP", deep)
    features, label_sets, k = corpus(np.random.default_rng(5), 120, 3, 30, 0.2, True)
    agree((features, label_sets, k), np.ones(120), rounds=200, smoothing=1e-9)


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@pytest.mark.parametrize("k", [2, 7])
def test_sums_of_thresholds_that_find_no_room_only_cost_time(votes, abstain, k, monkeypatch):
    data = corpus(np.random.default_rng(6), 150, k, 20, 0.1, False, True, 2)
    choices = {"rounds": 60, "votes": votes, "abstain": abstain, "unknown": "votes"}
    roomy, made = boosted(data, np.ones(150), "incremental", **choices)
    assert roomy._engine.search.parts.thresholds is not None
    monkeypatch.setattr(thresholds, "MOST_BYTES", 0)
    without, again = boosted(data, np.ones(150), "incremental", **choices)
    assert without._engine.search.parts.thresholds is None
    assert_same_bits(roomy, made, without, again)


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
def test_bounds_from_running_sums_are_hardly_above_the_gains_of_thresholds(votes, abstain):
    data = corpus(np.random.default_rng(8), 150, 3, 20, 0.1, False, True, 3)
    booster, _ = boosted(data, np.ones(150), "incremental", rounds=40, votes=votes, abstain=abstain)
    search = booster._engine.search
    numbers = np.arange(search.members.listed, len(search.members), dtype=np.int32)
    infinite, alike = np.full(len(numbers), np.inf), np.ones(len(search.members))
    found, bounds = search._with_closer(numbers[::-1], infinite, alike)
    assert found.tolist() == numbers.tolist()
    gains = np.array([search.exact(j)[1] for j in numbers.tolist()])
    assert gains.max() > 1e-3
    assert (bounds >= gains).all()
    assert (bounds < gains + 1e-6).all()  # weights of almost 0 enter as roots
    assert np.median(bounds - gains) < 1e-12


@needs_numba
def test_few_of_many_similar_thresholds_are_summed_when_gains_are_small(monkeypatch):
    rng = np.random.default_rng(9)
    y, m = rng.integers(0, 2, 20_000), 20_000
    values = {f"n{c}": y * 0.3 + rng.normal(size=m) for c in range(3)}
    features = features_of([set()] * m, numeric=list(values.items()))
    summed = []
    exact = Search.exact
    monkeypatch.setattr(Search, "exact", lambda self, j: summed.append(j) or exact(self, j))
    data = features, Lists.of([[int(label)] for label in y]), 2
    _, made = boosted(data, np.ones(m), "incremental", rounds=300, bins=255, abstain=True)
    assert len(made) == 300
    assert len(summed) < 8 * len(made)  # 550 a round by the rows alone


@needs_numba
@pytest.mark.parametrize(("k", "single"), [(2, True), (3, False), (9, False)])
def test_sums_told_of_changes_alone_are_those_counted_anew(k, single):
    data = corpus(np.random.default_rng(7), 150, k, 20, 0.1, single, True, 2)
    booster, _ = boosted(data, np.ones(150), "incremental", rounds=40)
    engine = booster._engine
    engine.search.update()
    kept = engine.search.parts.thresholds
    updated = kept.blocks.sums.copy()
    kept.renew(engine.search.parts.weights)
    assert updated.any()
    np.testing.assert_array_equal(updated, kept.blocks.sums)


@needs_numba
@given(problem=problems(), form=st.sampled_from(FORMS))
@settings(max_examples=20, deadline=None)
def test_hamming_loss_is_below_the_product_of_z_in_every_round(problem, form):
    """SS99 Theorem 3, with weighted examples; a score of 0 counts as loss."""
    (features, sets, k), weights, _ = problem
    signs = np.full((len(sets), k), -1)
    signs[np.repeat(np.arange(len(sets)), np.diff(sets.starts)), sets.items] = 1
    share = (weights / weights.sum() / k)[:, None]
    choices = BoostingSettings(votes=form[0], abstain=form[1], rounds=10)
    booster = Booster(features, sets, k, weights, choices, "incremental")
    for made in booster.rounds():
        assert (share * (signs * booster.scores() <= 0)).sum() <= made.bound * (1 + 1e-9)
        assert made.z <= 1 + 1e-9


def test_auto_takes_the_plain_engine_where_numba_is_missing(monkeypatch):
    monkeypatch.setattr(choose, "notice", lambda: "numba cannot be imported")
    monkeypatch.setattr(choose, "SMALL", 0)
    booster, made = boosted(CLEAR, np.ones(2), "auto", rounds=2)
    assert len(made) == 2
    assert type(booster._engine) is PlainEngine


@needs_numba
def test_auto_goes_by_the_work_and_not_by_the_threads(monkeypatch):
    def engine(threads):
        return type(boosted(CLEAR, np.ones(2), "auto", threads, rounds=2)[0]._engine)

    assert engine(1) is engine(8) is PlainEngine
    monkeypatch.setattr(choose, "SMALL", 0)
    assert engine(1) is engine(8) is IncrementalEngine


@needs_numba
def test_auto_counts_conditions_and_not_only_their_documents(monkeypatch):
    features, _, k = CLEAR
    monkeypatch.setattr(choose, "SMALL", int(features.yes.starts[-1]) * k * 2)
    assert type(boosted(CLEAR, np.ones(2), "auto", rounds=2)[0]._engine) is IncrementalEngine


def test_asking_for_the_fast_engine_without_numba_says_what_to_do(monkeypatch):
    monkeypatch.setattr(layout, "compiled", lambda function: None)
    monkeypatch.setattr(layout, "notice", lambda: "numba cannot be imported (no such file)")
    with pytest.raises(SettingsError, match=r"no such file.*use --engine plain"):
        boosted(CLEAR, np.ones(2), "incremental", rounds=2)


@pytest.mark.parametrize("algorithm", ["mr", "logistic", "adaboost-r", "m1", "oc"])
def test_the_fast_engine_is_refused_where_weights_change_everywhere(algorithm):
    with pytest.raises(SettingsError, match=f"--engine incremental does not go with {algorithm}"):
        boosted(CLEAR, np.ones(2), "incremental", rounds=2, algorithm=algorithm)


def test_importing_the_engines_does_not_import_numba():
    code = "import boostext.boosting.rounds, sys; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_bound_on_a_label_holds():
    """h(p, q) = 1 - sqrt((1-p)(1-q)) - sqrt(pq) <= min(p + q, (p + q)/2 (1 + max(p, q)))."""
    p, q = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 1, 401))
    h = 1 - np.sqrt((1 - p) * (1 - q)) - np.sqrt(p * q)
    assert (h <= np.minimum(p + q, (p + q) / 2 * (1 + np.maximum(p, q))) + 1e-15).all()


@needs_numba
@pytest.mark.parametrize(("votes", "abstain"), FORMS)
@pytest.mark.parametrize("k", [1, 2])
def test_the_engines_agree_where_every_example_has_the_same_label(votes, abstain, k):
    """No label ever turns, so all of e falls, round by round; 1e-9: in great steps."""
    features, _, _ = corpus(np.random.default_rng(1), 60, 2, 20, 0.4, True)
    data = features, Lists.of([[0]] * 60), k
    for smoothing in ("1/m", 1e-9):
        choices = {"rounds": 150, "smoothing": smoothing, "votes": votes, "abstain": abstain}
        agree(data, np.ones(60), **choices)


MOST = [
    gains.most,
    gains.most_abstaining,
    gains.most_discrete,
    gains.most_discrete_abstaining,
]


def bounds_and_gain(form, neg, pos, inside, per_weight, common):
    """What the documents `inside` gain at least and at most by their row, and in 64 bits.

    neg, pos: (m, k) e of the pairs by sign; per_weight: (2, k); common: (k,) scores of all.
    """
    table, wide = "float64[:, ::1]", "float32[:, ::1]"
    scale_rows = compiled(
        gains.row_scales, f"int64, {table}, {table}, {table}, {wide}, uint32[:, ::1]"
    )
    most = compiled(
        MOST[form], f"uint32[:, :, ::1], int64, int32, uint32[:, ::1], {wide}, {wide}, float64"
    )
    at_least = compiled(
        gains.at_least, f"int64, uint32[:, ::1], int64, float64, {table}, {table}, {table}"
    )
    gain = compiled(gains.gain_of_sums, f"int64, {table}, {table}, {table}")
    k = neg.shape[1]
    padded = weights_module.padded(k)
    sums = np.stack([neg.sum(axis=0), pos.sum(axis=0)])
    scales = np.stack([np.exp(common), np.exp(-common)])
    scales /= (sums * scales).sum()
    scale, counts = np.zeros((2, padded), np.float32), np.zeros((2, padded), np.float32)
    least, row = np.zeros((2, padded), np.uint32), np.zeros((1, 2, padded), np.uint32)
    scale_rows(form, sums, scales, per_weight, scale, least)
    base = gains.nowhere(form, sums, scales)
    for sign, e in enumerate((neg, pos)):
        counts[sign, :k] = (e > 0).sum(axis=0)
        row[0, sign, :k] = np.floor(e[inside] * per_weight[sign]).sum(axis=0)
    within = np.stack([neg[inside].sum(axis=0), pos[inside].sum(axis=0)])
    highest = most(row, 0, len(inside), least, counts, scale, base)
    lowest = at_least(form, row[0], len(inside), base, sums, scales, per_weight)
    return lowest, gain(form, within, sums, scales), highest


@needs_numba
@pytest.mark.parametrize("form", range(4))
@given(
    seed=st.integers(0, 2**32),
    k=st.sampled_from([1, 3, 8, 20, 736]),
    spread=st.sampled_from([0.0, 1.0, 5.0, 20.0]),
    fallen=st.sampled_from([0.0, 1.0, 8.0]),
    moved=st.sampled_from([0.0, 2.0, 10.0]),
)
@settings(max_examples=25, deadline=None)
def test_what_a_term_gains_is_within_the_bounds_of_its_row(form, seed, k, spread, fallen, moved):
    """Also of labels whose weight has fallen far, or grown to what 32 bits hold (ROOM is 3.5)."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 60))
    right = rng.random((m, k)) < rng.choice([0.05, 0.5, 0.95])
    e = np.exp(rng.normal(0, spread, (m, k)) + rng.normal(0, spread, k))
    e /= e.sum()
    neg, pos = np.where(right, 0, e), np.where(right, e, 0)
    sums = np.stack([neg.sum(axis=0), pos.sum(axis=0)])
    left = np.maximum(np.exp(rng.normal(0, fallen, k)), 1 / ROOM)
    grid = STEPS / np.maximum(sums * left, 1e-250)
    G = rng.normal(0, moved, k) if form in (0, 2) else np.zeros(k)
    inside = rng.choice(m, int(rng.integers(1, m + 1)), replace=False)
    least, gain, most = bounds_and_gain(form, neg, pos, inside, grid, G)
    assert least <= gain <= most


@needs_numba
@pytest.mark.parametrize("form", range(4))
def test_no_row_forgets_many_small_labels_beside_great_ones(form):
    """Eight labels have most of the weight; 728 others add less than float32 tells from 0, each."""
    share = np.where(np.arange(736) < 8, 0.1, 1e-8)
    right = np.arange(40)[:, None] < 20
    e = np.random.default_rng(0).uniform(0.3, 1, (40, 736)) * share
    e /= e.sum()
    neg, pos = np.where(right, 0, e), np.where(right, e, 0)
    grid = STEPS / np.stack([neg.sum(axis=0), pos.sum(axis=0)])
    least, gain, most = bounds_and_gain(form, neg, pos, np.arange(20), grid, np.zeros(736))
    assert least <= gain <= most
    assert least > 0.99 * gain  # and the bound says something


@pytest.mark.skipif(sys.platform == "win32", reason="Windows counts page faults in another way")
def test_temporary_arrays_of_the_plain_engine_stay_in_memory():
    import resource

    data = corpus(np.random.default_rng(0), 300, 20, 2500, 0.02, True)
    booster = Booster(*data, np.ones(300), BoostingSettings(rounds=20), "plain")
    rounds = booster.rounds()
    next(rounds)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    made = sum(1 for _ in rounds)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 200 * made
