"""Compile plain functions with numba when they are first used.

    fast = compiled(count_terms, "int32[::1], int64")
    result = fast(ids, 5) if fast else plain_count(ids, 5)

A kernel is an ordinary function of arrays, named tuples of arrays, and numbers. It may call other
functions of this package, which are compiled along with it. It does not allocate arrays; working
memory is an argument. Its machine code is cached in a folder of the user (`NUMBA_CACHE_DIR`,
`XDG_CACHE_HOME` or the default of the system), or not at all if no folder is writable. Cached code
is loaded by llvmlite alone (`machine_code`), and so are kernels that were translated when the
package was built (`built`). numba, which is slow to import, is imported only to translate others
(`translation`), or to find out whether it works if nothing has been compiled or built yet.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import json
import os
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from boostext.atomic import replacing
from boostext.built import built, has_built
from boostext.errors import BoostextError
from boostext.packs import Bitcode, Code, array_kind, called, fields, kinds_of

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_lock = threading.RLock()
_made: dict[Any, Any] = {}
_hooks: list[Callable[[], None]] = []
_spares_blas = False


def compiled(function: Kernel, signature: str = "") -> Kernel | None:
    """Return the compiled kernel, or None if numba cannot be used (see `notice`).

    signature: the types of the arguments in numba's notation, such as "int32[::1], float64[:, ::1],
    int64". Without it, types are taken from the annotations: int, float, bool,
    `Annotated[Any, "int32[::1]"]`, and NamedTuples of these, which the caller packs (see
    `packs.Packed`). A kernel has one signature; arrays of other types are refused with a TypeError.
    """
    with _lock:
        key = (function, signature)
        if key not in _made:
            _made[key] = None if notice() else _make(function, signature)
        return cast("Kernel | None", _made[key])


def kernels_of(module: Any) -> dict[Any, str]:
    """Return the kernels of a module with their signatures, from its SIGNATURES and KERNELS."""
    return {
        **dict.fromkeys(getattr(module, "KERNELS", ()), ""),
        **getattr(module, "SIGNATURES", {}),
    }


def loaded() -> bool:
    """Whether a kernel has been loaded, so that another takes little time."""
    return any(kernel is not None for kernel in _made.values())


def notice() -> str:
    """Return one sentence for the user on why kernels cannot be compiled; "" if they can."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return f"NUMBA_DISABLE_JIT is set; {SLOWER}"
    with _lock:
        known = _numba.cache_info().currsize > 0
        return "" if not known and (has_compiled() or has_built()) else _numba()[1]


SLOWER = "the plain code does the same work, slower"


def spare_blas() -> None:
    """Import numba without SciPy's BLAS, which no kernel here uses; this saves a tenth of a second.

    This is only for programs that use no other kernels, because those may multiply matrices.
    """
    global _spares_blas
    _spares_blas = True


def on_compile(hook: Callable[[], None]) -> None:
    """Call `hook` once, before the first kernel that is not in the cache is compiled."""
    _hooks.append(hook)


@functools.cache
def _numba() -> tuple[Any, str]:
    """Return the module, or None and the reason."""
    try:
        import numba
    # numba and llvmlite fail in many ways with versions of NumPy or LLVM that they do not support
    except (ImportError, OSError, AttributeError, SystemError, RuntimeError) as error:
        return None, f"numba cannot be imported ({error}); {SLOWER}"
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None, f"numba's configuration disables compiling; {SLOWER}"
    if _spares_blas:
        _import_without_blas()
    try:
        _try_out()
    except Exception as error:  # noqa: BLE001  # a version of numba whose inner parts are not as expected
        reason = str(error).partition("\n")[0] or type(error).__name__
        return None, f"numba {numba.__version__} cannot compile the kernels ({reason}); {SLOWER}"
    return numba, ""


def _try_out() -> None:
    """Compile, load and call the smallest kernel."""
    kinds = ["int64"]
    if Native(_compile(_same, kinds), kinds)(1) != 1:
        raise RuntimeError("it returned another number than expected")


def _same(number: int) -> int:
    return number


BLAS = "scipy.linalg.cython_blas"


