"""Who watches a run: told how far it is, and asked whether it shall end.

Ctrl-C and SIGTERM: the first signal asks for an orderly end, a second one ends at once.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
    """The user ended the run. Not an Exception: nothing on the way may swallow it."""

    def __init__(self, signal_number: int, message: str = "") -> None:
        super().__init__(message)
        self.signal_number = signal_number


class StopRequest:
    """Whether the user asked the run to end.

    While `patient`, the first signal only sets a mark, for work that looks at it and then saves
    what there is. Otherwise it raises Stopped with `words`, wherever the program happens to be.
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
        """Raise Stopped with these words where a signal came."""
        if self.signal_number:
            raise Stopped(self.signal_number, words)

    def saved(self, words: str) -> None:
        """From here on a signal ends the run at once, and so does one that came before."""
        self.words = words
        self.patient = False
        self.check(words)


class Watch:
    """Told how far a run is; every method may be replaced, and does nothing here.

    stop: whether the run shall end. It hears signals inside `stop_request` and `interrupts`.
    """

    def __init__(self, stop: StopRequest | None = None) -> None:
        self.stop = stop or StopRequest()

    def documents(self, items: Iterable[Item]) -> Iterable[Item]:
        """Documents as they are read; they are passed on."""
        return items

    def learning(self, prepared: Prepared) -> None:
        """Before the first round."""

    def round(self, moment: Moment) -> None:
        """After every round."""

    def cross_validating(self, done: int, total: int) -> None:
        """Rounds of all folds."""

    def judging(self, done: int, total: int) -> None:
        """Parts of the documents whose labels have been judged."""

    def pricing(self, done: int, total: int) -> None:
        """Folds in which the price of pruning has been measured."""

    def tuning(self, status: Status, budget: float | None) -> None:
        """After some rounds of a trial; it may come from several threads. budget: seconds."""


@dataclass
class Line:
    """What the progress line tells of rounds. rounds: to do in all. done: in this run. train,
    valid: the monitored measure, None where not yet taken.
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
        """Take note of a round."""
        self.done += 1
        if moment.valid is not None:
            self.valid = moment.valid

    def text(self, made: Round, seconds: float) -> str:
        """seconds: since the first round of this run began."""
        rate = self.done / max(seconds, 1e-9)
        parts = [f"round {made.number}/{self.rounds}", f"Z {made.z:.4f}", f"bound {made.bound:.3g}"]
        for name, value in (("train", self.train), ("valid", self.valid)):
            if value is not None:
                parts.append(f"{name} {self.monitor.name} {value:.4f}")
        left = (self.rounds - made.number) / rate
        return "  ".join([*parts, f"{rate:.1f} rounds/s", f"{duration(left)} left"])


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does, so that no half-written file stays behind."""

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
    """Where a signal comes while Python clears away a generator, what its handler raises is lost:
    let the signal come again, a moment later.
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
    """Signals are heard inside the block and as before after it."""
    request = StopRequest()
    heard = [n for n in STOPPING if signal.getsignal(n) is not signal.SIG_IGN]  # nohup stays
    before = {number: signal.signal(number, request.receive) for number in heard}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts() -> Iterator[StopRequest]:
    """Ctrl-C is heard inside the block, for callers from Python: one who has a handler of their own
    keeps it, and threads other than the main one hear no signals.
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
    """While the block runs, call `look` from a thread every so many seconds."""
    ended = threading.Event()

    def looking() -> None:
        while not ended.wait(every):
            look()

    thread = threading.Thread(target=looking, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def until_stopped(items: Iterable[Item], stop: StopRequest) -> Iterator[Item]:
    """The items up to a signal, which ends the waiting for the next one but not the work on those
    that were given out.
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
