"""Messages of commands, which go to stderr and can be turned off."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import click

from boostext.reports.escape import shortened, visible

if TYPE_CHECKING:
    from rich.text import Text


LINE = 500
"""Maximum number of characters of a message, which may contain long values of the data."""


class Screen:
    """A terminal as a stream, to which text is written by way of `visible`.

    stream: the terminal itself, for drawings and the progress line, which control it. Results that
    go to a pipe or a file are not changed.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.buffer = io.BufferedWriter(_Decoded(self))

    def write(self, text: str) -> int:
        self.stream.write(visible(text, lines=True))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Decoded(io.RawIOBase):
    """The binary stream of a Screen, for functions that may write files to stdout."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._screen.write(self._decoder.decode(bytes(data)))
        return len(data)


@contextlib.contextmanager
def guarded_terminals() -> Iterator[None]:
    """Context manager that replaces stdout and stderr by a Screen if they are terminals."""
    before = sys.stdout, sys.stderr
    guarded: list[Any] = [Screen(s) if is_terminal(s) else s for s in before]
    sys.stdout, sys.stderr = guarded
    try:
        yield
    finally:
        if sys.stdout is guarded[0]:  # and not what stands for a closed pipe
            sys.stdout = before[0]
        sys.stderr = before[1]


def unguarded(stream: TextIO) -> TextIO:
    """Return the terminal of a Screen; any other stream is returned unchanged."""
    return stream.stream if isinstance(stream, Screen) else stream


def to_stderr(text: str, kind: str = "", whole: bool = False) -> None:
    """Write a line to stderr, and ignore errors such as a full disk or a closed pipe.

    kind: text before the line, such as "Error: ". whole: whether it may be longer than LINE.
    """
    shown = visible(text)
    with contextlib.suppress(OSError):
        click.echo(kind + (shown if whole else shortened(shown, LINE - len(kind))), err=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal; FORCE_COLOR is ignored."""
    return stream is not None and stream.isatty()


@dataclass
class Talk:
    """The messages of a run. quiet: warnings only. color: whether colors may be used.

    first: called before a line is written to stderr, for instance to leave the progress line.
    """

    quiet: bool = False
    color: bool = True
    first: Callable[[], None] | None = None

    def say(self, message: str, whole: bool = False) -> None:
        """Write a message. whole: it is a command for copying, which is not shortened."""
        if not self.quiet:
            self._write(message, whole=whole)

    def warn(self, message: str) -> None:
        self._write(message, "Warning: ")

    def _write(self, message: str, kind: str = "", whole: bool = False) -> None:
        if self.first is not None:
            self.first()
        to_stderr(message, kind, whole)

    def json(self, value: Any) -> None:
        """Print a result as one line of JSON."""
        from boostext.model.plain import json_parts

        for part in json_parts(value, ensure_ascii=False, allow_nan=False):
            click.echo(part, nl=False)
        click.echo()

    def show(self, drawing: Text) -> None:
        """Print a drawing to stdout, with the width for which it was drawn.

        Colors are used on terminals and with FORCE_COLOR, unless `--no-color` or NO_COLOR is given.
        """
        from rich.console import Console
        from rich.segment import Segment, Segments
        from rich.text import Text

        console = Console(
            file=unguarded(sys.stdout),
            no_color=not self._has_colors(),
            highlight=False,
            force_terminal=is_terminal(sys.stdout)
            or os.environ.get("FORCE_COLOR", "0") not in ("", "0"),
            markup=False,
            emoji=False,
        )
        shown = (
            Segment(visible(text, lines=True), style, control)
            for text, style, control in Text().append_text(drawing).render(console, end="\n")
        )
        try:
            console.print(Segments(shown), soft_wrap=True, end="")
        except SystemExit:  # rich's answer to a closed pipe
            raise BrokenPipeError(errno.EPIPE, "the pipe is closed") from None

    def _has_colors(self) -> bool:
        environ = os.environ
        return self.color and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"

    def show_line(self, line: str, style: str = "") -> None:
        from rich.text import Text

        self.show(Text(visible(line), style=style))


@contextlib.contextmanager
def logging_to(talk: Talk) -> Iterator[None]:
    """Context manager in which the messages of the library's logger go to `talk`."""
    logger, handler = logging.getLogger("boostext"), _Handler(talk)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Handler(logging.Handler):
    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self._talk = talk

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            self._talk.warn(record.getMessage())
        else:
            self._talk.say(record.getMessage(), whole=getattr(record, "whole", False))
