"""Instructions that kernels have and Python has not, in kernels that several threads run."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from boostext import instructions
from boostext.compiled import compiled, notice
from boostext.instructions import COLUMNS, add, call, fetch, read, write

needs_numba = pytest.mark.skipif(bool(notice()), reason=notice())
TABLE = "int64[:, ::1]"


def count_up(numbers, times):
    for _ in range(times):
        add(numbers, 1, 1)


def relay(numbers, notes, own, threads, times, address):
    """Write a note without care whenever it is this thread's turn, and hand the turn on."""
    for time in range(times):
        while read(numbers, 2) % threads != own:
            call(address)
        turn = read(numbers, 2)
        notes[turn] = notes[turn - 1] + turn if turn > 0 else time
        write(numbers, 2, turn + 1)


def total(table, address):
    """Sum the items of a table, of which each is fetched before it is read."""
    found = 0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            fetch(table, row, column)
            found += table[row, column]
    call(address)
    return found


@pytest.fixture(autouse=True)
def kernels_of_the_package(monkeypatch):
    """A kernel may call functions of its own package alone."""
    for kernel in (count_up, relay, total):
        monkeypatch.setattr(kernel, "__module__", instructions.__name__)


@needs_numba
def test_threads_that_add_to_one_number_lose_nothing():
    numbers, kernel = np.zeros((3, COLUMNS), np.int64), compiled(count_up, f"{TABLE}, int64")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(partial(kernel, numbers), [200_000] * 4))
    assert numbers.sum() == numbers[1, 0] == 800_000


@needs_numba
@pytest.mark.parametrize("threads", [2, 3])
def test_what_was_written_before_a_turn_is_seen_after_it(threads):
    times, address = 2_000, ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value
    numbers, notes = np.zeros((3, COLUMNS), np.int64), np.zeros(threads * times, np.int64)
    kernel = compiled(relay, f"{TABLE}, int64[::1], int64, int64, int64, int64")
    with ThreadPoolExecutor(threads) as pool:
        run = partial(kernel, numbers, notes)
        for done in [pool.submit(run, own, threads, times, address) for own in range(threads)]:
            done.result()
    assert notes.tolist() == np.cumsum(np.arange(threads * times)).tolist()
    assert numbers[2, 0] == threads * times


@needs_numba
def test_fetching_and_calling_change_nothing():
    table, called = np.arange(35, dtype=np.int64).reshape(5, 7), []
    kernel = compiled(total, f"{TABLE}, int64")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: called.append(True) or 0)
    assert kernel(table, 0) == kernel(table, ctypes.cast(function, ctypes.c_void_p).value) == 595
    assert called == [True]
    assert table.tolist() == np.arange(35).reshape(5, 7).tolist()


def test_in_python_they_do_the_same():
    numbers = np.zeros((2, COLUMNS), np.int64)
    write(numbers, 1, 5)
    assert add(numbers, 1, 3) == 5
    assert read(numbers, 1) == 8
    assert numbers.sum() == 8
