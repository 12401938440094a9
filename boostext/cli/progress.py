"""How far training is, on stderr: one line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO, TypeVar

from boostext.boosting.rules import Round
from boostext.cli.talk import is_terminal, unguarded
from boostext.evaluation.measures import Monitor
from boostext.reports.escape import visible
from boostext.training.run import Moment, Prepared
from boostext.training.summary import corpus_gold

Item = TypeVar("Item")
LIVE_EVERY = 0.2
PLAIN_EVERY = 5.0
TRAINING_SHARE = 0.05
"""At most this share of the time goes into measuring the training data for the line."""


@dataclass(frozen=True)
class State:
    """What a line tells. train, valid: the monitored measure, None where not yet taken."""

    round: int
    rounds: int
    z: float
    bound: float
    measure: str
    train: float | None
    valid: float | None


def is_live(mode: str, stream: TextIO | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the line may overwrite itself. mode: auto, on, off."""
    if stream is None or mode == "off":
        return False
    plain = "CI" in environ or environ.get("TERM") == "dumb"
    return is_terminal(stream) and not plain


class Progress:
    """Writes a line when one is due; asks for the training measure only then."""

    def __init__(
        self,
        mode: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.stream = unguarded(sys.stderr if stream is None else stream)
        self.off = mode == "off" or self.stream is None
        self.live = is_live(mode, self.stream, environ)
        self.every = LIVE_EVERY if self.live else PLAIN_EVERY
        self.clock = clock
        self.start = self.last = clock()
        self.first_round: int | None = None
        self._measured_for = 0.0
        self._width = 0

    def due(self, number: int) -> bool:
        """Whether the time for a line has come; call it after every round."""
        if self.first_round is None:
            self.first_round = number - 1
        return self._is_due()

    def counting(self, documents: Iterable[Item]) -> Iterator[Item]:
        """The documents as they are read, with a line now and then on how many it were."""
        for number, document in enumerate(documents, 1):
            yield document
            if number % 64 == 0 and self._is_due():
                self.last = self.clock()
                self._tell(f"{number:,} documents read")

    def show(self, state: State) -> None:
        self.last = self.clock()
        self._tell(self._line(state))

    def tell(self, line: Callable[[], str]) -> None:
        """Write another kind of line, if one is due."""
        if self._is_due():
            self.last = self.clock()
            self._tell(line())

    def _is_due(self) -> bool:
        return not self.off and self.clock() - self.last >= self.every

    def _tell(self, line: str) -> None:
        line = visible(line)
        if self.live:
            line = line[: _columns() - 1]
            self._write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            self._write(line + "\n")

    def timed(self, measure: Callable[[], float]) -> float | None:
        """The measure, unless it has taken more than its share of the time so far."""
        now = self.clock()
        if self._measured_for > TRAINING_SHARE * (now - self.start):
            return None
        value = measure()
        self._measured_for += self.clock() - now
        return value

    def finish(self) -> None:
        """Leave the live line; what follows begins on a new one."""
        if self.live and self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _line(self, state: State) -> str:
        done = state.round - (self.first_round or 0)
        rate = done / max(self.last - self.start, 1e-9)
        parts = [
            f"round {state.round}/{state.rounds}", f"Z {state.z:.4f}", f"bound {state.bound:.3g}",
        ]  # fmt: skip
        for name, value in (("train", state.train), ("valid", state.valid)):
            if value is not None:
                parts.append(f"{name} {state.measure} {value:.4f}")
        left = (state.rounds - state.round) / rate if rate else 0.0
        return "  ".join([*parts, f"{rate:.1f} rounds/s", f"{_duration(left)} left"])

    def _write(self, text: str) -> None:
        if self.stream is not None:
            # subtle: hours of work must not end because a log cannot be written
            with contextlib.suppress(OSError):
                self.stream.write(text)
                self.stream.flush()


class Line:
    """What the progress line tells, from round to round."""

    def __init__(self, prepared: Prepared, progress: Progress) -> None:
        self.progress = progress
        self.rounds = prepared.plan.boosting.rounds
        gold = corpus_gold(prepared.corpus, len(prepared.corpus.labels))
        plan = prepared.plan
        self.monitor = Monitor.of(plan.stop.monitor, gold, prepared.multilabel, plan.boosting)
        self.train: float | None = None
        self.valid: float | None = None

    def after(self, moment: Moment) -> None:
        if moment.valid is not None:
            self.valid = moment.valid
        if self.progress.due(moment.round.number):
            measured = self.progress.timed(lambda: self.monitor.value(moment.scores()))
            self.train = self.train if measured is None else measured
            self.progress.show(self._state(moment.round))

    def _state(self, made: Round) -> State:
        name = self.monitor.name
        return State(made.number, self.rounds, made.z, made.bound, name, self.train, self.valid)


def _columns() -> int:
    """Cells of the terminal; 80 where it does not know."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _duration(seconds: float) -> str:
    """ "0:07", "12:34" or "3:00:00"."""
    whole = int(min(seconds, 359_999))
    hours, minutes = divmod(whole // 60, 60)
    return (f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{whole % 60:02}"
