"""Definitions of report columns.

A single definition per column determines the header, the TSV and JSON output, the notebook view and
the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, TypeVar

from boostext.reports.escape import tsv_field, tsv_names, tsv_number

Row = TypeVar("Row")


def cell(value: Any) -> str:
    """Format a value as a TSV field: numbers have nine digits, and lists are joined by `|`."""
    if isinstance(value, str):
        return tsv_field(value)
    if value is None or isinstance(value, float):
        return tsv_number(value)
    if isinstance(value, tuple | list):
        return tsv_names(item if isinstance(item, str) else cell(item) for item in value)
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
        yield "\t".join(write(get(row)) for get, write in written) + "\n"


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
        from boostext.reports.notebook import table_html

        return table_html(self.columns, self)
