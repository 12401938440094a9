"""Geometry of the charts: paths and ticks in drawing units, which the templates render as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boostext.arrays import Float64
from boostext.evaluation.margins import MarginRow
from boostext.evaluation.report import Bin
from boostext.reports.html import shown
from boostext.reports.page.content import Curve

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 52
LETTER, APART = 7, 15
"""Width of a letter, and minimum vertical distance, of the names at the ends of lines."""
MOST_POINTS = 240
STEP, BASE, TALL = 12, 13, 11
"""Distance between the bars of a row, height of their baseline, and maximum length of a bar."""
PAIR = 160
"""Width of a row that shows two labels as one bar."""


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Trace:
    """A line of a chart.

    style: number of the color and dash pattern, from 1 to 4. path: SVG path data. rows: points of
    the line as text, for the table that accompanies the chart. ends: vertical position of the name,
    which is next to the last point.
    """

    name: str
    style: int
    path: str
    rows: tuple[tuple[str, str], ...]
    ends: float = 0.0


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    caption: str


@dataclass(frozen=True)
class Chart:
    name: str
    title: str
    about: str
    x_name: str
    y_name: str
    traces: tuple[Trace, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    bars: tuple[Bar, ...] = ()
    diagonal: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM
    right: int = WIDTH - RIGHT
    top: int = TOP


@dataclass(frozen=True)
class Scale:
    """A linear scale that maps values from low..high to coordinates from first..last."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.first + share * (self.last - self.first), 1)


def ticks_of(low: float, high: float, most: int = 6) -> list[float]:
    """Return about `most` round numbers from low to high; ticks_of(0, 1, 2) is [0, 0.5, 1]."""
    wide = (high - low) or 1.0
    step = 10 ** math.floor(math.log10(wide / most))
    step *= next((m for m in (1, 2, 5, 10) if wide / (step * m) <= most), 10)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def line_chart(
    name: str,
    title: str,
    about: str,
    axes: tuple[str, str],
    lines: Sequence[Curve],
    y_range: tuple[float, float] | None = None,
    whole: bool = True,
) -> Chart | None:
    """Return a line chart, or None if there are no points to draw.

    axes: names of the x and the y axis. y_range: limits of the y axis; by default from the minimum
    of the data, or 0 if that is lower, to the maximum. whole: whether the largest x value gets a
    tick even if it is not round. Points whose y value is NaN are left out.
    """
    lines = [Curve(c.name, tuple(p for p in c.points if p[1] == p[1])) for c in lines]
    lines = [line for line in lines if line.points]
    if not lines:
        return None
    points = [point for line in lines for point in line.points]
    low, high = y_range or (min(0.0, *(y for _, y in points)), max(y for _, y in points))
    xs = [x for x, _ in points]
    names = [shown(line.name, 24) for line in lines]
    right = WIDTH - RIGHT - LETTER * max(map(len, names))
    x = Scale(min(xs), max(xs), LEFT, right)
    y = Scale(low, high or 1.0, HEIGHT - BOTTOM, TOP)
    traces = tuple(_trace(line, n, x, y) for n, line in enumerate(lines, 1))
    x_ticks = _ticks(x, [max(xs)] if whole else [])
    return Chart(name, title, about, *axes, _apart(traces), x_ticks, _ticks(y), right=right)


def _ticks(scale: Scale, also: Sequence[float] = ()) -> tuple[Tick, ...]:
    """Return ticks at round numbers and at the values of `also`.

    Round numbers that are too close to a value of `also` are left out.
    """
    room = abs(scale.last - scale.first) / 12
    kept = [
        value
        for value in ticks_of(scale.low, scale.high)
        if all(abs(scale(value) - scale(other)) >= room for other in also)
    ]
    return tuple(Tick(scale(value), f"{value:g}") for value in (*kept, *also))


def _trace(line: Curve, number: int, x: Scale, y: Scale) -> Trace:
    kept = _thinned(line.points, MOST_POINTS)
    path = "M" + "L".join(f"{x(a):g} {y(b):g}" for a, b in kept)
    rows = tuple((f"{a:g}", f"{b:.4g}") for a, b in _thinned(line.points, 15))
    ends = y(line.points[-1][1]) + 4
    return Trace(shown(line.name, 24), (number - 1) % 4 + 1, path, rows, ends)


def _apart(traces: tuple[Trace, ...]) -> tuple[Trace, ...]:
    """Return the traces with the names at their ends moved apart so that they do not overlap."""
    ends = [trace.ends for trace in traces]
    before = 0.0
    for place in sorted(range(len(traces)), key=ends.__getitem__):
        before = ends[place] = max(ends[place], before + APART)
    over = max(0.0, before - (HEIGHT - BOTTOM + 4))
    return tuple(replace(trace, ends=end - over) for trace, end in zip(traces, ends, strict=True))


