"""Write documents as CSV and TSV with the csv module."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

from boostext.corpus.cells import Cells
from boostext.corpus.documents import Attribute, Document
from boostext.corpus.files import MARK
from boostext.corpus.holding import Ledger, no_scored_texts, read_back
from boostext.corpus.roles import shown
from boostext.settings import DataSettings

Shelf = dict[str, None]
"""Names in order of first occurrence."""


def csv_pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings
) -> Iterator[str]:
    """A header and comma-separated rows: id, texts, label or labels, weight, attributes."""
    return _pieces(documents, ledger, settings, ",")


def tsv_pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings
) -> Iterator[str]:
    """Like `csv_pieces` with tabs as separators, and with the same quotes."""
    return _pieces(documents, ledger, settings, "\t")


def _pieces(
    documents: Iterable[Document], ledger: Ledger, settings: DataSettings, delimiter: str
) -> Iterator[str]:
    """The rows. They go through a temporary file, as all columns are known only at the end."""
    texts: Shelf = {}
    attributes: Shelf = {}
    weighted = False
    cells = read_back(settings, textual=True)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        for document in documents:
            row: Row = _row(document, ledger, cells, settings.label_sep)
            texts.update(dict.fromkeys(row[1]))
            attributes.update(dict.fromkeys(row[4]))
            weighted |= document.weight != 1
            spool.write(json.dumps(row) + "\n")
        # readers need the text column even if there is no text
        texts = texts or dict.fromkeys(map(ledger.text_name, filter(None, settings.text)))
        label = "labels" if settings.label_sep else "label"
        header = ["id", *texts, label, *["weight"] * weighted, *attributes]
        _check_header(header, ledger)
        spool.seek(0)
        cells_of_rows = _cells(spool, header, texts, attributes, weighted)
        yield from _lines(cells_of_rows, delimiter, ledger.safe_cells)


Row = tuple[str, dict[str, str], str, str, dict[str, str]]
"""id, texts, label cell, weight, attributes"""


def _row(document: Document, ledger: Ledger, cells: Cells, separator: str) -> Row:
    no_scored_texts(document, ledger)
    values = document.attributes.items()
    ledger.check_texts(document, cells)
    ledger.check_categories(document, cells)
    return (
        document.id,
        ledger.texts(document),
        _label_cell(document.labels, ledger, cells, separator),
        repr(document.weight),
        {name: _attribute_cell(value) for name, value in values},
    )


def _label_cell(labels: Sequence[str], ledger: Ledger, cells: Cells, separator: str) -> str:
    if not separator:
        if len(labels) > 1:
            ledger.cannot_hold("several labels without --label-sep", "keeps the first only")
            labels = labels[:1]
        ledger.check_labels(labels, "".join(labels), cells)
        return "".join(labels)
    if labels and separator.join(labels).split(separator) != list(labels):
        ledger.cannot_hold(f"{shown(separator)} in a label, as it separates labels", "writes _")
        filler = "-" if "_" in separator else "_"
        labels = [label.translate(dict.fromkeys(map(ord, separator), filler)) for label in labels]
    ledger.check_labels(labels, separator.join(labels), cells)
    return separator.join(labels)


def _attribute_cell(value: Attribute) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, int | float) else value


def _check_header(header: Sequence[str], ledger: Ledger) -> None:
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice:
        raise ledger.fault(f"two columns would be called {shown(twice[0])}; rename one")
    if "" in header:
        raise ledger.fault("a column would have no name; name the attribute")


def _cells(
    spool: IO[str], header: Sequence[str], texts: Shelf, attributes: Shelf, weighted: bool
) -> Iterator[list[str]]:
    yield list(header)
    for line in spool:
        name, given_texts, label, weight, given_attributes = json.loads(line)
        yield [
            name,
            *(given_texts.get(field, "") for field in texts),
            label,
            *[weight] * weighted,
            *(given_attributes.get(field, "") for field in attributes),
        ]


def _lines(rows: Iterable[list[str]], delimiter: str, safe: bool) -> Iterator[str]:
    r"""One line for each row, ending in \n, which may also occur inside quotes."""
    buffer = io.StringIO(newline="")
    write = row_writer(buffer, delimiter, safe)
    for row in rows:
        write(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


FORMULA = re.compile(r"[=+\-@\t\r]")
"""Starts of cells that a spreadsheet may read as a formula (OWASP's page on CSV injection)."""
SIGNED = re.compile(r"[-+][0-9.]+(?:[eE][-+]?[0-9]+)?")


def safe_cell(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would compute; signed numbers stay."""
    return f"'{text}" if FORMULA.match(text) and not SIGNED.fullmatch(text) else text


def row_writer(
    file: IO[str], delimiter: str, safe: bool = False
) -> Callable[[Sequence[str]], object]:
    r"""A function that writes a row according to RFC 4180 but ending in \n.

    A reader finds the same cells. safe: apply `safe_cell` to every cell.
    """
    minimal = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    # subtle: the csv module does not quote a lone CR if lines end with LF (Python 3.11), and a
    # reader removes a byte order mark from a row that begins with one
    quoted = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(row: Sequence[str]) -> None:
        row = list(map(safe_cell, row)) if safe else row
        odd = row[0].startswith(MARK) or any("\r" in cell for cell in row)
        (quoted if odd else minimal).writerow(row)

    return write
