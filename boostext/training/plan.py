"""All settings of a training run, and the command that gives the same model."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from boostext import fields
from boostext.algorithms import ALGORITHMS
from boostext.corpus.readers import as_read
from boostext.corpus.sources import BadRecords
from boostext.presets import OPEN, open_settings
from boostext.settings import (
    ALL_GROUPS,
    BoostingSettings,
    DataSettings,
    Group,
    KnowledgeSettings,
    RunSettings,
    StopSettings,
    TextSettings,
)
from boostext.threads import usable_threads


@dataclass(frozen=True)
class Plan:
    """What to read, what to learn, when to stop, and how to run.

    open: names of settings that will be chosen from the data (`choosing.decided`), whatever their
    values are.
    """

    data: DataSettings = field(default_factory=DataSettings)
    text: TextSettings = field(default_factory=TextSettings)
    boosting: BoostingSettings = field(default_factory=BoostingSettings)
    known: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    stop: StopSettings = field(default_factory=StopSettings)
    run: RunSettings = field(default_factory=RunSettings)
    open: frozenset[str] = frozenset()

    @property
    def groups(self) -> tuple[Group, ...]:
        return (self.data, self.text, self.boosting, self.known, self.stop, self.run)

    @property
    def threads(self) -> int:
        return self.run.threads or usable_threads()

    @property
    def reading(self) -> DataSettings:
        """Settings to read training data, with the field of `--group`, needed only for training."""
        group, named = self.stop.group, self.data.attribute
        if not group or group in named:
            return self.data
        return replace(self.data, attribute=(*named, group))

    def as_read(self, account: BadRecords) -> Plan:
        """Add what was guessed about labels while reading, so that the model keeps it."""
        return replace(self, data=as_read(self.data, account))

    def opened(self, preset: str | None, given: Collection[str]) -> Plan:
        """Leave open all settings that can be chosen from data. given: names set by the user.

        Learners that make a rule for every condition make one round, unless the user gives another
        number: each further round is as large, and takes as long.
        """
        plan = self
        if ALGORITHMS[plan.boosting.algorithm].all_at_once and "rounds" not in given:
            plan = replace(plan, boosting=replace(plan.boosting, rounds=1))
        pairs = zip(self.groups, Plan().groups, strict=True)
        differ = (
            f.name
            for mine, other in pairs
            for f in mine.fields()
            if getattr(mine, f.name) != getattr(other, f.name)
        )
        return replace(plan, open=open_settings(preset, given, set(differ)))

    @classmethod
    def of(cls, **values: Any) -> Plan:
        """From settings by name, whatever group they are in; SettingsError for unknown names.

        Values may also be lists, or text as on the command line: Plan.of(ngrams="1-2", rounds=50).
        """
        places = {f.name: (group, f) for group in ALL_GROUPS for f in group.options()}
        unknown = sorted(set(values) - set(places))
        if unknown:
            raise fields.unknown_settings(unknown, list(places))

        def given(group: type[Group]) -> dict[str, Any]:
            chosen = ((k, v) for k, v in values.items() if places[k][0] is group)
            return {key: fields.from_python(places[key][1], value) for key, value in chosen}

        return cls(
            DataSettings(**given(DataSettings)),
            TextSettings(**given(TextSettings)),
            BoostingSettings(**given(BoostingSettings)),
            KnowledgeSettings(**given(KnowledgeSettings)),
            StopSettings(**given(StopSettings)),
            RunSettings(**given(RunSettings)),
        )


CLOSED = "boostext train --preset paper"
"""The beginning of the command for a plan that leaves nothing open."""


def retrain_line(plan: Plan, places: Sequence[str]) -> str:
    """The command that repeats training with the corrections that a report page saves.

    places: the placeholders for its data, its model and its report.
    """
    known = plan.known
    words = [*shlex.split(command_line(plan)), *places]
    words += [word for path in plan.stop.valid for word in ("--valid", path)]
    words += [word for path in known.unlabelled for word in ("--unlabelled", path)]
    words += ["--knowledge", known.knowledge] if known.knowledge else []
    return shlex.join([*words, "--labels-from", "corrections.csv"])


FILES = ("valid", "names", "knowledge", "unlabelled")
"""Settings that name files, whose content is stored in the model."""


def command_line(plan: Plan) -> str:
    """`boostext train` with every option that differs from its default, but without paths.

    Options that do not change the bytes of the model are left out, so that equal models have equal
    commands. If nothing is left open, the command says that no setting is chosen from the data.
    """
    words = shlex.split("boostext train") if plan.open else shlex.split(CLOSED)
    for group in (plan.data, plan.text, plan.boosting, plan.known, plan.stop):
        for declared in group.options():
            value = getattr(group, declared.name)
            chosen = plan.open and declared.name in OPEN - plan.open
            if (chosen or value != declared.default) and declared.name not in FILES:
                words += fields.option_words(declared, value)
    return shlex.join(words)
