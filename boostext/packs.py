"""What kernels take: the types of their arguments, and named tuples of arrays as one pointer."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable
from struct import Struct
from typing import Any, NamedTuple, get_type_hints


class Bitcode(NamedTuple):
    """A kernel as LLVM's own code, which is the same for all processors of one kind.

    name: the symbol of its function. result: the type of the result, as numba writes it.
    """

    name: str
    result: str
    content: bytes


class Code(NamedTuple):
    """The machine code of a kernel.

    name, result: as in Bitcode. needs: the names of the functions that it calls and does not
    contain. content: an object file.
    """

    name: str
    result: str
    needs: tuple[str, ...]
    content: bytes


def kinds_of(function: Any, signature: str) -> list[Any]:
    """Return the type of each argument: a name in numba's notation, or a class of NamedTuple."""
    if signature:
        return re.split(r",\s*(?![^\[]*\])", signature)
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    return [kind_of(hint) for hint in hints.values()]


NUMBERS = {int: "int64", float: "float64", bool: "boolean"}


def kind_of(hint: Any) -> Any:
    """Return the type that an annotation stands for, as in `kinds_of`."""
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[0]
    return hint if hasattr(hint, "_fields") else NUMBERS[hint]


def called(function: Any) -> dict[str, Any]:
    """Return the functions of this package that a kernel calls, by their names in the kernel."""
    scope = function.__globals__
    room = function.__module__.partition(".")[0]
    return {
        name: scope[name]
        for name in function.__code__.co_names
        if isinstance(scope.get(name), types.FunctionType)
        and scope[name].__module__.partition(".")[0] == room
    }


SLOTS = 4
"""Integers in the table of `Packed` for each field.

They are the address and the shape of an array, the address of the table of a named tuple, or a
number.
"""
UNUSED = (0,) * SLOTS
AS_FLOAT, AS_INTEGER = Struct("d"), Struct("q")


@functools.cache
def array_kind(kind: str) -> tuple[Any, int]:
    """Return dtype and number of dimensions of an array type such as "uint32[:, ::1]"."""
    import numpy as np

    scalar, _, dimensions = kind.partition("[")
    return np.dtype("bool" if scalar == "boolean" else scalar), dimensions.count(",") + 1


class Packed:
    """A named tuple as one pointer to a table of addresses and shapes, as kernels take it.

    It is valid as long as the arrays are not moved or freed. pack: packs the named tuples in the
    fields, which may have been packed before. address: that of the table. Raises TypeError if an
    array has another type than the annotation.
    """

    __slots__ = ("_inner", "address", "arrays", "table")

    def __init__(self, arrays: Any, pack: Callable[[Any], Packed] | None = None) -> None:
        import numpy as np

        self.arrays = arrays
        kinds = fields(type(arrays)).values()  # type: ignore[arg-type]
        self._inner: list[Packed] = []
        rows: list[tuple[int, ...]] = []
        for value, kind in zip(arrays, kinds, strict=True):
            if not isinstance(kind, str):
                inner = (pack or Packed)(value)
                self._inner.append(inner)
                row: tuple[int, ...] = (inner.address,)
            elif "[" in kind:
                wanted = array_kind(kind)
                if (value.dtype, value.ndim) != wanted or not value.flags.c_contiguous:
                    name = type(arrays).__name__
                    raise TypeError(f"{name}: {value.dtype} where {kind} belongs")
                row = (value.__array_interface__["data"][0], *value.shape)
            elif kind == "float64":
                row = AS_INTEGER.unpack(AS_FLOAT.pack(value))
            else:
                row = (int(value),)
            rows.append(row + UNUSED[len(row) :])
        self.table = np.array(rows, np.int64)
        self.address: int = self.table.__array_interface__["data"][0]


@functools.cache
def fields(kind: Any) -> dict[str, Any]:
    """Return the type of each field of a named tuple, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: kind_of(hints[name]) for name in kind._fields}
