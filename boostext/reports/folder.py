"""The report folder: a page, and tables beside it; each file whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from boostext.atomic import check_writable, replacing
from boostext.errors import BoostextError

REPORTS = (
    "rules.tsv", "terms.tsv", "outliers.tsv", "outliers.label-studio.json", "margins.tsv",
    "reliability.tsv", "trace.jsonl", "bad.tsv", "curve.tsv", "out-of-fold.tsv",
    "out-of-fold.jsonl", "coverage.tsv", "confusions.tsv", "report.html",
    "explanation.tsv", "document.html",
)  # fmt: skip


@contextmanager
def report_folder(folder: str | Path | None) -> Iterator[None]:
    """A checked folder for the work of the block; None is no folder.

    Folders made here go again where the block leaves them empty, as it does where it fails.
    """
    place = Path(folder) if folder else None
    new = [] if place is None else [p for p in (place, *place.parents) if not p.exists()]
    try:
        if place is not None:
            check_folder(place)
        yield
    finally:
        for made in new:  # the innermost first
            with suppress(OSError):  # not empty, or never made
                made.rmdir()


def check_folder(folder: Path) -> None:
    """Make the folder if it is missing, and see that the reports can be written into it.

    To be called before the work begins: hours of training must not end here. Raises BoostextError.
    """
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
        check_writable(folder / name)


def write_reports(folder: Path, reports: Mapping[str, Iterable[str]]) -> list[Path]:
    """Write each report, given as its lines by a name of REPORTS, and return their paths.

    All are written beside their places before the first takes its own, so that a full disk
    (BoostextError) leaves the old ones. Other files of the folder are not touched.
    """
    assert set(reports) <= set(REPORTS), reports.keys()
    check_folder(folder)
    places = [folder / name for name in reports]
    with ExitStack() as files:
        for place, lines in zip(places, reports.values(), strict=True):
            file = files.enter_context(replacing(place))
            # subtle: a lone surrogate, which JSON may bring in, is no UTF-8; backslashreplace
            # spells it \\ud800, which is what JSON itself would write
            file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)
            file.flush()
    return places
