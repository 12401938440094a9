"""Similarities of documents, against all pairs of them and plain greedy choice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boostext.arrays import Lists
from boostext.reports.similarity import ALIKE, Similarity

WORDS = 301


def yes_of(documents):
    return Lists.of(
        [i for i, some in enumerate(documents) if word in some] for word in range(WORDS)
    )


def unit_rows(documents):
    counts = np.diff(yes_of(documents).starts)
    weights = np.log(len(documents) / np.maximum(counts, 1))
    rows = np.array([[weights[w] if w in some else 0 for w in range(WORDS)] for some in documents])
    return rows / np.maximum(np.sqrt((rows**2).sum(axis=1, keepdims=True)), 1e-12)


def test_near_duplicates_are_those_of_all_pairs():
    draws = np.random.default_rng(3)
    words = [set(draws.zipf(1.2, 40).clip(max=300).tolist()) for _ in range(60)]
    documents = [some ^ {int(draws.integers(300))} for some in words for _ in range(3)] + [set()]
    similar, rows = Similarity(yes_of(documents), len(documents)), unit_rows(documents)
    found = 0
    for i in range(len(documents)):
        others = set(np.flatnonzero(rows @ rows[i] >= ALIKE).tolist()) - {i}
        assert set(similar.near(i).tolist()) == others
        found += len(others)
    assert found > 20


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 50))
def test_each_choice_raises_the_sum_most(seed, m, count):
    draws = np.random.default_rng(seed)
    documents = [set(draws.integers(0, 30, draws.integers(1, 8)).tolist()) for _ in range(m)]
    among = np.flatnonzero(draws.random(m) < 0.8)
    weights = draws.random(len(among))
    chosen = Similarity(yes_of(documents), m).covering(among, weights, count)
    assert len(set(chosen)) == len(chosen) == min(count, len(among))
    rows = unit_rows(documents)[among]
    similarities = rows @ rows.T
    np.fill_diagonal(similarities, 1.0)
    covered = np.zeros(len(among))
    for document in chosen:
        gains = np.maximum(similarities - covered, 0) @ weights
        place = int(np.searchsorted(among, document))
        assert gains[place] >= gains.max() - 1e-8
        covered = np.maximum(covered, similarities[place])


def test_a_choice_represents_heavy_groups_first():
    documents = [{1, 2}, {1, 3}, {1, 4}, {5, 6}, {5, 7}, {8}]
    similar = Similarity(yes_of(documents), len(documents))
    everyone, ones = np.arange(6), np.ones(6)
    assert similar.covering(everyone, ones, 3) == [3, 0, 5]
    assert similar.covering(everyone, np.array([1.0, 1, 1, 1, 1, 9]), 2) == [5, 3]
    assert similar.covering(everyone, np.array([1.0, 1, 1, 0, 0, 0]), 3) == [0, 1, 2]
    assert similar.covering(everyone[:0], ones[:0], 2) == []
    assert sorted(similar.covering(everyone, ones, 9)) == everyone.tolist()
