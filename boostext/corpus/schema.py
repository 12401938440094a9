"""The .names file of BoosTexter, icsiboost and C4.5: the labels, and what each column holds.

| a comment
billing, moved house.
text: text: expert_type=ngram expert_length=2.
minutes: continuous.
region: north, south.
clerk: ignore.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from boostext.corpus.files import numbered_lines
from boostext.corpus.roles import shown
from boostext.corpus.sources import BadRecords, Source
from boostext.errors import BoostextError, ModelError, SettingsError
from boostext.settings import DataSettings, TextSettings

TEXT, CONTINUOUS, NOMINAL, SCORED = "text", "continuous", "nominal", "scored text"
IGNORED = "ignore"
"""The type of columns that are ignored."""
NAMED_TYPES = (TEXT, CONTINUOUS, IGNORED, SCORED)
UNKNOWN = "?"
UP_TO_COMMA = re.compile(r"(?:[^\\,]|\\.|\\$)*", re.DOTALL)


@dataclass(frozen=True)
class Column:
    """The description of a column.

    kind: text, continuous, nominal, ignore or scored text. values: those of a nominal column.

    options: pairs as written after the second colon, such as ("expert_length", "2").
    """

    name: str
    kind: str
    values: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Schema:
    """The content of a .names file. labels: in its order, as are the votes in a .shyp file."""

    labels: tuple[str, ...]
    columns: tuple[Column, ...]

    def texts(self) -> tuple[str, ...]:
        """Names of the text columns."""
        return tuple(column.name for column in self.columns if column.kind == TEXT)


# Reading -------------------------------------------------------------------------------------


def read_schema(path: str, settings: DataSettings) -> Schema:
    """Read a schema from a file; DataError gives the line of an error."""
    source = Source(path, path, BadRecords())
    return parse_schema(_texts(source, settings), source.fault, settings.names_dialect)


def _texts(source: Source, settings: DataSettings) -> Iterator[tuple[int, str]]:
    for number, text, error in numbered_lines(source, settings):
        if error:
            raise error
        yield number, text


def parse_schema(
    lines: Iterable[tuple[int, str]], fault: Callable[[int, str], BoostextError], dialect: str
) -> Schema:
    """Parse a schema from numbered lines. fault: (line, message) -> the exception to raise."""
    labels: tuple[str, ...] | None = None
    columns: dict[str, Column] = {}
    for number, text in lines:
        line = _content(text, dialect)
        try:
            if not line:
                continue
            if labels is None:
                labels = _listed(line, dialect, "label")
                continue
            column = parse_column(line, dialect)
            if column.name in columns:
                raise ValueError(f"the column {shown(column.name)} is declared twice")
            columns[column.name] = column
        except ValueError as error:
            raise fault(number, str(error)) from None
    if labels is None:
        raise fault(0, "no labels; expected them in the first line, separated by commas")
    if not columns:
        raise fault(0, "no columns; expected lines like `text: text.` after the labels")
    return Schema(labels, tuple(columns.values()))


def _content(text: str, dialect: str) -> str:
    """The content of a line without comment, outer white space and final dot."""
    line = text.strip()
    if dialect == "jboost":
        line = re.split(r"(?:^|\s)//", line, maxsplit=1)[0].strip()
    return "" if line.startswith("|") else without_dot(line, dialect)


def without_dot(text: str, dialect: str) -> str:
    """The text without its final dot, which is optional, and the spaces before it."""
    if not text.endswith(".") or (dialect == "jboost" and _ends_escaped(text[:-1])):
        return text
    return text[:-1].rstrip()


def _ends_escaped(text: str) -> bool:
    """Whether the text ends with a backslash that escapes what follows."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def split_commas(text: str, dialect: str) -> list[str]:
    """The parts between commas, unchanged. In the jboost dialect a backslash escapes a comma."""
    if dialect != "jboost" or "\\" not in text:
        return text.split(",")
    parts, at = [], 0
    while at <= len(text):
        part = UP_TO_COMMA.match(text, at)
        assert part is not None  # it also matches the empty string
        parts.append(part[0])
        at = part.end() + 1
    return parts


