"""Read CSV and TSV according to RFC 4180: a header, quoted fields, line ends inside quotes.

If columns are separated by another character than usual, it is detected.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from boostext.corpus.documents import Origin
from boostext.corpus.exports import ExportReader, column_names
from boostext.corpus.files import MARK, numbered_lines
from boostext.corpus.record_fields import Conditions
from boostext.corpus.records import RecordReader
from boostext.corpus.roles import Roles, missing, shown
from boostext.corpus.sources import Line, Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

FIELD_LIMIT = 2**31 - 1
"""The greatest csv.field_size_limit that every platform accepts; the default is 128 KB."""


def csv_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a table with commas between columns, or the separator of the settings."""
    return _documents(source, settings, Roles.of(settings, labelled), ",")


def tsv_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """The documents of a table with tabs between columns, or the separator of the settings."""
    return _documents(source, settings, Roles.of(settings, labelled), "\t")


LEAST = 16
"""Minimum number of bytes that a line counts in the size of a record. Without it, a quote that is
left open before many short lines would take millions of steps until the record is too long."""


class Row(NamedTuple):
    """A row of a table. line: its first line. cells: empty if `error` says what is wrong."""

    line: int
    cells: list[str]
    error: DataError | None = None


class _Feed:
    """Passes lines to csv.reader, and keeps the first line of the record and any error in it."""

    def __init__(self, source: Source, lines: Iterator[Line]) -> None:
        self._source, self._lines = source, lines
        self._pieces: Iterator[str] = iter(())
        self._line = 0
        self.start()

    def start(self) -> None:
        """Note that a record begins with the next line."""
        self.first, self._size = 0, 0
        self.error: DataError | None = None

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        piece = next(self._pieces, None) or self._next_line()
        if not self.first:
            self.first = self._line
            piece = piece.removeprefix(MARK) if self._line > 1 else piece  # concatenated files
        self._size += max(len(piece), LEAST)
        if self._size > self._source.longest:
            lines = self._source.longest // LEAST
            what = f"record of more than {lines:,} lines or"
            raise self._source.too_long(self.first, what, "; is a quote left open?")
        return piece

    def _next_line(self) -> str:
        self._line, text, error = next(self._lines)
        self.error = self.error or error
        if "\r" in text[:-2]:  # a lone CR also ends a line, and csv expects one line at a time
            self._pieces = io.StringIO(text, newline="")
            return next(self._pieces)
        return text


def _rows(source: Source, settings: DataSettings, roles: Roles, usual: str) -> Iterator[Row]:
    """The rows of a table. Blank lines are left out and counted."""
    csv.field_size_limit(FIELD_LIMIT)
    lines = numbered_lines(source, settings)
    delimiter, lines = separator_of(lines, source, settings, roles, usual)
    feed = _Feed(source, lines)
    rows = csv.reader(
        feed,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if settings.quotes else csv.QUOTE_NONE,
        strict=True,
    )
    while True:
        feed.start()
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(feed.first, [], source.fault(feed.first, _quoting(str(error))))
            continue
        if cells or feed.error:
            yield Row(feed.first, cells, feed.error)
        else:
            source.bad.blank_lines += 1


def _quoting(reason: str) -> str:
    if "unexpected end of data" in reason:
        reason = "a quote that opens here is never closed"
    return (
        f"{reason}; a quoted field ends with a quote before the separator, and a quote inside "
        'is doubled (""); if quotes are plain text, add --no-quotes'
    )


@dataclass(frozen=True)
class Columns:
    """The columns of a header. places: name by which a column is read -> its 0-based index."""

    names: tuple[str, ...]
    places: tuple[tuple[str, int], ...]


def _documents(
    source: Source, settings: DataSettings, roles: Roles, usual: str
) -> Iterator[Record]:
    rows = _rows(source, settings, roles, usual)
    first = next(rows, None)
    if first is None:
        if settings.header:
            raise source.fault(0, "is empty; expected a header row that names the columns")
        return
    if first.error:
        raise first.error
    names = first.cells if settings.header else [str(n + 1) for n in range(len(first.cells))]
    columns = _columns(names, roles, source, first.line)
    if settings.header and all(n.isdecimal() and n not in names for n in roles.texts):
        note = source.bad.notes.add
        note("header over numbered columns", " ".join(names), Origin(source.path, first.line))
    if settings.header:
        rows = _without_headers(rows, names, source)
    else:
        rows = itertools.chain([first], rows)
    is_wanted = _condition(names, settings, roles, source, first.line)
    reader = RecordReader(source, settings, roles.labelled, textual=True)
    if source.bad.unmet_roles:
        numbers = {str(n) for n in range(1, len(names) + 1)}
        asked = {name for found in source.bad.unmet_roles.values() for name in found}
        source.bad.meet((), [*names, *(numbers & asked)])
    width, known = len(names), _places(names)
    looked = [(name, known[name]) for name in reader.unneeded if name in known]
    places = tuple(dict.fromkeys((*columns.places, *looked)))
    whole = _distinct(names) if source.columns else None
    for number, row in enumerate(rows, 1):
        cells = row.cells
        if row.error or len(cells) != width:
            yield row.error or _ragged(row, columns, source)
        elif is_wanted(cells):
            record = {name: cells[place] for name, place in places}
            carried = dict(zip(whole, cells, strict=True)) if whole else None
            yield reader.read(record, row.line, number, carried)


