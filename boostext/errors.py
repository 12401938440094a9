"""Everything boostext raises on purpose.

    BoostextError
    ├── DataError      a file or record that cannot be used; says FILE:LINE
    ├── ModelError     a model file that is foreign, cut, too new or damaged
    ├── SettingsError  settings that are out of range, unknown, or do not go together
    └── WorkerError    workers of a cluster that are not there, or were lost

The command line prints the message after `Error: ` and exits with `exit_code`.
A message says what is wrong, what was expected, and what to do.
"""

from __future__ import annotations


class BoostextError(Exception):
    """What the user can mend; the message is written for them."""

    exit_code = 1


class DataError(BoostextError):
    """A record or file of data at fault.

    path: as the user gave it ("-" for stdin); line: 1-based first line of the record, 0 for the
    file as a whole. `str()` is `PATH:LINE: message`.
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
    """Settings out of range, unknown, or not to be combined."""

    exit_code = 2


class WorkerError(BoostextError):
    """Workers that cannot be used, or were lost on the way."""
