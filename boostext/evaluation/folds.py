"""Parts of the data to hold out in turn, each with its share of every label.

A label whose examples (or groups) would all be held out at once could not be learned then: its
first example stays in the training part of every fold, and is never held out. So does the only
example of a label.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.errors import SettingsError

ALWAYS = -1
"""The fold of examples that are in every training part."""


@dataclass(frozen=True, eq=False)
class Folds:
    """of: (m,) the fold in which each example is held out, or ALWAYS. count: of folds."""

    of: Int32
    count: int

    def held(self, fold: int) -> Int64:
        """The examples held out in this fold, ascending."""
        return np.flatnonzero(self.of == fold)

    def learned(self, fold: int) -> Int64:
        """The examples learned from in this fold, ascending."""
        return np.flatnonzero(self.of != fold)


class TooFewError(SettingsError):
    """Not enough documents for the folds."""


def make_folds(
    label_sets: Lists, count: int, seed: int, groups: Sequence[Hashable] | None = None
) -> Folds:
    """`count` folds of m examples, the same for the same seed.

    One label an example: each label's examples are dealt evenly (stratified). Several: iterative
    stratification. groups: (m,) examples of one group are held out together; they are dealt as
    one, by the labels of all. SettingsError where there is not enough to make so many folds.
    Source: Sechidis, Tsoumakas & Vlahavas 2011, Algorithm 1, with counts for groups.
    """
    m = len(label_sets)
    unit = np.arange(m) if groups is None else _numbered(groups)
    units = int(unit.max(initial=-1)) + 1
    what = ("document" if groups is None else "group") + ("" if units == 1 else "s")
    if units < count:
        raise TooFewError(
            f"folds is {count}, but there {'is' if units == 1 else 'are'} {units} {what}; "
            "each fold needs one to hold out"
        )
    dealt = _Dealing(label_sets, unit, units, count, seed).dealt()
    _keep_learnable(dealt, label_sets, unit)
    found = Folds(dealt[unit].astype(np.int32), count)
    empty = [fold for fold in range(count) if not len(found.held(fold))]
    if empty:
        raise TooFewError(
            f"folds is {count}, but {len(empty)} of them would hold out nothing: too many labels "
            f"are in one {what[:-1]} only, which is needed for training; take fewer --folds"
        )
    return found


def _numbered(groups: Sequence[Hashable]) -> Int64:
    """Group numbers by first occurrence; an example without a group is one by itself."""
    numbers: dict[Hashable, int] = {}
    return np.array([
        numbers.setdefault(("alone", i) if group is None else ("group", group), len(numbers))
        for i, group in enumerate(groups)
    ], np.int64)  # fmt: skip


class _Dealing:
    """Units (examples or groups) given to the folds one by one, rarest label first."""

    def __init__(self, label_sets: Lists, unit: Int64, units: int, count: int, seed: int) -> None:
        owners = unit[np.repeat(np.arange(len(unit)), np.diff(label_sets.starts))]
        size = int(label_sets.items.max(initial=-1)) + 1
        keys, counts = np.unique(owners * max(size, 1) + label_sets.items, return_counts=True)
        self.unit_of, self.label_of = np.divmod(keys, max(size, 1))
        self.counts = counts.astype(np.float64)
        self.sizes = np.bincount(unit, minlength=units).astype(np.float64)
        self.totals = np.bincount(label_sets.items, minlength=size).astype(np.float64)
        self.starts = np.searchsorted(self.unit_of, np.arange(units + 1))
        # what each fold still wants: examples (folds,), and of each label (folds, k)
        self.wants: Float64 = np.full(count, len(unit) / count)
        self.wants_of: Float64 = np.tile(self.totals / count, (count, 1))
        self.fold = np.full(units, ALWAYS, np.int64)
        self.draws = np.random.default_rng(seed)
        # subtle: great groups first, while every fold still has room for them
        shuffled = self.draws.permutation(units)
        self.turn = np.argsort(
            np.argsort(shuffled[np.argsort(-self.sizes[shuffled], kind="stable")])
        )

    def dealt(self) -> Int64:
        """(units,): the fold of each."""
        by_label = np.argsort(self.label_of, kind="stable")
        ends = np.searchsorted(self.label_of[by_label], np.arange(len(self.totals) + 1))
        left = np.where(self.totals > 0, self.totals, np.inf)
        while len(left) and np.isfinite(left.min()):
            label = int(left.argmin())
            units = self.unit_of[by_label[ends[label] : ends[label + 1]]]
            for unit in self._in_turn(units):
                places = slice(self.starts[unit], self.starts[unit + 1])
                self._give(unit, self.wants_of[:, label])
                left[self.label_of[places]] -= self.counts[places]
            left[label] = np.inf
            left[left <= 0] = np.inf
        for unit in self._in_turn(np.arange(len(self.fold))):
            self._give(unit, self.wants)
        return self.fold

    def _in_turn(self, units: Int64) -> list[int]:
        """Those not dealt yet, in their order."""
        waiting = units[self.fold[units] == ALWAYS]
        order: list[int] = waiting[np.argsort(self.turn[waiting])].tolist()
        return order

    def _give(self, unit: int, wish: Float64) -> None:
        """To the fold of the greatest wish; of equals that wanting most examples, then any."""
        best = np.flatnonzero(wish >= wish.max() - 1e-9)
        best = best[self.wants[best] >= self.wants[best].max() - 1e-9]
        fold = int(best[0] if len(best) == 1 else self.draws.choice(best))
        places = slice(self.starts[unit], self.starts[unit + 1])
        self.fold[unit] = fold
        self.wants[fold] -= self.sizes[unit]
        self.wants_of[fold, self.label_of[places]] -= self.counts[places]


def _keep_learnable(dealt: Int64, label_sets: Lists, unit: Int64) -> None:
    """Take the first unit of a label out of the only fold that has it."""
    owners = unit[np.repeat(np.arange(len(unit)), np.diff(label_sets.starts))]
    order = np.argsort(label_sets.items, kind="stable")
    found = label_sets.items[order]
    edges = np.flatnonzero(np.diff(found, prepend=-1, append=-1))
    for start, end in pairwise(edges.tolist()):
        units = owners[order[start:end]]
        folds = dealt[units]
        if (folds == folds[0]).all():
            dealt[units[0]] = ALWAYS


def fold_remarks(labels: Sequence[str], label_sets: Lists, folds: Folds) -> Iterator[str]:
    """What of the labels and the folds does not go together, to be said before any training."""
    counts = np.bincount(label_sets.items, minlength=len(labels))
    rare = [j for j in np.argsort(counts, kind="stable") if 0 < counts[j] < folds.count]
    if rare:
        shown = ", ".join(f"{labels[j]!r} ({counts[j]})" for j in rare[:5])
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        yield (
            f"{len(rare)} labels have fewer documents than the {folds.count} folds: {shown}{more}; "
            "some folds hold out none of theirs"
        )
    always = int((folds.of == ALWAYS).sum())
    if always:
        yield (
            f"{always} documents with labels that are nowhere else are learned from in every "
            "fold, and measured in none"
        )
