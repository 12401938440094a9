"""Translate kernels to machine code with LLVM.

A kernel is a Python function of numbers, arrays and named tuples of these, written in a small part
of the language: assignments, `if`, `while`, `for` over a range, an array or a tuple, arithmetic,
comparisons, items and slices of arrays, calls of functions of this package, and a few functions of
NumPy. `Function` writes it as text for LLVM, which optimizes the kernel together with everything
that it calls. What is not supported is refused with a TypeError that names the line.

A name has one type within a function: that which holds all values that the function assigns to it.
Arithmetic on integers gives 64 bits, which are unsigned if both operands are. An operation of a
float32 with another float32 gives a float32; with any other number it gives a float64, as does
division. Items are not checked to be inside an array; only a constant index counts from the end if
it is negative, and both ends of a slice have to be inside.
"""

from __future__ import annotations

import ast
import functools
import linecache
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, cast

import numpy as np
from llvmlite import binding

from boostext.instructions import (
    BITS,
    NATIVE,
    NONE,
    Instructions,
    Shaped,
    Value,
    common,
    item,
    kind_of_value,
    literal,
    natives,
    pointer,
    returned_type,
    together,
)
from boostext.packs import SLOTS, Code, fields, llvm_target

# Modules -------------------------------------------------------------------------------------


def translate(function: Any, kinds: list[Any]) -> Code:
    """Return the machine code of a kernel. kinds: the types of its arguments (`packs.kinds_of`).

    The code takes one address, that of a table of its arguments in the form of `packs.Packed`, and
    of the place for its result after them.
    """
    module = Module()
    name = f"{function.__module__}.{function.__name__}.{zlib.crc32(repr(kinds).encode()):x}"
    result = module.kernel(function, [kind_of_value(kind) for kind in kinds], name)
    machine = _machine()
    parsed = binding.parse_assembly(
        f'target datalayout = "{machine.target_data}"\n'
        f'target triple = "{binding.get_process_triple()}"\n{module.text()}'
    )
    parsed.verify()
    _optimize(parsed, machine)
    declared = (one.name for one in parsed.functions if one.is_declaration)
    needs = tuple(name for name in declared if not name.startswith("llvm."))
    return Code(name, result, needs, machine.emit_object(parsed))


def _machine() -> Any:
    return llvm_target().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
        jit=True,
    )


def _optimize(module: Any, machine: Any) -> None:
    if hasattr(binding, "create_pass_builder"):
        tuning = binding.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = tuning.slp_vectorization = True
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        return
    options = binding.create_pass_manager_builder()  # LLVM's former passes
    options.opt_level, options.loop_vectorize, options.slp_vectorize = 3, True, True
    passes = binding.create_module_pass_manager()
    machine.add_analysis_passes(passes)
    options.populate(passes)
    passes.run(module)


