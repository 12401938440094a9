"""Columns as values: one row for each column of a report feeds its header, its TSV, its JSON, its
view in a notebook and its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, TypeVar

from boostext.reports.escape import tsv_field, tsv_names, tsv_number

Row = TypeVar("Row")


def cell(value: Any) -> str:
    """A value in a field of TSV: numbers with nine digits, several names joined by `|`."""
    if isinstance(value, str):
        return tsv_field(value)
    if value is None or isinstance(value, float):
        return tsv_number(value)
    if isinstance(value, tuple | list):
        return tsv_names(item if isinstance(item, str) else cell(item) for item in value)
    return str(value)


def plain(value: Any) -> Any:
    """A value as JSON can hold it: tuples become lists, dataclasses objects."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


@dataclass(frozen=True)
class Column(Generic[Row]):
    """name: in the header and as the key of JSON. get: its value of a row. meaning: a sentence.

    tsv: how the value is written in TSV; json: what it is in JSON; None where that does not have
    the column. narrow: whether a view that has little room shows it.
    """

    name: str
    get: Callable[[Row], Any]
    meaning: str
    tsv: Callable[[Any], str] | None = cell
    json: Callable[[Any], Any] | None = plain
    narrow: bool = True


def tsv_lines(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> Iterator[str]:
    """The header, then a line for each row."""
    written = [(column.get, column.tsv) for column in columns if column.tsv]
    yield "\t".join(tsv_field(column.name) for column in columns if column.tsv) + "\n"
    for row in rows:
        yield "\t".join(write(get(row)) for get, write in written) + "\n"


def as_json(columns: Sequence[Column[Row]], row: Row) -> dict[str, Any]:
    """The row as JSON can hold it."""
    return {column.name: column.json(column.get(row)) for column in columns if column.json}


class Rows(list[Row], Generic[Row]):
    """The rows of a report: a list of dataclasses that knows its columns."""

    def __init__(self, rows: Iterable[Row], columns: Sequence[Column[Row]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows as `--json` prints them."""
        return [as_json(self.columns, row) for row in self]

    def to_tsv(self) -> str:
        """The rows as the report folder has them."""
        return "".join(tsv_lines(self.columns, self))

    def to_pandas(self) -> Any:
        """A DataFrame of pandas with a row for each; ImportError where pandas is not installed."""
        import pandas

        names = [column.name for column in self.columns if column.json]
        return pandas.DataFrame(self.to_dicts(), columns=names)

    def _repr_html_(self) -> str:
        from boostext.reports.notebook import table_html

        return table_html(self.columns, self)
