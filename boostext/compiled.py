"""Compile plain functions with LLVM when they are first used.

    fast = compiled(count_terms, "int32[::1], int64")
    result = fast(ids, 5) if fast else plain_count(ids, 5)

A kernel is an ordinary function of arrays, named tuples of arrays, and numbers. It may call other
functions of this package, which are compiled along with it. It does not allocate arrays; working
memory is an argument. `machine_code` translates it. Its machine code is cached in a folder of the
user (`BOOSTEXT_CACHE_DIR`, `XDG_CACHE_HOME` or the default of the system), or not at all if no
folder is writable.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from boostext.atomic import replacing
from boostext.errors import BoostextError
from boostext.packs import SLOTS, Code, array_kind, called, kinds_of, llvm_target

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_lock = threading.RLock()
_made: dict[Any, Any] = {}
_hooks: list[Callable[[], None]] = []


def compiled(function: Kernel, signature: str = "") -> Kernel | None:
    """Return the compiled kernel, or None if LLVM cannot be used (see `notice`).

    signature: the types of the arguments, such as "int32[::1], float64[:, ::1], int64". Without
    it, types are taken from the annotations: int, float, bool, `Annotated[Any, "int32[::1]"]`, and
    NamedTuples of these, which the caller packs (see `packs.Packed`). A kernel has one signature;
    arrays of other types are refused with a TypeError.
    """
    with _lock:
        key = (function, signature)
        if key not in _made:
            _made[key] = None if notice() else _make(function, signature)
        return cast("Kernel | None", _made[key])


def loaded() -> bool:
    """Whether a kernel has been loaded, so that another takes little time."""
    return any(kernel is not None for kernel in _made.values())


def notice() -> str:
    """Return one sentence for the user on why kernels cannot be compiled; "" if they can."""
    if os.environ.get("BOOSTEXT_DISABLE_JIT", "0") not in ("", "0"):
        return f"BOOSTEXT_DISABLE_JIT is set; {SLOWER}"
    with _lock:
        known = _failure.cache_info().currsize > 0
        return _failure() if known or not _has_compiled() else ""


SLOWER = "the plain code does the same work, slower"


def on_compile(hook: Callable[[], None]) -> None:
    """Call `hook` once, before the first kernel that is not in the cache is compiled."""
    _hooks.append(hook)


@functools.cache
def _failure() -> str:
    """Return why LLVM cannot be used, found by compiling and calling the smallest kernel, or ""."""
    try:
        from boostext.machine_code import translate
    # shared libraries fail to load in many ways
    except (ImportError, OSError, AttributeError, SystemError, RuntimeError) as error:
        return f"llvmlite cannot be imported ({error}); {SLOWER}"
    kinds = ["int64"]
    try:
        if Native(translate(_same, kinds), kinds)(1) != 1:
            raise RuntimeError("it returned another number than expected")
    except Exception as error:  # noqa: BLE001  # a version of llvmlite that is not as expected
        reason = str(error).partition("\n")[0] or type(error).__name__
        return f"llvmlite cannot compile the kernels ({reason}); {SLOWER}"
    return ""


def _same(number: int) -> int:
    return number


def _make(function: Any, signature: str) -> Any:
    """Load a kernel from the cache, or compile it; None if LLVM turns out not to work."""
    kinds = kinds_of(function, signature)
    path = _cache_file(function, kinds)
    code = _read(path) if path else None
    if code is None:
        if _failure():
            return None
        while _hooks:
            _hooks.pop()()
        from boostext.machine_code import translate

        code = translate(function, kinds)
        if path and STANDARD.issuperset(code.needs):
            _write(path, code)
    return Native(code, kinds)


# Calls ---------------------------------------------------------------------------------------

STANDARD = frozenset(
    name + single
    for name in ("ceil", "exp", "expm1", "fabs", "floor", "log", "log1p", "pow", "rint", "sqrt")
    for single in ("", "f")
) | {"memcpy", "memmove", "memset"}
"""The functions of C that any process has. Code that needs others is not used."""


class Native:
    """A kernel as machine code, which is called like the function that it was compiled from.

    The lock of Python's interpreter is released during a call.
    """

    def __init__(self, code: Code, kinds: list[Any]) -> None:
        parameters = [_parameter(kind) for kind in kinds]
        self._flatten = [flatten for _, flatten in parameters]
        # a row of the table for each argument, as in `Packed`, then the results
        self._table = struct.Struct("=" + "".join(letters for letters, _ in parameters))
        numbers = "".join("d" if kind == "float64" else "q" for kind in code.results)
        self._results = struct.Struct("=" + numbers)
        self._is_boolean = code.results == ("boolean",)
        self._size = self._table.size + self._results.size
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_loaded(code))

    def __call__(self, *arguments: Any) -> Any:
        given: list[Any] = []
        for flatten, argument in zip(self._flatten, arguments, strict=True):
            flatten(argument, given)
        table = ctypes.create_string_buffer(self._size)
        self._table.pack_into(table, 0, *given)
        self._call(table)
        found = self._results.unpack_from(table, self._table.size)
        if len(found) == 1:
            return bool(found[0]) if self._is_boolean else found[0]
        return found or None


def _parameter(kind: Any) -> tuple[str, Callable[[Any, list[Any]], None]]:
    """Return how `struct` writes a parameter, and a function that appends an argument so."""
    if not isinstance(kind, str):
        return _row("q"), lambda packed, given: given.append(packed.address)
    if "[" not in kind:
        turn = float if kind == "float64" else int
        return _row("d" if turn is float else "q"), lambda number, given: given.append(turn(number))
    dtype, ndim = array_kind(kind)

    def flatten(array: Any, given: list[Any]) -> None:
        if array.dtype != dtype or array.ndim != ndim or not array.flags.carray:
            raise TypeError(f"{array.dtype}, {array.ndim} dimensions, where {kind} belongs")
        given += (array.__array_interface__["data"][0], *array.shape)

    return _row("q" * (1 + ndim)), flatten


def _row(letters: str) -> str:
    return f"{letters}{8 * (SLOTS - len(letters))}x"


@functools.cache
def _engine() -> Any:
    """Return the engine of LLVM that loads machine code into this process."""
    from llvmlite import binding

    machine = llvm_target().create_target_machine(codemodel="jitdefault", jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _loaded(code: Code) -> int:
    """Load the code into memory and return the address of its function."""
    from llvmlite import binding

    _engine().add_object_file(binding.ObjectFileRef.from_data(code.content))
    _engine().finalize_object()
    return int(_engine().get_function_address(code.name))


# The cache -----------------------------------------------------------------------------------


def _read(path: Path) -> Code | None:
    """Return the cached code, or None if the file is missing or damaged."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    head, _, content = content.partition(b"\n")
    name, results = json.loads(head)
    return Code(name, tuple(results), (), content)


