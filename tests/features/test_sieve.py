"""Pairs of tokens that cannot reach min_df take no memory worth mentioning."""

import random
import tracemalloc

import pytest

from boostext.compiled import notice
from boostext.features.compiled_terms import CompiledCounter
from boostext.features.terms import PlainCounter
from boostext.settings import TextSettings

needs_numba = pytest.mark.skipif(bool(notice()), reason=notice())
RARE = TextSettings(ngrams=(1, 2), min_df=3)


def texts(documents, tokens=100, words=2000):
    """Any word follows any other: nearly all pairs are met once."""
    draw = random.Random(0)
    return [" ".join(f"w{draw.randrange(words)}" for _ in range(tokens)) for _ in range(documents)]


def counted(counter, found):
    for text in found:
        counter.add(text)
    return counter.finish(3)


@needs_numba
def test_pairs_met_once_take_no_place_in_tables():
    found = texts(4000)
    counted(CompiledCounter(RARE), found)  # compile all that it takes, whose memory does not count
    tracemalloc.start()
    terms = counted(CompiledCounter(RARE), found)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pairs = 4000 * 99
    # 4 bytes a place for each step, two to four for counts, and the postings of words; a table
    # with room for all pairs has 88 bytes or more for each
    assert peak < 30 * pairs
    assert len(terms) > 2000


@needs_numba
def test_what_is_sifted_out_is_what_the_plain_counter_leaves_out():
    found = texts(300, tokens=60, words=150)
    fast, plain = (counted(kind(RARE), found) for kind in (CompiledCounter, PlainCounter))
    assert len(fast) == len(plain) > 150

    def spelled(terms):
        return {terms.spell(t): int(terms.frequency[t]) for t in range(len(terms))}

    assert spelled(fast) == spelled(plain)
