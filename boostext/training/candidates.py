"""What tuning tries: choices of settings become plans, each once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from boostext.errors import SettingsError
from boostext.presets import Choices
from boostext.training.choosing import changed
from boostext.training.plan import CLOSED, Plan, command_line


@dataclass(frozen=True)
class Candidate:
    """A plan to try. settings: how it differs from other plans of the search, as options."""

    plan: Plan
    settings: str


def candidates(
    plan: Plan, trials: Iterable[Choices], given: Collection[str] = ()
) -> Iterator[Candidate]:
    """The plans of the trials, each once; `given` names settings that stay as they are.

    Trials that do not go with the rest of the plan are passed over; where none does, SettingsError.
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
