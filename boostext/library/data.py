"""Data in Python: paths, documents, texts with labels, records and tables; reading them again.

Values are read in the same way as those in files (`boostext.corpus.records`), so that equal data
gives equal documents. Tables are recognized by their methods: pandas, polars, pyarrow and datasets
are not imported here.
"""

from __future__ import annotations

import datetime
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from boostext import fields
from boostext.corpus.alike import Reading
from boostext.corpus.arrow import class_names, named, plain, python_value
from boostext.corpus.checked import checked
from boostext.corpus.corpus import Corpus
from boostext.corpus.corrections import Corrections, read_corrections
from boostext.corpus.documents import Document
from boostext.corpus.files import STDIN
from boostext.corpus.readers import ReadingSettings, read_documents
from boostext.corpus.records import record_documents
from boostext.corpus.sources import BadRecords, Source
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.fields import count
from boostext.model.model import Model
from boostext.settings import DataSettings

if TYPE_CHECKING:
    from boostext.reports.page.content import Read

LOG = logging.getLogger("boostext")
BAD_LISTED = 10
"""Maximum number of bad records that are listed."""
LONGEST_NAME = 255
"""The largest number of characters in the name of a file."""
MOST_NAMED = 5
"""Maximum number of files that a message names."""
Fields = dict[str, Any]
Paths = str | Path | Sequence[str | Path]
IN_MEMORY = "data"
"""The path in messages on data that is not in a file."""


@dataclass(frozen=True, eq=False)
class Given:
    """Data as it was given.

    paths: the paths of the files; empty for data in memory. documents: can be read once, unless it
    is a list.
    """

    paths: tuple[str, ...]
    documents: Iterable[Document]


def given_data(
    data: Any,
    settings: ReadingSettings,
    account: BadRecords,
    labels: Any = None,
    labelled: bool = True,
    texts: bool = False,
    columns: bool = False,
) -> Given:
    """Return the documents of data in any of the supported forms.

    data: one or several paths, Document objects, texts, records (dictionaries), a dictionary of
    columns, a DataFrame of pandas or polars, an Arrow table, or a Hugging Face data set. labels:
    the labels of each item, in order, or the name of the column that contains them. labelled:
    whether documents must have labels. texts: whether strings are texts, and only Path objects are
    paths, which is also the case if labels are given. columns: whether documents include the fields
    of their records.

    Raises TypeError for other types, and BoostextError if a value cannot be interpreted.
    """
    if isinstance(labels, str):
        settings, labels = _labelled_by(settings, labels), None
    if isinstance(data, Path) or (isinstance(data, str) and not texts):
        data = [data]
    if isinstance(data, str | bytes):
        raise TypeError("data is a single text; expected a list of texts, such as [text]")
    items: Iterator[Any] | None = table_records(data)
    if items is None:
        kind, items = _first_kind(data)
        texts = texts or labels is not None
        if issubclass(kind, Path) or (issubclass(kind, str) and not texts):
            return _files(items, settings, account, labels, labelled, columns)
        if not issubclass(kind, str | Mapping | (NoneType if texts else str)):
            if labels is not None:
                raise TypeError(
                    "labels cannot be given with Document objects, which have labels of their own"
                )
            return Given((), checked(items))
    source = Source(IN_MEMORY, IN_MEMORY, account, columns)
    return _in_memory(
        items, settings(STDIN) if callable(settings) else settings, source, labels, labelled
    )


