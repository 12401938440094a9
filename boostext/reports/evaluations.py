"""Text drawings of an evaluation: overall measures, results by label, and confusions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

from boostext.corpus.lookalikes import as_listed, spelled
from boostext.evaluation.report import Baseline, ConfusionRow, LabelRow, Report
from boostext.reports.distributions import reliability_drawing
from boostext.reports.layout import HEAD, QUIET, Page, cells, fit, plural, shorten, stack, wrap

MOST_LABEL = 34
NARROW = 66
MEASURE_WIDTH, BETWEEN = 26, 3


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
    left = f"{plural(report.unlabelled, 'record')} without a label left out"
    empty = f"{plural(report.without_labels, 'document')} with no label: not in one-error, coverage"
    strange = f"{plural(report.unknown_examples, 'document')} with labels the model cannot give: "
    notes = [left] if report.unlabelled else []
    notes += [f"{empty} and average precision"] if report.without_labels else []
    if report.unknown_examples:
        names = (f"{spelled(label)} ({n:,})" for label, n in report.unknown_labels.items())
        notes.append(strange + "counted as misses: " + ", ".join(names))
    notes += [
        f"{spelled(label)} is like the model's {spelled(known)}; is it meant?"
        for label, known in report.alike_labels.items()
    ]
    return notes + ([_guessing(report.baseline)] if report.baseline else [])


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
    out.
    """
    if not rows:
        return Text("No labels.")
    narrow = page.width < NARROW
    wanted = max(len("label"), *(cells(_label(row)) for row in rows))
    width = min(wanted, MOST_LABEL, page.width - (28 if narrow else 49))
    counts = "" if narrow else f"{'right':>7}{'wrong':>7}{'missed':>7}"
    rates = f"{'P':>7}{'R':>7}{'F1':>7}"
    head = f"{fit('label', width, page)}{'docs':>7}{counts}{rates}"
    return stack([Text(head, style=HEAD), *(_label_line(row, width, narrow, page) for row in rows)])


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
        return Text("No label was given in place of another.")
    arrow = f" {page.glyphs.arrow} "
    head = Text(f"   docs  missed{arrow}given instead", style=HEAD)
    half = (page.width - 9 - len(arrow)) // 2
    lines = []
    for row in rows[:most]:
        pair = (shorten(as_listed(label), half, page) for label in (row.missed, row.given))
        lines.append(Text(f"{row.examples:>7}  ").append(arrow.join(pair)))
    if len(rows) > most:
        lines.append(Text(f"         and {plural(len(rows) - most, 'rarer pair')}", style=QUIET))
    return stack([head, *lines])
