"""Values in kernels, and the instructions of LLVM that compute them, as text."""

from __future__ import annotations

import ast
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding

from boostext.packs import SLOTS, array_kind

# Types and values ----------------------------------------------------------------------------


class Shaped(NamedTuple):
    """The type of a C-contiguous array."""

    item: str
    dimensions: int


class Value(NamedTuple):
    """A value in a function.

    kind: the name of a numeric type, a Shaped, a tuple of kinds, or the class of a named tuple of
    arrays. parts: what LLVM calls its parts: the number itself; for an array the address and the
    shape; for a named tuple of arrays the address of its table (`packs.Packed`); for a tuple the
    parts of all items. known: the number, if it is a constant of the source.
    """

    kind: Any
    parts: tuple[str, ...]
    known: Any = None


NATIVE = {
    "boolean": "i1",
    "uint8": "i8",
    "int32": "i32",
    "uint32": "i32",
    "int64": "i64",
    "uint64": "i64",
    "float32": "float",
    "float64": "double",
}
"""The numeric types, and what LLVM calls them."""
BITS = {"boolean": 1, "uint8": 8, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64}
UNSIGNED = frozenset({"boolean", "uint8", "uint32", "uint64"})
NONE: tuple[Any, ...] = ()
"""The kind of what a function without a result returns."""
OPAQUE = binding.llvm_version_info[0] >= 15
"""Whether LLVM writes all pointers alike, without the type of what they point to."""


def pointer(native: str) -> str:
    return "ptr" if OPAQUE else f"{native}*"


def stored(kind: str) -> str:
    """Return what LLVM calls a number in memory, where a boolean takes a byte."""
    return "i8" if kind == "boolean" else NATIVE[kind]


def natives(kind: Any) -> list[str]:
    """Return what LLVM calls the types of the parts of a value."""
    if isinstance(kind, str):
        return [NATIVE[kind]]
    if isinstance(kind, Shaped):
        return [pointer(stored(kind.item)), *["i64"] * kind.dimensions]
    if type(kind) is tuple:
        return [native for one in kind for native in natives(one)]
    return [pointer("i64")]


def common(first: Any, second: Any) -> Any:
    """Return the type that holds all values of two types."""
    if first == second:
        return first
    if isinstance(first, str) and isinstance(second, str):
        if "boolean" in (first, second):
            raise TypeError(f"a number and a truth value, {first} and {second}, in one place")
        if first in BITS and second in BITS:
            if "uint64" in (first, second) and not {first, second} <= UNSIGNED:
                raise TypeError(f"no type holds all values of {first} and {second}")
            return (
                max(first, second, key=BITS.__getitem__) if BITS[first] != BITS[second] else "int64"
            )
        return "float64"
    if type(first) is tuple and type(second) is tuple and len(first) == len(second):
        return tuple(map(common, first, second))
    raise TypeError(f"two types in one place, {first} and {second}")


def wide(first: Any, second: Any) -> str:
    """Return the type of the result of arithmetic on two numbers."""
    if not isinstance(first, str) or not isinstance(second, str):
        raise TypeError(f"arithmetic on {first} and {second}")
    if first in BITS and second in BITS:
        if {first, second} <= UNSIGNED - {"boolean"}:
            return "uint64"
        if "uint64" in (first, second):
            raise TypeError(f"arithmetic on {first} and {second}; convert one of them")
        return "int64"
    return "float32" if first == second == "float32" else "float64"


def constant(kind: str, number: Any) -> Value:
    """Return a constant of a numeric type."""
    if kind == "boolean":
        return Value(kind, ("true" if number else "false",))
    if kind in BITS:
        half = 1 << (BITS[kind] - 1)
        return Value(kind, (str((int(number) + half) % (2 * half) - half),))
    exact = float(np.float32(number)) if kind == "float32" else float(number)
    return Value(kind, (f"0x{struct.unpack('<Q', struct.pack('<d', exact))[0]:016X}",))


def literal(number: Any) -> Value:
    """Return a constant of the source, or a tuple of them, as a value of its own type."""
    if isinstance(number, tuple):
        items = [literal(one) for one in number]
        return Value(tuple(one.kind for one in items), sum((one.parts for one in items), ()))
    kinds: dict[type, str] = {bool: "boolean", int: "int64", float: "float64"}
    kind = kinds.get(type(number))
    if kind is None:
        raise TypeError(f"a constant of type {type(number).__name__}")
    return constant(kind, number)._replace(known=number)


def kind_of_value(kind: Any) -> Any:
    """Return the type of values for a type of `packs.kinds_of`."""
    if isinstance(kind, str) and "[" in kind:
        return Shaped(kind.partition("[")[0], array_kind(kind)[1])
    return kind


