"""Declare settings, read them from text, write them as text, and check them.

The kind of a field follows from its default: bool, int, float, str, or a tuple of strings. `parse`
names a function in PARSERS for values with a notation of their own ("1-3", "1,2,5", "1/m").
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from boostext.errors import DataError, SettingsError

SMOOTHINGS = ("1/m", "ss99", "bt00")
SHARE_OF_M = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,6})?)/m")
WORD_FILE_LIMIT = 16 * 1024 * 1024


def setting(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] = (),
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    parse: str = "",
    flags: Mapping[str, str] | None = None,
    negative: bool = False,
    hidden: bool = False,
) -> Any:
    """Declare a field with its help text, its choices, and its minimum, maximum or lower bound.

    parse: a name in PARSERS, for values written as text ("1-3", "1,2,5", "1/m").
    flags: option -> value, for a choice that is made with flags (`--sparse`).
    negative: the option also has a `--no-` form.
    hidden: there is no option and no key in config files, because the library sets the field.
    """
    metadata = {
        "help": help,
        "choices": tuple(choices),
        "low": low,
        "high": high,
        "above": above,
        "parse": parse,
        "flags": dict(flags or {}),
        "negative": negative,
        "hidden": hidden,
    }
    return dataclasses.field(default=default, metadata=metadata)


# Values that are written as text -------------------------------------------------------------


def ngram_range(text: str) -> tuple[int, int]:
    """ "1-3" gives (1, 3); "2" gives (1, 2)."""
    match = re.fullmatch(r"\s*([0-9]{1,9})(?:\s*-\s*([0-9]{1,9}))?\s*", text)
    if not match:
        raise SettingsError(f"ngrams is {text!r}; expected a length like 2 or a range like 1-3")
    first, last = match.groups()
    return (int(first), int(last)) if last else (1, int(first))


def integers(text: str) -> tuple[int, ...]:
    """ "1,2,3,5,8" gives (1, 2, 3, 5, 8)."""
    if not re.fullmatch(r"\s*[0-9]{1,9}(\s*,\s*[0-9]{1,9})*\s*", text):
        raise SettingsError(f"{text!r} is not a list of {WANTED['integers']}")
    return tuple(int(part.strip()) for part in text.split(","))


def round_number(text: str) -> int:
    """An integer of 1 or more; "auto" gives 0."""
    if text == "auto":
        return 0
    if not re.fullmatch(r"[-+]?[0-9]{1,9}", text):
        raise SettingsError(f"rounds is {text!r}; expected {WANTED['rounds']}")
    if int(text) < 1:
        raise SettingsError(f"rounds is {text}; it must be 1 or more, or auto")
    return int(text)


def label_factor(text: str) -> tuple[str, float]:
    """ "spam=2.5" gives ("spam", 2.5); a label may itself contain an equals sign."""
    label, equals, factor = text.rpartition("=")
    if not equals or not re.fullmatch(r"[0-9]{1,99}(\.[0-9]*)?|\.[0-9]+", factor):
        raise SettingsError(f"class-weight is {text!r}; expected LABEL=FACTOR, as in spam=2.5")
    return label, float(factor)


def condition_of(text: str) -> tuple[str, str, str]:
    """ "answer!=reject" gives ("answer", "!=", "reject"); the value may be empty."""
    match = re.fullmatch(r"(.*?[^!])(!?=)(.*)", text, re.DOTALL)
    if not match:
        raise SettingsError(
            f"where is {text!r}; expected FIELD=VALUE or FIELD!=VALUE, as in answer=accept"
        )
    return match[1], match[2], match[3]


def goal_of(text: str) -> tuple[str, float]:
    """ "f2" gives ("f", 2.0); "precision=0.9" ("precision", 0.9); "micro-f1" ("micro-f1", 1.0)."""
    if text == "micro-f1":
        return text, 1.0
    match = re.fullmatch(r"(f|precision=)([0-9]{1,3}(?:\.[0-9]{1,9})?)", text)
    name, number = (match[1].rstrip("="), float(match[2])) if match else ("", 0.0)
    if number <= 0 or (name == "precision" and number > 1):
        raise SettingsError(
            f"tune-thresholds is {text!r}; expected micro-f1, f1, f2, f0.5 or the like, or "
            "precision=0.9"
        )
    return name, number


def smoothing(text: str) -> float | str:
    """Read one of SMOOTHINGS, a share such as 0.2/m, or a number of 0 or more."""
    if text in SMOOTHINGS or SHARE_OF_M.fullmatch(text):
        return text
    value = _number(text)
    if value is None or value < 0:
        raise SettingsError(
            f"smoothing is {text!r}; expected a number of 0 or more, a share like 0.2/m, or one of "
            + ", ".join(SMOOTHINGS)
        )
    return value


def number_or_auto(text: str) -> float | str:
    """Read a number of 0 or more, or "auto"."""
    value = _number(text)
    if text == "auto" or (value is not None and value >= 0):
        return text if value is None else value
    raise SettingsError(f"{text!r} is neither a number of 0 or more nor auto")


def frequency(text: str) -> int | float:
    """Read an integer as a number of documents; with a point or exponent, as a share up to 1."""
    if re.fullmatch(r"\s*[0-9]{1,12}\s*", text):
        return int(text.strip())
    value = _number(text)
    if value is None or not 0 <= value <= 1:
        raise SettingsError(
            f"{text!r} is neither a whole number of documents nor a share like 0.5 of them"
        )
    return value


def word_file(path: str) -> tuple[str, ...]:
    """Read a UTF-8 file with one word per line, without blank lines and duplicates."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(WORD_FILE_LIMIT + 1)
    except OSError as error:
        raise DataError(path, 0, f"cannot read the word file: {error.strerror}") from None
    if len(content) > WORD_FILE_LIMIT:
        raise DataError(path, 0, "more than 16 MB; expected a list of words, one a line")
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(path, line, "not UTF-8; expected a list of words, one a line") from None
    return tuple(dict.fromkeys(word for line in lines if (word := line.strip())))


