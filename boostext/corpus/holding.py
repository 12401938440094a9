"""Handle what a format cannot represent: raise an error, or change the document and count it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from boostext.atomic import NOTHING, Kind
from boostext.corpus.cells import CellError, Cells
from boostext.corpus.documents import Document, Origin
from boostext.corpus.roles import shown
from boostext.corpus.sources import BadRecords, Source
from boostext.errors import DataError
from boostext.settings import DataSettings


class Ledger:
    """Counts the documents that a writer writes, and those that it has to change.

    lossy: changes are allowed. names: text field -> its name in the output. replaces: the kind of
    output that may be replaced; None is any kind. safe_cells: see `table_writer.safe_cell`.
    """

    def __init__(
        self,
        lossy: bool,
        names: Mapping[str, str],
        replaces: Kind | None = NOTHING,
        safe_cells: bool = False,
    ) -> None:
        self._lossy, self._names, self.replaces = lossy, names, replaces
        self.safe_cells = safe_cells
        self._origin = Origin("-", 0)
        self._changed = False
        self.count = self.replaced = 0

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass documents on. Errors and counts that follow are about the last one."""
        for document in documents:
            self._origin, self._changed = document.origin, False
            self.count += 1
            yield document

    def fault(self, message: str) -> DataError:
        """A DataError about the last document."""
        return DataError(self._origin.path, self._origin.line, message)

    def cannot_hold(self, what: str, instead: str) -> None:
        """Raise DataError or, if changes are allowed, count the document as changed, once."""
        if not self._lossy:
            raise self.fault(f"the format cannot hold {what}; --lossy {instead}")
        self.replaced += not self._changed
        self._changed = True

    def texts(self, document: Document) -> dict[str, str]:
        """The texts, with the names of their fields in the output."""
        return {self.text_name(name): text for name, text in document.texts.items()}

    def text_name(self, field: str) -> str:
        """The name of a text field in the output."""
        return self._names.get(field, field)

    def check_texts(self, document: Document, cells: Cells) -> None:
        """Check that no text would be read as a missing value."""
        for name, text in document.texts.items():
            if cells.is_missing(text):
                self.cannot_hold(
                    f"the text {shown(text)} of {shown(name)}, which marks a missing value",
                    "writes it anyway",
                )

    def check_labels(self, labels: Sequence[str], written: object, cells: Cells) -> None:
        """Check that labels would be read unchanged. written: the value that represents them."""
        try:
            same = cells.labels("label", written) == tuple(labels)
        except CellError:
            same = False
        if not same:
            self.cannot_hold(
                f"the labels {', '.join(map(shown, labels))}, which would change when read "
                "without --literal-labels",
                "writes them anyway",
            )

    def check_categories(self, document: Document, cells: Cells) -> None:
        """Check that no category would be read as a number or as a missing value."""
        for name, value in document.attributes.items():
            if isinstance(value, str) and cells.attribute(name, value) != value:
                self.cannot_hold(
                    f"the category {shown(value)} of {shown(name)}, which reads as a number or "
                    "as a missing value",
                    "writes it anyway",
                )


def read_back(settings: DataSettings, textual: bool) -> Cells:
    """The interpretation of written values by a reader with these settings."""
    return Cells(Source("-", "-", BadRecords()), settings, textual)


def one_text(document: Document, ledger: Ledger) -> str:
    """The text, for formats that can only represent one text with labels."""
    if len(document.texts) > 1:
        ledger.cannot_hold("several text fields", "joins them with spaces")
    if document.weight != 1:
        ledger.cannot_hold("weights", "leaves them out")
    if document.attributes:
        ledger.cannot_hold("attributes", "leaves them out")
    no_scored_texts(document, ledger)
    return " ".join(document.texts.values())


def no_scored_texts(document: Document, ledger: Ledger) -> None:
    """Check that there are no scored texts, for formats that cannot represent them."""
    if any(document.scored.values()):
        ledger.cannot_hold("scored texts", "leaves them out")
