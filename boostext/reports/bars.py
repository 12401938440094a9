"""Votes as bars: solid and rising from the line for a label, shaded and darker by strength against.

The two kinds differ in shape, so color adds nothing that is not there without it. Where the
characters are not to be had, a sign and a digit in ninths of a full bar stand for them.
"""

from __future__ import annotations

import math

from boostext.reports.layout import AGAINST, FOR, QUIET, Glyphs


def bar(vote: float, full: float, width: int, glyphs: Glyphs) -> str:
    """`width` cells; a vote of size `full` fills them. Silent is blank, next to nothing a dot.

    bar(+1.0, 2.0, 2, UNICODE) is "▅▅"; bar(-1.0, 2.0, 2, UNICODE) is "▒▒".
    """
    if vote == 0 or full <= 0:
        return " " * width
    share = min(abs(vote) / full, 1.0)
    if share < 1 / 16:
        return glyphs.little.center(width)
    levels = glyphs.rising if vote > 0 else glyphs.hanging
    if not levels:
        return f"{'+' if vote > 0 else '-'}{math.ceil(share * 9)}".center(width)
    return levels[math.ceil(share * len(levels)) - 1] * width


def style(vote: float, full: float) -> str:
    """The color that goes with the bar."""
    if full <= 0 or abs(vote) < full / 16:
        return QUIET
    return FOR if vote > 0 else AGAINST


def signed(vote: float) -> str:
    """Two decimals with their sign: +1.20; five cells up to 9.99."""
    return f"{vote:+.2f}"
