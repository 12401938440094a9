"""Write files atomically, and never replace files that boostext did not write."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import shutil
import stat
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from boostext.errors import BoostextError

try:
    import fcntl
except ImportError:  # Windows, where a file that another process has open cannot be removed
    fcntl = None  # type: ignore[assignment]

LEAST_SPACE = 1024 * 1024
HEAD = 4096
LEFTOVER = re.compile(r"\.boostext-[0-9a-f]{16}\.tmp")
"""Names of files that are not yet complete."""
AGE = 60.0
"""Age in seconds from which an incomplete file of another machine may be considered abandoned.

Locks may not be known on other machines that share a folder. Names begin with digits that stand for
the machine, and what a process of this machine has left is removed at any age.
"""


@dataclass(frozen=True)
class Kind:
    """The kind of an output, which may only replace an earlier output of the same kind.

    name: the kind in messages, such as "a boostext model". owns: whether the first HEAD bytes of a
    file are those of such an output. An empty file may always be replaced.
    """

    name: str
    owns: Callable[[bytes], bool]


NOTHING = Kind("an output that may be replaced", lambda head: False)
"""For outputs that look like files that users write themselves, such as a corpus."""


PAGE = Kind("a page of boostext", lambda head: b'<meta name="generator" content="boostext' in head)


@contextmanager
def replacing(path: str | Path, kind: Kind | None = None) -> Iterator[BinaryIO]:
    """Open a file that becomes `path` if the block succeeds, and is removed otherwise.

    It is written in the same folder, flushed to disk and renamed. If `path` is a link, its target
    is replaced. A replaced file keeps its permissions and owner.

    kind: the kind of file that may be replaced; None allows any file. If a file of another kind was
    created at `path` after `check_writable`, that file is kept, and so is the temporary file.
    Raises BoostextError if the file cannot be written; an existing file is then unchanged.
    """
    target = _target(path)
    remove_leftovers(target.parent)
    temporary = unfinished(target)
    try:
        with _created(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _keep_access(file, target)
            if fcntl is not None:  # the lock must last until the file has its name
                _put(temporary, target, path, kind)
        if fcntl is None:  # Windows cannot rename open files
            _put(temporary, target, path, kind)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def unfinished(target: Path) -> Path:
    """Return a temporary name in the folder of `target`, which LEFTOVER matches."""
    return target.with_name(f".boostext-{_machine()}{os.urandom(4).hex()}.tmp")


@functools.cache
def _machine() -> str:
    """Return eight digits that stand for this machine."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def remove_leftovers(folder: Path) -> None:
    """Remove incomplete files in a folder that killed runs have left. Never raises an error.

    A run locks the file that it writes, and the lock ends with its process.
    """
    with contextlib.suppress(OSError):
        found = [entry for entry in os.scandir(folder) if LEFTOVER.fullmatch(entry.name)]
        for entry in found:
            with contextlib.suppress(OSError):
                is_own = fcntl is not None and entry.name.startswith(f".boostext-{_machine()}")
                if is_own or time.time() - entry.stat(follow_symlinks=False).st_mtime > AGE:
                    _remove_dead(Path(entry.path))


def _remove_dead(path: Path) -> None:
    """Remove a file or folder that no process has locked; OSError if one has."""
    if fcntl is None:
        path.unlink()
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(descriptor)


def hold(descriptor: int, path: Path) -> bool:
    """Lock a new file or folder until it is closed, if the system supports this.

    Returns False if another process took it for abandoned, and removed it before it was locked.
    """
    if fcntl is not None:
        with contextlib.suppress(OSError):  # not supported by some network file systems
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _put(temporary: Path, target: Path, path: str | Path, kind: Kind | None) -> None:
    """Give a complete file its name, which survives a power failure."""
    if kind is None:
        temporary.replace(target)
    else:
        _replace_own(temporary, target, path, kind)
    _sync_folder(target.parent)


def _keep_access(file: BinaryIO, target: Path) -> None:
    """Copy permissions and owner of the replaced file to the new file, as far as permitted."""
    if os.name == "nt" or not target.exists():
        return
    before, now = target.stat(), os.fstat(file.fileno())
    with contextlib.suppress(OSError):
        if before.st_gid != now.st_gid:
            os.fchown(file.fileno(), -1, before.st_gid)
    with contextlib.suppress(OSError):
        if before.st_uid != now.st_uid:
            os.fchown(file.fileno(), before.st_uid, -1)
    with contextlib.suppress(OSError):
        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode) & 0o777)


