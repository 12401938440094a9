"""Which engine a run gets. Every engine finds the same rules; they differ in what a round costs."""

from __future__ import annotations

from collections.abc import Callable

from boostext.boosting.engines.incremental import FORMS, IncrementalEngine
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.losses import LOSSES
from boostext.compiled import notice
from boostext.errors import SettingsError

ENGINES: dict[str, Callable[[Problem], Engine]] = {
    "plain": PlainEngine,
    "incremental": IncrementalEngine,
}

MANY_VALUES = 1 << 17
"""Thresholds of one column from which so many are about as good as the best that the plain engine,
which sums all of them at once, is faster."""
SMALL = 500_000_000
"""Work, in products that the plain engine makes in all rounds (a second or two), below which the
incremental one does not pay for loading its kernels."""


def choose(name: str, problem: Problem, rounds: int) -> Engine:
    """The engine of this name; "auto" goes by the problem, never by the machine's threads.

    Raises SettingsError for `incremental` where it cannot be used.
    """
    fits = _is_incremental(problem)
    if name == "incremental" and not fits:
        raise SettingsError(
            "--engine incremental goes with the algorithms mh and mo; use --engine plain or auto"
        )
    if name == "auto":
        fits = fits and all(len(column) < MANY_VALUES for column in problem.members.columns)
        name = (
            "incremental" if fits and _work(problem) * rounds > SMALL and not notice() else "plain"
        )
    return ENGINES[name](problem)


def _is_incremental(problem: Problem) -> bool:
    """Whether votes are real or discrete, and change weights by a factor for each block."""
    return LOSSES[problem.loss].multiplicative and any(v == problem.votes for v, _ in FORMS)


def _work(problem: Problem) -> int:
    """Products that one round of the plain engine makes."""
    members = problem.members
    numeric = sum(len(column.order) for column in members.columns)
    return (len(members.features.yes.items) + numeric) * problem.label_count
