"""Files with one document per line, either in fastText's format or plain text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from boostext.corpus.cells import Cells
from boostext.corpus.documents import Document, Origin
from boostext.corpus.files import MARK, numbered_lines
from boostext.corpus.roles import default_id
from boostext.corpus.sources import Line, Record, Source
from boostext.errors import DataError
from boostext.settings import DataSettings

PREFIX = "__label__"
BLANKS = " \t\v\f\r"
"""The characters that separate words in fastText; labels may contain other white space."""
LABEL = re.compile(rf"[{BLANKS}]*{PREFIX}([^{BLANKS}]*)")
LATER_LABEL = re.compile(rf"[{BLANKS}]{PREFIX}")


def fasttext_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """Lines that begin with labels. A line without labels is a document without labels."""
    return _fasttext(_filled_lines(source, settings), source, settings, labelled)


def line_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """Lines of plain text, even if they begin with `__label__`."""
    if labelled:
        raise source.fault(0, "lines of plain text have no labels; choose another --format")
    return _plain(_filled_lines(source, settings), source, settings)


def txt_documents(source: Source, settings: DataSettings, labelled: bool) -> Iterator[Record]:
    """fastText's format if the first line begins with a label, otherwise lines of plain text."""
    lines = _filled_lines(source, settings)
    first = next(lines, None)
    if first is None:
        return iter(())
    lines = itertools.chain([first], lines)
    if LABEL.match(first[1]):
        return _fasttext(lines, source, settings, labelled)
    if labelled:
        raise source.fault(
            first[0],
            f"does not begin with {PREFIX}, and plain text has no labels; expected "
            "fastText lines (add --format fasttext if some have no label)",
        )
    return _plain(lines, source, settings)


def _filled_lines(source: Source, settings: DataSettings) -> Iterator[Line]:
    """The lines that are not blank, without their line ends. Blank lines are counted."""
    for number, text, error in numbered_lines(source, settings):
        if number > 1:  # after files were concatenated
            text = text.removeprefix(MARK)
        if not error and (not text or text.isspace()):
            source.bad.blank_lines += 1
        else:
            yield number, text.removesuffix("\n").removesuffix("\r"), error


def _plain(lines: Iterator[Line], source: Source, settings: DataSettings) -> Iterator[Record]:
    field = text_field(settings)
    for number, (line, text, error) in enumerate(lines, 1):
        name, origin = default_id("", source, number), Origin(source.path, line)
        yield error or Document(name, {field: text}, origin=origin, labelled=False)


def _fasttext(
    lines: Iterator[Line], source: Source, settings: DataSettings, labelled: bool
) -> Iterator[Record]:
    field, cells = text_field(settings), Cells(source, settings, textual=True)
    for number, (line, text, error) in enumerate(lines, 1):
        if error:
            yield error
            continue
        cells.line = line
        try:
            labels, rest = _labels_and_text(text, source, line)
        except DataError as fault:
            yield fault
            continue
        yield Document(
            id=default_id("", source, number),
            texts={field: rest},
            labels=cells.labels(PREFIX, labels),
            origin=Origin(source.path, line),
            labelled=labelled or bool(labels),
        )


def _labels_and_text(line: str, source: Source, number: int) -> tuple[list[str], str]:
    """The labels at the beginning, and the text, which begins after one space."""
    labels: list[str] = []
    place = 0
    while match := LABEL.match(line, place):
        labels.append(match[1])
        place = match.end()
    text = line[place + 1 :] if labels else line
    if PREFIX in text and LATER_LABEL.search(text):
        raise source.fault(number, f"{PREFIX} inside the text; labels must come before it")
    return labels, text


def text_field(settings: DataSettings) -> str:
    """The name of the text field for formats that do not name it."""
    return next((name for name in settings.text if name), "text")
