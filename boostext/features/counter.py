"""Count the terms of a text field, with plain code for little text and kernels for much text.

The results are equal.
"""

from __future__ import annotations

from typing import Protocol

from boostext import compiled
from boostext.features.terms import PlainCounter, Terms
from boostext.settings import TextSettings

SMALL = 300_000
"""Number of characters up to which plain code is faster than importing numba."""


class Counter(Protocol):
    """Collects the terms of a text field, one text after the other."""

    @property
    def settings(self) -> TextSettings: ...

    def add(self, text: str) -> None: ...

    def finish(self, least: float) -> Terms:
        """Return the terms in at least `least` documents. Call it once, after the last text."""


class TermCounter:
    """A Counter that starts with plain code and switches to kernels if there is much text."""

    def __init__(self, settings: TextSettings, threads: int = 1) -> None:
        self.settings, self._threads = settings, threads
        self._texts: list[str] = []
        self._size = 0
        self._counter: Counter | None = None

    def add(self, text: str) -> None:
        if self._counter is not None:
            self._counter.add(text)
            return
        self._texts.append(text)
        self._size += len(text) + 1
        if self._size > SMALL:
            self._counter = self._begin(many=True)

    def finish(self, least: float) -> Terms:
        return (self._counter or self._begin(many=compiled.loaded())).finish(least)

    def _begin(self, many: bool) -> Counter:
        counter: Counter = PlainCounter(self.settings)
        if many and not compiled.notice():
            from boostext.features.compiled_terms import CompiledCounter

            counter = CompiledCounter(self.settings, self._threads)
        for text in self._texts:
            counter.add(text)
        self._texts = []
        return counter
