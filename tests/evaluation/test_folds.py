"""Folds: shares of labels, groups, seeds, and labels that are too rare."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.errors import SettingsError
from boostext.evaluation.folds import ALWAYS, fold_remarks, make_folds


def per_fold(sets, folds, label):
    """How many examples with the label each fold holds out."""
    return [sum(label in sets[i].tolist() for i in folds.held(f)) for f in range(folds.count)]


def test_each_label_is_dealt_evenly_where_examples_have_one():
    sets = Lists.of([[0]] * 23 + [[1]] * 10 + [[2]] * 7)
    folds = make_folds(sets, 5, seed=0)
    for label in range(3):
        counts = per_fold(sets, folds, label)
        assert max(counts) - min(counts) <= 1
    sizes = [len(folds.held(f)) for f in range(5)]
    assert sizes == [8] * 5


def test_several_labels_are_dealt_more_evenly_than_by_chance():
    rng = np.random.default_rng(0)
    rows = [np.flatnonzero(rng.random(8) < 0.5 / np.arange(1, 9)).tolist() for _ in range(300)]
    sets = Lists.of(rows)
    folds = make_folds(sets, 5, seed=0)
    probability = rng.integers(0, 5, 300)

    def uneven(of):
        # label distribution of Sechidis, Tsoumakas & Vlahavas 2011 s5, without its ratio: distance
        # from the due share
        due = np.array([np.bincount(of, [label in r for r in rows], 5) for label in range(8)])
        return np.abs(due - due.mean(axis=1, keepdims=True)).sum()

    assert uneven(folds.of) < uneven(probability) / 4


def test_examples_of_one_group_are_held_out_together():
    sets = Lists.of([[i % 3] for i in range(60)])
    groups = [f"caller {i // 4}" for i in range(60)]
    folds = make_folds(sets, 4, seed=1, groups=groups)
    by_group = {}
    for group, fold in zip(groups, folds.of, strict=True):
        by_group.setdefault(group, set()).add(int(fold))
    assert all(len(found) == 1 for found in by_group.values())
    assert sorted({int(f) for f in folds.of}) == [0, 1, 2, 3]


def test_examples_without_a_group_stand_alone():
    sets = Lists.of([[0], [1]] * 10)
    folds = make_folds(sets, 5, seed=0, groups=[None] * 20)
    assert [len(folds.held(f)) for f in range(5)] == [4] * 5


def test_the_seed_decides_and_nothing_else():
    sets = Lists.of([[i % 2] for i in range(40)])
    assert (make_folds(sets, 5, 3).of == make_folds(sets, 5, 3).of).all()
    assert (make_folds(sets, 5, 3).of != make_folds(sets, 5, 4).of).any()


def test_the_only_example_of_a_label_is_learned_from_in_every_fold_and_told():
    sets = Lists.of([[0]] * 9 + [[1]])
    folds = make_folds(sets, 3, seed=0)
    assert folds.of[9] == ALWAYS
    told = list(fold_remarks(("often", "once"), sets, folds))
    assert "'once' (1)" in told[0]
    assert "1 label with fewer documents than there are folds (3)" in told[0]
    assert "1 document with labels" in told[1]


@given(
    st.lists(st.sets(st.integers(0, 4), max_size=3), min_size=6, max_size=40),
    st.integers(2, 4),
    st.integers(0, 5),
)
def test_every_label_can_be_learned_in_every_fold(rows, count, seed):
    sets = Lists.of(map(sorted, rows))
    try:
        folds = make_folds(sets, count, seed)
    except SettingsError as error:
        assert "hold out nothing" in str(error)  # noqa: PT017 - small data may not go so far
        return
    every = {label for row in rows for label in row}
    for fold in range(count):
        learned = {label for i in folds.learned(fold) for label in rows[i]}
        assert learned == every
        assert len(folds.held(fold)) > 0


@pytest.mark.parametrize(
    ("rows", "groups", "message"),
    [
        ([[0]] * 3, None, "folds is 5, but there are 3 documents"),
        ([[0]] * 9, ["a", "b"] * 4 + ["a"], "folds is 5, but there are 2 groups"),
        ([[i] for i in range(9)], None, "would hold out nothing"),
    ],
)
def test_too_many_folds_are_refused_before_any_training(rows, groups, message):
    with pytest.raises(SettingsError, match=message):
        make_folds(Lists.of(rows), 5, 0, groups)
