"""The terms of a field: plain code for few texts, kernels for many. Both give the same."""

from __future__ import annotations

from typing import Protocol

from boostext import compiled
from boostext.features.terms import PlainCounter, Terms
from boostext.settings import TextSettings

SMALL = 300_000
"""Characters up to which kernels are not worth the import of numba."""


class Counter(Protocol):
    """Collects the terms of a text field, one text after the other."""

    @property
    def settings(self) -> TextSettings: ...

    def add(self, text: str) -> None: ...

    def finish(self, least: float) -> Terms:
        """The terms in at least so many documents; once, after the last text."""


class TermCounter:
    """A Counter that begins plainly and goes over to kernels when there is much text."""

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
