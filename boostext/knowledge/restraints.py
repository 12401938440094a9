"""Restrictions of rules: terms that they must not use, and votes that they must not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from boostext.arrays import Float64
from boostext.features.conditions import NO, YES, AtLeast, Condition, Equals, Occurs
from boostext.knowledge.knowledge import Knowledge
from boostext.knowledge.terms import conditions_of
from boostext.settings import TextSettings


@dataclass(frozen=True, eq=False)
class Range:
    """The allowed range of the votes (3, k) of a condition. Each bound is 0 or infinite."""

    low: Float64
    high: Float64

    def clipped(self, votes: Float64) -> Float64:
        return np.asarray(np.clip(votes, self.low, self.high))

    @property
    def is_shut(self) -> bool:
        """Whether the range allows no votes other than 0."""
        return not (self.low.any() or self.high.any())


class Restraints:
    """The ranges of conditions, from `forbid:` and `only:`.

    A forbidden term is also forbidden within longer terms, and the name of an attribute forbids all
    conditions on it. If the presence of a term may only vote for a label, its absence may only vote
    against it, and vice versa.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        labels: Sequence[str],
        settings: TextSettings,
        fields: Sequence[str],
    ) -> None:
        number = {label: j for j, label in enumerate(labels)}
        self._k = len(labels)
        everyone = range(self._k)
        # conditions are many, so forbidden terms are found by their first token, and others by name
        self._forbidden: dict[object, list[tuple[Condition | None, list[int]]]] = {}
        for f in knowledge.forbid:
            shut = [number[label] for label in f.labels] if f.labels else list(everyone)
            self._forbidden.setdefault(f.term, []).append((None, shut))
            for part in conditions_of(f.term, settings, fields):
                first = (part.field, part.term[0]) if isinstance(part, Occurs) else part
                self._forbidden.setdefault(first, []).append((part, shut))
        self._one_sided = [
            (set(conditions_of(one.term, settings, fields)), number[one.label], one.sign)
            for one in knowledge.only
        ]

    def of(self, condition: Condition) -> Range | None:
        """The range of a condition's votes; None if they are not restricted."""
        low, high = np.full((3, self._k), -np.inf), np.full((3, self._k), np.inf)
        for key in _keys(condition):
            for part, labels in self._forbidden.get(key, ()):
                if part is None or _holds_in(part, condition):
                    low[:, labels] = high[:, labels] = 0
        plain = _once(condition)
        for meant, label, sign in self._one_sided:
            if plain in meant or condition in meant:
                present, absent = (low, high) if sign > 0 else (high, low)
                present[YES, label] = absent[NO, label] = 0
        free = np.isneginf(low).all() and np.isposinf(high).all()
        return None if free else Range(low, high)


def _keys(condition: Condition) -> Iterator[object]:
    """What a forbidden term that concerns the condition may be stored under."""
    if isinstance(condition, Occurs):
        yield from ((condition.field, token) for token in dict.fromkeys(condition.term))
        return
    yield condition
    if isinstance(condition, Equals | AtLeast):
        yield condition.column


def _once(condition: Condition) -> Condition:
    """The condition that a term occurs, whatever number of occurrences is required."""
    return Occurs(condition.field, condition.term) if isinstance(condition, Occurs) else condition


def _holds_in(part: Condition, condition: Condition) -> bool:
    """Whether a condition is about a term or a longer one that contains it."""
    if not (isinstance(part, Occurs) and isinstance(condition, Occurs)):
        return part == condition
    if part.field != condition.field:
        return False
    inner, outer = part.term, condition.term
    if len(inner) == len(outer) == 1:
        return inner == outer
    places = range(len(outer) - len(inner) + 1)
    return any(outer[i : i + len(inner)] == inner for i in places)