def returned_type(kind: Any) -> str:
    """Return what LLVM calls the type of a result."""
    parts = natives(kind)
    if not parts:
        return "void"
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def item(value: Value, number: int) -> Value:
    """Return an item of a tuple."""
    kinds = value.kind
    if type(kinds) is not tuple:
        raise TypeError(f"an item of {kinds}")
    first = sum(len(natives(kind)) for kind in kinds[:number])
    parts = value.parts[first : first + len(natives(kinds[number]))]
    return Value(kinds[number], parts)


def together(items: Sequence[Value]) -> Value:
    """Return the tuple of some values."""
    return Value(tuple(one.kind for one in items), sum((one.parts for one in items), ()))


# Instructions --------------------------------------------------------------------------------

INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
BITWISE = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl"}
FLOATING = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
FOLDED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
"""Operations on two constants."""
COMPARED = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
INTRINSIC = {"sqrt": "sqrt", "exp": "exp", "log": "log", "ceil": "ceil", "abs": "fabs"}
"""Functions of NumPy that LLVM has as well, with its names for them."""


class Instructions:
    """The instructions of a function.

    declared: the lines that declare functions outside the module. any_order: whether numbers may be
    added in the fastest order.
    """

    def __init__(self, declared: set[str], any_order: bool) -> None:
        self._declared = declared
        self._flags = "reassoc contract " if any_order else ""
        self._lines: list[str] = []
        self._count = 0

    def emit(self, line: str) -> None:
        self._lines.append(line)

    def new(self, instruction: str) -> str:
        """Write an instruction that has a result, and return the name of the result."""
        self._count += 1
        self._lines.append(f"%t{self._count} = {instruction}")
        return f"%t{self._count}"

    def gep(self, native: str, address: str, index: str) -> str:
        return self.new(
            f"getelementptr inbounds {native}, {pointer(native)} {address}, i64 {index}"
        )

    def bitcast(self, native: str, address: str, other: str) -> str:
        return self.new(f"bitcast {pointer(native)} {address} to {pointer(other)}")

    def field(self, table: Value, place: int, kind: Any) -> Value:
        """Read a field of a named tuple, or an argument of a kernel, from its table."""
        parts = []
        for n, native in enumerate(natives(kind)):
            slot = self.gep("i64", table.parts[0], str(SLOTS * place + n))
            read = "i64" if native == "i1" else native
            part = self.new(f"load {read}, {pointer(read)} {self.bitcast('i64', slot, read)}")
            parts.append(self.new(f"icmp ne i64 {part}, 0") if native == "i1" else part)
        return Value(kind, tuple(parts))

    def at(self, value: Value, indexes: Sequence[Value]) -> str:
        """Return the address of an item or of the first item of a row."""
        offset = indexes[0]
        for axis in range(1, value.kind.dimensions):
            length = Value("int64", (value.parts[1 + axis],))
            offset = self.operation(ast.Mult(), offset, length)
            if axis < len(indexes):
                offset = self.operation(ast.Add(), offset, indexes[axis])
        return self.gep(stored(value.kind.item), value.parts[0], offset.parts[0])

    def get(self, kind: str, at: str) -> Value:
        part = self.new(f"load {stored(kind)}, {pointer(stored(kind))} {at}")
        return Value(kind, (self.new(f"icmp ne i8 {part}, 0") if kind == "boolean" else part,))

    def put(self, kind: str, at: str, value: Value) -> None:
        part = self.cast(value, kind).parts[0]
        if kind == "boolean":
            part = self.new(f"zext i1 {part} to i8")
        self.emit(f"store {stored(kind)} {part}, {pointer(stored(kind))} {at}")

    def operation(self, operator: ast.operator, left: Value, right: Value) -> Value:
        of = type(operator)
        if left.known is not None and right.known is not None and of in FOLDED:
            return literal(FOLDED[of](left.known, right.known))
        if of is ast.Pow:
            if right.known != 2:
                raise TypeError("only the power of 2 is possible")
            return self.operation(ast.Mult(), left, left)
        if of in BITWISE and left.kind == right.kind == "boolean":
            kind = "boolean"
        else:
            kind = wide(left.kind, right.kind)
        if of is ast.Div and kind in BITS:
            kind = "float64"
        a, b = self.cast(left, kind).parts[0], self.cast(right, kind).parts[0]
        if kind not in BITS:
            if of not in FLOATING:
                raise TypeError(f"{of.__name__} of {kind}")
            instruction = f"{FLOATING[of]} {self._flags}"
        elif of in INTEGER:
            instruction = INTEGER[of] + ("" if kind in UNSIGNED else " nsw")
        elif of in BITWISE:
            instruction = BITWISE[of]
        elif of is ast.RShift:
            instruction = "lshr" if kind in UNSIGNED else "ashr"
        elif of is ast.FloorDiv:
            return self._floor(kind, a, b)
        elif of is ast.Mod:
            whole = self.operation(ast.Mult(), self._floor(kind, a, b), Value(kind, (b,)))
            return self.operation(ast.Sub(), Value(kind, (a,)), whole)
        else:
            raise TypeError(f"{of.__name__} of {kind}")
        return Value(kind, (self.new(f"{instruction} {NATIVE[kind]} {a}, {b}"),))

    def _floor(self, kind: str, a: str, b: str) -> Value:
        """Divide integers, rounding down."""
        if kind in UNSIGNED:
            return Value(kind, (self.new(f"udiv i64 {a}, {b}"),))
        quotient, rest = self.new(f"sdiv i64 {a}, {b}"), self.new(f"srem i64 {a}, {b}")
        signs, exact = self.new(f"xor i64 {rest}, {b}"), self.new(f"icmp eq i64 {rest}, 0")
        negative = self.new(f"icmp slt i64 {signs}, 0")
        less = self.new(f"select i1 {exact}, i1 false, i1 {negative}")
        return Value(kind, (self.new(f"sub i64 {quotient}, {self.new(f'zext i1 {less} to i64')}"),))

    def compare(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        kind = left.kind if left.kind == right.kind else common(left.kind, right.kind)
        name = COMPARED[type(operator)]
        if kind in BITS:
            signed = name in ("eq", "ne")
            name = name if signed else ("u" if kind in UNSIGNED else "s") + name
            instruction = f"icmp {name}"
        else:
            instruction = f"fcmp {'u' if name == 'ne' else 'o'}{name}"
        a, b = self.cast(left, kind).parts[0], self.cast(right, kind).parts[0]
        return Value("boolean", (self.new(f"{instruction} {NATIVE[kind]} {a}, {b}"),))

    def extreme(self, name: str, first: Value, second: Value) -> Value:
        kind = common(first.kind, second.kind)
        first, second = self.cast(first, kind), self.cast(second, kind)
        other = self.compare(ast.Lt() if name == "min" else ast.Gt(), second, first)
        return self.select(other, second, first)

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        native = NATIVE[yes.kind]
        part = self.new(
            f"select i1 {condition.parts[0]}, {native} {yes.parts[0]}, {native} {no.parts[0]}"
        )
        return Value(yes.kind, (part,))

    def numpy(self, name: str, given: list[Value]) -> Value:
        """Call a function of NumPy."""
        if name in NATIVE:
            return self.cast(given[0], name)._replace(known=None)
        if name == "maximum":
            kind = common(given[0].kind, given[1].kind)
            first, second = self.cast(given[0], kind), self.cast(given[1], kind)
            is_larger = self.compare(ast.GtE(), first, second)
            is_nan = self.compare(ast.NotEq(), first, first)
            return self.select(self.operation(ast.BitOr(), is_larger, is_nan), first, second)
        if name == "abs" and given[0].kind in BITS:
            return self.extreme("max", given[0], self.operation(ast.Sub(), literal(0), given[0]))
        kind = given[0].kind if given[0].kind == "float32" else "float64"
        native, part = NATIVE[kind], self.cast(given[0], kind).parts[0]
        if name in INTRINSIC:
            called = f"llvm.{INTRINSIC[name]}.f{'32' if kind == 'float32' else '64'}"
        elif name == "log1p":
            called = "log1pf" if kind == "float32" else "log1p"
        else:
            raise TypeError(f"a kernel cannot call `np.{name}`")
        self._declared.add(f"declare {native} @{called}({native})")
        return Value(kind, (self.new(f"call {self._flags}{native} @{called}({native} {part})"),))

    def cast(self, value: Value, kind: Any) -> Value:
        """Convert a value to another type."""
        if value.kind == kind:
            return value
        if type(kind) is tuple:
            return together([self.cast(item(value, n), one) for n, one in enumerate(kind)])
        if not isinstance(kind, str) or not isinstance(value.kind, str):
            raise TypeError(f"{value.kind} where {kind} belongs")
        if value.known is not None and not (kind in BITS and isinstance(value.known, float)):
            return constant(kind, value.known)
        before, after, part = NATIVE[value.kind], NATIVE[kind], value.parts[0]
        if before == after:
            return Value(kind, value.parts)
        if value.kind in BITS and kind in BITS:
            wider = "zext" if value.kind in UNSIGNED else "sext"
            name = wider if BITS[kind] > BITS[value.kind] else "trunc"
        elif value.kind in BITS:
            name = "uitofp" if value.kind in UNSIGNED else "sitofp"
        elif kind in BITS:
            name = "fptoui" if kind in UNSIGNED else "fptosi"
        else:
            name = "fpext" if kind == "float64" else "fptrunc"
        return Value(kind, (self.new(f"{name} {before} {part} to {after}"),))
