"""Threads that share work: whatever happens, no part is lost, mixed up or left running."""

import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from boostext.boosting.engines import threads as threads_module
from boostext.boosting.engines.arrays import OVER
from boostext.boosting.engines.kernels_turns import EACH, in_order
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


def test_parts_cover_all_terms_once_by_their_work():
    made = threads_of(2)
    for clock in range(1, 200):
        made.deal(clock, 1, np.zeros(50, np.int32), 0.1, 0)
        assert made.ranges[0][0] == 0
        assert made.ranges[-1][1] == 100
        assert all(a[1] == b[0] for a, b in pairwise(made.ranges))
    # the 50 terms with rows have nearly all the work, and each thread a large part of it first
    assert made.ranges[3][1] < 50
    assert made.turns().ranges.tolist() == [0, *(high for _, high in made.ranges)]


def assisting(made):
    """Return the numbers of the threads that take part."""
    begun, ready = [], threading.Semaphore(0)

    def assist(thread, turns):
        begun.append(thread)
        ready.release()
        while not turns.state[OVER, 0]:
            time.sleep(0.001)

    with made.sharing(assist):
        while ready.acquire(timeout=0.2):
            pass
    return sorted(begun)


def test_threads_share_searches_only_if_these_are_usually_much_work():
    made, rows = threads_of(3), np.zeros(50, np.int32)
    for clock in range(1, 300):
        made.deal(clock, 1, rows, 0.1, 2 * SPLIT if clock % 3 == 0 else 0)
    assert assisting(made) == []
    for clock in range(300, 480, 20):
        made.deal(clock, 20, rows, 0.1, 2 * SPLIT)
    assert assisting(made) == [1, 2]


@pytest.mark.parametrize(("alone", "together"), [(2.0, 1.0), (1.0, 2.0)])
def test_searches_are_shared_only_while_that_is_faster(alone, together, monkeypatch):
    made, rows, clock, times = threads_of(2), np.zeros(50, np.int32), 0.0, []
    monkeypatch.setattr(threads_module.time, "perf_counter", lambda: clock)
    for searches in range(1, 200):
        assisted = []
        with made.sharing(lambda thread, turns, to=assisted: to.append(thread)):
            shares = made._assisted
            clock += together if shares else alone
        times.append(shares)
        made.deal(searches, 1, rows, 0.1, 2 * SPLIT)
    faster = together < alone
    assert times[:2] == [False, True]  # each is tried at first
    assert times[20:].count(faster) > 0.9 * len(times[20:])
    assert times[20:].count(not faster) >= 10


def test_while_threads_share_searches_other_work_does_not_wait_for_them():
    made, rows = threads_of(2), np.zeros(50, np.int32)
    made.deal(1, 1, rows, 0.1, 2 * SPLIT)

    def assist(thread, turns):
        while not turns.state[OVER, 0]:
            time.sleep(0.001)

    def interrupt(low, high):
        raise KeyboardInterrupt

    with made.sharing(assist):
        assert made._assisted
        assert made.at_once(lambda low, high: threading.get_ident(), PARTS) == [
            threading.get_ident()
        ] * len(PARTS)
        with pytest.raises(KeyboardInterrupt):
            made.at_once(interrupt, PARTS)
    assert made.at_once(lambda low, high: low, PARTS) == list(range(20))


def test_an_error_of_a_thread_that_takes_part_leaves_it_alive():
    made, rows = threads_of(2), np.zeros(50, np.int32)
    made.deal(1, 1, rows, 0.1, 2 * SPLIT)

    def fail(thread, turns):
        raise MemoryError

    for _ in range(3):
        with made.sharing(fail):
            pass
    met = set()
    for _ in range(50):
        met.update(made.at_once(lambda low, high: time.sleep(1e-3) or threading.get_ident(), PARTS))
    assert len(met) == 2


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_each_thread_begins_with_its_own_parts_and_takes_all(threads):
    parts = EACH * threads
    for thread in range(threads):
        order = [in_order(turn, thread, parts) for turn in range(parts)]
        assert sorted(order) == list(range(parts))
        assert order[:EACH] == [EACH * thread + part for part in range(EACH)]
        assert order[EACH] % EACH == EACH - 1  # the smallest part of another thread


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_threads_that_take_part_are_told_when_searches_are_over(error):
    made, told = threads_of(2), []

    def fail():
        with made.sharing(lambda thread, turns: None) as turns:
            told.append(turns)
            raise error

    with pytest.raises(error):
        fail()
    assert told[0].state[OVER, 0] == 1