def _replace_own(temporary: Path, target: Path, path: str | Path, kind: Kind) -> None:
    """Rename, unless a file of another kind exists, even one created at the last moment."""
    try:
        os.link(temporary, target)  # unlike a rename, this fails if the target exists
        return
    except FileExistsError:
        pass
    except OSError:  # the file system does not support links
        if not os.path.lexists(target):
            temporary.replace(target)
            return
    if _is_free(target, kind):
        temporary.replace(target)
        return
    kept = target.with_name(f"{target.name}.{os.urandom(4).hex()}.new")
    temporary.replace(kept)
    raise BoostextError(f"{_not_ours(path, kind)}. What was to be written there is in {kept}")


def check_own(path: str | Path, kind: Kind | None) -> None:
    """Raise BoostextError if a file of another kind exists at `path`; None allows any kind."""
    if kind is not None and not _is_free(Path(path), kind):
        raise BoostextError(f"{_not_ours(path, kind)}. Name another place, or add --force")


def _is_free(path: Path, kind: Kind) -> bool:
    """Whether the file can be replaced without loss."""
    try:
        if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISDIR(mode):
            raise BoostextError(NOT_REGULAR.format(path))  # reading a pipe could wait for ever
        with path.open("rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _cannot_write(path, error) from None
    return not head or kind.owns(head)


NOT_REGULAR = "{}: is not a regular file; give the name of a file"


def head_of(path: str | Path) -> bytes:
    """Return the first bytes of a file, or no bytes if it is not a regular file."""
    if not Path(path).is_file():
        return b""
    try:
        with Path(path).open("rb") as file:
            return file.read(HEAD)
    except (OSError, ValueError):
        return b""


def _not_ours(path: str | Path, kind: Kind) -> str:
    what = "is there already" if kind is NOTHING else f"is there already and is not {kind.name}"
    return f"{path}: {what}"


def make_parent(path: str) -> None:
    """Create the folder of a new file if it is missing. BoostextError if a file is in its place."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        parents = Path(path).parents
        file = next((parent for parent in parents if parent.is_file()), Path(path).parent)
        raise BoostextError(f"{path}: {file} is not a folder; name a file in a folder") from None
    except OSError as error:
        raise _cannot_write(path, error) from None


def check_writable(
    path: str | Path, kind: Kind | None = None, *, needed: int = LEAST_SPACE
) -> None:
    """Raise BoostextError if `path` cannot be written. Call it before a long computation.

    kind: the kind of file that may be replaced; None allows any file. needed: the number of bytes
    that must be free.
    """
    target = _target(path)
    check_own(path, kind)
    remove_leftovers(target.parent)
    trial = unfinished(target)
    try:
        _created(trial).close()
        trial.unlink(missing_ok=True)
        free = shutil.disk_usage(target.parent).free
    except OSError as error:
        raise _cannot_write(path, error) from None
    if free < needed:
        raise BoostextError(
            f"{path}: {free} bytes are free there and about {needed} are needed; "
            "free some space or choose another folder"
        )


def _created(path: Path) -> BinaryIO:
    """Create a file with the permissions of the umask, which is locked until it is closed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    while not hold(descriptor, path):
        os.close(descriptor)
        descriptor = os.open(path, flags, 0o666)
    return os.fdopen(descriptor, "wb")


def _target(path: str | Path) -> Path:
    """Resolve links and check that the result is a place where a file can be written."""
    if not str(path) or "\0" in str(path):
        raise BoostextError(f"{str(path)!r} is not a file name; give the file to write")
    if str(path) == "-":
        raise BoostextError(
            "-: this output is a file and cannot be stdout; name a file (./- is one of this name)"
        )
    in_memory = str(path).startswith("/dev/shm/")  # a folder for files that are kept in memory
    if str(path).startswith(("/dev/", "/proc/")) and not in_memory:
        raise BoostextError(f"{path}: is a device, and no file; give the name of a file")
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG
    except OSError as error:
        raise _cannot_write(path, error) from None
    if stat.S_ISDIR(mode):
        raise BoostextError(f"{path}: is a folder; give the name of a file, such as my.boostext")
    if not stat.S_ISREG(mode):
        raise BoostextError(NOT_REGULAR.format(path))
    if not target.parent.is_dir():
        raise BoostextError(f"{path}: the folder {target.parent} does not exist; make it first")
    if target.exists() and not os.access(target, os.W_OK):
        raise BoostextError(f"{path}: is write-protected; remove it or choose another name")
    return target


def _cannot_write(path: str | Path, error: OSError) -> BoostextError:
    reason = error.strerror or str(error)
    return BoostextError(
        f"{path}: cannot be written: {reason}; mend that or choose another place. "
        "Nothing was changed there"
    )


def _sync_folder(folder: Path) -> None:
    """Make the rename survive a power failure, if possible: Windows cannot open folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # some network file systems do not support this; the file itself has been flushed
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
