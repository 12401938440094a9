"""Random sentences from a small grammar file; the same ones on every Python and platform."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Grammar = Mapping[str, Sequence[str]]

_INNERMOST = re.compile(r"\[([^\[\]{}]*)\]|\{([^\[\]{}]*)\}")


def read_grammar(path: Path) -> Grammar:
    """`name:` at the margin opens a list; each indented line below is one of its alternatives."""
    grammar: dict[str, list[str]] = {}
    alternatives: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            alternatives.append(line.strip())
        else:
            alternatives = grammar.setdefault(line.strip().removesuffix(":"), [])
    return grammar


def pick(rng: random.Random, items: Sequence[str]) -> str:
    # subtle: only random() gives the same numbers in every version of Python
    return items[int(rng.random() * len(items))]


def pick_weighted(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One key, as often as its weight says."""
    left = rng.random() * sum(weights.values())
    for key, weight in weights.items():
        left -= weight
        if left < 0:
            return key
    return key


def expand(rng: random.Random, grammar: Grammar, name: str) -> str:
    """One sentence of the list `name`: `{list}` and `[a|b|]` replaced, innermost first."""
    text = pick(rng, grammar[name])
    while match := _INNERMOST.search(text):
        inline, reference = match.groups()
        chosen = pick(rng, inline.split("|") if reference is None else grammar[reference])
        text = text[: match.start()] + chosen + text[match.end() :]
    return " ".join(text.split())
