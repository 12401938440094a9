"""The log of trials, a file from which an interrupted tuning run can be resumed.

The first line describes the data and settings of the run, and each further line is one trial. Lines
are only appended, so that after any interruption at most the last line is incomplete.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from boostext.errors import DataError, SettingsError
from boostext.training.courses import Losses, Mark

LOG = logging.getLogger("boostext")
FORMAT = "boostext trials"
FIRST = f'{{"format": "{FORMAT}"'.encode()
"""The beginning of the file."""
SIZE_LIMIT = 64 * 1024 * 1024
SHOWN = 200
"""Maximum number of characters of a value in the messages about differences."""


def begins_trials(head: bytes) -> bool:
    """Whether a file begins like a log of trials, which may be truncated within the beginning."""
    return bool(head) and (head.startswith(FIRST) or FIRST.startswith(head))


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial of settings (as options) with up to `last` rounds.

    whole: it was not ended early by a budget. seconds: its counted work in all folds since it
    began. folds: number of folds that were held out in turn. packed: the losses of their documents
    at the best mark of each fold, see `courses.losses_of`. They stay packed, so that trials take no
    more memory than their file.
    """

    settings: str
    last: int
    marks: tuple[Mark, ...]
    seconds: float
    whole: bool = True
    folds: int = 1
    packed: bytes = zlib.compress(b"")

    @property
    def losses(self) -> Losses:
        return np.frombuffer(zlib.decompress(self.packed), np.float16)


def pack(losses: Losses) -> bytes:
    """Return the losses as a trial keeps them."""
    return zlib.compress(losses.tobytes())


@dataclass
class TrialLog:
    """Trials by settings, last round and folds. path: None keeps them only in memory.

    documents: number of documents, which is the maximum number of losses of a trial.
    """

    path: Path | None = None
    documents: int = SIZE_LIMIT // 2
    trials: dict[tuple[str, int, int], Trial] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, work: dict[str, Any], documents: int = SIZE_LIMIT // 2) -> TrialLog:
        """Read the trials in a file, or create it; SettingsError if they belong to another run.

        work: what the trials depend on in addition to their settings, as JSON values.
        """
        log = cls(path, documents)
        if path.exists() and path.stat().st_size:
            log._read(work)
        else:
            log._write({"format": FORMAT, **work})
        return log

    def get(self, settings: str, last: int, folds: int = 1) -> Trial | None:
        """The trial, if it was completed."""
        found = self.trials.get((settings, last, folds))
        return found if found and found.whole else None

    def add(self, trial: Trial) -> None:
        self.trials[trial.settings, trial.last, trial.folds] = trial
        marks = [[m.round, m.terms, m.value, m.threshold] for m in trial.marks]
        self._write(
            {
                "settings": trial.settings,
                "last": trial.last,
                "seconds": trial.seconds,
                "whole": trial.whole,
                "folds": trial.folds,
                "marks": marks,
                "losses": base64.b64encode(trial.packed).decode(),
            }
        )

    def _write(self, record: dict[str, Any]) -> None:
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(record, ensure_ascii=True) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, work: dict[str, Any]) -> None:
        assert self.path is not None
        if self.path.stat().st_size > SIZE_LIMIT:
            raise DataError(str(self.path), 0, "more than 64 MB; expected a file of trials")
        content = self.path.read_bytes()
        whole, ended, rest = content.rpartition(b"\n")
        if not ended and begins_trials(content):
            LOG.info(f"{self.path} was truncated before its first trial and starts again")
            os.truncate(self.path, 0)
            self._write({"format": FORMAT, **work})
            return
        lines = list(_records(self.path, whole))
        self._check(lines[0] if lines else {}, work)
        for number, record in enumerate(lines[1:], 2):
            trial = _trial(self.path, number, record, self.documents)
            self.trials[trial.settings, trial.last, trial.folds] = trial
        if rest:  # a line that is incomplete because the program ended
            os.truncate(self.path, len(whole) + 1)

    def _check(self, head: dict[str, Any], work: dict[str, Any]) -> None:
        if head.get("format") != FORMAT:
            raise DataError(str(self.path), 1, "not a file of trials; name another file for them")
        other = [
            f"{name}: {_shown(head.get(name))} -> {_shown(value)}"
            for name, value in work.items()
            if head.get(name) != value
        ]
        if other:
            raise SettingsError(
                f"{self.path} contains trials of another run ({'; '.join(other)}); "
                "change that back, or leave out --resume to start again"
            )


def _shown(value: Any) -> str:
    return str(value)[:SHOWN]


def _records(path: Path, content: bytes) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise DataError(str(path), number, "not a line of trials; name another file for them")
        yield record


def _trial(path: Path, number: int, record: dict[str, Any], documents: int) -> Trial:
    try:
        marks = tuple(
            Mark(int(round), int(terms), float(value), float(threshold))
            for round, terms, value, threshold in record["marks"]
        )
        return Trial(
            str(record["settings"]),
            int(record["last"]),
            marks,
            float(record["seconds"]),
            bool(record["whole"]),
            int(record["folds"]),
            _packed(record["losses"], documents),
        )
    except (KeyError, TypeError, ValueError, OverflowError, zlib.error):
        raise DataError(str(path), number, "not a trial; name another file for trials") from None


def _packed(text: str, documents: int) -> bytes:
    """Read packed losses; ValueError if they are damaged, or more than there are documents."""
    packed, unpacker = base64.b64decode(text, validate=True), zlib.decompressobj()
    content = unpacker.decompress(packed, 2 * documents + 1)
    whole = unpacker.eof and not unpacker.unused_data
    if not whole or len(content) > 2 * documents or len(content) % 2:
        raise ValueError("the losses are truncated, or too many")
    return packed
