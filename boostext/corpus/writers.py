"""Write documents to files: a table of writers for all formats.

What a format cannot represent is an error or, if changes are allowed, a change that is counted.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from boostext.atomic import NOTHING, Kind, check_own, replacing
from boostext.corpus.documents import Document
from boostext.corpus.fasttext import BLANKS, LATER_LABEL, PREFIX
from boostext.corpus.files import MARK, STDIN, compression, file_ending
from boostext.corpus.folder_writer import write_folders
from boostext.corpus.holding import Ledger, one_text, read_back
from boostext.corpus.readers import ENDINGS
from boostext.corpus.stem_writer import write_stem
from boostext.corpus.table_writer import csv_pieces, tsv_pieces
from boostext.errors import SettingsError
from boostext.settings import DataSettings

Pieces = Callable[[Iterable[Document], Ledger, DataSettings], Iterator[str]]
"""documents -> the text of the file, in pieces"""

Writer = Callable[[Iterable[Document], str, Ledger, DataSettings], None]
"""(documents, path, ledger, settings): write all of `path`, or leave it unchanged on errors"""

COMPRESSORS: dict[str, Callable[[BinaryIO], object]] = {
    # without name and time, so that the same documents always give the same bytes
    ".gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
}
"""ending -> a file that writes compressed data to another file"""


@dataclass(frozen=True)
class WriteSummary:
    """The result of writing documents.

    count: number of documents written. replaced: number of documents that were changed or left out
    to fit the format. left_out: what the format never contains, such as ids; this is not an error.
    """

    count: int
    replaced: int
    left_out: tuple[str, ...] = ()


def write_documents(
    documents: Iterable[Document],
    path: str,
    settings: DataSettings | None = None,
    lossy: bool = False,
    force: bool = False,
    safe_cells: bool = False,
) -> WriteSummary:
    """Write documents as UTF-8 to a file, a folder, or stdout ("-").

    Only the settings `format` (by default from the ending), `label_sep` and `text` are used. A
    single text field is written as "text"; several fields keep their names. A document that the
    format cannot represent raises DataError with its origin; lossy: it is changed and counted. The
    path appears complete or not at all. An existing file is replaced only with `force`, and an
    existing folder only if it also contains nothing but LABEL/FILE. safe_cells: change cells of a
    table that look like a formula.
    """
    chosen = settings or DataSettings()
    name = write_format(path, chosen)
    if safe_cells and name not in ("csv", "tsv"):
        raise SettingsError(f"--safe-cells is for cells of CSV and TSV, and {path} is {name}")
    ledger = Ledger(lossy, _new_names(chosen), None if force else NOTHING, safe_cells)
    WRITERS[name](ledger.watch(documents), path, ledger, chosen)
    return WriteSummary(ledger.count, ledger.replaced, LEFT_OUT.get(name, ()))


STDOUT = (STDIN, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of stdout. Renaming a file to such a name would replace the device."""


def write_format(path: str, settings: DataSettings) -> str:
    """A key of WRITERS, from the settings or else from the ending; SettingsError if unknown."""
    name = settings.format
    if name == "auto":
        folder = path.endswith("/") or Path(path).is_dir()
        name = "folders" if folder else ENDINGS.get(file_ending(path), "")
        name = "jsonl" if path in STDOUT else name
    if name not in WRITERS:
        raise SettingsError(
            f"{path}: no format to write; end the name in .jsonl, .json, .csv, .tsv or .ft (and "
            ".gz, .bz2 or .xz), in .data for a stem, in / for folders, or choose one of: "
            + ", ".join(WRITERS)
        )
    return name


def _new_names(settings: DataSettings) -> dict[str, str]:
    fields = [name for name in settings.text if name]
    return {fields[0]: "text"} if len(fields) == 1 else {}


def _write_file(
    pieces: Pieces,
    documents: Iterable[Document],
    path: str,
    ledger: Ledger,
    settings: DataSettings,
) -> None:
    with _open_to_write(path, ledger.replaces) as file:
        for piece in pieces(documents, ledger, settings):
            try:
                file.write(piece.encode("utf-8"))
            except UnicodeEncodeError:
                message = "holds half of a character (a surrogate), which no file can hold"
                raise ledger.fault(message) from None


