"""What every command says of its reading, and the small words they share."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from boostext.cli.talk import Talk
from boostext.corpus.alike import Reading
from boostext.corpus.corrections import Corrections
from boostext.corpus.documents import Document
from boostext.corpus.sources import BadRecords
from boostext.corpus.stems import TESTING, stem_file
from boostext.errors import BoostextError, SettingsError
from boostext.fields import count
from boostext.reports.folder import REPORTS


def announce_stdin(paths: Sequence[str], talk: Talk) -> None:
    """Nobody should wait for a program that waits for them."""
    if "-" in paths and sys.stdin is not None and sys.stdin.isatty():
        talk.say("reading stdin; end it with Ctrl-D (on Windows Ctrl-Z, Enter)")


def tell_reading(reading: Reading, paths: Sequence[str], talk: Talk) -> None:
    """How files are read, where that is not plain from their names."""
    for remark in reading.remarks(paths):
        talk.say(remark)


def tell_bad(bad: BadRecords, talk: Talk) -> None:
    """How the data was understood, and what reading left out, mended or guessed."""
    tell_understood(bad, talk)
    if bad.count:
        talk.warn(f"{count(bad.count, 'bad record')} left out:")
        for origin, message in bad.first[:BAD_LISTED]:
            talk.warn(f"  {origin}: {message}")
        if bad.count > BAD_LISTED:
            talk.warn(f"  and {bad.count - BAD_LISTED:,} more; boostext check lists them")
    if bad.replaced:
        talk.warn(f"bytes that are no text were replaced in {count(bad.replaced, 'line')}")
    if bad.blank_lines:
        talk.say(f"{count(bad.blank_lines, 'blank line')} skipped")
    for note in bad.notes:
        talk.say(str(note))


def tell_understood(bad: BadRecords, talk: Talk) -> None:
    """How the data was understood, and which good records were not wanted."""
    for message in bad.understood:
        talk.say(message)
    for reason, number in bad.left_out.items():
        talk.say(f"{count(number, 'record')} left out: {reason}")


def tell_corrections(corrections: Corrections, talk: Talk) -> None:
    """What corrections came to, if there were any."""
    if corrections:
        talk.say(corrections.said())
        for doubt in corrections.doubts():
            talk.warn(doubt)


def some(
    documents: Iterable[Document], paths: Sequence[str], bad: BadRecords
) -> Iterator[Document]:
    """The documents; BoostextError where there are none, with what was left out."""
    number = -1
    for number, document in enumerate(documents):  # noqa: B007
        yield document
    if number < 0:
        more = ", ..." if len(paths) > MOST_NAMED else ""
        left_out = ", ".join(f"{number:,} ({reason})" for reason, number in bad.left_out.items())
        raise BoostextError(
            f"no documents in {', '.join(paths[:MOST_NAMED])}{more}; expected one at least"
            + (f"; left out: {left_out}" if left_out else "")
        )


BAD_LISTED = 10
"""Bad records that are told one by one."""
MOST_NAMED = 5
"""Files that a message names."""


def test_files(paths: Sequence[str]) -> list[str]:
    """A bare stem means its .test where a model is tried; what names a file stays as it is."""
    return [stem_file(path, TESTING) for path in paths]


def make_parent(path: str) -> None:
    """The folder that a new file goes into, made where it is missing."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)


def spare(inputs: Iterable[str], *outputs: str | Path) -> None:
    """Raise SettingsError where a file that is read would be written over."""
    for given in inputs:
        for output in outputs:
            if _is_same(given, output):
                raise SettingsError(f"{output}: is read, and would be written over; name another")


def spare_reports(inputs: Iterable[str], folder: str | None) -> None:
    """`spare` for the files of a report folder, if there is to be one."""
    if folder:
        spare(inputs, *(Path(folder) / name for name in REPORTS))


def _is_same(given: str, output: str | Path) -> bool:
    files = [Path(f"{given}{ending}") for ending in ("", ".names", ".data", ".dev", ".test")]
    try:
        return any(file.samefile(output) for file in files if file.exists())
    except (OSError, ValueError):  # the output is not there yet, or no name for a file
        return False
