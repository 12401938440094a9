"""Lines in a frame, as SVG without any library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 400
LEFT, TOP, EAST, SOUTH = 60, 40, 490, 350
"""of the frame"""
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
DASHES = ("", "8 4", "2 3", "8 3 2 3")


@dataclass(frozen=True)
class Line:
    name: str
    points: Sequence[tuple[float, float]]


def graph(
    title: str, across: str, up: str, lines: Sequence[Line], reach: tuple[float, float]
) -> str:
    """reach: of the values across; those up are shares, 0 to 1."""
    head = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    parts = [
        f'<svg {head} font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        box("black"),
        said(LEFT, TOP - 15, title, 15),
        said((LEFT + EAST) / 2, HEIGHT - 12, across, anchor="middle"),
        f'<g transform="translate(16 {(TOP + SOUTH) / 2}) rotate(-90)">',
        said(0, 0, up, anchor="middle"),
        "</g>",
        *scales(reach),
    ]
    for number, line in enumerate(lines):
        parts += drawn(number, line, reach)
    return "\n".join([*parts, "</svg>\n"])


def box(color: str) -> str:
    size = f'width="{EAST - LEFT}" height="{SOUTH - TOP}"'
    return f'<rect x="{LEFT}" y="{TOP}" {size} fill="none" stroke="{color}"/>'


def scales(reach: tuple[float, float]) -> Iterator[str]:
    """Five numbers across, five up."""
    for step in range(5):
        value = reach[0] + (reach[1] - reach[0]) * step / 4
        x, y = place((value, step / 4), reach)
        yield said(x, SOUTH + 16, f"{value:g}", anchor="middle")
        yield said(LEFT - 6, y + 4, f"{step / 4:g}", anchor="end")


def drawn(number: int, line: Line, reach: tuple[float, float]) -> Iterator[str]:
    """The line, and its name to the right of the frame."""
    look = f'fill="none" stroke="{COLORS[number]}" stroke-width="2"'
    look += f' stroke-dasharray="{DASHES[number]}"' if DASHES[number] else ""
    height = TOP + 16 + 20 * number
    for corners in (
        [place(point, reach) for point in line.points],
        [(EAST + 10, height), (EAST + 36, height)],
    ):
        yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" {look}/>'
    yield said(EAST + 42, height + 4, line.name)


def place(point: tuple[float, float], reach: tuple[float, float]) -> tuple[float, float]:
    x, y = (point[0] - reach[0]) / (reach[1] - reach[0]), point[1]
    return LEFT + x * (EAST - LEFT), SOUTH - y * (SOUTH - TOP)


def said(x: float, y: float, text: str, size: int = 12, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
