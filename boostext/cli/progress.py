"""How far training is, on stderr: one line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TextIO, TypeVar

from boostext.cli.talk import Talk, is_terminal, unguarded
from boostext.fields import duration
from boostext.library.watch import Line, StopRequest, Watch, now_and_then, stop_request
from boostext.reports.escape import visible
from boostext.training.run import Moment, Prepared
from boostext.training.tuning import Status

Item = TypeVar("Item")
LIVE_EVERY = 0.2
PLAIN_EVERY = 5.0
SILENT = 8.0
"""Seconds after which a step that tells nothing, such as one long record, is said to go on."""
LOOK_EVERY = 1.0
TRAINING_SHARE = 0.05
"""At most this share of the time goes into measuring the training data for the line."""


def is_live(mode: str, stream: TextIO | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the line may overwrite itself. mode: auto, on, off."""
    if stream is None or mode == "off":
        return False
    plain = "CI" in environ or environ.get("TERM") == "dumb"
    return is_terminal(stream) and not plain


@contextlib.contextmanager
def watched(talk: Talk, mode: str = "auto") -> Iterator[Progress]:
    """How far the work inside the block is, and whether a signal asks to end it.

    mode: auto, on or off. What `talk` says takes the place of a live line.
    """
    with stop_request() as stop:
        progress = Progress("off" if talk.quiet else mode, stop=stop)
        talk.first = progress.finish
        try:
            with now_and_then(progress.go_on, LOOK_EVERY):
                yield progress
        finally:
            progress.finish()
            talk.first = None


class Progress(Watch):
    """Writes a line when one is due; asks for the training measure only then."""

    def __init__(
        self,
        mode: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
        stop: StopRequest | None = None,
    ) -> None:
        super().__init__(stop)
        self.stream = unguarded(sys.stderr if stream is None else stream)
        self.off = mode == "off" or self.stream is None
        self.live = is_live(mode, self.stream, environ)
        self.every = LIVE_EVERY if self.live else PLAIN_EVERY
        self.clock = clock
        self.start = self.last = clock()
        self.line: Line | None = None
        self._read = 0
        self._last_line = ""
        self._measured_for = 0.0
        self._width = 0

    # What a run tells -------------------------------------------------------------------------

    def documents(self, items: Iterable[Item]) -> Iterator[Item]:
        for number, document in enumerate(items, 1):
            yield document
            self._read = number
            if number % 64 == 0:
                self.tell(lambda: f"{number:,} documents read")  # noqa: B023  # called at once

    def learning(self, prepared: Prepared) -> None:
        self.start = self.last = self.clock()
        self.line = Line.of(prepared)

    def round(self, moment: Moment) -> None:
        if self.line is not None:
            line = self.line
            line.after(moment)
            self.tell(lambda: self._round(line, moment))

    def cross_validating(self, done: int, total: int) -> None:
        self.tell(lambda: f"cross-validation: {done:,} of {total:,} rounds in all folds")

    def judging(self, done: int, total: int) -> None:
        self.tell(lambda: f"labels judged in {done} of {total} parts")

    def pricing(self, done: int, total: int) -> None:
        self.tell(lambda: f"price measured in {done} of {total} folds")

    def tuning(self, status: Status, budget: float | None) -> None:
        self.tell(lambda: _tuning(status, budget))

    # Lines ------------------------------------------------------------------------------------

    def tell(self, line: Callable[[], str]) -> None:
        """Write a line, if one is due."""
        if not self.off and self.clock() - self.last >= self.every:
            self.last = self.clock()
            self._last_line = line()
            self._tell(self._last_line)

    def went_on(self) -> None:
        """Take note that results show how far the work is, so that no line need say it."""
        self.last = self.clock()

    def go_on(self) -> None:
        """Write how far the work was when it last told anything, if that is a while ago."""
        if not self.off and self.clock() - self.last >= SILENT:
            self.last = self.clock()
            read = f"{self._read:,} documents read" if self._read else ""
            going = f"still working, {duration(self.last - self.start)} so far"
            self._tell("; ".join(filter(None, (self._last_line or read, going))))

    def finish(self) -> None:
        """Leave the live line; what follows begins on a new one."""
        if self.live and self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def timed(self, measure: Callable[[], float]) -> float | None:
        """The measure, unless it has taken more than its share of the time so far."""
        now = self.clock()
        if self._measured_for > TRAINING_SHARE * (now - self.start):
            return None
        value = measure()
        self._measured_for += self.clock() - now
        return value

    def _round(self, line: Line, moment: Moment) -> str:
        measured = self.timed(lambda: line.monitor.value(moment.scores()))
        line.train = line.train if measured is None else measured
        return line.text(moment.round, self.last - self.start)

    def _tell(self, line: str) -> None:
        line = visible(line)
        if self.live:
            line = line[: _columns() - 1]
            self._write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            self._write(line + "\n")

    def _write(self, text: str) -> None:
        if self.stream is not None:
            # subtle: hours of work must not end because a log cannot be written
            with contextlib.suppress(OSError):
                self.stream.write(text)
                self.stream.flush()


def _tuning(status: Status, budget: float | None) -> str:
    """What a person wants to know while tuning goes on."""
    spent = f"{status.seconds:.0f} s" + (f" of {budget:.0f}" if budget else "")
    told = [f"tuning {spent}"]
    if status.best:
        told.append(f"best {status.best.best.value:.4f}")
    told.append(f"round {status.mark.round}/{status.last} {status.mark.value:.4f}")
    return "  ".join([*told, status.settings])


def _columns() -> int:
    """Cells of the terminal; 80 where it does not know."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
