"""Definitions of report columns, and filters on them.

A single definition per column determines the header, the TSV and JSON output, the notebook view and
the documentation.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, TypeVar

from boostext.errors import SettingsError
from boostext.fields import nearest
from boostext.reports.escape import tsv_field, tsv_names, tsv_number

Row = TypeVar("Row")

NOTEBOOK_ROWS = 30
"""Maximum number of rows of a table in a notebook."""


def cell(value: Any) -> str:
    """Format a value as a TSV field: numbers have nine digits, and lists are joined by `|`."""
    if isinstance(value, str):
        return tsv_field(value)
    if value is None or isinstance(value, float):
        return tsv_number(value)
    if isinstance(value, tuple | list):
        return tsv_names([item if isinstance(item, str) else cell(item) for item in value])
    return str(value)


def plain(value: Any) -> Any:
    """Convert a value for JSON: tuples become lists, and dataclasses become objects."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a report.

    name: the header in TSV and the key in JSON. get: returns the value for a row. meaning: a
    sentence of documentation. tsv, json: convert the value for TSV and for JSON, or None if that
    format does not have the column. narrow: whether narrow views show the column.
    """

    name: str
    get: Callable[[Row], Any]
    meaning: str
    tsv: Callable[[Any], str] | None = cell
    json: Callable[[Any], Any] | None = plain
    narrow: bool = True


def tsv_lines(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the header, and then one line per row."""
    written = [(column.get, column.tsv) for column in columns if column.tsv]
    yield "\t".join(tsv_field(column.name) for column in columns if column.tsv) + "\n"
    for row in rows:
        yield "\t".join([write(get(row)) for get, write in written]) + "\n"


def as_json(columns: Sequence[Column[Row]], row: Row) -> dict[str, Any]:
    """Return the row as a JSON object keyed by column name."""
    return {column.name: column.json(column.get(row)) for column in columns if column.json}


class Rows(list[Row], Generic[Row]):
    """The rows of a report: a list of dataclasses together with the columns to display."""

    def __init__(self, rows: Iterable[Row], columns: Sequence[Column[Row]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, as printed by `--json`."""
        return [as_json(self.columns, row) for row in self]

    def to_tsv(self) -> str:
        """Return the rows as TSV, as written to the report folder."""
        return "".join(tsv_lines(self.columns, self))

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame.

        Raises ImportError if pandas is not installed.
        """
        import pandas

        names = [column.name for column in self.columns if column.json]
        return pandas.DataFrame(self.to_dicts(), columns=names)

    def _repr_html_(self) -> str:
        return table_html(self.columns, self)


def table_html(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> str:
    """Return the first rows as an HTML table for notebooks, with the columns for narrow views."""
    # jinja2 is slow to import, and only notebooks need it here
    from boostext.reports.html import environment

    wanted = [column for column in columns if column.narrow]
    template = environment().get_template("notebook_table.html")
    return template.render(
        columns=wanted,
        more=max(len(rows) - NOTEBOOK_ROWS, 0),
        rows=[[_readable(column.get(row)) for column in wanted] for row in rows[:NOTEBOOK_ROWS]],
    )


def _readable(value: Any) -> str:
    """Return a value as text, with three significant digits of numbers."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(_readable, value))
    return value if isinstance(value, str) else cell(value)


# Filters -------------------------------------------------------------------------------------

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}
_FILTER = re.compile(r"\s*([a-z_]+)\s*(>=|<=|!=|=|>|<|~)\s*(.*)", re.DOTALL)

Record = Mapping[str, object]


@dataclass(frozen=True)
class Filter:
    """A condition on one column, such as `documents>=10`, `kind=number` or `term~^un`.

    sign: a comparison operator, or "~" to search for the regular expression `value`.
    """

    column: str
    sign: str
    value: str

    def keeps(self, record: Record) -> bool:
        """Return whether the record meets the condition.

        Numbers are compared as numbers, and all other values as text. Raises SettingsError if there
        is no such column, or if the operator or the value does not fit the type of the column.
        """
        if self.column not in record:
            hint = nearest(self.column, list(record)) or f"; there are {', '.join(record)}"
            raise SettingsError(f"no column {self.column!r}{hint}")
        value = record[self.column]
        if self.sign == "~":
            return bool(pattern(self.value).search(str(value)))
        if isinstance(value, int | float):
            return _COMPARISONS[self.sign](value, self._number())
        if self.sign not in ("=", "!="):
            raise SettingsError(f"{self.column} is text; compare it with =, != or ~")
        return (str(value) == self.value) is (self.sign == "=")

    def _number(self) -> float:
        try:
            return float(self.value)
        except ValueError:
            raise SettingsError(
                f"{self.column} is a number; expected a number instead of {self.value!r}"
            ) from None


def read_filter(text: str) -> Filter:
    """Parse a filter: a column, an operator and a value. Raises SettingsError if it is invalid."""
    match = _FILTER.fullmatch(text)
    if match is None:
        raise SettingsError(
            f"{text!r} is not a filter; expected a column, one of >= <= > < = != ~, and a value, "
            "as in documents>=10"
        )
    return Filter(match[1], match[2], match[3].strip())


def pattern(text: str) -> re.Pattern[str]:
    """Compile a regular expression that ignores case. Raises SettingsError if it is invalid."""
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise SettingsError(f"{text!r} is not a regular expression: {error}") from None


def kept(records: Iterable[Record], filters: Sequence[Filter]) -> list[int]:
    """Return the indices of the records that meet all filters."""
    return [
        place for place, record in enumerate(records) if all(one.keeps(record) for one in filters)
    ]