def model_data(
    model: Model,
    data: Any,
    labels: Any = None,
    reading: Mapping[str, Any] | None = None,
    corrections: Corrections | None = None,
    labelled: bool = True,
    again: bool = False,
) -> Iterator[Document]:
    """Return the documents of `data`, read in the same way as the training data of the model.

    reading: settings of the data by name, which take precedence over those of the model.
    corrections: corrections of labels. labelled: whether documents must have labels, unless there
    are corrections. again: whether the documents were read before, so that nothing is logged at the
    end.
    """
    if data is None:
        raise TypeError("no data; expected documents for the model")
    how, account = Reading(model.data, overrides(reading or {})), BadRecords()
    mended = corrections or Corrections()
    given = given_data(data, how.of, account, labels, labelled=labelled and not mended)
    documents = mended.applied(given.documents, model.labels, every=not labelled)
    if again:
        return documents
    for remark in how.remarks(given.paths):
        LOG.info(remark)
    return reported(documents, account, mended)


def can_be_read_again(data: Any, labels: Any = None) -> bool:
    """Return whether data can be read twice, so that it is no iterator, stdin or pipe."""
    if isinstance(data, Iterator):
        return False
    paths = paths_of(data, are_texts(labels))
    return not any(path == STDIN or Path(path).is_fifo() for path in paths)


def are_texts(labels: Any) -> bool:
    """Return whether strings in data are texts, because labels are given for each of them."""
    return labels is not None and not isinstance(labels, str)


def paths_of(data: Any, texts: bool = False) -> tuple[str, ...]:
    """Return the paths in data, or an empty tuple if it is in memory.

    texts: whether strings are texts, and only Path objects are paths. Raises BoostextError for
    strings that no file can have as its name.
    """
    paths = _strings(data, texts)
    for path in paths:
        unnamable = "\0" in path or max(map(len, path.split("/"))) > LONGEST_NAME
        if unnamable or ("\n" in path and not os.path.lexists(path)):
            raise BoostextError(
                f"{path[:30]!r}... cannot be the name of a file; in Python, give labels with "
                'texts, or texts without labels as records: [{"text": ...}, ...]'
            )
    return paths


def _strings(data: Any, texts: bool = False) -> tuple[str, ...]:
    """Return the strings and paths in data, or an empty tuple if there is anything else."""
    items = [data] if isinstance(data, str | Path) else data
    kinds = Path if texts else (str, Path)
    if isinstance(items, list | tuple) and items and all(isinstance(x, kinds) for x in items):
        return tuple(map(str, items))
    return ()


def name_of(data: Any) -> str:
    """Return the name of the data in messages: its first files."""
    paths = [path for path in _strings(data) if len(path) <= LONGEST_NAME]
    more = ", ..." if len(paths) > MOST_NAMED else ""
    return ", ".join(paths[:MOST_NAMED]) + more or "the data"


