"""Read text files from one folder for each label: the name of the folder is the label."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from boostext.corpus.data_folders import listed
from boostext.corpus.documents import Document, Origin
from boostext.corpus.fasttext import text_field
from boostext.corpus.files import read_text
from boostext.corpus.roles import shown
from boostext.corpus.sources import Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings


def folder_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """One document for each file, sorted by name, without clutter such as hidden files.

    The id is the path relative to the folder, with "/". A file that is not in the folder of a label
    is an error if labels are required, or if there are folders next to it. One line end at the end
    of a file is not part of the text.
    """
    if not Path(source.path).is_dir():
        raise source.fault(0, "is not a folder; expected a folder LABEL/FILE")
    folder = Path(source.path)
    wants_folder = labelled or any(path.is_dir() for path in listed(folder))
    for path in _files(folder, source):
        yield _record(path, source, settings, wants_folder)


def _files(folder: Path, source: Source) -> Iterator[Path]:
    """Everything that is not a folder, sorted by name at every level.

    Links to folders are followed only at the first level, because deeper ones may be circular.
    """
    for path in listed(folder):
        if not path.is_dir():
            yield path
        elif folder == Path(source.path) or not path.is_symlink():
            yield from _files(path, source)


def _record(path: Path, source: Source, settings: DataSettings, wants_folder: bool) -> Record:
    here = replace(source, path=str(path))
    parts = path.relative_to(source.path).parts
    try:
        _check_names(parts, here)
        if wants_folder and len(parts) == 1:
            raise here.fault(
                0,
                "is not in the folder of a label; expected LABEL/FILE; move it into one or "
                "away, or leave it out with --skip-bad",
            )
        if not path.is_file():
            raise here.fault(0, "is not a regular file, or is a broken link")
        text = read_text(here, settings)
    except DataError as error:
        return error
    return Document(
        id="/".join(parts),
        texts={text_field(settings): text.removesuffix("\n").removesuffix("\r")},
        labels=parts[:1] if len(parts) > 1 else (),
        origin=Origin(here.path, 0),
        labelled=len(parts) > 1,
    )


def _check_names(parts: tuple[str, ...], source: Source) -> None:
    """DataError if names contain bytes that are not UTF-8, as they become ids and labels."""
    for name in parts:
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            readable = os.fsencode(name).decode("utf-8", "replace")
            raise source.fault(0, f"the name {shown(readable)} is not UTF-8; rename it") from None
