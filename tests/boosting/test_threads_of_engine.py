"""Ranges of terms in threads: whatever happens, no part is lost, mixed up or left running."""

import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from boostext.boosting.engines.threads import SPLIT, Threads

PARTS = [(i, i + 1) for i in range(20)]


def threads_of(threads):
    return Threads(np.arange(100, 0, -1).astype(np.int32), threads)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 2, 20])
def test_results_are_in_order_whoever_made_them(threads, count):
    made = threads_of(threads)
    for _ in range(50):
        assert made.at_once(lambda low, high: low, PARTS[:count]) == list(range(count))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("failing", [0, 7, 19])
def test_an_error_in_any_part_is_raised_when_no_thread_is_at_work(threads, error, failing):
    made = threads_of(threads)
    working = []

    def work(low, high):
        working.append(low)
        time.sleep(0.001)
        if low == failing:
            working.remove(low)
            raise error("this one")
        working.remove(low)
        return low

    for _ in range(3):
        with pytest.raises(error, match="this one"):
            made.at_once(work, PARTS)
        assert not working
        assert made.at_once(lambda low, high: high, PARTS[:3]) == [1, 2, 3]


def test_ranges_cover_all_terms_once_and_threads_share_them():
    made = threads_of(2)
    met = []

    def work(low, high):
        time.sleep(0.002)
        return low, high, threading.get_ident()

    for clock in range(1, 200):
        made.deal(clock, np.zeros(50, np.int32), 0.1, 0)
        ranges = made.each(work)
        assert ranges[0][0] == 0
        assert ranges[-1][1] == 100
        assert all(a[1] == b[0] for a, b in pairwise(ranges))
        met += [thread for *_, thread in ranges]
    assert len(set(met)) == 2


def test_threads_share_a_search_only_where_it_usually_is_much_work():
    made, rows = threads_of(2), np.zeros(50, np.int32)
    for clock in range(1, 300):
        made.deal(clock, rows, 0.1, 2 * SPLIT if clock % 3 == 0 else 0)
        assert not made.several or clock < 4
    for clock in range(300, 400):
        made.deal(clock, rows, 0.1, 2 * SPLIT)
    assert made.several


def test_who_ends_late_gets_less():
    """Its second half takes ten times as long: the first range grows."""
    made = threads_of(2)

    def work(low, high):
        time.sleep(sum(1e-5 if t < 30 else 1e-4 for t in range(low, high)))
        return low, high

    first = last = 0
    for clock in range(1, 1500, 10):
        made.deal(clock, np.full(50, -1, np.int32), 0.0, 0)
        (_, cut), _ = made.each(work)
        first, last = first or cut, cut
    assert last > first
