"""Count the terms of a text field with compiled kernels; equivalent to `terms.PlainCounter`.

Texts are converted to token numbers as they are added; n-grams are then formed from these numbers,
level by level. No string is stored per occurrence. Memory grows with the terms that pass min_df,
their postings, and the spool of `spool.py`.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from boostext.arrays import Int32, Int64
from boostext.features.counting import Stream, count_terms
from boostext.features.spelling import joined
from boostext.features.spool import Spool
from boostext.features.terms import Terms
from boostext.features.token_numbers import Numbered, numbering
from boostext.settings import TextSettings

BATCH = 1 << 20
"""Number of characters that are converted to token numbers together."""


class CompiledCounter:
    """Collects the terms of a text field, one text after the other."""

    def __init__(self, settings: TextSettings, threads: int = 1) -> None:
        self.settings = settings
        self._threads = threads
        self._numbering = numbering(settings)
        self._spool = Spool()
        self._sizes: list[Int64] = []
        self._texts: list[str] = []
        self._waiting = 0
        # subtle: a single worker, so that batches are numbered in the order in which they are added
        self._worker = ThreadPoolExecutor(1) if threads > 1 else None
        self._running: Future[Numbered] | None = None

    def add(self, text: str) -> None:
        self._texts.append(text)
        self._waiting += len(text) + 1
        if self._waiting >= BATCH:
            self._number()

    def _number(self) -> None:
        work = self._numbering.prepare(self._texts)
        self._texts, self._waiting = [], 0
        if self._worker is None:
            self._keep(*work())
        else:
            self._collect()
            self._running = self._worker.submit(work)

    def _collect(self) -> None:
        if self._running is not None:
            self._keep(*self._running.result())
            self._running = None

    def _keep(self, numbers: Int32, sizes: Int64) -> None:
        self._spool.append(numbers)
        self._sizes.append(sizes)

    def finish(self, least: float) -> Terms:
        """Return the terms that occur in at least `least` documents."""
        self._number()
        self._collect()
        if self._worker is not None:
            self._worker.shutdown()
        sizes = np.concatenate(self._sizes)
        tokens = self._spool.finish()
        groups = count_terms(
            Stream(tokens, np.cumsum(sizes, dtype=np.int64)), self.settings,
            self._numbering.known(), least, self._threads,
        )  # fmt: skip
        return joined(groups, self._numbering, self.settings, len(tokens))
