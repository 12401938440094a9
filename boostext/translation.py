"""Translate kernels to bitcode of LLVM with numba, which this module imports.

numba passes every array of a tuple as seven separate values from function to function, which would
account for most of the machine code and of the compile time. Here a tuple is a single pointer, and
`weights.neg` in a kernel reads address and shape from a table (`packs.Packed`). numba also
optimizes every function by itself and turns it into machine code, before it does the same with each
caller. Here the kernel and everything that it calls become one module of bitcode, which
`machine_code` turns into machine code.
"""

# numba's own functions are not typed:
# mypy: disable-error-code="no-untyped-call, untyped-decorator, override"

from __future__ import annotations

import functools
import gc
import operator
import types as python_types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.datamodel import models
from numba.core.imputils import lower_builtin, lower_getattr, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, register_model

from boostext import instructions
from boostext.packs import SLOTS, Bitcode, called, fields

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
    "no_rewrites": True,
}
"""Options of all kernels. Division by 0 gives infinity and no memory is allocated, so the code
for both cases is omitted, which makes kernels faster to compile and to run. There are no
expressions of whole arrays that would have to be rewritten.
"""
NEEDLESS = frozenset(
    {
        "FindLiterallyCalls",
        "InlineClosureLikes",
        "InlineInlinables",
        "InlineOverloads",
        "IRLegalization",
        "LiteralPropagationSubPipelinePass",
        "LiteralUnroll",
        "MakeFunctionToJitFunction",
        "RewriteDynamicRaises",
        "WithLifting",
    }
)
"""Passes of numba that are left out: for closures, inlining in Python, raised errors, `with` and
the lifetimes of objects, none of which kernels have.
"""


def translate(function: Any, kinds: list[Any]) -> Bitcode:
    """Return the bitcode of a kernel. kinds: the types of its arguments (`kinds_of`)."""
    dispatcher = numba.njit(pipeline_class=_Kernels, **OPTIONS)(_with_called(function))
    with _without_collection():
        dispatcher.compile(tuple(map(_type, kinds)))
    (made,) = dispatcher.overloads.values()
    result = str(made.signature.return_type)
    result = "boolean" if result == "bool" else result
    return Bitcode(made.fndesc.llvm_func_name, result, made.library.content)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Switch off Python's collection of garbage, which would take a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _with_called(function: Any) -> Any:
    """Return the function with calls to functions of the package replaced by compiled ones."""
    inner = {name: _inner(one) for name, one in called(function).items()}
    if not inner:
        return function
    twin = python_types.FunctionType(
        function.__code__,
        {**function.__globals__, **inner},
        function.__name__,
        function.__defaults__,
    )
    return functools.update_wrapper(twin, function)


@functools.cache
def _inner(function: Any) -> Any:
    """Compile a function that a kernel calls.

    Functions that their module lists in ANY_ORDER may add numbers in the fastest order; those in
    its KERNELS or CALLED are long and are not inlined.
    """
    if function in INSTRUCTIONS:
        return INSTRUCTIONS[function]
    scope = function.__globals__
    fastmath = {"reassoc", "contract"} if function.__name__ in scope.get("ANY_ORDER", ()) else False
    inline = function not in (*scope.get("KERNELS", ()), *scope.get("CALLED", ()))
    return numba.njit(fastmath=fastmath, forceinline=inline, pipeline_class=_Parts, **OPTIONS)(
        _with_called(function)
    )


# Code without machine code of its own --------------------------------------------------------


class _Part(JITCodeLibrary):
    """The code of a function that kernels call: neither optimized nor executable by itself.

    It stays out of numba's own engine, whose environment of the function it does not need.
    """

    def _optimize_final_module(self) -> None:
        """Leave the code to the kernel that it becomes part of."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Leave the environment unset: no kernel raises errors or calls Python."""


class _Whole(_Part):
    """The code of a kernel with all that it calls. content: its bitcode, not optimized either."""

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        self.content = self._final_module.as_bitcode()


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginPart(AnalysisPass):
    """Choose where numba writes the code of a function."""

    _name = "begin_part"
    library: Any = _Part

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _BeginWhole(_BeginPart):
    _name = "begin_whole"
    library = _Whole


