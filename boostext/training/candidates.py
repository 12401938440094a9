"""Generate the plans that tuning tries from choices of settings, without duplicates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from boostext.errors import SettingsError
from boostext.presets import Choices
from boostext.training.choosing import changed
from boostext.training.plan import CLOSED, Plan, command_line


@dataclass(frozen=True)
class Candidate:
    """A plan to try. settings: the options in which it differs from other plans of the search."""

    plan: Plan
    settings: str


def candidates(
    plan: Plan, trials: Iterable[Choices], given: Collection[str] = ()
) -> Iterator[Candidate]:
    """The plans of the trials, without duplicates. `given` names settings that are not changed.

    Trials that are incompatible with the rest of the plan are skipped; SettingsError if all are.
    """
    seen: set[str] = set()
    refusal: SettingsError | None = None
    for trial in trials:
        try:
            made = changed(plan, {k: v for k, v in trial.items() if k not in given})
        except SettingsError as error:
            refusal = error
            continue
        settings = command_line(replace(made, boosting=replace(made.boosting, rounds=1000)))
        settings = settings.removeprefix(CLOSED).strip() or "(the papers' learner)"
        if settings not in seen:
            seen.add(settings)
            yield Candidate(made, settings)
    if refusal and not seen:
        raise refusal