def _number(text: str) -> float | None:
    """Return a finite decimal number, or None if the text is not one."""
    if not re.fullmatch(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,4})?\s*", text):
        return None
    value = float(text.strip())
    return value if math.isfinite(value) else None


MOST = 10**9
"""The greatest number of an option that counts something."""


def finite(
    name: str, low: float | None = None, high: float | None = None
) -> Callable[[str | float], float]:
    """Return a reader of finite numbers from `low` to `high`, for an option that is no setting.

    click's own types of numbers let nan through, which is outside no range.
    """
    least, most = (-math.inf if low is None else low), (math.inf if high is None else high)
    wanted = "a number" if low is None else f"a number from {low} to {high}"

    def read(text: str | float) -> float:
        value = _number(str(text))
        if value is None or not least <= value <= most:
            raise SettingsError(f"{name} is {text!r}; expected {wanted}")
        return value

    return read


PARSERS: dict[str, Callable[[str], Any]] = {
    "ngram_range": ngram_range,
    "integers": integers,
    "smoothing": smoothing,
    "frequency": frequency,
    "word_file": word_file,
    "rounds": round_number,
    "number_or_auto": number_or_auto,
}
"""For each notation, the function that reads it."""

WANTED = {
    "flag": "true or false",
    "int": "a whole number of at most 18 digits",
    "float": "a number",
    "text": "text",
    "texts": "text, or a list of texts",
    "ngram_range": "a length like 2 or a range like 1-3",
    "integers": "whole numbers of at most 9 digits like 1,2,3,5,8",
    "smoothing": "a number, 1/m, 0.2/m or the like, ss99 or bt00",
    "frequency": "a number of documents or a share like 0.5",
    "rounds": "a whole number up to 999,999,999, or auto",
    "word_file": "a file name, or a list of words",
    "number_or_auto": "a number of 0 or more, or auto",
}
"""For each kind, the expected value as messages describe it."""


