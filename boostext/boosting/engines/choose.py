"""The choice of the engine of a run.

All engines find the same rules; they differ in the time and memory that a round takes.
"""

from __future__ import annotations

from collections.abc import Callable

from boostext.algorithms import ALGORITHMS
from boostext.boosting.engines.by_label import LabelEngines, has_room
from boostext.boosting.engines.incremental import IncrementalEngine
from boostext.boosting.engines.interface import Engine, Problem
from boostext.boosting.engines.plain import PlainEngine
from boostext.boosting.engines.recomputing import RecomputingEngine
from boostext.boosting.engines.recomputing import fits as is_searched
from boostext.boosting.engines.weights import is_known
from boostext.boosting.gains import FORMS
from boostext.boosting.losses import LOSSES
from boostext.compiled import notice
from boostext.errors import SettingsError
from boostext.settings import BoostingSettings

ENGINES: dict[str, Callable[[Problem], Engine]] = {
    "plain": PlainEngine,
    "incremental": IncrementalEngine,
    "recomputing": RecomputingEngine,
}
"""The engines; the last one is used by "auto" only."""
PER_LABEL = "per label"
"""The learner that finds separate rules for each label."""

Maker = Callable[[str, Problem], Engine]
"""A function that creates the engine of a given name, in this process or in several processes."""

MANY_VALUES = 1 << 17
"""The number of thresholds of one column from which the plain engine is used.

With so many thresholds, many are nearly as good as the best, and computing all sums at once, as the
plain engine does, is faster than computing them one by one.
"""
SMALL = 500_000_000
"""The amount of work below which the plain engine is used.

It is counted in products and gains that the plain engine computes in all rounds, and takes it a
second or two, about the time that the incremental engine needs to load its kernels.
"""
GAIN = 4
"""The time that the plain engine takes for a gain, in products."""


def check_engine(name: str, settings: BoostingSettings) -> None:
    """Raise SettingsError if the engine of this name does not support the settings."""
    if name == "incremental" and not _is_known(settings):
        raise SettingsError(
            f"--engine incremental does not go with {settings.algorithm}; use --engine auto"
        )


def made_here(name: str, problem: Problem) -> Engine:
    """Create the engine of this name, a key of ENGINES, in this process."""
    return ENGINES[name](problem)


def choose(
    name: str, problem: Problem, settings: BoostingSettings, make: Maker = made_here
) -> Engine:
    """Create the engine of this name, which must have been checked by `check_engine`.

    For "auto", the choice depends on the settings, on the size of the problem and on whether numba
    can be used, but not on the number of threads or on `make`. Raises SettingsError for
    "incremental" if numba cannot be used.
    """
    if name == "auto":
        few = all(len(c) < MANY_VALUES for c in problem.members.columns)
        pays = few and _work(problem) * settings.rounds > SMALL and not notice()
        name = fastest(settings) if pays else "plain"
    if name == "incremental" and settings.learner_name() == PER_LABEL:
        return LabelEngines(problem) if has_room(problem) else make("plain", problem)
    return make(name, problem)


def fits(settings: BoostingSettings) -> bool:
    """Return whether all rules have one condition each and the incremental engine can find them.

    A last round that updates the votes of all terms needs more.
    """
    return settings.learner_name() == "stump" and _is_known(settings) and not settings.finish


def fastest(settings: BoostingSettings) -> str:
    """Return the name of the engine that is the fastest one on large data."""
    if _is_known(settings):
        return "incremental"
    votes = ALGORITHMS[settings.algorithm].votes[settings.votes_name()]
    is_stump = settings.learner_name() == "stump" and settings.index == "z"
    return "recomputing" if is_stump and is_searched(votes, settings.abstain) else "plain"


def _is_known(settings: BoostingSettings) -> bool:
    """Return whether the incremental engine supports the loss, the votes and the learner.

    The learner must find rules of one condition, either for all labels or for each label. A loss is
    identified by its functions in the table, so that an unknown loss is never mistaken for one that
    the engine supports.
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
    """Return the time that the plain engine takes for one round, in products.

    There are more conditions than products if most terms are in documents without labels only.
    """
    members = problem.members
    numeric = sum(len(column.order) for column in members.columns)
    products = int(members.features.yes.starts[-1]) + numeric
    return (products + GAIN * len(members)) * problem.label_count
