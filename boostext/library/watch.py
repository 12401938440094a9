"""Progress of long computations, and requests to stop them.

The first Ctrl-C or SIGTERM asks for an orderly end; a second one ends the run at once.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from boostext.fields import duration

if TYPE_CHECKING:
    from boostext.boosting.rules import Round
    from boostext.evaluation.measures import Monitor
    from boostext.training.run import Moment, Prepared
    from boostext.training.tuning import Status

Item = TypeVar("Item")
STOPPING = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """Raised if the user stops the run. It is not an Exception, so that no handler catches it."""

    def __init__(self, signal_number: int, message: str = "") -> None:
        super().__init__(message)
        self.signal_number = signal_number


class StopRequest:
    """Records whether the user has asked the run to stop.

    While `patient` is true, the first signal is only recorded, for work that checks it regularly
    and then saves its results. Otherwise a signal raises Stopped with the message `words`.
    """

    def __init__(self) -> None:
        self.signal_number = 0
        self.patient = False
        self.words = "stopped; nothing was written"

    def __call__(self) -> bool:
        return self.signal_number != 0

    def receive(self, signal_number: int, frame: FrameType | None) -> None:
        again = self.signal_number != 0
        self.signal_number = signal_number
        if again:
            raise Stopped(signal_number, "stopped at once")
        if not self.patient:
            raise Stopped(signal_number, self.words)

    def check(self, words: str) -> None:
        """Raise Stopped with this message if a signal has been received."""
        if self.signal_number:
            raise Stopped(self.signal_number, words)

    def saved(self, words: str) -> None:
        """Let signals end the run at once from now on, including one that has been received."""
        self.words = words
        self.patient = False
        self.check(words)


class Watch:
    """Receives the progress of a run. Override the methods, which do nothing by default.

    stop: the request to stop the run; signals are recorded in it within `stop_request` and
    `interrupts`.
    """

    def __init__(self, stop: StopRequest | None = None) -> None:
        self.stop = stop or StopRequest()

    def documents(self, items: Iterable[Item]) -> Iterable[Item]:
        """Wrap the documents that are read, and yield them unchanged."""
        return items

    def learning(self, prepared: Prepared) -> None:
        """Called before the first round."""

    def round(self, moment: Moment) -> None:
        """Called after every round."""

    def cross_validating(self, done: int, total: int) -> None:
        """Called with the number of rounds done in all folds of a cross-validation."""

    def judging(self, done: int, total: int) -> None:
        """Called with the number of parts in which likely label errors have been searched."""

    def pricing(self, done: int, total: int) -> None:
        """Called with the number of folds in which the cost of pruning has been measured."""

    def tuning(self, status: Status, budget: float | None) -> None:
        """Called after some rounds of a trial, possibly in several threads. budget: in seconds."""


@dataclass
class Line:
    """The content of the progress line during training.

    rounds: total number of rounds. done: rounds done in this run. train, valid: the latest values
    of the monitored measure, or None.
    """

    rounds: int
    monitor: Monitor
    done: int = 0
    train: float | None = None
    valid: float | None = None

    @staticmethod
    def of(prepared: Prepared) -> Line:
        from boostext.evaluation.measures import Monitor
        from boostext.training.summary import corpus_gold

        plan = prepared.plan
        gold = corpus_gold(prepared.corpus, len(prepared.corpus.labels))
        monitor = Monitor.of(plan.stop.monitor, gold, prepared.multilabel, plan.boosting)
        return Line(plan.boosting.rounds, monitor)

    def after(self, moment: Moment) -> None:
        """Update the line after a round."""
        self.done += 1
        if moment.valid is not None:
            self.valid = moment.valid

    def text(self, made: Round, seconds: float) -> str:
        """Return the line as text. seconds: time since the first round of this run began."""
        rate = self.done / max(seconds, 1e-9)
        parts = [f"round {made.number}/{self.rounds}", f"Z {made.z:.4f}", f"bound {made.bound:.3g}"]
        for name, value in (("train", self.train), ("valid", self.valid)):
            if value is not None:
                parts.append(f"{name} {self.monitor.name} {value:.4f}")
        left = (self.rounds - made.number) / rate
        return "  ".join([*parts, f"{rate:.1f} rounds/s", f"{duration(left)} left"])


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Context manager in which SIGTERM acts like Ctrl-C, so that partial files are removed."""

    def end(signal_number: int, frame: FrameType | None) -> None:
        raise Stopped(signal_number, "stopped")

    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    before = sys.unraisablehook
    sys.unraisablehook = _not_lost
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook = before


def _not_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """Send a signal again if the exception of its handler was lost.

    Python ignores exceptions that are raised while a generator is being deleted.
    """
    error = unraisable.exc_value
    if isinstance(error, KeyboardInterrupt):
        number = getattr(error, "signal_number", signal.SIGINT)
        timer = threading.Timer(0.02, _thread.interrupt_main, (number,))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


@contextmanager
def stop_request() -> Iterator[StopRequest]:
    """Context manager that records signals in the StopRequest that it yields."""
    request = StopRequest()
    caught = [
        n for n in STOPPING if signal.getsignal(n) is not signal.SIG_IGN
    ]  # keep the effect of nohup
    before = {number: signal.signal(number, request.receive) for number in caught}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts() -> Iterator[StopRequest]:
    """Context manager that records Ctrl-C in the StopRequest that it yields, for use from Python.

    A handler that the caller has installed is kept. In threads other than the main one, signals are
    not recorded.
    """
    request = StopRequest()
    hears = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not hears:
        yield request
        return
    before = signal.signal(signal.SIGINT, request.receive)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def now_and_then(look: Callable[[], None], every: float) -> Iterator[None]:
    """Context manager that calls `look` in another thread, every `every` seconds.

    If the system does not allow another thread, `look` is not called.
    """
    ended = threading.Event()

    def looking() -> None:
        while not ended.wait(every):
            look()

    thread = threading.Thread(target=looking, daemon=True)
    with suppress(RuntimeError):
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()


def until_stopped(items: Iterable[Item], stop: StopRequest) -> Iterator[Item]:
    """Yield the items until a signal is received.

    A signal interrupts the wait for the next item, but not the work on the current one.
    """
    reading = iter(items)
    while True:
        stop.patient = False
        try:
            if stop():
                raise Stopped(stop.signal_number)
            item = next(reading)
        except StopIteration:
            return
        finally:
            stop.patient = True
        yield item