def kind(field: dataclasses.Field[Any]) -> str:
    """Return a key of WANTED: the field's notation, or its type."""
    if field.metadata["parse"]:
        return str(field.metadata["parse"])
    by_type = {bool: "flag", int: "int", float: "float", str: "text", tuple: "texts"}
    return by_type[type(field.default)]


def option_name(field: dataclasses.Field[Any]) -> str:
    """Return the name that users write: `valid-fraction` for `valid_fraction`."""
    return field.name.replace("_", "-")


def from_text(field: dataclasses.Field[Any], text: str) -> Any:
    """Return the value of a text. Raises SettingsError, which names the setting and valid values.

    For a field of several strings the result is one string; the caller collects them.
    """
    value = _read(field, kind(field), text)
    check_value(field, value)
    return value


def _read(field: dataclasses.Field[Any], name: str, text: str) -> Any:
    if name in PARSERS:
        return PARSERS[name](text)
    if name == "flag" and text in ("true", "false"):
        return text == "true"
    if name == "int" and re.fullmatch(r"[-+]?[0-9]{1,18}", text):
        return int(text)
    if name == "float" and (value := _number(text)) is not None:
        return value
    if name in ("text", "texts"):
        return text
    raise SettingsError(f"{option_name(field)} is {text!r}; expected {WANTED[name]}")