class Module:
    """A kernel with all functions that it calls, as text for LLVM."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.declared: set[str] = set()
        self._made: dict[Any, tuple[str, Any]] = {}

    def text(self) -> str:
        return "\n".join([*sorted(self.declared), *self._texts])

    def kernel(self, function: Any, kinds: Sequence[Any], name: str) -> tuple[str, ...]:
        """Write a kernel, and return the types of its results."""
        body = Function(self, _entry, {})
        table = Value(None, ("%table",))
        given = [body.field(table, place, kind) for place, kind in enumerate(kinds)]
        result = body.call(function, given)
        place = f"{SLOTS * len(kinds)}"
        numbers = result.kind if type(result.kind) is tuple else (result.kind,)
        for number, (kind, part) in enumerate(zip(numbers, result.parts, strict=True)):
            target = "float64" if kind.startswith("float") else "int64"
            value = body.cast(Value(kind, (part,)), target)
            slot = body.gep("i64", "%table", str(int(place) + number))
            at = body.bitcast("i64", slot, NATIVE[target])
            body.emit(f"store {NATIVE[target]} {value.parts[0]}, {pointer(NATIVE[target])} {at}")
        self._texts.append(body.define(f"define void @{name}({pointer('i64')} %table)", "ret void"))
        return tuple("float64" if kind.startswith("float") else kind for kind in numbers)

    def function(self, function: Any, kinds: tuple[Any, ...]) -> tuple[str, Any]:
        """Write a function for arguments of these types; return its name and the type of its
        result.
        """
        if (function, kinds) not in self._made:
            variables: dict[str, Any] = {}
            body = Function(self, function, variables)
            body.write(kinds)
            while body.has_changed:  # a later statement has widened the type of a name
                body = Function(self, function, variables)
                body.write(kinds)
            name = f"{function.__name__}.{len(self._made)}"
            self._texts.append(body.whole(name, kinds))
            self._made[function, kinds] = name, variables.get(RESULT, NONE)
        return self._made[function, kinds]


def _entry() -> None:
    """Stand for the code that reads the arguments of a kernel from their table."""


@functools.cache
def _parsed(source: str) -> dict[str, ast.FunctionDef]:
    """Return the functions of a source text by their names."""
    module = ast.parse(source)
    return {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}


# Functions -----------------------------------------------------------------------------------

RESULT = "return"
"""The name under which the result of a function is kept."""


def logaddexp(x: float, y: float) -> Any:
    """Return ln(exp(x) + exp(y)), computed as NumPy does."""
    if x == y:
        return x + 0.6931471805599453
    d = x - y
    return x + np.log1p(np.exp(-d)) if d > 0 else y + np.log1p(np.exp(d))


class Function(Instructions):
    """A function as text for LLVM, for arguments of certain types.

    variables: the types of names, as far as they are known from an earlier attempt. has_changed:
    whether a type turned out to be too narrow, so that the function has to be written again.
    """

    def __init__(self, module: Module, function: Any, variables: dict[str, Any]) -> None:
        self._module, self._function, self._variables = module, function, variables
        self._scope = function.__globals__
        super().__init__(module.declared, function.__name__ in self._scope.get("ANY_ORDER", ()))
        self._rooms: list[str] = []
        self._loops: list[tuple[str, str]] = []  # where `continue` and `break` lead
        self._names: dict[str, None] = {}
        self.has_changed = False

    # -------------------------------------------------------------- text

    def write(self, kinds: tuple[Any, ...]) -> None:
        """Write the whole function. Raises TypeError if it cannot be translated."""
        path = self._function.__code__.co_filename
        source = "".join(linecache.getlines(path, self._scope))
        node = _parsed(source)[self._function.__name__]
        self._line = node.lineno
        try:
            for argument, kind, number in zip(
                node.args.args, kinds, range(len(kinds)), strict=True
            ):
                parts = tuple(f"%a{number}.{n}" for n in range(len(natives(kind))))
                self._store(argument.arg, Value(kind, parts))
            self._block(node.body)
        except TypeError as error:
            if error.__cause__ is not None:  # the line is that of a function that is called
                raise
            raise TypeError(f"{path}:{self._line}: {error}") from error

    def whole(self, name: str, kinds: tuple[Any, ...]) -> str:
        """Return the text of the function."""
        listed = [
            f"{native} %a{number}.{n}"
            for number, kind in enumerate(kinds)
            for n, native in enumerate(natives(kind))
        ]
        kind = self._variables.get(RESULT, NONE)
        self._lines += ["br label %end", "end:"]
        end = "ret void"
        if kind != NONE:
            result, returned = self._load(RESULT), returned_type(kind)
            if len(result.parts) == 1:
                end = f"ret {returned} {result.parts[0]}"
            else:
                whole = "undef"
                for n, (native, part) in enumerate(zip(natives(kind), result.parts, strict=True)):
                    whole = self.new(f"insertvalue {returned} {whole}, {native} {part}, {n}")
                end = f"ret {returned} {whole}"
        long = self._function in (*self._scope.get("KERNELS", ()), *self._scope.get("CALLED", ()))
        inline = "noinline" if long else "alwaysinline"
        head = (
            f"define internal {returned_type(kind)} @{name}({', '.join(listed)}) nounwind {inline}"
        )
        return self.define(head, end)

    def define(self, head: str, end: str) -> str:
        for name in self._names:
            for n, native in enumerate(natives(self._variables[name])):
                self._rooms.append(f"%v.{name}.{n} = alloca {native}")
        return "\n".join([f"{head} {{", *self._rooms, *self._lines, end, "}"])

    def _label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def _begin(self, label: str) -> None:
        """Begin a block, to which the current one continues."""
        self._lines += [f"br label %{label}", f"{label}:"]

    def _leave(self, label: str) -> None:
        """End the current block; what follows in the source is not reached from it."""
        self._lines += [f"br label %{label}", f"{self._label()}:"]

    def _branch(self, condition: Value, yes: str, no: str) -> None:
        self.emit(f"br i1 {self._truth(condition)}, label %{yes}, label %{no}")

    # -------------------------------------------------------------- names

    def _store(self, name: str, value: Value) -> None:
        kind = self._variables.get(name, value.kind)
        both = common(kind, value.kind)
        self.has_changed = self.has_changed or both != kind
        self._variables[name] = both
        self._names[name] = None
        parts = self.cast(value, both).parts
        for n, (native, part) in enumerate(zip(natives(both), parts, strict=True)):
            self.emit(f"store {native} {part}, {pointer(native)} %v.{name}.{n}")

    def _load(self, name: str) -> Value:
        kind = self._variables[name]
        parts = [
            self.new(f"load {native}, {pointer(native)} %v.{name}.{n}")
            for n, native in enumerate(natives(kind))
        ]
        return Value(kind, tuple(parts))

    def _temporary(self, kind: Any) -> str:
        self._count += 1
        name = f".{self._count}"
        self._variables[name] = kind
        self._names[name] = None
        return name

    # -------------------------------------------------------------- statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._line = statement.lineno
            method = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if method is None:
                raise TypeError(f"a kernel cannot use `{ast.unparse(statement)}`")
            method(statement)

    def _do_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.value(node.value)

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._assign(target, value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        self._assign(node.target, self.value(cast(ast.expr, node.value)))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before = self._load(node.target.id)
            self._store(node.target.id, self.operation(node.op, before, self.value(node.value)))
            return
        kind, at = self._place(cast(ast.Subscript, node.target))
        added = self.value(node.value)
        self.put(kind, at, self.operation(node.op, self.get(kind, at), added))

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._store(target.id, value)
        elif isinstance(target, ast.Tuple):
            for number, one in enumerate(target.elts):
                self._assign(one, item(value, number))
        else:
            kind, at = self._place(cast(ast.Subscript, target))
            self.put(kind, at, value)

    def _do_return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._store(RESULT, self.value(node.value))
        self._leave("end")

    def _do_continue(self, node: ast.Continue) -> None:
        self._leave(self._loops[-1][0])

    def _do_break(self, node: ast.Break) -> None:
        self._leave(self._loops[-1][1])

    def _do_if(self, node: ast.If) -> None:
        yes, no, after = self._label(), self._label(), self._label()
        self._branch(self.value(node.test), yes, no)
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self.emit(f"{label}:")
            self._block(statements)
            self.emit(f"br label %{after}")
        self.emit(f"{after}:")

    def _do_while(self, node: ast.While) -> None:
        again, body, after = self._label(), self._label(), self._label()
        self._begin(again)
        self._branch(self.value(node.test), body, after)
        self.emit(f"{body}:")
        with self._loop(again, after):
            self._block(node.body)
        self.emit(f"br label %{again}")
        self.emit(f"{after}:")

    def _do_for(self, node: ast.For) -> None:
        over = node.iter
        if (
            isinstance(over, ast.Call)
            and isinstance(over.func, ast.Name)
            and over.func.id == "range"
        ):
            bounds = [self.cast(self.value(one), "int64") for one in over.args]
            step = self.value(over.args[2]) if len(bounds) == 3 else literal(1)
            start = bounds[0] if len(bounds) > 1 else literal(0)
            self._count_through(node, start, bounds[min(len(bounds), 2) - 1], step, lambda n: n)
            return
        every = self.value(over)
        is_array = isinstance(every.kind, Shaped)
        many = Value("int64", (every.parts[1],)) if is_array else literal(len(every.kind))
        of = self._item if is_array else self._pick
        self._count_through(node, literal(0), many, literal(1), functools.partial(of, every))

    def _count_through(
        self, node: ast.For, start: Value, stop: Value, step: Value, of: Callable[[Value], Value]
    ) -> None:
        """Write a loop that counts up, or down if the step is a negative constant."""
        again, body, onward, after = (self._label() for _ in range(4))
        counter = self._temporary("int64")
        self._store(counter, start)
        self._begin(again)
        now = self._load(counter)
        counts_down = step.known is not None and step.known < 0
        goes_on = self.compare(ast.Gt() if counts_down else ast.Lt(), now, stop)
        self._branch(goes_on, body, after)
        self.emit(f"{body}:")
        self._assign(node.target, of(now))
        with self._loop(onward, after):
            self._block(node.body)
        self._begin(onward)
        self._store(counter, self.operation(ast.Add(), self._load(counter), step))
        self.emit(f"br label %{again}")
        self.emit(f"{after}:")

    @contextmanager
    def _loop(self, onward: str, after: str) -> Iterator[None]:
        self._loops.append((onward, after))
        yield
        self._loops.pop()

    # -------------------------------------------------------------- expressions

    def value(self, node: ast.expr) -> Value:
        """Write an expression, and return its value."""
        method = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if method is None:
            raise TypeError(f"a kernel cannot use `{ast.unparse(node)}`")
        return cast(Value, method(node))

    def _of_constant(self, node: ast.Constant) -> Value:
        return literal(node.value)

    def _of_name(self, node: ast.Name) -> Value:
        if node.id in self._variables and node.id in self._names:
            return self._load(node.id)
        if node.id not in self._scope:
            raise TypeError(f"`{node.id}` has no value")
        return literal(self._scope[node.id])

    def _of_tuple(self, node: ast.Tuple) -> Value:
        return together([self.value(one) for one in node.elts])

    def _together(self, items: Sequence[Value]) -> Value:
        return Value(tuple(one.kind for one in items), sum((one.parts for one in items), ()))

    def _of_attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if isinstance(value.kind, Shaped) and node.attr == "shape":
            return Value(("int64",) * value.kind.dimensions, value.parts[1:])
        names = list(fields(value.kind)) if isinstance(value.kind, type) else []
        if node.attr not in names:
            raise TypeError(f"`{ast.unparse(node)}` is neither a field nor a shape")
        place = names.index(node.attr)
        return self.field(value, place, kind_of_value(fields(value.kind)[node.attr]))

    def _of_subscript(self, node: ast.Subscript) -> Value:
        value, index = self.value(node.value), node.slice
        if isinstance(index, ast.Slice):
            first = self._index(value, 0, index.lower) if index.lower else literal(0)
            last = (
                self._index(value, 0, index.upper)
                if index.upper
                else Value("int64", (value.parts[1],))
            )
            length = self.operation(ast.Sub(), last, first)
            return Value(value.kind, (self.at(value, [first]), *length.parts, *value.parts[2:]))
        if not isinstance(value.kind, Shaped):
            return self._pick(value, self.value(index))
        indexes = self._indexes(value, index)
        at, left = self.at(value, indexes), value.kind.dimensions - len(indexes)
        if left:
            return Value(Shaped(value.kind.item, left), (at, *value.parts[-left:]))
        return self.get(value.kind.item, at)

    def _place(self, node: ast.Subscript) -> tuple[str, str]:
        """Return the type and the address of an item that is assigned to."""
        value = self.value(node.value)
        indexes = self._indexes(value, node.slice)
        if len(indexes) != value.kind.dimensions:
            raise TypeError(f"`{ast.unparse(node)}` is not a single number")
        return value.kind.item, self.at(value, indexes)

    def _indexes(self, value: Value, node: ast.expr) -> list[Value]:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        return [self._index(value, axis, one) for axis, one in enumerate(nodes)]

    def _index(self, value: Value, axis: int, node: ast.expr) -> Value:
        index = self.value(node)
        if index.known is not None and index.known < 0:
            length = Value("int64", (value.parts[1 + axis],))
            return self.operation(ast.Add(), length, index)
        return self.cast(index, "int64")

    def _item(self, value: Value, index: Value) -> Value:
        """Return an item of an array with one dimension."""
        return self.get(value.kind.item, self.at(value, [index]))

    def _pick(self, value: Value, index: Value) -> Value:
        """Return an item of a tuple."""
        if index.known is not None:
            return item(value, index.known)
        kind = functools.reduce(common, value.kind)
        native, room = NATIVE[kind], f"%r.{len(self._rooms)}"
        self._rooms.append(f"{room} = alloca {native}, i64 {len(value.kind)}")
        for number in range(len(value.kind)):
            part = self.cast(item(value, number), kind).parts[0]
            at = self.gep(native, room, str(number))
            self.emit(f"store {native} {part}, {pointer(native)} {at}")
        at = self.gep(native, room, self.cast(index, "int64").parts[0])
        return Value(kind, (self.new(f"load {native}, {pointer(native)} {at}"),))

    def _of_ifexp(self, node: ast.IfExp) -> Value:
        yes, no, after = self._label(), self._label(), self._label()
        self._branch(self.value(node.test), yes, no)
        lines, self._lines = self._lines, [f"{yes}:"]
        first, room = self.value(node.body), self._temporary(None)
        first_lines, self._lines = self._lines, [f"{no}:"]
        second = self.value(node.orelse)
        self._variables[room] = common(first.kind, second.kind)
        self._store(room, second)
        second_lines, self._lines = self._lines, first_lines
        self._store(room, first)
        self.emit(f"br label %{after}")
        self._lines = [*lines, *self._lines, *second_lines]
        self._begin(after)
        return self._load(room)

    def _of_boolop(self, node: ast.BoolOp) -> Value:
        room, after = self._temporary("boolean"), self._label()
        for number, one in enumerate(node.values):
            truth = Value("boolean", (self._truth(self.value(one)),))
            self._store(room, truth)
            if number < len(node.values) - 1:
                onward = self._label()
                both = (onward, after) if isinstance(node.op, ast.And) else (after, onward)
                self._branch(truth, *both)
                self.emit(f"{onward}:")
        self._begin(after)
        return self._load(room)

    def _truth(self, value: Value) -> str:
        if value.kind != "boolean":
            raise TypeError(f"a condition of type {value.kind}; compare it with a number")
        return value.parts[0]

    def _of_compare(self, node: ast.Compare) -> Value:
        found = None
        left = self.value(node.left)
        for operator, other in zip(node.ops, node.comparators, strict=True):
            right = self.value(other)
            if isinstance(operator, ast.In):
                equal = [
                    self.compare(ast.Eq(), left, item(right, n)) for n in range(len(right.kind))
                ]
                holds = functools.reduce(lambda a, b: self.operation(ast.BitOr(), a, b), equal)
            else:
                holds = self.compare(operator, left, right)
            found = holds if found is None else self.operation(ast.BitAnd(), found, holds)
            left = right
        return cast(Value, found)

    def _of_unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value("boolean", (self.new(f"xor i1 {self._truth(value)}, true"),))
        if not isinstance(node.op, ast.USub):
            raise TypeError(f"a kernel cannot use `{ast.unparse(node)}`")
        if value.known is not None:
            return literal(-value.known)
        if value.kind in BITS:
            return self.operation(ast.Sub(), literal(0), value)
        return Value(
            value.kind, (self.new(f"fneg {self._flags}{NATIVE[value.kind]} {value.parts[0]}"),)
        )

    def _of_binop(self, node: ast.BinOp) -> Value:
        return self.operation(node.op, self.value(node.left), self.value(node.right))

    # -------------------------------------------------------------- types

    # -------------------------------------------------------------- calls

    def _of_call(self, node: ast.Call) -> Value:
        if node.keywords:
            raise TypeError(f"`{ast.unparse(node)}` names its arguments")
        given = [self.value(one) for one in node.args]
        if isinstance(node.func, ast.Attribute):
            module = node.func.value
            if not isinstance(module, ast.Name) or self._scope.get(module.id) is not np:
                raise TypeError(f"a kernel cannot call `{ast.unparse(node.func)}`")
            if node.func.attr == "logaddexp":
                return self.call(logaddexp, [self.cast(one, "float64") for one in given])
            return self.numpy(node.func.attr, given)
        name = cast(ast.Name, node.func).id
        function = self._scope.get(name)
        if isinstance(function, FunctionType):
            return self.call(function, given)
        if name == "len":
            of = given[0]
            return (
                Value("int64", (of.parts[1],))
                if isinstance(of.kind, Shaped)
                else literal(len(of.kind))
            )
        if name in ("min", "max"):
            return functools.reduce(lambda a, b: self.extreme(name, a, b), given)
        if name == "abs":
            return self.numpy(name, given)
        raise TypeError(f"a kernel cannot call `{name}`")

    def call(self, function: Any, given: Sequence[Value]) -> Value:
        """Call a function of this package."""
        name, kind = self._module.function(function, tuple(one.kind for one in given))
        arguments = ", ".join(
            f"{native} {part}"
            for one in given
            for native, part in zip(natives(one.kind), one.parts, strict=True)
        )
        called = f"call {returned_type(kind)} @{name}({arguments})"
        if kind == NONE:
            self.emit(called)
            return Value(NONE, ())
        whole, many = self.new(called), natives(kind)
        if len(many) == 1:
            return Value(kind, (whole,))
        parts = [
            self.new(f"extractvalue {returned_type(kind)} {whole}, {n}") for n in range(len(many))
        ]
        return Value(kind, tuple(parts))
