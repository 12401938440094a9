"""Text drawings of evaluations.

They show the measures, the results by label, confusions, the reliability of probabilities, the
distribution of margins, and a measure against the number of rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from rich.text import Text

from boostext.corpus.checks import as_listed, spelled
from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Baseline, Bin, ConfusionRow, LabelRow, Report
from boostext.reports.evaluation_files import Point
from boostext.reports.layout import HEAD, QUIET, Page, cells, fit, plural, shorten, stack, wrap

MOST_LABEL = 34
NARROW = 66
MEASURE_WIDTH, BETWEEN = 26, 3
MOST_LABELS = 10_000
"""Maximum number of lines of the table of labels, as each line takes a tenth of a millisecond."""
MOST_NAMED = 100
"""Maximum number of labels that a note names."""
MOST_POINTS, BESIDE_CURVE = 12, 26
"""Maximum number of lines of a curve, and width of the columns to the left of its bars."""


def evaluation_drawings(
    report: Report, page: Page, reliability: bool = False, confusions: int = 0
) -> Iterator[Text]:
    """Yield the parts of an evaluation report.

    reliability: whether to include the reliability diagram. confusions: how many of the most common
    confusions to list; 0 for none.
    """
    yield evaluation_summary(report, page)
    yield stack([label_table(report.labels, page)])
    if reliability:
        yield stack([reliability_drawing(report.calibration, page)])
    if confusions:
        yield stack([confusion_list(report.confusions, page, confusions)])


def evaluation_summary(report: Report, page: Page) -> Text:
    """Draw the number of documents, notes on the data, the baseline, and the measures."""
    kind = "several labels each" if report.multilabel else "one label each"
    top = Text(f"{plural(report.examples, 'document')}, {kind}", style=HEAD)
    notes = [wrap(note, page) for note in _notes(report)]
    return stack([top, *notes, *_measures(report.measures, page)])


def _notes(report: Report) -> list[str]:
    left_out = f"left out: {plural(report.unlabelled, 'record')} without a label"
    empty = f"{plural(report.without_labels, 'document')} with no label: not counted in one-error,"
    strange = f"{plural(report.unknown_examples, 'document')} with labels that the model lacks: "
    notes = [left_out] if report.unlabelled else []
    notes += [f"{empty} coverage and average precision"] if report.without_labels else []
    if report.unknown_examples:
        unknown = islice(report.unknown_labels.items(), MOST_NAMED)
        names = ", ".join(f"{spelled(label)} ({n:,})" for label, n in unknown)
        rest = _rest(len(report.unknown_labels), "further label")
        notes.append(f"{strange}counted as misses: {names}{rest}")
    notes += [
        f"{spelled(label)} looks like the model's {spelled(known)}; are they the same label?"
        for label, known in islice(report.alike_labels.items(), MOST_NAMED)
    ]
    if rest := _rest(len(report.alike_labels), "further label"):
        notes.append(f"{rest.removeprefix(' and ')} that look like labels of the model")
    return notes + ([_guessing(report.baseline)] if report.baseline else [])


def _rest(count: int, noun: str) -> str:
    """Say how many of `count` are not named."""
    return f" and {plural(count - MOST_NAMED, noun)}" if count > MOST_NAMED else ""


def _guessing(baseline: Baseline) -> str:
    return (
        f"For comparison, {baseline.label} for every document: "
        f"one-error {baseline.one_error:.4f}, micro-f1 {baseline.micro_f1:.4f}"
    )


def _measures(measures: dict[str, float], page: Page) -> list[Text]:
    """Arrange the measures in as many columns as fit, filled column by column."""
    width = MEASURE_WIDTH
    columns = max((page.width + BETWEEN) // (width + BETWEEN), 1)
    height = math.ceil(len(measures) / columns)
    items = [f"{name:<{width - 8}}{_number(value):>8}" for name, value in measures.items()]
    lines = [(" " * BETWEEN).join(items[row::height]) for row in range(height)]
    return [Text(line) for line in lines]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def label_table(rows: Sequence[LabelRow], page: Page) -> Text:
    """Draw one label per line with its support, counts, precision, recall and F1.

    The counts are true positives, false positives and false negatives; a narrow page leaves them
    out. Of more than MOST_LABELS labels, only those that were given or predicted are shown.
    """
    if not rows:
        return Text("No labels.")
    every = len(rows)
    if every > MOST_LABELS:
        rows = list(islice((row for row in rows if row.support or row.fp), MOST_LABELS))
    narrow = page.width < NARROW
    wanted = max([len("label"), *(cells(_label(row)) for row in rows)])
    width = min(wanted, MOST_LABEL, page.width - (28 if narrow else 49))
    counts = "" if narrow else f"{'right':>7}{'wrong':>7}{'missed':>7}"
    rates = f"{'P':>7}{'R':>7}{'F1':>7}"
    head = f"{fit('label', width, page)}{'docs':>7}{counts}{rates}"
    lines = [_label_line(row, width, narrow, page) for row in rows]
    if every > len(rows):
        more = f"and {plural(every - len(rows), 'further label')}; --json lists all"
        lines.append(Text(more, style=QUIET))
    return stack([Text(head, style=HEAD), *lines])


def _label_line(row: LabelRow, width: int, narrow: bool, page: Page) -> Text:
    counts = "" if narrow else f"{row.tp:>7}{row.fp:>7}{row.fn:>7}"
    rates = f"{row.precision:>7.3f}{row.recall:>7.3f}{row.f1:>7.3f}"
    line = f"{fit(_label(row), width, page)}{row.support:>7}{counts}{rates}"
    return Text(line, style="" if row.known else QUIET)


def _label(row: LabelRow) -> str:
    label = as_listed(row.label)
    return label if row.known else f"{label} (not in the model)"


def confusion_list(rows: Sequence[ConfusionRow], page: Page, most: int = 10) -> Text:
    """Draw the most common pairs of a missed label and the label predicted in its place."""
    if not rows:
        return Text("No label was predicted in place of another.")
    arrow = f" {page.glyphs.arrow} "
    head = Text(f"   docs  missed{arrow}predicted instead", style=HEAD)
    half = (page.width - 9 - len(arrow)) // 2
    lines = []
    for row in rows[:most]:
        pair = (shorten(as_listed(label), half, page) for label in (row.missed, row.given))
        lines.append(Text(f"{row.examples:>7}  ").append(arrow.join(pair)))
    if len(rows) > most:
        lines.append(Text(f"         and {plural(len(rows) - most, 'rarer pair')}", style=QUIET))
    return stack([head, *lines])


def margin_drawing(rows: Sequence[MarginRow], page: Page) -> Text:
    """Draw the distribution of margins as bars, one line for every second value of theta.

    A line shows, for both definitions of the margin, the fraction of pairs with a margin of at most
    theta, and its bound.
    """
    head = Text("margin   votes  bound   tanh  bound", style=HEAD)
    room = max(page.width - 38, 0)
    lines = [
        Text(
            f"{row.theta:>6.2f}{row.votes:>8.4f}{_bound(row.votes_bound)}{row.tanh:>7.4f}"
            f"{_bound(row.tanh_bound)}  {_share_bar(row.votes, room, page)}"
        )
        for row in rows[::2]
    ]
    note = Text(
        "fractions of (document, label) pairs, or of documents, with at most this margin",
        style=QUIET,
    )
    return stack([head, *lines, note])


def reliability_drawing(bins: Sequence[Bin], page: Page) -> Text:
    """Draw a reliability diagram, one line for every bin that is not empty.

    A line shows the number of pairs, the mean of their probabilities, and the observed frequency,
    which is drawn as a bar.
    """
    filled = [row for row in bins if row.count]
    if not filled:
        return Text("No probabilities.")
    head = Text("probability       count   mean  frequency", style=HEAD)
    room = max(page.width - 44, 0)
    lines = [
        Text(
            f"{row.low:>5.3g} - {row.high:<5.3g}{row.count:>10,}{row.probability:>7.3f}"
            f"{row.frequency:>11.3f}  {_share_bar(row.frequency, room, page)}"
        )
        for row in filled
    ]
    return stack([head, *lines])


def _bound(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:>7.4f}"


def _share_bar(share: float, room: int, page: Page) -> str:
    return ("=" if page.glyphs.arrow.isascii() else "\u2500") * round(room * share)


def curve_drawing(points: Sequence[Point], measure: str, page: Page) -> Text:
    """Draw a measure against the number of rounds, on at most MOST_POINTS lines.

    A line shows the mean over the folds, which is drawn as a bar, and the standard deviation.
    """
    if not points:
        return Text("No rounds.")
    kept = _spaced(points)
    greatest = max(point.high for point in kept) or 1.0
    room = max(page.width - BESIDE_CURVE, 0)
    head = Text(f"{'rounds':>7}  {fit(measure, 9, page)}{'+-':>6}", style=HEAD)
    lines = [
        Text(
            f"{point.round:>7}  {point.mean:<9.4f}{point.spread:>6.4f}  "
            f"{_share_bar(point.mean / greatest, room, page)}"
        )
        for point in kept
    ]
    return stack([head, *lines])


def _spaced(points: Sequence[Point]) -> list[Point]:
    """Return at most MOST_POINTS points, denser where rounds are few; the last one is kept."""
    if len(points) <= MOST_POINTS:
        return list(points)
    last = points[-1].round
    wanted = [last ** (step / (MOST_POINTS - 1)) for step in range(MOST_POINTS)]
    chosen = {min(range(len(points)), key=lambda j: abs(points[j].round - w)) for w in wanted}
    return [points[j] for j in sorted(chosen | {len(points) - 1})]
