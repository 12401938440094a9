"""Every measure against its definition, an independent program, and scikit-learn."""

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.evaluation.gold import Gold, gold_of
from boostext.evaluation.measures import MEASURES, Monitor, Scored, monitored
from boostext.model.predict import greatest
from boostext.settings import MONITORS
from tests.evaluation import slow

GOLDEN = ("one-error", "hamming-loss", "ranking-loss", "coverage", "average-precision")


def scored(scores, sets, multilabel=True):
    """sets: lists of label numbers; those past the scores are unknown to the model."""
    scores = np.array(scores, float)
    count = max([scores.shape[1], *(label + 1 for row in sets for label in row)])
    gold = Gold(tuple(map(str, range(count))), scores.shape[1], Lists.of(sets))
    decided = scores > 0 if multilabel else greatest(scores)
    return Scored(scores, gold, decided, multilabel)


def value(name, *args, **kwargs):
    return MEASURES[name].value(scored(*args, **kwargs))


@pytest.mark.parametrize("corpus", ["single", "multi", "binary"])
def test_measures_agree_with_an_independent_program(golden_dir, corpus):
    golden = json.loads((golden_dir / f"{corpus}.golden.json").read_text(encoding="utf-8"))
    lines = (golden_dir / f"{corpus}.jsonl").read_text(encoding="utf-8").splitlines()
    gold = gold_of(golden["labels"], (json.loads(line)["labels"] for line in lines))
    runs = [run for run in golden["runs"].values() if "metrics" in run]
    assert len(runs) >= 9
    for run in runs:
        scores = np.array(run["scores"])
        wanted = {name: run["metrics"][name.replace("-", "_")] for name in GOLDEN}
        for multilabel, called in ((True, scores > 0), (False, greatest(scores))):
            parts = Scored(scores, gold, called, multilabel)
            found = {name: MEASURES[name].value(parts) for name in GOLDEN}
            assert found == pytest.approx(wanted, rel=1e-9)


# Few distinct scores, so that ties abound; sets may be empty, full, or hold unknown labels.
cases = st.integers(1, 5).flatmap(
    lambda k: st.lists(
        st.tuples(
            st.lists(st.sampled_from([-1.0, -0.25, 0.0, 0.5, 2.0]), min_size=k, max_size=k),
            st.sets(st.integers(0, k + 1)),
        ),
        min_size=1,
        max_size=8,
    )
)


@given(cases, st.booleans())
@settings(max_examples=80, deadline=None)
def test_measures_agree_with_their_definitions(rows, multilabel):
    scores, sets = [f for f, _ in rows], [y for _, y in rows]
    parts = scored(scores, map_sorted(sets), multilabel)
    decided = [set(np.flatnonzero(row).tolist()) for row in parts.given]
    wanted = {
        "one-error": slow.one_error(scores, sets),
        "coverage": slow.coverage(scores, sets),
        "average-precision": slow.average_precision(scores, sets),
        "ranking-loss": slow.ranking_loss(scores, sets),
        # by the sign of the score, for one label too
        "hamming-loss": slow.hamming_loss(
            len(scores[0]), [set(np.flatnonzero(np.array(f) > 0).tolist()) for f in scores], sets
        ),
        "subset-accuracy": slow.mean([d == y for d, y in zip(decided, sets, strict=True)]),
        "macro-f1": slow.macro_f1(decided, sets),
        "log-loss": slow.log_loss(scores, sets),
        "brier": slow.brier(scores, sets),
    }
    found = {name: MEASURES[name].value(parts) for name in wanted}
    assert found == pytest.approx(wanted, rel=1e-9, nan_ok=True)


def map_sorted(sets):
    return [sorted(y) for y in sets]


@given(cases, st.booleans(), st.integers(0, 8))
@settings(max_examples=50, deadline=None)
def test_pieces_add_up_to_the_whole(rows, multilabel, cut):
    scores, sets = [f for f, _ in rows], map_sorted([y for _, y in rows])
    whole = scored(scores, sets, multilabel)
    k = len(scores[0])
    parts = [
        scored(np.reshape(scores[a:b], (-1, k)), sets[a:b], multilabel).tally()
        for a, b in ((0, cut), (cut, None))
    ]
    for measure in MEASURES.values():
        together = measure.value(parts[0] + parts[1])
        assert together == pytest.approx(measure.value(whole), rel=1e-9, nan_ok=True)


def random_case(seed, m=60, k=7):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(m, k))
    true = rng.random((m, k)) < 0.3
    true[np.arange(m), rng.integers(0, k - 1, m)] = True  # sklearn wants a label everywhere
    true[:, -1] = False
    return scores, true


@pytest.mark.parametrize("seed", range(3))
def test_measures_agree_with_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    scores, true = random_case(seed)
    parts = scored(scores, [np.flatnonzero(row) for row in true])
    given = scores > 0
    wanted = {
        "hamming-loss": metrics.hamming_loss(true, given),
        "subset-accuracy": metrics.accuracy_score(true, given),
        "ranking-loss": metrics.label_ranking_loss(true, scores),
        "coverage": metrics.coverage_error(true, scores) - 1,  # there counted from 1
        "average-precision": metrics.label_ranking_average_precision_score(true, scores),
    }
    for average in ("micro", "macro"):
        rates = metrics.precision_recall_fscore_support(
            true, given, average=average, zero_division=0
        )
        names = (f"{average}-precision", f"{average}-recall", f"{average}-f1")
        wanted |= dict(zip(names, rates[:3], strict=True))
    found = {name: MEASURES[name].value(parts) for name in wanted}
    assert found == pytest.approx(wanted, rel=1e-9)


