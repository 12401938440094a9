"""The exceptions that boostext raises.

    BoostextError
    ├── DataError      a file or record that cannot be used; the message begins with FILE:LINE
    ├── ModelError     a model file that is not a model, truncated, too new or damaged
    ├── SettingsError  settings that are out of range, unknown, or cannot be combined
    └── WorkerError    workers of a cluster that are missing or were lost

The command line prints the message after `Error: ` and exits with `exit_code`.
A message says what is wrong, what was expected, and what to do.
"""

from __future__ import annotations


class BoostextError(Exception):
    """An error that the user can correct; its message is written for users."""

    exit_code = 1


class DataError(BoostextError):
    """A file or record of data that cannot be used.

    path: as the user gave it ("-" for stdin). line: the first line of the record, from 1; 0 for the
    whole file. `str()` gives `PATH:LINE: message`.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        self.path, self.line, self.message = path, line, message
        place = f"{path}:{line}" if line else path
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.line, self.message)


class ModelError(BoostextError):
    """A model file that cannot be used."""


class SettingsError(BoostextError):
    """Settings that are out of range, unknown, or cannot be combined."""

    exit_code = 2


class WorkerError(BoostextError):
    """Workers of a cluster that cannot be used or were lost during the run."""


def shortage(error: Exception) -> str:
    """Return a message if an error of Python means that the system gives no more; otherwise ""."""
    said = str(error)
    if isinstance(error, RuntimeError):
        new = "start new thread" in said
        return "the system gives this process no further thread; add --threads 1" if new else ""
    # a library that is loaded needs memory, too
    reasons = ("failed to map segment", "annot allocate memory")
    if isinstance(error, MemoryError) or any(reason in said for reason in reasons):
        return "not enough memory; for training, boostext train --dry-run estimates what it needs"
    return ""
