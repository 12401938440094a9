"""Translate kernels to machine code with numba, which this module imports.

numba passes every array of a tuple as seven separate values from function to function, which would
account for most of the machine code and of the compile time. Here a tuple is a single pointer, and
`weights.neg` in a kernel reads address and shape from a table (`packs.Packed`). numba also
optimizes every function by itself and turns it into machine code, before it does the same with each
caller. Here this is done only for the kernel together with everything that it calls.
"""

# numba's own functions are not typed:
# mypy: disable-error-code="no-untyped-call, untyped-decorator, override"

from __future__ import annotations

import functools
import gc
import types as python_types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import register_model
from numba.np.arrayobj import make_array, populate_array

from boostext.packs import SLOTS, Code, called, fields

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


def translate(function: Any, kinds: list[Any]) -> Code:
    """Return the machine code of a kernel. kinds: the types of its arguments (`kinds_of`)."""
    dispatcher = numba.njit(pipeline_class=_Kernels, **OPTIONS)(_with_called(function))
    with _without_collection():
        dispatcher.compile(tuple(map(_type, kinds)))
    (made,) = dispatcher.overloads.values()
    result = str(made.signature.return_type)
    result = "boolean" if result == "bool" else result
    return Code(made.fndesc.llvm_func_name, result, made.library.needs, made.library.content)


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
    """The code of a kernel with all that it calls. content: its object file.

    needs: the names of the functions outside it that it calls.
    """

    def _optimize_final_module(self) -> None:
        passes = getattr(self._codegen, "_mpm_full", None)
        if passes is not None:  # LLVM's former pass manager, which numba used up to 0.61
            passes.run(self._final_module)
            return
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        declared = (one.name for one in self._final_module.functions if one.is_declaration)
        self.needs = tuple(name for name in declared if not name.startswith("llvm."))
        self.content = self._codegen._tm.emit_object(self._final_module)


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
    if not dimensions:
        return found
    last = slice(None, None, 1)
    return found[(*[slice(None)] * dimensions.count(","), last) if "," in dimensions else last]


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
        return builder.gep(pointer, [ir.Constant(ir.IntType(64), SLOTS * place + number)])

    if isinstance(kind, Pack):
        return builder.inttoptr(builder.load(slot(0)), context.get_data_type(kind))
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