def _import_without_blas() -> None:
    """Import the part of numba that looks for BLAS as if it were not installed."""
    if BLAS in sys.modules:
        return
    sys.modules[BLAS] = None  # type: ignore[assignment]  # makes the import fail
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[BLAS]


def _make(function: Any, signature: str) -> Any:
    """Load a kernel from the cache, or compile it; None if numba turns out not to work."""
    kinds = kinds_of(function, signature)
    name, folder = file_name(function, kinds), _cache_folder()
    path = folder / name if folder and name else None
    code = _read(path) if path else None
    if code is None:
        bitcode = built(name)
        if bitcode is None and _numba()[0] is None:
            return None
        while _hooks:
            _hooks.pop()()
        code = _compile(function, kinds, bitcode)
        if path and STANDARD.issuperset(code.needs):
            _write(path, code)
    return Native(code, kinds)


def _compile(function: Any, kinds: list[Any], bitcode: Bitcode | None = None) -> Code:
    from boostext.machine_code import assemble

    if bitcode is None:
        from boostext.translation import translate

        bitcode = translate(function, kinds)
    return assemble(bitcode)


# Calls ---------------------------------------------------------------------------------------

NATIVE = {
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
    "float64": ctypes.c_double,
    "boolean": ctypes.c_bool,
}
"""The types of numbers that kernels take and return."""
PAIR = "UniTuple(int64 x 2)"
"""The type of a result of two integers."""
STANDARD = frozenset(
    name + single
    for name in ("ceil", "exp", "expm1", "fabs", "floor", "log", "log1p", "pow", "rint", "sqrt")
    for single in ("", "f")
) | {"memcpy", "memmove", "memset"}
"""The functions of C that any process has. Code that needs others, such as those of Intel's SVML,
is not cached, because a process that has not imported numba may not have them."""
FINE = (0, -2)
"""What the function of a kernel returns if it did not fail."""


class Native:
    """A kernel as machine code, which is called like the function that it was compiled from.

    The lock of Python's interpreter is released during a call.
    """

    def __init__(self, code: Code, kinds: list[Any]) -> None:
        taken, self._flatten = zip(*map(_parameter, kinds), strict=True)
        self._read = _result(code.result)
        pointer = ctypes.c_void_p
        native = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, *sum(taken, ()))
        from boostext.machine_code import load

        self._call = native(load(code))

    def __call__(self, *arguments: Any) -> Any:
        given: list[Any] = []
        for flatten, argument in zip(self._flatten, arguments, strict=True):
            flatten(argument, given)
        room = (ctypes.c_int64 * 3)()  # for the result, and for a pointer to an error
        place = ctypes.addressof(room)
        status = self._call(place, place + 16, *given)
        if status not in FINE:
            raise RuntimeError(f"a kernel failed with status {status}")
        return self._read(room)


def _result(kind: str) -> Callable[[Any], Any]:
    """Return a function that reads a result of this type from memory."""
    if kind == "none":
        return lambda room: None
    if kind == PAIR:
        return lambda room: (room[0], room[1])
    native: Any = NATIVE[kind]
    return lambda room: native.from_buffer(room).value


def _parameter(kind: Any) -> tuple[tuple[Any, ...], Callable[[Any, list[Any]], None]]:
    """Return the native types of a parameter, and a function that appends an argument as these.

    An array is passed as its address and its shape; see machine_code.Grid.
    """
    if not isinstance(kind, str):
        return (ctypes.c_void_p,), lambda packed, given: given.append(packed.address)
    if "[" not in kind:
        turn = float if kind == "float64" else int
        return (NATIVE[kind],), lambda number, given: given.append(turn(number))
    dtype, ndim = array_kind(kind)

    def flatten(array: Any, given: list[Any]) -> None:
        if array.dtype != dtype or array.ndim != ndim or not array.flags.carray:
            raise TypeError(f"{array.dtype}, {array.ndim} dimensions, where {kind} belongs")
        address = array.__array_interface__["data"][0]
        given += (address, *array.shape)

    return (ctypes.c_void_p, *[ctypes.c_int64] * ndim), flatten


