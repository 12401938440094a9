"""Which terms stay, and what to say when none does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boostext.arrays import Int64
from boostext.errors import BoostextError, DataError, SettingsError
from boostext.features.terms import Terms, most_documents
from boostext.settings import TextSettings


def select(fields: Sequence[Terms], settings: TextSettings, documents: int) -> list[Int64]:
    """For each field the numbers of its lists of conditions to keep, ascending.

    Terms by max_df, then the max_terms most frequent over all fields (ties: the first). Of a term's
    counts those whose documents are some, and not those of the count before.
    """
    most = most_documents(settings, documents)
    kept = [np.flatnonzero(terms.frequency <= most) for terms in fields]
    if settings.max_terms:
        kept = _most_frequent(fields, kept, settings.max_terms)
    return [
        _conditions(terms, t, len(settings.counts)) for terms, t in zip(fields, kept, strict=True)
    ]


def _most_frequent(fields: Sequence[Terms], kept: list[Int64], count: int) -> list[Int64]:
    frequency = [terms.frequency[t] for terms, t in zip(fields, kept, strict=True)]
    best = np.argsort(-np.concatenate(frequency), kind="stable")[:count]
    stays = np.zeros(sum(map(len, kept)), bool)
    stays[best] = True
    parts = np.split(stays, np.cumsum([len(t) for t in kept])[:-1])
    return [t[part] for t, part in zip(kept, parts, strict=True)]


def _conditions(terms: Terms, kept: Int64, counts: int) -> Int64:
    sizes = np.diff(terms.conditions.starts).reshape(-1, counts)[kept]  # (terms, counts)
    fresh = sizes > 0
    fresh[:, 1:] &= sizes[:, 1:] != sizes[:, :-1]
    lists = kept[:, None] * counts + np.arange(counts)
    return np.asarray(lists[fresh], np.int64)


def nothing_left(
    fields: Sequence[Terms], settings: TextSettings, documents: int, path: str
) -> BoostextError:
    """What was there after each filter: `tokens 12 -> different tokens 8 -> min-df 2: 0 terms`."""
    if not documents:
        return DataError(path, 0, "no documents; expected at least one")
    tokens = sum(terms.tokens for terms in fields)
    least = sum(map(len, fields))
    most = most_documents(settings, documents)
    frequent = sum(int((terms.frequency <= most).sum()) for terms in fields)
    steps = [f"documents {documents}", f"tokens {tokens}"]
    if not tokens:
        hint = "no text has a token (see the text fields, token-pattern and stop-words)"
        return DataError(path, 0, f"nothing to learn from: {' -> '.join(steps)}; {hint}")
    steps += [
        f"different tokens {sum(terms.distinct for terms in fields)}",
        f"terms with min-df {settings.min_df}: {least}",
        f"with max-df {settings.max_df}: {frequent}",
        f"with counts {','.join(map(str, settings.counts))}: 0",
    ]
    return SettingsError(f"no terms are left: {' -> '.join(steps)}; loosen the first that gives 0")
