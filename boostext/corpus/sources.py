"""One input as named by the user, and the account of what was left out of it."""

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
"""What a reader gives for each record: the document, or what is wrong with it."""

Line = tuple[int, str, DataError | None]
"""1-based number; text with its line end; what is wrong with its bytes."""


@dataclass
class SeenLabels:
    """The labels of documents that are read without them: counted, and nothing else done.

    settings: where labels stand in the data. counts: label -> documents, of the first MOST_LABELS.
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
    """Counts what a reading left out, mended or guessed; keeps the first `limit` faults.

    count: bad records. blank_lines: lines without a record. records: of the formats that have
    some, good or bad, of files that were read to their ends. replaced: lines in which bytes that
    are no text were replaced. one_hot: whether the label columns are; None while nothing told.
    left_out: reason -> records that are good and not wanted. understood: how the data was read, a
    sentence each. unmet: attributes that were named and no record had so far. unmet_roles: the
    same of the fields of labels, id and weight, by their options. fields: names that records have.
    seen: takes the labels that documents have, where nobody needs them.
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
        """Take in the account of the part of the data that follows."""
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
        """Take note of the attributes and further fields of a record."""
        self.unmet.difference_update(attributes)
        for option, names in list(self.unmet_roles.items()):
            if any(name in fields for name in names):
                del self.unmet_roles[option]
        if len(self.fields) < MOST_FIELDS:
            self.fields.update(dict.fromkeys((*fields, *attributes)))


MOST_LABELS = 10_000
"""Labels that are looked at where nobody needs them; a field of free text has more."""

MOST_FIELDS = 1000
"""Names of fields that are kept to find the nearest to one that is missing."""


LONGEST = 2**28
"""Bytes of one record where nobody says how many it may have."""


class Span(NamedTuple):
    """Bytes start..stop - 1 of a file (None: up to its end), after so many lines and records."""

    start: int = 0
    stop: int | None = None
    lines: int = 0
    records: int = 0


WHOLE = Span()


@dataclass(frozen=True)
class Source:
    """path: as given ("-" is stdin). name: what default ids begin with. bad: the account.

    columns: documents carry the fields of their records. longest: bytes of one record at most; a
    compressed file of a few kilobytes can hold lines without end. span: the part of the file that
    is read.
    """

    path: str
    name: str
    bad: BadRecords
    columns: bool = False
    longest: int = LONGEST
    span: Span = WHOLE

    def understand(self, message: str) -> None:
        """Tell, once, how this source is read."""
        self.bad.understood[f"{self.path}: {message}"] = None

    def fault(self, line: int, message: str) -> DataError:
        """A DataError at a line of this source; 0 is the source as a whole."""
        return DataError(self.path, line, message)

    def too_long(self, line: int, what: str, more: str = "") -> DataError:
        """The fault of a record with more than `longest` bytes. more: what may be the matter."""
        size = self.longest >> 20
        hint = f"; where it is one, add --max-record {4 * size}" if self.longest < LONGEST else ""
        return self.fault(
            line, f"a {what} of more than {size} MB; expected one document a record{more}{hint}"
        )
