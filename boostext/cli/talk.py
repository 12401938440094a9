"""What a command says beside its results: to stderr, quiet on request."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import json
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
"""The most characters of a message: a value of the data may be as long as it likes."""


class Screen:
    """A terminal as a stream: whatever is written to it passes `visible` first.

    stream: the terminal itself, for drawings and the progress line, which steer it on purpose.
    Results for programs that go to a pipe or a file do not pass here and stay as they are.
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
    """The bytes of a screen, for writers of files that may write to stdout as well."""

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
    """stdout and stderr as a Screen each, inside the block, where they are terminals."""
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
    """The terminal behind a Screen; any other stream as it is."""
    return stream.stream if isinstance(stream, Screen) else stream


def to_stderr(text: str, kind: str = "", whole: bool = False) -> None:
    """Write a line that nobody may be able to hear: a full disk or closed pipe ends no work.

    kind: what stands before it, as "Error: ". whole: it may be longer than LINE.
    """
    shown = visible(text)
    with contextlib.suppress(OSError):
        click.echo(kind + (shown if whole else shortened(shown, LINE - len(kind))), err=True)


def is_terminal(stream: TextIO | None) -> bool:
    """A person is looking: FORCE_COLOR and the like do not count."""
    return stream is not None and stream.isatty()


@dataclass
class Talk:
    """How this run speaks. quiet: warnings only. color: whether colors are wanted at all.

    first: called before a line is written to stderr, such as to leave a live line.
    """

    quiet: bool = False
    color: bool = True
    first: Callable[[], None] | None = None

    def say(self, message: str, whole: bool = False) -> None:
        """whole: a command to be copied, which is not cut whatever its length."""
        if not self.quiet:
            self._write(message, whole=whole)

    def warn(self, message: str) -> None:
        self._write(message, "Warning: ")

    def _write(self, message: str, kind: str = "", whole: bool = False) -> None:
        if self.first is not None:
            self.first()
        to_stderr(message, kind, whole)

    def json(self, value: Any) -> None:
        """Print a result for programs to stdout, in one line."""
        click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))

    def show(self, drawing: Text) -> None:
        """Print a drawing to stdout, which has the width it was drawn for.

        Colors are for terminals and for FORCE_COLOR; `--no-color` and NO_COLOR forbid them.
        """
        from rich.console import Console
        from rich.segment import Segment, Segments
        from rich.text import Text

        console = Console(
            file=unguarded(sys.stdout),
            no_color=not self._has_colors(),
            highlight=False,
            force_terminal=is_terminal(sys.stdout) or _forces_color(),
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
def heard_by(talk: Talk) -> Iterator[None]:
    """What the library has to say inside the block, which it says to its logger, goes to `talk`."""
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


def _forces_color() -> bool:
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0")
