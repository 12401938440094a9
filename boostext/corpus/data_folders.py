"""Find the data files in a folder, or tell the user what to name instead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from boostext.corpus.files import STDIN, cannot_open, file_ending
from boostext.corpus.roles import shown
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.settings import DataSettings

DATA = (
    ".jsonl",
    ".ndjson",
    ".json",
    ".csv",
    ".tsv",
    ".tab",
    ".ft",
    ".fasttext",
    ".parquet",
    ".arrow",
    ".feather",
    ".vw",
    ".libsvm",
    ".svmlight",
    ".svm",
)
"""Endings of files with many documents; a .txt file may also be a single text."""

ABOUT = re.compile(
    r"(readme|license|licence|citation|notice|changelog|dataset_infos?|state)\b.*|.*\.(md|py|rst)",
    re.IGNORECASE,
)
"""Names of files that describe the data files next to them."""

CLUTTER = re.compile(r"\..*|.*~|#.*#|__MACOSX|Thumbs\.db|ehthumbs\.db|desktop\.ini|Icon\r", re.I)
"""Names of hidden files, and of files that programs and operating systems leave in folders."""

SPLITS = {
    "train": "train",
    "training": "train",
    "test": "test",
    "testing": "test",
    "valid": "validation",
    "validation": "validation",
    "val": "validation",
    "dev": "validation",
    "eval": "validation",
}
"""first word of a name -> the part of a data set that it means"""

DICTIONARY, STATE = "dataset_dict.json", "state.json"
"""Files that Hugging Face's save_to_disk writes for several parts, and for one."""


def is_clutter(name: str) -> bool:
    """Whether a file or folder with this name is ignored silently."""
    return CLUTTER.fullmatch(name) is not None


def listed(folder: Path) -> list[Path]:
    """The content of a folder, sorted by name, without clutter; DataError if it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if not is_clutter(path.name))
    except OSError as error:
        raise DataError(str(folder), 0, cannot_open(str(folder), error)) from None


def data_files(path: str, settings: DataSettings, bad: BadRecords) -> list[str]:
    """The data files of a folder that contains some; otherwise only the path itself.

    DataError if they belong to several parts of a data set, such as train and test, or if the
    folder also contains other kinds of files.
    """
    folder = Path(path)
    if path == STDIN or settings.format != "auto" or not _is_folder(folder):
        return [path]
    names = {entry.name for entry in listed(folder)}
    if DICTIONARY in names:
        parts = ", ".join(str(entry) for entry in listed(folder) if entry.is_dir())
        raise DataError(path, 0, f"contains several parts of a data set; name one of: {parts}")
    files = _saved_files(folder) if STATE in names else _sorted_files(folder)
    if files:
        bad.understood[f"{path}: read as its data files ({len(files)})"] = None
    return [str(file) for file in files] or [path]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except ValueError:
        return False


def _saved_files(folder: Path) -> list[Path]:
    """The Arrow files of a data set that save_to_disk wrote, in their original order."""
    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
        names = [entry["filename"] for entry in state["_data_files"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return _sorted_files(folder)
    if not all(isinstance(name, str) and Path(name).name == name for name in names):
        raise DataError(
            str(folder / STATE), 0, "names files in other folders; expected files next to it"
        )
    return [folder / name for name in names]


def _sorted_files(folder: Path) -> list[Path]:
    """The data files in a folder and below it; none if it contains only texts."""
    files = list(_below(folder))
    data = [file for file in files if file_ending(file.name) in DATA and not is_about(file)]
    if not data:
        return []
    others = [file for file in files if file not in set(data) and not is_about(file)]
    if others:
        raise DataError(
            str(folder),
            0,
            f"contains data files ({shown(data[0].name)}) and others "
            f"({shown(others[0].name)}); name the data files, or add --format folders if each "
            "file is one text",
        )
    parts = {part: file for file in data for part in [_part(file.relative_to(folder))] if part}
    if len(parts) > 1:
        listed = ", ".join(f"{part} ({file})" for part, file in sorted(parts.items()))
        raise DataError(
            str(folder),
            0,
            f"contains several parts of a data set: {listed}; name the files of one",
        )
    return data


def _below(folder: Path) -> Iterator[Path]:
    """All files in a folder and below it; links to folders are not followed."""
    for path in listed(folder):
        if not path.is_dir():
            yield path
        elif not path.is_symlink():
            yield from _below(path)


def is_about(file: Path) -> bool:
    return ABOUT.fullmatch(file.name) is not None


def _part(file: Path) -> str:
    """The part of a data set that the name of a file or its folder indicates; "" if none does."""
    words = [re.split(r"[-_. 0-9]", name.lower())[0] for name in reversed(file.parts)]
    return next((SPLITS[word] for word in words if word in SPLITS), "")