def overrides(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of the data by name. Raises SettingsError for unknown names."""
    known = {field.name: field for field in DataSettings.options()}
    if unknown := sorted(set(values) - set(known)):
        raise fields.unknown_settings(unknown, list(known))
    return {name: fields.from_python(known[name], value) for name, value in values.items()}


def corrections_of(labels_from: Paths, new_labels: bool = False) -> Corrections:
    """Return the corrections of one or several files; the last one takes precedence."""
    paths = [labels_from] if isinstance(labels_from, str | Path) else labels_from
    if new_labels and not paths:
        raise SettingsError("--new-labels has no effect without --labels-from FILE; give both")
    return read_corrections(*map(str, paths), new_labels=new_labels)


# Messages about the data ----------------------------------------------------------------------


def reported(
    documents: Iterable[Document], account: BadRecords, corrections: Corrections
) -> Iterator[Document]:
    """Yield the documents, and then log what was left out or guessed during reading."""
    yield from documents
    report_reading(account)
    report_corrections(corrections)


def report_reading(account: BadRecords) -> None:
    """Log how the data was interpreted, and what was left out, replaced or guessed."""
    report_interpretation(account)
    if account.count:
        LOG.warning(f"{count(account.count, 'bad record')} left out:")
        for origin, message in account.first[:BAD_LISTED]:
            LOG.warning(f"  {origin}: {message}")
        if account.count > BAD_LISTED:
            LOG.warning(f"  and {account.count - BAD_LISTED:,} more; boostext check lists them")
    if account.replaced:
        LOG.warning(f"replaced bytes that are not valid text in {count(account.replaced, 'line')}")
    if account.blank_lines:
        LOG.info(f"{count(account.blank_lines, 'blank line')} skipped")
    for note in account.notes:
        LOG.info(str(note))


def report_interpretation(account: BadRecords) -> None:
    """Log how the data was interpreted, and how many good records were left out."""
    for message in account.understood:
        LOG.info(message)
    for reason, number in account.left_out.items():
        LOG.info(f"{count(number, 'record')} left out: {reason}")


def report_corrections(corrections: Corrections) -> None:
    """Log the effect of corrections, if there are any."""
    if corrections:
        LOG.info(corrections.summary())
        for doubt in corrections.doubts():
            LOG.warning(doubt)


def some(
    documents: Iterable[Document], paths: Sequence[str], account: BadRecords
) -> Iterator[Document]:
    """Yield the documents. Raises BoostextError if there are none, with the reasons."""
    number = -1
    for number, document in enumerate(documents):  # noqa: B007
        yield document
    if number < 0:
        reasons = ", ".join(f"{number:,} ({why})" for why, number in account.left_out.items())
        raise BoostextError(
            f"no documents in {name_of(paths)}; expected at least one"
            + (f"; left out: {reasons}" if reasons else "")
        )


# Forms of data ---------------------------------------------------------------------------------


def _first_kind(data: Any) -> tuple[type, Iterator[Any]]:
    """Return the type of the first item (Document if there is none), and all items."""
    items = iter(data)
    first = list(islice(items, 1))
    return type(first[0]) if first else Document, chain(first, items)


def _in_memory(
    items: Iterator[Any], settings: DataSettings, source: Source, labels: Any, labelled: bool
) -> Given:
    rows = _numbered(_labelled(items, labels, settings), settings)
    documents = record_documents(rows, source, settings, labelled)
    return Given((), _sound(documents, settings, source.bad))


def _labelled_by(settings: ReadingSettings, column: str) -> ReadingSettings:
    if callable(settings):
        return lambda path: replace(settings(path), label=(column,))
    return replace(settings, label=(column,))


def _files(
    items: Iterator[Any],
    settings: ReadingSettings,
    account: BadRecords,
    labels: Any,
    labelled: bool,
    columns: bool,
) -> Given:
    if labels is not None:
        raise TypeError(
            "labels cannot be given with files; use label=NAME for the field that contains them"
        )
    paths = list(items)
    paths_of(paths)
    for path in paths:
        if not isinstance(path, str | Path):
            raise TypeError(
                f"{type(path).__name__} in a list of paths; expected only paths, or only documents"
            )
    named = tuple(map(str, paths))
    return Given(named, read_documents(named, settings, account, labelled, columns=columns))


# Records -------------------------------------------------------------------------------------


def _labelled(items: Iterable[Any], labels: Any, settings: DataSettings) -> Iterator[Any]:
    """Yield the items with their labels in the field of labels."""
    if labels is None:
        yield from items
        return
    rest, count = iter(labels), 0
    end = object()
    for item in items:
        given = next(rest, end)
        if given is end:
            raise SettingsError(
                f"only {count:,} labels for more documents; expected one for each document"
            )
        count += 1
        record = dict(item) if isinstance(item, Mapping) else {settings.text[0]: item}
        yield record | {settings.label[0]: given}
    if next(rest, end) is not end:
        raise SettingsError(
            f"more labels than documents ({count:,}); expected one for each document"
        )


def _numbered(items: Iterable[Any], settings: DataSettings) -> Iterator[tuple[int, Fields]]:
    """Yield the records with their numbers, from 1, and with values as in JSON.

    The id of a document is its index, from 0, unless the record has one.
    """
    for place, item in enumerate(items):
        if isinstance(item, Mapping):
            record = {str(name): json_value(value) for name, value in item.items()}
        elif isinstance(item, str) or item is None:
            record = {settings.text[0]: item}
        else:
            raise TypeError(f"item {place} is a {type(item).__name__}; expected a text or a record")
        if settings.id:
            record.setdefault(settings.id, str(place))
        yield place + 1, record


def _sound(
    records: Iterable[Document | DataError], settings: DataSettings, account: BadRecords
) -> Iterator[Document]:
    for record in records:
        if isinstance(record, Document):
            yield record
        elif settings.skip_bad:
            account.add(record)
        else:
            raise record


def json_value(value: Any) -> Any:
    """Return a value of NumPy, pandas or Python as in JSON; missing values become None."""
    if type(value) in (str, float, int, bool) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if type(value).__name__ in MISSING:
        return None
    if isinstance(value, datetime.datetime) and value != value:
        return None
    if isinstance(value, tuple | list | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [json_value(item) for item in items]
    return plain(value)


MISSING = ("NAType", "NaTType", "NoneType")
"""Names of the types of missing values."""


# Tables --------------------------------------------------------------------------------------


def table_records(data: Any) -> Iterator[Fields] | None:
    """Return the rows of a table, or None if the data is not a table."""
    for knows, records in TABLES:
        if knows(data):
            return records(data)
    return None


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda data: all(hasattr(data, name) for name in names)


def _pandas_rows(data: Any) -> Iterator[Fields]:
    names = list(map(str, data.columns))
    columns = [data.iloc[:, place].tolist() for place in range(len(names))]
    yield from (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _polars_rows(data: Any) -> Iterator[Fields]:
    yield from data.iter_rows(named=True)


def _arrow_rows(data: Any) -> Iterator[Fields]:
    names = class_names(data.schema)
    for batch in data.to_batches():
        columns = list(zip(batch.schema.names, batch.columns, strict=True))
        for place in range(batch.num_rows):
            yield {k: named(python_value(column, place), names.get(k)) for k, column in columns}


def _hugging_face_rows(data: Any) -> Iterator[Fields]:
    features = data.features or {}
    names = {k: list(f.names) for k, f in features.items() if getattr(f, "names", None)}
    for row in data:
        yield {k: named(v, names.get(k)) for k, v in row.items()}


def _columns(data: Mapping[str, Sequence[Any]]) -> Iterator[Fields]:
    lengths = {name: len(column) for name, column in data.items()}
    if len(set(lengths.values())) > 1:
        reported = ", ".join(f"{name}: {length:,}" for name, length in lengths.items())
        raise SettingsError(
            f"the columns have different lengths ({reported}); expected equal lengths"
        )
    for row in zip(*data.values(), strict=True):
        yield dict(zip(data, row, strict=True))


TABLES: tuple[tuple[Callable[[Any], bool], Callable[[Any], Iterator[Fields]]], ...] = (
    (_has("iloc", "columns"), _pandas_rows),
    (_has("iter_rows", "columns"), _polars_rows),
    (_has("to_batches", "schema"), _arrow_rows),
    (_has("features", "column_names"), _hugging_face_rows),
    (lambda data: isinstance(data, Mapping), _columns),
)
"""Pairs of a test for a type of table, and a function that yields its rows."""


# Reading again -------------------------------------------------------------------------------


def reading_again(documents: Callable[[], Iterable[Document]], corpus: Corpus) -> Read:
    """Return a function that reads documents by their indices from a source.

    A document is recognized by its position and its id.
    """

    def read(wanted: Collection[int]) -> Mapping[int, Document]:
        places = {(str(corpus.origins[i]), corpus.ids[i]): i for i in wanted}
        found: dict[int, Document] = {}
        if not places:
            return found
        try:
            for document in documents():
                place = places.get((str(document.origin), document.id))
                if place is not None:
                    found[place] = document
                    if len(found) == len(places):
                        break
        except DataError:
            return found
        return found

    return read