def value_of(part: str, dialect: str) -> str:
    """The value of a part, without outer white space."""
    return unescaped(part) if dialect == "jboost" else part.strip()


def unescaped(text: str) -> str:
    """Resolve escapes: `3\\.14` gives `3.14`. White space at the ends is removed unless escaped."""
    text = text.lstrip()
    bare = text.rstrip()
    if _ends_escaped(bare):
        bare = text[: len(bare) + 1]
    return re.sub(r"\\(.)", r"\1", bare, flags=re.DOTALL)


def escaped(text: str) -> str:
    """The inverse of `unescaped`."""
    text = re.sub(r"([\\,.:|])|(?<=/)(/)", r"\\\1\2", text)
    return re.sub(r"^\s|\s$", r"\\\g<0>", text)


def _listed(line: str, dialect: str, what: str) -> tuple[str, ...]:
    """Parse labels or nominal values, which must be distinct."""
    values = [value_of(part, dialect) for part in split_commas(line, dialect)]
    times = Counter(values)
    for value in values:
        if not value:
            raise ValueError(f"an empty {what}; expected {what}s separated by commas")
        if times[value] > 1:
            raise ValueError(f"the {what} {shown(value)} occurs twice; expected each once")
    return tuple(values)


def parse_column(line: str, dialect: str = "boostexter") -> Column:
    """Parse the line of a column, without its final dot; ValueError describes an error in it."""
    name, colon, rest = _cut(line, dialect)
    if not colon or not name:
        raise ValueError(f"{shown(line)} is not a column; expected NAME: TYPE")
    kind, options = _kind_and_options(rest)
    named = " ".join(kind.lower().split())
    if named in NAMED_TYPES:
        return Column(name, named, options=options)
    if "," not in kind:
        near = difflib.get_close_matches(named, NAMED_TYPES, 1, 0.7)
        raise ValueError(
            f"column {shown(name)} has the type {shown(kind)}"
            + (f"; did you mean {near[0]}?" if near else "")
            + "; expected continuous, text, ignore, scored text, or at least two values"
        )
    return Column(name, NOMINAL, _listed(kind, dialect, "value"), options)


def _cut(line: str, dialect: str) -> tuple[str, str, str]:
    """The name before the first colon, the colon, and the text after it."""
    if dialect != "jboost":
        name, colon, rest = line.partition(":")
        return name.strip(), colon, rest.strip()
    match = re.match(r"((?:[^\\:]|\\.)*):(.*)$", line, re.DOTALL)
    return (unescaped(match[1]), ":", match[2].strip()) if match else (line, "", "")


