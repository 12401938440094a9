"""Thresholds of numeric columns: exact, or at the quantiles."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.boosting.cuts import cuts
from boostext.boosting.engines import tables
from boostext.boosting.engines.plain import on_grid
from boostext.boosting.membership import Membership
from boostext.boosting.rounds import Booster
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.features.conditions import LOWEST
from boostext.features.matrix import NumericColumn
from boostext.settings import BoostingSettings
from tests.boosting.bags import features_of

VALUES = st.lists(st.sampled_from([*map(float, range(9)), np.nan]), min_size=1, max_size=60)


def column(values):
    return NumericColumn.of("n", np.asarray(values, float))


@given(VALUES, st.integers(2, 12))
def test_bins_keep_some_of_the_exact_thresholds_and_all_where_there_is_room(values, bins):
    exact, binned = cuts(column(values)), cuts(column(values), bins=bins)
    assert set(binned.thresholds) <= set(exact.thresholds)
    assert sorted(set(binned.thresholds)) == binned.thresholds.tolist()
    assert len(binned) <= bins - 1
    assert bool(len(binned)) == bool(len(exact))
    if len(exact) < bins:
        assert binned.thresholds.tolist() == exact.thresholds.tolist()
        assert binned.first.tolist() == exact.first.tolist()


def test_bins_hold_about_as_many_documents_each():
    rng = np.random.default_rng(0)
    found = cuts(column(rng.exponential(size=1000)), bins=8)
    assert found.first.tolist() == [125, 250, 375, 500, 625, 750, 875]


def test_of_two_places_as_near_to_a_quantile_the_lower_is_taken():
    assert cuts(column([0, 1, 1, 2]), bins=2).first.tolist() == [1]  # quantile 2 is at 1 and 3


def test_a_word_has_a_condition_that_it_is_there():
    word = NumericColumn("heard:a", np.array([1, 3], np.int32), np.array([2.0, 2.0]), 5, True)
    found = cuts(word)
    assert (found.thresholds.tolist(), found.first.tolist()) == ([LOWEST], [0])
    assert found.unknown.tolist() == [0, 2, 4]


@pytest.mark.parametrize("piece", [1 << 15, 600])
@pytest.mark.parametrize("part", [slice(None), slice(1, None, 3), slice(0)])
def test_sums_of_columns_are_those_of_each_threshold_to_the_last_bit(part, piece, monkeypatch):
    """Also where values are missing, and where pieces are smaller than columns."""
    monkeypatch.setattr(tables, "PIECE", piece)
    rng = np.random.default_rng(1)
    values = np.where(rng.random((40, 60)) < 0.4, np.nan, rng.integers(0, 9, (40, 60)))
    values[3] = np.nan
    features = features_of([set()] * 60, numeric=[(f"n{i}", row) for i, row in enumerate(values)])
    members, documents = Membership(features), np.arange(60)[part]
    flat = on_grid(rng.random((60, 2, 3)) ** 9).reshape(60, 6)
    inside = np.zeros_like(flat)
    inside[documents] = flat[documents]
    search = tables.Tables(members, 3)
    found = list(search.cut_tables(flat, documents, inside.sum(axis=0)))
    expected = search.of(inside, np.arange(len(members)))
    sizes = [len(table) for _, table in found]
    assert [start for start, _ in found] == [0, *np.cumsum(sizes)[:-1]]
    assert (len(found) == 1) == (piece == 1 << 15)
    np.testing.assert_array_equal(np.concatenate([table for _, table in found]), expected)


def drawn(m, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, m)
    features = features_of([set()] * m, numeric=[("n", y + rng.normal(size=m))])
    return features, Lists.of([[int(label)] for label in y]), 3, np.ones(m)


@pytest.mark.parametrize("engine", ["plain", "incremental"])
def test_enough_bins_give_the_very_rules_without_bins(engine):
    if engine != "plain" and notice():
        pytest.skip(notice())
    data = drawn(200)
    runs = [
        [
            (r.rule.condition, r.rule.votes.tolist(), r.z)
            for r in Booster(*data, BoostingSettings(rounds=15, bins=bins), engine).rounds()
        ]
        for bins in (0, 200)
    ]
    assert runs[0] == runs[1]


def test_bins_spare_memory():
    data = drawn(50_000)
    list(Booster(*data, BoostingSettings(rounds=1, bins=64), "plain").rounds())  # what is imported
    peaks = []
    for bins in (0, 64):
        tracemalloc.start()
        list(Booster(*data, BoostingSettings(rounds=2, bins=bins), "plain").rounds())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < min(peaks[0], 15.2e6)  # half of what exact thresholds once took


def test_one_bin_is_refused():
    with pytest.raises(SettingsError, match="bins is 1, which no threshold makes"):
        BoostingSettings(bins=1).check()
