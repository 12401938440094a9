"""How a model reads new files: the settings of its training, and the options that override them.

A model keeps the settings with which its training data was read. Settings about the content of
records (such as the name of the text field) apply to every file. Settings about how a file is
written (such as its header or its encoding) apply to files that are like the training files: those
that have one of their endings or one of their formats, and those whose ending does not determine a
format. Other files are read according to their own ending. Options of the current call override
both.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boostext import fields
from boostext.corpus.files import STDIN, file_ending, open_bytes
from boostext.corpus.readers import ENDINGS, format_of
from boostext.errors import BoostextError
from boostext.settings import DataSettings

DEFAULTS = DataSettings()
WRITTEN = ("format", "delimiter", "header", "quotes", "encoding")
"""Settings about how a file is written."""
OF_ONE_CALL = ("names", "where", "encoding_errors", "skip_bad", "max_record")
"""Settings that apply to one call only. All others are about the content of records."""
TABLES = ("csv", "tsv")
FOLDER = "/"
"""The ending that represents a folder."""
HEAD = 2**16
"""Number of bytes at the start of a file that are examined to determine its encoding."""


def remembered(paths: Sequence[str], settings: DataSettings) -> DataSettings:
    """Add the endings of the training files to the settings, if they are needed later.

    They are not needed if nothing but the ending determined how the files were read. Equal data
    then gives equal models, whatever format it is stored in.
    """
    if not paths or not _reading_settings(settings):
        return settings
    return replace(settings, endings=tuple(sorted(set(map(ending_of, paths)))))


def ending_of(path: str) -> str:
    """The ending of a file, ignoring that of a compression; "-" for stdin, "/" for a folder."""
    if path == STDIN:
        return STDIN
    return FOLDER if Path(path).is_dir() else file_ending(path)


@dataclass(frozen=True)
class Reading:
    """How the files of one call are read.

    kept: the settings in the model. given: the settings that this call overrides.
    """

    kept: DataSettings
    given: Mapping[str, Any]

    def of(self, path: str) -> DataSettings:
        """The settings for one file."""
        held = {
            field.name: getattr(self.kept, field.name)
            for field in DataSettings.fields()
            if field.name not in (*WRITTEN, *OF_ONE_CALL)
        }
        if "names" in self.given:
            held["schema"] = ()
        if self.is_alike(path):
            written = {name: getattr(self.kept, name) for name in WRITTEN}
            if "encoding" not in self.given and self._is_utf8(path):
                written["encoding"] = DEFAULTS.encoding
        else:
            written = {"header": self.kept.header or not self._is_numbered}
        return DataSettings(**{**held, **written, **self.given})

    def for_prediction(self, attributes: Collection[str], labels: bool = False) -> Reading:
        """Read only texts and these attributes; all other fields, such as weights, are ignored.

        labels: also read labels where there are any, to show them beside the predicted ones.
        """
        unread = ("weight",) if labels else ("label", "weight")
        label = self.kept.label if labels else ()
        kept = replace(self.kept, label=label, weight="", attribute=tuple(attributes))
        return Reading(kept, {name: v for name, v in self.given.items() if name not in unread})

    def is_alike(self, path: str) -> bool:
        """Whether a file is like the training files."""
        kept = self.kept
        formats = {kept.format} if kept.format != "auto" else set(map(_by_ending, kept.endings))
        if "format" in self.given:
            return self.given["format"] in (*formats, kept.format)
        ending = ending_of(path)
        known = _by_ending(ending)
        if kept.endings:
            return ending in kept.endings or known in formats or (not known and bool(formats))
        return kept.format == "auto" or known in (kept.format, "")

    def remarks(self, paths: Sequence[str]) -> Iterator[str]:
        """Messages about how the files are read, one line each."""
        settings = _reading_settings(self.kept)
        if not settings:
            return
        alike = [path for path in paths if self.is_alike(path)]
        used = {name: value for name, value in settings.items() if name not in self.given}
        if alike and used:
            yield f"{_some(alike)}: read as the training data were, with {_options(used)}"
        for path in alike:
            if self.of(path).encoding != self.given.get("encoding", self.kept.encoding):
                yield (
                    f"{path}: read as UTF-8, although the training data were {self.kept.encoding}; "
                    "use --encoding to change this"
                )
        for path in paths:
            if path not in alike and "format" not in self.given:
                yield from self._unlike(path, settings)

    def _unlike(self, path: str, settings: Mapping[str, Any]) -> Iterator[str]:
        """Which settings of the training files do not apply to a file of another format."""
        own = self.of(path)
        form = format_of(path, own)
        lost = {name: value for name, value in settings.items() if getattr(own, name) != value}
        if lost:
            yield (
                f"{path}: read as {form} because of its ending, without {_options(lost)}, with "
                "which the training data were read"
            )
        if not own.header and form in TABLES:
            yield (
                f"{path}: read without a header, as the training data were; add --header if it has "
                "one"
            )

    @property
    def _is_numbered(self) -> bool:
        """Whether the text columns are named by number."""
        return all(name.isdecimal() for name in self.kept.text)

    def _is_utf8(self, path: str) -> bool:
        """Whether a file is UTF-8 (and not pure ASCII) although the training data were not."""
        if self.kept.encoding == DEFAULTS.encoding or not Path(path).is_file():
            return False
        try:
            with open_bytes(path) as file:
                head = file.read(HEAD)
        except (BoostextError, OSError, EOFError):
            return False  # the reader of the file reports the error
        cut = head[: head.rfind(b"\n") + 1] or head
        try:
            return not cut.isascii() and bool(cut.decode("utf-8"))
        except UnicodeDecodeError:
            return False


def _by_ending(ending: str) -> str:
    """The format that an ending determines; "" for .txt, stdin and unknown endings."""
    if ending == FOLDER:
        return "folders"
    return "" if ENDINGS.get(ending) == "txt" else ENDINGS.get(ending, "")


def _reading_settings(settings: DataSettings) -> dict[str, Any]:
    """The settings about how files are written that differ from the defaults."""
    values = {name: getattr(settings, name) for name in WRITTEN}
    return {name: value for name, value in values.items() if value != getattr(DEFAULTS, name)}


def _options(values: Mapping[str, Any]) -> str:
    declared = {field.name: field for field in DataSettings.options()}
    words = (fields.option_words(declared[name], value) for name, value in values.items())
    return shlex.join(word for option in words for word in option)


def _some(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
