"""What was tried, kept in a file while tuning goes on, so that a broken run can go on from there.

The first line says what the trials belong to; each further line is one trial. Lines are only ever
added, so that whatever ends the program leaves a file of whole lines and at most a part of one.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boostext.errors import DataError, SettingsError
from boostext.training.courses import Mark

LOG = logging.getLogger("boostext")
FORMAT = "boostext trials"
FIRST = f'{{"format": "{FORMAT}"'.encode()
"""How the file begins."""
SIZE_LIMIT = 64 * 1024 * 1024
SHOWN = 200
"""Characters of what a run belongs to that a message shows."""


def begins_trials(head: bytes) -> bool:
    """Whether a file begins as one of trials does, though it may be cut off right there."""
    return bool(head) and (head.startswith(FIRST) or FIRST.startswith(head))


@dataclass(frozen=True)
class Trial:
    """Settings (as their options) that were learned with up to `last` rounds. whole: not cut off
    by a budget. seconds: it took, in all folds. folds: what it was learned without, in turn.
    """

    settings: str
    last: int
    marks: tuple[Mark, ...]
    seconds: float
    whole: bool = True
    folds: int = 1


@dataclass
class TrialLog:
    """Trials by settings, last round and folds. path: None keeps them in memory alone."""

    path: Path | None = None
    trials: dict[tuple[str, int, int], Trial] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, work: dict[str, Any]) -> TrialLog:
        """The trials of the file, or a new file; SettingsError where they are of other work.

        work: what the trials depend on beside their settings, as JSON can hold it.
        """
        log = cls(path)
        if path.exists() and path.stat().st_size:
            log._read(work)
        else:
            log._write({"format": FORMAT, **work})
        return log

    @property
    def seconds(self) -> float:
        return sum(trial.seconds for trial in self.trials.values())

    def get(self, settings: str, last: int, folds: int = 1) -> Trial | None:
        """The trial, if it was made to its end."""
        found = self.trials.get((settings, last, folds))
        return found if found and found.whole else None

    def add(self, trial: Trial) -> None:
        self.trials[trial.settings, trial.last, trial.folds] = trial
        marks = [[m.round, m.terms, m.value, m.threshold] for m in trial.marks]
        self._write({
            "settings": trial.settings, "last": trial.last, "seconds": round(trial.seconds, 3),
            "whole": trial.whole, "folds": trial.folds, "marks": marks,
        })  # fmt: skip

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
            LOG.info(f"{self.path} was cut off before its first trial; it is begun anew")
            os.truncate(self.path, 0)
            self._write({"format": FORMAT, **work})
            return
        lines = list(_records(self.path, whole))
        self._check(lines[0] if lines else {}, work)
        for number, record in enumerate(lines[1:], 2):
            trial = _trial(self.path, number, record)
            self.trials[trial.settings, trial.last, trial.folds] = trial
        if rest:  # a line that was cut off by whatever ended the program
            os.truncate(self.path, len(whole) + 1)

    def _check(self, head: dict[str, Any], work: dict[str, Any]) -> None:
        if head.get("format") != FORMAT:
            raise DataError(str(self.path), 1, "not a file of trials; give another place for them")
        other = [
            f"{name}: {_shown(head.get(name))} -> {_shown(value)}"
            for name, value in work.items()
            if head.get(name) != value
        ]
        if other:
            raise SettingsError(
                f"{self.path} holds trials of other work ({'; '.join(other)}); "
                "put that back, or leave out --resume to try anew"
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
            raise DataError(str(path), number, "not a line of trials; give another place for them")
        yield record


def _trial(path: Path, number: int, record: dict[str, Any]) -> Trial:
    try:
        marks = tuple(
            Mark(int(round), int(terms), float(value), float(threshold))
            for round, terms, value, threshold in record["marks"]
        )
        return Trial(
            str(record["settings"]), int(record["last"]), marks, float(record["seconds"]),
            bool(record["whole"]), int(record["folds"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DataError(str(path), number, "not a trial; give another place for them") from None