@contextlib.contextmanager
def _open_to_write(path: str, kind: Kind | None) -> Iterator[BinaryIO]:
    """Open a file, compressed according to its ending, that is renamed to `path` at the end.

    The names in STDOUT are not treated as files.
    """
    if path in STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_own(path, kind)
    with replacing(path, kind) as file:
        ending = compression(path)
        if not ending:
            yield file
            return
        # typeshed allows BufferedWriter over compressed files only from Python 3.14 on
        inner = cast(io.RawIOBase, COMPRESSORS[ending](file))
        with io.BufferedWriter(inner, 2**18) as packed:
            yield cast(BinaryIO, packed)


def jsonl_pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings
) -> Iterator[str]:
    """One object per line, with everything except weights of 1 and empty attributes."""
    cells = read_back(settings, textual=False)
    for document in documents:
        texts = ledger.texts(document)
        ledger.check_texts(document, cells)
        ledger.check_labels(document.labels, list(document.labels), cells)
        if clash := {"id", "labels", "weight", "attributes"} & texts.keys():
            raise ledger.fault(f"a text field is called {min(clash)!r}, which has another meaning")
        record: dict[str, object] = {"id": document.id, **texts}
        if document.labelled:
            record["labels"] = document.labels
        if document.weight != 1:
            record["weight"] = document.weight
        if clash := document.attributes.keys() & document.scored.keys():
            raise ledger.fault(f"an attribute and a scored text are both called {min(clash)!r}")
        if document.attributes or document.scored:
            ledger.check_categories(document, cells)
            words = {name: dict(values) for name, values in document.scored.items()}
            record["attributes"] = {**document.attributes, **words}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def json_pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings
) -> Iterator[str]:
    """The objects of JSONL in one list, one object per line."""
    before = "[\n"
    for line in jsonl_pieces(documents, ledger, settings):
        yield before + line.removesuffix("\n")
        before = ",\n"
    yield "\n]\n" if before[0] == "," else "[]\n"


def fasttext_pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings
) -> Iterator[str]:
    """Lines `__label__a __label__b text`, without ids, line ends, or white space in labels."""
    cells = read_back(settings, textual=True)
    for document in documents:
        ledger.check_labels(document.labels, list(document.labels), cells)
        labels = [f"{PREFIX}{_fasttext_label(label, ledger)} " for label in document.labels]
        text = _fasttext_text(one_text(document, ledger), ledger)
        if labels or text.strip():
            # subtle: a reader removes one byte order mark from each line
            mark = MARK if not labels and text[0] == MARK else ""
            yield f"{mark}{''.join(labels)}{text}\n"
        else:
            ledger.cannot_hold("an empty text without labels", "leaves it out")


def _fasttext_label(label: str, ledger: Ledger) -> str:
    blanks = [char for char in f"{BLANKS}\n" if char in label]
    if blanks:
        ledger.cannot_hold(f"white space in a label ({label!r})", "writes _ for it")
    for char in blanks:
        label = label.replace(char, "_")
    return label


def _fasttext_text(text: str, ledger: Ledger) -> str:
    if "\n" in text or "\r" in text:
        ledger.cannot_hold("line ends in a text", "writes spaces for them")
        text = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
    if LATER_LABEL.search(f" {text}"):
        ledger.cannot_hold(f"a text with {PREFIX} in it", "writes _label_")
        text = text.replace(PREFIX, "_label_")
    return text


WRITERS: dict[str, Writer] = {
    "jsonl": partial(_write_file, jsonl_pieces),
    "json": partial(_write_file, json_pieces),
    "csv": partial(_write_file, csv_pieces),
    "tsv": partial(_write_file, tsv_pieces),
    "fasttext": partial(_write_file, fasttext_pieces),
    "folders": write_folders,
    "stem": write_stem,
}
"""format -> writer"""

LEFT_OUT = {"fasttext": ("ids",), "folders": ("ids", "order"), "stem": ("ids",)}
"""format -> what is left out silently"""