class _Parts(CompilerBase):
    """Compiles the functions that kernels call."""

    first: Any = _BeginPart

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(self.first, passes.passes[0][0])
        passes.passes = [one for one in passes.passes if one[0].__name__ not in NEEDLESS]
        passes.finalize()
        return [passes]


class _Kernels(_Parts):
    """Compiles kernels."""

    first = _BeginWhole


# Named tuples as pointers --------------------------------------------------------------------


class Pack(types.Type):
    """The numba type of a named tuple. kind: its class, whose annotations give the field types."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"Pack({kind.__module__}.{kind.__qualname__})")


@functools.cache
def _types(kind: Any) -> dict[str, tuple[int, Any]]:
    """Return offset and type of each field of a named tuple."""
    return {name: (place, _type(one)) for place, (name, one) in enumerate(fields(kind).items())}


@functools.cache
def _type(kind: Any) -> Any:
    """Return the numba type for a type of `packs.kinds_of`."""
    if not isinstance(kind, str):
        return Pack(kind)
    scalar, _, dimensions = kind.partition("[")
    found = getattr(types, scalar)
    return Grid(found, dimensions.count(",") + 1) if dimensions else found


@register_model(Pack)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, pack: Pack) -> None:
        super().__init__(manager, pack, ir.IntType(64).as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Pack

    def generic_resolve(self, pack: Pack, name: str) -> Any:
        return _types(pack.kind)[name][1] if name in pack.kind._fields else None


@lower_getattr_generic(Pack)
def _field(context: Any, builder: Any, pack: Pack, pointer: Any, name: str) -> Any:
    place, kind = _types(pack.kind)[name]

    def slot(number: int) -> Any:
        return builder.gep(pointer, [_integer(SLOTS * place + number)])

    if isinstance(kind, Pack):
        return builder.inttoptr(builder.load(slot(0)), context.get_data_type(kind))
    if isinstance(kind, Grid):
        address = context.get_data_type(kind.dtype).as_pointer()
        data = builder.load(builder.bitcast(slot(0), address.as_pointer()))
        shape = [builder.load(slot(1 + axis)) for axis in range(kind.ndim)]
        return _grid(context, builder, kind, data, shape)
    if kind == types.boolean:
        return builder.icmp_signed("!=", builder.load(slot(0)), _integer(0))
    return builder.load(builder.bitcast(slot(0), context.get_data_type(kind).as_pointer()))


# Arrays without strides ----------------------------------------------------------------------


class Grid(types.Array):
    """The numba type of a contiguous array as its address and shape.

    numba's own arrays have seven parts, and an index into them is tested for being negative and
    multiplied by strides, so that compiling takes a third longer. Here no index may be negative, a
    slice has no step, and loops run over indexes.
    """

    def __init__(self, dtype: Any, ndim: int) -> None:
        super().__init__(dtype, ndim, "C", name=f"Grid({dtype}, {ndim})")

    def copy(
        self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None
    ) -> Grid:
        """Return the type of a part of the array."""
        return Grid(dtype or self.dtype, self.ndim if ndim is None else ndim)


@register_model(Grid)
class _GridModel(models.StructModel):
    def __init__(self, manager: Any, grid: Grid) -> None:
        shape = types.UniTuple(types.intp, grid.ndim)
        super().__init__(manager, grid, [("data", types.CPointer(grid.dtype)), ("shape", shape)])


def _integer(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)


def _grid(context: Any, builder: Any, kind: Grid, data: Any, shape: Sequence[Any]) -> Any:
    value = builder.insert_value(ir.Constant(context.get_value_type(kind), ir.Undefined), data, 0)
    for axis, length in enumerate(shape):
        value = builder.insert_value(value, length, [1, axis])
    return value


def _parts(builder: Any, kind: Grid, grid: Any) -> tuple[Any, list[Any]]:
    """Return the address and the shape of an array."""
    shape = [builder.extract_value(grid, [1, axis]) for axis in range(kind.ndim)]
    return builder.extract_value(grid, 0), shape


def _place(
    builder: Any, kind: Grid, grid: Any, index_kind: Any, index: Any
) -> tuple[Any, list[Any]]:
    """Return the address of an item or, if indexes are missing, of a part, and the shape of it."""
    indexes = [index]
    if isinstance(index_kind, types.BaseTuple):
        indexes = [builder.extract_value(index, axis) for axis in range(len(index_kind))]
    data, shape = _parts(builder, kind, grid)
    place = indexes[0]
    for axis in range(1, kind.ndim):
        place = builder.mul(place, shape[axis])
        if axis < len(indexes):
            place = builder.add(place, indexes[axis])
    return builder.gep(data, [place], inbounds=True), shape[len(indexes) :]


@lower_builtin(operator.getitem, Grid, types.Integer)
@lower_builtin(operator.getitem, Grid, types.BaseTuple)
def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, index_kind = signature.args
    place, shape = _place(builder, kind, arguments[0], index_kind, arguments[1])
    if shape:
        return _grid(context, builder, signature.return_type, place, shape)
    return context.unpack_value(builder, kind.dtype, place)


@lower_builtin(operator.getitem, Grid, types.SliceType)
def _slice(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return items from a start up to an end, which is at most the length."""
    data, (length, *rest) = _parts(builder, signature.args[0], arguments[0])
    start, stop = (builder.extract_value(arguments[1], field) for field in range(2))
    stop = builder.select(builder.icmp_signed("<", stop, length), stop, length)
    place = builder.gep(data, [functools.reduce(builder.mul, rest, start)], inbounds=True)
    return _grid(context, builder, signature.return_type, place, [builder.sub(stop, start), *rest])


