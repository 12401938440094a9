"""Read documents from files of any format: the tables of formats and of file endings."""

from __future__ import annotations

import difflib
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boostext.corpus.arrow import arrow_documents, parquet_documents
from boostext.corpus.data_folders import data_files
from boostext.corpus.documents import Document
from boostext.corpus.fasttext import fasttext_documents, line_documents, txt_documents
from boostext.corpus.files import STDIN, cannot_open, file_ending, is_address
from boostext.corpus.folders import folder_documents
from boostext.corpus.jsonl import json_documents, jsonl_documents
from boostext.corpus.line_exports import libsvm_documents, rasa_documents, vowpal_documents
from boostext.corpus.record_fields import Conditions
from boostext.corpus.roles import missing, named_roles, shown
from boostext.corpus.sources import BadRecords, Record, Source
from boostext.corpus.stems import in_single_precision, stem_documents, stem_file
from boostext.corpus.tables import csv_documents, tsv_documents
from boostext.errors import DataError, SettingsError
from boostext.settings import DataSettings

Reader = Callable[[Source, DataSettings, bool], Iterator[Record]]
"""(source, settings, labels are required) -> documents, and a DataError for each bad record.

An error that makes the rest of the source unreadable is raised.
"""

ReadingSettings = DataSettings | Callable[[str], DataSettings]
"""The settings of all files, or a function from a path to the settings of the file."""

READERS: dict[str, Reader] = {
    "jsonl": jsonl_documents,
    "json": json_documents,
    "parquet": parquet_documents,
    "arrow": arrow_documents,
    "rasa": rasa_documents,
    "vw": vowpal_documents,
    "libsvm": libsvm_documents,
    "csv": csv_documents,
    "tsv": tsv_documents,
    "fasttext": fasttext_documents,
    "lines": line_documents,
    "txt": txt_documents,
    "folders": folder_documents,
    "stem": stem_documents,
}
"""format -> reader; "txt" is the format of files with the ending .txt"""

ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".yml": "rasa",
    ".yaml": "rasa",
    ".vw": "vw",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".ft": "fasttext",
    ".fasttext": "fasttext",
    ".txt": "txt",
    ".data": "stem",
    ".dev": "stem",
    ".test": "stem",
}
"""ending, ignoring that of a compression -> format"""


def read_documents(
    paths: Sequence[str],
    settings: ReadingSettings,
    bad: BadRecords | None = None,
    labelled: bool = True,
    columns: bool = False,
) -> Iterator[Document]:
    """Read the documents of files, folders or stdin ("-") one after the other.

    bad: counts blank lines and, with skip_bad, bad records; without skip_bad the first bad record
    raises DataError. labelled: every record must have a label field, which may be an empty list.
    columns: documents keep the fields of their records, in formats that have records. A stem
    without an ending means its .data file. Missing files and unknown endings raise DataError
    immediately.
    """
    if isinstance(paths, str):
        raise TypeError("paths is one string; expected a sequence of paths")
    if not paths:
        raise SettingsError("no data given; name files or folders, or - for stdin")
    if list(paths).count(STDIN) > 1:
        raise SettingsError("stdin (-) is named more than once; it can be read only once")
    account = BadRecords() if bad is None else bad
    inputs = inputs_of(paths, settings, account, columns)
    begin(account, inputs[0].settings, labelled)
    read = (document for given in inputs for document in read_input(given, labelled))
    return _checked(read, account, inputs[0].source.path, labelled)


@dataclass(frozen=True)
class Input:
    """A file or a part of one, and how it is read. format: a key of READERS."""

    source: Source
    format: str
    settings: DataSettings


def inputs_of(
    paths: Sequence[str],
    settings: ReadingSettings,
    account: BadRecords,
    columns: bool = False,
    addresses: bool = False,
) -> list[Input]:
    """The files that paths name, in order; DataError if one is missing or its format is unknown.

    addresses: allow addresses of remote files, such as s3://bucket/file.
    """
    own = settings if callable(settings) else lambda path: settings
    if "" in paths:  # not the current folder, for which Path("") stands
        raise SettingsError("a file has an empty name; name files or folders, or - for stdin")
    if not addresses and (remote := next(filter(is_address, paths), None)):
        raise DataError(
            remote,
            0,
            "is an address, which only workers of a cluster can read; copy the file here",
        )
    given = [path if is_address(path) else stem_file(path) for path in paths]
    paths = [file for path in given for file in data_files(path, own(path), account)]
    each = [own(path) for path in paths]
    formats = [format_of(*pair) for pair in zip(paths, each, strict=True)]
    names = _names(paths)
    return [
        Input(Source(path, name, account, columns, one.max_record << 20), form, one)
        for path, name, form, one in zip(paths, names, formats, each, strict=True)
    ]


