"""Input and output files of commands, which are checked before the work begins."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from boostext.atomic import Kind, check_writable, head_of, make_parent
from boostext.cli.talk import Talk
from boostext.errors import SettingsError


def announce_stdin(paths: Iterable[str], talk: Talk) -> None:
    """Say that the program reads stdin, if that is a terminal."""
    if "-" in paths and sys.stdin is not None and sys.stdin.isatty():
        talk.say("reading stdin; end it with Ctrl-D (on Windows Ctrl-Z, Enter)")


def test_files(paths: Sequence[str]) -> list[str]:
    """Return the paths, in which a bare stem stands for its .test file."""
    from boostext.corpus.stems import TESTING, stem_file

    return [stem_file(path, TESTING) for path in paths]


def check_output(output: str, kind: Kind | None, inputs: Iterable[str]) -> None:
    """Check that a file can be written and is not an input, and create its folder.

    kind: what may be replaced; None for any file.
    """
    spare(inputs, output)
    make_parent(output)
    check_writable(output, kind)


READ = "boostext.read"
"""Key under which click stores the files that options named."""


def is_read(ctx: click.Context, path: str) -> None:
    """Remember an input file that an option names, such as --config, for `spare`."""
    ctx.meta.setdefault(READ, []).append(path)


def spare(inputs: Iterable[str], *outputs: str | Path) -> None:
    """Raise SettingsError if an input file would be overwritten."""
    ctx = click.get_current_context(silent=True)
    for given in (*inputs, *(ctx.meta.get(READ, ()) if ctx else ())):
        for output in outputs:
            if given and (_is_same(given, output) or _is_document(Path(given), Path(output))):
                raise SettingsError(f"{output}: is read, and would be written over; name another")


def spare_reports(inputs: Iterable[str], folder: str | None, *outputs: str | Path) -> None:
    """Call `spare` for the files of a report folder, if there is one, and for other files."""
    from boostext.reports.folder import REPORTS

    reports = [Path(folder) / name for name in REPORTS] if folder else []
    spare(inputs, *outputs, *reports)


def _is_document(folder: Path, output: Path) -> bool:
    """Return whether a file exists in a folder that is read, and is not a model."""
    from boostext.model.file import MODEL_FILE

    try:
        if not (folder.is_dir() and output.is_file()):  # a loop of links is neither
            return False
        inside = output.resolve().is_relative_to(folder.resolve())
        return inside and not MODEL_FILE.owns(head_of(output))
    except (OSError, ValueError):
        return False


def _is_same(given: str, output: str | Path) -> bool:
    files = [Path(f"{given}{ending}") for ending in ("", ".names", ".data", ".dev", ".test")]
    try:
        return any(file.samefile(output) for file in files if file.exists())
    except (OSError, ValueError):  # the output is not there yet, or no name for a file
        return False
