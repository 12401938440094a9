"""Thresholds for F-beta and for a precision, against every cut that there is."""

import numpy as np
import pytest

from boostext.arrays import Lists
from boostext.errors import SettingsError
from boostext.evaluation.gold import Gold
from boostext.evaluation.thresholds import tuned_thresholds
from boostext.settings import StopSettings


def case(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(0, 1, (40, 1)), 1)  # with ties
    true = rng.random(40) < 1 / (1 + np.exp(-2 * scores[:, 0]))
    return scores, true, Gold(("a",), 1, Lists.of([0] if t else [] for t in true))


def f_beta(scores, true, cut, beta):
    given = scores[:, 0] > cut
    tp, fp, fn = (given & true).sum(), (given & ~true).sum(), (~given & true).sum()
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("goal", "beta"), [("f1", 1), ("f2", 2), ("f0.5", 0.5)])
def test_no_other_cut_has_a_greater_f(seed, goal, beta):
    scores, true, gold = case(seed)
    (found,) = tuned_thresholds(scores, gold, goal)
    cuts = [*np.unique(scores), scores.min() - 1]
    best = max(f_beta(scores, true, cut, beta) for cut in cuts)
    assert f_beta(scores, true, found, beta) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_the_precision_is_kept_with_the_most_recall(seed):
    scores, true, gold = case(seed)
    (found,) = tuned_thresholds(scores, gold, "precision=0.8")

    def rates(cut):
        given = scores[:, 0] > cut
        return (given & true).sum(), (given & true).sum() / max(given.sum(), 1)

    right, precision = rates(found)
    assert precision >= 0.8
    cuts = [*np.unique(scores), scores.min() - 1]
    assert right == max(r for r, p in map(rates, cuts) if p >= 0.8)


def test_a_precision_out_of_reach_gives_the_label_to_nobody():
    gold = Gold(("a",), 1, Lists.of([[0], []]))
    (found,) = tuned_thresholds(np.array([[0.0], [1.0]]), gold, "precision=0.9")
    assert found > 1.0


@pytest.mark.parametrize("text", ["f", "f0", "recall=0.5", "precision=1.5", "f-1", "precision=0"])
def test_other_goals_are_refused_with_an_example(text):
    with pytest.raises(SettingsError, match=r"precision=0\.9"):
        StopSettings(tune_thresholds=text)
