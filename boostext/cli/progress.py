"""Progress on stderr: a line that is updated on a terminal, otherwise separate lines."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TextIO, TypeVar

from boostext.cli.talk import Talk, is_terminal, unguarded
from boostext.fields import duration
from boostext.library.classifier import Classifier
from boostext.library.watch import Line, StopRequest, Watch, now_and_then, stop_request
from boostext.reports.escape import visible
from boostext.training.run import Moment, Prepared
from boostext.training.tuning import Status

Item = TypeVar("Item")
LIVE_EVERY = 0.2
PLAIN_EVERY = 5.0
SILENT, LIVE_SILENT = 8.0, 2.0
"""Seconds without news after which a message, or a line that is updated, says that the work
continues."""
LOOK_EVERY = 1.0
TRAINING_SHARE = 0.05
"""Maximum fraction of the time that is used to measure the training data for the line."""


def is_live(mode: str, stream: TextIO | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the line may be updated in place. mode: auto, on or off."""
    if stream is None or mode == "off":
        return False
    plain = "CI" in environ or environ.get("TERM") == "dumb"
    return is_terminal(stream) and not plain


@contextlib.contextmanager
def watched(talk: Talk, mode: str = "auto") -> Iterator[Progress]:
    """Context manager that shows the progress of the work, and records signals to stop it.

    mode: auto, on or off. Messages of `talk` replace a line that is updated.
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


def load_watched(path: str, threads: int, talk: Talk) -> Classifier:
    """Load a model, and say that the work continues if it is so large that this takes long."""
    with watched(talk):
        return Classifier.load(path, threads)


class Progress(Watch):
    """Writes a line when one is due, and computes the training measure only then."""

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
        self.silent = LIVE_SILENT if self.live else SILENT
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
        """Write a line if one is due."""
        if not self.off and self.clock() - self.last >= self.every:
            self.last = self.clock()
            self._last_line = line()
            self._tell(self._last_line)

    def went_on(self) -> None:
        """Note that results were written, so that no line is needed for a while."""
        self.last = self.clock()

    def go_on(self) -> None:
        """Write the last known progress again, if it was written long ago."""
        if not self.off and self.clock() - self.last >= self.silent:
            self.last = self.clock()
            read = f"{self._read:,} documents read" if self._read else ""
            going = f"still working, {duration(self.last - self.start)} so far"
            self._tell("; ".join(filter(None, (self._last_line or read, going))))

    def finish(self) -> None:
        """Leave the line that is updated, so that output continues on a new one."""
        if self.live and self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def timed(self, measure: Callable[[], float]) -> float | None:
        """Return the measure, unless computing it has taken too much of the time so far."""
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
    """Return the state of tuning as text."""
    parts = [f"tuning {status.seconds:.0f} s" + (f" of {budget:.0f}" if budget else "")]
    if status.best:
        parts.append(f"best {status.best.best.value:.4f}")
    value = "" if math.isnan(status.mark.value) else f" {status.mark.value:.4f}"
    parts.append(f"round {status.mark.round}/{status.last}{value}")
    return "  ".join([*parts, status.settings])


def _columns() -> int:
    """Return the width of the terminal, or 80 if it is not known."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
