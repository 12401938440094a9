"""The report folder: an HTML page and tables, of which every file is written atomically."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from boostext.atomic import PAGE, Kind, check_writable, replacing
from boostext.errors import BoostextError

TASKS = b'"model_version": "boostext"'


def begins(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(starts)


OWNED: Mapping[str, Callable[[bytes], bool]] = {
    "rules.tsv": begins(b"number\tcondition\tkind\t"),
    "terms.tsv": begins(b"rank\tterm\tkind\trules\t"),
    "outliers.tsv": begins(b"rank\tid\torigin\tgiven\t"),
    "outliers.label-studio.json": lambda head: TASKS in head or head == b"[\n]\n",
    "margins.tsv": begins(b"theta\tvotes\t"),
    "reliability.tsv": begins(b"low\thigh\tcount\t"),
    "trace.jsonl": begins(b'{"number": 1, "condition": '),
    "bad.tsv": begins(b"origin\tmessage\n"),
    "curve.tsv": begins(b"round\tmeasure\tmean\t", b"rounds\tterms\t"),
    "out-of-fold.tsv": begins(b"id\torigin\tfold\t"),
    "out-of-fold.jsonl": lambda head: head.startswith(b'{"id": ') and b', "fold": ' in head,
    "coverage.tsv": begins(b"rank\tterm\tkind\tdocuments\t"),
    "confusions.tsv": begins(b"missed\tgiven\t"),
    "report.html": PAGE.owns,
    "explanation.tsv": begins(b"label\tkind\tcondition\t"),
    "document.html": PAGE.owns,
}
"""Maps each report to a function that recognizes an earlier report by its first bytes.

Only a file that is recognized may be replaced.
"""
REPORTS = tuple(OWNED)


def kind_of(name: str, own_only: bool) -> Kind | None:
    """Return the kind of file that the report may replace, or None for any file."""
    return Kind(f"{name} as boostext writes it", OWNED[name]) if own_only else None


@dataclass(frozen=True)
class ReportFolder:
    """The folder of the reports.

    own_only: whether only earlier reports may be replaced, so that other files are kept.
    """

    path: Path
    own_only: bool = False

    def write(self, reports: Mapping[str, Iterable[str]]) -> list[Path]:
        """Write reports to this folder; see `write_reports`."""
        return write_reports(self.path, reports, self.own_only)


@contextmanager
def report_folder(
    folder: str | Path | None, own_only: bool = False
) -> Iterator[ReportFolder | None]:
    """Context manager that checks the folder, creates it if necessary, and yields it.

    Yields None if `folder` is None. Folders created here are removed at the end of the block if
    they are empty, for instance because the block failed. Raises BoostextError; see `check_folder`.
    """
    place = Path(folder) if folder else None
    new = [] if place is None else [p for p in (place, *place.parents) if not p.exists()]
    try:
        if place is not None:
            check_folder(place, own_only)
        yield ReportFolder(place, own_only) if place is not None else None
    finally:
        for made in new:  # innermost folder first
            with suppress(OSError):  # the folder is not empty, or was not created
                made.rmdir()


def check_folder(folder: Path, own_only: bool = False) -> None:
    """Create the folder if it is missing, and check that the reports can be written to it.

    Call this before a long computation, so that a bad folder is reported before the training rather
    than after it. Raises BoostextError if the reports cannot be written.
    """
    if str(folder) == "-":
        raise BoostextError(
            "-: reports are the files of a folder and cannot go to stdout; name a folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BoostextError(
            f"{folder}: is not a folder; give the report another place or move the file away"
        ) from None
    except OSError as error:
        raise BoostextError(
            f"{folder}: cannot be made: {error.strerror}; choose another folder for the report"
        ) from None
    for name in REPORTS:
        check_writable(folder / name, kind_of(name, own_only))


def write_reports(
    folder: Path, reports: Mapping[str, Iterable[str]], own_only: bool = False
) -> list[Path]:
    """Write reports to the folder and return their paths.

    reports: maps names from REPORTS to their lines. own_only: whether to keep files that have the
    name of a report but are not recognized as an earlier report.

    All reports are written to temporary files before the first one is replaced, so that the old
    reports remain if the disk is full. Other files in the folder are not changed. Raises
    BoostextError if the reports cannot be written.
    """
    assert set(reports) <= set(REPORTS), reports.keys()
    check_folder(folder, own_only)
    places = [folder / name for name in reports]
    with ExitStack() as files:
        for place, lines in zip(places, reports.values(), strict=True):
            file = files.enter_context(replacing(place, kind_of(place.name, own_only)))
            # Lone surrogates, which JSON input may contain, cannot be encoded as UTF-8;
            # backslashreplace writes them as \\ud800, which is also their form in JSON.
            file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)
            file.flush()
    return places
