"""The saved thing: rules, labels and every setting that prediction needs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from boostext.boosting.rules import Rule
from boostext.errors import ModelError
from boostext.features.conditions import AtLeast, Condition, Equals
from boostext.model.calibration import Curve, check_curves
from boostext.model.prior import Prior, check_prior
from boostext.settings import BoostingSettings, DataSettings, TextSettings


@dataclass(frozen=True)
class History:
    """Per round: the criterion's gain and the actual normalizer Z."""

    gain: tuple[float, ...] = ()
    z: tuple[float, ...] = ()


EARLIER = (
    "if nothing in them has changed, an earlier version of boostext wrote the model and computed "
    "the digest of its training data in another way: such a model still predicts, but has to be "
    "trained anew before it can be resumed or pruned with data"
)


@dataclass(frozen=True)
class Provenance:
    """Where the model comes from. No times, threads or paths: equal work gives equal bytes.

    digest: of the training data. stopped: why training ended ("all rounds", "no condition helps",
    "best round on validation data", "interrupted"). rounds_done: before the model was cut.
    corrected: documents whose labels --labels-from changed. edited: whether somebody changed the
    file of the model after it was written, and that was accepted.
    """

    version: str = ""
    documents: int = 0
    tokens: int = 0
    conditions: int = 0
    digest: str = ""
    stopped: str = ""
    rounds_done: int = 0
    command: str = ""
    corrected: int = 0
    edited: bool = False

    def other_documents(self, count: int) -> str:
        """What to say of `count` documents that are not those of the digest.

        Where there are as many as in training they may be the same ones all the same: boostext
        once made the digest of the training data in another way, and the model does not tell how.
        """
        told = "these are not the very documents the model was trained on"
        if self.corrected:
            noun = "document" if self.corrected == 1 else "documents"
            told += (
                f", or not their labels: the labels of {self.corrected:,} {noun} were corrected "
                "for training; give the same --labels-from FILE here"
            )
        if count != self.documents:
            return f"{told} ({count} documents, where it learned from {self.documents})"
        return f"{told} (there are {count} documents, as in training; {EARLIER})"


@dataclass(frozen=True)
class Model:
    """All that prediction, explanation and inspection need.

    labels: k names in label order. multilabel: any training example had not exactly one label.
    rules: T rules in the order learned. thresholds: k scores above which a label is given, or
    none: then it is 0. code: k rows of one length like "+-+-" where labels are coded: votes and
    sums of votes are then of the code's columns, and decoded into scores of labels; else none.
    calibration: k curves from scores to chances, or none: the algorithm's link then gives them.
    round_sizes: how many rules each round gave; none where each gave one.
    prior: what people knew, whose scores f_0 the votes of rules are added to; None without it.
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
    code: tuple[str, ...] = ()
    calibration: tuple[Curve, ...] = ()
    round_sizes: tuple[int, ...] = ()
    prior: Prior | None = None

    @property
    def round_count(self) -> int:
        return len(self.round_sizes or self.rules)

    @property
    def rule_rounds(self) -> Iterator[int]:
        """The number of its round, from 1, for each rule."""
        sizes = self.round_sizes or (1,) * len(self.rules)
        return (number for number, size in enumerate(sizes, 1) for _ in range(size))

    @property
    def columns(self) -> tuple[str, ...]:
        """What votes are about: the labels, or the columns of the code, "A B | C D" for each."""
        if not self.code:
            return self.labels
        return tuple(
            f"{' '.join(self._side(j, '+'))} | {' '.join(self._side(j, '-'))}"
            for j in range(len(self.code[0]))
        )

    @property
    def width(self) -> int:
        """Numbers in a block's vote: one for each label, or for each column of the code."""
        return len(self.code[0]) if self.code else len(self.labels)

    def _side(self, column: int, sign: str) -> list[str]:
        rows = zip(self.labels, self.code, strict=True)
        return [label for label, row in rows if row[column] == sign]


def asked_conditions(model: Model) -> set[Condition]:
    """All conditions that rules and their preconditions ask for."""
    asked = {rule.condition for rule in model.rules}
    return asked | {condition for rule in model.rules for condition, _ in rule.precondition}


def asked_attributes(model: Model) -> tuple[str, ...]:
    """The attributes and scored texts that rules ask for, those named in training first.

    A condition on a scored text names it with a word, as `column:word`; of a column with a colon
    that training did not name it is not known which it is, and both names are given.
    """
    columns = {c.column for c in asked_conditions(model) if isinstance(c, Equals | AtLeast)}
    named = [
        name
        for name in model.data.attribute
        if any(column == name or column.startswith(f"{name}:") for column in columns)
    ]
    others = (c for c in columns if not any(c == n or c.startswith(f"{n}:") for n in named))
    return (*named, *sorted({name for c in others for name in (c, c.partition(":")[0])}))


def check_model(model: Model) -> None:
    """Raise ModelError where the parts do not fit together or a number is not finite."""
    if not model.labels:
        raise ModelError("no labels; expected at least one")
    if len(set(model.labels)) < len(model.labels):
        raise ModelError("a label is there twice")
    if len(model.thresholds) not in (0, len(model.labels)):
        raise ModelError(
            f"{len(model.thresholds)} thresholds for {len(model.labels)} labels; "
            "expected one each, or none"
        )
    _check_code(model)
    check_curves(model.calibration, len(model.labels))
    if model.prior:
        check_prior(model.prior, model.labels)
    numbers = (*model.thresholds, *model.history.gain, *model.history.z)
    if not all(map(math.isfinite, numbers)):
        raise ModelError("a threshold, gain or normalizer that is not a finite number")
    sizes = model.round_sizes
    if sizes and (min(sizes) < 1 or sum(sizes) != len(model.rules)):
        raise ModelError(f"its round sizes do not add up to {len(model.rules)} rules")
    for number, rule in enumerate(model.rules, 1):
        _check_rule(number, rule, model.width)


def _check_code(model: Model) -> None:
    rows = model.code
    sound = all(row and set(row) <= {"+", "-"} for row in rows) and len({len(r) for r in rows}) < 2
    if len(rows) not in (0, len(model.labels)) or not sound:
        raise ModelError("its code has not one row of + and - for each label")


def _check_rule(number: int, rule: Rule, width: int) -> None:
    if rule.votes.shape != (3, width):
        raise ModelError(
            f"rule {number} has votes of shape {rule.votes.shape}; expected (3, {width})"
        )
    if not (np.isfinite(rule.votes).all() and math.isfinite(rule.alpha)):
        raise ModelError(f"rule {number} has a vote or alpha that is not a finite number")
