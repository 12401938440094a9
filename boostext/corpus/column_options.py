"""The options of a text column in a .names file, such as expert_type=ngram, and their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from boostext.corpus.roles import shown
from boostext.settings import TextSettings

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
