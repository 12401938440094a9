"""What a round may choose, and which of equals it takes: the same in every engine.

A condition is chosen by gain x preference among the eligible; of those within TIE of the greatest,
the first in the order of FeatureMatrix. A preference of 0 closes a condition.
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
"""Gains (of a total weight of 1) that differ by less are equal."""
LEAST_GAIN = 1e-11
"""A condition must lower the bound by more than this to be worth a rule."""


class Choice(NamedTuple):
    """condition: number in the order of FeatureMatrix; gain: unsmoothed, without preference."""

    condition: int
    gain: float


class Candidates(NamedTuple):
    """Conditions, ascending, and their values: gain x preference."""

    numbers: Int32
    values: Float64


class Eligible(NamedTuple):
    """Condition j may be chosen in this round if `draw(key, j) < share`; see `eligible`."""

    key: int
    share: float


def first_of_best(values: Float64, preference: Float64 | None = None) -> int:
    """Index of the first value, gain x preference, within TIE of the greatest.

    preference: 1 unless said. TIE is of gains: where little is preferred any more, small values
    are no ties yet.
    """
    best = int(np.argmax(values))
    scale = 1.0 if preference is None else preference[best]
    return int(np.argmax(values >= values[best] - TIE * scale))


class Preferences:
    """The factor on each condition's gain, which falls as conditions are chosen.

    values: (n,), 0 closes a condition. The array is replaced as a whole where more changes than the
    values of conditions that were chosen since. limited: the factors of conditions whose votes are
    restrained, which no engine searches; in `values` they are closed.
    """

    def __init__(self, values: Float64, settings: BoostingSettings) -> None:
        self.values = values
        self._most, self._chosen = settings.terms, set[int]()
        self.limited: dict[int, float] = {}

    def limit(self, conditions: Collection[int]) -> None:
        """Let engines pass over these, which are `limited` from now on."""
        self.limited = {j: float(self.values[j]) for j in sorted(conditions)}
        self.forbid(conditions)

    def forbid(self, conditions: Collection[int]) -> None:
        """Close these for good."""
        self.values[list(conditions)] = 0.0

    def keep_only(self, conditions: Collection[int]) -> None:
        """Close all other conditions."""
        kept, numbers = np.zeros(len(self.values)), list(conditions)
        kept[numbers] = self.values[numbers]
        self.values = kept
        self.limited = {j: like for j, like in self.limited.items() if j in set(numbers)}

    def chosen(self, condition: int, factor: float) -> None:
        """Take in that a rule asks for the condition: it is preferred less, and may be the last."""
        self.values[condition] *= factor
        if condition in self.limited:
            self.limited[condition] *= factor
        if condition in self._chosen:
            return
        self._chosen.add(condition)
        if len(self._chosen) == self._most:
            self.keep_only(self._chosen)


class Asked(NamedTuple):
    """What rounds may choose: a share of the conditions; the greatest preference; what kernels look
    up, of all conditions or, where all are the same, of one.
    """

    share: float
    greatest: float
    preference: Float64


NOTHING = Asked(1.0, 1.0, np.ones(1))


class Preferred:
    """The preference as kernels look it up: one number where all conditions are preferred alike."""

    def __init__(self) -> None:
        self._last: tuple[Float64, float, Float64] | None = None

    def of(self, preference: Float64, chosen: int) -> tuple[Float64, float]:
        """(n,), or (1,) to spare the look-up; the greatest. chosen: condition of the last rule."""
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
    """rarity^p of each condition: (ln(m / df) / its greatest)^p; 1 for p = 0."""
    if rarity == 0:
        return np.ones(len(document_frequencies))
    rareness = np.log(m / np.maximum(document_frequencies, 1))
    greatest = max(float(rareness.max(initial=0.0)), 1e-300)
    return np.asarray((rareness / greatest) ** rarity)


def round_draw(settings: BoostingSettings, number: int) -> Eligible:
    """The key of round `number`: a share `term_fraction` of the conditions, drawn by hashing."""
    if settings.term_fraction >= 1:
        return Eligible(0, 1.0)
    key = int(mix(np.array([settings.seed * 0x100000001 + number], np.uint64))[0])
    return Eligible(key, settings.term_fraction)


def eligible(draw: Eligible, conditions: Int32 | Int64) -> NDArray[np.bool_]:
    """Mask of conditions. A hash, not a generator: any engine may ask for one condition alone."""
    if draw.share >= 1:
        return np.ones(len(conditions), np.bool_)
    hashed = mix(conditions.astype(np.uint64) ^ np.uint64(draw.key))
    return np.asarray((hashed >> np.uint64(11)) * 2.0**-53 < draw.share)


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014): every input bit moves every other."""
    with np.errstate(over="ignore"):
        x = (x + np.uint64(0x9E3779B97F4A7C15)) & np.uint64(0xFFFFFFFFFFFFFFFF)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def document_frequencies(features: FeatureMatrix) -> Int64:
    """Documents in block YES, per listed condition."""
    return np.diff(features.yes.starts)
