"""What a command says beside its results: to stderr, quiet on request."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def printable(text: str) -> str:
    """One line without control characters: what data says cannot steer the terminal."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def to_stderr(text: str) -> None:
    """Write a line that nobody may be able to hear: a full disk or closed pipe ends no work."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def is_terminal(stream: TextIO | None) -> bool:
    """A person is looking: FORCE_COLOR and the like do not count."""
    return stream is not None and stream.isatty()


@dataclass(frozen=True)
class Talk:
    """How this run speaks. quiet: warnings only. color: whether colors are wanted at all."""

    quiet: bool = False
    color: bool = True

    def say(self, message: str) -> None:
        if not self.quiet:
            to_stderr(printable(message))

    def warn(self, message: str) -> None:
        to_stderr("Warning: " + printable(message))

    def show(self, drawing: Text) -> None:
        """Print a drawing to stdout, which has the width it was drawn for."""
        from rich.console import Console

        terminal = is_terminal(sys.stdout)
        plain = not self.color or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        console = Console(
            file=sys.stdout, force_terminal=terminal, no_color=plain, highlight=False,
            markup=False, emoji=False,
        )  # fmt: skip
        try:
            console.print(drawing, soft_wrap=True)
        except SystemExit:  # rich's answer to a closed pipe
            raise BrokenPipeError(errno.EPIPE, "the pipe is closed") from None

    def show_line(self, line: str, style: str = "") -> None:
        from rich.text import Text

        self.show(Text(printable(line), style=style))