def _write(path: Path, code: Code) -> None:
    head = json.dumps([code.name, code.results]).encode()
    content = head + b"\n" + code.content
    with suppress(BoostextError), replacing(path) as file:
        file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _cache_file(function: Any, kinds: list[Any]) -> Path | None:
    """Return the file for the code of a kernel, whose name includes all that the code depends on.

    Processes that write at the same time therefore write the same code.
    """
    folder = _cache_folder()
    if folder is None:
        return None
    sources = sorted(_sources(function))
    try:
        content = b"".join(Path(source).read_bytes() for source in sources)
    except OSError:
        return None
    digest = hashlib.sha256(f"{function.__name__} {kinds}".encode() + content).hexdigest()
    return folder / f"{function.__name__}-{digest[:16]}"


def _sources(function: Any) -> set[str]:
    """Return the source files of a kernel and of all functions that it calls, and of this package
    that translates them.
    """
    here = Path(__file__)
    own = (here.with_name(f"{name}.py") for name in ("packs", "instructions", "machine_code"))
    files = {function.__code__.co_filename, str(here), *map(str, own)}
    return files.union(*map(_sources, called(function).values()))


@functools.cache
def _cache_folder() -> Path | None:
    """Return a writable folder for the code of this machine and these versions, or None."""
    import tempfile

    # without llvmlite, or with a broken one, there is no version
    try:
        folder = _cache_home() / hashlib.sha256(_machine()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (ImportError, AttributeError, OSError, SystemError, RuntimeError, ValueError, TypeError):
        return None
    return folder


@functools.cache
def _has_compiled() -> bool:
    """Whether kernels were compiled on this machine with these versions, so that LLVM works."""
    folder = _cache_folder()
    return folder is not None and any(folder.iterdir())


def _machine() -> bytes:
    """Return what machine code depends on, apart from the sources. Raises if LLVM is missing."""
    import llvmlite
    from llvmlite import binding

    processor = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    versions = [llvmlite.__version__, *map(str, binding.llvm_version_info), sys.version]
    return "\n".join([*versions, *processor]).encode("utf-8")


def _cache_home() -> Path:
    """Return the user's cache folder. Raises RuntimeError if the user has no home folder."""
    given = os.environ.get("BOOSTEXT_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "boostext"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "boostext" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "boostext"
    return Path.home() / ".cache" / "boostext"
