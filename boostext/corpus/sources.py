"""One input as named by the user, and the account of what was left out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from boostext.corpus.documents import Document, Origin
from boostext.errors import DataError

Record = Document | DataError
"""What a reader gives for each record: the document, or what is wrong with it."""

Line = tuple[int, str, DataError | None]
"""1-based number; text with its line end; what is wrong with its bytes."""


@dataclass
class BadRecords:
    """Counts what a reading left out or mended; keeps the first `limit` faults.

    count: bad records. blank_lines: lines without a record. replaced: lines in which bytes that
    are no text were replaced.
    """

    limit: int = 1000
    count: int = 0
    blank_lines: int = 0
    replaced: int = 0
    first: list[tuple[Origin, str]] = field(default_factory=list)

    def add(self, error: DataError) -> None:
        """Count one bad record."""
        self.count += 1
        if len(self.first) < self.limit:
            self.first.append((Origin(error.path, error.line), error.message))


@dataclass(frozen=True)
class Source:
    """path: as given ("-" is stdin). name: what default ids begin with. bad: the account."""

    path: str
    name: str
    bad: BadRecords

    def fault(self, line: int, message: str) -> DataError:
        """A DataError at a line of this source; 0 is the source as a whole."""
        return DataError(self.path, line, message)
