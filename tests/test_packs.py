"""Named tuples reach kernels as tables of addresses: each field is read as what it is."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from boostext.compiled import compiled, notice

pytestmark = pytest.mark.skipif(bool(notice()), reason=notice())


class Shelf(NamedTuple):
    table: Annotated[Any, "float64[:, ::1]"]
    factor: float
    twice: bool
    numbers: Annotated[Any, "int32[::1]"]


class Room(NamedTuple):
    times: int
    shelf: Shelf


def total(room: Room) -> float:
    return room.times * room.shelf.factor + room.shelf.numbers[1]


def test_a_named_tuple_may_contain_others():
    from boostext.packs import Packed

    shelf = Shelf(np.zeros((0, 0)), 0.5, False, np.array([1, 2], np.int32))
    assert compiled(total)(Packed(Room(3, shelf))) == 3 * 0.5 + 2


def fill(shelf: Shelf) -> float:
    """numbers count down; the sum of the table, by the factor."""
    numbers, table = shelf.numbers, shelf.table
    total = 0.0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            total += table[row, column]
    for place in range(len(numbers)):
        numbers[place] = len(numbers) - place
    return total * shelf.factor * (2 if shelf.twice else 1)


@pytest.mark.parametrize("twice", [False, True])
def test_a_kernel_reads_and_writes_the_fields_of_a_named_tuple(twice):
    from boostext.packs import Packed

    shelf = Shelf(np.arange(6.0).reshape(2, 3), 0.5, twice, np.zeros(4, np.int32))
    assert compiled(fill)(Packed(shelf)) == 15 * 0.5 * (1 + twice)
    assert shelf.numbers.tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize(
    "table",
    [np.zeros((2, 3), np.float32), np.zeros(6), np.zeros((3, 2)).T],
    ids=["another type", "another shape", "another order"],
)
def test_arrays_of_another_type_are_refused(table):
    from boostext.packs import Packed

    with pytest.raises(TypeError, match="Shelf: float"):
        Packed(Shelf(table, 0.5, False, np.zeros(4, np.int32)))


@pytest.mark.parametrize(
    "argument",
    [
        np.zeros(3, np.float32),
        np.zeros((3, 1)),
        np.zeros(6)[::2],
        np.frombuffer(bytes(24), np.float64),
    ],
    ids=["another type", "another shape", "with gaps", "read only"],
)
def test_kernels_refuse_arrays_of_another_kind(argument):
    assert compiled(add_one, "float64[::1]")(np.zeros(3)) == 3
    with pytest.raises(TypeError, match="where float64"):
        compiled(add_one, "float64[::1]")(argument)


def add_one(numbers):
    for place in range(len(numbers)):
        numbers[place] += 1
    return len(numbers)
