"""Which engine a run gets. Every engine finds the same rules; they differ in what a round costs."""

from __future__ import annotations

from collections.abc import Callable

from boostext.algorithms import ALGORITHMS
from boostext.boosting.engines.by_label import LabelEngines, has_room
from boostext.boosting.engines.incremental import IncrementalEngine
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.weights import is_known
from boostext.boosting.gains import FORMS
from boostext.boosting.losses import LOSSES
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings

ENGINES: dict[str, Callable[[Problem], Engine]] = {
    "plain": PlainEngine,
    "incremental": IncrementalEngine,
}
PER_LABEL = "per label"
"""The learner whose labels have rules of their own."""

Maker = Callable[[str, Problem], Engine]
"""What makes the engine of a name: in this process, or on others."""

MANY_VALUES = 1 << 17
"""Thresholds of one column from which so many are about as good as the best that the plain engine,
which sums all of them at once, is faster."""
SMALL = 500_000_000
"""Work, in products that the plain engine makes in all rounds (a second or two), below which the
incremental one does not pay for loading its kernels."""


def check_engine(name: str, settings: BoostingSettings) -> None:
    """Raise SettingsError where an engine cannot learn what the settings ask for."""
    if name == "incremental" and not _is_known(settings):
        raise SettingsError(
            f"--engine incremental does not go with {settings.algorithm}; use --engine auto"
        )


def made_here(name: str, problem: Problem) -> Engine:
    """The engine of this name, of "plain" or "incremental", in this process."""
    return ENGINES[name](problem)


def choose(
    name: str, problem: Problem, settings: BoostingSettings, make: Maker = made_here
) -> Engine:
    """The engine of this name, checked before; "auto" goes by the problem, never by the machine's
    threads, nor by `make`. Raises SettingsError for `incremental` where numba cannot be used.
    """
    if name == "auto":
        few = all(len(c) < MANY_VALUES for c in problem.members.columns)
        pays = few and _is_known(settings) and _work(problem) * settings.rounds > SMALL
        name = "incremental" if pays and not notice() else "plain"
    if name == "incremental" and settings.learner_name() == PER_LABEL:
        return LabelEngines(problem) if has_room(problem) else make("plain", problem)
    return make(name, problem)


def fits(settings: BoostingSettings) -> bool:
    """Whether rules are of one condition, and the incremental engine knows how to find them."""
    return settings.learner_name() == "stump" and _is_known(settings)


def _is_known(settings: BoostingSettings) -> bool:
    """Whether the incremental engine knows the loss and the votes, and rules are of one condition
    for all labels or for each.

    It goes by the functions that the tables name: another loss is never learned as if it were one
    of its own.
    """
    row = ALGORITHMS[settings.algorithm]
    votes = row.votes[settings.votes_name()]
    return (
        settings.learner_name() in ("stump", PER_LABEL)
        and settings.index == "z"
        and settings.alpha_name() == "own"
        and not settings.resample
        and not row.colored
        and is_known(LOSSES[row.loss], settings.abstain)
        and (votes, settings.abstain) in FORMS
    )


def _work(problem: Problem) -> int:
    """Products that one round of the plain engine makes."""
    members = problem.members
    numeric = sum(len(column.order) for column in members.columns)
    return (int(members.features.yes.starts[-1]) + numeric) * problem.label_count