def read_input(given: Input, labelled: bool) -> Iterator[Document]:
    """The documents of one file; see `read_documents`."""
    source, settings, reader = given.source, given.settings, READERS[given.format]
    account, records = source.bad, reader(source, settings, labelled)
    if settings.where and reader not in FILTERING:
        records = _wanted(records, source, settings)
    for record in records:
        if isinstance(record, Document):
            if account.seen and record.labels:
                account.seen.add(record.labels)
            yield in_single_precision(record) if settings.single_precision else record
        elif settings.skip_bad:
            account.add(record)
        else:
            raise record


def begin(account: BadRecords, settings: DataSettings, labelled: bool) -> None:
    """Record in the account which fields the settings of the first file name."""
    account.unmet, account.fields = set(settings.attribute) - {""}, {}
    account.unmet_roles = {} if labelled else named_roles(settings)


def _checked(
    documents: Iterator[Document], account: BadRecords, path: str, labelled: bool
) -> Iterator[Document]:
    yield from documents
    check_attributes(account, path, labelled)


def check_attributes(account: BadRecords, path: str, labelled: bool) -> None:
    """DataError if an attribute was named that no record has."""
    if labelled and account.unmet and account.fields:
        raise no_record_has(account, path)


def check_names(account: BadRecords, path: str) -> None:
    """DataError if a field was named that no record has, even when labels are not required."""
    if account.fields and (account.unmet or account.unmet_roles):
        raise no_record_has(account, path)


def no_record_has(account: BadRecords, path: str) -> DataError:
    """The error for attributes or other fields that were named and that no record has."""
    if not account.unmet:
        option, fields = next(iter(account.unmet_roles.items()))
        return DataError(path, 0, missing("field", option, fields, account.fields))
    wanted = sorted(account.unmet)
    near = [n for w in wanted for n in difflib.get_close_matches(w, account.fields, 1)]
    hint = f"; did you mean {shown(near[0])}?" if near else "; name another field"
    there = ", ".join(map(shown, list(account.fields)[:20]))
    names = " or ".join(map(shown, wanted))
    return DataError(path, 0, f"no record has the attribute {names} (there are: {there}){hint}")


def as_read(settings: DataSettings, account: BadRecords) -> DataSettings:
    """Add what was guessed about all records to the settings, to read further files alike."""
    if settings.label_columns != "auto" or account.one_hot is None:
        return settings
    return replace(settings, label_columns="one-hot" if account.one_hot else "labels")


FILTERING = (
    jsonl_documents,
    json_documents,
    csv_documents,
    tsv_documents,
    parquet_documents,
    arrow_documents,
    rasa_documents,
    vowpal_documents,
    libsvm_documents,
)
"""Readers that apply --where themselves, because their records have their own fields."""


def _wanted(records: Iterator[Record], source: Source, settings: DataSettings) -> Iterator[Record]:
    """The documents that satisfy `--where`, for formats whose records have no fields."""
    conditions = Conditions.of(settings)
    for record in records:
        fields = _fields(record) if isinstance(record, Document) else {}
        if isinstance(record, DataError) or not conditions or conditions.hold(fields, source):
            yield record
    if conditions:
        conditions.check(source)


def _fields(document: Document) -> dict[str, object]:
    labels = {} if document.labelled is False else {"label": list(document.labels)}
    known = {"id": document.id, "weight": document.weight, **labels}
    return {**known, **document.texts, **document.attributes}


def format_of(path: str, settings: DataSettings) -> str:
    """A key of READERS, from the settings or else from the ending; DataError if unknown."""
    if path == STDIN:
        return "jsonl" if settings.format == "auto" else settings.format
    try:
        folder = not is_address(path) and stat.S_ISDIR(Path(path).stat().st_mode)
    except (OSError, ValueError) as error:
        raise DataError(path, 0, cannot_open(path, error)) from None
    if settings.format != "auto":
        return settings.format
    if folder:
        return "folders"
    ending = file_ending(path)
    if ending not in ENDINGS:
        known = ", ".join(name for name in READERS if name != "txt")
        raise DataError(
            path,
            0,
            f"the ending {ending or '(none)'} does not determine a format; expected "
            f"{', '.join(ENDINGS)} or a folder; or give the format with --format ({known})",
        )
    return ENDINGS[ending]


def _names(paths: Sequence[str]) -> list[str]:
    """The prefixes of default ids: the names of the files, or paths if names are not unique.

    Bytes of a name that are not UTF-8 are replaced by U+FFFD, because ids are text.
    """
    names = [Path(path).name or path for path in paths]
    counts = Counter(names)
    unique = [name if counts[name] == 1 else path for name, path in zip(names, paths, strict=True)]
    return [re.sub("[\ud800-\udfff]", "\ufffd", name) for name in unique]
