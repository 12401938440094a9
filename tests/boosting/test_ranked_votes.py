"""Real votes for the ranking loss, beside a slow minimization over all pairs of labels."""

from itertools import product
from math import cosh, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from boostext.boosting.ranked_votes import newton
from boostext.boosting.rounds import Booster
from boostext.settings import BoostingSettings
from tests.boosting import papers
from tests.boosting.bags import bag

SMOOTHING = 0.01


@st.composite
def corpora(draw):
    """Some examples with several labels, with none, with all; some words say something."""
    k, m = draw(st.integers(2, 4)), draw(st.integers(3, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    records = []
    for _ in range(m):
        labels = [label for label in range(k) if rng.random() < 0.4]
        words = [
            f"w{label}" for label in range(k) if rng.random() < (0.7 if label in labels else 0.2)
        ]
        records.append((" ".join(words), [str(label) for label in labels]))
    records += [("", [str(label)]) for label in range(k)]
    return records


def boosted(b, **choices):
    chosen = BoostingSettings(
        **{"algorithm": "mr", "votes": "real", "smoothing": SMOOTHING, "rounds": 3, **choices}
    )
    booster = Booster(b.features, b.label_sets, len(b.labels), b.weights, chosen)
    return booster, list(booster.rounds())


def pairs_of(b, k):
    """D1(i, l0, l1) = 1 / (m |Y| |not Y|) over examples with crucial pairs. SS99 Figure 5."""
    sets = [set(labels.tolist()) for labels in b.label_sets]
    mattering = [i for i, s in enumerate(sets) if 0 < len(s) < k]
    return {
        (i, l0, l1): 1 / (len(mattering) * len(sets[i]) * (k - len(sets[i])))
        for i in mattering
        for l0, l1 in product(range(k), range(k))
        if l0 not in sets[i] and l1 in sets[i]
    }


NEAR = 1e-6
"""Bounds on Z so far apart may be equal: BFGS finds votes of later rounds no nearer than this."""


def slow(documents, b, k, rounds):
    """AdaBoost.MR of Figure 5 with h(x, l) = c of x's block and l: the condition whose bound on Z
    is least, 2 sum sqrt(W+ W-) with W of d(i, l); votes of least Z, smoothed, by BFGS. Of each
    round: the condition's name, votes, Z, and the names of conditions whose bounds are as low.
    """
    D, made, out = pairs_of(b, k), papers.conditions(documents), []
    for _ in range(rounds):
        d = {}
        for (i, l0, l1), w in D.items():
            for pair in ((i, l0, -1), (i, l1, 1)):
                d[pair] = d.get(pair, 0) + w / 2
        bounds = [bound(blocks, d, k) for _, blocks in made]
        if 1 - min(bounds, default=1) <= 1e-11:  # without a word there is no condition
            break
        least_bound = min(bounds) + NEAR
        name, blocks = made[next(j for j, z in enumerate(bounds) if z <= min(bounds) + 1e-12)]
        c = {
            block: least({p: w for p, w in D.items() if blocks[p[0]] == block}, k)
            for block in ("no", "yes")
        }
        D = {
            (i, l0, l1): w * exp((c[blocks[i]][l0] - c[blocks[i]][l1]) / 2)
            for (i, l0, l1), w in D.items()
        }
        z = sum(D.values())
        D = {p: w / z for p, w in D.items()}
        near = {n for (n, _), z_bound in zip(made, bounds, strict=True) if z_bound < least_bound}
        out.append((name, c, z, near))
    return out


def bound(blocks, d, k):
    W = {(b, s, label): 0.0 for b in papers.BLOCKS for s in (-1, 1) for label in range(k)}
    for (i, label, s), w in d.items():
        W[blocks[i], s, label] += w
    return 2 * sum(
        sqrt(W[b, 1, label] * W[b, -1, label]) for b in papers.BLOCKS for label in range(k)
    )


def least(pairs, k):
    def value(c):
        inside = sum(w * exp((c[l0] - c[l1]) / 2) for (_, l0, l1), w in pairs.items())
        return log(inside + 2 * SMOOTHING * sum(map(cosh, c)))

    return minimize(value, np.zeros(k), method="BFGS", options={"gtol": 1e-9}).x


@given(corpora())
@example([("", []), ("", ["0"]), ("", ["1"])])
@settings(max_examples=25, deadline=None)
def test_rules_are_those_of_the_slow_program(records):
    b = bag(records)
    k = len(b.labels)
    _, made = boosted(b)
    expected = slow([set(text.split()) for text, _ in records], b, k, 3)
    assert len(made) == len(expected)
    for ours, (name, c, z, near) in zip(made, expected, strict=True):
        if ours.rule.condition.term[0] != name:  # a tie, as far as BFGS tells; what follows differs
            assert ours.rule.condition.term[0] in near
            return
        np.testing.assert_allclose(ours.rule.votes[1:], [c["no"], c["yes"]], atol=2e-5)
        assert ours.z == pytest.approx(z, rel=1e-6)


@given(corpora())
@settings(max_examples=15, deadline=None)
def test_the_ranking_loss_stays_below_the_product_of_z(records):
    """SS99 Theorem 6, over examples that have crucial pairs."""
    b = bag(records)
    gold = np.zeros((len(records), len(b.labels)), bool)
    for i, labels in enumerate(b.label_sets):
        gold[i, labels] = True
    matter = gold.any(axis=1) & ~gold.all(axis=1)
    for way in ("newton", "bound"):
        booster, made = boosted(b, alpha=way)
        f = booster.scores()
        lost = [(f[i][~gold[i]][:, None] >= f[i][gold[i]]).mean() for i in np.flatnonzero(matter)]
        if made:
            assert np.mean(lost) <= made[-1].bound * (1 + 1e-9)


@given(corpora())
@settings(max_examples=30, deadline=None)
def test_newton_is_never_worse_than_the_bound(records):
    newtons, bounds = (boosted(bag(records), alpha=way, rounds=1)[1] for way in ("newton", "bound"))
    assert len(newtons) == len(bounds)
    for ours, theirs in zip(newtons, bounds, strict=True):
        e = SMOOTHING * np.cosh(ours.rule.votes[1:]).sum() * 2
        other = SMOOTHING * np.cosh(theirs.rule.votes[1:]).sum() * 2
        assert ours.z + e <= (theirs.z + other) * (1 + 1e-12)


@given(st.integers(0, 2**32), st.integers(2, 30), st.sampled_from([0.0, 1e-9, 1e-3, 1.0]))
@settings(max_examples=20, deadline=None)
def test_the_gradient_is_gone_whatever_the_pairs(seed, k, smoothing):
    """Also where pairs all go one way, and the least of F without smoothing is at infinity."""
    rng = np.random.default_rng(seed)
    w = rng.random((k, k)) * (rng.random((k, k)) < 0.3) * 10.0 ** rng.integers(-12, 1, (k, k))
    np.fill_diagonal(w, 0)
    c = newton(w, rng.normal(size=k), smoothing)
    E, e = w * np.exp((c[:, None] - c) / 2), max(smoothing, 1e-15)
    gradient = (E.sum(axis=1) - E.sum(axis=0)) / 2 + 2 * e * np.sinh(c)
    assert np.abs(gradient).max() <= 1e-6 * (E.sum() + 2 * e * np.cosh(c).sum())


def test_two_labels_have_the_votes_of_mh():
    """One pair an example: the loss is that of its margin; votes differ by sign alone."""
    b = bag([("a", ["x"])] * 5 + [("a", ["y"])] * 2 + [("", ["y"])] * 4 + [("", ["x"])])
    _, (ours,) = boosted(b, rounds=1, smoothing=0)
    half = 0.5 * log(5 / 2)
    np.testing.assert_allclose(ours.rule.votes[2], [half, -half], rtol=1e-7)
