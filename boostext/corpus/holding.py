"""What a format cannot hold: an error that names the document, or a change that is counted."""

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
    """Counts the documents a writer takes, and those it had to change.

    lossy: changes are allowed. names: text field -> the name it is written under. replaces: what
    the file may take the place of; None is anything. safe_cells: see `table_writer.safe_cell`.
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
        """Pass documents on; what is said from then on is about the last one."""
        for document in documents:
            self._origin, self._changed = document.origin, False
            self.count += 1
            yield document

    def fault(self, message: str) -> DataError:
        """A DataError about the last document."""
        return DataError(self._origin.path, self._origin.line, message)

    def cannot_hold(self, what: str, instead: str) -> None:
        """Raise, or where changes are allowed count the document as changed, once."""
        if not self._lossy:
            raise self.fault(f"the format cannot hold {what}; --lossy {instead}")
        self.replaced += not self._changed
        self._changed = True

    def texts(self, document: Document) -> dict[str, str]:
        """The texts under the names they are written under."""
        return {self.text_name(name): text for name, text in document.texts.items()}

    def text_name(self, field: str) -> str:
        """What a text field is called in the file."""
        return self._names.get(field, field)

    def check_texts(self, document: Document, cells: Cells) -> None:
        """Texts that a reader would take for a missing value cannot be held."""
        for name, text in document.texts.items():
            if cells.is_missing(text):
                self.cannot_hold(
                    f"the text {shown(text)} of {shown(name)}, which marks a missing value",
                    "writes it nevertheless",
                )

    def check_labels(self, labels: Sequence[str], written: object, cells: Cells) -> None:
        """Labels that would be read otherwise than they are cannot be held. written: as a value."""
        try:
            same = cells.labels("label", written) == tuple(labels)
        except CellError:
            same = False
        if not same:
            self.cannot_hold(
                f"the labels {', '.join(map(shown, labels))}, which would not be read as they are "
                "without --literal-labels",
                "writes them nevertheless",
            )

    def check_categories(self, document: Document, cells: Cells) -> None:
        """Categories that would be read as a number or as missing cannot be held."""
        for name, value in document.attributes.items():
            if isinstance(value, str) and cells.attribute(name, value) != value:
                self.cannot_hold(
                    f"the category {shown(value)} of {shown(name)}, which reads as a number or "
                    "as nothing",
                    "writes it nevertheless",
                )


def read_back(settings: DataSettings, textual: bool) -> Cells:
    """What a reader with these settings will make of the values that are written."""
    return Cells(Source("-", "-", BadRecords()), settings, textual)


def one_text(document: Document, ledger: Ledger) -> str:
    """The text, for formats that hold nothing but one text with labels."""
    if len(document.texts) > 1:
        ledger.cannot_hold("several text fields", "joins them by spaces")
    if document.weight != 1:
        ledger.cannot_hold("weights", "leaves them out")
    if document.attributes:
        ledger.cannot_hold("attributes", "leaves them out")
    no_scored_texts(document, ledger)
    return " ".join(document.texts.values())


def no_scored_texts(document: Document, ledger: Ledger) -> None:
    """For formats that hold no words with values."""
    if any(document.scored.values()):
        ledger.cannot_hold("scored texts", "leaves them out")
