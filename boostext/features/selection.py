"""Select the terms to keep, and explain why if none is left."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Int64
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.features.terms import Terms, most_documents
from boostext.settings import TextSettings


def select(
    fields: Mapping[str, Terms], settings: TextSettings, documents: int
) -> list[NDArray[np.bool_]]:
    """Return, for each field, which of its lists of conditions to keep.

    Terms are filtered by max_df and drop; then the max_terms most frequent over all fields are
    kept, and ties go to the first. A count of a term is kept if some documents reach it, and fewer
    documents than reach the next lower count.
    """
    own = [settings.of_field(name) for name in fields]
    kept = [
        _undropped(terms, each, _frequent(terms, each, documents))
        for terms, each in zip(fields.values(), own, strict=True)
    ]
    found = tuple(fields.values())
    if settings.max_terms:
        kept = _most_frequent(found, kept, settings.max_terms)
    return [
        _conditions(terms, t, len(settings.counts)) for terms, t in zip(found, kept, strict=True)
    ]


def _frequent(terms: Terms, settings: TextSettings, documents: int) -> Int64:
    return np.flatnonzero(terms.frequency <= most_documents(settings, documents))


def _undropped(terms: Terms, settings: TextSettings, kept: Int64) -> Int64:
    """Remove terms that `drop` matches; their words are joined by #, and gaps are written as ?."""
    if not settings.drop:
        return kept
    pattern = re.compile(settings.drop)
    spelled = ("#".join(token or "?" for token in terms.spell(int(t))) for t in kept)
    stays = np.fromiter((not pattern.search(term) for term in spelled), np.bool_, len(kept))
    return kept[stays]


def _most_frequent(fields: Sequence[Terms], kept: list[Int64], count: int) -> list[Int64]:
    pairs = list(zip(fields, kept, strict=True))
    which = np.repeat(np.arange(len(fields)), [len(t) for t in kept])
    order = np.concatenate([terms.order[t] for terms, t in pairs])
    frequency = np.concatenate([terms.frequency[t] for terms, t in pairs])
    stays = np.zeros(len(which), np.bool_)
    stays[np.lexsort((order, which, -frequency))[:count]] = True
    return [t[stays[which == f]] for f, t in enumerate(kept)]


def _conditions(terms: Terms, kept: Int64, counts: int) -> NDArray[np.bool_]:
    stays = np.zeros(len(terms), np.bool_)
    stays[kept] = True
    chosen = np.zeros(len(terms.listed), np.bool_)
    for first in range(0, len(chosen), PIECE):
        some = slice(first, first + PIECE)
        chosen[some] = stays[terms.listed[some] // counts]
    return chosen


PIECE = 1 << 16
"""Number of lists that are selected at a time."""
SYMBOLS = "emoji and punctuation count with --punctuation"


def _hint(settings: Sequence[TextSettings]) -> str:
    """Suggest the setting that is most likely to produce tokens."""
    if any(each.token_pattern for each in settings):
        return "mend --token-pattern, or see --text for the fields that are read"
    words = all(each.analyzer == "word" and not each.punctuation for each in settings)
    hints = [SYMBOLS] if words else []
    if any(each.stop_words for each in settings):
        hints.append("--stop-words may name all there is")
    return "; ".join([*hints, "--text names the fields that are read"])


def nothing_left(
    fields: Mapping[str, Terms], settings: TextSettings, documents: int, path: str
) -> BoostextError:
    """List what each filter left: `tokens 12 -> different tokens 8 -> min-df 2: 0 terms`."""
    if not documents:
        return BoostextError("the data holds no documents; expected one at least")
    found = tuple(fields.values())
    own = [settings.of_field(name) for name in fields]
    frequent = [_frequent(t, each, documents) for t, each in zip(found, own, strict=True)]
    any_drop = any(each.drop for each in own)
    undropped = map(_undropped, found, own, frequent)
    tokens = sum(terms.tokens for terms in found)
    steps = [f"documents {documents}", f"tokens {tokens}"]
    if not tokens:
        hint = f"no text has a token; {_hint(own)}"
        return DataError(path, 0, f"nothing to learn from: {' -> '.join(steps)}; {hint}")
    steps += [
        f"different tokens {sum(terms.distinct for terms in found)}",
        f"terms with min-df {settings.min_df}: {sum(map(len, found))}",
        f"with max-df {settings.max_df}: {sum(map(len, frequent))}",
        *([f"without drop: {sum(map(len, undropped))}"] if any_drop else []),
        f"with counts {','.join(map(str, settings.counts))}: 0",
    ]
    return SettingsError(f"no terms are left: {' -> '.join(steps)}; loosen the first that gives 0")
