"""The report folder: a page, and tables beside it; each file whole or not at all."""

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
"""report -> whether a file that begins so is one, which a new one may replace"""
REPORTS = tuple(OWNED)


def kind_of(name: str, own_only: bool) -> Kind | None:
    """What the report may replace: an earlier one alone, or anything."""
    return Kind(f"{name} as boostext writes it", OWNED[name]) if own_only else None


@dataclass(frozen=True)
class ReportFolder:
    """Where reports go. own_only: a file that is no earlier report stays."""

    path: Path
    own_only: bool = False

    def write(self, reports: Mapping[str, Iterable[str]]) -> list[Path]:
        """See `write_reports`."""
        return write_reports(self.path, reports, self.own_only)


@contextmanager
def report_folder(
    folder: str | Path | None, own_only: bool = False
) -> Iterator[ReportFolder | None]:
    """A checked folder for the work of the block; None is no folder.

    Folders made here go again where the block leaves them empty, as it does where it fails.
    """
    place = Path(folder) if folder else None
    new = [] if place is None else [p for p in (place, *place.parents) if not p.exists()]
    try:
        if place is not None:
            check_folder(place, own_only)
        yield ReportFolder(place, own_only) if place is not None else None
    finally:
        for made in new:  # the innermost first
            with suppress(OSError):  # not empty, or never made
                made.rmdir()


def check_folder(folder: Path, own_only: bool = False) -> None:
    """Make the folder if it is missing, and see that the reports can be written into it.

    To be called before the work begins: hours of training must not end here. Raises BoostextError.
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
    """Write each report, given as its lines by a name of REPORTS, and return their paths.

    All are written beside their places before the first takes its own, so that a full disk
    (BoostextError) leaves the old ones. Other files of the folder are not touched. own_only: nor
    is what has the name of a report and is none.
    """
    assert set(reports) <= set(REPORTS), reports.keys()
    check_folder(folder, own_only)
    places = [folder / name for name in reports]
    with ExitStack() as files:
        for place, lines in zip(places, reports.values(), strict=True):
            file = files.enter_context(replacing(place, kind_of(place.name, own_only)))
            # subtle: a lone surrogate, which JSON may bring in, is no UTF-8; backslashreplace
            # spells it \\ud800, which is what JSON itself would write
            file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)
            file.flush()
    return places
