"""The rules by which a condition is chosen in a round, which are the same in every engine.

Among the eligible conditions, the one with the largest gain x preference is chosen. If several are
within TIE of the largest, the first in the order of FeatureMatrix is chosen. A condition with a
preference of 0 is never chosen.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostext.arrays import Float64, Int32, Int64
from boostext.features.matrix import FeatureMatrix
from boostext.settings import BoostingSettings

TIE = 1e-12
"""Gains that differ by less than this count as equal; the total weight is 1."""
LEAST_GAIN = 1e-11
"""A rule is learned only if its gain is larger than this."""


class Choice(NamedTuple):
    """The chosen condition.

    condition: its number in the order of FeatureMatrix. gain: without smoothing or preference.
    """

    condition: int
    gain: float


class Candidates(NamedTuple):
    """The numbers of conditions in ascending order, and their values, gain x preference."""

    numbers: Int32
    values: Float64


class Eligible(NamedTuple):
    """The conditions that may be chosen in a round: a random share of all, drawn with a key.

    See `eligible`.
    """

    key: int
    share: float


def first_of_best(values: Float64, preference: Float64 | None = None) -> int:
    """Return the index of the first value, gain x preference, within TIE of the largest.

    preference: 1 by default. TIE applies to gains, so it is multiplied by the preference of the
    best condition before values are compared.
    """
    best = int(np.argmax(values))
    scale = 1.0 if preference is None else preference[best]
    return int(np.argmax(values >= values[best] - TIE * scale))


class Preferences:
    """The factors that the gains of conditions are multiplied by, which decrease with their use.

    values: (n,), 0 for a condition that may not be chosen. The array is changed in place for
    conditions that are chosen, and replaced by another array if other values change.
    limited: the factors of conditions whose votes have a range. Engines do not search these, so
    they are 0 in `values`.
    """

    def __init__(self, values: Float64, settings: BoostingSettings) -> None:
        self.values, self._first = values, values.copy()
        self._settings, self._chosen = settings, set[int]()
        self.limited: dict[int, float] = {}

    def limit(self, conditions: Collection[int]) -> None:
        """Move conditions from `values` to `limited`, so that engines do not search them."""
        self.limited = {j: float(self.values[j]) for j in sorted(conditions)}
        self.forbid(conditions)

    def forbid(self, conditions: Collection[int]) -> None:
        """Exclude conditions from the choice in all rounds."""
        self.values[list(conditions)] = self._first[list(conditions)] = 0.0

    def keep_only(self, conditions: Collection[int]) -> None:
        """Exclude all other conditions from the choice in all rounds."""
        kept = np.zeros(len(self.values), np.bool_)
        kept[numbers := list(conditions)] = True
        self.values, self._first = (np.where(kept, old, 0.0) for old in (self.values, self._first))
        self.limited = {j: like for j, like in self.limited.items() if j in set(numbers)}

    def chosen(self, condition: int, factor: float) -> None:
        """Record that a condition was chosen, and multiply its preference by a factor.

        If the number of different conditions is limited and has been reached, all others are
        excluded.
        """
        if factor != 1:
            self.values[condition] *= factor
            if condition in self.limited:
                self.limited[condition] *= factor
        if condition in self._chosen:
            return
        self._chosen.add(condition)
        if len(self._chosen) == self._settings.terms:
            self.keep_only(self._chosen)

    def at_first(self, count: int) -> Preferences:
        """Return the preferences of the first `count` conditions before any was chosen.

        If the number of different conditions is limited, only those that were chosen are included.
        """
        found = Preferences(self._first, self._settings)
        chosen = self._chosen if self._settings.terms else range(count)
        found.keep_only([j for j in chosen if j < count])
        return found


class Preferred:
    """The preference in the form that kernels use: one number if it is equal for all conditions."""

    def __init__(self) -> None:
        self._last: tuple[Float64, float, Float64] | None = None

    def of(self, preference: Float64, chosen: int) -> tuple[Float64, float]:
        """Return the preference, (n,) or (1,) if all values are equal, and its largest value.

        chosen: the condition of the last rule, or -1 before the first.
        """
        last = self._last
        if last is None or last[0] is not preference:
            greatest = max(float(preference.max(initial=0.0)), 1e-300)
            alike = bool((preference == greatest).all())
            last = preference, greatest, np.array([greatest]) if alike else preference
        elif len(last[2]) == 1 and chosen >= 0 and preference[chosen] != last[1]:
            last = preference, last[1], preference
        self._last = last
        return last[2], last[1]


def preferences(document_frequencies: Int64, m: int, rarity: float) -> Float64:
    """Return (ln(m / df) / the largest ln(m / df))^p for each condition, or 1 if p is 0.

    m is the number of documents, df the document frequency of a condition, and p is `rarity`.
    """
    if rarity == 0:
        return np.ones(len(document_frequencies))
    rareness = np.log(m / np.maximum(document_frequencies, 1))
    greatest = max(float(rareness.max(initial=0.0)), 1e-300)
    return np.asarray((rareness / greatest) ** rarity)


def round_draw(settings: BoostingSettings, number: int) -> Eligible:
    """Return the eligible conditions of a round: a random share, `term_fraction`, of all."""
    if settings.term_fraction >= 1:
        return Eligible(0, 1.0)
    key = int(mix(np.array([settings.seed * 0x100000001 + number], np.uint64))[0])
    return Eligible(key, settings.term_fraction)


def eligible(draw: Eligible, conditions: Int32 | Int64) -> NDArray[np.bool_]:
    """Return a mask of the given conditions that may be chosen.

    The draw hashes the number of a condition with the key of the round, so that an engine can
    compute it for any single condition.
    """
    if draw.share >= 1:
        return np.ones(len(conditions), np.bool_)
    hashed = mix(conditions.astype(np.uint64) ^ np.uint64(draw.key))
    return np.asarray((hashed >> np.uint64(11)) * 2.0**-53 < draw.share)


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hash of each number by the finalizer of SplitMix64 (Steele, Lea & Flood 2014)."""
    with np.errstate(over="ignore"):
        x = (x + np.uint64(0x9E3779B97F4A7C15)) & np.uint64(0xFFFFFFFFFFFFFFFF)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def document_frequencies(features: FeatureMatrix) -> Int64:
    """Return the number of documents for which each listed condition holds."""
    return np.diff(features.yes.starts)
