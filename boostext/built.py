"""Kernels that were translated to bitcode when the package was built (`hatch_build.py`).

With them, a first run does not import numba, and LLVM is all that it waits for. They are not used
on another kind of processor or system, or with another version of LLVM than they were built for,
nor after a source file was changed, since their names depend on the sources.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from boostext.packs import Bitcode

FOLDER = Path(__file__).with_name("built_kernels")


def built(name: str) -> Bitcode | None:
    """Return the kernel with this name (`compiled.file_name`); None if it was not built."""
    folder = _folder()
    if folder is None:
        return None
    try:
        head, _, content = (folder / name).read_bytes().partition(b"\n")
    except OSError:
        return None
    symbol, result = json.loads(head)
    return Bitcode(symbol, result, content)


def keep(path: Path, code: Bitcode) -> None:
    """Write a kernel to a file, from which `built` reads it."""
    path.write_bytes(json.dumps([code.name, code.result]).encode() + b"\n" + code.content)


def has_built() -> bool:
    """Whether kernels were built for this kind of processor and system."""
    return _folder() is not None


@functools.cache
def _folder() -> Path | None:
    if not FOLDER.is_dir():
        return None
    try:
        from boostext.machine_code import platform
    except (ImportError, OSError):  # without llvmlite, or with a broken one
        return None
    folder = FOLDER / platform()
    return folder if folder.is_dir() else None
