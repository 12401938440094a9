"""Convert records of any format to documents: from named values to a Document."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from boostext.corpus.cells import CellError, Cells, kind_of
from boostext.corpus.documents import Attribute, Document, Origin
from boostext.corpus.exports import ExportReader
from boostext.corpus.record_fields import Conditions, Paths, field_names
from boostext.corpus.roles import Roles, default_id, missing, shown
from boostext.corpus.sources import BadRecords, Record, SeenLabels, Source
from boostext.corpus.spellings import are_shares, is_switch, looks_one_hot, switched
from boostext.errors import DataError
from boostext.settings import DataSettings

Fields = Mapping[str, Any]
"""name -> JSON value"""


def record_documents(
    records: Iterable[tuple[int, Fields | DataError]],
    source: Source,
    settings: DataSettings,
    labelled: bool,
    textual: bool = False,
    numbered: bool = False,
) -> Iterator[Record]:
    """The documents of numbered records, with a DataError for each record that cannot be used.

    textual: the values are cells of a table, in which strings may represent numbers. numbered:
    messages give the number of the record, because the line number is not helpful.
    """
    reader = RecordReader(source, settings, labelled, textual)
    export = ExportReader(source, settings, reader.roles)
    paths, conditions = Paths.of(reader.roles, reader.unneeded), Conditions.of(settings)
    before = number = source.span.records
    for number, (line, record) in enumerate(records, before + 1):
        if isinstance(record, DataError):
            yield record
            continue
        try:
            if conditions and not conditions.hold(record, source):
                continue
            fields = export.take(record)
            if fields is None:
                continue
            fields = paths.laid_out(fields) if paths.names else fields
            found = reader.read(fields, line, number, record)
        except RecursionError:
            found = source.fault(line, "the record is nested too deeply; expected flat objects")
        if numbered and isinstance(found, DataError):
            found = source.fault(line, f"record {number}: {found.message}")
        yield found
    source.bad.records += number - before
    if conditions:
        conditions.check(source)


class RecordReader:
    """Converts the records of one source to documents."""

    def __init__(
        self, source: Source, settings: DataSettings, labelled: bool, textual: bool = False
    ) -> None:
        self.source, self.roles = source, Roles.of(settings, labelled)
        self.cells = Cells(source, settings, textual)
        if source.bad.one_hot is None and settings.label_columns != "auto":
            source.bad.one_hot = settings.label_columns == "one-hot"
        self._seen = source.bad.seen if self.roles.bare else None
        self._looker: RecordReader | None = None
        if self._seen:  # notes about labels are irrelevant if none are needed
            apart = Source(source.path, source.name, BadRecords())
            self._looker = RecordReader(apart, self._seen.settings, False, textual)

    @property
    def unneeded(self) -> tuple[str, ...]:
        """Label fields that are examined although labels are not required."""
        return self._looker.roles.labels if self._looker else ()

    def read(self, record: Fields, line: int, number: int, whole: Fields | None = None) -> Record:
        """The document for a record, or a DataError.

        number: 1-based number of the record in the source. whole: all fields unchanged, to be kept
        in the document.
        """
        self.cells.line = line
        try:
            document = self._document(record, line, number, whole)
        except CellError as error:
            return self.source.fault(line, str(error))
        if self._seen and self._looker:
            self._looker._look(record, self._seen)
        return document

    def _look(self, record: Fields, seen: SeenLabels) -> None:
        """Count the labels of a record if they are not required and may be anything."""
        names = [name for name in self.roles.labels if name in record]
        if not names:
            return
        value = record[names[0]]
        if type(value) is list and len(value) == 1:
            value = value[0]
        if type(value) is str and value in seen.counts and len(names) == 1:  # most by far
            seen.counts[value] += 1
            return
        with contextlib.suppress(CellError, RecursionError):
            seen.add(self._labels(record) or ())

    def _document(self, record: Fields, line: int, number: int, whole: Fields | None) -> Document:
        roles, cells = self.roles, self.cells
        if roles.required and (absent := roles.required - record.keys()):
            name = min(absent)
            option = "--id" if name == roles.id else "--weight"
            raise CellError(missing("field", option, [name], field_names(record)))
        if self.source.bad.unmet_roles:
            self.source.bad.meet((), record)
        labels = self._labels(record)
        attributes: dict[str, Attribute] = {}
        scored: dict[str, dict[str, float]] = {}
        if roles.attributes or "attributes" in record:
            for name, value in self._given(record).items():
                if isinstance(value, dict):  # a scored text: words with one number each
                    scored[name] = cells.words(name, value)
                else:
                    attributes[name] = cells.attribute(name, value)
        given = record.get(roles.id)
        return Document(
            given if given and type(given) is str else self._id(given, number),
            self._texts(record),
            labels or (),
            cells.weight(roles.weight, record[roles.weight]) if roles.weight in record else 1.0,
            attributes,
            Origin(self.source.path, line),
            labels is not None,
            scored,
            self._columns(whole) if whole is not None and self.source.columns else None,
        )

    def _columns(self, whole: Fields) -> Fields:
        """The fields, without the one that only repeats the document's id."""
        given = whole.get("id")
        if self.roles.id == "id" and (given is None or isinstance(given, str | int | float)):
            return {name: value for name, value in whole.items() if name != "id"}
        return whole

    def _id(self, given: object, number: int) -> str:
        try:
            return default_id(self.cells.id(self.roles.id, given), self.source, number)
        except CellError:
            if not self.roles.bare:
                raise
        self.cells.note("no id", kind_of(given))
        return default_id("", self.source, number)

    def _texts(self, record: Fields) -> dict[str, str]:
        """The texts by field. Fields that are null are left out unless all of them are."""
        names = self.roles.texts
        text = record.get(names[0]) if len(names) == 1 else None
        if type(text) is str and len(text) > self.cells.longest_mark:  # most by far
            return {names[0]: text}
        if len(names) != 1 or names[0] not in record:
            names = tuple(name for name in names if record.get(name) is not None)
        if not names and self.roles.texts:
            names = tuple(name for name in self.roles.texts if name in record)[:1]
            if not names:
                raise CellError(missing("field", "--text", self.roles.texts, field_names(record)))
        return {name: self.cells.text(name, record[name]) for name in names}

    # Labels ----------------------------------------------------------------------------------

    def _labels(self, record: Fields) -> tuple[str, ...] | None:
        """The labels; None if there are no label fields and they are not required."""
        roles = self.roles
        names = [name for name in roles.labels if name in record]
        if len(names) > 1 and roles.alternatives:
            names = names[:1]
        if len(names) == 1 and not self.source.bad.one_hot and record[names[0]] is not None:
            return self.cells.labels(names[0], record[names[0]])
        if not roles.labelled:
            names = [name for name in names if record[name] is not None]
        if not names:
            if roles.labelled:
                raise CellError(missing("field", "--label", roles.labels, field_names(record)))
            return None
        if (len(names) > 1 or self.source.bad.one_hot) and self._is_one_hot(names, record):
            return tuple(name for name in names if self._is_given(name, record[name]))
        if len(names) == 1:
            return self.cells.labels(names[0], record[names[0]])
        if not self.cells.literal and are_shares([record[name] for name in names]):
            raise CellError(
                f"the label columns {', '.join(map(shown, names))} contain numbers that may be "
                "probabilities or scores of labels; write 0 or 1 in each, or add --literal-labels "
                "if the numbers are labels"
            )
        found = (label for name in names for label in self.cells.labels(name, record[name]))
        return tuple(dict.fromkeys(found))

    def _is_one_hot(self, names: list[str], record: Fields) -> bool:
        """Whether label columns are one-hot, by the settings or else by the first filled record."""
        account = self.source.bad
        if account.one_hot is None and len(names) > 1:
            account.one_hot = looks_one_hot([record[name] for name in names])
            if account.one_hot:
                for name in names:
                    self.cells.note("one-hot columns", name)
        return bool(account.one_hot)

    def _is_given(self, name: str, value: object) -> bool:
        if not is_switch(value):
            value_shown = shown(value) if isinstance(value, str | int | float) else kind_of(value)
            raise CellError(
                f"{shown(name)} is {value_shown}; expected 0 or 1, or no or yes, as in the one-hot "
                "columns of earlier rows; --no-one-hot reads the cells as labels"
            )
        return switched(value)

    # Attributes ------------------------------------------------------------------------------

    def _given(self, record: Fields) -> Fields:
        """The attributes and scored texts, unchanged."""
        roles = self.roles
        given: object = record.get("attributes")
        if roles.bare or roles.no_attributes:  # only those that are named
            own = given if isinstance(given, dict) else {}
            named = {name: own[name] for name in roles.attributes if name in own}
            if roles.bare:
                record = {name: record[name] for name in record.keys() - named.keys()}
            given = named
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise CellError(f"'attributes' is {kind_of(given)}; expected an object like {{...}}")
        if not roles.attributes:
            return given
        values = dict(given)
        for name in roles.attributes:
            if name in record and name in given:
                raise CellError(f"{shown(name)} is both a field of the record and in 'attributes'")
            if name in record:
                values[name] = record[name]
        if self.source.bad.unmet:
            self.source.bad.meet(values, record)
        return values
