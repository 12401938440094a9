"""Compile plain functions with numba when they are first used.

    fast = compiled(count_terms, "int32[::1], int64")
    result = fast(ids, 5) if fast else plain_count(ids, 5)

A kernel is an ordinary function of arrays, named tuples of arrays, and numbers. It may call other
functions of this package, which are compiled along with it. It does not allocate arrays; working
memory is an argument. Compiled code is cached in a folder of the user (`NUMBA_CACHE_DIR`,
`XDG_CACHE_HOME` or the default of the system), or not at all if no folder is writable. numba is
imported by the first call of `compiled`, never by importing this module.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
"""Options of all kernels. Division by 0 gives infinity and no memory is allocated, so the code
for both cases is omitted, which makes kernels faster to compile and to run.
"""

_lock = threading.RLock()
_made: dict[Any, Any] = {}
_hooks: list[Callable[[], None]] = []
_dispatchers: list[Any] = []
_spares_blas = False


def compiled(function: Kernel, signature: str = "") -> Kernel | None:
    """Return the compiled kernel, or None if numba cannot be used (see `notice`).

    signature: the types of the arguments in numba's notation, such as "int32[::1], float64[:, ::1],
    int64". Without it, types are taken from the annotations: int, float, bool,
    `Annotated[Any, "int32[::1]"]`, and NamedTuples of these, which the caller packs (see `packs`).
    A kernel has one signature and must be called with arguments of those types.
    """
    with _lock:
        key = (function, signature)
        if key not in _made:
            _made[key] = _compile(function, signature) if _numba()[0] else None
        return cast("Kernel | None", _made[key])


def loaded() -> bool:
    """Whether numba has been imported, so that using kernels takes no import."""
    return "numba" in sys.modules and _numba()[0] is not None


def notice() -> str:
    """Return one sentence for the user on why kernels cannot be compiled; "" if they can."""
    return _numba()[1]


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
    slower = "the plain code does the same work, slower"
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return None, f"NUMBA_DISABLE_JIT is set; {slower}"
    try:
        import numba
        from numba.core import event
    # numba and llvmlite fail in many ways with versions of NumPy or LLVM that they do not support
    except (ImportError, OSError, AttributeError, SystemError, RuntimeError) as error:
        return None, f"numba cannot be imported ({error}); {slower}"
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None, f"numba's configuration disables compiling; {slower}"
    if _spares_blas:
        _import_without_blas()
    event.register("numba:compile", _listener(event.Listener))  # type: ignore[no-untyped-call]
    return numba, ""


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


def _listener(base: Any) -> Any:
    """Return a listener that calls the hooks once, when code is compiled and not just loaded."""

    class Compiling(base):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if event.data["dispatcher"] not in _dispatchers:
                return
            while _hooks:
                _hooks.pop()()

        def on_end(self, event: Any) -> None:
            pass

    return Compiling()


# a full disk, or a damaged cache file, which numba reads with pickle and which then raises these
_CACHE_FAILURES = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    ImportError,
    AttributeError,
    TypeError,
    LookupError,
    pickle.UnpicklingError,
)


def _compile(function: Any, signature: str) -> Any:
    folder = _cache_folder(frozenset(_sources(function)))
    if folder is None:
        return _decorate(function, signature, cache=False)
    try:
        with _cache_at(folder):
            return _decorate(function, signature, cache=True)
    except _CACHE_FAILURES:
        return _decorate(function, signature, cache=False)


def _decorate(function: Any, signature: str, cache: bool) -> Any:
    numba, _ = _numba()
    dispatcher = numba.njit(cache=cache, **OPTIONS)(_with_kernels(function))
    _dispatchers.append(dispatcher)
    dispatcher.compile(f"({signature},)" if signature else _annotated_types(function))
    dispatcher.disable_compile()
    return dispatcher


def _annotated_types(function: Any) -> tuple[Any, ...]:
    """Return numba's types of the arguments, from the annotations."""
    from boostext.packs import numba_type

    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    return tuple(map(numba_type, hints.values()))


def _called(function: Any) -> dict[str, Any]:
    """Return the functions of this package that a kernel calls, by their names in the kernel."""
    scope = function.__globals__
    room = function.__module__.partition(".")[0]
    return {
        name: scope[name]
        for name in function.__code__.co_names
        if isinstance(scope.get(name), types.FunctionType)
        and scope[name].__module__.partition(".")[0] == room
    }


def _sources(function: Any) -> set[str]:
    """Return the source files of a kernel and of all functions that it calls."""
    files = {function.__code__.co_filename}
    return files.union(*map(_sources, _called(function).values()))


def _with_kernels(function: Any) -> Any:
    """Return the function with calls to functions of the package replaced by compiled ones."""
    inner = {name: _inner(called) for name, called in _called(function).items()}
    if not inner:
        return function
    twin = types.FunctionType(
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
    options = OPTIONS | {"no_cpython_wrapper": True}
    return _numba()[0].njit(fastmath=fastmath, forceinline=inline, **options)(
        _with_kernels(function)
    )


@functools.cache
def _cache_folder(sources: frozenset[str]) -> Path | None:
    """Return a writable folder for the code of these files on this machine, or None.

    The name includes everything that the code depends on. Processes that write at the same time
    therefore write the same code, and code of other versions or processors is never loaded.
    """
    try:
        content = b"".join(Path(source).read_bytes() for source in sorted(sources))
        folder = _cache_home() / hashlib.sha256(content + _machine()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):
        return None
    return folder


def _machine() -> bytes:
    from llvmlite import binding

    numba, _ = _numba()
    features = binding.get_host_cpu_features().flatten()
    parts = [numba.__version__, sys.version, binding.get_host_cpu_name(), features]
    return "\n".join(parts).encode("utf-8")


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


@contextmanager
def _cache_at(folder: Path) -> Iterator[None]:
    """Set numba's global cache folder within the block, without affecting other users of numba."""
    numba, _ = _numba()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
