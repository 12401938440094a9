"""Golden values, computed from the papers' formulas by a slow program of its own."""

import json
from itertools import product

import numpy as np
import pytest

from boostext.algorithms import ALGORITHMS
from boostext.boosting.codings import COLORINGS, DECODINGS
from boostext.boosting.engines.choose import ENGINES
from boostext.boosting.rounds import Booster
from boostext.compiled import notice
from boostext.features.conditions import NO, YES
from boostext.settings import BoostingSettings
from tests.boosting.bags import bag

MH = {
    "mh-real": {},
    "mh-abstain": {"abstain": True},
    "mh-discrete": {"votes": "discrete"},
    "mh-discrete-abstain": {"votes": "discrete", "abstain": True},
    "mh-real-balanced-init": {"start": "balanced"},
}
CRITERION = {
    "mh-discrete": lambda gain: np.sqrt(1 - (1 - gain) ** 2),  # r, as Z = sqrt(1 - r^2)
}


def golden_run(golden_dir, corpus, run):
    """The corpus as a bag, and what is expected of the run, with its number of rounds and e."""
    golden = json.loads((golden_dir / f"{corpus}.golden.json").read_text("utf-8"))
    if run not in golden["runs"]:
        pytest.skip(f"{corpus} has no run {run}: it needs one label per document")
    text = (golden_dir / f"{corpus}.jsonl").read_text("utf-8")
    records = [(d["text"], d["labels"]) for d in map(json.loads, text.splitlines())]
    expected = golden["runs"][run]
    common = {"rounds": golden["rounds"], "smoothing": golden["smoothing"]}
    return bag(records), expected, common


def boost(b, engine, **choices):
    settings = BoostingSettings(**choices)
    booster = Booster(
        b.features, b.label_sets, len(b.labels), b.weights, settings, engine, labels=b.labels
    )
    return booster, list(booster.rounds())


def agree(made, expected):
    """Terms and votes, in order."""
    assert [r.rule.condition.term[0] for r in made] == [r["term"] for r in expected["rules"]]
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.rule.votes[NO] == pytest.approx(theirs["absent"], rel=1e-9, abs=1e-9)
        assert ours.rule.votes[YES] == pytest.approx(theirs["present"], rel=1e-9, abs=1e-9)


@pytest.fixture(params=sorted(ENGINES))
def engine(request):
    if request.param != "plain" and notice():
        pytest.skip(notice())
    return request.param


CORPORA = ("single", "multi", "binary")


