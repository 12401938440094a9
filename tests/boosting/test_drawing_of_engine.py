"""The round that the docstring of the incremental engine shows in numbers."""

import re

import numpy as np
import pytest

from boostext.arrays import Lists
from boostext.boosting.engines import incremental
from boostext.boosting.engines.kernels_terms import ALL
from boostext.boosting.gains import nowhere, roof
from boostext.boosting.rounds import Booster
from boostext.boosting.rules import Place
from boostext.compiled import notice
from boostext.features.conditions import Occurs
from boostext.settings import BoostingSettings
from tests.boosting.bags import features_of

pytestmark = pytest.mark.skipif(bool(notice()), reason=notice())


def shown(start):
    """The numbers of the line of the docstring that starts so."""
    lines = [line.strip() for line in incremental.__doc__.splitlines()]
    (line,) = [line for line in lines if re.match(rf"{start}\b", line)]
    return [float(number) for number in re.findall(r"-?\d+\.\d+", line)]


def same(start, *values):
    assert shown(start) == pytest.approx(
        np.concatenate([np.atleast_1d(v) for v in values]), abs=6e-4
    )


def test_the_docstring_shows_a_round():
    features = features_of([{"x", "y"}, {"x"}, {"y"}])
    settings = BoostingSettings(rounds=1, smoothing=1 / 6)
    sets = Lists.of([[0], [0], [1]])
    booster = Booster(features, sets, 2, np.ones(3), settings, "incremental")
    engine = booster._engine
    weights, bounds = engine.search.parts.weights.arrays, engine.search.parts.bounds.arrays
    e = weights.neg.copy()
    e[[0, 1, 2], sets.items] = weights.pos
    for i in range(3):
        same(str(i + 1), e[i], bounds.of_document[i] / ALL)
    base = nowhere(0, weights.sums, weights.scales)
    share = np.sqrt(2) / 6  # of either label: sqrt(1/3 x 1/6)
    for t, (name, gain) in enumerate([("x", 1.0), ("y", 1 / 3)]):
        (bound,) = bounds.of_term[engine.search.terms.numbers == t] / ALL
        W = engine.block_weights(Place((), t))
        made = ((np.sqrt(W[:, 1]) - np.sqrt(W[:, 0])) ** 2).sum()
        assert made == pytest.approx(gain)
        same(name, bound, roof(0, bound, base, 0.0, share), made)
    (made,) = booster.rounds()
    assert made.rule.condition == Occurs("text", ("x",))
    same("with x", made.rule.votes[2])
    same("without", made.rule.votes[1])
    same("after it", weights.neg[2, 0], weights.pos[2], made.z)
    same("scales", weights.scales[:, 0], weights.scales[:, 1])
    assert weights.neg[:2, 1].tolist() == e[:2, 1].tolist()
