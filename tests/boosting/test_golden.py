"""Golden values, computed from the papers' formulas by a slow program of its own."""

import json
from itertools import product

import numpy as np
import pytest

from boostext.boosting.rounds import ENGINES, Booster
from boostext.features.conditions import NO, YES
from boostext.settings import BoostingSettings
from tests.boosting.bags import bag

RUNS = {
    "mh-real": {},
    "mh-abstain": {"abstain": True},
    "mh-discrete": {"votes": "discrete"},
    "mh-discrete-abstain": {"votes": "discrete", "abstain": True},
    "mh-real-balanced-init": {"start": "balanced"},
}
CRITERION = {
    "mh-discrete": lambda gain: np.sqrt(1 - (1 - gain) ** 2),  # r, as Z = sqrt(1 - r^2)
}


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    return request.param


@pytest.mark.parametrize(("corpus", "run"), list(product(("single", "multi", "binary"), RUNS)))
def test_reaches_the_golden_values(golden_dir, corpus, run, engine):
    golden = json.loads((golden_dir / f"{corpus}.golden.json").read_text("utf-8"))
    if run not in golden["runs"]:
        pytest.skip(f"{corpus} has no run {run}: it needs one label per document")
    expected = golden["runs"][run]
    text = (golden_dir / f"{corpus}.jsonl").read_text("utf-8")
    records = [(d["text"], d["labels"]) for d in map(json.loads, text.splitlines())]
    b = bag(records)
    settings = BoostingSettings(rounds=golden["rounds"], smoothing=golden["smoothing"], **RUNS[run])
    booster = Booster(b.features, b.label_sets, len(b.labels), b.weights, settings, engine)
    made = list(booster.rounds())

    assert [r.rule.condition.term[0] for r in made] == [r["term"] for r in expected["rules"]]
    criterion = CRITERION.get(run, lambda gain: 1 - gain)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.rule.votes[NO] == pytest.approx(theirs["absent"], rel=1e-9, abs=1e-9)
        assert ours.rule.votes[YES] == pytest.approx(theirs["present"], rel=1e-9, abs=1e-9)
        assert ours.z == pytest.approx(theirs["z"], rel=1e-9)
        assert criterion(ours.gain) == pytest.approx(theirs["criterion"], rel=1e-9)
        assert ours.rule.alpha == pytest.approx(theirs["alpha"], rel=1e-9)
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)
    if "weights" in expected:
        np.testing.assert_allclose(booster.weights(), expected["weights"], rtol=1e-9, atol=1e-12)
