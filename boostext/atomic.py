"""Files that appear whole or not at all, and never in the place of what is not theirs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from boostext.errors import BoostextError

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that another has open
    fcntl = None  # type: ignore[assignment]

LEAST_SPACE = 1024 * 1024
HEAD = 4096
LEFTOVER = re.compile(r"\.boostext-[0-9a-f]{16}\.tmp")
"""Names of what is not whole yet."""
AGE = 60.0
"""Seconds before something of such a name may be taken for left over."""


@dataclass(frozen=True)
class Kind:
    """What an output is, so that it may take the place of an earlier one of its kind alone.

    name: as messages call it, "a boostext model". owns: whether the first HEAD bytes of a file
    are those of such an output. An empty file is anybody's.
    """

    name: str
    owns: Callable[[bytes], bool]


NOTHING = Kind("an output that may be replaced", lambda head: False)
"""For outputs that cannot be told from what people write themselves, such as a corpus."""


PAGE = Kind("a page of boostext", lambda head: b'<meta name="generator" content="boostext' in head)


@contextmanager
def replacing(path: str | Path, kind: Kind | None = None) -> Iterator[BinaryIO]:
    """A file to write that becomes `path` when the block ends well, and vanishes otherwise.

    It is written beside `path`, forced to the disk and renamed; a link keeps pointing to its
    target, and a file that is replaced keeps its permissions and owner. BoostextError where that
    cannot be done; the old file is then as it was. kind: what may be replaced; None is anything. A
    foreign file that came to `path` since `check_writable` stays, and what was written stays
    beside it.
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
        if kind is None:
            temporary.replace(target)
        else:
            _replace_own(temporary, target, path, kind)
        _sync_folder(target.parent)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def unfinished(target: Path) -> Path:
    """A name beside `target` for what is not whole yet; LEFTOVER matches it."""
    return target.with_name(f".boostext-{os.urandom(8).hex()}.tmp")


def remove_leftovers(folder: Path) -> None:
    """Remove what runs that were killed left half-written in a folder; never fails.

    A run holds a lock on what it is writing, which ends with its process.
    """
    with contextlib.suppress(OSError):
        found = [entry for entry in os.scandir(folder) if LEFTOVER.fullmatch(entry.name)]
        for entry in found:
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > AGE:
                    _remove_dead(Path(entry.path))


def _remove_dead(path: Path) -> None:
    """Remove a file or folder that nobody holds; OSError where somebody does."""
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


def hold(descriptor: int) -> None:
    """Lock a file or folder that is being written until it is closed, where the system can."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # some network file systems
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _keep_access(file: BinaryIO, target: Path) -> None:
    """Give a new file the permissions and the owner of the one that it replaces, as far as the
    system lets this user.
    """
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
    """Rename, unless something else stands there, however late it came."""
    try:
        os.link(temporary, target)  # unlike a rename, it fails where there is a file
        return
    except FileExistsError:
        pass
    except OSError:  # a file system without links
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
    """Raise BoostextError where a file stands at `path` that is not of the kind; None: any is."""
    if kind is not None and not _is_free(Path(path), kind):
        raise BoostextError(f"{_not_ours(path, kind)}. Name another place, or add --force")


def _is_free(path: Path, kind: Kind) -> bool:
    """Whether nothing is lost where the file is replaced."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _cannot_write(path, error) from None
    return not head or kind.owns(head)


def head_of(path: str | Path) -> bytes:
    """The first bytes of a file; none where there is no ordinary file."""
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


def check_writable(
    path: str | Path, kind: Kind | None = None, *, needed: int = LEAST_SPACE
) -> None:
    """Raise BoostextError where `path` cannot be written: to be called before the work.

    kind: what may be replaced there; None is anything. needed: bytes that must be free.
    """
    target = _target(path)
    check_own(path, kind)
    remove_leftovers(target.parent)
    trial = unfinished(target)
    try:
        _created(trial).close()
        trial.unlink()
        free = shutil.disk_usage(target.parent).free
    except OSError as error:
        raise _cannot_write(path, error) from None
    if free < needed:
        raise BoostextError(
            f"{path}: {free} bytes are free there and about {needed} are needed; "
            "free some space or choose another folder"
        )


def _created(path: Path) -> BinaryIO:
    """A new file with the permissions that the umask gives, held until it is closed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    hold(descriptor)
    return os.fdopen(descriptor, "wb")


def _target(path: str | Path) -> Path:
    """Where the bytes go: links followed, and found to be a place for a file."""
    if not str(path) or "\0" in str(path):
        raise BoostextError(f"{str(path)!r} is not a file name; give the file to write")
    if str(path) == "-":
        raise BoostextError(
            "-: this output is a file and cannot be stdout; name a file (./- is one of this name)"
        )
    if str(path).startswith(("/dev/", "/proc/")):
        raise BoostextError(f"{path}: is a device, and no file; give the name of a file")
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG
    except OSError as error:
        raise _cannot_write(path, error) from None
    if stat.S_ISDIR(mode):
        raise BoostextError(f"{path}: is a folder; give the name of a file, such as my.boostext")
    if not stat.S_ISREG(mode):
        raise BoostextError(f"{path}: is not a regular file; give the name of a file")
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
    """Make the rename last through a power cut, where the system can: Windows opens no folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # some network file systems refuse this; the file itself is safe
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
