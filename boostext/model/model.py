"""The saved thing: rules, labels and every setting that prediction needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from boostext.boosting.rules import Rule
from boostext.settings import BoostingSettings, DataSettings, TextSettings


@dataclass(frozen=True)
class History:
    """Per round, T values each: the criterion's gain and the actual normalizer Z."""

    gain: tuple[float, ...] = ()
    z: tuple[float, ...] = ()


@dataclass(frozen=True)
class Provenance:
    """Where the model comes from. No times, threads or paths: equal work gives equal bytes.

    digest: of the training data. stopped: why training ended ("all rounds", "no condition helps",
    "best round on validation data", "interrupted"). rounds_done: before the model was cut.
    """

    version: str = ""
    documents: int = 0
    tokens: int = 0
    conditions: int = 0
    digest: str = ""
    stopped: str = ""
    rounds_done: int = 0
    command: str = ""


@dataclass(frozen=True)
class Model:
    """All that prediction, explanation and inspection need.

    labels: k names in label order. multilabel: any training example had not exactly one label.
    rules: T rules in the order learned. thresholds: k scores above which a label is given.
    """

    labels: tuple[str, ...]
    multilabel: bool
    rules: tuple[Rule, ...]
    data: DataSettings = field(default_factory=DataSettings)
    text: TextSettings = field(default_factory=TextSettings)
    boosting: BoostingSettings = field(default_factory=BoostingSettings)
    history: History = field(default_factory=History)
    provenance: Provenance = field(default_factory=Provenance)
    thresholds: tuple[float, ...] = ()