# The cache -----------------------------------------------------------------------------------


def _read(path: Path) -> Code | None:
    """Return the cached code, or None if the file is missing, damaged or of another user.

    The code is run, so that nobody else may have written it, even if the folder is shared.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | NO_WAIT), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or not _is_own(about):
                return None
            digest, _, content = file.read().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    head, _, content = content.partition(b"\n")
    name, result = json.loads(head)
    return Code(name, result, (), content)


NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How files are opened, so that a pipe with the name of a file is not waited for."""


def _is_own(about: os.stat_result) -> bool:
    """Whether only this user, or root, can have written a file. Windows has no such numbers."""
    if sys.platform == "win32":
        return True
    return about.st_uid in (0, os.geteuid()) and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, code: Code) -> None:
    head = json.dumps([code.name, code.result]).encode()
    content = head + b"\n" + code.content
    with suppress(OSError):
        path.unlink(missing_ok=True)  # a replaced file would keep permissions that are too wide
    with suppress(BoostextError), replacing(path) as file:
        if sys.platform != "win32":
            os.fchmod(file.fileno(), 0o644)
        file.write(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def file_name(function: Any, kinds: list[Any]) -> str:
    """Return the name of the file for a kernel, which includes all that its code depends on.

    Processes that write at the same time therefore write the same code. The name is empty if a
    source file cannot be read.
    """
    sources = sorted(_sources(function))
    try:
        content = b"".join(Path(source).read_bytes() for source in sources)
    except OSError:
        return ""
    known = (
        f"{function.__name__} {[_written(kind) for kind in kinds]} {sorted(_constants(function))}"
    )
    digest = hashlib.sha256(known.encode() + content).hexdigest()
    return f"{function.__name__}-{digest[:16]}"


def _sources(function: Any) -> set[str]:
    """Return the source files of a kernel and of all functions that it calls, and of the modules
    that compile them.
    """
    here = Path(__file__)
    others = (here.with_name(f"{name}.py") for name in ("machine_code", "translation"))
    files = {function.__code__.co_filename, str(here), *map(str, others)}
    return files.union(*map(_sources, called(function).values()))


def _constants(function: Any) -> set[str]:
    """Return the constants that a kernel and all functions that it calls use, with their values.

    They may come from other source files.
    """
    scope = function.__globals__
    used = {name: scope[name] for name in function.__code__.co_names if name in scope}
    own = {f"{name}={one!r}" for name, one in used.items() if isinstance(one, int | float | tuple)}
    return own.union(*map(_constants, called(function).values()))


def _written(kind: Any) -> Any:
    """Return a type as text, with the fields of named tuples."""
    if isinstance(kind, str):
        return kind
    return [kind.__qualname__, *((name, _written(one)) for name, one in fields(kind).items())]


@functools.cache
def _cache_folder() -> Path | None:
    """Return a writable folder for the code of this machine and these versions, or None."""
    import tempfile

    # without numba, or with a broken one, there is no version
    try:
        folder = _cache_home() / hashlib.sha256(_machine()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (ImportError, AttributeError, OSError, RuntimeError, ValueError, TypeError):
        return None
    return folder


@functools.cache
def has_compiled() -> bool:
    """Whether kernels were compiled on this machine with these versions, so that numba works."""
    folder = _cache_folder()
    try:
        return folder is not None and any(folder.iterdir())
    except OSError:  # somebody removed the folder, or may write there and not read
        return False


def _machine() -> bytes:
    """Return what machine code depends on, apart from the sources. Raises if numba is missing."""
    import llvmlite
    import numpy as np
    from llvmlite import binding

    found = importlib.util.find_spec("numba")
    numba = Path(cast(str, found.origin)).with_name("_version.py").read_text("utf-8")  # type: ignore[union-attr]
    processor = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    versions = [numba, llvmlite.__version__, np.__version__, sys.version]
    return "\n".join([*versions, *processor]).encode("utf-8")


def _cache_home() -> Path:
    """Return the user's cache folder. Raises RuntimeError if the user has no home folder."""
    given = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "boostext"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "boostext" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "boostext"
    return Path.home() / ".cache" / "boostext"
