"""Which engine a run gets. Every engine finds the same rules; they differ in what a round costs."""

from __future__ import annotations

from collections.abc import Callable

from boostext.algorithms import ALGORITHMS
from boostext.boosting.engines.incremental import FORMS, IncrementalEngine
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.losses import LOSSES
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings

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


def check_engine(name: str, settings: BoostingSettings) -> None:
    """Raise SettingsError where an engine cannot learn what the settings ask for."""
    if name != "incremental":
        return
    row = ALGORITHMS[settings.algorithm]
    votes = row.votes[settings.votes_name()]
    if row.grower != "stump" or not _moves_by_factors(row.loss, votes):
        raise SettingsError(
            f"--engine incremental does not go with {settings.algorithm}; use --engine auto"
        )


def choose(name: str, problem: Problem, rounds: int) -> Engine:
    """The engine of this name, checked before; "auto" goes by the problem, never by the machine's
    threads. Raises SettingsError for `incremental` where numba cannot be used.
    """
    fits = _moves_by_factors(problem.loss, problem.votes)
    if name == "auto":
        fits = fits and all(len(column) < MANY_VALUES for column in problem.members.columns)
        name = (
            "incremental" if fits and _work(problem) * rounds > SMALL and not notice() else "plain"
        )
    return ENGINES[name](problem)


def _moves_by_factors(loss: str, votes: str) -> bool:
    """Whether votes are real or discrete, and change weights by a factor for each block."""
    return LOSSES[loss].multiplicative and any(v == votes for v, _ in FORMS)


def _work(problem: Problem) -> int:
    """Products that one round of the plain engine makes."""
    members = problem.members
    numeric = sum(len(column.order) for column in members.columns)
    return (len(members.features.yes.items) + numeric) * problem.label_count
