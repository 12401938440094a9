"""Pass named tuples of arrays to kernels as one pointer to a table of addresses and shapes.

numba passes every array of a tuple as seven separate values from function to function, which
accounts for most of the machine code and of the compile time. Here a tuple is a single pointer, and
`weights.neg` in a kernel reads address and shape from the table. This module imports numba; only
`compiled` imports it.
"""

# numba's own functions are not typed:
# mypy: disable-error-code="no-untyped-call, untyped-decorator, override"

from __future__ import annotations

import functools
from typing import Any, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl
from numba.extending import register_model
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import as_dtype

SLOTS = 4
"""Integers in the table for each field: address and shape of an array, or a number itself."""

SCALARS = {int: types.int64, float: types.float64, bool: types.boolean}


class Packed:
    """The table for a named tuple, valid as long as its arrays are not moved or freed.

    kind: the class of the tuple. address: that of the table. Raises TypeError if an array has
    another type than the annotation.
    """

    __slots__ = ("address", "arrays", "kind", "table")

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays
        self.kind: Any = type(arrays)
        self.table = np.zeros((len(arrays), SLOTS), np.int64)
        for row, value, wanted in zip(self.table, arrays, shapes(self.kind), strict=True):  # type: ignore[arg-type]
            if isinstance(value, np.ndarray):
                if (value.dtype, value.ndim) != wanted or not value.flags.c_contiguous:
                    raise TypeError(f"{self.kind.__name__}: {value.dtype} where {wanted} belongs")
                row[0] = value.ctypes.data
                row[1 : 1 + value.ndim] = value.shape
            elif isinstance(value, float):
                row[:1].view(np.float64)[0] = value
            else:
                row[0] = value
        self.address = self.table.ctypes.data


class Pack(types.Type):
    """The numba type of a named tuple. kind: its class, whose annotations give the field types."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"Pack({kind.__module__}.{kind.__qualname__})")


@functools.cache
def fields(kind: Any) -> dict[str, tuple[int, Any]]:
    """Return offset and type of each field of a named tuple."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: (place, numba_type(hints[name])) for place, name in enumerate(kind._fields)}


@functools.cache
def shapes(kind: Any) -> tuple[Any, ...]:
    """Return dtype and number of dimensions of each field; None for a number."""
    kinds = (found for _, found in fields(kind).values())
    return tuple(
        (as_dtype(one.dtype), one.ndim) if isinstance(one, types.Array) else None for one in kinds
    )


def numba_type(hint: Any) -> Any:
    """Return the numba type for an annotation (see `compiled`)."""
    if hasattr(hint, "__metadata__"):
        return array_type(hint.__metadata__[0])
    return Pack(hint) if hasattr(hint, "_fields") else SCALARS[hint]


@functools.cache
def array_type(name: str) -> Any:
    """Return the type that numba writes as "uint32[:, ::1]", or as "uint64" for a number."""
    scalar, _, dimensions = name.partition("[")
    found = getattr(types, scalar)
    if not dimensions:
        return found
    last = slice(None, None, 1)
    return found[(*[slice(None)] * dimensions.count(","), last) if "," in dimensions else last]


@register_model(Pack)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, pack: Pack) -> None:
        super().__init__(manager, pack, ir.IntType(64).as_pointer())


@typeof_impl.register(Packed)
def _typeof(value: Packed, context: Any) -> Pack:
    return Pack(value.kind)


@unbox(Pack)
def _unbox(pack: Pack, value: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.bitcast(pointer, ir.IntType(64).as_pointer()))


@infer_getattr
class _Fields(AttributeTemplate):
    key = Pack

    def generic_resolve(self, pack: Pack, name: str) -> Any:
        return fields(pack.kind)[name][1] if name in pack.kind._fields else None


@lower_getattr_generic(Pack)
def _field(context: Any, builder: Any, pack: Pack, pointer: Any, name: str) -> Any:
    place, kind = fields(pack.kind)[name]

    def slot(number: int) -> Any:
        return builder.gep(pointer, [ir.Constant(ir.IntType(64), SLOTS * place + number)])

    wanted = context.get_data_type(kind.dtype if isinstance(kind, types.Array) else kind)
    if not isinstance(kind, types.Array):
        if kind == types.boolean:
            return builder.icmp_signed("!=", builder.load(slot(0)), ir.Constant(ir.IntType(64), 0))
        return builder.load(builder.bitcast(slot(0), wanted.as_pointer()))
    data = builder.load(builder.bitcast(slot(0), wanted.as_pointer().as_pointer()))
    shape = [builder.load(slot(1 + axis)) for axis in range(kind.ndim)]
    item = ir.Constant(ir.IntType(64), context.get_abi_sizeof(wanted))
    strides = [item]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    array = make_array(kind)(context, builder)
    populate_array(array, data, shape, strides, item, None)
    return array._getvalue()