@pytest.mark.parametrize(("corpus", "run"), list(product(CORPORA, MH)))
def test_mh_reaches_the_golden_values(golden_dir, corpus, run, engine):
    b, expected, common = golden_run(golden_dir, corpus, run)
    booster, made = boost(b, engine, **common, **MH[run])
    agree(made, expected)
    criterion = CRITERION.get(run, lambda gain: 1 - gain)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.z == pytest.approx(theirs["z"], rel=1e-9)
        assert criterion(ours.gain) == pytest.approx(theirs["criterion"], rel=1e-9)
        assert ours.rule.alpha == pytest.approx(theirs["alpha"], rel=1e-9)
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)
    if "weights" in expected:
        np.testing.assert_allclose(booster.weights(), expected["weights"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("corpus", "alpha"), list(product(CORPORA, ("bound", "exact", "numeric"))))
def test_mr_reaches_the_golden_values(golden_dir, corpus, alpha):
    """The least ranking loss along h is where the exact alpha puts it: numeric equals exact."""
    run = "mr-discrete-bound" if alpha == "bound" else "mr-discrete-exact"
    b, expected, common = golden_run(golden_dir, corpus, run)
    booster, made = boost(b, "plain", algorithm="mr", alpha=alpha, **common)
    agree(made, expected)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.z == pytest.approx(theirs["z"], rel=1e-9)
        r = np.sqrt(1 - (1 - ours.gain) ** 2)  # gain = 1 - sqrt(1 - r^2)
        assert r == pytest.approx(theirs["criterion"], rel=1e-9)
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("corpus", "abstain"), list(product(CORPORA, (False, True))))
def test_logistic_reaches_the_golden_values(golden_dir, corpus, abstain):
    run = "logistic-abstain" if abstain else "logistic-real"
    b, expected, common = golden_run(golden_dir, corpus, run)
    booster, made = boost(b, "plain", algorithm="logistic", abstain=abstain, **common)
    agree(made, expected)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.bound * np.log(2) == pytest.approx(theirs["loss"], rel=1e-9)
        assert 1 - ours.gain == pytest.approx(theirs["criterion"], rel=1e-9)
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("corpus", CORPORA)
def test_adaboost_r_reaches_the_golden_values(golden_dir, corpus):
    b, expected, common = golden_run(golden_dir, corpus, "adaboost-r")
    booster, made = boost(b, "plain", algorithm="adaboost-r", **common)
    agree(made, expected)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.rule.alpha == pytest.approx(theirs["alpha"], rel=1e-9)
        assert ours.z == pytest.approx(np.sqrt(1 - theirs["mu"] ** 2), rel=1e-9)
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(booster.weights(), expected["weights"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("corpus", ["single", "binary"])
def test_mo_reaches_the_golden_values(golden_dir, corpus, engine):
    b, expected, common = golden_run(golden_dir, corpus, "mo-real")
    rows = [
        f"{label}=" + "".join("+" if s > 0 else "-" for s in row)
        for label, row in zip(b.labels, expected["code"], strict=True)
    ]
    common["smoothing"] = "ss99"  # 1/(2mk') of the code's own columns, as the run was made
    booster, made = boost(b, engine, algorithm="mo", code=tuple(rows), **common)
    agree(made, expected)
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.z == pytest.approx(theirs["z"], rel=1e-9)
    f = booster.scores()
    np.testing.assert_allclose(f, expected["scores"], rtol=1e-9, atol=1e-9)
    hamming = DECODINGS["hamming"](f, booster.code)
    assert (hamming == expected["hamming_distance"]).all()
    loss = DECODINGS["loss"](f, booster.code)
    np.testing.assert_allclose(np.exp(loss), expected["loss"], rtol=1e-9)
    for values, name in ((hamming, "predicted_hamming"), (loss, "predicted_loss")):
        assert [b.labels[i] for i in values.argmin(axis=1)] == expected[name]


@pytest.mark.parametrize("corpus", ["single", "binary"])
def test_oc_reaches_the_golden_values(golden_dir, corpus, monkeypatch):
    b, expected, common = golden_run(golden_dir, corpus, "oc")
    given = iter([r["coloring"] for r in expected["rules"]])
    monkeypatch.setitem(
        COLORINGS, "random", lambda confusion, rng: np.where(next(given), 1, -1).astype(np.int8)
    )
    booster, made = boost(b, "plain", algorithm="oc", **common)
    assert [r.rule.condition.term[0] for r in made] == [r["term"] for r in expected["rules"]]
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.rule.alpha == pytest.approx(theirs["alpha"], rel=1e-9)
        for block, name in ((NO, "absent"), (YES, "present")):
            plausible = np.array(theirs["coloring"]) == theirs[name]
            np.testing.assert_allclose(
                ours.rule.votes[block], theirs["alpha"] * plausible, rtol=1e-9
            )
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("corpus", ["single", "binary"])
def test_m1_reaches_the_golden_values(golden_dir, corpus):
    """On `single` no word is right for half of the documents: M1 stops before its first rule."""
    b, expected, common = golden_run(golden_dir, corpus, "m1")
    booster, made = boost(b, "plain", algorithm="m1", **common)
    assert [r.rule.condition.term[0] for r in made] == [r["term"] for r in expected["rules"]]
    for ours, theirs in zip(made, expected["rules"], strict=True):
        assert ours.rule.alpha == pytest.approx(theirs["alpha"], rel=1e-9)
        assert ours.rule.votes[NO].argmax() == theirs["absent"]
        assert ours.rule.votes[YES].argmax() == theirs["present"]
    np.testing.assert_allclose(booster.scores(), expected["scores"], rtol=1e-9, atol=1e-9)
    if corpus == "single":
        assert booster.stopped == ALGORITHMS["m1"].stops