def _distinct(names: Sequence[str]) -> list[str]:
    """The names of all columns. A repeated name gets the number of its column as a suffix."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        found[name if name not in found else f"{name}_{number}"] = None
    return list(found) if len(found) == len(names) else [str(n + 1) for n in range(len(names))]


def _without_headers(rows: Iterator[Row], names: list[str], source: Source) -> Iterator[Row]:
    """The rows without those that repeat the header, as in concatenated files."""
    known = set(names)
    for row in rows:
        if not row.cells or row.cells[0] not in known:
            yield row
        elif row.cells == names:
            source.bad.left_out[f"the header of {source.path} once more"] += 1
        elif len(names) > 1 and sorted(row.cells) == sorted(names):
            raise source.fault(
                row.line,
                "a header with its columns in another order; expected one file for each "
                "order; split the file before this line, and name both parts",
            )
        else:
            yield row


def _condition(
    names: list[str], settings: DataSettings, roles: Roles, source: Source, line: int
) -> Callable[[list[str]], bool]:
    """A test whether to read a row, by --where and --answers; DataError for unknown columns."""
    conditions, export = Conditions.of(settings), ExportReader(source, settings, roles)
    wanted = conditions.names if conditions else ()
    places = _places(names)
    for name in wanted:
        if name not in places:
            raise source.fault(line, _no_column("--where", [name], names))
    refusing = export.refusing(names) if settings.header else ()
    looked = {name: places[name] for name in (*wanted, *refusing)}

    def is_wanted(cells: list[str]) -> bool:
        record = {name: cells[place] for name, place in looked.items()}
        holds = conditions is None or conditions.hold(record, source)
        return holds and not export.is_refused(record)

    return is_wanted if looked else lambda cells: True


MOST_NUMBERED = 100_000
"""Maximum number of columns that can be named by number."""


def _places(names: Sequence[str]) -> dict[str, int]:
    """name or 1-based number of a column -> its 0-based index."""
    numbers = {str(n + 1): n for n in range(min(len(names), MOST_NUMBERED))}
    return numbers | {name: n for n, name in enumerate(names) if name}


def _columns(names: Sequence[str], roles: Roles, source: Source, line: int) -> Columns:
    """Find the columns by name or 1-based number; DataError if one is missing."""
    places = _places(names)
    for role, name in column_names(names).items():
        if role not in places:
            places[role] = places[name]
            source.understand(f"read as an annotation export: {role} from {name}")
    needed = {"--text": roles.texts, "--attribute": _needed_attributes(roles)}
    if roles.labelled and not roles.alternatives:
        needed["--label"] = roles.labels
    elif roles.labelled and not roles.label_fields(places):
        raise source.fault(line, _no_column("--label", roles.labels, names))
    needed["--id"] = tuple(n for n in roles.required if n == roles.id)
    needed["--weight"] = tuple(n for n in roles.required if n == roles.weight)
    for option, wanted in needed.items():
        for name in wanted:
            if name not in places:
                raise source.fault(line, _no_column(option, [name], names))
    needed["--label"] = tuple(roles.label_fields(places))
    needed |= {"--id": (roles.id,), "--weight": (roles.weight,)}
    if roles.bare and names.count(roles.id) > 1:
        del needed["--id"]
    used = [*(name for wanted in needed.values() for name in wanted), *roles.attributes]
    _check_single(needed, names, source, line)
    source.bad.unmet.difference_update(roles.attributes)
    return Columns(
        tuple(names), tuple((name, places[name]) for name in dict.fromkeys(used) if name in places)
    )


def _needed_attributes(roles: Roles) -> tuple[str, ...]:
    """The attributes that must be present. Words of scored texts that a model uses need not be."""
    words = {name for name in roles.attributes if roles.bare and ":" in name}
    scored = {name.partition(":")[0] for name in words}
    return tuple(name for name in roles.attributes if name not in words | scored)


def _check_single(
    needed: Mapping[str, Sequence[str]], names: Sequence[str], source: Source, line: int
) -> None:
    """DataError if a column that is requested by name is not unique; others may be repeated."""
    for option, wanted in needed.items():
        for name in filter(None, wanted):
            numbers = [str(n) for n, other in enumerate(names, 1) if other == name]
            if len(numbers) > 1:
                raise source.fault(
                    line,
                    f"the header has {shown(name)} more than once, in columns "
                    f"{', '.join(numbers)}; choose one by number, such as {option} {numbers[0]}",
                )


SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}
"""separator of columns -> its name in messages"""


def _no_column(option: str, wanted: Sequence[str], names: Sequence[str]) -> str:
    if names and names[0].startswith("{"):
        return f"found {shown(names[0])}; if these are JSON objects, add --format jsonl"
    if len(names) == 1 and (found := [sign for sign in SEPARATORS if sign in names[0]]):
        sign = max(found, key=names[0].count)
        typed = shlex.quote("\\t" if sign == "\t" else sign)
        return (
            f"the header is one column, {shown(names[0])}; if {SEPARATORS[sign]} separate "
            f"columns, add --delimiter {typed}"
        )
    message = missing("column", option, wanted, names)
    return f"{message} (columns can be named by number; --no-header reads the first row as data)"


def _ragged(row: Row, columns: Columns, source: Source) -> DataError:
    names = ", ".join(map(shown, columns.names[:10]))
    return source.fault(
        row.line,
        f"{len(row.cells)} columns; expected the {len(columns.names)} of the header ({names})",
    )


# Separators ----------------------------------------------------------------------------------

DECLARED = re.compile(r'"?sep=(.)"?\s*')
"""Matches a first line that declares the separator, as Excel understands it."""
OTHERS = (";", "\t", ",", "|")
LOOKED = 20
"""Number of further lines that are examined for a separator if there is no header."""


def separator_of(
    lines: Iterator[Line], source: Source, settings: DataSettings, roles: Roles, usual: str
) -> tuple[str, Iterator[Line]]:
    """The separator, and the lines of the table.

    The settings take precedence, then a first line `sep=;`, which is never a row, then the usual
    separator, unless only another one gives a header with the columns that are needed.
    """
    first = next(lines, None)
    if first is None:
        return usual, iter(())
    asked = settings.delimiter.replace("\\t", "\t")
    declared = DECLARED.fullmatch(first[1])
    if declared and not asked:
        source.understand(f"columns are separated by {declared[1]!r}, as its first line says")
    if declared:
        return asked or declared[1], lines
    if asked:
        return asked, itertools.chain([first], lines)
    if not settings.header:
        some = [first, *itertools.islice(lines, LOOKED)]
        lines = itertools.chain(some, lines)
        return _of_numbered(some, source, roles, usual), lines
    lines = itertools.chain([first], lines)
    if not _has_columns(first[1], usual, roles):
        found = [mark for mark in OTHERS if mark != usual and _has_columns(first[1], mark, roles)]
        if len(found) == 1:
            source.understand(
                f"columns are separated by {found[0]!r}, as its header shows; --delimiter sets "
                "another"
            )
            return found[0], lines
    return usual, lines


def _of_numbered(some: list[Line], source: Source, roles: Roles, usual: str) -> str:
    """The separator if columns are named by number.

    This is the usual one, unless every line is a single column with it and exactly one other
    separator gives all lines the same, sufficient number of columns.
    """
    seen = source.bad.seen
    labels = Roles.of(seen.settings, False).labels if seen else roles.labels
    names = (*roles.texts, *labels, *roles.attributes)
    wanted = max((int(name) for name in names if name.isdecimal()), default=1)
    texts = [text for _, text, _ in some if text.strip()]

    def fits(mark: str) -> bool:
        widths = {_width(text, mark) for text in texts}
        return len(widths) == 1 and min(widths) >= max(wanted, 2)

    found = [mark for mark in OTHERS if mark != usual and fits(mark)]
    if len(found) == 1 and all(_width(text, usual) == 1 for text in texts):
        source.understand(
            f"columns are separated by {found[0]!r}, as its first lines show; --delimiter sets "
            "another"
        )
        return found[0]
    return usual


def _width(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:
        return 0


def _has_columns(header: str, separator: str, roles: Roles) -> bool:
    """Whether a header has the columns of the texts and, if they are required, of the labels."""
    try:
        names = next(csv.reader([header], delimiter=separator), [])
    except csv.Error:
        return False
    labels = not roles.labelled or bool(roles.label_fields(names))
    return len(names) > 1 and labels and set(roles.texts) <= set(names)