def from_python(field: dataclasses.Field[Any], value: Any) -> Any:
    """Return the value of an argument in Python: unchanged, or read if it is text.

    Numbers and arrays of NumPy, a list for a tuple, one length for `ngrams`, and a mapping from
    labels for strings of the form LABEL=VALUE are accepted as well.
    """
    if hasattr(value, "dtype"):  # NumPy's, which need not be imported to tell
        value = value.tolist()
    if isinstance(value, Mapping) and kind(field) == "texts":
        return tuple(f"{label}={_spelled(part)}" for label, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(part.tolist() if hasattr(part, "dtype") else part for part in value)
    if type(value) is int and kind(field) in ("ngram_range", "integers"):
        value = str(value)
    if not isinstance(value, str):
        return value
    read = from_text(field, value)
    return (read,) if kind(field) == "texts" else read


def _spelled(value: Any) -> str:
    """Return a number as decimal text without an exponent; other values as str."""
    if hasattr(value, "dtype"):
        value = value.tolist()
    is_number = isinstance(value, int | float) and math.isfinite(value)
    return format(Decimal(repr(value)), "f") if is_number else str(value)


def count(number: int, noun: str) -> str:
    """Return a number with a noun: `1 rule`, `1,200 rules`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """ "0:07", "12:34" or "3:00:00"."""
    whole = int(min(seconds, 359_999))
    hours, minutes = divmod(whole // 60, 60)
    return (f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{whole % 60:02}"


def nearest(name: str, known: Sequence[str]) -> str:
    """Return `, did you mean NAME?`, or "" if no known name is similar."""
    near = difflib.get_close_matches(name, known, 1)
    return f", did you mean {near[0]!r}?" if near else ""


def unknown_settings(names: Sequence[str], known: Sequence[str]) -> SettingsError:
    """Return an error that names all unknown settings, each with the most similar known one."""
    listed = (f"{name}{nearest(name, known)}" for name in names)
    return SettingsError(f"unknown settings: {'; '.join(listed)}")


def to_plain(field: dataclasses.Field[Any], value: Any) -> Any:
    """Return the value as in a config file, the inverse of reading it from there."""
    if kind(field) == "ngram_range":
        return f"{value[0]}-{value[1]}"
    if kind(field) == "rounds":
        return value or "auto"
    return list(value) if isinstance(value, tuple) else value


def option_words(field: dataclasses.Field[Any], value: Any) -> Iterator[str]:
    """Yield the option and its value as words of a command line; lists repeat the option."""
    name = option_name(field)
    if isinstance(value, bool):
        yield f"--{name}" if value else f"--no-{name}"
    elif kind(field) == "texts":
        for item in value:
            yield from (f"--{name}", item)
    elif kind(field) == "word_file":
        yield from (f"--{name}", f"({len(value)} words)")
    elif kind(field) == "integers":
        yield from (f"--{name}", ",".join(map(str, value)))
    else:
        yield from (f"--{name}", str(to_plain(field, value)))


def check_value(field: dataclasses.Field[Any], value: Any) -> None:
    """Raise SettingsError if the value is not one of the choices or is out of range."""
    meta = field.metadata
    name = option_name(field)
    if meta["choices"] and value not in meta["choices"]:
        raise SettingsError(f"{name} is {value!r}; expected one of {', '.join(meta['choices'])}")
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if number != number:
            raise SettingsError(f"{name} is not a number")
        if isinstance(number, int) and number.bit_length() > 63:
            raise SettingsError(f"{name} has more than 18 digits; expected a smaller number")
        if meta["low"] is not None and number < meta["low"]:
            raise SettingsError(f"{name} is {number}; it must be {meta['low']} or more")
        if meta["high"] is not None and number > meta["high"]:
            raise SettingsError(f"{name} is {number}; it must be {meta['high']} or less")
        if meta["above"] is not None and number <= meta["above"]:
            raise SettingsError(f"{name} is {number}; it must be above {meta['above']}")


def check_type(field: dataclasses.Field[Any], value: Any) -> None:
    """Raise SettingsError if a value from Python or from a model file has the wrong type.

    A string for a field of several strings is an error, because its letters would be the values.
    """
    allowed: dict[str, tuple[type, ...]] = {
        "flag": (bool,),
        "int": (int,),
        "float": (int, float),
        "text": (str,),
        "texts": (tuple,),
        "ngram_range": (tuple,),
        "integers": (tuple,),
        "smoothing": (int, float, str),
        "frequency": (int, float),
        "word_file": (tuple,),
        "rounds": (int,),
        "number_or_auto": (int, float, str),
    }
    name = kind(field)
    item = int if name in ("ngram_range", "integers") else str
    wrong = not isinstance(value, allowed[name])
    wrong |= isinstance(value, bool) and name != "flag"
    wrong |= isinstance(value, tuple) and not all(type(part) is item for part in value)
    wrong |= name == "ngram_range" and isinstance(value, tuple) and len(value) != 2
    if wrong:
        raise SettingsError(f"{option_name(field)} is {value!r}; expected {WANTED[name]}")
    if name in ("smoothing", "number_or_auto") and isinstance(value, str):
        PARSERS[name](value)


class Group:
    """The base class of groups of settings, which checks them and converts them to plain data."""

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise SettingsError at the first value of a wrong type or out of its range."""
        for field in self.fields():
            check_type(field, getattr(self, field.name))
            check_value(field, getattr(self, field.name))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can represent them: tuples become lists."""
        pairs = ((f.name, getattr(self, f.name)) for f in self.fields())
        return {name: list(v) if isinstance(v, tuple) else v for name, v in pairs}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`. Raises SettingsError for unknown names."""
        unknown = sorted(set(values) - {f.name for f in cls.fields()})
        if unknown:
            raise SettingsError(f"unknown settings: {', '.join(unknown)}")
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})

    @classmethod
    def fields(cls) -> Iterator[dataclasses.Field[Any]]:
        yield from dataclasses.fields(cls)  # type: ignore[arg-type]

    @classmethod
    def options(cls) -> Iterator[dataclasses.Field[Any]]:
        """Yield the fields that users can set on the command line and in config files."""
        return (field for field in cls.fields() if not field.metadata["hidden"])
