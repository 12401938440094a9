"""A line of the table: medians of two sides, their ratio, and whether it is what we promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from measure import Run

VALUES: dict[str, tuple[str, Callable[[Run], float], Callable[[Run], float] | None]] = {
    "seconds": ("s", lambda run: run.seconds, lambda run: run.cpu),
    "each": (
        "ms",
        lambda run: 1000 * run.facts["each"],
        lambda run: 1000 * run.facts.get("each_cpu", run.facts["each"]),
    ),
    "peak": ("MB", lambda run: run.peak, None),
}
"""what is compared -> its unit, its value, and the same by processor time"""


@dataclass(frozen=True)
class Figure:
    """Medians and theirs / ours. low, high: the least and greatest ratio of one turn. cpu: the
    ratio by processor time, which a busy machine moves less. target: at least so many times. A
    figure without a peer has its own processor time in cpu, and its target is the most it may be.
    """

    work: str
    against: str = ""
    unit: str = ""
    ours: float | None = None
    theirs: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    cpu: float | None = None
    target: float | None = None
    reached: bool | None = None
    runs: int = 0
    note: str = ""


def compared(
    work: str,
    against: str,
    ours: Sequence[Run],
    theirs: Sequence[Run],
    what: str,
    target: float | None,
    note: str = "",
) -> Figure:
    unit, value, cpu = VALUES[what]
    ratio = _ratio(ours, theirs, value)
    turns = [value(b) / value(a) for a, b in zip(ours, theirs, strict=True)]
    return Figure(
        work,
        against,
        unit,
        median(map(value, ours)),
        median(map(value, theirs)),
        ratio,
        min(turns),
        max(turns),
        _ratio(ours, theirs, cpu) if cpu else None,
        target,
        None if target is None else ratio >= target,
        len(ours),
        note,
    )


def _ratio(ours: Sequence[Run], theirs: Sequence[Run], value: Callable[[Run], float]) -> float:
    return median(map(value, theirs)) / max(median(map(value, ours)), 1e-9)


def alone(work: str, runs: Sequence[Run], what: str, most: float, note: str = "") -> Figure:
    """A figure by itself, which shall be at most so much."""
    unit, value, cpu = VALUES[what]
    ours = median(map(value, runs))
    return Figure(
        work,
        unit=unit,
        ours=ours,
        cpu=median(map(cpu, runs)) if cpu else None,
        target=most,
        reached=ours <= most,
        runs=len(runs),
        note=note,
    )


HEADS = ("work", "against", "ours", "theirs", "ratio", "one turn", "by CPU", "target", "", "runs")


def table(figures: Sequence[Figure]) -> str:
    """The figures as Markdown, which reads as a table without it too."""
    rows = [HEADS, *map(_cells, figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    notes = [f"{f.work} ({f.against or 'alone'}): {f.note}" for f in figures if f.note]
    return "\n".join([lines[0], rule, *lines[1:], "", *notes])


def _cells(figure: Figure) -> tuple[str, ...]:
    sign = "at least " if figure.ratio is not None or figure.ours is None else "at most "
    spread = "" if figure.low is None else f"{_number(figure.low)}-{_number(figure.high)}"
    return (
        figure.work,
        figure.against,
        _sized(figure.ours, figure.unit),
        _sized(figure.theirs, figure.unit),
        _number(figure.ratio),
        spread,
        _number(figure.cpu) if figure.against else _sized(figure.cpu, figure.unit),
        sign + _number(figure.target) if figure.target is not None else "",
        {True: "yes", False: "NO", None: ""}[figure.reached],
        str(figure.runs or ""),
    )


def _sized(value: float | None, unit: str) -> str:
    return "" if value is None else f"{_number(value)} {unit}"


def _number(value: float | None) -> str:
    """Three figures, without an exponent."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
