"""Machine code for plain functions, made by numba when first asked for.

    fast = compiled(count_terms, "int32[::1], int64")
    result = fast(ids, 5) if fast else plain_count(ids, 5)

A kernel is an ordinary function over arrays, named tuples of arrays, and numbers; it may call other
functions of this package, which are compiled along with it. It makes no arrays of its own: the room
that it works in is an argument. Code is cached in a folder of the user
(`NUMBA_CACHE_DIR`, `XDG_CACHE_HOME` or the system's own place), or not at all where no folder can
be written. numba is imported by the first call of `compiled`, never by importing this module.
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
    "nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True,
}  # fmt: skip
"""What all kernels have in common: a division by 0 is infinite, no memory is asked for, so that
neither is looked after in machine code, which takes less time to make and to run.
"""

_lock = threading.RLock()
_made: dict[Any, Any] = {}
_hooks: list[Callable[[], None]] = []
_dispatchers: list[Any] = []
_spares_blas = False


def compiled(function: Kernel, signature: str = "") -> Kernel | None:
    """The compiled twin of a kernel, or None where numba cannot be used (see `notice`).

    signature: the types of its arguments as numba writes them, "int32[::1], float64[:, ::1],
    int64", compiled at once; without one they are read off its annotations: int, float, bool,
    `Annotated[Any, "int32[::1]"]`, and NamedTuples of such, which the caller packs (see `packs`). A
    kernel has one signature: call it with arrays of those types.
    """
    with _lock:
        key = (function, signature)
        if key not in _made:
            _made[key] = _compile(function, signature) if _numba()[0] else None
        return cast("Kernel | None", _made[key])


def loaded() -> bool:
    """Whether numba is at hand, so that kernels cost no import."""
    return "numba" in sys.modules and _numba()[0] is not None


def notice() -> str:
    """Why kernels cannot be compiled, in one sentence for the user; "" where they can."""
    return _numba()[1]


def spare_blas() -> None:
    """Let numba do without SciPy's BLAS, which no kernel of ours needs: a tenth of a second less.

    For programs of which this package is all; others may have kernels that multiply matrices.
    """
    global _spares_blas
    _spares_blas = True


def on_compile(hook: Callable[[], None]) -> None:
    """Call `hook` once, before the first kernel that is compiled and not found in the cache."""
    _hooks.append(hook)


@functools.cache
def _numba() -> tuple[Any, str]:
    """The module, or None with the reason."""
    slower = "the plain code does the same work, slower"
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return None, f"NUMBA_DISABLE_JIT is set; {slower}"
    try:
        import numba
        from numba.core import event
    # numba and llvmlite fail in many ways against a NumPy or an LLVM that they do not fit
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
    """Import the part of numba that asks for BLAS as if there were none."""
    if BLAS in sys.modules:
        return
    sys.modules[BLAS] = None  # type: ignore[assignment]  # what makes an import fail
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[BLAS]


def _listener(base: Any) -> Any:
    """Tells the hooks, once, that code is compiled and not only loaded."""

    class Compiling(base):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            if event.data["dispatcher"] not in _dispatchers:
                return
            while _hooks:
                _hooks.pop()()

        def on_end(self, event: Any) -> None:
            pass

    return Compiling()


# a full disk; a damaged cache file, which numba reads by pickle and which then fails in these ways
_CACHE_FAILURES = (
    OSError, EOFError, ValueError, RuntimeError, ImportError, AttributeError, TypeError,
    LookupError, pickle.UnpicklingError,
)  # fmt: skip


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
    """numba's types of the arguments, from the annotations."""
    from boostext.packs import numba_type

    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    return tuple(map(numba_type, hints.values()))


def _called(function: Any) -> dict[str, Any]:
    """The functions of this package that a kernel calls, by the names it has for them."""
    scope = function.__globals__
    room = function.__module__.partition(".")[0]
    return {
        name: scope[name]
        for name in function.__code__.co_names
        if isinstance(scope.get(name), types.FunctionType)
        and scope[name].__module__.partition(".")[0] == room
    }


def _sources(function: Any) -> set[str]:
    """The files of a kernel and of all that it calls."""
    files = {function.__code__.co_filename}
    return files.union(*map(_sources, _called(function).values()))


def _with_kernels(function: Any) -> Any:
    """The function with the functions of the package that it calls replaced by compiled ones."""
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
    """Functions that their module names in ANY_ORDER may add up in the order that is quickest;
    those in its KERNELS or CALLED are long, and not copied into what calls them.
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
    """A folder that can be written, for code of these files and this machine; None without one.

    The name holds all that the code depends on: processes that write at the same time then write
    the same, and code of another version or processor is never met.
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
    """RuntimeError where the user has no home."""
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
    """numba takes its folder from a global of its own; others in this process keep theirs."""
    numba, _ = _numba()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