def _thinned(points: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    if len(points) <= most:
        return list(points)
    places = sorted({round(p) for p in np.linspace(0, len(points) - 1, most)})
    return [points[place] for place in places]


def margin_chart(rows: Sequence[MarginRow]) -> Chart | None:
    """Return a chart of the distributions of both margins, with their bounds if they are known."""

    def line(name: str, attribute: str) -> Curve:
        pairs = ((row.theta, getattr(row, attribute)) for row in rows)
        return Curve(name, tuple((x, y) for x, y in pairs if y is not None))

    lines = [
        line("by votes", "votes"),
        line("by tanh", "tanh"),
        line("bound, votes", "votes_bound"),
        line("bound, tanh", "tanh_bound"),
    ]
    about = (
        "The fraction of (document, label) pairs, or of documents if each has one label, with at "
        "most this margin. The lower a line, the more confident the predictions."
    )
    axes = ("margin", "cumulative fraction")
    return line_chart("margins", "Distribution of margins", about, axes, lines, (0, 1))


def reliability_chart(bins: Sequence[Bin]) -> Chart | None:
    """Return a reliability diagram, or None if all bins are empty.

    A line shows the observed frequency by predicted probability, and bars the counts of the bins.
    """
    filled = [row for row in bins if row.count]
    if not filled:
        return None
    x, y = Scale(0, 1, LEFT, WIDTH - RIGHT), Scale(0, 1, HEIGHT - BOTTOM, TOP)
    line = Curve("frequency", tuple((row.probability, row.frequency) for row in filled))
    most = max(row.count for row in filled)
    floor = HEIGHT - BOTTOM
    bars = []
    for row in filled:
        tall = round(60 * row.count / most + 1, 1)
        caption = f"{row.low:.1f} to {row.high:.1f}: {row.count:,}"
        bars.append(Bar(x(row.low) + 2, floor - tall, x(row.high) - x(row.low) - 4, tall, caption))
    about = (
        "For calibrated probabilities, the observed frequency is equal to the probability, which "
        "is the diagonal. Bars show the number of probabilities in each bin."
    )
    return Chart(
        "reliability",
        "Reliability diagram",
        about,
        "probability",
        "observed frequency",
        (replace(_trace(line, 1, x, y), ends=0.0),),
        _ticks(x),
        _ticks(y),
        tuple(bars),
        f"M{x(0):g} {y(0):g}L{x(1):g} {y(1):g}",
    )


@dataclass(frozen=True)
class BarRow:
    """Votes drawn as bars.

    rising, hanging: SVG path data of the positive and of the negative votes. caption: a text
    description of the largest votes.
    """

    rising: str
    hanging: str
    caption: str

    @property
    def is_silent(self) -> bool:
        """Whether all votes are negligible."""
        return self.caption == SILENT


SILENT = "negligible"


def bar_row(votes: Float64, full: float, names: Sequence[str], step: int = STEP) -> BarRow:
    """Return one bar per label; an absolute vote of `full` gives a bar of the maximum length."""
    rising: list[str] = []
    hanging: list[str] = []
    for j, vote in enumerate(votes.tolist()):
        tall = round(TALL * min(abs(vote) / full, 1.0), 1) if full > 0 else 0.0
        if tall < 0.4:
            continue
        bars, sign = (rising, "-") if vote > 0 else (hanging, "")
        bars.append(f"M{j * step + 1} {BASE}h{step - 2}v{sign}{tall:g}h-{step - 2}z")
    return BarRow("".join(rising), "".join(hanging), _caption(votes, names, full))


def pair_row(votes: Float64, full: float, names: Sequence[str], width: int) -> BarRow:
    """Return a single bar for two labels with opposite votes.

    The bar extends from the middle to the left if the vote favours the first label, and to the
    right if it favours the second.
    """
    vote = float(votes[1])
    long = round(width / 2 * min(abs(vote) / full, 1.0), 1) if full > 0 else 0.0
    if long < 0.4:
        return BarRow("", "", SILENT)
    half = width // 2
    path = f"M{half} 3h{long if vote > 0 else -long:g}v10H{half}z"
    caption = f"{names[1 if vote > 0 else 0]} {abs(vote):+.2f}"
    return BarRow(path, "", caption) if vote > 0 else BarRow("", path, caption)


def _caption(votes: Float64, names: Sequence[str], full: float, most: int = 3) -> str:
    """Return the largest positive and negative votes as text, without negligible ones."""
    least = full / 50
    order = np.argsort(-votes, kind="stable").tolist()
    liked = [f"{names[j]} {votes[j]:+.2f}" for j in order[:most] if votes[j] > least]
    others = [f"{names[j]} {votes[j]:+.2f}" for j in order[::-1][:most] if votes[j] < -least]
    return ", ".join(liked + others) or SILENT