# What the definitions leave open -------------------------------------------------------------


def test_error_of_one_label_is_about_the_greatest_score_alone():
    scores = [[-2.0, -1.0], [3.0, 1.0]]  # none above 0; both above 0
    assert value("error", scores, [[1], [0]], multilabel=False) == 0.0
    assert value("error", scores, [[1], [0]], multilabel=True) == 1.0


def test_a_tie_is_a_misordering_but_ranks_in_label_order():
    assert value("ranking-loss", [[0.5, 0.5]], [[0]]) == 1.0
    assert value("coverage", [[0.5, 0.5]], [[0]]) == 0.0
    assert value("average-precision", [[0.5, 0.5]], [[0]]) == 1.0
    assert value("one-error", [[0.5, 0.5]], [[0]]) == 0.0


def test_examples_without_labels_are_left_out_of_one_error():
    parts = scored([[1.0, -1.0], [1.0, -1.0]], [[], [1]])
    assert MEASURES["one-error"].value(parts) == 1.0
    assert parts.decided.examples - parts.decided.labelled == 1


def test_measures_of_nothing_are_unknown():
    for name, measure in MEASURES.items():
        found = measure.value(scored(np.zeros((0, 3)), []))
        assert found == 0.0 if name.startswith("micro") else math.isnan(found)


def test_unknown_labels_are_misses():
    parts = scored([[1.0, -1.0], [1.0, -1.0]], [[0], [2]])
    found = {name: MEASURES[name].value(parts) for name in MEASURES}
    assert found["error"] == found["one-error"] == 0.5
    assert found["subset-accuracy"] == 0.5
    # true positives 1; one false positive and one miss
    assert found["micro-precision"] == found["micro-recall"] == 0.5
    assert found["macro-f1"] == pytest.approx((2 / 3 + 0) / 2)
    # the second example has 2 wrong of 3 pairs
    assert found["hamming-loss"] == pytest.approx(2 / 5)
    assert parts.decided.strange == {"2": 1}
    assert parts.decided.strange_examples == 1


def test_extreme_scores_have_finite_log_loss():
    with np.errstate(over="raise", invalid="raise"):
        assert value("log-loss", [[1e4, -1e4]], [[1]]) == pytest.approx(2e4)


def test_ece_is_zero_where_chances_come_true():
    # 1/(1 + exp(-2 f)) = 3/4 for f = ln(3)/2, and three of four come true
    f = math.log(3) / 2
    scores, sets = [[f, -f]] * 4, [[0], [0], [0], [1]]
    assert value("ece", scores, sets, multilabel=False) == pytest.approx(0.0, abs=1e-12)
    assert value("ece", scores, sets, multilabel=True) == pytest.approx(0.0, abs=1e-12)
    assert value("ece", scores, [[0]] * 4, multilabel=False) == pytest.approx(0.25)


def test_measures_without_probabilities_are_unknown():
    gold = gold_of(["a", "b"], [["a"]])
    shares = np.array([[0.7, 0.3]])
    parts = Scored(shares, gold, greatest(shares), multilabel=False, link=0.0)
    assert all(math.isnan(MEASURES[name].value(parts)) for name in ("log-loss", "brier", "ece"))
    assert MEASURES["error"].value(parts) == 0.0


def test_labels_that_repeat_in_a_record_count_once():
    gold = gold_of(["a", "b"], [["b", "new", "b", "new"]])
    assert gold.labels == ("a", "b", "new")
    assert gold.sets[0].tolist() == [1, 2]
    assert gold.matrix.tolist() == [[False, True]]


def test_many_labels_cost_no_square():
    """200 x 20,000 takes about 2 s; comparing all pairs of labels takes some hundred times that."""
    rng = np.random.default_rng(0)
    parts = scored(rng.normal(size=(200, 20_000)), rng.integers(0, 20_000, (200, 1)))
    start = time.process_time()
    parts.tally()
    assert time.process_time() - start < 30


# Monitoring ----------------------------------------------------------------------------------


@pytest.mark.parametrize("multilabel", [True, False])
@pytest.mark.parametrize("name", MONITORS)
def test_a_monitor_follows_its_measure(name, multilabel):
    scores, true = random_case(5)
    sets = [np.flatnonzero(row) for row in true]
    monitor = Monitor(name, scored(scores, sets).gold, multilabel)
    for shift in (0.0, 0.5):
        assert monitor.value(scores + shift) == value(name, scores + shift, sets, multilabel)


def test_better_is_greater_for_f1_and_less_for_losses():
    gold = gold_of(["a"], [["a"]])
    f1, loss = Monitor("micro-f1", gold, True), Monitor("log-loss", gold, True)
    assert f1.is_better(0.6, 0.5)
    assert not f1.is_better(0.5, 0.5)
    assert loss.is_better(0.4, 0.5)
    assert not loss.is_better(math.nan, 0.5)


def test_auto_is_error_or_micro_f1():
    assert monitored("auto", multilabel=False) == "error"
    assert monitored("auto", multilabel=True) == "micro-f1"
    assert monitored("coverage", multilabel=True) == "coverage"
