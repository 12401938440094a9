"""One input as named by the user, and the account of what was left out or changed in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from boostext.corpus.documents import Document, Origin
from boostext.corpus.notes import Notes
from boostext.errors import DataError
from boostext.settings import DataSettings

Record = Document | DataError
"""What a reader returns for each record: the document or an error."""

Line = tuple[int, str, DataError | None]
"""1-based number; text with its line end; the error in its bytes, if any."""


@dataclass
class SeenLabels:
    """Counts the labels of documents where labels are not required.

    settings: where labels are found in the data. counts: label -> number of documents, for the
    first MOST_LABELS labels.
    """

    settings: DataSettings
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, labels: Iterable[str]) -> None:
        """Count the labels of one document."""
        for label in labels:
            if label in self.counts or len(self.counts) < MOST_LABELS:
                self.counts[label] += 1


@dataclass
class BadRecords:
    """Counts what was left out, replaced or guessed while reading; keeps the first `limit` errors.

    count: number of bad records. blank_lines: number of lines without a record. records: number of
    good and bad records in files that were read to their end, for formats that have records.
    replaced: number of lines in which invalid bytes were replaced. one_hot: whether the label
    columns are one-hot; None as long as this is unknown. left_out: reason -> number of valid
    records that are not wanted. understood: sentences about how the data was read. unmet:
    attributes that were named and that no record has had so far. unmet_roles: the same for the
    fields of labels, id and weight, by option. fields: names of the fields of records. seen: counts
    the labels of documents where labels are not required.
    """

    limit: int = 1000
    count: int = 0
    blank_lines: int = 0
    records: int = 0
    replaced: int = 0
    first: list[tuple[Origin, str]] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    left_out: Counter[str] = field(default_factory=Counter)
    understood: dict[str, None] = field(default_factory=dict)
    one_hot: bool | None = None
    unmet: set[str] = field(default_factory=set)
    unmet_roles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fields: dict[str, None] = field(default_factory=dict)
    seen: SeenLabels | None = None

    def join(self, other: BadRecords) -> None:
        """Add the account of the next part of the data."""
        self.count += other.count
        self.blank_lines += other.blank_lines
        self.records += other.records
        self.replaced += other.replaced
        self.first += other.first[: self.limit - len(self.first)]
        self.notes.join(other.notes)
        self.left_out.update(other.left_out)
        self.understood.update(other.understood)
        self.one_hot = other.one_hot if self.one_hot is None else self.one_hot
        self.unmet &= other.unmet
        for role in self.unmet_roles.keys() - other.unmet_roles.keys():
            del self.unmet_roles[role]
        if self.seen is not None and other.seen is not None:
            self.seen.counts.update(other.seen.counts)
        self.fields.update(dict.fromkeys([*other.fields][: MOST_FIELDS - len(self.fields)]))

    def add(self, error: DataError) -> None:
        """Count one bad record."""
        self.count += 1
        if len(self.first) < self.limit:
            self.first.append((Origin(error.path, error.line), error.message))

    def meet(self, attributes: Iterable[str], fields: Collection[str]) -> None:
        """Record that attributes and other fields occur in a record."""
        self.unmet.difference_update(attributes)
        for option, names in list(self.unmet_roles.items()):
            if any(name in fields for name in names):
                del self.unmet_roles[option]
        if len(self.fields) < MOST_FIELDS:
            self.fields.update(dict.fromkeys((*fields, *attributes)))


MOST_LABELS = 10_000
"""Maximum number of labels that are counted if not required. Fields of free text have more."""

MOST_FIELDS = 1000
"""Maximum number of field names that are kept to suggest one in place of a missing one."""


LONGEST = 2**28
"""Default maximum number of bytes of one record."""


class Span(NamedTuple):
    """Bytes start..stop - 1 of a file (None: up to its end), and the number of lines and records
    before them.
    """

    start: int = 0
    stop: int | None = None
    lines: int = 0
    records: int = 0


WHOLE = Span()


@dataclass(frozen=True)
class Source:
    """One input and its account.

    path: as given ("-" is stdin). name: prefix of default ids. bad: the account. columns: documents
    keep the fields of their records. longest: maximum number of bytes of one record, because a
    compressed file of a few kilobytes can contain lines of any length. span: the part of the file
    that is read.
    """

    path: str
    name: str
    bad: BadRecords
    columns: bool = False
    longest: int = LONGEST
    span: Span = WHOLE

    def understand(self, message: str) -> None:
        """Record a message about how this source is read. Repeated messages are kept once."""
        self.bad.understood[f"{self.path}: {message}"] = None

    def fault(self, line: int, message: str) -> DataError:
        """A DataError at a line of this source; 0 stands for the source as a whole."""
        return DataError(self.path, line, message)

    def too_long(self, line: int, what: str, more: str = "") -> DataError:
        """The error for a record of more than `longest` bytes. more: a possible cause."""
        size = self.longest >> 20
        hint = f"; if it is one, add --max-record {4 * size}" if self.longest < LONGEST else ""
        return self.fault(
            line, f"a {what} of more than {size} MB; expected one document per record{more}{hint}"
        )
