"""Split data into stratified folds, which are held out in turn.

A label could not be learned if all its examples (or groups) were held out at once. Its first
example is therefore in the training part of every fold, and never held out. The same holds for the
only example of a label.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boostext.arrays import Float64, Int32, Int64, Lists
from boostext.errors import SettingsError
from boostext.fields import count

ALWAYS = -1
"""The number that stands for the fold of examples that are in every training part."""


@dataclass(frozen=True, eq=False)
class Folds:
    """of: (m,), the fold in which each example is held out, or ALWAYS. count: number of folds."""

    of: Int32
    count: int

    def held(self, fold: int) -> Int64:
        """The examples that are held out in this fold, ascending."""
        return np.flatnonzero(self.of == fold)

    def learned(self, fold: int) -> Int64:
        """The examples that are used for learning in this fold, ascending."""
        return np.flatnonzero(self.of != fold)


class TooFewError(SettingsError):
    """There are not enough documents for the folds."""


def make_folds(
    label_sets: Lists, count: int, seed: int, groups: Sequence[Hashable] | None = None
) -> Folds:
    """`count` folds of m examples, the same for the same seed.

    If every example has one label, the examples of each label are distributed evenly (stratified);
    otherwise iterative stratification is used. groups: (m,), examples of a group are held out
    together and are assigned to a fold as one unit. SettingsError if there is not enough data for
    this number of folds.
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
            f"are in one {what[:-1]} only, which is needed for training; use fewer --folds"
        )
    return found


def _numbered(groups: Sequence[Hashable]) -> Int64:
    """Group numbers by first occurrence. An example without a group is its own group."""
    numbers: dict[Hashable, int] = {}
    return np.array(
        [
            numbers.setdefault(("alone", i) if group is None else ("group", group), len(numbers))
            for i, group in enumerate(groups)
        ],
        np.int64,
    )


class _Dealing:
    """Assigns units (examples or groups) to folds one by one, those of the rarest label first."""

    def __init__(self, label_sets: Lists, unit: Int64, units: int, count: int, seed: int) -> None:
        owners = unit[np.repeat(np.arange(len(unit)), np.diff(label_sets.starts))]
        size = int(label_sets.items.max(initial=-1)) + 1
        keys, counts = np.unique(owners * max(size, 1) + label_sets.items, return_counts=True)
        self.unit_of, self.label_of = np.divmod(keys, max(size, 1))
        self.counts = counts.astype(np.float64)
        self.sizes = np.bincount(unit, minlength=units).astype(np.float64)
        self.totals = np.bincount(label_sets.items, minlength=size).astype(np.float64)
        self.starts = np.searchsorted(self.unit_of, np.arange(units + 1))
        # what each fold still needs: examples (folds,), and examples of each label (folds, k)
        self.wants = [len(unit) / count] * count
        self.wants_of: Float64 = np.tile(self.totals / count, (count, 1))
        self.fold = np.full(units, ALWAYS, np.int64)
        self.draws = np.random.default_rng(seed)
        # subtle: large groups first, while every fold still has room for them
        shuffled = self.draws.permutation(units)
        self.turn = np.argsort(
            np.argsort(shuffled[np.argsort(-self.sizes[shuffled], kind="stable")])
        )

    def dealt(self) -> Int64:
        """(units,): the fold of each unit."""
        by_label = np.argsort(self.label_of, kind="stable")
        ends = np.searchsorted(self.label_of[by_label], np.arange(len(self.totals) + 1))
        left = np.where(self.totals > 0, self.totals, np.inf)
        while len(left) and np.isfinite(left.min()):
            label = int(left.argmin())
            pairs = by_label[ends[label] : ends[label + 1]]
            pairs = pairs[self._in_turn(self.unit_of[pairs])]
            units = self.unit_of[pairs]
            self._give(units, self.wants_of[:, label].tolist(), self.counts[pairs])
            places, sizes = self._places(units)
            labels, counts = self.label_of[places], self.counts[places]
            np.subtract.at(self.wants_of, (np.repeat(self.fold[units], sizes), labels), counts)
            np.subtract.at(left, labels, counts)
            left[label] = np.inf
            left[left <= 0] = np.inf
        rest = self._in_turn(np.arange(len(self.fold)))
        self._give(rest, self.wants, np.zeros(len(rest)))
        return self.fold

    def _in_turn(self, units: Int64) -> Int64:
        """The places of the units that are not assigned yet, in their order."""
        waiting = np.flatnonzero(self.fold[units] == ALWAYS)
        return waiting[np.argsort(self.turn[units[waiting]])]

    def _places(self, units: Int64) -> tuple[Int64, Int64]:
        """The places of the labels of these units, and the number of labels of each unit."""
        first, sizes = self.starts[units], self.starts[units + 1] - self.starts[units]
        return np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes), sizes

    def _give(self, units: Int64, wish: list[float], counts: Float64) -> None:
        """Assign each unit to the fold that needs it most, then to that needing most examples.

        wish: how much each fold needs these units; it shrinks by the counts. Lists are used here,
        because NumPy is slow with arrays of a few folds.
        """
        wants, fold_of = self.wants, []
        each = zip(self.sizes[units].tolist(), counts.tolist(), strict=True)
        for size, parts in each:
            most = max(wish) - 1e-9
            best = [fold for fold, wanted in enumerate(wish) if wanted >= most]
            most = max(wants[fold] for fold in best) - 1e-9
            best = [fold for fold in best if wants[fold] >= most]
            fold = best[0] if len(best) == 1 else int(self.draws.choice(best))
            wants[fold] -= size
            wish[fold] -= parts
            fold_of.append(fold)
        self.fold[units] = fold_of


def _keep_learnable(dealt: Int64, label_sets: Lists, unit: Int64) -> None:
    """If all units of a label are in one fold, move the first of them to every training part."""
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
    """Messages, before training, about labels that are too rare for the folds."""
    counts = np.bincount(label_sets.items, minlength=len(labels))
    rare = [j for j in np.argsort(counts, kind="stable") if 0 < counts[j] < folds.count]
    if rare:
        shown = ", ".join(f"{labels[j]!r} ({counts[j]})" for j in rare[:5])
        more = f" and {len(rare) - 5} more" if len(rare) > 5 else ""
        yield (
            f"{count(len(rare), 'label')} with fewer documents than there are folds "
            f"({folds.count}): {shown}{more}; some folds hold out none of theirs"
        )
    always = int((folds.of == ALWAYS).sum())
    if always:
        yield (
            f"used for learning in every fold, and measured in none: {count(always, 'document')} "
            "with labels that no other document has"
        )
