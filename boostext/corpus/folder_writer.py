"""Write documents with one label each as text files, in one folder for each label."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from boostext.atomic import hold, remove_leftovers, unfinished
from boostext.corpus.data_folders import is_clutter
from boostext.corpus.documents import Document
from boostext.corpus.holding import Ledger, one_text
from boostext.corpus.roles import shown
from boostext.errors import BoostextError, DataError
from boostext.settings import DataSettings

PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}")
"""Matches ids that are valid file names on every system."""
LOOSE = dict.fromkeys(map(ord, "~#"), "_")
"""Characters that make a name look like that of a backup."""
UNNAMEABLE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]|[. ]$" if os.name == "nt" else r"[\x00/]")
"""Matches what the operating system does not allow in the name of a folder."""
LONGEST_NAME = 255
"""Maximum number of bytes in the name of a folder."""


def write_folders(
    documents: Iterable[Document], path: str, ledger: Ledger, settings: DataSettings
) -> None:
    """Write LABEL/FILE with one line end after each text, by way of a folder next to `path`.

    Files are named after the ids of the documents if these are valid file names, otherwise by
    number. A document that was read without labels is written next to the folders of the labels.
    DataError if `path` already exists and is not empty, unless it may be replaced and contains
    nothing but LABEL/FILE.
    """
    made: set[str] = set()
    with _new_folder(path, ledger.replaces is None) as folder:
        for document in documents:
            label = _label(document, ledger)
            if label is None:
                continue
            try:
                content = _content(document, ledger).encode("utf-8")
                if label not in made:
                    _make(folder / label, label, ledger)
                    made.add(label)
                _write(folder / label, _name(document, ledger.count), ledger.count, content)
            except UnicodeEncodeError:
                raise ledger.fault("holds half of a character (a surrogate)") from None
            except OSError as error:
                raise DataError(path, 0, f"cannot be written: {error.strerror}") from None


@contextlib.contextmanager
def _new_folder(path: str, force: bool) -> Iterator[Path]:
    """An empty folder that is renamed to `path` if the block succeeds, and removed otherwise.

    The files are not flushed to disk one by one, which takes minutes for thousands of files.
    """
    target = Path(os.path.realpath(path))
    _check_free(target, path, force)
    remove_leftovers(target.parent)
    temporary = unfinished(target)
    # subtle: if the system stops between the two renames, the name must show what this is
    old = target.with_name(f"{target.name[:200]}.{os.urandom(4).hex()}.old")
    try:
        with _held_folder(temporary):
            yield temporary
            if target.exists() and force:
                _check_free(target, path, force)
                target.rename(old)
            elif target.exists():
                target.rmdir()
            temporary.rename(target)
    except OSError as error:
        raise DataError(path, 0, f"cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.rmdir()  # where the umask allows nobody to look into it
        shutil.rmtree(temporary, ignore_errors=True)
        if old.exists():
            if target.exists():
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.rename(target)


@contextlib.contextmanager
def _held_folder(folder: Path) -> Iterator[None]:
    """Create a folder and lock it, so that no other process treats it as abandoned."""
    folder.mkdir()
    if os.name == "nt":  # where folders cannot be opened
        yield
        return
    descriptor = _opened(folder)
    try:
        while not hold(descriptor, folder):
            os.close(descriptor)
            folder.mkdir()
            descriptor = _opened(folder)
        yield
    finally:
        os.close(descriptor)


def _opened(folder: Path) -> int:
    """Open a new folder, which another process may have removed as abandoned."""
    while True:
        try:
            return os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            folder.mkdir()


def _check_free(target: Path, path: str, force: bool) -> None:
    """DataError if a folder already exists and must not be replaced."""
    if not path:
        raise BoostextError("the name of the output is empty; give a file or folder")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not force:
        raise DataError(path, 0, "is there already; name a new folder, or add --force")
    if not target.is_dir() or not all(map(_is_label_folder, target.iterdir())):
        raise DataError(
            path,
            0,
            "is there already and contains more than LABEL/FILE, so --force does not "
            "replace it; name a new folder",
        )


def _is_label_folder(path: Path) -> bool:
    """Whether a path is a regular file, or a folder that contains only regular files."""
    inside = path.iterdir() if path.is_dir() and not path.is_symlink() else [path]
    return not path.name.startswith(".") and all(
        file.is_file() and not file.is_symlink() for file in inside
    )


def _label(document: Document, ledger: Ledger) -> str | None:
    """The folder's name; "." if the document has no label field, None to leave it out."""
    if not document.labelled:
        return "."
    if not document.labels:
        ledger.cannot_hold("a document without labels", "leaves it out")
        return None
    if len(document.labels) > 1:
        ledger.cannot_hold("several labels", "keeps only the first")
    label = document.labels[0]
    if UNNAMEABLE.search(label) or is_clutter(label):
        ledger.cannot_hold(f"the label {shown(label)} as the name of a folder", "writes _ there")
        label = UNNAMEABLE.sub("_", label)
        label = f"_{label[1:]}" if label.startswith(".") else label
        label = f"_{label.translate(LOOSE)}" if is_clutter(label) else label
    return label


def _make(folder: Path, label: str, ledger: Ledger) -> None:
    if label == ".":
        return
    if len(label.encode("utf-8")) > LONGEST_NAME:
        raise ledger.fault(f"the label {shown(label)} is too long for the name of a folder")
    try:
        folder.mkdir()
    except FileExistsError:
        raise ledger.fault(
            f"the label {shown(label)} and another one give the same folder name on this system"
        ) from None


def _name(document: Document, number: int) -> str:
    """The last part of the id, with an ending that does not look like a compression."""
    name = document.id.rpartition("/")[2]
    if not PLAIN_NAME.fullmatch(name):
        return f"{number:07d}.txt"
    return name if name.lower().endswith(".txt") else f"{name}.txt"


def _write(folder: Path, name: str, number: int, content: bytes) -> None:
    """Write a file. If its name already exists, the document's number is added to it."""
    try:
        file = (folder / name).open("xb")
    except FileExistsError:
        file = (folder / f"{number:07d}-{name}").open("xb")
    with file:
        file.write(content)


def _content(document: Document, ledger: Ledger) -> str:
    text = one_text(document, ledger)
    if text.endswith("\r"):
        ledger.cannot_hold("a text that ends in CR", "leaves it out")
        text = text.rstrip("\r")
    # subtle: a reader removes one byte order mark
    return "\ufeff" * text.startswith("\ufeff") + text + "\n"