@lower_builtin(operator.setitem, Grid, types.Any, types.Any)
def _set_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, index_kind, value_kind = signature.args
    place, _ = _place(builder, kind, arguments[0], index_kind, arguments[1])
    value = context.cast(builder, arguments[2], value_kind, kind.dtype)
    context.pack_value(builder, kind.dtype, value, place)
    return context.get_dummy_value()


@lower_builtin(len, Grid)
def _length(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.extract_value(arguments[0], [1, 0])


@lower_getattr(Grid, "shape")
def _shape(context: Any, builder: Any, kind: Grid, grid: Any) -> Any:
    return builder.extract_value(grid, 1)


# Instructions of the processor ---------------------------------------------------------------

ORDER = "seq_cst"
"""The order of steps that all threads see in the same order, as LLVM calls it."""
SOON, LASTING, DATA = 0, 3, 1
"""What LLVM is told of memory to be read: only to read, to be kept in all caches, and not code."""


@intrinsic
def _read(typing: Any, numbers: Any, place: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_item_of(builder, signature, *arguments), ORDER, 8)

    return types.int64(numbers, types.int64), lower


@intrinsic
def _write(typing: Any, numbers: Any, place: Any, value: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *place, value = arguments
        builder.store_atomic(value, _item_of(builder, signature, *place), ORDER, 8)
        return context.get_dummy_value()

    return types.none(numbers, types.int64, types.int64), lower


@intrinsic
def _add(typing: Any, numbers: Any, place: Any, by: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        *place, by = arguments
        return builder.atomic_rmw("add", _item_of(builder, signature, *place), by, ORDER)

    return types.int64(numbers, types.int64, types.int64), lower


@intrinsic
def _call(typing: Any, address: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (address,) = arguments
        with builder.if_then(builder.icmp_signed("!=", address, _integer(0))):
            function = ir.FunctionType(ir.IntType(32), []).as_pointer()
            builder.call(builder.inttoptr(address, function), [])
        return context.get_dummy_value()

    return types.none(types.int64), lower


@intrinsic
def _fetch(typing: Any, table: Any, row: Any, column: Any) -> Any:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], function)
        at = builder.bitcast(_item_of(builder, signature, *arguments), byte)
        builder.call(fetch, [at, *(ir.Constant(word, told) for told in (SOON, LASTING, DATA))])
        return context.get_dummy_value()

    return types.none(table, types.int64, types.int64), lower


def _item_of(builder: Any, signature: Any, table: Any, row: Any, column: Any = None) -> Any:
    """Return the address of an item of a table, by default of the first in the row."""
    data, (_, columns) = _parts(builder, signature.args[0], table)
    place = builder.mul(row, columns)
    return builder.gep(data, [builder.add(place, column) if column else place], inbounds=True)


INSTRUCTIONS = {
    instructions.add: _add,
    instructions.call: _call,
    instructions.fetch: _fetch,
    instructions.read: _read,
    instructions.write: _write,
}
"""What kernels have for the functions of `instructions`."""