def _kind_and_options(rest: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Split at the last colon if `key=value` pairs follow it; values may contain colons, too."""
    kind, colon, tail = rest.partition(":")
    kind = " ".join(kind.split())
    if kind.lower() not in NAMED_TYPES:
        kind, colon, tail = rest.rpartition(":")
        if not colon or not tail.strip() or any("=" not in part for part in tail.split()):
            return rest, ()
    return kind.strip(), tuple(_option(part) for part in tail.split())


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or key not in OPTIONS:
        raise ValueError(
            f"the column option {shown(text)} is not known; expected {', '.join(OPTIONS)}, "
            "each as key=value"
        )
    OPTIONS[key](value)
    return key, value


def with_columns(text: TextSettings, schema: Schema) -> TextSettings:
    """Add the settings of text columns that have their own options to the text settings.

    An option that is not given has the same value as for all columns. As in icsiboost, `drop` has
    no effect together with `no_unk`.
    """
    own = [
        f"{column.name}:{option}={value}"
        for column in schema.columns
        if column.kind == TEXT
        for option, value in own_settings(dict(column.options), text)
    ]
    return replace(text, per_field=(*own, *text.per_field))


# Writing -------------------------------------------------------------------------------------


def schema_lines(schema: Schema, dialect: str = "boostexter") -> tuple[str, ...]:
    """The lines of a .names file; SettingsError if the dialect cannot represent a name or value.

    This is the inverse of `parse_schema`, which is used to check that it reads the same schema.
    """
    write = escaped if dialect == "jboost" else str
    lines = [", ".join(map(write, schema.labels)) + "."]
    for column in schema.columns:
        kind = ", ".join(map(write, column.values)) if column.kind == NOMINAL else column.kind
        options = " ".join(f"{key}={value}" for key, value in column.options)
        lines.append(f"{write(column.name)}: {kind}{': ' if options else ''}{options}.")
    try:
        same = parse_schema(enumerate(lines, 1), _refused, dialect) == schema
    except SettingsError:
        same = False
    if not same or any("\n" in line or "\r" in line for line in lines):
        raise SettingsError(
            "a .names file cannot hold these labels, columns and values: they must not contain "
            "commas, names of columns no colons, and a column needs at least two values"
        )
    return tuple(lines)


def _refused(line: int, message: str) -> BoostextError:
    return SettingsError(message)


def kept_schema(settings: DataSettings) -> Schema | None:
    """The schema that a model keeps in its settings; None if there is none."""
    if not settings.schema:
        return None
    return parse_schema(enumerate(settings.schema, 1), _damaged, "jboost")


def _damaged(line: int, message: str) -> BoostextError:
    return ModelError(f"line {line} of the column description kept in the model: {message}")


def without_others(schema: Schema, attributes: Collection[str]) -> Schema:
    """The schema, with all columns ignored that are neither text nor one of these attributes."""
    columns = (
        column
        if column.kind == TEXT or column.name in attributes
        else replace(column, kind=IGNORED, values=())
        for column in schema.columns
    )
    return replace(schema, columns=tuple(columns))


def with_schema(settings: DataSettings, schema: Schema) -> DataSettings:
    """Settings that are sufficient to read stems with this schema."""
    kept = schema_lines(schema, "jboost")
    return replace(settings, schema=kept, text=schema.texts() or ("",), names="")


# Options of text columns ---------------------------------------------------------------------

EXPERTS = {"ngram": "ngram", "fgram": "full", "sgram": "icsi-sparse"}
"""icsiboost's name of a text expert -> the name in boostext."""
NO_UNK = r"(^|#)unk(#|$)"
"""Matches a term that contains the token `unk`."""


def _expert(value: str) -> str:
    if value not in EXPERTS:
        raise ValueError(f"expert_type is {shown(value)}; expected {', '.join(EXPERTS)}")
    return EXPERTS[value]


def _count(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise ValueError(f"{shown(value)} is not a whole number of 0 or more")
    return int(value)


def _window(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", value) or not 1 <= int(value) <= 32:
        raise ValueError(f"expert_length is {shown(value)}; expected a window of 1 to 32 words")
    return int(value)


def _regex(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"drop={value} is not a regular expression: {error}") from None
    return value


def _flag(value: str) -> bool:
    if value not in ("0", "1"):
        raise ValueError(f"no_unk is {shown(value)}; expected 0 or 1")
    return value == "1"


OPTIONS: dict[str, Callable[[str], object]] = {
    "expert_type": _expert,
    "expert_length": _window,
    "cutoff": _count,
    "drop": _regex,
    "no_unk": _flag,
}
"""option of a text column -> function that parses its value"""


def own_settings(given: Mapping[str, str], text: TextSettings) -> Iterator[tuple[str, str]]:
    """Convert the options of a column to its own settings, named as in TextSettings."""
    expert = _expert(given["expert_type"]) if "expert_type" in given else text.expert
    window = _window(given["expert_length"]) if "expert_length" in given else text.ngrams[1]
    if "expert_type" in given or "expert_length" in given:
        yield "expert", expert
        yield "ngrams", f"1-{window}"
    if "cutoff" in given:
        yield "min-df", given["cutoff"]
    if given.get("no_unk") == "1":  # icsiboost then ignores drop
        yield "drop", NO_UNK
    elif "drop" in given:
        yield "drop", given["drop"]
