"""A loss and a weak learner are added as docs/developing.md says: by the public tables alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import boostext
from boostext.algorithms import ALGORITHMS, LEARNER_SETTINGS
from boostext.arrays import Lists
from boostext.boosting.growers import GROWERS, Grower
from boostext.boosting.growers.state import helps
from boostext.boosting.losses import LOSSES, Loss, Weighing, every_pair
from boostext.boosting.rounds import Booster
from boostext.errors import SettingsError
from boostext.features.conditions import Occurs
from boostext.settings import BoostingSettings
from tests.boosting.bags import features_of

DOCUMENTS = [{"a", "c"}, {"a"}, {"b", "c"}, {"b"}, {"a", "b"}]
SETS = Lists.of([[0], [0], [1], [1], [0]])


def squared_hinge(scores, signs, base, rng):
    """D ~ base (1 - Y f) where that is positive: far from a factor for each block."""
    short = np.maximum(1 - signs * scores, 0) + 1e-9
    D = base * short
    return Weighing(D / D.sum(), float(np.log((base * short**2).sum())))


def shortest_list(state, number):
    """The helpful condition of fewest documents."""
    members = state.members
    sizes = -np.array([float(len(members.yes(j))) for j in range(members.listed)])
    for j in np.argsort(-sizes, kind="stable").tolist():
        growth = state.grown(j)
        if helps(growth.gain):
            return growth
    return None


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.setitem(LOSSES, "squared hinge", Loss(every_pair, squared_hinge))
    row = replace(ALGORITHMS["logistic"], loss="squared hinge")  # settings know the names
    monkeypatch.setitem(ALGORITHMS, "logistic", row)
    monkeypatch.setitem(GROWERS, "shortest", Grower(shortest_list))
    monkeypatch.setitem(LEARNER_SETTINGS, "shortest", ())
    monkeypatch.setitem(ALGORITHMS, "mp", replace(ALGORITHMS["mp"], learners=("shortest",)))


def booster(engine="auto", **choices):
    settings = BoostingSettings(rounds=4, **choices)
    return Booster(features_of(DOCUMENTS), SETS, 2, np.ones(5), settings, engine)


@pytest.mark.usefixtures("tables")
def test_a_loss_of_ones_own_is_learned_by_its_own_weights():
    made = booster(algorithm="logistic")
    rounds = list(made.rounds())
    signs = np.where(np.eye(2)[SETS.items] > 0, 1, -1)
    D = np.maximum(1 - signs * made.scores(), 0) + 1e-9
    assert made.weights() == pytest.approx(D / D.sum())
    mh = list(booster(algorithm="mh").rounds())
    assert rounds[0].rule.votes == pytest.approx(mh[0].rule.votes)  # the same weights at first
    assert not np.allclose(made.weights(), np.exp(-signs * made.scores()) / 10, atol=1e-3)


@pytest.mark.usefixtures("tables")
def test_an_engine_that_does_not_know_a_loss_refuses_it():
    with pytest.raises(SettingsError, match="--engine incremental does not go with logistic"):
        booster("incremental", algorithm="logistic", abstain=True)


@pytest.mark.usefixtures("tables")
def test_a_weak_learner_of_ones_own_places_the_rules():
    made = next(booster(algorithm="mp").rounds())
    assert made.rule.condition == Occurs("text", ("c",))  # in two documents, the others in three
    assert next(booster(algorithm="mh").rounds()).rule.condition == Occurs("text", ("a",))
    assert made.places == ()


def test_the_page_names_what_there_is():
    folder = Path(boostext.__file__).parent
    page = (folder.parent / "docs" / "developing.md").read_text(encoding="utf-8")
    for name in ("rounds", "losses", "gains", "votes", "engines/weights"):
        assert f"`boostext/boosting/{name}.py`" in page
        assert (folder / "boosting" / f"{name}.py").is_file()
